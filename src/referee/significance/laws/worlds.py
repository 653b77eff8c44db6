"""Worlds: everything that can happen to an example of a tally, what is asked about it, and the worlds that answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self, cast

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.metrics.binding import paired
from referee.metrics.formula import Formula, General
from referee.metrics.matrices import Matrix, below, beside, distinct_units, is_full, times
from referee.significance.tally import Tally

UNSEEN, UNSEEN_GENERAL = 1e-9, 1e-6
"""How many examples stand for an outcome that did not occur: enough to be possible, too few to count. Functions of totals that
are not sums of ratios subtract large numbers from each other, and would not tell fewer from none."""
SETTLED, SETTLED_GENERAL = 1e-11, 1e-9
"""To what relative accuracy the equations are solved."""
WIDE = 160
"""Up to so many totals all equations are solved at once."""
EDGE = 1e-7
"""How near to the end of its range a difference is tried, relative to the range."""


@dataclass(frozen=True, eq=False)
class Space:
    """Everything that can happen to an example: the statistics of every kind of outcome, seen or not."""

    formula: Formula
    both: Matrix
    """[outcome, statistic]: those of A, then those of B"""
    strata: Ints
    """The stratum of each outcome, 0, 1, ..."""
    seen: int
    """How many of the outcomes, the first ones, are units of the tally; the others are possible and not among them."""

    @property
    def is_wide(self) -> bool:
        """Whether there are too many totals to solve all equations at once."""
        return not is_full(self.both) or self.both.shape[1] > WIDE

    @cached_property
    def table(self) -> Matrix:
        """[outcome, statistic], sparse."""
        from scipy.sparse import csr_array

        return csr_array(self.both)

    @cached_property
    def turned(self) -> Matrix:
        """[statistic, outcome], sparse."""
        return self.table.T.tocsr()

    @cached_property
    def member(self) -> Floats:
        """[outcome, stratum]: 1 if the outcome is one of the stratum."""
        return np.asarray(self.strata[:, None] == np.arange(self.strata.max(initial=0) + 1), dtype=np.float64)

    @property
    def unseen(self) -> float:
        """How many examples stand for an outcome that did not occur."""
        return UNSEEN_GENERAL if isinstance(self.formula, General) else UNSEEN

    @property
    def settled(self) -> float:
        """To what relative accuracy the equations are solved."""
        return SETTLED_GENERAL if isinstance(self.formula, General) else SETTLED

    def counts(self, batch: Any) -> Floats:
        """Return [row, outcome]: how often each occurred; 0 of those that are no unit."""
        return np.pad(np.asarray(batch, dtype=np.float64), ((0, 0), (0, self.both.shape[0] - self.seen)))

    def is_vague(self, question: Question) -> Mask:
        """Say in which rows a score that is asked for meets 0/0."""
        vague = self.formula.vague(paired(times(question.counts, self.both)))
        return np.asarray((vague & (question.signs != 0)).any(axis=-1))

    def values(self, totals: Floats, signs: Floats) -> Floats:
        """Return the signed sum of the two scores, of totals [row, statistics of A then B]."""
        scores = self.formula.score(paired(totals))
        return np.asarray((scores * signs).sum(axis=-1))

    def slopes(self, totals: Floats, signs: Floats) -> Floats:
        """Return its derivative by each of the totals."""
        slope = self.formula.gradient(paired(totals)) * signs[:, :, None]
        return slope.reshape(totals.shape)

    def curvatures(self, totals: Floats, signs: Floats) -> Floats:
        """Return [row, statistic, statistic]: its second derivatives, 0 between the systems."""
        own = self.formula.curvature(paired(totals)) * signs[:, :, None, None]
        size = own.shape[-1]
        made: Floats = np.zeros((len(totals), 2 * size, 2 * size))
        made[:, :size, :size], made[:, size:, size:] = own[:, 0], own[:, 1]
        return made

    def bends(self, totals: Floats, signs: Floats, move: Floats) -> Floats:
        """Return how the slopes change along a move of the totals."""
        bend = self.formula.bend(paired(totals), paired(move)) * signs[:, :, None]
        return bend.reshape(totals.shape)


class Rows:
    """A record of arrays that all have one entry per row."""

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Return the rows of several records."""
        columns = zip(*(vars(part).values() for part in parts), strict=True)
        return cast("Self", cast("Any", cls)(*map(np.concatenate, columns)))

    def take(self, rows: Any) -> Self:
        """Return some of the rows, each as often as it is asked for."""
        return cast("Self", cast("Any", type(self))(*(array[rows] for array in vars(self).values())))


@dataclass(frozen=True, eq=False)
class Question(Rows):
    """What is asked of each row: the counts, what d is, and the value it is to have or how far off it is to be."""

    counts: Floats
    """[row, outcome]"""
    signs: Floats
    """[row, system]: (−1, 1) for the difference b − a, (1, 0) for the score of A"""
    value: Floats
    """[row]: the value of d; the first guess of it if there is an `aim`"""
    aim: Floats
    """[row]: the distance from the data, the root of X², at which the value is asked for; NaN if the value is given"""
    centre: Floats
    """[row]: d of the data"""
    low: Floats
    high: Floats
    """[row]: the ends of what d can be"""

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def is_aimed(self) -> Mask:
        """Which rows ask for a distance."""
        return ~np.isnan(self.aim)

    @property
    def edge(self) -> Floats:
        """How near to the end of its range each difference is tried."""
        width = self.high - self.low
        return EDGE * np.where(np.isfinite(width), width, 0.0)

    def inside(self, value: Floats) -> Floats:
        """Return values, those beyond the ends of the range moved just inside."""
        return np.clip(value, self.low + self.edge, self.high - self.edge)

    def short_of_end(self, value: Floats, factor: Floats) -> Floats:
        """Return values, their distance from the data times a factor, none moved all the way to the end of the range."""
        grown = self.centre + (value - self.centre) * factor
        end = np.where(grown > self.centre, self.high, self.low)
        most = np.where(np.isfinite(end), value + 0.9 * (end - value), grown)
        return np.where(np.abs(grown - self.centre) > np.abs(most - self.centre), most, grown)

    def ends(self, value: Floats, root: Floats) -> Mask:
        """Say which rows have come to the end of the range without being as far off as asked for."""
        near = (value <= self.low + 1.5 * self.edge) | (value >= self.high - 1.5 * self.edge)
        return np.asarray(self.is_aimed & (self.inside(value) == value) & near & (root < self.aim))


@dataclass(frozen=True, eq=False)
class Worlds(Rows):
    """The nearest world of each row."""

    expected: Floats
    """[row, outcome]: the expected counts"""
    value: Floats
    """d in that world; the end of the range if that is nearer than asked for"""
    root: Floats
    """The root of X² = Σ (e − m)²/m, without a sign"""
    likelihood: Floats
    """Twice the log-likelihood that is lost against the data themselves"""
    found: Mask
    """Whether the search settled; if not, the rest means nothing."""
    sure: Mask
    """Whether it settled to the last digits"""
    rounds: Ints
    """How many rounds the search took that the row was part of"""

    def merged(self, rows: Ints, other: Worlds) -> Worlds:
        """Return these with others in the place of some rows, wherever those are found and these are not, or are likelier."""
        own = self.take(rows)
        likelier = (other.sure == own.sure) & (other.likelihood < own.likelihood - 1e-9)
        better = other.found & (~own.found | (other.sure & ~own.sure) | likelier)
        made = self.take(np.arange(len(self.found)))
        for mine, new in zip(vars(made).values(), vars(other).values(), strict=True):
            mine[rows[better]] = new[better]
        return replace(made, rounds=self.rounds + other.rounds.max())


def distances(counts: Floats, expected: Floats) -> Floats:
    """Return the root of X² of each row."""
    return np.asarray(np.sqrt(((counts - expected) ** 2 / expected).sum(axis=1)))


def likelihood_lost(counts: Floats, expected: Floats) -> Floats:
    """Return twice the log-likelihood of each row that is lost against the data themselves."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(counts > 0, counts * np.log(np.where(counts > 0, counts, 1.0) / expected), 0.0)
    return np.asarray(np.maximum(2 * logs.sum(axis=1), 0.0))


def ended(asked: Question, expected: Floats, value: Floats, root: Floats, found: Mask, sure: Mask, used: int) -> Worlds:
    """Return what a search found; what it ended at the end of the range has the value of that end."""
    value = np.where(asked.ends(value, root), np.where(value > asked.centre, asked.high, asked.low), value)
    found = found & np.isfinite(root) & (expected > 0).all(axis=1)
    lost, rounds = likelihood_lost(asked.counts, expected), np.full(len(asked), used)
    return Worlds(expected, value, root, lost, found, found & sure, rounds)


def has_space(tally: Tally) -> bool:
    """Say whether it is known what might have occurred: single examples of one weight, whose statistics are on a known scale."""
    return not tally.uneven and tally.bound.possible is not None


def space_of(tally: Tally) -> Space:
    """Return everything that can happen to an example of a tally; its units come first, in their order."""
    if "space" in tally.memory:
        return cast("Space", tally.memory["space"])
    both, strata, own = tally.both, tally.strata, tally.both.shape[0]
    if tally.bound.possible is not None:
        answers = tally.bound.possible()
        present = np.unique(strata)
        if tally.unpaired:
            own_answers = answers.statistics[: len(answers.truth) - answers.open]
            none = own_answers * 0.0
            more = [beside([none, own_answers] if one % 2 else [own_answers, none]) for one in present.tolist()]
        else:
            first, second = answers.joint()
            more = [beside([answers.statistics[first], answers.statistics[second]])] * len(present)
        tiled = below([both, *more])
        labels = np.concatenate([strata, np.repeat(present, more[0].shape[0])])
        order, starts = distinct_units(tiled, labels)
        new = np.sort(order[starts])
        kept = np.concatenate([np.arange(own), new[new >= own]])
        both, strata = tiled[kept], labels[kept]
    space = tally.memory["space"] = Space(tally.bound.formula, both, np.unique(strata, return_inverse=True)[1], own)
    return space
