"""Fitting: one model on one split, timed and scored; what goes wrong in it is its result."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from referee.data.columns import Ints, plain
from referee.errors import InputError, Misfit, OptionError, RefereeError
from referee.studies.algorithms.designs import Split
from referee.studies.algorithms.scoring import Scoring, as_truth

_controllers: dict[int, Any] = {}
CODED = ("xgboost",)
"""Packages whose classifiers take no labels but 0, 1, 2 ...: labels are translated for them, and back."""
LONGEST, SHORTER = 300, 120
"""How much of the text of an error is kept, and of a warning."""


def algorithms_of(given: Any) -> dict[str, Any]:
    """Return the algorithms by name.

    Args:
        given: a mapping of names to estimators, or pairs of both.

    Raises:
        RefereeError: where they are fewer than two, share a name, or are no estimators.
    """
    pairs = list(given.items()) if isinstance(given, Mapping) else _pairs(given)
    found: dict[str, Any] = {}
    for name, model in pairs:
        if not isinstance(name, str) or not name.strip():
            raise OptionError(f"an algorithm's name is a text; one is {name!r}")
        if name in found:
            raise OptionError(f"two algorithms are called {name!r}; give each a name of its own")
        _check(name, model)
        found[name] = model
    if len(found) < 2:
        raise OptionError(f"algorithms are compared with each other: give two or more; there {_are(len(found))}")
    return found


def _are(count: int) -> str:
    return "is 1" if count == 1 else f"are {count}"


def _pairs(given: Any) -> list[tuple[Any, Any]]:
    wrong = OptionError(
        f"algorithms are given as a mapping of names to estimators, {{'svm': SVC()}}; this is {type(given).__name__}"
    )
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise wrong
    for pair in given:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise wrong
    return [(name, model) for name, model in given]


def _check(name: str, model: Any) -> None:
    if isinstance(model, type):
        raise Misfit(f"the algorithm {name} is the class {model.__name__}; give an estimator: {model.__name__}()")
    lacking = [method for method in ("fit", "predict", "get_params") if not callable(getattr(model, method, None))]
    if lacking:
        raise Misfit(
            f"the algorithm {name} ({type(model).__name__}) has no {' and no '.join(lacking)}; "
            f"an estimator that follows scikit-learn's rules has fit, predict and get_params"
        )


def take(values: Any, rows: Ints) -> Any:
    """Return some rows of an array, a sparse matrix, a dataframe or a list.

    >>> take(["a", "b", "c"], np.array([0, 2]))
    ['a', 'c']
    """
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if hasattr(values, "shape"):
        return values[rows]
    return [values[row] for row in rows.tolist()]


def length(values: Any, what: str) -> int:
    """Return how many rows there are.

    Raises:
        InputError: where there are none to count.
    """
    shape = getattr(values, "shape", None)
    if shape is not None and len(shape):
        return int(shape[0])
    try:
        return len(values)
    except TypeError:
        raise InputError(f"{what} must have a row for each example; it is {type(values).__name__}") from None


def fit_split(
    features: Any, truth: Any, scoring: Scoring, keep: bool, model: Any, split: Split, seed: int
) -> dict[str, Any]:
    """Fit a fresh copy of a model on the training examples of a split, and score it on the others.

    Libraries compute with one thread each, so that numbers do not depend on how many processes there are.

    Args:
        features: of all examples.
        truth: of all examples.
        scoring: how the model is scored.
        keep: whether its predictions are kept.
        model: an estimator, which is left as it is.
        split: the examples to train on and to test.
        seed: what the model's own randomness is seeded with, where the user left that open.

    Returns:
        The score, the seconds of fit and prediction, the predictions, and what went wrong or was warned of.
    """
    result: dict[str, Any] = {"score": None, "fit_seconds": None, "predict_seconds": None, "error": None}
    with warnings.catch_warnings(record=True) as heard, _one_thread():
        warnings.simplefilter("always")
        try:
            result |= _fit(features, truth, scoring, keep, model, split, seed)
        except (Exception, SystemExit) as error:
            # Whatever a stranger's model raises, the other fits go on.
            said = str(error) if isinstance(error, RefereeError) else f"{type(error).__name__}: {error}"
            result["error"] = " ".join(said.split())[:LONGEST]
    result["warned"] = " ".join(str(heard[0].message).split())[:SHORTER] if heard else None
    return result


def _one_thread() -> Any:
    """Hold libraries to one thread; which there are is looked up again only when modules have been imported."""
    from threadpoolctl import ThreadpoolController

    modules = len(sys.modules)
    if modules not in _controllers:
        _controllers.clear()
        _controllers[modules] = ThreadpoolController()
    return _controllers[modules].limit(limits=1)


def _fit(
    features: Any, truth: Any, scoring: Scoring, keep: bool, model: Any, split: Split, seed: int
) -> dict[str, Any]:
    from sklearn.base import clone

    fresh = seeded(clone(model), seed)
    levels = _levels(fresh, truth, scoring)
    answers = truth if levels is None else np.searchsorted(levels, truth)
    start = time.perf_counter()
    fresh.fit(take(features, split.train), take(answers, split.train))
    fitted = time.perf_counter()
    tested, right = take(features, split.test), take(truth, split.test)
    if scoring.metric is None:
        score, predicted = scoring.ask(fresh, tested, take(answers, split.test)), None
    else:
        predicted = scoring.predict(fresh, tested, levels)
    done = time.perf_counter()
    if predicted is not None:
        if len(predicted) != len(split.test):
            raise InputError(f"the model predicts {len(predicted)} values for {len(split.test)} examples")
        score = scoring.score(as_truth(right, scoring.classes), predicted)
    found: dict[str, Any] = {"score": score, "fit_seconds": fitted - start, "predict_seconds": done - fitted}
    if keep and predicted is not None:
        found["predictions"] = [plain(value) for value in np.asarray(predicted).tolist()]
    return found


def _levels(model: Any, truth: Any, scoring: Scoring) -> Any:
    """Return the labels in order where the model takes only their places, else None."""
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    coded = type(last).__module__.partition(".")[0] in CODED and hasattr(last, "predict_proba")
    if not scoring.classes or not coded:
        return None
    levels = np.unique(np.asarray(truth))
    return None if np.array_equal(levels, np.arange(len(levels))) else levels


def seeded(model: Any, seed: int) -> Any:
    """Seed what a model leaves to chance: every random_state that is None, also of its parts.

    A seed that the user gave stays.
    """
    parameters = model.get_params(deep=True)
    open_ones = [key for key in sorted(parameters) if key.split("__")[-1] == "random_state" and parameters[key] is None]
    if open_ones:
        model.set_params(**{key: (seed + place) % 2**31 for place, key in enumerate(open_ones)})
    return model
