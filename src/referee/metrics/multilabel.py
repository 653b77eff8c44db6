"""Metrics of examples that have any number of labels each: a cell is a JSON list of labels, or text with a separator."""

from __future__ import annotations

from typing import Any

import numpy as np

from referee.data.columns import Floats
from referee.errors import OptionError, one_of
from referee.metrics.decorator import metric
from referee.metrics.formula import LOSS, Share, share
from referee.metrics.list_cells import labels_of

AVERAGES = ("micro", "samples")
UNIT = (0.0, 1.0)


def _compared(metric: str, truth: Any, prediction: Any, separator: str) -> Floats:
    """Return [example, 3]: how many labels are right, how many were predicted, and how many are true."""
    known: dict[Any, frozenset[str]] = {}
    for text in (*truth, *prediction):
        if text not in known:
            known[text] = labels_of(text, metric, separator)
    pairs = [(known[own], known[answer]) for own, answer in zip(truth, prediction, strict=True)]
    rows = [(len(own & answer), len(answer), len(own)) for own, answer in pairs]
    return np.array(rows, dtype=np.float64).reshape(-1, 3)


def _ratio(name: str, part: Floats, whole: Floats, average: str) -> tuple[Floats, Floats]:
    """Return what examples add to a ratio of sums, or to the mean of the ratios of examples."""
    one_of(f"{name}:average", average, AVERAGES, "metric")
    if average == "micro":
        return part, whole
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), 0.0), np.ones_like(whole)


def _f1(truth: Any, prediction: Any, *, average: str = "micro", separator: str = "json") -> tuple[Floats, Floats]:
    right, predicted, true = _compared("multilabel-f1", truth, prediction, separator).T
    return _ratio("multilabel-f1", 2 * right, predicted + true, average)


def _precision(
    truth: Any, prediction: Any, *, average: str = "micro", separator: str = "json"
) -> tuple[Floats, Floats]:
    right, predicted, _ = _compared("multilabel-precision", truth, prediction, separator).T
    return _ratio("multilabel-precision", right, predicted, average)


def _recall(truth: Any, prediction: Any, *, average: str = "micro", separator: str = "json") -> tuple[Floats, Floats]:
    right, _, true = _compared("multilabel-recall", truth, prediction, separator).T
    return _ratio("multilabel-recall", right, true, average)


def _exact(truth: Any, prediction: Any, *, separator: str = "json") -> tuple[Floats, Floats]:
    right, predicted, true = _compared("subset-accuracy", truth, prediction, separator).T
    return ((right == predicted) & (right == true)).astype(np.float64), np.ones_like(true)


def _wrong(truth: Any, prediction: Any, *, labels: int = 1, separator: str = "json") -> tuple[Floats, Floats]:
    if labels < 1:
        raise OptionError(
            f"multilabel-errors:labels must be 1 or more; it is {labels}", argument="metric", value=labels
        )
    right, predicted, true = _compared("multilabel-errors", truth, prediction, separator).T
    return (predicted + true - 2 * right) / labels, np.ones_like(true)


@metric(statistics=_f1, reads="text", unit="share", bounds=UNIT, prose="multilabel F1", works=("tsoumakas2007",))
def multilabel_f1(part: Any, whole: Any) -> Share:
    """F1 over all labels of all examples (micro), or the mean of the F1 of each example (samples)."""
    return share(part, whole)


@metric(statistics=_precision, reads="text", unit="share", bounds=UNIT, works=("tsoumakas2007",))
def multilabel_precision(part: Any, whole: Any) -> Share:
    """Share of the predicted labels that are right: of all (micro), or averaged over the examples (samples)."""
    return share(part, whole)


@metric(statistics=_recall, reads="text", unit="share", bounds=UNIT, of_truth=("whole",), works=("tsoumakas2007",))
def multilabel_recall(part: Any, whole: Any) -> Share:
    """Share of the true labels that are predicted: of all (micro), or averaged over the examples (samples)."""
    return share(part, whole)


@metric(statistics=_exact, reads="text", unit="share", bounds=UNIT, of_truth=("n",), works=("tsoumakas2007",))
def subset_accuracy(right: Any, n: Any) -> Share:
    """Share of the examples whose labels are all right, none missing and none too many."""
    return share(right, n)


@metric(statistics=_wrong, reads="text", higher_is_better=False, of_truth=("n",), bounds=LOSS, works=("tsoumakas2007",))
def multilabel_errors(wrong: Any, n: Any) -> Share:
    """Labels per example that are missing or too many; divided by how many labels there are, the Hamming loss."""
    return share(wrong, n)
