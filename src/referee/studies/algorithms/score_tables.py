"""Tables of fold scores from elsewhere: files, dataframes, cross_validate, searches."""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from referee.data.columns import aligned
from referee.errors import InputError, unknown

Scores = dict[str, list[float | None]]
WORDS = {
    "run": (
        "run", "repeat", "repetition", "replicate", "replication", "rep", "trial", "iteration", "iter", "seed",
        "random_state", "random_seed", "epoch",
    ),
    "fold": ("fold", "split", "kfold", "cv", "partition"),
    "n_train": ("n_train", "ntrain", "train_size"),
    "n_test": ("n_test", "ntest", "test_size"),
    "index": ("", "index", "unnamed:_0", "level_0", "row", "id", "fit_time", "score_time", "train_time", "predict_time"),
}  # fmt: skip
"""What columns are called that are no algorithm, by what they say. Of two that say the same, the first counts."""
ABOUT = re.compile(r"(?:(?:cv|outer|data|model|test|split)_)?(.*?)s?(?:_(?:id|no|nr|num|number|index|idx))?")
"""What stands around such a word: cv_fold, seeds, run_id."""
RECORDS = ("fit_time", "score_time", "test_score")
"""What `cross_validate` returns for one algorithm: no algorithms, any of them."""


@dataclass(frozen=True)
class ScoreTable:
    """Fold scores as they were given, before anything is concluded from them."""

    scores: Scores
    """By algorithm, one a split; None where there is none."""
    n_train: Any = None
    n_test: Any = None
    run: Any = None
    fold: Any = None
    aside: tuple[str, ...] = ()
    """The columns that were not taken for algorithms."""
    seconds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    splits: Any = None
    """The splits themselves, (train, test) for each, where they are known."""
    notes: tuple[str, ...] = ()
    """What was done to the scores on the way, in sentences."""

    @property
    def number(self) -> int:
        """How many splits were scored."""
        return len(next(iter(self.scores.values())))

    @property
    def runs(self) -> int | None:
        """How many runs are named."""
        return None if self.run is None else len(set(self.run))

    @property
    def ratio(self) -> float | None:
        """Test examples to training examples."""
        return None if self.n_train is None or self.n_test is None else sum(self.n_test) / sum(self.n_train)

    def runs_and_folds(self) -> tuple[list[str] | None, list[str] | None]:
        """Return the run and the fold of each split; of folds that come again and again, the time they come is the run.

        Raises:
            InputError: if folds or runs are uneven.
        """
        runs, folds = (None if what is None else [str(one).strip() for one in what] for what in (self.run, self.fold))
        for what, labels in (("run", runs), ("fold", folds)):
            size = self.number if labels is None else len(labels)
            if size != self.number:
                raise InputError(
                    f"the column of each split's {what} has {size} rows, and there are {self.number} scores"
                )
        if runs is not None and len(set(runs)) == 1:
            runs = None
        if folds is not None and runs is None:
            times = Counter(folds)
            if len(set(times.values())) > 1:
                (most, often), *_, (least, seldom) = times.most_common()
                raise InputError(
                    f"fold {most} occurs {often} times, and fold {least} {seldom}; each run has every fold once"
                )
            if 1 < len(times) < self.number:
                runs = [str(folds[:place].count(fold)) for place, fold in enumerate(folds)]
        if runs is not None and folds is not None and len(set(zip(runs, folds, strict=True))) < self.number:
            raise InputError("a fold of a run occurs twice; each row is one split")
        if runs is not None and len(set(Counter(runs).values())) > 1:
            raise InputError("the runs have different numbers of splits; a run splits all the examples into folds")
        return runs, folds


def read(given: Any, metric: str) -> ScoreTable:
    """Read fold scores: numbers, as many of one algorithm as of every other.

    Args:
        given: a path or a dataframe, a mapping of names to scores or to what `cross_validate` returned, `cv_results_`, or
            the search that has them.
        metric: which scorer, where there are several.

    Raises:
        InputError: if they are no numbers, or there are too few algorithms or splits.
    """
    table = _read(given, metric)
    scores = {name: _numbers(name, values) for name, values in table.scores.items()}
    if len(scores) < 2:
        left = f" beside {', '.join(table.aside)}; a column of that name says of which split a score is, and if it is an algorithm, rename it"
        raise InputError(
            f"scores of two algorithms or more are compared; there are {len(scores)}: {', '.join(scores) or 'none'}"
            + (left if table.aside else "")
        )
    if len({len(values) for values in scores.values()}) > 1:
        shown = ", ".join(f"{name} {len(values)}" for name, values in scores.items())
        raise InputError(f"all algorithms must be scored on the same splits; they have: {shown}")
    table = replace(table, scores=scores)
    if table.number < 2:
        raise InputError(
            f"a test of fold scores needs two splits or more; there {'is 1' if table.number else 'are none'}"
        )
    return table


def _read(given: Any, metric: str) -> ScoreTable:
    """Read fold scores as they are: what is said of a search or of cross_validate, else columns by their roles."""
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
        kinds = "a path, a dataframe, a mapping of names to scores or to what cross_validate returned, or cv_results_"
        raise InputError(f"scores are {kinds}; this is {type(given).__name__}") from None
    return {str(name): frame[name].to_list() for name in frame.columns}


def _scorer(metric: str, known: Sequence[str], what: str) -> str:
    """Return which of the scorers is meant; a single one that has no name of its own is, whatever it is called here."""
    if metric in known:
        return metric
    if len(known) == 1 and "score" in (metric, known[0]):
        return known[0]
    raise unknown(what, metric, known, "metric")


def _search(results: Mapping[str, Any], metric: str) -> ScoreTable:
    """Read `cv_results_`: every candidate is an algorithm, called by the parameters in which they differ."""
    if len(set(np.asarray(results.get("n_resources", [0])).tolist())) > 1:
        one = "frame = pd.DataFrame(search.cv_results_); compare_scores(frame[frame['iter'] == frame['iter'].max()])"
        uneven = "the candidates of a halving search were trained on different numbers of examples"
        raise InputError(uneven, remedy=f"compare those of one iteration: {one}")
    known = sorted({key.split("_test_", 1)[1] for key in results if key.startswith("split0_test_")})
    scorer = _scorer(metric, known, "scorer in cv_results_")
    splits = sum(key.startswith("split") and key.endswith(f"_test_{scorer}") for key in results)
    rows = np.array([results[f"split{i}_test_{scorer}"] for i in range(splits)], dtype=np.float64)
    names = _candidates(list(results["params"]))
    seconds = {}
    if "mean_fit_time" in results and "mean_score_time" in results:
        fit, score = (list(results[key]) for key in ("mean_fit_time", "mean_score_time"))
        seconds = {name: (float(fit[i]), float(score[i])) for i, name in enumerate(names)}
    return ScoreTable({name: rows[:, place].tolist() for place, name in enumerate(names)}, seconds=seconds)


def _candidates(parameters: Sequence[Mapping[str, Any]]) -> list[str]:
    differing = [
        key for key in dict.fromkeys(key for one in parameters for key in one)
        if len({repr(one.get(key)) for one in parameters}) > 1
    ]  # fmt: skip
    names = [", ".join(f"{key}={one[key]}" for key in differing if key in one) or "default" for one in parameters]
    return [name if names.count(name) == 1 else f"{name} ({place})" for place, name in enumerate(names, 1)]


def _validated(given: Mapping[str, Mapping[str, Any]], metric: str) -> ScoreTable:
    """Read what `cross_validate` returned for each algorithm."""
    scores, seconds, splits = {}, {}, {}
    for name, found in given.items():
        scorers = [key.removeprefix("test_") for key in found if key.startswith("test_")]
        scores[str(name)] = list(found[f"test_{_scorer(metric, scorers, f'scorer of {name}')}"])
        if "fit_time" in found and "score_time" in found:
            seconds[str(name)] = (float(np.mean(found["fit_time"])), float(np.mean(found["score_time"])))
        if "indices" in found:
            splits[str(name)] = list(zip(found["indices"]["train"], found["indices"]["test"], strict=True))
    return ScoreTable(scores, seconds=seconds, splits=_shared(splits))


def _shared(splits: Mapping[str, list[Any]]) -> list[Any] | None:
    """Return the splits that all algorithms had.

    Raises:
        InputError: if they had different ones: their scores do not belong together, split by split.
    """
    if not splits:
        return None
    first, *others = splits
    parts = {name: [part for split in own for part in split] for name, own in splits.items()}
    for name in others:
        if len(parts[name]) != len(parts[first]) or not all(map(np.array_equal, parts[first], parts[name])):
            unpaired = f"{first} and {name} were scored on different splits, so their scores cannot be paired"
            one_cv = "give cross_validate one cv with a random_state for all, such as cv=RepeatedKFold(random_state=0)"
            raise InputError(unpaired, remedy=one_cv)
    return splits[first]


def role(name: str) -> str | None:
    """Return what a column says that is no algorithm; None where it is one.

    >>> role("Seed"), role("CV fold"), role("random-state"), role("run_id"), role("svm"), role("trial_2")
    ('run', 'fold', 'run', 'run', None, None)
    """
    known = {word: what for what, words in WORDS.items() for word in words}
    text = re.sub(r"[\s.-]+", "_", name.strip().lower())
    if text in known:
        return known[text]
    inner = ABOUT.fullmatch(text)
    return known.get(inner[1]) if inner and inner[1] else None


def sort_out(columns: Mapping[str, Any]) -> ScoreTable:
    """Tell the algorithms of a table from what says where their scores come from.

    Raises:
        InputError: if the columns are the record of one algorithm.
    """
    roles = {name: role(name) for name in columns}
    if "test_score" in columns and any(name in columns for name in RECORDS[:2]):
        raise InputError(
            f"these are the records of one algorithm ({', '.join(name for name in RECORDS if name in columns)}), as "
            "cross_validate returns them; give those of each: compare_scores({'old': cross_validate(...), "
            "'new': cross_validate(...)})"
        )
    found = {what: columns[name] for what in WORDS if (name := _first(what, roles)) is not None and what != "index"}
    return ScoreTable(
        {name: values for name, values in columns.items() if roles[name] is None},
        **found,
        aside=tuple(name for name in columns if roles[name] is not None),
    )


def _first(what: str, roles: Mapping[str, str | None]) -> str | None:
    """Return the column that says this, the plainest word first."""
    own = [name for name, given in roles.items() if given == what]
    plainest = (name for word in WORDS[what] for name in own if word and word in name.lower())
    return next(plainest, own[0] if own else None)


def _numbers(name: str, values: Any) -> list[float | None]:
    try:
        found = [None if value is None else float(value) for value in values]
    except (TypeError, ValueError) as error:
        given = f"an array of {np.ndim(values)} dimensions" if np.ndim(values) > 1 else type(values).__name__
        raise InputError(
            f"the scores of {name} must be numbers, one per split; this is {given}"
            + (f" with {error}" if isinstance(values, list | tuple) else "")
        ) from error
    infinite = next((place for place, value in enumerate(found, 1) if value is not None and math.isinf(value)), None)
    if infinite is not None:
        raise InputError(f"fold scores are finite numbers; number {infinite} of {name} is {found[infinite - 1]}")
    return [None if value is None or math.isnan(value) else value for value in found]
