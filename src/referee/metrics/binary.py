"""Metrics of two classes: functions of tp, fp, fn, tn. Each also averages over classes: `average=macro|micro|weighted`."""

from __future__ import annotations

from typing import Any

from referee.errors import OptionError
from referee.metrics.decorator import metric
from referee.metrics.formula import Share, share


@metric(monotone=True, unit="share")
def precision(tp: Any, fp: Any) -> Share:
    """Share of the positive answers that are right (0 where there is no positive answer)."""
    return share(tp, tp + fp)


@metric(monotone=True, unit="share")
def recall(tp: Any, fn: Any) -> Share:
    """Share of the positive examples that are found."""
    return share(tp, tp + fn)


@metric(monotone=True, unit="share")
def specificity(fp: Any, tn: Any) -> Share:
    """Share of the negative examples that are left alone."""
    return share(tn, fp + tn)


@metric(monotone=True, unit="share", prose="F1", works=("rijsbergen1979",))
def f1(tp: Any, fp: Any, fn: Any) -> Share:
    """Harmonic mean of precision and recall."""
    return share(2 * tp, 2 * tp + fp + fn)


@metric(monotone=True, unit="share", prose="F-beta", works=("rijsbergen1979",))
def fbeta(tp: Any, fp: Any, fn: Any, *, beta: float = 1.0) -> Share:
    """Weighted harmonic mean of precision and recall; recall counts beta times as much."""
    if not beta > 0:
        raise OptionError(f"fbeta:beta must be positive; it is {beta:g}")
    weight = beta * beta
    return share((1 + weight) * tp, (1 + weight) * tp + fp + weight * fn)


@metric(monotone=True, unit="share", works=("jaccard1912",))
def jaccard(tp: Any, fp: Any, fn: Any) -> Share:
    """Right positive answers over all examples that are positive or called so (intersection over union)."""
    return share(tp, tp + fp + fn)


@metric(monotone=True, higher_is_better=False, chance=lambda classes: 0.5, unit="share", prose="HTER")
def hter(tp: Any, fp: Any, fn: Any, tn: Any) -> Share:
    """Half total error rate: the mean of the miss rate and the false-alarm rate."""
    return (share(fn, tp + fn) + share(fp, fp + tn)) / 2


def _blind_cost(classes: int, *, cost_fn: float, cost_fp: float, p_target: float) -> float:
    """Return the cost of saying always no, or always yes, whichever is cheaper."""
    return min(cost_fn * p_target, cost_fp * (1 - p_target))


@metric(monotone=True, higher_is_better=False, chance=_blind_cost, prose="DCF", works=("martin2000",))
def dcf(
    tp: Any, fp: Any, fn: Any, tn: Any, *, cost_fn: float = 10.0, cost_fp: float = 1.0, p_target: float = 0.01
) -> Share:
    """Detection cost: cost_fn · p_target · miss rate + cost_fp · (1 − p_target) · false-alarm rate."""
    if not 0 < p_target < 1 or min(cost_fn, cost_fp) < 0:
        raise OptionError("dcf: p_target must lie between 0 and 1, and costs must not be negative")
    return cost_fn * p_target * share(fn, tp + fn) + cost_fp * (1 - p_target) * share(fp, fp + tn)
