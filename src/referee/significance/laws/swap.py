"""The swap law: under the null hypothesis each unit's two responses could as well have been exchanged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from referee.data.columns import Floats, Ints
from referee.metrics.class_averages import Formula
from referee.metrics.matrices import Matrix, distinct_units, first_signs, full, halves, is_full, signed
from referee.runtime.randomness import Streams, blocks
from referee.significance.laws import lattice
from referee.significance.laws.binomial_grid import Axis, Remembered, points, tail
from referee.significance.laws.exchange import Exchange
from referee.significance.laws.signed_sums import halved, sign_sums, sparse_sign_sums
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
    def _sums(self) -> lattice.Sums:
        return lattice.Sums(self._linear, self.sizes)

    @cached_property
    def _walk(self) -> lattice.Walk | None:
        if lattice.is_vast(self.moves, self.sizes):
            return None
        return lattice.Walk(full(self.moves), self.sizes, self.scores)

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
