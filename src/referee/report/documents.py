"""The document of any result: one function per type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from referee.report import (
    algorithms,
    audit,
    comparison,
    comparisons,
    dataset_ranking,
    measurement,
    plan,
    ranking,
    replication,
    trials,
    watch,
)
from referee.report.document import Document
from referee.report.nouns import in_its_words
from referee.results.algorithms import Standings
from referee.results.audit import Audit
from referee.results.comparison import Comparison, Comparisons
from referee.results.dataset_ranking import DatasetRanking
from referee.results.measurement import Measurement, Measurements
from referee.results.plan import Plan
from referee.results.ranking import Ranking, Rankings
from referee.results.replication import Replication
from referee.results.trials import Trials
from referee.results.watch import Watch

DOCUMENTS: dict[type, Callable[[Any], Document]] = {
    Comparison: comparison.document,
    Comparisons: comparisons.document_of_several,
    Ranking: ranking.document,
    Rankings: ranking.document_of_several,
    Measurement: measurement.document,
    Measurements: measurement.document_of_several,
    Standings: algorithms.document,
    DatasetRanking: dataset_ranking.document,
    Audit: audit.document,
    Plan: plan.document,
    Trials: trials.document,
    Replication: replication.document,
    Watch: watch.document,
}


def document_of(result: Any) -> Document:
    """Say what the report of a result says.

    Args:
        result: a Comparison, Comparisons, Measurement, Measurements, Ranking, Rankings, Standings, DatasetRanking, Audit, Plan, Trials, Replication or Watch.
    """
    if type(result) not in DOCUMENTS:
        raise TypeError(f"there is no report of {type(result).__name__}")
    made = replace(DOCUMENTS[type(result)](result), figures=lambda: _figures(result), picture=lambda: _picture(result))
    return replace(in_its_words(made, result), content=result.to_dict)


def _figures(result: Any) -> Sequence[Any]:
    from referee.report import charts

    return charts.figures(result)


def _picture(result: Any) -> Any:
    from referee.report import charts

    return charts.main_figure(result)
