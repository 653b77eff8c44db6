"""The swap law: under the null hypothesis each unit's two responses could as well have been exchanged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.metrics.class_averages import Formula
from referee.metrics.matrices import Matrix, distinct_units, first_signs, full, halves, is_full, signed
from referee.runtime.randomness import Streams, blocks
from referee.significance.laws.binomial_grid import TINIEST, Axis, Remembered, points, tail
from referee.significance.laws.exchange import Exchange
from referee.significance.laws.signed_sums import Sums, Walk, halved, is_vast, sign_sums, sparse_sign_sums
from referee.significance.rank_tally import AnyTally, RankTally
from referee.significance.tally import AT_ONCE, CHUNK, Tally, chunks

POINTS = 2**16
"""So many exchanges are summed one by one, where each has a standard error of its own."""


@dataclass(frozen=True, eq=False)
class Swap:
    """The law of the difference b - a when the systems are exchanged on each unit with probability 1/2.

    It depends on the units only through coordinates on which the score depends: their sum over both systems, which a
    swap leaves alone, and for each class of exchangeable units how far one swap moves A's share of them.
    """

    formula: Formula
    total: Floats
    moves: Matrix
    sizes: Ints
    monotone: bool

    @classmethod
    def of(cls, tally: Tally, multiplicities: Ints) -> Swap:
        """Merge the units that a swap moves alike."""
        formula = tally.bound.formula
        left, right = halves(tally.both)
        move = formula.moved(left - right)
        sign = first_signs(move)
        keep = (sign != 0) & (multiplicities > 0)
        oriented = signed(move[keep], sign[keep])
        order, starts = distinct_units(oriented)
        sizes = np.add.reduceat(multiplicities[keep][order], starts) if len(starts) else np.zeros(0, np.int64)
        total = formula.place(tally.totals(multiplicities).sum(axis=0))
        monotone = tally.bound.monotone or formula.fixed  # with fixed denominators the difference is linear
        return cls(formula, total, oriented[order[starts]], sizes, monotone)

    def scores(self, shift: Floats) -> Floats:
        """Return the difference b - a where A's coordinates exceed B's by `shift`."""
        a, b = (self.total + shift) / 2, (self.total - shift) / 2
        return self.formula.score_at(b) - self.formula.score_at(a)

    def at(self, *counts: Floats) -> Floats:
        """Return the difference where `counts[j]` of the units of class j stand in their own orientation."""
        moves = full(self.moves[: len(counts)])
        shift = sum((2 * k - d)[..., None] * m for k, d, m in zip(counts, self.sizes, moves, strict=False))
        return self.scores(np.asarray(shift))

    @cached_property
    def _linear(self) -> Floats:
        """How far one unit of each class moves the difference, where denominators are fixed and the difference is linear."""
        parts = [self.scores(full(self.moves[part])) for part in chunks(len(self.sizes), len(self.total))]
        return np.concatenate(parts) - self.scores(np.zeros_like(self.total))

    def upper(self, threshold: float, tolerance: float) -> float | None:
        """Return the exact P(d* >= threshold), or None where it is out of reach."""
        if len(self.sizes) <= 2:
            sizes = (*self.sizes.tolist(), 0, 0)[:2]
            return tail(self._grid, sizes, threshold - tolerance, monotone=self.monotone)
        law = self._sums if self.formula.fixed else self._walk
        return None if law is None else law.upper(threshold - tolerance)

    @cached_property
    def _grid(self) -> Remembered:
        return Remembered(lambda x, y: self.at(x, y))

    @cached_property
    def _sums(self) -> Sums:
        return Sums(self._linear, self.sizes)

    @cached_property
    def _walk(self) -> Walk | None:
        if is_vast(self.moves, self.sizes):
            return None
        return Walk(full(self.moves), self.sizes, self.scores)

    def floor(self, value: float) -> float:
        """Return the greatest difference up to a value, where `upper` takes values for one that lie a little beyond it."""
        return self._sums.floor(value) if len(self.sizes) > 2 and self.formula.fixed else value

    def draws(self, trials: int, streams: Streams) -> Floats:
        """Return differences drawn from the law."""
        if is_full(self.moves):
            return self.scores(sign_sums(self.moves, self.sizes, trials, streams))
        if self.formula.fixed:
            return sign_sums(self._linear[:, None], self.sizes, trials, streams)[:, 0]
        parts = chunks(trials, len(self.total))
        return np.concatenate(
            [self.scores(sparse_sign_sums(self.moves, self.sizes, trials, part, streams)) for part in parts]
        )


@dataclass(frozen=True, eq=False)
class StudentSwap:
    """The swap law of difference / standard error, each draw divided by its own delta-method standard error.

    Dividing makes the law right also where the denominators depend on the system: the plain law then also reacts to
    how many answers each system gives (Chung and Romano 2013; paired: Konietschke and Pauly 2014).
    """

    exchange: Exchange
    """The units that there are, and beside them their mirror images."""
    settled: Ints
    """How many there are of each kind that a swap leaves alone."""
    sizes: Ints
    standing: Ints
    """How many of each moving kind stand as their kind does in the data."""

    @classmethod
    def of(cls, tally: Tally, multiplicities: Ints) -> StudentSwap:
        """Merge each unit with its mirror image."""
        there = multiplicities > 0
        present = replace(
            tally,
            both=tally.both[there],
            multiplicities=multiplicities[there],
            strata=tally.strata[there],
            # What both systems share inside a group is nothing to this law, and would split its kinds.
            joint=np.zeros(int(there.sum())),
            memory={},
        )
        law, row = Exchange.of(present), present.multiplicities[None, :]
        return cls(law, present.multiplicities[law.still], law.sizes(row)[0], law.standing(row)[0])

    @property
    def width(self) -> int:
        """How many numbers the weights of one exchange are."""
        return len(self.settled) + 2 * len(self.sizes)

    def observed(self) -> tuple[float, float]:
        """Return the statistic of the data, computed as that of any exchange is, and within what it ties."""
        value, tie = self._at(self.standing)
        return float(value), float(tie)

    def statistic(self, counts: Floats | Ints) -> Floats:
        """Return difference / standard error where `counts[..., j]` of kind j stand as it does; 0/0 is 0, x/0 infinite."""
        return self._at(counts)[0]

    def _at(self, counts: Floats | Ints) -> tuple[Floats, Floats]:
        return self.exchange.statistic(self.exchange.weights(self.settled, counts, self.sizes), studentized=True)

    def upper(self, threshold: float, tolerance: float) -> float | None:
        """Return the exact P(t* >= threshold) on a grid of one or two classes, or of few points; else None."""
        if len(self.sizes) > 2:
            return self._summed(threshold - tolerance)
        sizes = (*self.sizes.tolist(), 0, 0)[:2]
        return tail(self._grid, sizes, threshold - tolerance, monotone=False)

    @cached_property
    def _grid(self) -> Remembered:
        classes = len(self.sizes)

        def statistic(x: Floats, y: Floats) -> Floats:
            x, y = np.broadcast_arrays(x, y)
            return self.statistic(np.stack([x, y], axis=-1)[..., :classes])

        return Remembered(statistic)

    def _summed(self, threshold: float) -> float | None:
        """Return the tail over all exchanges, where they are few: those of a handful of groups."""
        # By logarithms: many groups have more exchanges than a float can count.
        if np.log1p(self.sizes).sum() > np.log(POINTS) + 1e-9:
            return None
        values, chances = self._listed
        return float(chances @ (values >= threshold))

    @cached_property
    def _listed(self) -> tuple[Floats, Floats]:
        """The statistic of every exchange, and its chance."""
        kept, chances = points([Axis(size, np.inf) for size in self.sizes.tolist()])
        parts = chunks(len(kept), self.width)
        return np.concatenate([self.statistic(kept[part]) for part in parts]), chances

    def draws(self, trials: int, streams: Streams) -> Floats:
        """Return values of the statistic drawn from the law."""
        size = int(np.clip(CHUNK // max(1, self.width), 1, 4096))
        found = []
        for block, count in blocks(trials, size, "exchanging"):
            kept = halved(streams.at(block), self.sizes, count)
            parts = chunks(count, max(self.width, self.exchange.tally.both.shape[1]), AT_ONCE)
            found += [self.statistic(kept[part]) for part in parts]
        return np.concatenate(found)


PRODUCT = 5000


class RankSwap:
    """The law of the difference when the two scores of each unit are exchanged with probability 1/2."""

    def __init__(self, tally: RankTally, multiplicities: Ints) -> None:
        apart = np.bincount(tally.unit, tally.values[:, 0] != tally.values[:, 1], len(multiplicities)) > 0
        self.tally, self.multiplicities = tally, multiplicities
        self.moving = np.flatnonzero(apart & (multiplicities > 0))
        self.sizes: Ints = multiplicities[self.moving]

    def differences(self, flipped: Ints) -> Floats:
        """Return the differences where so many of each unit that can move are exchanged: [draw, moving unit]."""
        flip = np.zeros((len(flipped), len(self.multiplicities)))
        flip[:, self.moving] = flipped
        return self.tally.differences(self.multiplicities - flip, flip)

    def upper(self, threshold: float, tolerance: float) -> float | None:
        """Return the exact P(d* >= threshold) where there are few combinations, else None."""
        if float(np.log1p(self.sizes).sum()) > np.log(PRODUCT):
            return None
        values, probabilities = self._listed
        return min(1.0, max(float(probabilities[values >= threshold - tolerance].sum()), TINIEST))

    @cached_property
    def _listed(self) -> tuple[Floats, Floats]:
        """The difference of every combination, and its probability."""
        combinations, probabilities = points([Axis(size, np.inf) for size in self.sizes.tolist()])
        return self.differences(combinations), probabilities

    def draws(self, trials: int, streams: Streams) -> Floats:
        """Return differences drawn from the law."""
        size = int(np.clip(CHUNK // max(1, len(self.multiplicities)), 1, 4096))
        found = [
            self.differences(halved(streams.at(block), self.sizes, count))
            for block, count in blocks(trials, size, "exchanging")
        ]
        return np.concatenate(found)


DUST = 1e-13
"""What is left of squares by rounding alone, relative to them."""


@dataclass(frozen=True, eq=False)
class Shift:
    """Where a difference δ lies on the law of exchanges, for each row of a batch: at u·size/√(r + 2cu + su²), u = d − δ.

    Three laws have this form, and at δ = 0 each is the exchange test itself:

    - *Means.* Take δ off each unit's difference, as much as the unit weighs, and exchange what is left. Its exchanges spread by
      √Σ(x − δw)², where those of the data spread by √Σx²; the shape of the law is taken to be that of the data. Of units that
      weigh the same this is the interval of the studentized exchange: for a mean both order the exchanges alike.
    - *Studentized.* t of d − δ, with the standard error of the data: r = se².
    - *Any other metric.* d − δ itself: the law of no difference is taken for that of d − δ.
    """

    difference: Floats
    size: Floats
    spread: tuple[Floats, Floats, Floats]
    """r, c and s"""

    @classmethod
    def of(cls, tally: AnyTally, batch: Ints, studentized: bool) -> Shift:
        """Return the shift of each row of a batch."""
        difference = tally.differences(batch)
        one, none = np.ones(len(batch)), np.zeros(len(batch))
        if isinstance(tally, Tally) and studentized:
            return cls(difference, one, (tally.standard_errors(batch) ** 2, none, none))
        means = tally.means() if isinstance(tally, Tally) else None
        if means is None:
            return cls(difference, one, (one, none, none))
        apart, weight = means[1] - means[0], means[2]
        squares = batch @ apart**2
        crossed, weights = batch @ (apart * weight), batch @ weight**2
        left = squares - 2 * difference * crossed + difference**2 * weights
        left = np.where(left > DUST * squares, left, 0.0)
        turn = np.where(left > 0, crossed - difference * weights, 0.0)
        return cls(difference, np.sqrt(squares), (left, turn, weights))

    def at(self, null: float) -> Floats:
        """Return where on the law each row lies, seen from a difference; 0/0 is 0, x/0 infinite.

        Far off it may turn back, where one group has most of the weight; it stays at its farthest then.
        """
        r, c, s = self.spread
        u = self.difference - null
        with np.errstate(divide="ignore", invalid="ignore"):
            u = np.where((c * u < 0) & (np.abs(c * u) > r), -r / c, u)
            value = u * self.size / np.sqrt(r + 2 * c * u + s * u**2)
        return np.where(u == 0, 0.0, value)

    def flat(self, tolerance: Floats) -> Mask:
        """Say of which rows all units show one and the same difference, which tells nothing of how far it is off."""
        result: Mask = (self.spread[0] == 0) & (np.abs(self.difference) > tolerance)
        return result

    def ends(self, reach: float) -> tuple[float, float]:
        """Return the least and the greatest difference from which the first row lies no farther than `reach` on the law."""
        difference, size = float(self.difference[0]), float(self.size[0])
        if not np.isfinite(reach):
            return -np.inf, np.inf
        r, c, s = (reach**2 * float(part[0]) for part in self.spread)
        # (size² − s)u² − 2cu − r ≤ 0, the part about u = 0.
        lead = size**2 - s
        inside = c**2 + lead * r
        if inside < 0 or (lead <= 0 and r == 0):
            return -np.inf, np.inf
        root = float(np.sqrt(inside))
        if lead > 0:
            return difference - (c + root) / lead, difference - (c - root) / lead
        up, down = root - c, root + c
        return difference - (r / up if up > 0 else np.inf), difference + (r / down if down > 0 else np.inf)
