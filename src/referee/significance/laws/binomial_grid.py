"""Exact tail probabilities of a statistic of one or two independent Binomial(D, 1/2) counts, at any D."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.significance.tally import chunks

Statistic: TypeAlias = Callable[[Floats, Floats], Floats]
Reached: TypeAlias = Callable[[Ints, Ints], Mask]
"""(rows, places along the second count) -> whether the threshold is reached there."""

SMALL = 300_000
BUDGET = 20_000_000
LONGEST = 2_000_000
"""How many values of one count may be held; beyond some 10^10 units on which the systems differ the law is sampled."""
AT_ONCE = 1 << 14
"""How many points are looked at together along an edge: a statistic may keep several numbers of each class for a point."""
ANCHORS = 33
TINIEST = float(np.nextafter(0.0, 1.0))
WIDTHS = (10.0, 20.0, 38.6)
"""Half widths of the box that is summed, in standard deviations; the last reaches the smallest float."""


def tail(statistic: Statistic, sizes: Sequence[int], threshold: float, *, monotone: bool) -> float | None:
    """Return P(statistic(K0, K1) >= threshold) for independent K ~ Binomial(size, 1/2).

    Only a box around the centre is summed; it is widened until what lies outside cannot matter to a relative 1e-10.

    Args:
        statistic: vectorised over two arrays of counts.
        sizes: the D of one count or two.
        threshold: the value to reach; the caller has subtracted the tolerance for ties.
        monotone: whether the statistic is known to be monotone along each axis; otherwise that is tested on a lattice
            of points, and where it fails every point is summed.

    Returns:
        The probability, never 0, or None if it would need too many points.
    """
    total: float | None = None
    for width in WIDTHS:
        if width * np.sqrt(max(sizes, default=0)) > LONGEST:
            return None
        first, second = (Axis(size, width) for size in (*sizes, 0, 0)[:2])
        total = _sum_box(statistic, first, second, threshold, monotone)
        if total is None or first.outside + second.outside <= 1e-10 * total:
            break
    return None if total is None else min(1.0, max(total, TINIEST))


class Remembered:
    """A statistic that keeps its values on the boxes that are summed whole: one tail after the other asks for them.

    Long lists of points are taken a piece at a time.
    """

    def __init__(self, statistic: Statistic) -> None:
        self.statistic = statistic
        self.known: dict[tuple[float, ...], Floats] = {}
        self.room = 4 * SMALL

    def __call__(self, x: Floats, y: Floats) -> Floats:
        """Return the statistic at these counts."""
        if x.ndim != 2:
            return np.concatenate([self.statistic(x[part], y[part]) for part in chunks(len(x), 1, AT_ONCE)])
        key = (*x.shape, *y.shape, *(float(part.flat[end]) for part in (x, y) for end in (0, -1)))
        if key not in self.known:
            values = self.statistic(x, y)
            if values.size > self.room:
                return values
            self.room -= values.size
            self.known[key] = values
        return self.known[key]


class Axis:
    """The values and probabilities of a Binomial(size, 1/2) within some standard deviations of its mean."""

    def __init__(self, size: int, width: float) -> None:
        reach = min(width * np.sqrt(size) / 2, size / 2) if size else 0.0
        low, high = max(0, int(np.floor(size / 2 - reach))), min(size, int(np.ceil(size / 2 + reach)))
        self.values: Ints = np.arange(low, high + 1)
        # Ratios of neighbours add up without the cancellation that log-gamma has at large sizes.
        steps = np.log((size - self.values[:-1]) / (self.values[:-1] + 1.0))
        log = np.concatenate([[0.0], np.cumsum(steps)])
        weights = np.exp(log - log.max())
        self.probabilities: Floats = weights / weights.sum()
        self.outside = 0.0 if len(self.values) == size + 1 else 2.0 * float(np.exp(-(width**2) / 2))

    def __len__(self) -> int:
        return len(self.values)


def points(axes: Sequence[Axis]) -> tuple[Ints, Floats]:
    """Return every point of a grid of independent counts, [point, axis], and its probability."""
    grid = np.meshgrid(*(axis.values for axis in axes), indexing="ij")
    probabilities = np.ones(1)
    for axis in axes:
        probabilities = np.multiply.outer(probabilities, axis.probabilities).ravel()
    return np.stack([part.ravel() for part in grid], axis=1), probabilities


def _sum_box(statistic: Statistic, first: Axis, second: Axis, threshold: float, monotone: bool) -> float | None:
    if len(first) * len(second) <= SMALL:
        return _sum_all(statistic, first, second, threshold)
    if len(first) > len(second):
        return _sum_box(lambda x, y: statistic(y, x), second, first, threshold, monotone)
    if monotone or _looks_monotone(statistic, first, second):
        return _sum_edge(statistic, first, second, threshold)
    return _sum_all(statistic, first, second, threshold) if len(first) * len(second) <= BUDGET else None


def _sum_all(statistic: Statistic, first: Axis, second: Axis, threshold: float) -> float:
    total = 0.0
    step = max(1, SMALL // len(second))
    for start in range(0, len(first), step):
        rows = slice(start, start + step)
        reached = statistic(first.values[rows, None].astype(float), second.values[None, :].astype(float)) >= threshold
        total += float(first.probabilities[rows] @ (reached @ second.probabilities))
    return total


def _looks_monotone(statistic: Statistic, first: Axis, second: Axis) -> bool:
    x = first.values[np.linspace(0, len(first) - 1, min(len(first), 65)).astype(int)].astype(float)
    y = second.values[np.linspace(0, len(second) - 1, min(len(second), 129)).astype(int)].astype(float)
    steps = np.diff(statistic(x[:, None], y[None, :]), axis=1)
    return bool((steps >= 0).all() or (steps <= 0).all())


def _sum_edge(statistic: Statistic, first: Axis, second: Axis, threshold: float) -> float:
    """For each value of the first count find by bisection where along the second the threshold is reached."""
    x = first.values.astype(float)
    ends = statistic(np.full(2, x[len(x) // 2]), second.values[[0, -1]].astype(float))
    turn = 1 if ends[1] >= ends[0] else -1
    values, weights = second.values[::turn].astype(float), second.probabilities[::turn]
    beyond = np.concatenate([np.cumsum(weights[::-1])[::-1], [0.0]])

    def reached(rows: Ints, places: Ints) -> Mask:
        return np.asarray(statistic(x[rows], values[places]) >= threshold)

    every, anchors = np.arange(len(x)), np.unique(np.linspace(0, len(x) - 1, ANCHORS).astype(np.int64))
    edges = _bisect(reached, anchors, np.full(len(anchors), -1), np.full(len(anchors), len(values)))
    guess = np.interp(every, anchors, edges).astype(np.int64)
    return float(first.probabilities @ beyond[_bisect(reached, every, *_bracket(reached, guess, len(values)))])


def _bracket(reached: Reached, guess: Ints, last: int) -> tuple[Ints, Ints]:
    """Widen around a guess until the lower end fails and the upper end holds."""
    fails, holds = np.maximum(guess - 1, -1), np.minimum(guess + 1, last)
    rows, reach = np.flatnonzero(fails >= 0), 3
    while rows.size:
        wrong = rows[reached(rows, fails[rows])]
        holds[wrong], fails[wrong] = fails[wrong], np.maximum(fails[wrong] - reach, -1)
        rows, reach = wrong[fails[wrong] >= 0], reach * 4
    rows, reach = np.flatnonzero(holds < last), 3
    while rows.size:
        wrong = rows[~reached(rows, holds[rows])]
        fails[wrong], holds[wrong] = holds[wrong], np.minimum(holds[wrong] + reach, last)
        rows, reach = wrong[holds[wrong] < last], reach * 4
    return fails, holds


def _bisect(reached: Reached, rows: Ints, fails: Ints, holds: Ints) -> Ints:
    """Return for each row the first place where the threshold is reached."""
    while (open_ := np.flatnonzero(holds - fails > 1)).size:
        middle = (fails[open_] + holds[open_]) // 2
        there = reached(rows[open_], middle)
        holds[open_[there]], fails[open_[~there]] = middle[there], middle[~there]
    return holds
