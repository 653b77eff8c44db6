"""Folds: the scores of algorithms on the same splits, whether they were fitted here or elsewhere."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from referee.errors import InputError, OptionError
from referee.registry import parse
from referee.significance.fold_tests import Layout
from referee.studies.algorithms.designs import Design
from referee.studies.algorithms.plans import MOST_GUESSED, RANDOM, Plan, Undecided, rivals, stated, undecided
from referee.studies.algorithms.records import read
from referee.studies.algorithms.score_columns import Given
from referee.studies.algorithms.splitters import is_splits, is_splitter, plan_of_splits, plan_of_splitter, splits_of

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
    rivals: Mapping[str, Layout] = field(default_factory=dict)
    """What the splits could be as well, by the spelling of the design, where it was assumed and not told."""

    @property
    def complete(self) -> list[str]:
        """The algorithms that have a score on every split."""
        return [name for name, scores in self.scores.items() if None not in scores]


@dataclass(frozen=True)
class _Known:
    """What is known of the splits, beside what somebody says of them."""

    number: int
    train: list[float] | None
    test: list[float] | None
    runs: list[str] | None
    """The run of each split."""
    splits: Any
    """The splits themselves."""

    @property
    def ratio(self) -> float | None:
        """Test examples to training examples."""
        return None if self.train is None or self.test is None else sum(self.test) / sum(self.train)


def folds_of(
    given: Any, *, design: Any = None, n_train: Any = None, n_test: Any = None, metric: str = "score"
) -> Folds:
    """Read fold scores that exist already.

    Args:
        given: a path or a dataframe (one row per split, one column per algorithm, with n_train and n_test, maybe run and
            fold), a mapping of names to scores or to what `cross_validate` returned, `cv_results_` or the search itself.
        design: the design they come from, a splitter of scikit-learn, or the splits; found from the scores if left out.
        n_train: how many examples a split trains on, where the table does not say: a number, or one per split.
        n_test: how many it tests.
        metric: which scorer, where there are several.
    """
    if design is None and hasattr(given, "cv_results_"):
        design = _of_search(given)
    table = read(given, metric)
    if is_splits(design):
        table, design = replace(table, splits=design), None
    scores = {name: _numbers(name, values) for name, values in table.scores.items()}
    number = _length(scores, table.aside)
    splits = None if table.splits is None else splits_of(table.splits)
    if splits is not None and len(splits) != number:
        raise OptionError(f"there are {len(splits)} splits, and {number} scores of each algorithm")
    sizes = {
        "n_train": n_train if n_train is not None else table.n_train,
        "n_test": n_test if n_test is not None else table.n_test,
    }
    if splits is not None:
        sizes = {"n_train": [len(one.train) for one in splits], "n_test": [len(one.test) for one in splits]}
    named = parse(str(design))[0] if isinstance(design, str | Design) else None
    runs, folds = (None, None) if named == "resampled" else _runs(table, number)
    if named == "kfold":
        _check_one_run(design, runs, number)
        runs = folds = None
    train, test = (_sizes(what, size, number) for what, size in sizes.items())
    known = _Known(number, train, test, runs, splits)
    if runs is not None:
        order = sorted(range(number), key=lambda i: (runs.index(runs[i]), i if folds is None else _place(folds[i])))
        scores = {name: [values[i] for i in order] for name, values in scores.items()}
    laid_out = _laid_out(scores, known, design, table.seconds)
    return replace(laid_out, warnings=(*table.notes, *laid_out.warnings))


def _of_search(search: Any) -> Any:
    """Return how a search splits: None and numbers are folds, as scikit-learn has it."""
    cv = getattr(search, "cv", None)
    if cv is None or isinstance(cv, int):
        return "kfold"
    return cv if is_splitter(cv) or is_splits(cv) else None


def _length(scores: Scores, aside: tuple[str, ...]) -> int:
    """Return the number of splits.

    Raises:
        InputError: where the algorithms differ in it, or there are too few of either.
    """
    if len(scores) < 2:
        left = f" beside {', '.join(aside)}; a column of that name says of which split a score is, and if it is an algorithm, rename it"
        raise InputError(
            f"scores of two algorithms or more are compared; there are {len(scores)}: {', '.join(scores) or 'none'}"
            + (left if aside else "")
        )
    lengths = {name: len(values) for name, values in scores.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name} {size}" for name, size in lengths.items())
        raise InputError(f"all algorithms must be scored on the same splits; they have: {shown}")
    splits = next(iter(lengths.values()))
    if splits < 2:
        raise InputError(f"a test of fold scores needs two splits or more; there {'is 1' if splits else 'are none'}")
    return splits


def _runs(table: Given, splits: int) -> tuple[list[str] | None, list[str] | None]:
    """Return the run and the fold of each split; of folds that come again and again, the time they come is the run.

    Raises:
        InputError: where folds or runs are uneven.
    """
    runs, folds = (None if what is None else [str(one).strip() for one in what] for what in (table.run, table.fold))
    for what, labels in (("run", runs), ("fold", folds)):
        if labels is not None and len(labels) != splits:
            raise InputError(f"the column of each split's {what} has {len(labels)} rows, and there are {splits} scores")
    if runs is not None and len(set(runs)) == 1:
        runs = None
    if folds is not None and runs is None:
        times = Counter(folds)
        if len(set(times.values())) > 1:
            (most, often), *_, (least, seldom) = times.most_common()
            raise InputError(
                f"fold {most} occurs {often} times, and fold {least} {seldom}; each run has every fold once"
            )
        if 1 < len(times) < splits:
            runs = [str(folds[:place].count(fold)) for place, fold in enumerate(folds)]
    if runs is not None and folds is not None and len(set(zip(runs, folds, strict=True))) < splits:
        raise InputError("a fold of a run occurs twice; each row is one split")
    if runs is not None and len(set(Counter(runs).values())) > 1:
        raise InputError("the runs have different numbers of splits; a run splits all the examples into folds")
    return runs, folds


def _check_one_run(design: Any, runs: list[str] | None, splits: int) -> None:
    """Raise where one run of folds is named, and the columns name several.

    Raises:
        OptionError: with the design that fits.
    """
    number = 1 if runs is None else len(set(runs))
    if 1 < number < splits:
        raise OptionError(
            f"{design} is one run of folds, and the columns name {number} runs of {splits // number} splits; leave the design "
            f"out, or give design='{Plan.folded(number, splits // number)}'"
        )


def _laid_out(scores: Scores, known: _Known, design: Any, seconds: Mapping[str, tuple[float, float]]) -> Folds:
    """Find how the splits lie: as was told, or as they show; what was assumed is said."""
    told = _told(design, known)
    plan, said, others = _shown(known) if told is None else (told, (), ())
    ratio = plan.ratio if known.ratio is None else known.ratio
    if ratio is None:
        raise Undecided(
            "random splits need the share that each tested, or n_train and n_test",
            [("resampled:test=0.2", "a fifth, for instance (ShuffleSplit: 0.1 unless told otherwise)")],
        )
    if plan.name == "5x2cv" and known.runs is None and known.splits is None and not is_splitter(design):
        said = (
            *said,
            "the ten rows are taken as five runs of two folds, in this order; columns run and fold would say so",
        )
    said = (*said, *_contradicted(plan, known))
    layouts = {
        one.shortest: one.layout(size)
        for one in others
        if (size := one.ratio if known.ratio is None else known.ratio) is not None
    }
    return Folds(
        scores=scores,
        layout=plan.layout(ratio),
        design=str(plan if known.ratio is None else replace(plan, share=None)),
        n_train=_mean(known.train),
        n_test=_mean(known.test),
        seconds=seconds,
        warnings=said,
        rivals=layouts,
    )


def _contradicted(plan: Plan, known: _Known) -> tuple[str, ...]:
    """Warn where the sizes are not those of the design by more than rounding."""
    if plan.ratio is None or known.train is None or known.test is None:
        return ()
    whole, tested = np.mean(known.train) + np.mean(known.test), np.mean(known.test)
    expected = whole * plan.ratio / (1 + plan.ratio)
    if abs(tested - expected) <= 1:
        return ()
    return (
        f"{plan} would test {expected:,.4g} of {whole:,.4g} examples, and these splits test {tested:,.4g}; the sizes are taken "
        "as they are",
    )


def _told(design: Any, known: _Known) -> Plan | None:
    """Return the plan that was named, or that the splits themselves show; None where nobody says."""
    if design is None:
        return None if known.splits is None else plan_of_splits(known.splits)
    if is_splitter(design):
        return plan_of_splitter(design, known.number)
    return stated(design, known.number, None if known.runs is None else len(set(known.runs)))


def _shown(known: _Known) -> tuple[Plan, tuple[str, ...], tuple[Plan, ...]]:
    """Return what the runs, the sizes and the number of splits show, what is assumed with it, and what they could be as well."""
    number, runs = known.number, 1 if known.runs is None else len(set(known.runs))
    if runs == number and known.ratio is None:
        raise Undecided(
            f"each of the {number} runs has one split, which can come from several designs",
            [RANDOM, ("kfold", f"one run of {number} folds, whatever its column is called")],
        )
    if 1 < runs < number:
        plan = Plan.folded(runs, number // runs)
        if known.ratio is not None:
            return plan, (), ()
        said = f"each of the {runs} runs is taken for {plan.folds} folds that test every example once"
    elif known.train is not None and known.test is not None:
        whole = [a + b for a, b in zip(known.train, known.test, strict=True)]
        if max(whole) - min(whole) < 1 and abs(sum(known.test) - whole[0]) <= 0.05 * whole[0]:
            return Plan.folded(1, number), (), ()
        plan = Plan("resampled", number, 1)
        if number != 10 or runs == number or not 0.8 < (known.ratio or 0) < 1.25:
            return plan, (), ()
        return (
            plan,
            ("the ten splits are taken for random ones; five runs of two folds are the design 5x2cv",),
            rivals(plan),
        )
    elif number > MOST_GUESSED:
        raise undecided(number)
    else:
        plan = Plan.folded(1, number)
        said = (
            f"the {number} scores are taken for those of one {number}-fold cross-validation, each example tested once"
        )
    return (
        plan,
        (
            f"{said}; if they are random splits, name the design with the share that each tested, such as resampled:test=0.2",
        ),
        rivals(plan),
    )


def _mean(sizes: list[float] | None) -> float | None:
    """Return the mean of sizes; None where they are shares, or not known."""
    return None if sizes is None or min(sizes) < 1 else float(np.mean(sizes))


def _place(fold: Any) -> tuple[int, float, str]:
    try:
        return 0, float(fold), ""
    except (TypeError, ValueError):
        return 1, 0.0, str(fold)


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
