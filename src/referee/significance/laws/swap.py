"""The swap law: under the null hypothesis each unit's two responses are exchangeable; its p-values and its reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from referee.data.columns import Floats, Ints
from referee.metrics.formula import Formula
from referee.metrics.matrices import Matrix, distinct_units, first_signs, full, halves, is_full, signed
from referee.runtime.randomness import Streams, blocks
from referee.significance.distributions import toward
from referee.significance.laws.binomial_grid import TINIEST, Axis, Remembered, points, tail
from referee.significance.laws.exchange import Exchange, Shift, reached
from referee.significance.laws.signed_sums import Sums, Walk, halved, is_vast, sign_sums, sparse_sign_sums
from referee.significance.rank_tally import AnyTally, RankTally, differing
from referee.significance.tally import AT_ONCE, CHUNK, Tally, chunks

POINTS = 2**16
"""So many exchanges are summed one by one, if each has a standard error of its own."""


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
        """Return the exact P(d* >= threshold), or None if it is out of reach."""
        if len(self.sizes) <= 2:
            return tail(self._grid, self.sizes.tolist(), threshold - tolerance, monotone=self.monotone)
        return None if self._law is None else self._law.upper(threshold - tolerance)

    @cached_property
    def _grid(self) -> Remembered:
        return Remembered(lambda x, y: self.at(x, y))

    @cached_property
    def _law(self) -> Sums | Walk | None:
        if self.formula.fixed:
            return Sums(self._linear, self.sizes)
        return None if is_vast(self.moves, self.sizes) else Walk(full(self.moves), self.sizes, self.scores)

    def floor(self, value: float) -> float:
        """Return the greatest difference up to a value, where `upper` takes values for one that lie a little beyond it."""
        law = self._law if len(self.sizes) > 2 else None
        return law.floor(value) if isinstance(law, Sums) else value

    def draws(self, trials: int, streams: Streams) -> Floats:
        """Return differences drawn from the law."""
        if is_full(self.moves):
            return self.scores(sign_sums(self.moves, self.sizes, trials, streams))
        if self.formula.fixed:
            return sign_sums(self._linear[:, None], self.sizes, trials, streams)[:, 0]
        parts = [(self.moves, self.sizes, trials, part, streams) for part in chunks(trials, len(self.total))]
        return np.concatenate([self.scores(sparse_sign_sums(*part)) for part in parts])


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
        both, strata, own = tally.both[there], tally.strata[there], multiplicities[there]
        # What both systems share inside a group is nothing to this law, and would split its kinds.
        alone = replace(tally, both=both, multiplicities=own, strata=strata, joint=np.zeros(len(own)), memory={})
        law, row = Exchange.of(alone, studentized=True), own[None, :]
        return cls(law, own[law.still], law.sizes(row)[0], law.sizes(row, standing=True)[0])

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
        return self.exchange.statistic(self.exchange.weights(self.settled, counts, self.sizes))

    def upper(self, threshold: float, tolerance: float) -> float | None:
        """Return the exact P(t* >= threshold) on a grid of one or two classes, or of few points; otherwise None."""
        if len(self.sizes) <= 2:
            return tail(self._grid, self.sizes.tolist(), threshold - tolerance, monotone=False)
        # By logarithms: many groups have more exchanges than a float can count.
        if np.log1p(self.sizes).sum() > np.log(POINTS) + 1e-9:
            return None
        values, chances = self._listed
        return float(chances @ (values >= threshold - tolerance))

    @cached_property
    def _grid(self) -> Remembered:
        def statistic(x: Floats, y: Floats) -> Floats:
            x, y = np.broadcast_arrays(x, y)
            return self.statistic(np.stack([x, y], axis=-1)[..., : len(self.sizes)])

        return Remembered(statistic)

    @cached_property
    def _listed(self) -> tuple[Floats, Floats]:
        """The statistic of every exchange, and its chance."""
        kept, chances = points([Axis(size, np.inf) for size in self.sizes.tolist()])
        return np.concatenate([self.statistic(kept[part]) for part in chunks(len(kept), self.width)]), chances

    def draws(self, trials: int, streams: Streams) -> Floats:
        """Return values of the statistic drawn from the law."""
        size = int(np.clip(CHUNK // max(1, self.width), 1, 4096))
        drawn = []
        for block, count in blocks(trials, size, "exchanging"):
            kept = halved(streams.at(block), self.sizes, count)
            parts = chunks(count, max(self.width, self.exchange.tally.both.shape[1]), AT_ONCE)
            drawn += [self.statistic(kept[part]) for part in parts]
        return np.concatenate(drawn)


PRODUCT = 5000


class RankSwap:
    """The law of the difference when the two scores of each unit are exchanged with probability 1/2."""

    def __init__(self, tally: RankTally, multiplicities: Ints) -> None:
        self.tally, self.multiplicities = tally, multiplicities
        self.moving = np.flatnonzero(differing(tally) & (multiplicities > 0))
        self.sizes: Ints = multiplicities[self.moving]

    def differences(self, flipped: Ints) -> Floats:
        """Return the differences where so many of each unit that can move are exchanged: [draw, moving unit]."""
        flip = np.zeros((len(flipped), len(self.multiplicities)))
        flip[:, self.moving] = flipped
        return self.tally.differences(self.multiplicities - flip, flip)

    def upper(self, threshold: float, tolerance: float) -> float | None:
        """Return the exact P(d* >= threshold) if there are few combinations, otherwise None."""
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
        parts = blocks(trials, int(np.clip(CHUNK // max(1, len(self.multiplicities)), 1, 4096)), "exchanging")
        return np.concatenate([self.differences(halved(streams.at(i), self.sizes, count)) for i, count in parts])


SMALLEST = 1e-9
"""The first step of a search, where the systems tie."""


@dataclass(frozen=True, eq=False)
class Law:
    """One data set's swap law and the observed value on it."""

    law: Swap | StudentSwap | RankSwap
    value: float
    tolerance: float
    shift: Shift
    drawn: Floats | None = None
    """The draws that stand for it; None if it is summed exactly."""
    paired: bool = True
    """Whether each draw stands for its mirror image too, which is as likely."""

    @classmethod
    def of(cls, tally: AnyTally, row: Ints, studentized: bool) -> Law:
        """Build the law of a tally with these multiplicities."""
        shift = Shift.of(tally, row[None, :], studentized)
        if studentized and isinstance(tally, Tally):
            own = StudentSwap.of(tally, row)
            return cls(own, *own.observed(), shift)
        value, tolerance = map(float, tally.differences_and_ties(row))
        law = RankSwap(tally, row) if isinstance(tally, RankTally) else Swap.of(tally, row)
        return cls(law, value, tolerance, shift)

    @property
    def still(self) -> bool:
        """Whether no exchange can change anything."""
        return len(self.law.sizes) == 0

    @property
    def width(self) -> int:
        """How many numbers one draw takes, about."""
        if isinstance(self.law, RankSwap):
            return 8 * len(self.law.tally.values)
        return self.law.width if isinstance(self.law, StudentSwap) else 2 * len(self.law.sizes)

    def p(self, value: float, alternative: str) -> tuple[float, float | None]:
        """Return the p-value of a value on the law, and its standard error if the law is drawn."""
        if self.drawn is not None:
            return self._sampled(self.drawn, value, alternative)
        # What is out of reach is so far out that next to nothing lies beyond.
        return self.exact(value, alternative) or 0.0, None

    def exact(self, value: float, alternative: str) -> float | None:
        """Return the exact p-value: the law is symmetric, so every alternative is an upper tail."""
        if alternative == "two-sided" and abs(value) <= self.tolerance:
            return 1.0
        beyond = self.law.upper(toward(value, alternative), self.tolerance)
        return min(1.0, 2 * beyond) if alternative == "two-sided" and beyond is not None else beyond

    def _sampled(self, drawn: Floats, value: float, alternative: str) -> tuple[float, float]:
        """Return the Monte Carlo p-value (hits+1)/(trials+1) and its standard error.

        One-sided each draw is counted with its mirror image, by half: so the p of either side is half of the two-sided one,
        or the rest of it, and at no difference both are the same.
        """
        trials, both = len(drawn), (drawn, -drawn)
        hits, mirrored = (int(reached(own, value, self.tolerance, alternative).sum()) for own in both)
        if alternative == "two-sided" or (not self.paired and abs(value) > self.tolerance):
            p = (hits + 1) / (trials + 1)
            return p, float(np.sqrt(p * (1 - p) / trials))
        ahead = value * (1 if alternative == "greater" else -1) > self.tolerance
        p = (hits + mirrored + (1 if ahead else 2)) / (2 * (trials + 1))
        share = min(2 * p, 2 * (1 - p), 1.0)
        return p, float(np.sqrt(share * (1 - share) / trials)) / 2

    def reach(self, tail: float) -> float:
        """Return the farthest value whose two-sided p-value exceeds `tail`; infinite if there is no end of them."""
        tail *= 1 + 1e-12

        @cache
        def p(value: float) -> float:
            return self.p(value, "two-sided")[0]

        near, far = 0.0, abs(self.value)
        if p(far) > tail:
            # Draws may be too few to rule out anything; and statistics over an error of 0 are as far out as can be.
            if (self.drawn is not None or isinstance(self.law, StudentSwap)) and p(np.inf) > tail:
                return np.inf
            step = max(far, self.tolerance, SMALLEST)
            while p(far) > tail:
                near, far, step = far, far + step, 2 * step
        found = _edge(p, near, far, tail)
        return max(self.law.floor(found), near) if isinstance(self.law, Swap) and self.drawn is None else found


def _edge(p: Callable[[float], float], near: float, far: float, tail: float) -> float:
    """Return the greatest value found whose p exceeds the tail, between one whose p does and one whose p does not.

    A law of many points is nearly smooth, and nearly normal, so most guesses are by a straight line on the normal scale,
    a little to one side of it and to the other; every third halves what is left.
    """
    from scipy.special import ndtri

    def height(value: float) -> float:
        return float(ndtri(np.clip(p(value) / 2, 1e-300, 0.5)))

    aim, turn = float(ndtri(tail / 2)), 0
    # The value may be 0 itself, which no relative distance is near to.
    least = 1e-12 * far
    while far > least and (far - near > 1e-6 * far or (far - near > 1e-10 * far and p(near) - p(far) > 1e-5 * tail)):
        part = 0.5
        if turn % 3 < 2 and height(near) > height(far):
            line = (height(near) - aim) / (height(near) - height(far))
            part = min(max(line + (0.02 if turn % 3 else -0.02), 0.01), 0.99)
        middle = near + part * (far - near)
        near, far = (middle, far) if p(middle) > tail else (near, middle)
        turn += 1
    return near
