"""Scoring: how well a fitted model does on the examples of a split, by one of referee's metrics or a scikit-learn scorer."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from referee.data.columns import plain
from referee.data.counts import Counts
from referee.data.outcomes import count
from referee.errors import Argument, ChoiceNeeded, InputError, Message, Misfit, NameUnknown, OptionError, unknown
from referee.metrics import METRICS, Metric
from referee.metrics import resolve as resolve_metric
from referee.metrics.labels import Labels
from referee.metrics.metric_names import SCIKIT, sounds_like_a_loss
from referee.registry import parse
from referee.studies.prepare import settle_positive

OF_NUMBERS = "mse, rmse, mae, or a scorer such as r2"
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
        unscored = f"{self.name} needs scores, and the model has neither predict_proba nor decision_function"
        raise Misfit(unscored, argument="algorithms", value=model)

    def score(self, truth: Any, predicted: Any) -> float:
        """Return the score of predictions.

        Raises:
            InputError: if these examples have none, as recall without a positive.
        """
        value = None if self.metric is None else self.metric.score(truth, predicted, positive=self.positive)
        if value is None or not math.isfinite(value):
            raise InputError(f"{self.name} cannot be computed: the test examples lack a class that it needs")
        return value

    def ask(self, model: Any, features: Any, truth: Any) -> float:
        """Return the score that the scorer gives a model.

        Raises:
            InputError: if it is not a finite number.
        """
        value = None if self.scorer is None else self.scorer(model, features, truth)
        try:
            score = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise InputError(f"the scorer {self.name} returned {type(value).__name__}, not a number") from None
        if not math.isfinite(score):
            raise InputError(f"the scorer {self.name} returned {score}")
        return score

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


def has_classes(y: Any) -> bool:
    """Say whether the truth is made of classes; else it is numbers.

    Raises:
        InputError: if it is neither, or has gaps.
    """
    from sklearn.utils.multiclass import type_of_target

    values = np.asarray(y)
    gaps = int((~np.isfinite(values)).sum()) if values.dtype.kind == "f" else 0
    if values.dtype.kind == "O":
        gaps = sum(value is None or value != value for value in values.ravel().tolist())
    if gaps:
        raise InputError(f"y has {gaps} missing values; leave those examples out")
    try:
        kind = str(type_of_target(values))
    except (ValueError, TypeError) as error:
        raise InputError(f"y is neither classes nor numbers: {error}") from error
    if kind not in (*CLASSES, "continuous"):
        raise InputError(f"y must have one class or one number per example; it is {kind}")
    if kind in CLASSES and len(np.unique(values)) < 2:
        raise InputError("y has only one class; there is nothing to learn")
    return kind in CLASSES


def resolve(given: Any, y: Any, positive: Any) -> Scoring:
    """Find what is meant by a metric: a Metric, its spelling, a scorer, or the name of one in scikit-learn.

    Args:
        given: what the user said; None is accuracy where y is made of classes.
        y: the truth.
        positive: the positive label, where the metric needs one.
    """
    from sklearn.metrics import get_scorer, get_scorer_names

    classes = has_classes(y)
    if given is None:
        if not classes:
            raise OptionError(f"y is numeric, so name the metric: {OF_NUMBERS}", argument="metric")
        given = METRICS["accuracy"]
    if callable(given) and not isinstance(given, Metric):
        parameters = list(inspect.signature(given).parameters) if inspect.isfunction(given) else []
        if parameters[:2] in (["y_true", "y_pred"], ["y_true", "y_score"]):
            remedy = f"a scorer asks a model: sklearn.metrics.make_scorer({given.__name__})"
            function = f"{given.__name__} is a function of truth and predictions"
            raise OptionError(function, argument="metric", value=given, remedy=remedy)
        name = getattr(given, "__name__", None) or " ".join(str(given).split())[:80]
        return Scoring(name, None, given, higher_is_better=True, classes=classes)
    if isinstance(given, str) and given not in METRICS and given in get_scorer_names():
        return Scoring(given, None, get_scorer(given), higher_is_better=True, classes=classes)
    try:
        metric = resolve_metric(given)
    except NameUnknown as error:
        if not isinstance(given, str):
            raise
        every = dict.fromkeys([*METRICS, *get_scorer_names()])
        raise unknown("metric or scorer", given, every, "metric") from error
    return _by_metric(metric, classes, y, positive)


def _by_metric(metric: Metric, learns_classes: bool, y: Any, positive: Any) -> Scoring:
    about = {"argument": "metric", "value": str(metric)}
    if metric.task == "scores":
        raise Misfit(f"{metric} has no truth to compare with", **about, remedy="use accuracy, or mse")
    if metric.task == "probabilities":
        own = "use scikit-learn's scorer (neg_brier_score, neg_log_loss)"
        raise Misfit(f"{metric} needs probabilities, and models are asked for answers", **about, remedy=own)
    if metric.task == "preferences" or (metric.task == "sums" and metric.reads != "numbers"):
        other = f"{metric} is not about what a model learns here"
        raise Misfit(other, **about, remedy=f"use accuracy, or {OF_NUMBERS}")
    classes = metric.task not in ("numbers", "sums")
    if classes and not learns_classes:
        raise Misfit(f"{metric} needs classes, and y is numeric", **about, remedy=f"use {OF_NUMBERS}")
    truth = as_truth(y, classes)
    label = None
    if classes and (metric.task == "ranking" or (metric.task == "binary" and not metric.averaged)):
        labels = Labels.of_truth(count(truth=truth, a=truth, b=truth))
        if metric.task == "ranking" and len(labels.all) != 2:
            many = f"{metric} needs two classes, and y has {len(labels.all)}"
            raise Misfit(many, **about, remedy="use a scorer such as roc_auc_ovr")
        label = labels.find_positive(None if positive is None else labels.check_positive(positive), str(metric))
    elif positive is not None:
        out = Message("leave ", Argument("positive", bare=True), " out")
        raise OptionError(f"{metric} has no positive label", argument="positive", value=positive, remedy=out)
    return Scoring(str(metric), metric, None, metric.higher_is_better, classes, label)


def direction(metric: str, lower_is_better: bool | None, scores: Mapping[str, Sequence[float | None]]) -> bool:
    """Say whether a higher score is better: as was said, or as the metric has it where it is known by name.

    Args:
        metric: what the scores are called.
        lower_is_better: what was said; None where nothing was.
        scores: the scores, by algorithm.

    Raises:
        OptionError: if that contradicts the metric, or the name speaks of a loss and nothing was said.
    """
    name, given = parse(metric, "metric")[0], None if lower_is_better is None else not lower_is_better
    known = METRICS[name].higher_is_better if name in METRICS else name in SCIKIT or None
    negative = any(score < 0 for own in scores.values() for score in own if score is not None)
    if known is False and negative and given is None:
        turned = "if scikit-learn turned their sign so that higher is better, give ", Argument("lower_is_better", False)
        below = f"{metric} is never negative, and there are scores below 0"
        raise OptionError(below, argument="lower_is_better", remedy=Message(*turned))
    if known is not None and given is not None and known != given and not (given and negative):
        out = Message("leave ", Argument("lower_is_better", lower_is_better), " out")
        way = f"of {metric} {'higher' if known else 'lower'} is better"
        raise OptionError(way, argument="lower_is_better", value=lower_is_better, remedy=out)
    if given is not None or known is not None:
        return bool(known) if given is None else given
    for called, names in ((name, [name]), (" and ".join(scores), scores)):
        if all(map(sounds_like_a_loss, names)):
            ways = Argument("lower_is_better", True), " or ", Argument("lower_is_better", False)
            raise ChoiceNeeded(
                f"say whether more of {called} is worse or better: ", *ways, arguments={"lower_is_better": True}
            )
    return True


def reach_of(metric: str, scores: Mapping[str, Sequence[float | None]]) -> float | None:
    """Return the most that two scores differ by: as the metric has it, or 1 where every score lies between 0 and 1."""
    declared = resolve_metric(metric).reach if parse(metric)[0] in METRICS else None
    if declared is not None:
        return declared
    known = [score for own in scores.values() for score in own if score is not None]
    return 1.0 if known and all(0 <= score <= 1 for score in known) else None
