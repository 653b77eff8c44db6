"""Designs: how the examples are split into training and test sets, again and again."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeVar

import numpy as np

from referee.data.columns import Ints
from referee.errors import InputError, OptionError
from referee.registry import Registry, build, spell
from referee.runtime.randomness import Streams
from referee.significance.fold_tests import Layout

DESIGNS: Registry[type[Design]] = Registry("design")
STANDARD = "resampled"
"""The design that is taken if none is named: of those that kept alpha with all learners, its test saw most
(docs/algorithms.md)."""
FEWEST = 6
"""With fewer groups, groups that are split again and again give the same splits again and again."""
MOST = 10_000
"""How many splits can be asked for."""


@dataclass(frozen=True, eq=False)
class Split:
    """Which examples are trained on, and which are tested."""

    train: Ints
    test: Ints


@dataclass(frozen=True, kw_only=True)
class Design:
    """The common part of all designs."""

    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""

    def __str__(self) -> str:
        given = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}
        return spell(self.name, given)

    @property
    def shape(self) -> tuple[int, int]:
        """How often all the examples are split anew, and how many splits that gives each time."""
        return 1, 1

    def splits(self, y: Any, group: Any, stratify: bool, streams: Streams) -> list[Split]:
        """Split the examples.

        Args:
            y: the truth, one an example.
            group: examples of one group stay together; None where there are none.
            stratify: whether every split has the classes in the proportions of the whole.
            streams: the source of randomness; each run has its own.

        Raises:
            InputError: where a class or the groups are too few.
        """
        y = np.asarray(y)
        group = None if group is None else np.asarray(group)
        self._check(y, group, stratify)
        seeds = [int(streams.at(run).integers(2**31)) for run in range(self.shape[0])]
        with warnings.catch_warnings():
            # Whole groups cannot always hold every class; that is the data's way and no fault.
            warnings.simplefilter("ignore", UserWarning)
            found = [split for seed in seeds for split in self._run(y, group, stratify, seed)]
        for place, split in enumerate(found, 1):
            if not len(split.train) or not len(split.test):
                raise InputError(
                    f"split {place} of {self} has no examples to {'train' if len(split.test) else 'test'} on"
                )
        return found

    def layout(self, splits: list[Split]) -> Layout:
        """Return what a test has to know about the splits."""
        trained, tested = (
            sum(len(part) for part in parts) for parts in zip(*((s.train, s.test) for s in splits), strict=True)
        )
        return Layout(self.name, *self.shape, tested / trained)

    def _run(self, y: Any, group: Any, stratify: bool, seed: int) -> Iterator[Split]:
        raise NotImplementedError

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
                raise InputError(
                    f"{self} puts members of every class into {parts} parts, and the class {labels[rare]!s} has only "
                    f"{sizes[rare]}; {self._remedy()}"
                )
        elif len(y) < parts:
            raise InputError(f"{self} needs at least {parts} examples; there are {len(y)}")

    def _remedy(self) -> str:
        return "merge or leave out rare classes, or give stratify=False (--no-stratify)"


T = TypeVar("T", bound=type[Design])


def design(name: str) -> Callable[[T], T]:
    """Register a design: this decorator and the class under it are all that a new one needs."""

    def register(cls: T) -> T:
        cls.name = name
        cls.summary = (cls.__doc__ or name).splitlines()[0]
        DESIGNS.add(name, cls)
        return cls

    return register


def resolve(given: str | Design) -> Design:
    """Find a design: a Design, or the spelling of one.

    >>> str(resolve("kfold:folds=5"))
    'kfold:folds=5'
    """
    return build(DESIGNS, given, Design, "5x2cv")


def _whole(what: str, value: int, least: int) -> None:
    if not least <= value <= MOST:
        raise OptionError(f"{what} must be at least {least} and at most {MOST:,}; it is {value}")


def _share(what: str, value: float) -> None:
    if not 0 < value < 1:
        raise OptionError(f"{what} must lie between 0 and 1; it is {value!r}")


def _shuffled(y: Any, group: Any, stratify: bool, share: float, seed: int) -> Split:
    """Draw one split with this share of examples to test; of groups, with this share of the groups."""
    from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit, StratifiedShuffleSplit

    places = np.zeros(len(y))
    if group is not None:
        train, test = next(GroupShuffleSplit(1, test_size=share, random_state=seed).split(places, y, group))
        return Split(train, test)
    cls = StratifiedShuffleSplit if stratify else ShuffleSplit
    try:
        train, test = next(cls(1, test_size=share, random_state=seed).split(places, y))
    except ValueError as error:
        raise InputError(f"the examples cannot be split with a share of {share:g} to test: {error}") from error
    return Split(np.sort(train), np.sort(test))


def _folds(y: Any, group: Any, stratify: bool, folds: int, seed: int) -> Iterator[Split]:
    """Split into folds, each of which is tested once."""
    from sklearn.model_selection import KFold, StratifiedKFold

    if group is not None:
        dealt = _dealt(y, group, stratify, folds, seed)
        for fold in range(folds):
            yield Split(np.flatnonzero(dealt != fold), np.flatnonzero(dealt == fold))
        return
    made = (StratifiedKFold if stratify else KFold)(folds, shuffle=True, random_state=seed)
    for train, test in made.split(np.zeros(len(y)), y):
        yield Split(train, test)


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
    draws = np.random.default_rng(seed)
    for number, one in enumerate(draws.permutation(len(sizes))):
        # The first ones go to empty folds, so that none stays empty.
        empty = number < folds
        uneven = ((held + sizes[one]) ** 2).sum(axis=1) - (held**2).sum(axis=1)
        place[one] = number if empty else int(uneven.argmin())
        held[place[one]] += sizes[one]
    return place[codes]


@design("5x2cv")
@dataclass(frozen=True, kw_only=True)
class FiveByTwo(Design):
    """Five times two halves, each half trained on once and tested once: 10 fits an algorithm."""

    @property
    def shape(self) -> tuple[int, int]:
        """Five runs of two."""
        return 5, 2

    def _run(self, y: Any, group: Any, stratify: bool, seed: int) -> Iterator[Split]:
        return _folds(y, group, stratify, 2, seed)


@design("kfold")
@dataclass(frozen=True, kw_only=True)
class KFold(Design):
    """Folds, each tested once by models trained on the others: 10 fits an algorithm."""

    folds: int = 10

    def __post_init__(self) -> None:
        """Check the folds."""
        _whole(f"{self.name}:folds", self.folds, 2)

    @property
    def shape(self) -> tuple[int, int]:
        """One run of so many."""
        return 1, self.folds

    def _run(self, y: Any, group: Any, stratify: bool, seed: int) -> Iterator[Split]:
        return _folds(y, group, stratify, self.folds, seed)

    def _remedy(self) -> str:
        return f"take fewer folds ({self.name}:folds=5), merge or leave out rare classes, or give stratify=False (--no-stratify)"


@design("repeated-kfold")
@dataclass(frozen=True, kw_only=True)
class RepeatedKFold(KFold):
    """Folds drawn anew again and again: 100 fits an algorithm."""

    repeats: int = 10

    def __post_init__(self) -> None:
        """Check folds and repeats."""
        super().__post_init__()
        _whole("repeated-kfold:repeats", self.repeats, 1)

    @property
    def shape(self) -> tuple[int, int]:
        """Runs and folds."""
        return self.repeats, self.folds


@design("resampled")
@dataclass(frozen=True, kw_only=True)
class Resampled(Design):
    """Random splits, one third tested: 30 fits an algorithm."""

    number: int = 30
    test: float = 1 / 3

    def __post_init__(self) -> None:
        """Check the number and the share."""
        _whole("resampled:number", self.number, 2)
        _share("resampled:test", self.test)

    @property
    def shape(self) -> tuple[int, int]:
        """So many runs of one split."""
        return self.number, 1

    def _run(self, y: Any, group: Any, stratify: bool, seed: int) -> Iterator[Split]:
        yield _shuffled(y, group, stratify, self.test, seed)


@design("holdout")
@dataclass(frozen=True, kw_only=True)
class Holdout(Design):
    """One random split, one third tested; any test for two models on one test set applies: 1 fit an algorithm."""

    test: float = 1 / 3

    def __post_init__(self) -> None:
        """Check the share."""
        _share("holdout:test", self.test)

    def _run(self, y: Any, group: Any, stratify: bool, seed: int) -> Iterator[Split]:
        yield _shuffled(y, group, stratify, self.test, seed)
