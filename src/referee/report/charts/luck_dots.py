"""Luck as 100 dots: test sets on which the two systems are equally good, those that differ as much as the observed one in colour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from referee.report.charts.canvas import WIDTH, Canvas, Figure, around, span
from referee.report.charts.null_distribution import RARE, axis_of_law, chance, seen, supposed, unit_of
from referee.report.charts.theme import Theme
from referee.report.numbers import times_in_100
from referee.results.comparison import Comparison
from referee.results.plot_data import Bar, Histogram

LEFT, RIGHT = 10, WIDTH - 10
TOP, BASE = 34, 176
WIDEST = 11.0
"""Dots are no wider than so many pixels."""


@dataclass(frozen=True)
class Column:
    """Dots above one place: how many p does not count, and how many it does."""

    at: float
    wide: float
    plain: int
    extreme: int

    @property
    def many(self) -> int:
        """How many dots there are."""
        return self.plain + self.extreme


def dots(r: Comparison, law: Histogram, theme: Theme) -> Figure | None:
    """Draw the law as 100 dots, as many of them in colour as p says; nothing where that would not show it."""
    p = r.p_value
    # What is drawn again is spread around the difference seen: it is not what luck alone does.
    if p is None or p < RARE or law.redrawn:
        return None
    plain, counted = law.dots(extreme := times_in_100(p))
    if len(plain) + len(counted) != 100 or len(counted) != extreme:
        return None
    low, high = around([*plain, *counted, law.observed, law.null], 0.04)
    low, high = min(low, 2 * law.null - high), max(high, 2 * law.null - low)
    canvas = Canvas(theme, low, high, LEFT, RIGHT)
    canvas.ruler(axis_of_law(r, law), unit=unit_of(r, law))
    columns = _columns(law.bars, (plain, counted), canvas)
    size = _size(columns)
    canvas.rules([span(law.observed, law.observed, TOP - 12, BASE, theme.ink)], strokeWidth=2)
    _draw(canvas, columns, size)
    canvas.above(law.observed, TOP - 22, f"what you saw: {seen(r, law)}", room=4, fontWeight="bold")
    return Figure("dots", chance(r), _caption(r, law, extreme), canvas.chart(BASE))


def _columns(bars: Sequence[Bar], dots: Sequence[Sequence[float]], canvas: Canvas) -> list[Column]:
    """Gather dots in columns: those of bars that p counts apart from the others, and narrow bars together."""
    columns: list[Column] = []
    for _, run in groupby(bars, lambda bar: bar.counted > 0):
        own = list(run)
        low, high = own[0].low, own[-1].high
        pixels, many = canvas.pixel(high) - canvas.pixel(low), round((high - low) / (own[0].high - own[0].low))
        many = max(1, min(many, int(pixels / WIDEST)))
        step = (high - low) / many
        places = [Counter(min(int((x - low) / step), many - 1) for x in xs if low <= x < high) for xs in dots]
        columns += [
            Column(low + (number + 0.5) * step, pixels / many, places[0][number], places[1][number])
            for number in sorted(places[0].keys() | places[1].keys())
        ]
    return columns


def _across(column: Column, size: float) -> int:
    """Say how many dots stand beside each other."""
    return max(1, min(int(0.8 * column.wide / size), column.many))


def _size(columns: Sequence[Column]) -> float:
    """Return how wide dots are: as wide as they may be for the highest column to end below the top."""
    size = WIDEST
    while size > 1 and any(-(-one.many // _across(one, size)) * size > BASE - TOP - 4 for one in columns):
        size -= 0.25
    return size


def _draw(canvas: Canvas, columns: Sequence[Column], size: float) -> None:
    """Draw the dots from below, those that p counts above the others."""
    rows = []
    for one in columns:
        across = _across(one, size)
        for place in range(one.many):
            line, beside = divmod(place, across)
            x = canvas.pixel(one.at) + (beside - (across - 1) / 2) * size
            fill = canvas.theme.bar if place < one.plain else canvas.theme.tail
            shape = "circle" if place < one.plain else "diamond"
            rows.append({"x": canvas.at(x), "y": BASE - 3 - size * (line + 0.5), "fill": fill, "shape": shape})
    # The size of a mark is its area.
    canvas.points(rows, size=round(0.74 * size * size, 1))


def _caption(r: Comparison, law: Histogram, extreme: int) -> str:
    sides = {
        "two-sided": "as large as yours, one way or the other",
        "greater": "as high as yours",
        "less": "as low as yours",
    }
    questions = {"no-worse": "as favourable as yours", "equal": "as small as yours"}
    told = questions[r.question] if law.null else sides[r.alternative]
    many = {0: "None of them shows", 1: "One of them shows"}.get(extreme, f"{extreme} of them show")
    return f"Each dot is one of 100 test sets like this one, if {supposed(r, law)}. {many} a difference {told}."
