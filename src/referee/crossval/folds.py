"""Folds: the scores of algorithms on the same splits, whether they were fitted here or elsewhere."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from referee.crossval.designs import DESIGNS
from referee.crossval.designs import resolve as resolve_design
from referee.crossval.foldtests import Layout
from referee.errors import InputError, OptionError, unknown

Scores = dict[str, list[float | None]]


@dataclass(frozen=True)
class Folds:
    """Scores by algorithm, one a split, and how the splits lie."""

    scores: Scores
    layout: Layout
    design: str
    """The spelling of the design."""
    n_train: float | None = None
    n_test: float | None = None
    seconds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Mean seconds of fit and prediction, where they are known."""
    warnings: tuple[str, ...] = ()

    @property
    def complete(self) -> list[str]:
        """The algorithms that have a score on every split."""
        return [name for name, scores in self.scores.items() if None not in scores]


def folds_of(
    given: Any, *, design: Any = None, n_train: Any = None, n_test: Any = None, metric: str = "score"
) -> Folds:
    """Read fold scores that exist already.

    Args:
        given: a path or a dataframe (one row a split, one column an algorithm, with n_train and n_test, maybe run and
            fold), a mapping of names to scores or to what `cross_validate` returned, or `cv_results_` of a search.
        design: the design they come from; found by the splits if left out.
        n_train: how many examples a split trains on, where the table does not say: a number, or one a split.
        n_test: how many it tests.
        metric: which scorer, where `cv_results_` has several.
    """
    if isinstance(given, str | os.PathLike):
        from referee.crossval.tables import read_scores

        table = read_scores(given)
        columns: dict[str, Any] = {**table.scores, "n_train": table.n_train, "n_test": table.n_test}
        columns |= {"run": table.run, "fold": table.fold}
    else:
        columns = _columns(given, metric)
    sizes = {key: columns.pop(key, None) for key in ("n_train", "n_test", "run", "fold")}
    columns.pop("split", None)
    sizes["n_train"] = n_train if n_train is not None else sizes["n_train"]
    sizes["n_test"] = n_test if n_test is not None else sizes["n_test"]
    seconds = columns.pop("seconds", {})
    scores = {str(name): _numbers(str(name), values) for name, values in columns.items()}
    if len(scores) < 2:
        raise InputError(f"scores of two algorithms or more are compared; there are {len(scores)}: {', '.join(scores)}")
    lengths = {name: len(values) for name, values in scores.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name} {size}" for name, size in lengths.items())
        raise InputError(f"all algorithms must be scored on the same splits; they have: {shown}")
    splits = next(iter(lengths.values()))
    if splits < 2:
        raise InputError(f"a test of fold scores needs two splits or more; there {'is 1' if splits else 'are none'}")
    train, test = (_sizes(what, sizes[what], splits) for what in ("n_train", "n_test"))
    runs = None if sizes["run"] is None else [str(run) for run in sizes["run"]]
    return _laid_out(scores, splits, design, train, test, runs, sizes["fold"], seconds)


def _laid_out(
    scores: Scores, splits: int, design: Any, train: Any, test: Any, runs: Any, folds: Any, seconds: Any
) -> Folds:
    """Find how the splits lie, and put them run by run."""
    said = []
    if runs is not None:
        order = sorted(range(splits), key=lambda i: (runs.index(runs[i]), i if folds is None else _place(folds[i])))
        scores = {name: [values[i] for i in order] for name, values in scores.items()}
        if folds is not None and len({(runs[i], str(folds[i])) for i in range(splits)}) < splits:
            raise InputError("a fold of a run occurs twice; each row is one split")
    number = 1 if runs is None else len(set(runs))
    if number > 1 and len({runs.count(run) for run in runs}) > 1:
        raise InputError("the runs have different numbers of splits; a run splits all the examples into folds")
    name, spelt = _design(design, splits, number, train, test)
    if name == "5x2cv":
        if splits != 10:
            raise InputError(f"5x2cv has 10 splits, two of each of five runs; there are {splits}")
        shape = (5, 2)
        if runs is None:
            said.append(
                "the ten rows are taken as five runs of two folds, in this order; columns run and fold would say so"
            )
    elif name == "repeated-kfold" and number > 1:
        shape = (number, splits // number)
    else:
        shape = (1, splits) if name == "kfold" else (splits, 1)
    ratio = _ratio(name, shape, train, test)
    if ratio is None:
        raise OptionError(f"the design {name} needs n_train and n_test: how many examples a split trains on and tests")
    if train is None or test is None:
        said.append(
            f"n_train and n_test are not known; {ratio:.3g} test examples for each training example are assumed"
        )
    return Folds(
        scores, Layout(name, *shape, ratio), spelt,
        None if train is None else float(np.mean(train)), None if test is None else float(np.mean(test)),
        seconds, tuple(said),
    )  # fmt: skip


def _place(fold: Any) -> tuple[int, float, str]:
    try:
        return 0, float(fold), ""
    except (TypeError, ValueError):
        return 1, 0.0, str(fold)


def _design(given: Any, splits: int, runs: int, train: Any, test: Any) -> tuple[str, str]:
    """Return the name of the design and its spelling."""
    if given is not None:
        name = str(given).partition(":")[0] if isinstance(given, str) else resolve_design(given).name
        if name not in DESIGNS:
            raise unknown("design", name, DESIGNS)
        asked = resolve_design(given) if not isinstance(given, str) or ":" in given else None
        if asked is not None and asked.shape[0] * asked.shape[1] != splits:
            raise OptionError(f"{asked} has {asked.shape[0] * asked.shape[1]} splits, and there are {splits} rows")
        if asked is not None and asked.shape[0] > 1 and runs == 1 and asked.shape[1] > 1:
            raise OptionError(f"of {asked} the columns run and fold must say which rows belong together")
        if name == "holdout":
            raise OptionError("a holdout has one split, and a test of one test set needs the predictions: use compare")
        return name, name
    if runs == 5 and splits == 10:
        return "5x2cv", "5x2cv"
    if runs > 1:
        return "repeated-kfold", f"repeated-kfold:folds={splits // runs},repeats={runs}"
    whole = None if train is None or test is None else {a + b for a, b in zip(train, test, strict=True)}
    if whole is None or whole == {sum(test)}:
        return "kfold", f"kfold:folds={splits}"
    return "resampled", f"resampled:number={splits}"


def _ratio(name: str, shape: tuple[int, int], train: Any, test: Any) -> float | None:
    if train is not None and test is not None:
        return float(sum(test) / sum(train))
    if name == "5x2cv":
        return 1.0
    return 1 / (shape[1] - 1) if name in ("kfold", "repeated-kfold") and shape[1] > 1 else None


def _numbers(name: str, values: Any) -> list[float | None]:
    try:
        found = [None if value is None else float(value) for value in values]
    except (TypeError, ValueError) as error:
        raise InputError(f"the scores of {name} must be numbers, one a split: {error}") from error
    return [None if value is None or math.isnan(value) else value for value in found]


def _sizes(what: str, given: Any, splits: int) -> list[float] | None:
    if given is None:
        return None
    several = [given] * splits if isinstance(given, int | float) else list(given)
    if len(several) != splits:
        raise OptionError(f"{what} has {len(several)} numbers, and there are {splits} splits")
    for one in several:
        if one is None or not isinstance(one, int | float | np.number) or not one > 0:
            raise InputError(f"{what} must be a positive number for each split; one is {one!r}")
    return [float(one) for one in several]


def _columns(given: Any, metric: str) -> dict[str, Any]:
    if isinstance(given, Mapping):
        if "params" in given:
            return _search(given, metric)
        if given and all(isinstance(one, Mapping) for one in given.values()):
            return _validated(given, metric)
        return dict(given)
    import narwhals as nw

    try:
        frame = nw.from_native(given, eager_only=True)
    except TypeError:
        raise InputError(
            "scores are a path, a dataframe, a mapping of names to scores, or cv_results_; "
            f"this is {type(given).__name__}"
        ) from None
    columns = {name: frame[name].to_list() for name in frame.columns}
    return _search(columns, metric) if "params" in columns else columns


def _search(results: Mapping[str, Any], metric: str) -> dict[str, Any]:
    """Read `cv_results_`: every candidate is an algorithm, called by the parameters in which they differ."""
    known = sorted({key.split("_test_", 1)[1] for key in results if key.startswith("split0_test_")})
    if metric not in known and metric == "score" and len(known) == 1:
        metric = known[0]
    if metric not in known:
        raise unknown("scorer in cv_results_", metric, known)
    splits = sum(key.startswith("split") and key.endswith(f"_test_{metric}") for key in results)
    rows = np.array([results[f"split{i}_test_{metric}"] for i in range(splits)], dtype=np.float64)
    names = _candidates(results["params"])
    columns: dict[str, Any] = {name: rows[:, place].tolist() for place, name in enumerate(names)}
    if "mean_fit_time" in results and "mean_score_time" in results:
        columns["seconds"] = {
            name: (float(results["mean_fit_time"][i]), float(results["mean_score_time"][i]))
            for i, name in enumerate(names)
        }
    return columns


def _candidates(parameters: Sequence[Mapping[str, Any]]) -> list[str]:
    differing = [
        key for key in dict.fromkeys(key for one in parameters for key in one)
        if len({repr(one.get(key)) for one in parameters}) > 1
    ]  # fmt: skip
    names = [", ".join(f"{key}={one[key]}" for key in differing if key in one) or "default" for one in parameters]
    return [name if names.count(name) == 1 else f"{name} ({place})" for place, name in enumerate(names, 1)]


def _validated(given: Mapping[str, Mapping[str, Any]], metric: str) -> dict[str, Any]:
    """Read what `cross_validate` returned for each algorithm."""
    columns: dict[str, Any] = {}
    seconds = {}
    for name, found in given.items():
        key = f"test_{metric}"
        if key not in found:
            raise unknown(
                f"scorer of {name}", metric, [k.removeprefix("test_") for k in found if k.startswith("test_")]
            )
        columns[str(name)] = list(found[key])
        if "fit_time" in found and "score_time" in found:
            seconds[str(name)] = (float(np.mean(found["fit_time"])), float(np.mean(found["score_time"])))
    return {**columns, "seconds": seconds}
