"""Folds: the scores of algorithms on the same splits, and how the splits were made, as stated or inferred; never a silent guess."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import numpy as np

from referee.errors import Argument, InputError, Message, OptionError
from referee.registry import parse
from referee.significance.fold_tests import Layout
from referee.studies.algorithms.designs import Design, FiveByTwo, RepeatedKFold, Resampled, folded, resolve
from referee.studies.algorithms.score_tables import Scores, ScoreTable, read
from referee.studies.algorithms.splitters import design_of_splits, design_of_splitter, is_splits, is_splitter, splits_of

MOST_GUESSED = 20
"""Nobody makes more folds than this of one k-fold without saying so: beyond, it is asked what the splits are."""
SHARES = (0.1, 0.2, 0.33, 0.5)
"""Shares of the examples that random splits usually test; 0.1 is the default of scikit-learn."""
USUAL = (10, 5, 3, 2)
"""How many folds there usually are."""
RANDOM = (
    "resampled:test=0.2",
    "random splits, with the share that each tested (ShuffleSplit: 0.1 unless told otherwise)",
)
"""A choice for `Undecided`."""


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


class Undecided(OptionError):
    """Scores that could come from several designs, with what to say for each."""

    def __init__(self, why: str, choices: Sequence[tuple[str, str]]) -> None:
        """Keep the question: why it is asked, and the designs, each with what it means."""
        self.why, self.choices = why, tuple(choices)
        remedy = self.asked(lambda design: Message("compare_scores(scores, ", Argument("design", design), ")"))
        super().__init__(why, argument="design", remedy=remedy)

    def __reduce__(self) -> tuple[type[Undecided], tuple[str, tuple[tuple[str, str], ...]]]:
        return type(self), (self.why, self.choices)

    def asked(self, written: Callable[[str], str]) -> Message:
        """Return what to choose from, each design written as it is to be given."""
        answers = [part for design, meaning in self.choices for part in ("; ", meaning, ": ", written(design))]
        return Message("say which: ", *answers[1:])


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
    number, scores = table.number, table.scores
    splits = None if table.splits is None else splits_of(table.splits)
    if splits is not None and len(splits) != number:
        raise OptionError(f"there are {len(splits)} splits, and {number} scores of each algorithm", argument="design")
    if splits is not None:
        n_train, n_test = [len(split.train) for split in splits], [len(split.test) for split in splits]
    kind = resolve(design).kind if isinstance(design, str | Design) else None
    # Of splits that are drawn one by one no two make a run, whatever the columns say.
    runs, folds = (None, None) if kind == "random" else table.runs_and_folds()
    if kind == "folds":
        _check_one_run(design, runs, number)
        runs = folds = None
    if runs is not None:
        order = sorted(range(number), key=lambda i: (runs.index(runs[i]), i if folds is None else _place(folds[i])))
        scores = {name: [values[i] for i in order] for name, values in scores.items()}
    sizes = {"n_train": n_train, "n_test": n_test}
    sizes = {what: _sizes(what, getattr(table, what) if n is None else n, number) for what, n in sizes.items()}
    return _laid_out(replace(table, scores=scores, run=runs, fold=folds, splits=splits, **sizes), design)


def _of_search(search: Any) -> Any:
    """Return how a search splits: None and numbers are folds, as scikit-learn has it."""
    cv = getattr(search, "cv", None)
    if cv is None or isinstance(cv, int):
        return "kfold"
    return cv if is_splitter(cv) or is_splits(cv) else None


def _check_one_run(design: Any, runs: list[str] | None, splits: int) -> None:
    """Raise where one run of folds is named, and the columns name several.

    Raises:
        OptionError: with the design that fits.
    """
    number = 1 if runs is None else len(set(runs))
    if 1 < number < splits:
        fitting = Argument("design", folded(number, splits // number).spelled())
        runs_named = f"{design} is one run of folds, and the columns name {number} runs of {splits // number} splits"
        raise OptionError(
            runs_named, argument="design", value=design, remedy=Message("leave the design out, or give ", fitting)
        )


def _laid_out(table: ScoreTable, design: Any) -> Folds:
    """Find how the splits lie: as was told, or as they show; what was assumed is said."""
    told = _told(design, table)
    plan, assumed, others = _shown(table) if told is None else (told, (), ())
    ratio = plan.ratio if table.ratio is None else table.ratio
    if ratio is None:
        raise Undecided(
            "random splits need the share that each tested, or n_train and n_test",
            [("resampled:test=0.2", "a fifth, for instance (ShuffleSplit: 0.1 unless told otherwise)")],
        )
    if isinstance(plan, FiveByTwo) and table.run is None and table.splits is None and not is_splitter(design):
        halves = "the ten rows are taken as five runs of two folds, in this order; columns run and fold would say so"
        assumed = (*assumed, halves)
    # The numbers of splits are told by the scores.
    rivals = {
        other.spelled("number", "repeats"): other.layout_at(size)
        for other in others
        if (size := other.ratio if table.ratio is None else table.ratio) is not None
    }
    n_train, n_test = (
        None if sizes is None or min(sizes) < 1 else float(np.mean(sizes)) for sizes in (table.n_train, table.n_test)
    )
    return Folds(
        scores=table.scores, layout=plan.layout_at(ratio), n_train=n_train, n_test=n_test, seconds=table.seconds,
        design=plan.spelled() if table.ratio is None else plan.spelled("test"),
        warnings=(*table.notes, *assumed, *_contradicted(plan, table)), rivals=rivals,
    )  # fmt: skip


def _contradicted(plan: Design, table: ScoreTable) -> tuple[str, ...]:
    """Warn where the sizes are not those of the design by more than rounding."""
    if plan.ratio is None or table.ratio is None:
        return ()
    whole, tested = np.mean(table.n_train) + np.mean(table.n_test), np.mean(table.n_test)
    expected = whole * plan.ratio / (1 + plan.ratio)
    if abs(tested - expected) <= 1:
        return ()
    return (
        f"{plan.spelled()} would test {expected:,.4g} of {whole:,.4g} examples, but these splits test {tested:,.4g}; the "
        "given sizes are used",
    )


def _told(design: Any, table: ScoreTable) -> Design | None:
    """Return the design that was named, or that the splits themselves show; None where nobody says.

    Raises:
        OptionError: if it does not fit the scores.
    """
    if design is None:
        return None if table.splits is None else design_of_splits(table.splits)
    if is_splitter(design):
        return design_of_splitter(design, table.number)
    plan = resolve(design)
    named = parse(design)[1] if isinstance(design, str) else plan.options
    completed = plan.of_scores({name: getattr(plan, name) for name in named}, table.number, table.runs)
    if completed is None:
        raise Undecided(
            f"{table.number} scores can be folds of several numbers of runs",
            _runs_of_folds(table.number)[:3] or [("kfold", "one run")],
        )
    splits, runs = prod(completed.shape), completed.shape[0]
    name = completed.spelled()
    if splits != table.number:
        raise OptionError(f"{name} has {splits} splits, and there are {table.number} rows", argument="design")
    if table.runs not in (None, runs):
        raise OptionError(f"{name} has {runs} runs, and the scores name {table.runs}", argument="design")
    return completed


def _shown(table: ScoreTable) -> tuple[Design, tuple[str, ...], tuple[Design, ...]]:
    """Return what the runs, the sizes and the number of splits show, what is assumed with it, and what they could be as well."""
    number, runs, ratio = table.number, table.runs or 1, table.ratio
    if runs == number and ratio is None:
        raise Undecided(
            f"each of the {number} runs has one split, which can come from several designs",
            [RANDOM, ("kfold", f"one run of {number} folds, whatever its column is called")],
        )
    in_runs = 1 < runs < number
    plan = folded(runs, number // runs) if in_runs else folded(1, number)
    if in_runs and ratio is not None:
        return plan, (), ()
    if ratio is not None:
        whole = [train + test for train, test in zip(table.n_train, table.n_test, strict=True)]
        if max(whole) - min(whole) < 1 and abs(sum(table.n_test) - whole[0]) <= 0.05 * whole[0]:
            return plan, (), ()
        if number != 10 or runs == number or not 0.8 < ratio < 1.25:
            return Resampled(number=number, test=None), (), ()
        taken = "the ten splits are taken for random ones; five runs of two folds are the design 5x2cv"
        return Resampled(number=number, test=None), (taken,), (FiveByTwo(),)
    if runs == 1 and number > MOST_GUESSED:
        raise Undecided(
            f"{number} scores of each algorithm can come from several designs, and the p-value depends on which",
            [*_runs_of_folds(number)[:2], RANDOM, ("kfold", f"one run of {number} folds, such as leave-one-out")],
        )
    said = f"the {number} scores are taken for those of one {number}-fold cross-validation, each example tested once"
    if in_runs:
        said = f"each of the {runs} runs is taken for {number // runs} folds that test every example once"
    how = "if they are random splits, name the design with the share that each tested, such as resampled:test=0.2"
    others = [folded(number // k, k) for k in _divisors(number) if k != plan.shape[1]]
    return plan, (f"{said}; {how}",), (*others, *(Resampled(number=number, test=share) for share in SHARES))


def _divisors(splits: int) -> list[int]:
    """Return how many folds a run can have, the usual numbers first.

    >>> _divisors(100), _divisors(7)
    ([10, 5, 2, 4, 20], [])
    """
    found = [k for k in range(2, MOST_GUESSED + 1) if splits % k == 0 and splits > k]
    return sorted(found, key=lambda k: USUAL.index(k) if k in USUAL else len(USUAL))


def _runs_of_folds(splits: int) -> list[tuple[str, str]]:
    """Return the choices of runs of folds, each with what it means."""
    meaning = "{} runs of {} folds, run after run as in RepeatedKFold"
    pairs = [(splits // folds, folds) for folds in _divisors(splits)]
    return [(RepeatedKFold(folds=k, repeats=runs).spelled(), meaning.format(runs, k)) for runs, k in pairs]


def _place(fold: str) -> tuple[int, float, str]:
    try:
        return 0, float(fold), ""
    except ValueError:
        return 1, 0.0, fold


def _sizes(what: str, given: Any, splits: int) -> list[float] | None:
    if given is None:
        return None
    sizes = [given] * splits if isinstance(given, int | float) else list(given)
    if len(sizes) != splits:
        unequal = f" has {len(sizes)} numbers, and there are {splits} splits"
        raise OptionError(Argument(what, bare=True), unequal, value=given)
    for size in sizes:
        if not isinstance(size, int | float | np.number) or not size > 0:
            wrong = f" must be a positive number per split; one is {size!r}"
            raise InputError(Argument(what, bare=True), wrong, value=size)
    return [float(size) for size in sizes]
