"""Metrics of scores against two classes: functions of how many positives and negatives have each distinct score.

`found` and `answers` are how many positives, and how many rows, score at least as high.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from referee.metrics.decorator import metric


@metric(unit="share", bounds=(0.0, 1.0), chance=lambda classes: 0.5, prose="AUC", works=("hanley1982",))
def auc(positives: Any, negatives: Any) -> Any:
    """Area under the ROC curve: how often a positive scores above a negative, ties counting half."""
    below = np.cumsum(negatives, axis=-1) - negatives / 2
    return (positives * below).sum(axis=-1) / (positives.sum(axis=-1) * negatives.sum(axis=-1))


@metric(at_positives=True, unit="share", bounds=(0.0, 1.0))
def average_precision(positives: Any, found: Any, answers: Any) -> Any:
    """Precision at each score threshold, weighted by the recall that the threshold adds."""
    precision = found / np.maximum(answers, 1e-300)
    return (positives * precision).sum(axis=-1) / positives.sum(axis=-1)
