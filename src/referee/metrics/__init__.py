"""The metrics, each one a decorated definition; call one with options to get a variant."""

from referee.metrics.base import METRICS, Metric
from referee.metrics.binding import Bound
from referee.metrics.decorator import metric, resolve
from referee.metrics.formula import Share, share
from referee.registry import discover

discover(__name__)

__all__ = ["METRICS", "Bound", "Metric", "Share", "metric", "resolve", "share"]
__all__ += [name.replace("-", "_") for name in METRICS]


def __getattr__(name: str) -> Metric:
    """Return a metric by the name of its function, as in `referee.metrics.f1`."""
    if name.replace("_", "-") not in METRICS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return METRICS[name.replace("_", "-")]
