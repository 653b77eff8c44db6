"""Designs: how the examples are split into training and test sets, again and again."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar

import numpy as np

from referee.data.columns import Ints
from referee.errors import Argument, InputError, Message, OptionError, refusal
from referee.registry import Family, Spelt, check_between, spell
from referee.results.test_info import Phrase, said
from referee.runtime.randomness import Streams
from referee.significance.fold_tests import FOLD_TESTS, Layout

STANDARD = "resampled"
"""The design that is taken if none is named: of those that kept alpha with all learners, its test saw most
(docs/algorithms.md)."""
FEWEST = 6
"""With fewer groups, groups that are split again and again give the same splits again and again."""
MOST = 10_000
"""How many splits can be asked for."""
Kind: TypeAlias = Literal["folds", "runs", "random", "once"]
"""How splits lie: one run of folds, several of them, drawn one by one, or a single split."""


@dataclass(frozen=True, eq=False)
class Split:
    """Which examples are trained on, and which are tested."""

    train: Ints
    test: Ints


@dataclass(frozen=True, kw_only=True)
class Design(Spelt):
    """The common part of all designs; `design` says what else each declares."""

    kind: ClassVar[Kind] = "folds"
    test_of_scores: ClassVar[str | None] = None
    reason: ClassVar[str] = ""
    procedure: ClassVar[Phrase] = ()

    def spelled(self, *without: str) -> str:
        """Return the spelling with every option that is known, also those that are as usual, without some.

        >>> KFold().spelled(), Resampled(number=10, test=0.5).spelled("number")
        ('kfold:folds=10', 'resampled:test=0.5')
        """
        known = {name: value for name, value in self.options.items() if value is not None and name not in without}
        return spell(self.name, {name: round(v, 4) if isinstance(v, float) else v for name, v in known.items()})

    @property
    def options(self) -> dict[str, Any]:
        """Its options, by name."""
        return {option.name: getattr(self, option.name) for option in fields(self)}

    @property
    def shape(self) -> tuple[int, int]:
        """How often all the examples are split anew, and how many splits that gives each time."""
        return 1, 1

    @property
    def ratio(self) -> float | None:
        """Test examples to training examples, as far as the design says."""
        folds = self.shape[1]
        return 1 / (folds - 1) if folds > 1 else None

    def check_options(self) -> None:
        """Raise where an option cannot be: shares lie between 0 and 1, and numbers of splits have a least and a most."""
        for option in fields(self):
            value, what = getattr(self, option.name), f"{self.name}:{option.name}"
            if isinstance(option.default, float) and (value is None or not 0 < value < 1):
                raise refusal("design", "must lie between 0 and 1", value, what)
            if isinstance(option.default, int):
                check_between("design", what, value, option.metadata.get("least", 2), MOST)

    @classmethod
    def of_scores(cls, options: Mapping[str, Any], splits: int, runs: int | None) -> Design | None:
        """Return the design that so many scores come from.

        A number that is left out is that of the scores, and a share that is left out is not known.

        Args:
            options: those that were named.
            splits: how many scores there are of each algorithm.
            runs: how many runs the scores name; None where they name none.

        Returns:
            The design; None where the scores allow several.
        """
        unnamed = {option.name: splits if isinstance(option.default, int) else None for option in fields(cls)}
        return cls(**{**unnamed, **options})

    def splits(self, y: Any, group: Any, stratify: bool, streams: Streams) -> list[Split]:
        """Split the examples.

        Args:
            y: the truth, one an example.
            group: examples of one group stay together; None where there are none.
            stratify: whether every split has the classes in the proportions of the whole.
            streams: the source of randomness; each run has its own.

        Raises:
            InputError: if a class or the groups are too few.
        """
        y, group = np.asarray(y), None if group is None else np.asarray(group)
        self._check(y, group, stratify)
        seeds = [int(streams.at(run).integers(2**31)) for run in range(self.shape[0])]
        with warnings.catch_warnings():
            # Whole groups cannot always hold every class; that is the data's way and no fault.
            warnings.simplefilter("ignore", UserWarning)
            found = [split for seed in seeds for split in self._run(y, group, stratify, seed)]
        for place, split in enumerate(found, 1):
            if not len(split.train) or not len(split.test):
                lacking = "train" if len(split.test) else "test"
                raise InputError(f"split {place} of {self} has no examples to {lacking} on")
        return found

    def layout(self, splits: list[Split]) -> Layout:
        """Return what a test has to know about the splits."""
        return self.layout_at(sum(len(split.test) for split in splits) / sum(len(split.train) for split in splits))

    def layout_at(self, ratio: float) -> Layout:
        """Return the same where only the ratio of test examples to training examples is known."""
        return Layout(self.name, *self.shape, ratio)

    def _run(self, y: Any, group: Any, stratify: bool, seed: int) -> Iterator[Split]:
        """Yield the splits of a run: as many folds as its shape says, or a random split with its share to test."""
        from sklearn import model_selection as sk

        folds, together = self.shape[1], group is not None
        if self.kind in ("folds", "runs") and together:
            dealt = _dealt(y, group, stratify, folds, seed)
            yield from (Split(np.flatnonzero(dealt != fold), np.flatnonzero(dealt == fold)) for fold in range(folds))
            return
        if self.kind in ("folds", "runs"):
            made = (sk.StratifiedKFold if stratify else sk.KFold)(folds, shuffle=True, random_state=seed)
        else:
            cls = sk.GroupShuffleSplit if together else sk.StratifiedShuffleSplit if stratify else sk.ShuffleSplit
            made = cls(1, test_size=self.options["test"], random_state=seed)
        try:
            for train, test in made.split(np.zeros(len(y)), y, group):
                yield Split(np.sort(train), np.sort(test))
        except ValueError as error:
            raise InputError(f"the examples cannot be split by {self}: {error}") from error

    def _check(self, y: Any, group: Any, stratify: bool) -> None:
        """Raise where there are fewer groups, or members of a class, than parts."""
        parts = max(2, self.shape[1])
        if group is not None:
            found, least = len(np.unique(group)), max(parts, FEWEST if self.shape[0] > 1 else 2)
            if found < least:
                raise InputError(f"{self} needs at least {least} groups, or its splits repeat; there are {found}")
            return
        if stratify:
            labels, sizes = np.unique(y, return_counts=True)
            rare = sizes.argmin()
            if sizes[rare] < parts:
                fewer = f"take fewer folds ({self.name}:folds=5), " if "folds" in self.options else ""
                few = f"{self} needs {parts} examples of every class, and the class {labels[rare]!s} has only {sizes[rare]}"
                rest = "merge or leave out rare classes, or give "
                raise InputError(few, remedy=Message(fewer, rest, Argument("stratify", False)))
        elif len(y) < parts:
            raise InputError(f"{self} needs at least {parts} examples; there are {len(y)}")


DESIGNS = Family("design", Design, "5x2cv")
T = TypeVar("T", bound=type[Design])


def design(
    name: str, kind: Kind, *, procedure: Phrase = (), test: str | None = None, reason: str = "", like: str | None = None
) -> Callable[[T], T]:
    """Register a design: this decorator and the class under it are all that a new one needs.

    Args:
        name: what it is called in messages, on the command line and in results.
        kind: how its splits lie: one run of folds, several runs of folds, splits that are drawn one by one, or a single one.
        procedure: what a paper calls it, `said(phrase, *keys of the bibliography)`, where `{splits}` is the number of splits.
        test: the test of its scores that is taken if none is named; None for a single split, where the data choose.
        reason: why that one.
        like: a design whose splits lie in the same way; the tests that fit it fit the new one too.
    """
    for fold_test in map(FOLD_TESTS.__getitem__, FOLD_TESTS):
        if like in fold_test.fits:
            fold_test.fits = tuple(dict.fromkeys((*fold_test.fits, name)))
    return DESIGNS.define(name, kind=kind, procedure=procedure, test_of_scores=test, reason=reason)


def resolve(design: str | Design) -> Design:
    """Find a design: a Design, or the spelling of one.

    Raises:
        RefereeError: if there is no such design, or it has no such options.

    >>> str(resolve("kfold:folds=5"))
    'kfold:folds=5'
    """
    resolved = DESIGNS.resolve(design)
    resolved.check_options()
    return resolved


def _dealt(y: Any, group: Any, stratify: bool, folds: int, seed: int) -> Ints:
    """Deal whole groups to folds, in random order, each to the fold that it keeps most even; return each example's fold.

    scikit-learn deals the groups with the most uneven classes first, whatever the seed, so that its folds hardly vary.
    """
    _, codes = np.unique(group, return_inverse=True)
    kinds = np.unique(y, return_inverse=True)[1] if stratify else np.zeros(len(y), np.int64)
    sizes = np.zeros((codes.max() + 1, kinds.max() + 1))
    np.add.at(sizes, (codes, kinds), 1.0)
    sizes /= sizes.sum(axis=0)
    held, place = np.zeros((folds, sizes.shape[1])), np.zeros(len(sizes), np.int64)
    for number, one in enumerate(np.random.default_rng(seed).permutation(len(sizes))):
        uneven = ((held + sizes[one]) ** 2).sum(axis=1) - (held**2).sum(axis=1)
        # The first ones go to empty folds, so that none stays empty.
        place[one] = number if number < folds else int(uneven.argmin())
        held[place[one]] += sizes[one]
    return place[codes]


OVERLAP = "training sets of the folds overlap, and the corrected t test allows for it"
ALL_TEN = "the combined F test uses all ten differences, in whatever order they come"
HALVES = said("five runs of two-fold cross-validation", "dietterich1998")
REPEATED = said("repeated cross-validation ({splits} splits)")
SPLITS = said("{splits} random splits into training and test examples")
RANDOM = "random splits overlap, and the corrected t test allows for it"


@design("5x2cv", "runs", procedure=HALVES, test="5x2cv-f", reason=ALL_TEN)
@dataclass(frozen=True, kw_only=True)
class FiveByTwo(Design):
    """Two-fold cross-validation, repeated five times: 10 fits per algorithm."""

    @property
    def shape(self) -> tuple[int, int]:
        """Five runs of two."""
        return 5, 2

    @classmethod
    def of_scores(cls, options: Mapping[str, Any], splits: int, runs: int | None) -> Design:
        """Return the design; there must be ten scores."""
        if splits != 10:
            raise InputError(f"5x2cv has 10 splits, two of each of five runs; there are {splits}")
        return cls()


@design("kfold", "folds", procedure=said("{splits}-fold cross-validation"), test="corrected-t", reason=OVERLAP)
@dataclass(frozen=True, kw_only=True)
class KFold(Design):
    """Cross-validation: each fold is tested once, by models trained on the others: 10 fits per algorithm."""

    folds: int = 10

    @property
    def shape(self) -> tuple[int, int]:
        """One run of so many."""
        return 1, self.folds


@design("repeated-kfold", "runs", procedure=REPEATED, test="corrected-t", reason=OVERLAP)
@dataclass(frozen=True, kw_only=True)
class RepeatedKFold(KFold):
    """Cross-validation repeated with new random folds: 100 fits per algorithm."""

    repeats: int = field(default=10, metadata={"least": 1})

    @property
    def shape(self) -> tuple[int, int]:
        """Runs and folds."""
        return self.repeats, self.folds

    @classmethod
    def of_scores(cls, options: Mapping[str, Any], splits: int, runs: int | None) -> Design | None:
        """Return the folds that are named, or of the runs that are known; None where neither is."""
        if "folds" in options:
            return cls(**{"repeats": max(1, splits // options["folds"]), **options})
        repeats = options.get("repeats", runs)
        return None if repeats is None else cls(folds=max(1, splits // repeats), repeats=repeats)


@design("resampled", "random", procedure=SPLITS, test="corrected-t", reason=RANDOM)
@dataclass(frozen=True, kw_only=True)
class Resampled(Design):
    """Random splits, one third tested: 30 fits per algorithm."""

    number: int = 30
    test: float | None = 1 / 3
    """None of splits made elsewhere whose share nobody says."""

    @property
    def shape(self) -> tuple[int, int]:
        """So many runs of one split."""
        return self.number, 1

    @property
    def ratio(self) -> float | None:
        """As the share says."""
        return None if self.test is None else self.test / (1 - self.test)


@design("holdout", "once", procedure=said("one random split into training and test examples"))
@dataclass(frozen=True, kw_only=True)
class Holdout(Design):
    """One random split, one third tested, for any test of two models on one test set: 1 fit per algorithm."""

    test: float = 1 / 3

    @classmethod
    def of_scores(cls, options: Mapping[str, Any], splits: int, runs: int | None) -> Design:
        """Raise: one score of each algorithm cannot be tested."""
        once = "a holdout has one split, whose test needs the predictions"
        raise OptionError(once, argument="design", remedy="use compare")


def folded(runs: int, folds: int) -> Design:
    """Return the design of folds: one run, five runs of two, or other repetitions.

    >>> folded(1, 10).spelled(), folded(5, 2).spelled(), folded(10, 10).spelled()
    ('kfold:folds=10', '5x2cv', 'repeated-kfold:folds=10,repeats=10')
    """
    if runs == 1:
        return KFold(folds=folds)
    return FiveByTwo() if (runs, folds) == (5, 2) else RepeatedKFold(folds=folds, repeats=runs)
