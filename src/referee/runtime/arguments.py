"""Arguments: a call with a wrong argument says which one was meant, including the names that other libraries use."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from referee.errors import CallError, did_you_mean, meant

P = ParamSpec("P")
R = TypeVar("R")
WEIGHTS = ("sample_weight", "sample_weights", "weight", "weights")
PREDICTIONS = ("y_pred", "pred", "preds", "prediction", "predictions")
ELSEWHERE: Mapping[str, tuple[str, ...]] = {
    "truth": ("y_true", "y_test", "y", "truths", "true", "label", "labels", "target", "targets", "gold", "reference"),
    "y": ("y_true", "truth", "target", "targets", "labels"),
    "a": (*PREDICTIONS, "x", "y_pred_a", "y_pred1", "pred_a", "model_a", "old"),
    "b": (*PREDICTIONS, "y", "y_pred_b", "y_pred2", "pred_b", "model_b", "new"),
    "metric": ("metrics", "scoring", "scorer", "statistic", "measure"),
    "score": ("metric", "metrics"),
    "test": ("tests", "method"),
    "group": ("groups", "cluster", "clusters"),
    "stratum": ("stratify", "strata", "stratum_by"),
    "stratify": ("stratum", "strata"),
    "by": ("slice", "slices", "category", "task"),
    "id": ("ids", "key", "on", "index"),
    "positive": ("pos_label", "positive_label"),
    "alpha": ("level", "confidence", "confidence_level", "significance"),
    "margin": ("delta", "equivalence_margin"),
    "alternative": ("tail", "tails", "side"),
    "rng": ("seed", "random_state", "generator", "random_seed"),
    "jobs": ("n_jobs", "workers", "num_workers"),
    "design": ("cv", "designs", "splitter"),
    "designs": ("design", "cv"),
    "adjust": ("correction", "adjustment"),
    "method": ("adjust", "correction"),
    "algorithms": ("models", "estimators", "estimator"),
    "scores": ("results", "cv_results"),
    "weight": WEIGHTS,
    "lower_is_better": ("higher_is_better", "greater_is_better", "minimize", "maximize", "better", "direction"),
    "multiplicity": ("freq", "frequency", "count", "counts"),
    "sets": ("n_sets", "replicates", "n_resamples"),
    "sizes": ("size", "n"),
}
"""What arguments are called in other libraries, or by people who half remember them."""


def fitting(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function say what it takes if it is called with something else.

    >>> @fitting
    ... def compare(data=None, *, truth=None, group=None): ...
    >>> compare(groups=[1, 2])
    Traceback (most recent call last):
    referee.errors.CallError: compare() has no argument 'groups' (did you mean 'group'?); its arguments: data, truth, group
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            entered = error.__traceback__ is not None and error.__traceback__.tb_next is not None
            if entered:  # then it is not about the call
                raise
            raise CallError(_wrong(function, args, kwargs) or str(error)) from None

    return call


def _wrong(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    """Say what is wrong with a call; nothing if it is something else."""
    parameters = inspect.signature(function).parameters
    name, known = function.__name__, list(parameters)
    strange = [key for key in kwargs if key not in parameters]
    if strange:
        return no_such_arguments(name, strange, known)
    places = [key for key, one in parameters.items() if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    if len(args) > len(places):
        taken = f"only {' and '.join(places)} without a name" if places else "all by name"
        example = f", as in {name}(truth=..., a=..., b=...)" if {"truth", "a", "b"} <= parameters.keys() else ""
        given = "1 value has none; name it" if len(args) == 1 else f"{len(args)} values have none; name them"
        return f"{name}() takes {taken}, and {given}{example}; its arguments: {', '.join(known)}"
    needed = [key for key, one in parameters.items() if one.default is one.empty and one.kind is not one.VAR_POSITIONAL]
    lacking = [key for key in needed if key not in (*places[: len(args)], *kwargs)]
    return f"{name}() needs {' and '.join(lacking)}; its arguments: {', '.join(known)}" if lacking else ""


def no_such_arguments(name: str, strange: list[str], known: list[str]) -> str:
    """Say that a function has no arguments of such names, and which are meant."""
    told = " and ".join(f"{key!r}{_meant(key, known)}" for key in strange)
    argument = "argument" if len(strange) == 1 else "arguments"
    known_names = f"its arguments: {', '.join(known)}"
    return f"{name}() has no {argument} {told}; {_weights(strange, known)}{known_names}"


def _meant(given: str, known: list[str]) -> str:
    elsewhere = [key for key in known if given.lower() in ELSEWHERE.get(key, ())]
    return meant(*elsewhere) or did_you_mean(given, known)


def _weights(strange: list[str], known: list[str]) -> str:
    """Say that there are no weights, where there are none."""
    return (
        "examples are not weighted here; " if "weight" not in known and any(key in WEIGHTS for key in strange) else ""
    )
