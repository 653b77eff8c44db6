"""Ranges of ranks: a bar for each system from the best to the worst rank that the data support, with its rank by score as a dot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from referee.report.charts.canvas import MIDDLE, SMALL, WIDTH, Canvas, span, spot, width
from referee.report.charts.theme import Theme

NAMES, LAST, HEAD = 142, 44, 22
SHOWN = 160
"""So many systems have a row."""
ROWS = ((12, 22.0), (40, 16.0), (SHOWN, 13.0))
"""Up to so many systems: how tall a row is."""
BROKEN = 32.0
"""How tall a row is where names are broken, which they are for as many systems as the first of these."""


@dataclass(frozen=True)
class Place:
    """What is drawn of one system."""

    label: str
    rank: int | None
    low: int
    high: int
    score: str
    best: bool


def ranges(places: Sequence[Place], many: int, head: str, theme: Theme) -> Any:
    """Draw the ranges of ranks below each other.

    Args:
        places: the systems, best first.
        many: how many ranks there are.
        head: what the scores are called.
        theme: of the chart.
    """
    starred = not all(one.best for one in places)
    names = [f"{'* ' if one.best and starred else ''}{one.label}" for one in places]
    few, step = len(places) <= ROWS[0][0], next(step for most, step in ROWS if len(places) <= most)
    broken = few and any(width(name, MIDDLE) > NAMES for name in names)
    step, size = (BROKEN if broken else step), (MIDDLE if few else SMALL)
    canvas = Canvas(theme, 0.5, many + 0.5, NAMES + 10, WIDTH - LAST - 6)
    canvas.ruler("rank", ticks=min(many, 6), grid=True)
    ys = [HEAD + step * (i + 0.5) for i in range(len(places))]
    # A bar is seen even if there is one rank only.
    bars = [
        span(one.low - 0.3, one.high + 0.3, y, y, theme.a if one.best else theme.grey)
        for one, y in zip(places, ys, strict=True)
    ]
    canvas.rules(bars, strokeWidth=min(step / 3, 4.0))
    dots = [spot(one.rank, y, theme.ink) for one, y in zip(places, ys, strict=True) if one.rank is not None]
    canvas.points(dots, size=min(step * 2.5, 36))
    canvas.names(NAMES, ys, names, most=2 if broken else 1, size=size)
    canvas.word(WIDTH, 8, head, theme.grey, align="right", fontSize=SMALL, limit=LAST + 60)
    canvas.words(WIDTH, ys, [one.score for one in places], align="right", limit=LAST, fontSize=SMALL)
    return canvas.chart(HEAD + step * len(places))
