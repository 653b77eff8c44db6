"""Differences with their intervals, of many groups or systems below each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from referee.report import phrases
from referee.report.charts.canvas import MIDDLE, SMALL, WIDTH, Canvas, Figure, fitted, fitted_apart, span, spot, width
from referee.report.charts.theme import Theme
from referee.report.numbers import known, percent, whole
from referee.results.comparison import Comparison, Interval
from referee.results.plot_data import Parts
from referee.results.settings import Verdict

NAMES, LAST = 104, 42
"""Pixels for the names, and for the last column of a forest."""
STEP, HEAD = 19, 24
SHAPES: dict[Verdict, str] = {
    "b better": "triangle-right",
    "a better": "triangle-left",
    "practically equal": "square",
    "no worse": "diamond",
    "too close to call": "circle",
}
"""The shape of each verdict; a triangle points to where the difference lies."""


def points(r: Comparison) -> str:
    """Say in what an axis of differences is written: points if scores are shares."""
    return "points" if phrases.scale(r).unit == "share" else ""


def axis(r: Comparison, names: Sequence[str] | None = None) -> str:
    """Say what stands along an axis of differences."""
    of = f"{'points of' if points(r) else 'difference in'} {fitted(phrases.metric(r), 150)}"
    # The names have what room is left.
    a, b = fitted_apart(names or phrases.names(r), (WIDTH - 14 - width(f"{of} ( − )", MIDDLE)) / 2)
    return f"{of} ({b} − {a})"


def better(r: Comparison) -> tuple[str, str]:
    """Return who is better where the difference is negative, and where it is positive."""
    a, b = phrases.names(r)
    return (a, b) if r.higher_is_better else (b, a)


def sides(canvas: Canvas, named: Sequence[str], end: float = WIDTH) -> None:
    """Name the sides of no difference; the words go no further than `end`."""
    grey, middle = canvas.theme.grey, (canvas.left + canvas.right) / 2
    left, right = fitted_apart(named, min(middle, end - middle) - 74)
    canvas.word(middle - 8, 8, f"← {left} better", grey, align="right")
    canvas.word(middle + 8, 8, f"{right} better →", grey)


@dataclass(frozen=True)
class Line:
    """One difference of many."""

    label: str
    difference: float | None
    interval: Interval | None
    last: str
    """What stands in the last column."""
    fill: str
    shape: str


def of_parts(r: Comparison, parts: Parts, theme: Theme) -> Figure:
    """Draw the difference inside each group, and that of all below them."""
    lower, higher = (theme.a, theme.b) if r.higher_is_better else (theme.b, theme.a)
    lines = []
    for part in reversed(parts.rows):
        fill = higher if part.difference > 0 else lower if part.difference < 0 else theme.grey
        lines.append(Line(part.label, part.difference, part.interval, whole(part.n), fill, "circle"))
    every = Line("all together", r.difference, r.interval, whole(r.n), theme.ink, "diamond")
    chart = forest(lines, every, better(r), axis(r), "n", theme, points(r))
    return Figure("forest", f"The difference in each {parts.by}", _parts_told(r, parts), chart)


def _parts_told(r: Comparison, parts: Parts) -> str:
    told = [phrases.ahead(r, parts)]
    if parts.blank:
        told.append(f"In {whole(parts.blank)} {phrases.metric(r)} is undefined.")
    if any(part.interval for part in parts.rows):
        level = percent(1 - r.alpha)
        told.append(f"The bars are {level} intervals that treat the examples within a {parts.by} as independent.")
    return " ".join([*told, "The diamond is the difference over all examples."])


def forest(
    lines: Sequence[Line],
    every: Line | None,
    named: Sequence[str],
    title: str,
    last: str,
    theme: Theme,
    unit: str = "",
) -> Any:
    """Draw differences below each other, with the sides named, and what stands in the last column."""
    rows, gap = ([*lines, every], 6) if every else (lines, 0)
    reach, left = _reach(rows), NAMES + 4
    canvas = Canvas(theme, -reach, reach, left + 10, WIDTH - LAST - 10)
    canvas.ruler(title, ticks=4, unit=unit)
    height = HEAD + STEP * len(rows) + gap
    canvas.rules([span(0.0, 0.0, HEAD - 6, height, theme.ink)], strokeWidth=1)
    sides(canvas, named, end=WIDTH - 24)
    canvas.word(WIDTH, 8, last, theme.grey, align="right", fontSize=SMALL)
    placed = [(line, HEAD + STEP * (i + 0.5) + gap * (line is every)) for i, line in enumerate(rows)]
    ys, names = [y for _, y in placed], [phrases.clean(line.label, phrases.LONG) or "(empty)" for line in rows]
    canvas.words(left, ys, names, align="right", limit=left)
    canvas.words(WIDTH, ys, [line.last for line in rows], theme.grey, align="right", fontSize=SMALL, limit=LAST)
    bars = [
        span(max(line.interval.low, -reach), min(line.interval.high, reach), y, y, line.fill)
        for line, y in placed
        if line.interval is not None and known(line.interval.low) and known(line.interval.high)
    ]
    canvas.rules(bars, strokeWidth=2)
    spots = [spot(one.difference, y, one.fill, one.shape) for one, y in placed if one.difference is not None]
    canvas.points(spots, size=64)
    return canvas.chart(height)


def _reach(rows: Sequence[Line]) -> float:
    """Return how far the axis goes: to every difference, and to intervals unless they are far wider than most and than any difference."""
    points = [abs(line.difference) for line in rows if line.difference is not None]
    ends = sorted(max(abs(line.interval.low), abs(line.interval.high)) for line in rows if line.interval)
    usual = 3 * max([ends[len(ends) // 2], *points]) if ends else 0.0
    return 1.06 * max([*points, *(end for end in ends if end <= usual)] or [1.0]) or 1.0
