"""Metrics of any number of classes: functions of hits, guesses and actual members a class, or of right and wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from referee.metrics.decorator import metric
from referee.metrics.formula import Share, share


@metric(per="example", monotone=True, unit="share", bounds=(0.0, 1.0), chance=lambda classes: 1 / classes)
def accuracy(truth: Any, prediction: Any) -> Any:
    """Share of the examples that are labelled right."""
    return truth == prediction


@metric(
    per="example",
    monotone=True,
    higher_is_better=False,
    unit="share",
    bounds=(0.0, 1.0),
    chance=lambda classes: 1 - 1 / classes,
)
def error(truth: Any, prediction: Any) -> Any:
    """Share of the examples that are labelled wrong."""
    return truth != prediction


@metric(
    monotone=True,
    truth_labels_only=True,
    unit="share",
    bounds=(0.0, 1.0),
    chance=lambda classes: 1 / classes,
    works=("brodersen2010",),
)
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
    monotone=True,
    gradient=_mcc_gradient,
    bounds=(-1.0, 1.0),
    chance=lambda classes: 0.0,
    prose="MCC",
    works=("matthews1975", "gorodkin2004"),
)
def mcc(hits: Any, guesses: Any, actual: Any) -> Any:
    """Matthews correlation coefficient (Gorodkin's R_K for more than two classes)."""
    n = actual.sum(axis=-1)
    covariance = n * hits.sum(axis=-1) - (guesses * actual).sum(axis=-1)
    spread = (n * n - (guesses * guesses).sum(axis=-1)) * (n * n - (actual * actual).sum(axis=-1))
    return covariance / np.sqrt(spread)
