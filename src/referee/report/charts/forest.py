"""Forest: many differences under each other, each in its interval: of groups, of slices, of metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from referee.report import phrases
from referee.report.charts.canvas import SMALL, WIDTH, Canvas, Figure, level, spot, upright
from referee.report.charts.systems import axis, better, sides
from referee.report.charts.theme import Theme, altair
from referee.report.numbers import known, percent, whole
from referee.report.phrases.comparisons import adjustment, tasks, telling
from referee.results.comparison import Comparison, Comparisons, Interval
from referee.results.plot_data import Parts
from referee.results.settings import Verdict

NAMES, LAST = 108, 42
"""Pixels for the names, and for the last column."""
STEP, HEAD = 19, 24
TASKS = 40
"""So many tasks are drawn."""
SHAPES: dict[Verdict, str] = {
    "b better": "triangle-right",
    "a better": "triangle-left",
    "practically equal": "square",
    "no worse": "diamond",
    "too close to call": "circle",
}
"""The shape of each verdict; a triangle points to where the difference lies."""


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
    lines = [
        Line(part.label, part.difference, part.interval, whole(part.n), _side(r, part.difference, theme), "circle")
        for part in reversed(parts.rows)
    ]
    every = Line("all together", r.difference, r.interval, whole(r.n), theme.ink, "diamond")
    chart = _chart(lines, every, better(r), axis(r), "n", theme)
    return Figure("forest", f"The difference in each {parts.by}", _parts_told(r, parts), chart)


def _side(r: Comparison, difference: float, theme: Theme) -> str:
    if difference == 0:
        return theme.grey
    return theme.b if (difference > 0) == r.higher_is_better else theme.a


def _parts_told(r: Comparison, parts: Parts) -> str:
    a, b = phrases.names(r)
    ahead = (parts.higher, parts.lower) if r.higher_is_better else (parts.lower, parts.higher)
    even = parts.total - parts.blank - parts.higher - parts.lower
    things = f"{'groups' if parts.by == 'group' else 'strata'}"
    said = f"Of {whole(parts.total)} {things}, {b} is ahead in {whole(ahead[0])}, {a} in {whole(ahead[1])}, and {whole(even)} {'is' if even == 1 else 'are'} even."
    if parts.blank:
        said += f" In {whole(parts.blank)} there is no {phrases.metric(r)}."
    left = parts.total - parts.blank - len(parts.rows)
    if left:
        said += f" The {whole(len(parts.rows))} largest are shown, of equal ones those that differ most; {whole(left)} are left out."
    if any(part.interval for part in parts.rows):
        said += f" Bars are {percent(1 - r.alpha)} intervals in which the examples inside a {parts.by} count as independent; the diamond is the difference over all."
    else:
        said += " The diamond is the difference over all."
    return said


def of_tasks(rs: Comparisons, theme: Theme) -> list[Figure]:
    """Draw the difference in each task; metrics have panels of their own, since their units differ."""
    rows = [(task, r) for task, r in zip(tasks(rs), rs, strict=True) if known(r.difference)]
    chosen = telling(Comparisons(tuple(r for _, r in rows), rs.adjust), TASKS)
    shown, left = [rows[place] for place in chosen], len(rows) - TASKS
    if not shown:
        return []
    panels, last = [], "p" if rs.adjust == "none" else "adj. p"
    for metric in dict.fromkeys(r.metric for _, r in shown):
        mine = [(task, r) for task, r in shown if r.metric == metric]
        pairs = list(dict.fromkeys(better(r) for _, r in mine))
        named = pairs[0] if len(pairs) == 1 else ("A", "B") if mine[0][1].higher_is_better else ("B", "A")
        lines = [
            Line(_short(task, r), r.difference, r.interval, _last(r), _tone(r, theme), _shape(r)) for task, r in mine
        ]
        panels.append(_chart(lines, None, named, axis(mine[0][1], ("A", "B") if len(pairs) > 1 else None), last, theme))
    chart = panels[0] if len(panels) == 1 else altair().vconcat(*panels, spacing=18)
    return [Figure("forest", "All differences", _tasks_told(rs, shown, left), chart)]


def _short(task: str, r: Comparison) -> str:
    """Return the name of a task without that of the metric, which stands below the panel."""
    return phrases.clean(r.settings.slice, phrases.LONG) if r.settings and r.settings.slice else task


def _last(r: Comparison) -> str:
    p = r.p_adjusted if r.p_adjusted is not None else r.p_value
    if p is None or not known(p):
        return "?"
    return f"{p:.3f}" if p >= 0.0005 else f"{p:.0e}" if p >= 1e-99 else "<1e-99"


def _tone(r: Comparison, theme: Theme) -> str:
    return {"a better": theme.a, "b better": theme.b}.get(r.verdict, theme.grey)


def _shape(r: Comparison) -> str:
    # A triangle points to where the difference lies, whoever is better there.
    verdict = r.verdict
    if not r.higher_is_better and verdict in ("a better", "b better"):
        verdict = "b better" if verdict == "a better" else "a better"
    return SHAPES[verdict]


def _tasks_told(rs: Comparisons, shown: Sequence[tuple[str, Comparison]], left: int) -> str:
    verdicts = {r.verdict for _, r in shown}
    said = ["The difference in each task, B minus A, in its interval."]
    a, b = zip(*dict.fromkeys(phrases.names(r) for _, r in shown), strict=True)
    if len(a) == 1:
        said = [f"The difference in each task, {b[0]} minus {a[0]}, in its interval."]
    if verdicts & {"a better", "b better"}:
        how = "" if rs.adjust == "none" else f", with p-values adjusted by {adjustment(rs)}'s method"
        said.append(f"A triangle is a verdict and points to its side{how}.")
    named = {"too close to call": "a circle is too close to call", "practically equal": "a square is practically equal", "no worse": "a diamond is no worse"}  # fmt: skip
    told = [what for verdict, what in named.items() if verdict in verdicts]
    if told:
        said.append(f"{'; '.join(told)[0].upper()}{'; '.join(told)[1:]}.")
    if left > 0:
        said.append(f"{whole(left)} more tasks are not drawn: those with the largest p.")
    return " ".join(said)


def _chart(
    lines: Sequence[Line], every: Line | None, named: tuple[str, str], title: str, last: str, theme: Theme
) -> Any:
    rows = [*lines, every] if every else list(lines)
    reach = _reach(rows)
    canvas = Canvas(theme, -reach, reach, NAMES + 10, WIDTH - LAST - 10)
    canvas.ruler(title, ticks=4)
    height = HEAD + STEP * len(rows) + (6 if every else 0)
    canvas.rules([upright(0.0, HEAD - 6, height, theme.ink)], strokeWidth=1)
    sides(canvas, *named, end=WIDTH - 24)
    canvas.word(WIDTH, 8, last, theme.grey, align="right", fontSize=SMALL)
    ys = [HEAD + STEP * (i + 0.5) + (6 if line is every else 0) for i, line in enumerate(rows)]
    names = [phrases.clean(line.label, phrases.LONG) or "(empty)" for line in rows]
    canvas.column(NAMES, ys, names, align="right", limit=NAMES)
    canvas.column(WIDTH, ys, [line.last for line in rows], theme.grey, align="right", fontSize=SMALL, limit=LAST)
    bars = [
        level(max(line.interval.low, -reach), min(line.interval.high, reach), y, line.fill)
        for line, y in zip(rows, ys, strict=True)
        if line.interval is not None and known(line.interval.low) and known(line.interval.high)
    ]
    canvas.rules(bars, strokeWidth=2)
    spots = [(line.difference, y, line.fill, line.shape) for line, y in zip(rows, ys, strict=True)]
    canvas.points([spot(x, y, fill, shape) for x, y, fill, shape in spots if x is not None], size=64)
    return canvas.chart(height)


def _reach(rows: Sequence[Line]) -> float:
    """Return how far the axis goes: to every difference, and to intervals unless they are far wider than most."""
    points = [abs(line.difference) for line in rows if line.difference is not None]
    ends = sorted(max(abs(line.interval.low), abs(line.interval.high)) for line in rows if line.interval)
    usual = 3 * ends[len(ends) // 2] if ends else 0.0
    return 1.06 * max([*points, *(end for end in ends if end <= usual)] or [1.0]) or 1.0
