"""Trials: the false alarms of the tests of learning algorithms beside their promise, and their power, world by world."""

from __future__ import annotations

from dataclasses import replace

from referee.report.charts.alarms import audited
from referee.report.charts.canvas import Figure
from referee.report.charts.lines import ERRORS
from referee.report.charts.theme import Theme
from referee.report.numbers import whole
from referee.report.phrases import trials as words
from referee.results.audit import Audit
from referee.results.trials import Row, Trials

CAPTIONS = {
    "false-alarms": "How often each test claims a difference where the two learners tie; the plain line is alpha.",
    "power": "How often each test sees that the second learner is better where it is.",
}


def tried(r: Trials, theme: Theme) -> list[Figure]:
    """Draw two figures for each world and pair of learners, as those of an audit."""
    worlds: dict[str, list[Row]] = {}
    for row in r.rows:
        worlds.setdefault(f"{row['learners']} ({row['world']})", []).append(row)
    return [
        figure for i, (world, rows) in enumerate(worlds.items(), 1) for figure in _figures(r, rows, world, i, theme)
    ]


def _figures(r: Trials, rows: list[Row], world: str, place: int, theme: Theme) -> list[Figure]:
    named = [{**row, "test": words.name(row["design"], row["test"]), "groups": None} for row in rows]
    view = Audit(
        metric="accuracy",
        rows=tuple(named),
        advice="",
        chosen="",
        preferred=None,
        alpha=r.alpha,
        null="",
        difference=None,
    )
    drawn = f"{whole(rows[0]['sets'])} data sets, with {ERRORS} Monte-Carlo errors either way."
    return [
        replace(
            figure,
            key=f"{figure.key}-{place}",
            title=f"{figure.title}: {world}",
            caption=f"{CAPTIONS[figure.key]} {drawn}",
        )
        for figure in audited(view, theme)
    ]
