"""Scores of one system with their intervals, below each other, and the target as a line."""

from __future__ import annotations

from collections.abc import Sequence

from referee.report import phrases
from referee.report.charts.canvas import SMALL, WIDTH, Canvas, Figure, around, span, spot
from referee.report.charts.theme import Theme, altair
from referee.report.numbers import known, percent, whole
from referee.report.phrases import measurement as words
from referee.results.measurement import Attainment, Measurement, Measurements

NAMES, LAST, STEP, HEAD = 128, 46, 30, 26
MOST = 40
"""So many scores are drawn."""
SHAPES: dict[Attainment | None, str] = {
    "meets it": "triangle-up",
    "falls short": "triangle-down",
    "can't tell": "circle",
    None: "circle",
}


def scored(r: Measurement, theme: Theme) -> list[Figure]:
    """Draw one score with its interval and the target."""
    return of_scores(Measurements((r,)), theme)


def of_scores(rs: Measurements, theme: Theme) -> list[Figure]:
    """Draw the scores; metrics have panels of their own, since their units differ."""
    rows = [(task, r) for task, r in zip(_labels(rs), rs, strict=True) if known(r.score)]
    shown = rows[:MOST]
    panels = []
    for metric in dict.fromkeys(r.metric for _, r in shown):
        panels.append(_panel([(task, r) for task, r in shown if r.metric == metric], theme))
    if not panels:
        return []
    chart = panels[0] if len(panels) == 1 else altair().vconcat(*panels, spacing=18)
    title = "The score" if len(rows) == 1 else "All scores"
    return [Figure("scores", title, _told(rs, len(rows) - len(shown)), chart)]


def _labels(rs: Measurements) -> list[str]:
    """Return the names of the lines: slices, or the system's own."""
    return [phrases.clean(r.settings.slice) if r.settings and r.settings.slice else words.name(r) for r in rs]


def _panel(rows: Sequence[tuple[str, Measurement]], theme: Theme) -> object:
    ends = [
        end for _, r in rows for end in (r.score, r.target, *((r.interval.low, r.interval.high) if r.interval else ()))
    ]
    canvas = Canvas(theme, *around(ends), NAMES + 8, WIDTH - LAST - 8)
    first = rows[0][1]
    unit = "percent" if words.scale(first).unit == "share" else ""
    canvas.ruler(phrases.clean(phrases.metric(first), 40), grid=True, unit=unit)
    height = HEAD + STEP * len(rows)
    if first.target is not None:
        canvas.rules(
            [span(first.target, first.target, HEAD - 10, height, theme.ink)], strokeWidth=1.2, strokeDash=[4, 3]
        )
        canvas.above(first.target, 8, words.target(first), fill=theme.grey, fontSize=SMALL)
    places = [HEAD + STEP * (place + 0.6) for place in range(len(rows))]
    canvas.names(NAMES, places, [task or "(empty)" for task, _ in rows], most=2)
    for (_, r), y in zip(rows, places, strict=True):
        fill = {"meets it": theme.b, "falls short": theme.a}.get(r.verdict or "", theme.ink)
        canvas.whiskers(r.interval, y, fill)
        canvas.points([spot(r.score or 0.0, y, fill, SHAPES[r.verdict])], size=90)
    # Beside the drawing no line goes through them.
    scores = [words.scale(r).score(r.score) for _, r in rows]
    canvas.words(WIDTH, places, scores, align="right", limit=LAST, fontSize=SMALL, unique=False)
    return canvas.chart(height)


def _told(rs: Measurements, left: int) -> str:
    first = rs[0]
    level = f" with its {percent(first.interval.level)} interval" if first.interval else ""
    told = [f"The score of {words.name(first)}{level}{'' if first.higher_is_better else '; lower is better'}."]
    if first.target is not None:
        told.append("The dashed line is the target: it is met if the whole interval lies on its good side.")
        told.append(
            "A triangle pointing up marks a target that is met, one pointing down one that is not; a dot, that the data can't tell."
        )
    if left > 0:
        told.append(f"{whole(left)} more are not shown.")
    return " ".join(told)
