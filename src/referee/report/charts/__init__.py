"""Charts for a page, a notebook or a paper, drawn with altair and saved with no browser and no network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from referee.report.charts.agreement import outcomes
from referee.report.charts.algorithms import folds, pairs
from referee.report.charts.algorithms import ranked as standings
from referee.report.charts.canvas import Figure
from referee.report.charts.class_scores import dumbbells
from referee.report.charts.critical_difference import ranks
from referee.report.charts.differences import of_parts
from referee.report.charts.estimate import estimate
from referee.report.charts.evidence import watched
from referee.report.charts.intervals_of_scores import of_scores, scored
from referee.report.charts.luck_dots import dots
from referee.report.charts.null_distribution import luck
from referee.report.charts.posterior import density
from referee.report.charts.power import power
from referee.report.charts.ranking import figures as ranked
from referee.report.charts.ranking import figures_of_several as ranked_in_slices
from referee.report.charts.rates import audit, audited, figure, tried
from referee.report.charts.save import FORMATS, check, inline, save
from referee.report.charts.spreads import of_examples, of_groups
from referee.report.charts.tasks import of_tasks
from referee.report.charts.theme import DARK, LIGHT, THEMES, Theme, altair, dressed, theme_of
from referee.report.charts.win_rates import win_rate
from referee.report.nouns import in_its_words
from referee.results.algorithms import Standings
from referee.results.audit import Audit
from referee.results.comparison import Comparison, Comparisons
from referee.results.dataset_ranking import DatasetRanking
from referee.results.measurement import Measurement, Measurements
from referee.results.plan import Plan
from referee.results.plot_data import Parts
from referee.results.ranking import Ranking, Rankings
from referee.results.replication import Replication
from referee.results.trials import Trials
from referee.results.watch import Watch

__all__ = [
    "DARK", "FORMATS", "LIGHT", "THEMES", "Figure", "Theme", "check", "figure", "figures", "inline", "main_figure", "plot", "save",
]  # fmt: skip


def figures(result: Any, theme: str = "light") -> tuple[Figure, ...]:
    """Draw the pictures of a result.

    Args:
        result: a Comparison, Comparisons, Measurement, Measurements, Ranking, Rankings, Standings, DatasetRanking, Audit, Plan, Trials, Replication or Watch.
        theme: "light" or "dark".

    Returns:
        A figure each, the most telling first; what the data cannot give is left out.

    Raises:
        OptionError: if there is no such theme, or altair is not there.
    """
    colours = theme_of(theme)
    altair()
    return tuple(one.dressed(theme) for one in in_its_words(DRAWN[type(result)](result, colours), result))


def main_figure(result: Any, theme: str = "light") -> Figure | None:
    """Draw the most telling picture of a result, which for a comparison needs no further computing.

    Args:
        result: as for `figures`.
        theme: "light" or "dark".

    Returns:
        The figure; None where there is nothing to draw.

    Raises:
        OptionError: if there is no such theme, or altair is not there.
    """
    colours = theme_of(theme)
    altair()
    first = _answer(result, colours) if isinstance(result, Comparison) else DRAWN[type(result)](result, colours)[:1]
    return next((one.dressed(theme) for one in in_its_words(first, result)), None)


def plot(result: Any, theme: str = "light") -> Any:
    """Draw all pictures of a result as one chart.

    Args:
        result: a Comparison, Comparisons, Measurement, Measurements, Ranking, Rankings, Standings, DatasetRanking, Audit, Plan, Trials, Replication or Watch.
        theme: "light" or "dark".

    Returns:
        An altair chart.

    Raises:
        OptionError: if there is no such theme, or altair is not there.
    """
    colours, alt = theme_of(theme), altair()
    if isinstance(result, Audit):
        return dressed(audit(result, colours), theme)
    every = in_its_words(DRAWN[type(result)](result, colours), result)
    bare = [panel for one in every if not one.folded for panel in one.panels or (one,)]
    drawn, told = [one.chart.properties(title=one.title) for one in bare], " ".join(one.caption for one in bare)
    columns = [alt.vconcat(*drawn[i::2], spacing=28) for i in range(min(2, len(drawn)))]
    if not columns:
        columns = [alt.Chart(alt.InlineData(values=[{}])).mark_text(text="There is nothing to draw.", fill=colours.ink)]
    return dressed(alt.hconcat(*columns, spacing=40), theme, told)


def _answer(r: Comparison, theme: Theme) -> list[Figure]:
    """Draw the scores and their difference, or the win rate if that is what was asked for."""
    if r.difference is None:
        return []
    return [estimate(r, theme) if r.preferences is None else win_rate(r, theme)]


def _compared(r: Comparison, theme: Theme) -> list[Figure]:
    if r.difference is None:
        return []
    data = r.plot_data()
    # What luck would do is told of a claim that is made: beside another it would answer a question that nobody asked.
    # p of a question about a margin does not say what luck alone does: its law is for those who want to know more.
    of_margin = r.question != "better"
    law = data.luck if not of_margin or r.verdict in ("no worse", "practically equal") else None
    in_dots = dots(r, law, theme) if law and not of_margin else None
    drawn = [
        *_answer(r, theme),
        dumbbells(r, data.classes, theme) if len(data.classes) > 1 else None,
        in_dots,
        luck(r, law, theme, folded=of_margin or in_dots is not None) if law else None,
        density(r, r.posterior, data.posterior, theme) if r.posterior and data.posterior else None,
        of_examples(r, data.spread, theme) if data.spread else None,
        outcomes(r, data.outcomes, theme) if data.outcomes else None,
        _by_part(r, data.parts, theme) if data.parts and data.parts.spread.values else None,
    ]
    return [one for one in drawn if one]


def _by_part(r: Comparison, parts: Parts, theme: Theme) -> Figure:
    """Draw groups by their names where they are few, and all of them as a swarm otherwise."""
    return of_parts(r, parts, theme) if parts.rows else of_groups(r, parts, theme)


DRAWN: dict[type, Callable[[Any, Theme], list[Figure]]] = {
    Comparison: _compared,
    Comparisons: of_tasks,
    Ranking: ranked,
    Rankings: ranked_in_slices,
    Measurement: scored,
    Measurements: of_scores,
    Standings: lambda r, theme: [*standings(r, theme), *folds(r, theme), *pairs(r, theme)],
    DatasetRanking: ranks,
    Audit: audited,
    Plan: power,
    Trials: tried,
    Replication: lambda r, theme: [],
    Watch: watched,
}
"""What draws the figures of each type of result."""
