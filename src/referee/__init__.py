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
    from referee.algorithms import compare_algorithms, compare_scores
    from referee.audits import audit
    from referee.comparison import compare
    from referee.counts import Counts
    from referee.errors import RefereeError
    from referee.findings import Audit
    from referee.metrics.base import Metric
    from referee.metrics.definition import metric
    from referee.metrics.formula import share
    from referee.multiplicity import adjust
    from referee.outcomes import Outcomes, count
    from referee.population import Population
    from referee.reading import read
    from referee.results import Comparison, Comparisons, Interval, Score
    from referee.standings import Standings
    from referee.trials import Trials, audit_algorithms

__all__ = [
    "Audit",
    "Comparison",
    "Comparisons",
    "Counts",
    "Interval",
    "Metric",
    "Outcomes",
    "Population",
    "RefereeError",
    "Score",
    "Standings",
    "Trials",
    "__version__",
    "adjust",
    "audit",
    "audit_algorithms",
    "compare",
    "compare_algorithms",
    "compare_scores",
    "count",
    "metric",
    "metrics",
    "read",
    "share",
]

_HOMES = {
    "Audit": "findings",
    "Comparison": "results",
    "Comparisons": "results",
    "Counts": "counts",
    "Interval": "results",
    "Metric": "metrics.base",
    "Outcomes": "outcomes",
    "Population": "population",
    "RefereeError": "errors",
    "Score": "results",
    "Standings": "standings",
    "Trials": "trials",
    "adjust": "multiplicity",
    "audit": "audits",
    "audit_algorithms": "trials",
    "compare": "comparison",
    "compare_algorithms": "algorithms",
    "compare_scores": "algorithms",
    "count": "outcomes",
    "metric": "metrics.definition",
    "read": "reading",
    "share": "metrics.formula",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that importing referee is quick."""
    import importlib

    if name == "metrics":
        return importlib.import_module("referee.metrics")
    if name not in _HOMES:
        raise AttributeError(f"module 'referee' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"referee.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
