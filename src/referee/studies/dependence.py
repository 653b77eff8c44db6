"""Dependence: between the two systems, and between the examples of a group; what ignoring it would have cost."""

from __future__ import annotations

import numpy as np

from referee.data.columns import Floats, Mask
from referee.data.counts import Counts
from referee.data.preferences import beside
from referee.metrics.base import Metric
from referee.runtime.randomness import Streams
from referee.significance.base import REPLICATES
from referee.significance.crossed_t import difference_over
from referee.significance.laws.resample import BOOTSTRAP, bootstrap
from referee.significance.rank_tally import AnyTally, canonical, tally_of
from referee.significance.t_tests import difference_error
from referee.significance.tally import Tally


def merits(counts: Counts, metric: Metric) -> tuple[Floats, Floats] | None:
    """Return [row] merits of A and B, greater being better: right or wrong for labels, else the score of the example or what it adds to sums."""
    if metric.task == "ranking":
        return None
    if metric.task == "sums":
        return _added(counts, metric)
    if metric.task == "preferences":
        a, b = (counts[role].astype(np.float64) for role in ("a", "b"))
    elif metric.task in ("scores", "numbers", "probabilities"):
        bound, sign = metric.bind(counts), 1.0 if metric.higher_is_better else -1.0
        a, b = (sign * bound.statistics(beside(counts, role), counts[role])[:, 0] for role in ("a", "b"))
    else:
        a, b = (np.asarray(counts["truth"] == counts[role], dtype=np.float64) for role in ("a", "b"))
    return a, b


def _added(counts: Counts, metric: Metric) -> tuple[Floats, Floats]:
    """Return [row] what each answer adds to the score, better being more: to the first order, where both systems meet."""
    bound, truth, sign = metric.bind(counts), counts["truth"], 1.0 if metric.higher_is_better else -1.0
    rows = [bound.statistics(truth, counts[role]) for role in ("a", "b")]
    slope = sign * bound.formula.gradient(counts.multiplicities @ (rows[0] + rows[1]) / 2)
    # Row by row, so that equal answers add the same to the last digit.
    a, b = ((own * slope).sum(axis=1) for own in rows)
    return a, b


def relevant(counts: Counts, metric: Metric, positive: object) -> Mask:
    """Say which rows the metric is about: one class for recall and specificity, else all."""
    if metric.name not in ("recall", "specificity") or metric.averaged:
        return np.ones(len(counts), dtype=np.bool_)
    is_positive = np.asarray(counts["truth"] == positive, dtype=np.bool_)
    return is_positive if metric.name == "recall" else ~is_positive


def dependence(
    counts: Counts, metric: Metric, positive: object
) -> tuple[tuple[int, int] | None, float | None, float | None]:
    """Return how the systems depend on each other on the examples that the metric is about.

    Returns:
        How many examples only A and only B get right (or better); r₁₂ (Yeh 2000), over the positives for recall and for
        response sets, over the negatives for specificity; and the factor by which assuming independence would have
        widened the standard error.
    """
    rows = merits(counts, metric)
    if rows is None:
        return None, None, None
    a, b = rows
    weights = np.where(relevant(counts, metric, positive), counts.multiplicities, 0)
    discordant = int(weights[a > b].sum()), int(weights[b > a].sum())
    if counts.judged:  # what one system wins the other loses
        return discordant, None, None
    weights = weights.astype(np.float64) * (counts["truth"] == positive if counts.open else 1.0)
    weights = weights if counts.weights is None else weights * counts.weights
    if weights.sum() == 0:
        return discordant, None, None
    a, b = a - weights @ a / weights.sum(), b - weights @ b / weights.sum()
    var_a, var_b, cov = (float(weights @ (x * y)) for x, y in ((a, a), (b, b), (a, b)))
    if var_a <= 0 or var_b <= 0:
        return discordant, None, None
    r = float(np.clip(cov / np.sqrt(var_a * var_b), -1.0, 1.0))
    rest = var_a + var_b - 2 * cov
    return discordant, r, float(np.sqrt((var_a + var_b) / rest)) if rest > 1e-12 * (var_a + var_b) else None


def standard_error(tally: AnyTally, streams: Streams) -> float:
    """Return the standard error of the difference: by the delta method, by placements, or by the bootstrap."""
    if tally.crossing is not None:
        error = float(np.sqrt(difference_over(tally, tally.multiplicities[None, :]).variance[0]))
        return error if np.isfinite(error) else 0.0
    if isinstance(tally, Tally):
        return float(tally.standard_errors(tally.multiplicities))
    if tally.metric.name == "auc":
        return tally.auc_error() if tally.grouped else difference_error(tally)
    return float(bootstrap(tally, REPLICATES, streams.child(BOOTSTRAP)).differences.std())


def design_effect(counts: Counts, tally: AnyTally, error: float, streams: Streams) -> float | None:
    """Return by what factor the grouping changed the variance of the difference; 1 without groups, None if unknown."""
    if "group" not in counts:
        return 1.0
    alone = (
        tally.ungrouped(counts)
        if isinstance(tally, Tally)
        else tally_of(counts.without("group", "crossed"), tally.metric)
    )
    if not isinstance(alone, Tally) and alone.metric.name != "auc":  # its error is drawn
        alone = canonical(alone)[0]
    independent = standard_error(alone, streams)
    if independent <= 0:
        return 1.0
    return (error / independent) ** 2 if error > 0 else None
