"""referee: is model B really better than model A, or is it luck?

>>> import referee
>>> r = referee.compare(truth=[1, 0, 1, 1], a=[1, 0, 0, 0], b=[1, 0, 1, 1])
>>> r.verdict
'too close to call'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.version import __version__

if TYPE_CHECKING:
    from referee import metrics
    from referee.data.counts import Counts
    from referee.data.formats.pairing import read
    from referee.data.outcomes import Outcomes, count
    from referee.errors import RefereeError
    from referee.metrics.base import Metric
    from referee.metrics.decorator import metric
    from referee.metrics.formula import share
    from referee.results.algorithms import Standings
    from referee.results.audit import Audit
    from referee.results.comparison import Comparison, Comparisons, Interval, Score
    from referee.results.dataset_ranking import DatasetRanking
    from referee.results.measurement import Measurement, Measurements
    from referee.results.plan import Plan
    from referee.results.ranking import Ranking, Rankings
    from referee.results.trials import Trials
    from referee.results.watch import Watch
    from referee.significance.distributions import adjust
    from referee.studies.algorithms.algorithms import compare_algorithms, compare_scores
    from referee.studies.algorithms.simulation import audit_algorithms
    from referee.studies.auditing.audit import audit
    from referee.studies.auditing.population import Population
    from referee.studies.comparison import compare
    from referee.studies.dataset_ranking import rank_datasets
    from referee.studies.measurement import score
    from referee.studies.planning.plan import plan
    from referee.studies.ranking import rank
    from referee.studies.watching import watch

__all__ = [
    "Audit", "Comparison", "Comparisons", "Counts", "DatasetRanking", "Interval", "Measurement", "Measurements", "Metric",
    "Outcomes", "Plan", "Population", "Ranking", "Rankings", "RefereeError", "Score", "Standings", "Trials", "Watch", "__version__",
    "adjust", "audit", "audit_algorithms", "compare", "compare_algorithms", "compare_scores", "count", "metric", "metrics",
    "plan", "rank", "rank_datasets", "read", "score", "share", "watch",
]  # fmt: skip
_HOMES = {
    "data.counts": ("Counts",),
    "data.formats.pairing": ("read",),
    "data.outcomes": ("Outcomes", "count"),
    "errors": ("RefereeError",),
    "metrics.base": ("Metric",),
    "metrics.decorator": ("metric",),
    "metrics.formula": ("share",),
    "results.algorithms": ("Standings",),
    "results.audit": ("Audit",),
    "results.comparison": ("Comparison", "Comparisons", "Interval", "Score"),
    "results.dataset_ranking": ("DatasetRanking",),
    "results.ranking": ("Ranking", "Rankings"),
    "results.measurement": ("Measurement", "Measurements"),
    "results.plan": ("Plan",),
    "results.trials": ("Trials",),
    "results.watch": ("Watch",),
    "significance.distributions": ("adjust",),
    "studies.algorithms.algorithms": ("compare_algorithms", "compare_scores"),
    "studies.algorithms.simulation": ("audit_algorithms",),
    "studies.auditing.audit": ("audit",),
    "studies.auditing.population": ("Population",),
    "studies.comparison": ("compare",),
    "studies.dataset_ranking": ("rank_datasets",),
    "studies.ranking": ("rank",),
    "studies.measurement": ("score",),
    "studies.planning.plan": ("plan",),
    "studies.watching": ("watch",),
}
"""The modules of the public names, which are imported when they are first used."""


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that importing referee is quick."""
    import importlib

    if name == "metrics":
        return importlib.import_module("referee.metrics")
    home = next((module for module, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module 'referee' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"referee.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
