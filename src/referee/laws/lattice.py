"""Exact tails of sums of randomly signed moves: one walk over a lattice, or meeting in the middle."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from referee.laws.grid import TINIEST, Axis
from referee.matrices import Matrix, full
from referee.values import Floats, Ints

POINTS = 10_000_000
WORK = 2_000_000_000
SMALL = 100_000
PRODUCT = 2_000_000
WIDEST = 38.6
SCALES = (1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 16, 20, 25, 100, 1000, 10_000)
LARGEST = 2**40
DIMENSIONS = int(np.log2(POINTS))
HALF = 20
"""Meeting in the middle takes this many units on either side."""


def linear_tail(moves: Floats, sizes: Ints, threshold: float) -> float | None:
    """Return P(Σ (2K−D)·move >= threshold) for scalar moves, or None where it is out of reach."""
    whole = whole_numbers(moves[:, None])
    if whole is not None:
        scaled, scale = whole
        # Sums are whole numbers now: a quarter of a step below the threshold is neither reached nor missed by rounding.
        found = walk_tail(scaled.astype(float), sizes, lambda shift: shift[..., 0], threshold * scale - 0.25)
        if found is not None:
            return found
    if sizes.sum() <= 2 * HALF:
        return _meet(np.repeat(moves, sizes), threshold)
    return None


def whole_numbers(moves: Floats) -> tuple[Ints, float] | None:
    """Scale moves to whole numbers, where such a scale hides in them.

    >>> whole_numbers(np.array([[0.5], [1.5]]))
    (array([[1],
           [3]]), 2.0)
    """
    largest = np.abs(moves).max(initial=0.0)
    smallest = np.abs(moves[moves != 0]).min(initial=np.inf)
    for base in (1.0, 1.0 / smallest):
        for scale in SCALES:
            size = largest * base * scale
            scaled = moves * (base * scale)
            near = np.abs(scaled - np.rint(scaled)).max(initial=0.0) < min(1e-6, 1e-9 * max(1.0, size))
            if near and size < LARGEST:
                return np.rint(scaled).astype(np.int64), base * scale
    return None


def walk_tail(moves: Floats, sizes: Ints, score: Callable[[Floats], Floats], threshold: float) -> float | None:
    """Return P(score(Σ (2K−D)·move) >= threshold) by a walk over the lattice of sums, or None over the budget."""
    combinations = float(np.log1p(sizes).sum())
    if combinations <= np.log(SMALL):
        return max(_sum_points(*_product(moves, sizes), score, threshold), TINIEST)
    steps = _coordinates(moves)
    width = 8.0
    while steps is not None:
        lattice = Lattice(*steps, sizes, width)
        if lattice.volume > POINTS or lattice.volume * float(sizes.sum()) > WORK:
            break
        total = _sum_points(*lattice.walk(), score, threshold)
        if lattice.outside <= 1e-10 * total or width >= WIDEST:
            return max(total, TINIEST)
        width = WIDEST if total == 0 else min(WIDEST, lattice.width_for(1e-11 * total))
    if combinations <= np.log(PRODUCT):
        return max(_sum_points(*_product(moves, sizes), score, threshold), TINIEST)
    return None


def is_vast(moves: Matrix, sizes: Ints) -> bool:
    """Say whether a walk is out of reach, before anything is laid out: too many combinations in too many dimensions.

    A lattice has at least two points along each dimension.
    """
    if float(np.log1p(sizes).sum()) <= np.log(PRODUCT):
        return False
    some = moves[:, np.unique(moves.nonzero()[1])[: 3 * DIMENSIONS]]
    products = full(some.T @ some)
    return int(np.linalg.matrix_rank(products)) > DIMENSIONS


def _coordinates(moves: Floats) -> tuple[Ints, Floats] | None:
    """Return independent whole-number coordinates of the moves, and the map back; None where there are none."""
    whole = whole_numbers(moves)
    if whole is None:
        return None
    chosen: list[int] = []
    for column in range(moves.shape[1]):
        if np.linalg.matrix_rank(moves[:, [*chosen, column]]) > len(chosen):
            chosen.append(column)
    columns = whole[0][:, chosen]
    columns = columns // np.maximum(1, np.gcd.reduce(columns, axis=0))
    return columns, np.linalg.lstsq(columns.astype(float), moves, rcond=None)[0]


def _sum_points(shifts: Floats, probabilities: Floats, score: Callable[[Floats], Floats], threshold: float) -> float:
    total = 0.0
    step = max(1, 2_000_000 // shifts.shape[1])
    for start in range(0, len(shifts), step):
        part = slice(start, start + step)
        total += float(probabilities[part][score(shifts[part]) >= threshold].sum())
    return min(1.0, total)


def _product(moves: Floats, sizes: Ints) -> tuple[Floats, Floats]:
    """List every combination of counts: few units, or few classes."""
    shifts, probabilities = np.zeros((1, moves.shape[1])), np.ones(1)
    for move, size in zip(moves, sizes.tolist(), strict=True):
        axis = Axis(size, np.inf)
        steps = (2.0 * axis.values - size)[:, None] * move
        shifts = (shifts[:, None, :] + steps).reshape(-1, moves.shape[1])
        probabilities = (probabilities[:, None] * axis.probabilities).ravel()
    return shifts, probabilities


class Lattice:
    """The points that Σ K·move can reach, within some standard deviations of the middle, as one flat array.

    Units of a class are taken two at a time: a pair moves the sum by −move, 0 or +move with probabilities ¼, ½, ¼, about
    a middle that stays. What would leave the box lands elsewhere in it; by Lévy's inequality and Hoeffding's bound that
    is at most `outside`.
    """

    def __init__(self, columns: Ints, back: Floats, sizes: Ints, width: float) -> None:
        self.columns, self.back, self.sizes = columns, back, sizes
        # Whole numbers as floats, and Python's for the volume: a box that is never walked may be larger than any integer.
        far = np.abs(columns).astype(np.float64)
        self.odd = (sizes % 2).astype(np.float64)
        spread = np.sqrt(sizes @ far**2) / 2
        reach = (sizes // 2).astype(np.float64) @ far
        self.radius = np.minimum(np.ceil(width * spread), reach)
        self.low = self.odd @ np.minimum(columns, 0)
        self.extent = self.odd @ far + 2 * self.radius + 1
        self.volume = math.prod(map(int, self.extent.tolist()))
        self.cut = int((self.radius < reach).sum())
        self.outside = 4.0 * self.cut * float(np.exp(-(width**2) / 2))

    def width_for(self, outside: float) -> float:
        """Return how wide the box must be for so little to lie outside."""
        return float(np.sqrt(2 * np.log(4.0 * max(self.cut, 1) / outside)))

    def walk(self) -> tuple[Floats, Floats]:
        """Return the points, as shifts in the caller's coordinates, with their probabilities."""
        strides = np.concatenate([[1], np.cumprod(self.extent[:-1].astype(np.int64))])
        steps = self.columns @ strides
        now = np.zeros(self.volume)
        now[int((self.radius - self.low) @ strides)] = 1.0
        for step in steps[self.odd == 1].tolist():
            half = now * 0.5
            now *= 0.5
            _add_shifted(now, half, step)
        for step, size in zip(np.abs(steps).tolist(), (self.sizes // 2).tolist(), strict=True):
            for _ in range(size):
                quarter = now * 0.25
                now *= 0.5
                _add_shifted(now, quarter, step)
                _add_shifted(now, quarter, -step)
        where = np.flatnonzero(now)
        return self._shifts(where, strides), now[where]

    def _shifts(self, where: Ints, strides: Ints) -> Floats:
        points = np.empty((len(where), len(self.extent)))
        rest = where
        for axis in range(len(self.extent) - 1, -1, -1):
            points[:, axis], rest = rest // strides[axis] - self.radius[axis] + self.low[axis], rest % strides[axis]
        # Points are sums over the odd units and moves of pairs from their middle: twice them less the odd units' own.
        shifts: Floats = (2.0 * points - self.odd @ self.columns) @ self.back
        return shifts


def _add_shifted(target: Floats, source: Floats, step: int) -> None:
    if step > 0:
        target[step:] += source[:-step]
    elif step < 0:
        target[:step] += source[-step:]
    else:
        target += source


def _meet(moves: Floats, threshold: float) -> float:
    """Pair every sum of one half of the units with the sorted sums of the other half."""
    ordered = np.sort(np.abs(moves))
    sums = []
    for half in (ordered[0::2], ordered[1::2]):
        out = np.zeros(1)
        for move in half:
            out = np.concatenate([out - move, out + move])
        sums.append(np.sort(out))
    reached = len(sums[1]) - np.searchsorted(sums[1], threshold - sums[0], side="left")
    return max(float(reached.sum()) / (len(sums[0]) * len(sums[1])), TINIEST)
