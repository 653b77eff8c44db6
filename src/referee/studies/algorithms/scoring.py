"""Scoring: what a fitted model is worth on the examples of a split, by a metric of referee or a scorer of scikit-learn."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from referee.data.columns import plain
from referee.data.counts import Counts
from referee.data.outcomes import count
from referee.errors import InputError, Misfit, NameUnknown, OptionError, unknown
from referee.metrics import METRICS, Metric
from referee.metrics import resolve as resolve_metric
from referee.metrics.labels import Labels
from referee.significance.units import tally_of
from referee.studies.prepare import settle_positive

CLASSES = ("binary", "multiclass")
"""What scikit-learn calls a truth made of classes."""


@dataclass(frozen=True, eq=False)
class Scoring:
    """How models are scored: by a metric on what they predict, or by a scorer that asks them itself."""

    name: str
    metric: Metric | None
    scorer: Callable[..., Any] | None
    higher_is_better: bool
    classes: bool
    """Whether the truth is made of classes."""
    positive: Any = None

    def predict(self, model: Any, features: Any, levels: Any = None) -> Any:
        """Return what the metric reads: labels, numbers, or the scores of the positive class.

        Args:
            model: a fitted model.
            features: of the examples.
            levels: the labels, where the model knows them only by their places.
        """
        if self.metric is None or self.metric.task != "ranking":
            raw = np.asarray(model.predict(features))
            if self.classes and raw.dtype.kind == "f" and (raw != np.rint(raw)).any():
                raise InputError("the model predicts numbers that are no classes; is it a regressor?")
            predicted = as_truth(raw, self.classes)
            return predicted if levels is None else levels[predicted]
        known = [plain(value) for value in as_truth(model.classes_ if levels is None else levels, classes=True)]
        if self.positive not in known or len(known) != 2:
            raise InputError(f"the training examples have the classes {known}; {self.name} needs both")
        if hasattr(model, "predict_proba"):
            return np.asarray(model.predict_proba(features), dtype=np.float64)[:, known.index(self.positive)]
        if hasattr(model, "decision_function"):
            value = np.asarray(model.decision_function(features), dtype=np.float64)
            return value if known[1] == self.positive else -value
        raise Misfit(f"{self.name} needs scores, and the model has neither predict_proba nor decision_function")

    def score(self, truth: Any, predicted: Any) -> float:
        """Return the score of predictions.

        Raises:
            InputError: where these examples have none, as recall without a positive.
        """
        if self.metric is None:
            raise Misfit(f"the scorer {self.name} asks the model itself; it has no use for predictions")
        counts = count(truth=truth, a=predicted, b=predicted, positive=self.positive)
        value = float(tally_of(counts, self.metric).observed()[0])
        if not math.isfinite(value):
            raise InputError(f"{self.name} cannot be computed: the test examples lack a class that it needs")
        return value

    def ask(self, model: Any, features: Any, truth: Any) -> float:
        """Return the score that the scorer gives a model.

        Raises:
            InputError: where it is not a finite number.
        """
        if self.scorer is None:
            raise Misfit(f"{self.name} is a metric of predictions")
        value = self.scorer(model, features, truth)
        try:
            found = float(value)
        except (TypeError, ValueError):
            raise InputError(f"the scorer {self.name} returned {type(value).__name__}, not a number") from None
        if not math.isfinite(found):
            raise InputError(f"the scorer {self.name} returned {found}")
        return found

    def counts(self, truth: Any, a: Any, b: Any, group: Any, names: tuple[str, str]) -> Counts:
        """Count the joint outcomes of two models on one test set."""
        counts = count(truth=truth, a=a, b=b, group=group, positive=self.positive)
        return replace(settle_positive(counts, self.positive), names=dict(zip("ab", names, strict=True)))


def as_truth(values: Any, classes: bool) -> Any:
    """Return labels or numbers as an array; classes that are written as floats become whole numbers.

    >>> as_truth([0.0, 1.0], True).tolist()
    [0, 1]
    """
    found = np.asarray(values)
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if classes and found.dtype.kind == "f":
        return found.astype(np.int64)
    return found if classes or found.dtype.kind not in "iub" else found.astype(np.float64)


def kind_of_truth(y: Any) -> str:
    """Return "classes" or "numbers".

    Raises:
        InputError: where it is neither, or has gaps.
    """
    from sklearn.utils.multiclass import type_of_target

    values = np.asarray(y)
    if values.dtype.kind == "O":
        gaps = sum(value is None or value != value for value in values.ravel().tolist())
    else:
        gaps = int((~np.isfinite(values)).sum()) if values.dtype.kind == "f" else 0
    if gaps:
        raise InputError(f"y has {gaps} missing values; leave those examples out")
    try:
        found = str(type_of_target(values))
    except (ValueError, TypeError) as error:
        raise InputError(f"y is neither classes nor numbers: {error}") from error
    if found in CLASSES:
        if len(np.unique(values)) < 2:
            raise InputError("y has only one class; there is nothing to learn")
        return "classes"
    if found == "continuous":
        return "numbers"
    raise InputError(f"y must be one class or one number an example; it is {found}")


def resolve(given: Any, y: Any, positive: Any) -> Scoring:
    """Find what is meant by a metric: a Metric, its spelling, a scorer, or the name of one in scikit-learn.

    Args:
        given: what the user said; None is accuracy where y is made of classes.
        y: the truth.
        positive: the positive label, where the metric needs one.
    """
    kind = kind_of_truth(y)
    if given is None:
        if kind == "numbers":
            raise OptionError("y are numbers, so say which metric is meant: mse, rmse, mae, or a scorer such as r2")
        given = METRICS["accuracy"]
    if callable(given) and not isinstance(given, Metric):
        names = list(inspect.signature(given).parameters) if inspect.isfunction(given) else []
        if names[:2] == ["y_true", "y_pred"] or names[:2] == ["y_true", "y_score"]:
            raise OptionError(
                f"{given.__name__} is a function of truth and predictions; a scorer asks a model: "
                f"sklearn.metrics.make_scorer({given.__name__})"
            )
        return _by_scorer(given, getattr(given, "__name__", None) or _spelt(given), kind)
    if isinstance(given, str) and given not in METRICS:
        from sklearn.metrics import get_scorer, get_scorer_names

        if given in get_scorer_names():
            return _by_scorer(get_scorer(given), given, kind)
    try:
        metric = resolve_metric(given)
    except NameUnknown as error:
        if not isinstance(given, str):
            raise
        raise _nothing(given) from error
    return _by_metric(metric, kind, y, positive)


def _nothing(name: str) -> NameUnknown:
    from sklearn.metrics import get_scorer_names

    return unknown("metric or scorer", name, dict.fromkeys([*METRICS, *get_scorer_names()]))


def _by_scorer(scorer: Callable[..., Any], name: str, kind: str) -> Scoring:
    return Scoring(name, None, scorer, higher_is_better=True, classes=kind == "classes")


def _spelt(scorer: Any) -> str:
    return " ".join(str(scorer).split())[:80]


def _by_metric(metric: Metric, kind: str, y: Any, positive: Any) -> Scoring:
    if metric.task == "scores":
        raise Misfit(f"{metric} has no truth to compare with; use accuracy, or mse")
    classes = metric.task != "numbers"
    if classes and kind == "numbers":
        raise Misfit(f"{metric} is of classes, and y are numbers; use mse, rmse, mae, or a scorer such as r2")
    truth = as_truth(y, classes)
    label = None
    if classes and (metric.task == "ranking" or (metric.task == "binary" and not metric.averaged)):
        found = Labels.of_truth(count(truth=truth, a=truth, b=truth))
        if metric.task == "ranking" and len(found.all) != 2:
            raise Misfit(f"{metric} is of two classes, and y has {len(found.all)}; use a scorer such as roc_auc_ovr")
        label = found.find_positive(None if positive is None else found.check_positive(positive), str(metric))
    elif positive is not None:
        raise OptionError(f"{metric} has no positive label; leave positive out")
    return Scoring(str(metric), metric, None, metric.higher_is_better, classes, label)
