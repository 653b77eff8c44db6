"""The metrics, each one decorated definition: of two classes, of any number of classes, of ranks, and of numbers.

Those of two classes also average over classes: `average=macro|micro|weighted`. Those of ranks are functions of how many positives and
negatives have each distinct score; `found` and `answers` are how many positives, and how many rows, score at least as high.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from referee.errors import OptionError
from referee.metrics.decorator import metric
from referee.metrics.formula import LOSS, Share, share

UNIT = (0.0, 1.0)


def even_odds(classes: int) -> float:
    """Return how often a blind guess among so many classes is right."""
    return 1 / classes


@metric(monotone=True, unit="share")
def precision(tp: Any, fp: Any) -> Share:
    """Share of the positive answers that are right (0 if there is no positive answer)."""
    return share(tp, tp + fp)


@metric(monotone=True, unit="share")
def recall(tp: Any, fn: Any) -> Share:
    """Share of the positive examples that are found."""
    return share(tp, tp + fn)


@metric(monotone=True, unit="share")
def specificity(fp: Any, tn: Any) -> Share:
    """Share of the negative examples that are called negative."""
    return share(tn, fp + tn)


@metric(monotone=True, unit="share", prose="F1", works=("rijsbergen1979",))
def f1(tp: Any, fp: Any, fn: Any) -> Share:
    """Harmonic mean of precision and recall."""
    return share(2 * tp, 2 * tp + fp + fn)


@metric(monotone=True, unit="share", prose="F-beta", works=("rijsbergen1979",))
def fbeta(tp: Any, fp: Any, fn: Any, *, beta: float = 1.0) -> Share:
    """Weighted harmonic mean of precision and recall; recall counts beta times as much."""
    if not beta > 0:
        raise OptionError(f"fbeta:beta must be positive; it is {beta:g}", argument="metric", value=beta)
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
        needed = "dcf: p_target must lie between 0 and 1, and costs must not be negative"
        raise OptionError(needed, argument="metric")
    return cost_fn * p_target * share(fn, tp + fn) + cost_fp * (1 - p_target) * share(fp, fp + tn)


@metric(per="example", monotone=True, unit="share", bounds=UNIT, chance=even_odds)
def accuracy(truth: Any, prediction: Any) -> Any:
    """Share of the examples that are labelled right."""
    return truth == prediction


@metric(per="example", monotone=True, higher_is_better=False, unit="share", bounds=UNIT, chance=lambda k: 1 - 1 / k)
def error(truth: Any, prediction: Any) -> Any:
    """Share of the examples that are labelled wrong."""
    return truth != prediction


@metric(monotone=True, truth_labels_only=True, unit="share", bounds=UNIT, chance=even_odds, works=("brodersen2010",))
def balanced_accuracy(hits: Any, actual: Any) -> Share:
    """Mean over the classes of the share of their members that are labelled right."""
    return share(hits, actual).mean()


def _kappa_gradient(hits: Any, guesses: Any, actual: Any) -> tuple[Any, Any, Any]:
    n, right = actual.sum(axis=-1, keepdims=True), hits.sum(axis=-1, keepdims=True)
    chance = (guesses * actual).sum(axis=-1, keepdims=True)
    above, below = n * right - chance, n * n - chance
    value = above / below
    by_guess = -actual * (1 - value) / below
    by_actual = (right - guesses - value * (2 * n - guesses)) / below
    return np.broadcast_to(n / below, hits.shape), by_guess, by_actual


@metric(monotone=True, gradient=_kappa_gradient, bounds=(-1.0, 1.0), chance=lambda classes: 0.0, works=("cohen1960",))
def kappa(hits: Any, guesses: Any, actual: Any) -> Any:
    """Cohen's kappa: agreement with the truth beyond what the two margins give by chance."""
    n = actual.sum(axis=-1)
    chance = (guesses * actual).sum(axis=-1)
    return (n * hits.sum(axis=-1) - chance) / (n * n - chance)


def _mcc_gradient(hits: Any, guesses: Any, actual: Any) -> tuple[Any, Any, Any]:
    n, right = actual.sum(axis=-1, keepdims=True), hits.sum(axis=-1, keepdims=True)
    covariance = n * right - (guesses * actual).sum(axis=-1, keepdims=True)
    var_guess = n * n - (guesses * guesses).sum(axis=-1, keepdims=True)
    var_actual = n * n - (actual * actual).sum(axis=-1, keepdims=True)
    root = np.sqrt(var_guess * var_actual)
    by_guess = (covariance * guesses / var_guess - actual) / root
    by_actual = (right - guesses - covariance * (n / var_guess + (n - actual) / var_actual)) / root
    return np.broadcast_to(n / root, hits.shape), by_guess, by_actual


@metric(
    monotone=True, gradient=_mcc_gradient, bounds=(-1.0, 1.0), chance=lambda classes: 0.0,
    prose="MCC", works=("matthews1975", "gorodkin2004"),
)  # fmt: skip
def mcc(hits: Any, guesses: Any, actual: Any) -> Any:
    """Matthews correlation coefficient (Gorodkin's R_K for more than two classes)."""
    n = actual.sum(axis=-1)
    covariance = n * hits.sum(axis=-1) - (guesses * actual).sum(axis=-1)
    spread = (n * n - (guesses * guesses).sum(axis=-1)) * (n * n - (actual * actual).sum(axis=-1))
    return covariance / np.sqrt(spread)


@metric(unit="share", bounds=UNIT, chance=lambda classes: 0.5, prose="AUC", works=("hanley1982",))
def auc(positives: Any, negatives: Any) -> Any:
    """Area under the ROC curve: how often a positive scores above a negative, ties counting half."""
    below = np.cumsum(negatives, axis=-1) - negatives / 2
    return (positives * below).sum(axis=-1) / (positives.sum(axis=-1) * negatives.sum(axis=-1))


@metric(at_positives=True, unit="share", bounds=UNIT)
def average_precision(positives: Any, found: Any, answers: Any) -> Any:
    """Precision at each score threshold, weighted by the recall that the threshold adds."""
    precision = found / np.maximum(answers, 1e-300)
    return (positives * precision).sum(axis=-1) / positives.sum(axis=-1)


@metric(per="example", prose="mean score")
def mean(prediction: Any) -> Any:
    """Mean of the scores per example. If they are losses, use mean:better=lower."""
    return prediction


@metric(per="example", task="preferences", undefined=0.5, unit="share", bounds=UNIT, prose="win rate")
def win_rate(prediction: Any) -> Any:
    """Share of the judgements that prefer the system, ties counting half; if both orders were shown, the mean of the two orders."""
    return prediction


@metric(per="example", task="numbers", higher_is_better=False, bounds=LOSS, prose="MSE")
def mse(truth: Any, prediction: Any) -> Any:
    """Mean squared error."""
    return (truth - prediction) ** 2


@metric(per="example", task="numbers", higher_is_better=False, bounds=LOSS, then=np.sqrt, prose="RMSE")
def rmse(truth: Any, prediction: Any) -> Any:
    """Root of the mean squared error."""
    return (truth - prediction) ** 2


@metric(per="example", task="numbers", higher_is_better=False, bounds=LOSS, prose="MAE")
def mae(truth: Any, prediction: Any) -> Any:
    """Mean absolute error."""
    return abs(truth - prediction)


def _squares(truth: Any, prediction: Any) -> tuple[Any, ...]:
    truth = np.asarray(truth, dtype=np.float64)
    return (truth - prediction) ** 2, truth, truth**2, np.ones_like(truth)


def _spread(total: Any, squares: Any, n: Any) -> Any:
    """Return the squared distances of the truth from its mean; NaN if they are no more than rounding."""
    spread = squares - total**2 / n
    return np.where(np.real(spread) > 1e-12 * np.real(squares), spread, np.nan)


def _r2_gradient(errors: Any, total: Any, squares: Any, n: Any) -> tuple[Any, ...]:
    spread = _spread(total, squares, n)
    slope = errors / spread**2
    return -1 / spread, -slope * 2 * total / n, slope, slope * (total / n) ** 2


@metric(
    statistics=_squares, gradient=_r2_gradient, reads="numbers", of_truth=("total", "squares", "n"), signed=True, bounds=(-math.inf, 1.0), prose="R²",
    works=("draper1998",),
)  # fmt: skip
def r2(errors: Any, total: Any, squares: Any, n: Any) -> Any:
    """Coefficient of determination: 1 less the squared errors over those of the truth's own mean (0 if all truths are equal)."""
    return 1 - errors / _spread(total, squares, n)


@metric(
    per="example", task="numbers", higher_is_better=False, bounds=LOSS, prose="pinball loss", works=("koenker1978",)
)
def pinball(truth: Any, prediction: Any, *, quantile: float = 0.5) -> Any:
    """Mean quantile loss: what is predicted too low costs the quantile, what is too high 1 less the quantile."""
    if not 0 < quantile < 1:
        raise OptionError(f"pinball:quantile must lie between 0 and 1; it is {quantile:g}", argument="metric")
    return np.maximum(quantile * (truth - prediction), (quantile - 1) * (truth - prediction))


@metric(per="example", task="probabilities", higher_is_better=False, bounds=LOSS, prose="log loss", works=("good1952",))
def log_loss(truth: Any, prediction: Any) -> Any:
    """Mean of minus the logarithm of the probability given to what is true (of at least 2.2e-16)."""
    least = np.finfo(np.float64).eps
    return -np.log(np.clip(np.where(truth == 1, prediction, 1.0 - prediction), least, 1 - least))


@metric(
    per="example", task="probabilities", higher_is_better=False, bounds=UNIT, prose="Brier score", works=("brier1950",)
)
def brier(truth: Any, prediction: Any) -> Any:
    """Mean squared distance of the probability of the positive label from 1 where it is true, from 0 where it is not."""
    return (truth - prediction) ** 2
