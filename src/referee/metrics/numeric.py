"""Metrics of numbers: the mean of scores per example, and losses against a numeric truth."""

from __future__ import annotations

from typing import Any

import numpy as np

from referee.metrics.decorator import metric


@metric(per="example")
def mean(prediction: Any) -> Any:
    """Mean of the scores per example (of 0/1 scores: accuracy; of losses: better=lower)."""
    return prediction


@metric(per="example", task="numbers", higher_is_better=False, prose="MSE")
def mse(truth: Any, prediction: Any) -> Any:
    """Mean squared error."""
    return (truth - prediction) ** 2


@metric(per="example", task="numbers", higher_is_better=False, then=np.sqrt, prose="RMSE")
def rmse(truth: Any, prediction: Any) -> Any:
    """Root of the mean squared error."""
    return (truth - prediction) ** 2


@metric(per="example", task="numbers", higher_is_better=False, prose="MAE")
def mae(truth: Any, prediction: Any) -> Any:
    """Mean absolute error."""
    return abs(truth - prediction)
