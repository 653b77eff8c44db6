"""Rates by size: the false alarms or the power of tests against the size of the test set, each line with its name at its end."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from referee.report.charts.canvas import SMALL, WIDTH, Canvas, Row, in_lines, span, spot
from referee.report.charts.theme import Theme
from referee.report.numbers import percent, whole

LEFT, RIGHT, TOP, BASE = 36, WIDTH - 134, 28, 218
NAMED, BARRED = 14, 6
"""Up to so many lines all have names, and up to so many all have bars of their errors."""
LINE, APART = 12, 5
"""How tall a line of a name is, and how far names are apart."""
DODGE = 5
"""How far points of one size are apart, so that their bars don't hide each other."""


def lines(
    points: Sequence[Row], shares: Sequence[float], rule: float | None, title: str, lead: str, theme: Theme
) -> Any:
    """Draw a line for each test, with bars of its errors; of many tests those have names that matter.

    Args:
        points: "line", "n", "value", "low", "high" and "kind", the verdict on its false alarms, of each.
        shares: where the numbers of the axis are.
        rule: what false alarms are held against; None for power.
        title: what stands above.
        lead: the line of the test that compare takes.
        theme: of the chart.
    """
    canvas, tests = Canvas(theme), _by_test(points)
    across = _across(sorted({point["n"] for point in points}))
    looks = {line: _look(line, rows, lead, theme) for line, rows in tests.items()}
    told = [line for line in tests if len(tests) <= NAMED or line == lead or looks[line][2]]
    barred = [line for line in tests if len(tests) <= BARRED or line == lead or looks[line][2]]
    names = dict(zip(told, in_lines(told, WIDTH - RIGHT - 12, SMALL), strict=True)) if told else {}
    # The drawing is as tall as its names need.
    base = max(BASE, TOP + sum(LINE * len(text) + APART for text in names.values()) - 12)
    up = partial(_up, shares=shares, base=base)
    _axes(canvas, across, shares, rule, title, up)
    shift = {line: DODGE * (place - (len(barred) - 1) / 2) for place, line in enumerate(barred)}
    for line in sorted(tests, key=lambda line: (line in barred, line == lead)):
        fill, shape, _ = looks[line]
        rows = [row for row in tests[line] if row["value"] is not None]
        xs = [canvas.at(across[row["n"]] + shift.get(line, 0.0)) for row in rows]
        ys = [up(row["value"]) for row in rows]
        named = line in barred
        pairs = zip(xs, xs[1:], ys, ys[1:], strict=False)
        canvas.rules([span(x, x2, y, y2, fill) for x, x2, y, y2 in pairs], strokeWidth=2.0 if named else 1.0)
        if named:
            ends = [(up(row["low"]), up(row["high"])) for row in rows]
            bars = [span(x, x, low, high, fill) for x, (low, high) in zip(xs, ends, strict=True)]
            canvas.rules(bars, strokeWidth=1.4)
            canvas.points([spot(x, y, fill, shape) for x, y in zip(xs, ys, strict=True)], size=60)
    _names(canvas, {line: tests[line] for line in told}, names, looks, up)
    return canvas.chart(base + 40)


def _by_test(points: Sequence[Row]) -> dict[str, list[Row]]:
    tests: dict[str, list[Row]] = {}
    for point in points:
        tests.setdefault(point["line"], []).append(point)
    return {line: sorted(rows, key=lambda row: row["n"]) for line, rows in tests.items()}


def _across(sizes: Sequence[int]) -> dict[int, float]:
    """Return where each size is, on a scale of ratios."""
    room, reach = RIGHT - LEFT - 44, math.log(sizes[-1] / sizes[0]) or 1.0
    return {n: LEFT + 22 + room * math.log(n / sizes[0]) / reach for n in sizes}


def _up(share: float, shares: Sequence[float], base: float) -> float:
    return base - (base - TOP) * min(share / shares[-1], 1.0)


def _axes(
    canvas: Canvas, across: Mapping[int, float], shares: Sequence[float], rule: float | None, title: str,
    up: Callable[[float], float],
) -> None:  # fmt: skip
    theme, base = canvas.theme, up(0.0)
    canvas.word(0, 8, title, fontWeight="bold")
    ys = [up(share) for share in shares]
    canvas.rules([span(LEFT, RIGHT, y, y, theme.grid) for y in ys], strokeWidth=1)
    canvas.words(LEFT - 6, ys, [percent(share) for share in shares], align="right", fontSize=SMALL)
    shown: list[int] = []
    for n in sorted(across, reverse=True):
        if not shown or across[shown[-1]] - across[n] >= 44:
            shown.append(n)
    canvas.rules([span(across[n], across[n], base, base + 5, theme.grey) for n in shown], strokeWidth=1)
    for n in shown:
        canvas.word(across[n], base + 14, whole(n), align="center", fontSize=SMALL)
    canvas.word((LEFT + RIGHT) / 2, base + 32, "examples in the test set", align="center")
    if rule is not None:
        canvas.rules([span(LEFT, RIGHT, up(rule), up(rule), theme.ink)], strokeWidth=1.6)


def _look(line: str, rows: Sequence[Row], lead: str, theme: Theme) -> tuple[str, str, bool]:
    """Return the colour and the shape of a test, and whether it raises too many false alarms."""
    over = any(row["kind"] == "too many" for row in rows)
    if over:
        return theme.series[0], "triangle-up", True
    return (theme.a, "circle", False) if line == lead else (theme.grey, "square", False)


def _names(
    canvas: Canvas, tests: Mapping[str, Sequence[Row]], names: Mapping[str, Sequence[str]],
    looks: Mapping[str, tuple[str, str, bool]], up: Callable[[float], float],
) -> None:  # fmt: skip
    """Write names at the ends of lines, none over another."""
    ends = {line: [row["value"] for row in rows if row["value"] is not None] for line, rows in tests.items()}
    there = sorted((line for line in tests if ends[line]), key=lambda line: -ends[line][-1])
    talls = [LINE * len(names[line]) for line in there]
    tops = [up(ends[line][-1]) - tall / 2 for line, tall in zip(there, talls, strict=True)]
    for place in range(1, len(tops)):
        tops[place] = max(tops[place], tops[place - 1] + talls[place - 1] + APART)
    limit = up(0.0) + 12
    for place in reversed(range(len(tops))):
        tops[place] = min(tops[place], limit - talls[place])
        limit = tops[place] - APART
    for line, tall, top in zip(there, talls, tops, strict=True):
        canvas.rules(
            [span(RIGHT - 16, RIGHT + 6, up(ends[line][-1]), top + tall / 2, canvas.theme.grey)], strokeWidth=0.8
        )
        for place, words in enumerate(names[line]):
            canvas.word(RIGHT + 9, top + LINE * (place + 0.5), words, looks[line][0], fontSize=SMALL)
