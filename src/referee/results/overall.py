"""Overall: one answer over all tasks of a metric."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from referee.results.base import Written
from referee.results.comparison import Interval
from referee.results.settings import Verdict
from referee.results.test_info import MetricInfo


@dataclass(frozen=True, kw_only=True)
class Overall(Written):
    """The difference over all tasks: pooled over their examples, or the plain average over tasks."""

    kind: Literal["pooled", "average"]
    metric: str
    higher_is_better: bool
    tasks: int
    sampled: bool
    """Whether the tasks count as a random sample of tasks."""
    a: float | None
    b: float | None
    difference: float | None
    interval: Interval | None
    test: str
    p_value: float | None
    verdict: Verdict
    metric_info: MetricInfo | None = field(default=None, repr=False, compare=False)
