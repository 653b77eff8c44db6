"""Critical-difference diagram: systems by their average rank over datasets, with bars that join those that cannot be told apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from referee.report.charts.canvas import LEADING, MIDDLE, SMALL, WIDTH, Canvas, Figure, Row, in_lines, span, width
from referee.report.charts.theme import Theme
from referee.report.numbers import whole
from referee.report.phrases import dataset_ranking as words
from referee.report.phrases.algorithms import label
from referee.results.dataset_ranking import DatasetRanking, DatasetSystem

NAMES = 112
"""Pixels for the names, on each side."""
SHOWN = 30
"""So many systems have a line."""
STEP, BROKEN, TOP, BAR = 28.0, 42.0, 16.0, 8.0
"""Pixels from name to name, and where names are broken; above the axis, and from bar to bar."""
TICKS = 8
"""The axis has at most about so many numbers."""


def ranks(r: DatasetRanking, theme: Theme) -> list[Figure]:
    """Draw Demšar's diagram: an axis of average ranks, the best on the left, and names on both sides."""
    shown = r.systems[:SHOWN]
    low, high = math.floor(shown[0].average_rank), math.ceil(shown[-1].average_rank)
    high = max(high, low + 1)
    if r.critical_difference is not None:
        high = max(high, math.ceil(low + r.critical_difference))
    canvas = Canvas(theme, low, high, NAMES + 10, WIDTH - NAMES - 10)
    axis = TOP + (26.0 if r.critical_difference is not None else 6.0)
    groups = _bars(r, {one.name: one.average_rank for one in shown})
    lanes = _lanes(groups)
    step = BROKEN if any(width(label(one.name), MIDDLE) > NAMES for one in shown) else STEP
    first = axis + 14 + BAR * (max(lanes, default=-1) + 1) + step - STEP / 2
    _axis(canvas, low, high, axis)
    if r.critical_difference is not None:
        _critical(canvas, low, r.critical_difference, theme)
    ink = _tones(r, theme)
    half = (len(shown) + 1) // 2
    for side, own in (("left", shown[:half]), ("right", shown[half:][::-1])):
        _names(canvas, own, side, axis, [first + step * i for i in range(len(own))], ink)
    room = 0.012 * (high - low)
    joined = [
        span(start - room, end + room, axis + 10 + BAR * lane, axis + 10 + BAR * lane, theme.ink)
        for (start, end), lane in zip(groups, lanes, strict=True)
    ]
    canvas.rules(joined, strokeWidth=4)
    return [
        Figure("ranks", "Average ranks", _told(r, len(shown)), canvas.chart(first + step * (half - 1) + STEP / 2 + 4))
    ]


def _axis(canvas: Canvas, low: int, high: int, y: float) -> None:
    every = next(step for step in (1, 2, 5, 10, 20, 50, 100, 1000) if (high - low) / step <= TICKS)
    marks = [mark for mark in range(low, high + 1) if mark % every == 0]
    canvas.rules([span(low, high, y, y, canvas.theme.ink)], strokeWidth=1.2)
    canvas.rules([span(mark, mark, y - 5, y, canvas.theme.ink) for mark in marks], strokeWidth=1.2)
    pixels = [canvas.pixel(mark) for mark in marks]
    canvas.words(pixels, [y - 12] * len(marks), [str(mark) for mark in marks], align="center", fontSize=SMALL)


def _critical(canvas: Canvas, low: float, size: float, theme: Theme) -> None:
    """Draw the critical difference as a length above the axis."""
    y = 18.0
    canvas.rules([span(low, low + size, y, y, theme.tail)], strokeWidth=2)
    canvas.rules([span(x, x, y - 4, y + 4, theme.tail) for x in (low, low + size)], strokeWidth=1.4)
    canvas.word(canvas.pixel(low), 6, f"critical difference {size:.2f}", theme.tail, fontSize=SMALL)


def _names(
    canvas: Canvas, own: Sequence[DatasetSystem], side: str, axis: float, ys: Sequence[float], ink: dict[str, str]
) -> None:
    """Write names below each other, the outermost rank first, each with a line to its place on the axis."""
    left = side == "left"
    edge = canvas.at(NAMES + 4 if left else WIDTH - NAMES - 4)
    lines: list[Row] = []
    for one, y in zip(own, ys, strict=True):
        x = one.average_rank
        lines += [span(x, x, axis, y, ink[one.name]), span(min(edge, x), max(edge, x), y, y, ink[one.name])]
    canvas.rules(lines, strokeWidth=1.2)
    place, align = (NAMES, "right") if left else (WIDTH - NAMES, "left")
    names = [label(one.name) for one in own]
    broken = in_lines(names, NAMES, most=2) if names else []
    middles = [y - 5 - LEADING / 2 * (len(texts) - 1) for y, texts in zip(ys, broken, strict=True)]
    tones = [ink[one.name] for one in own]
    canvas.names(place, middles, names, most=2, limit=NAMES, align=align, fills=tones)
    told = [words.rank(one.average_rank) for one in own]
    look: dict[str, Any] = {"align": align, "limit": NAMES, "fontSize": SMALL}
    canvas.words(place, [y + 8 for y in ys], told, canvas.theme.grey, **look)


def _bars(r: DatasetRanking, places: dict[str, float]) -> list[tuple[float, float]]:
    """Return from where to where bars go: those of groups, or what cannot be told from the baseline."""
    if r.baseline is not None:
        if r.critical_difference is None or r.baseline not in places:
            return []
        there = [place for place in places.values() if abs(place - places[r.baseline]) <= r.critical_difference]
        return [(min(there), max(there))] if len(there) > 1 else []
    groups = [[places[name] for name in group if name in places] for group in r.together]
    return [(min(own), max(own)) for own in groups if len(own) > 1]


def _lanes(bars: Sequence[tuple[float, float]]) -> list[int]:
    """Return how far down each bar is drawn, so that no two touch."""
    ends: list[float] = []
    lanes = []
    for start, end in bars:
        lane = next((i for i, last in enumerate(ends) if last < start), len(ends))
        ends[lane : lane + 1] = [end]
        lanes.append(lane)
    return lanes


def _tones(r: DatasetRanking, theme: Theme) -> dict[str, str]:
    """Return the colour of each system: against a baseline, whether it is better or worse; else whether it may be the best."""
    if r.baseline is None:
        some = len(r.best) < len(r.systems)
        return {one.name: theme.a if some and one.name in r.best else theme.ink for one in r.systems}
    looks = {"b better": theme.a, "a better": theme.b}
    return {r.baseline: theme.ink, **{pair.b: looks.get(pair.verdict, theme.grey) for pair in r.pairs}}


def _told(r: DatasetRanking, shown: int) -> str:
    told = [f"Average ranks over {whole(r.n)} datasets; 1 is the best."]
    if r.baseline is not None:
        told.append(f"Blue: better than {label(r.baseline)}; orange: worse; grey: can't be ruled out as its equal.")
        if r.critical_difference is not None:
            told.append("The bar joins it with those that are less than the critical difference away.")
    else:
        told.append(
            "Bars join systems that can't be told apart." if r.together else "Every two systems are told apart."
        )
        if len(r.best) < len(r.systems):
            told.append("Blue: no other system is significantly better.")
    if len(r.systems) > shown:
        told.append(f"The {whole(len(r.systems) - shown)} with the worst average rank are not shown.")
    return " ".join(told)
