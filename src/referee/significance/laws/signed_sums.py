"""Sums of randomly signed moves: their exact tails, by one walk over a lattice or by meeting in the middle, and draws of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from referee.data.columns import Floats, Ints
from referee.metrics.matrices import Matrix, full, times
from referee.runtime.progress import track
from referee.runtime.randomness import Streams
from referee.significance.laws.binomial_grid import TINIEST, Axis
from referee.significance.tally import chunks

BLOCK = 1024
"""How many eights of units share a stream."""
CLASSES = 256


INVERTED = 60
"""Up to this size numpy draws a Binomial(size, 1/2) by inversion, from one uniform number."""


def halved(generator: np.random.Generator, sizes: Ints, count: int) -> Ints:
    """Draw K ~ Binomial(size, 1/2) of each size, [draw, size]: the numbers of `generator.binomial`, but quicker.

    Most sizes are 1 where units are many, and numpy sets up each draw anew. Inversion over all draws at once gives what
    its inversion gives one by one.
    """
    if len(sizes) == 0 or sizes.max() > INVERTED:
        return generator.binomial(sizes, 0.5, size=(count, len(sizes)))
    some = sizes > 0
    if not some.all():
        kept = np.zeros((count, len(sizes)), np.int64)
        kept[:, some] = halved(generator, sizes[some], count)
        return kept
    uniform = generator.random((count, len(sizes)))
    kept = (uniform > 0.5).astype(np.int64)
    several = np.flatnonzero(sizes > 1)
    kept[:, several] = _inverted(uniform[:, several], sizes[several])
    return kept


def _inverted(uniform: Floats, sizes: Ints) -> Ints:
    """Return how many chances, from K = 0 on, go into each uniform number."""
    chance, found = np.exp(sizes * np.log(0.5)), np.zeros(uniform.shape, np.int64)
    for k in range(1, int(sizes.max(initial=0)) + 1):
        over = (uniform > chance) & (found == k - 1) & (k <= sizes)
        found += over
        uniform = np.where(over, uniform - chance, uniform)
        chance = (sizes - k + 1) * 0.5 * chance / (k * 0.5)
    return found


def sign_sums(moves: Floats, sizes: Ints, trials: int, streams: Streams) -> Floats:
    """Draw Σ_j (2K_j − D_j)·move_j with K_j ~ Binomial(D_j, 1/2), `trials` times.

    Blocks run along the units, not the draws, so memory is bounded by the number of trials; each has its own stream.
    """
    single = sizes == 1
    out = np.zeros((trials, moves.shape[1]), order="F")
    _add_singles(out, moves[single], streams.child(1))
    for signs, part in _classes(sizes[~single], trials, streams):
        out += signs @ moves[~single][part]
    return out


def _classes(sizes: Ints, trials: int, streams: Streams) -> Iterator[tuple[Floats, slice]]:
    """Yield 2K − D of some classes of D units, [draw, class], and which they are."""
    for block, start in enumerate(range(0, len(sizes), CLASSES)):
        part = slice(start, start + CLASSES)
        kept = streams.child(2).at(block).binomial(sizes[part], 0.5, size=(trials, len(sizes[part])))
        yield np.asarray(2.0 * kept - sizes[part], dtype=np.float64), part


def sparse_sign_sums(moves: Matrix, sizes: Ints, trials: int, part: slice, streams: Streams) -> Floats:
    """Return some rows of what `sign_sums` draws, for moves that are sparse and so many that all rows would not fit.

    Each call draws all trials again and takes its part, which costs little beside the sums.
    """
    single = sizes == 1
    out = np.zeros((part.stop - part.start, moves.shape[1]))
    alone = moves[single]
    for block, start in enumerate(range(0, -(-alone.shape[0] // 8), BLOCK)):
        own = alone[8 * start : 8 * (start + BLOCK)]
        draws = _random_bytes(streams.child(1).at(block), -(-own.shape[0] // 8), trials)[:, part]
        bits = np.unpackbits(draws[:, None, :], axis=1).reshape(-1, draws.shape[1])[: own.shape[0]]
        out += times(2.0 * bits.T - 1.0, own)
    for signs, here in _classes(sizes[~single], trials, streams):
        out += times(signs[part], moves[~single][here])
    return out


def _add_singles(out: Floats, moves: Floats, streams: Streams) -> None:
    """Add ±move for units that occur once: eight at a time through a table of their 256 signed sums."""
    signs = 2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1) - 1.0
    padded = np.zeros((-(-len(moves) // 8) * 8, moves.shape[1]))
    padded[: len(moves)] = moves
    eights = padded.reshape(-1, 8, moves.shape[1])
    moving = np.flatnonzero(moves.any(axis=0)).tolist()
    starts = range(0, len(eights), BLOCK)
    for block, start in track(enumerate(starts), len(starts), "exchanging"):
        part = eights[start : start + BLOCK]
        draws = _random_bytes(streams.at(block), len(part), len(out))
        for column in moving:
            total = out[:, column]
            for table, row in zip(part[:, :, column] @ signs.T, draws, strict=True):
                total += table.take(row)


def _random_bytes(generator: np.random.Generator, rows: int, columns: int) -> NDArray[np.uint8]:
    words = generator.integers(0, 2**64, size=-(-rows * columns // 8), dtype=np.uint64)
    return words.view(np.uint8)[: rows * columns].reshape(rows, columns)


POINTS, WORK = 10_000_000, 2_000_000_000
SMALL, PRODUCT = 100_000, 2_000_000
FIRST, WIDEST = 8.0, 38.6
SCALES = (1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 16, 20, 25, 100, 1000, 10_000)
LARGEST = 2**40
DIMENSIONS = int(np.log2(POINTS))
HALF = 20
"""Meeting in the middle takes this many units on either side."""


class Sums:
    """The law of Σ (2K−D)·move for scalar moves; what was laid out for one tail serves the next."""

    def __init__(self, moves: Floats, sizes: Ints) -> None:
        self.moves, self.sizes = moves, sizes
        whole = whole_numbers(moves[:, None])
        self.scale = None if whole is None else whole[1]
        self._walk = None if whole is None else Walk(whole[0].astype(float), sizes, lambda shift: shift[..., 0])

    def upper(self, threshold: float) -> float | None:
        """Return P(sum >= threshold), or None if it is out of reach."""
        beyond = None
        if self._walk is not None and self.scale is not None:
            # Sums are whole numbers now: a quarter of a step below the threshold is neither reached nor missed by rounding.
            beyond = self._walk.upper(threshold * self.scale - 0.25)
        if beyond is not None or self.sizes.sum() > 2 * HALF:
            return beyond
        first, second = self._halves
        reached = len(second) - np.searchsorted(second, threshold - first, side="left")
        return max(float(reached.sum()) / (len(first) * len(second)), TINIEST)

    @cached_property
    def _halves(self) -> list[Floats]:
        """Every signed sum of one half of the moves, and of the other, sorted."""
        ordered, sums = np.sort(np.abs(np.repeat(self.moves, self.sizes))), []
        for half in (ordered[0::2], ordered[1::2]):
            out = np.zeros(1)
            for move in half:
                out = np.concatenate([out - move, out + move])
            sums.append(np.sort(out))
        return sums

    def floor(self, value: float) -> float:
        """Return the greatest whole sum up to a value, a quarter of a step beyond it included; the value itself if sums are not whole."""
        return value if self.scale is None else float(np.floor(value * self.scale + 0.25) / self.scale)


def whole_numbers(moves: Floats) -> tuple[Ints, float] | None:
    """Scale moves to whole numbers, if there is such a scale.

    >>> whole_numbers(np.array([[0.5], [1.5]]))
    (array([[1],
           [3]]), 2.0)
    """
    largest = np.abs(moves).max(initial=0.0)
    smallest = np.abs(moves[moves != 0]).min(initial=np.inf)
    for factor in (base * scale for base in (1.0, 1.0 / smallest) for scale in SCALES):
        size, scaled = largest * factor, moves * factor
        near = np.abs(scaled - np.rint(scaled)).max(initial=0.0) < min(1e-6, 1e-9 * max(1.0, size))
        if near and size < LARGEST:
            return np.rint(scaled).astype(np.int64), factor
    return None


class Walk:
    """The law of score(Σ (2K−D)·move) by a walk over the lattice of sums; what was laid out for one tail serves the next."""

    def __init__(self, moves: Floats, sizes: Ints, score: Callable[[Floats], Floats]) -> None:
        self.moves, self.sizes, self.score = moves, sizes, score
        self._laid: dict[float, tuple[Floats, Floats]] = {}

    def upper(self, threshold: float) -> float | None:
        """Return P(score >= threshold), or None over the budget."""
        combinations = float(np.log1p(self.sizes).sum())
        if combinations <= np.log(SMALL):
            return max(self._beyond(threshold), TINIEST)
        width = FIRST
        while self._steps is not None:
            lattice = Lattice(*self._steps, self.sizes, width)
            if lattice.volume > POINTS or lattice.volume * float(self.sizes.sum()) > WORK:
                break
            total = self._beyond(threshold, lattice)
            if lattice.outside <= 1e-10 * total or width >= WIDEST:
                return max(total, TINIEST)
            width = WIDEST if total == 0 else min(WIDEST, lattice.width_for(1e-11 * total))
        return max(self._beyond(threshold), TINIEST) if combinations <= np.log(PRODUCT) else None

    @cached_property
    def _steps(self) -> tuple[Ints, Floats] | None:
        return _coordinates(self.moves)

    def _beyond(self, threshold: float, lattice: Lattice | None = None) -> float:
        """Return the tail among the points of a lattice; without one, of all points, one by one."""
        width = np.inf if lattice is None else lattice.width
        laid = self._laid.get(width)
        if laid is None:
            shifts, probabilities = _product(self.moves, self.sizes) if lattice is None else lattice.walk()
            parts = chunks(len(shifts), shifts.shape[1], 2_000_000)
            laid = np.concatenate([self.score(shifts[part]) for part in parts]), probabilities
            # Wider boxes than the first are laid out for one far tail alone.
            if width in (FIRST, np.inf):
                self._laid[width] = laid
        return min(1.0, float(laid[1][laid[0] >= threshold].sum()))


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
    """Return independent whole-number coordinates of the moves, and the map back; None if there are none."""
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
        self.columns, self.back, self.sizes, self.width = columns, back, sizes, width
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
            now *= 0.5
            _add_shifted(now, now.copy(), step)
        for step, size in zip(np.abs(steps).tolist(), (self.sizes // 2).tolist(), strict=True):
            for _ in range(size):
                quarter = now * 0.25
                now *= 0.5
                _add_shifted(now, quarter, step)
                _add_shifted(now, quarter, -step)
        where = np.flatnonzero(now)
        places = np.stack(np.unravel_index(where, self.extent.astype(np.int64), order="F"), axis=1)
        # Points are sums over the odd units and moves of pairs from their middle: twice them less the odd units' own.
        shifts = (2.0 * (places - self.radius + self.low) - self.odd @ self.columns) @ self.back
        return shifts, now[where]


def _add_shifted(target: Floats, source: Floats, step: int) -> None:
    if step < 0:
        target[:step] += source[-step:]
    else:
        target[step:] += source[: len(source) - step]
