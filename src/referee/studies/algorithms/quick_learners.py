"""Learners that are quick enough to be trained a million times: every split of every data set in a few array operations.

A learner takes features [set, example, feature], the classes 0 and 1 of the examples, and the fold [set, run, example]
that each example is tested in (-1 where it is only trained on); an example is tested by a model that was trained on all
examples of the run but those of its own fold. It says which examples are classified right, [set, run, example]; what it
says of those that no fold tests means nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.registry import Registry

Learner: TypeAlias = Callable[[Floats, Ints, Ints], Mask]
LEARNERS: Registry[Learner] = Registry("learner")
NEAREST = 24
"""So many neighbours are looked at first: of two halves, all of them lie in the wrong one once in 17 million."""


def learner(function: Learner) -> Learner:
    """Register a learner under the name of its function."""
    LEARNERS.add(function.__name__, function)
    return function


def members(folds: Ints) -> Floats:
    """Return 1.0 where an example is tested in a fold, [set, run, fold, example]."""
    number = int(folds.max()) + 1
    found: Floats = np.asarray(folds[:, :, None, :] == np.arange(number)[:, None], dtype=np.float64)
    return found


@learner
def centroid(x: Floats, y: Ints, folds: Ints) -> Mask:
    """Nearest class mean: stable, the training set hardly matters."""
    tested = members(folds)
    inside = [np.asarray(y == c, dtype=np.float64)[:, None] for c in (0, 1)]
    means = [_rest(x * one, tested) / _rest(one[None], tested) for one in inside]
    threshold = ((means[1] ** 2).sum(axis=-1) - (means[0] ** 2).sum(axis=-1)) / 2
    return _right(x, y, tested, means[1] - means[0], threshold)


@learner
def linear(x: Floats, y: Ints, folds: Ints) -> Mask:
    """Least squares on the classes as -1 and 1: the linear discriminant of classes of equal size."""
    tested = members(folds)
    z = np.concatenate([np.ones((*x.shape[:2], 1)), x], axis=-1)
    width = z.shape[-1]
    products = _rest((z[..., :, None] * z[..., None, :]).reshape(*z.shape[:2], width**2), tested)
    moments = _rest(z * (2 * y - 1)[:, None], tested)
    weights: Floats = np.linalg.solve(products.reshape(*moments.shape, width), moments[..., None])[..., 0].astype(
        np.float64
    )
    return _right(x, y, tested, weights[..., 1:], -weights[..., 0])


@learner
def neighbour(x: Floats, y: Ints, folds: Ints) -> Mask:
    """One nearest neighbour: unstable, every training example has a region of its own."""
    found = [y[_nearest(one, fold, min(NEAREST, len(y) - 1))] == y for one, fold in zip(x, folds, strict=True)]
    return np.stack(found)


def _rest(values: Floats, tested: Floats) -> Floats:
    """Sum the values [set, example, value] over the training examples of each split: all but the tested ones."""
    total: Floats = values.sum(axis=1)[:, None, None, :] - tested @ values[:, None]
    return total


def _right(x: Floats, y: Ints, tested: Floats, weights: Floats, threshold: Floats) -> Mask:
    """Say who is on the right side of the plane that belongs to its own fold."""
    sides = weights @ x.swapaxes(1, 2)[:, None] > threshold[..., None]
    own: Mask = np.any(sides & (tested > 0), axis=2) == (y == 1)
    return own


def _nearest(x: Floats, folds: Ints, ranks: int) -> Ints:
    """Return the nearest training example of each example in each run, [run, example]."""
    squares = (x**2).sum(axis=1)
    distances = squares - 2 * x @ x.T
    np.fill_diagonal(distances, np.inf)
    near = np.argpartition(distances, ranks - 1, axis=1)[:, :ranks]
    near = np.take_along_axis(near, np.take_along_axis(distances, near, axis=1).argsort(axis=1), axis=1)
    allowed = folds[:, near] != folds[:, :, None]
    tested = folds >= 0
    if not allowed.any(axis=2)[tested].all() and ranks < len(x) - 1:
        return _nearest(x, folds, min(4 * ranks, len(x) - 1))
    nearest: Ints = near[np.arange(len(x)), allowed.argmax(axis=2)]
    return nearest
