"""Records: fold scores in the forms in which others leave them behind: files, dataframes, cross_validate, searches."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from referee.data.columns import aligned
from referee.errors import InputError, unknown
from referee.studies.algorithms.score_columns import Given, sort_out


def read(given: Any, metric: str) -> Given:
    """Read fold scores.

    Args:
        given: a path or a dataframe, a mapping of names to scores or to what `cross_validate` returned, `cv_results_`, or
            the search that has them.
        metric: which scorer, where there are several.
    """
    if isinstance(given, str | os.PathLike):
        from referee.studies.algorithms.learning_tables import read_scores

        return sort_out(read_scores(given))
    if hasattr(given, "cv_results_"):
        given = given.cv_results_
    if isinstance(given, Mapping):
        if "params" in given:
            return _search(given, metric)
        if given and all(isinstance(one, Mapping) for one in given.values()):
            return _validated(given, metric)
        columns, notes = aligned({str(name): values for name, values in given.items()})
        return replace(sort_out(columns), notes=notes)
    columns = _frame(given)
    return _search(columns, metric) if "params" in columns else sort_out(columns)


def _frame(given: Any) -> dict[str, Any]:
    import narwhals as nw

    try:
        frame = nw.from_native(given, eager_only=True)
    except TypeError:
        raise InputError(
            "scores are a path, a dataframe, a mapping of names to scores or to what cross_validate returned, or "
            f"cv_results_; this is {type(given).__name__}"
        ) from None
    return {str(name): frame[name].to_list() for name in frame.columns}


def _scorer(metric: str, known: Sequence[str], what: str) -> str:
    """Return which of the scorers is meant; a single one that has no name of its own is, whatever it is called here."""
    if metric in known:
        return metric
    if len(known) == 1 and "score" in (metric, known[0]):
        return known[0]
    raise unknown(what, metric, known)


def _search(results: Mapping[str, Any], metric: str) -> Given:
    """Read `cv_results_`: every candidate is an algorithm, called by the parameters in which they differ."""
    if len(set(np.asarray(results.get("n_resources", [0])).tolist())) > 1:
        raise InputError(
            "the candidates of a halving search were trained on different numbers of examples; compare those of one "
            "iteration: frame = pd.DataFrame(search.cv_results_); compare_scores(frame[frame['iter'] == frame['iter'].max()])"
        )
    known = sorted({key.split("_test_", 1)[1] for key in results if key.startswith("split0_test_")})
    scorer = _scorer(metric, known, "scorer in cv_results_")
    splits = sum(key.startswith("split") and key.endswith(f"_test_{scorer}") for key in results)
    rows = np.array([results[f"split{i}_test_{scorer}"] for i in range(splits)], dtype=np.float64)
    names = _candidates(list(results["params"]))
    seconds = {}
    if "mean_fit_time" in results and "mean_score_time" in results:
        fit, score = (list(results[key]) for key in ("mean_fit_time", "mean_score_time"))
        seconds = {name: (float(fit[i]), float(score[i])) for i, name in enumerate(names)}
    return Given({name: rows[:, place].tolist() for place, name in enumerate(names)}, seconds=seconds)


def _candidates(parameters: Sequence[Mapping[str, Any]]) -> list[str]:
    differing = [
        key for key in dict.fromkeys(key for one in parameters for key in one)
        if len({repr(one.get(key)) for one in parameters}) > 1
    ]  # fmt: skip
    names = [", ".join(f"{key}={one[key]}" for key in differing if key in one) or "default" for one in parameters]
    return [name if names.count(name) == 1 else f"{name} ({place})" for place, name in enumerate(names, 1)]


def _validated(given: Mapping[str, Mapping[str, Any]], metric: str) -> Given:
    """Read what `cross_validate` returned for each algorithm."""
    scores, seconds, splits = {}, {}, {}
    for name, found in given.items():
        scorers = [key.removeprefix("test_") for key in found if key.startswith("test_")]
        scores[str(name)] = list(found[f"test_{_scorer(metric, scorers, f'scorer of {name}')}"])
        if "fit_time" in found and "score_time" in found:
            seconds[str(name)] = (float(np.mean(found["fit_time"])), float(np.mean(found["score_time"])))
        if "indices" in found:
            splits[str(name)] = list(zip(found["indices"]["train"], found["indices"]["test"], strict=True))
    return Given(scores, seconds=seconds, splits=_shared(splits))


def _shared(splits: Mapping[str, list[Any]]) -> list[Any] | None:
    """Return the splits that all algorithms had.

    Raises:
        InputError: where they had different ones: their scores do not belong together, split by split.
    """
    if not splits:
        return None
    first, *others = splits
    for name in others:
        same = len(splits[name]) == len(splits[first]) and all(
            np.array_equal(a, b)
            for one, other in zip(splits[first], splits[name], strict=True)
            for a, b in zip(one, other, strict=True)
        )
        if not same:
            raise InputError(
                f"{first} and {name} were scored on different splits, so their scores cannot be paired; give cross_validate "
                "one cv with a random_state for all, such as cv=RepeatedKFold(random_state=0)"
            )
    return splits[first]
