"""Dependence: between the two systems, and between the examples of a group; what ignoring it would have cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.data.columns import Floats, Mask
from referee.runtime.randomness import Streams
from referee.significance.delong import difference_error
from referee.significance.laws.resample import bootstrap
from referee.significance.rank_tally import AnyTally
from referee.significance.tally import Tally

if TYPE_CHECKING:
    from referee.data.counts import Counts
    from referee.metrics.base import Metric


def merits(counts: Counts, metric: Metric) -> tuple[Floats, Floats] | None:
    """Return [row] merits of A and B, greater being better: right or wrong for labels, else the score of the example."""
    if metric.task == "ranking":
        return None
    if metric.task in ("scores", "numbers"):
        bound = metric.bind(counts)
        truth = counts.get("truth")
        sign = 1.0 if metric.higher_is_better else -1.0
        return sign * bound.statistics(truth, counts["a"])[:, 0], sign * bound.statistics(truth, counts["b"])[:, 0]
    right = [np.asarray(counts["truth"] == counts[role], dtype=np.float64) for role in ("a", "b")]
    return right[0], right[1]


def relevant(counts: Counts, metric: Metric, positive: object) -> Mask:
    """Say which rows the metric is about: one class for recall and specificity, else all."""
    if metric.name not in ("recall", "specificity") or metric.averaged:
        return np.ones(len(counts), dtype=np.bool_)
    is_positive = np.asarray(counts["truth"] == positive, dtype=np.bool_)
    return is_positive if metric.name == "recall" else ~is_positive


def discordant(counts: Counts, metric: Metric, positive: object = None) -> tuple[int, int] | None:
    """Return how many examples, of those that the metric is about, only A and only B get right (or better)."""
    found = merits(counts, metric)
    if found is None:
        return None
    a, b = found
    weights = np.where(relevant(counts, metric, positive), counts.multiplicities, 0)
    return int(weights[a > b].sum()), int(weights[b > a].sum())


def correlation(counts: Counts, metric: Metric, positive: object = None) -> tuple[float | None, float | None]:
    """Return r₁₂ (Yeh 2000) and the factor by which assuming independence would have widened the standard error.

    Over the positives for recall and for response sets, over the negatives for specificity.
    """
    found = merits(counts, metric)
    if found is None:
        return None, None
    weights = np.where(relevant(counts, metric, positive), counts.multiplicities, 0).astype(np.float64)
    if counts.open:
        weights = weights * (counts["truth"] == positive)
    if weights.sum() == 0:
        return None, None
    a, b = found
    a, b = a - weights @ a / weights.sum(), b - weights @ b / weights.sum()
    var_a, var_b, cov = (float(weights @ (x * y)) for x, y in ((a, a), (b, b), (a, b)))
    if var_a <= 0 or var_b <= 0:
        return None, None
    r = float(np.clip(cov / np.sqrt(var_a * var_b), -1.0, 1.0))
    rest = var_a + var_b - 2 * cov
    return r, float(np.sqrt((var_a + var_b) / rest)) if rest > 1e-12 * (var_a + var_b) else None


def has_closed_error(tally: AnyTally) -> bool:
    """Say whether its standard error is a formula; otherwise it is drawn."""
    return isinstance(tally, Tally) or tally.metric.name == "auc"


def standard_error(tally: AnyTally, streams: Streams, replicates: int) -> float:
    """Return the standard error of the difference: by the delta method, by placements, or by the bootstrap."""
    if isinstance(tally, Tally):
        return float(tally.standard_errors(tally.multiplicities))
    if tally.metric.name == "auc":
        return tally.auc_error() if tally.grouped else difference_error(tally)
    return float(bootstrap(tally, replicates, streams).differences.std())
