"""Splitters: the `cv` objects of scikit-learn and lists of splits, as designs."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any

import numpy as np

from referee.errors import Argument, InputError, Message, OptionError
from referee.runtime.randomness import Streams
from referee.studies.algorithms.designs import Design, Holdout, Resampled, Split, folded

MANY = 10_000
"""Examples to draw a split of where only the shares are asked for."""


def is_splitter(given: Any) -> bool:
    """Say whether this is a splitter of scikit-learn, or of its kind."""
    return hasattr(given, "split") and hasattr(given, "get_n_splits") and not isinstance(given, type | str)


def is_splits(given: Any) -> bool:
    """Say whether these are splits: pairs of the places of training and test examples."""
    if not isinstance(given, Sequence) or isinstance(given, str):
        return False
    return all(isinstance(pair, Sequence) and len(pair) == 2 for pair in given)


def splits_of(pairs: Iterable[Any]) -> list[Split]:
    """Read splits that are given as pairs of places.

    Raises:
        InputError: if they are not, or a split tests what it was trained on.
    """
    found = []
    for place, (train, test) in enumerate(pairs, 1):
        split = Split(np.asarray(train), np.asarray(test))
        for what, part in vars(split).items():
            if part.ndim != 1 or not len(part) or part.dtype.kind not in "iu":
                raise InputError(f"split {place} must name the examples to {what} on by their places, whole numbers")
        both = len(np.intersect1d(split.train, split.test))
        if both:
            raise InputError(f"split {place} tests {both} examples that it was trained on, so its score means nothing")
        found.append(split)
    return found


def draw(given: Any, y: Any, group: Any, streams: Streams) -> list[Split]:
    """Split the examples as a splitter does, or as the splits say that were given.

    What the splitter leaves to chance (random_state=None) is seeded from the streams.

    Raises:
        InputError: if it cannot split these examples, or splits a group.
    """
    if is_splitter(given):
        splitter = copy(given)
        if getattr(given, "random_state", 0) is None and getattr(given, "shuffle", True):
            splitter.random_state = int(streams.at(0).integers(2**31))
        try:
            given = _run(splitter, y, group)
        except (TypeError, ValueError) as error:
            raise InputError(f"{spelt(splitter)} cannot split these examples: {error}") from error
    found = splits_of(given)
    if not found:
        raise InputError("there are no splits")
    last = max(int(max(one.train.max(), one.test.max())) for one in found)
    if last >= len(y):
        raise InputError(f"the splits name example {last + 1:,}, and there are {len(y):,}")
    for place, split in enumerate(found if group is not None else (), 1):
        both = np.intersect1d(np.asarray(group)[split.train], np.asarray(group)[split.test])
        if len(both):
            leaky = f"split {place} has {len(both)} groups on both sides, {both[0]!s} among them"
            raise InputError(leaky, remedy="use a splitter that keeps groups together, such as GroupKFold")
    return found


def _run(splitter: Any, y: Any, group: Any) -> list[Any]:
    with warnings.catch_warnings():
        # That a splitter takes no heed of groups, or a class is rare, is its user's choice; groups are checked afterwards.
        warnings.simplefilter("ignore", UserWarning)
        return list(splitter.split(np.zeros(len(y)), y, group))


def spelt(splitter: Any) -> str:
    """Return a splitter as text, on one line."""
    return " ".join(str(splitter).split()) if is_splitter(splitter) else "the splits that were given"


def design_of_splits(splits: Sequence[Split]) -> Design:
    """Tell the design of splits from the splits themselves: folds if each run of them tests every example once.

    Raises:
        OptionError: if they go forward in time, which no test of fold scores is made for.
    """
    number = len(np.unique(np.concatenate([part for one in splits for part in (one.train, one.test)])))
    share = sum(len(one.test) for one in splits) / sum(len(one.train) + len(one.test) for one in splits)
    if len(splits) == 1:
        return Holdout(test=share)
    folds = _folds(splits, number)
    if folds is not None:
        return folded(len(splits) // folds, folds)
    if all(one.train.max() < one.test.min() for one in splits):
        raise _forward("these splits go", splits)
    return Resampled(number=len(splits), test=share)


def design_of_splitter(splitter: Any, splits: int) -> Design:
    """Tell the design of a splitter whose scores are given.

    Args:
        splitter: a `cv` object.
        splits: how many scores there are.

    Raises:
        OptionError: if it makes another number of splits, or does not say what is needed.
    """
    from sklearn import model_selection as known

    try:
        number = int(splitter.get_n_splits())
    except (TypeError, ValueError):  # those that leave one out ask for the examples
        number = splits
    if number != splits:
        unequal = f"{spelt(splitter)} makes {number} splits, and there are {splits} scores of each algorithm"
        raise OptionError(unequal, argument="design", value=splitter)
    if isinstance(splitter, known.TimeSeriesSplit):
        raise _forward("TimeSeriesSplit goes", splitter)
    if hasattr(splitter, "n_repeats"):
        return folded(int(splitter.n_repeats), splits // int(splitter.n_repeats))
    if isinstance(splitter, known.BaseShuffleSplit):
        return _shuffled(splitter, splits)
    if isinstance(splitter, known.PredefinedSplit):
        return design_of_splits(splits_of(splitter.split()))
    whole = (
        known.KFold, known.StratifiedKFold, known.GroupKFold, known.StratifiedGroupKFold, known.LeaveOneOut,
        known.LeaveOneGroupOut,
    )  # fmt: skip
    if isinstance(splitter, whole):
        return folded(1, splits)
    unknown = f"how {type(splitter).__name__} splits is not known"
    remedy = Message("give the splits: ", Argument("design"), "list(cv.split(X, y))")
    raise OptionError(unknown, argument="design", value=splitter, remedy=remedy)


def _folds(splits: Sequence[Split], number: int) -> int | None:
    """Return how many splits test every example once, run after run; None where they are no folds."""
    if any(len(one.train) + len(one.test) != number for one in splits):
        return None
    folds = int(np.searchsorted(np.cumsum([len(one.test) for one in splits]), number)) + 1
    runs = [np.concatenate([one.test for one in splits[at : at + folds]]) for at in range(0, len(splits), folds)]
    return folds if all(len(tested) == len(np.unique(tested)) == number for tested in runs) else None


def _shuffled(splitter: Any, splits: int) -> Design:
    """Read the shares of random splits, by drawing one: what is left out has another default in each class."""
    sizes = [splitter.test_size, splitter.train_size]
    if any(isinstance(size, int) for size in sizes):
        if not all(isinstance(size, int) for size in sizes):
            sizes_too = Argument("n_train"), " and ", Argument("n_test"), " with ", Argument("design", "resampled")
            number = f"{spelt(splitter)} has a number of examples, not a share"
            raise OptionError(number, argument="design", value=splitter, remedy=Message("give ", *sizes_too))
        return Resampled(number=splits, test=sizes[0] / sum(sizes))
    own = copy(splitter)
    own.random_state, own.n_splits = 0, 1
    ((train, test),) = _run(own, np.zeros(MANY), np.arange(MANY))
    return Resampled(number=splits, test=len(test) / (len(train) + len(test)))


def _forward(what: str, design: Any) -> OptionError:
    remedy = "hold out the last examples, and compare the predictions on them with referee.compare"
    wrong = f"{what} forward in time, and the tests of fold scores need random splits"
    return OptionError(wrong, argument="design", value=design, remedy=remedy)
