"""Worlds: everything that can happen to an example of a tally, what is asked about it, and the worlds that answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.metrics.class_averages import Formula
from referee.metrics.formula import General
from referee.metrics.matrices import Matrix, below, beside, distinct_units, is_full, times
from referee.significance.tally import Tally

UNSEEN, UNSEEN_GENERAL = 1e-9, 1e-6
"""How many examples stand for an outcome that did not occur: enough to be possible, too few to count. Functions of totals that
are not sums of ratios subtract large numbers from each other, and would not tell fewer from none."""
FIRST = 0.1
"""How many examples of all that was not seen a search begins with."""
SETTLED, SETTLED_GENERAL = 1e-11, 1e-9
"""To what relative accuracy the equations are solved."""
NEARLY = 1e-6
"""What is taken for solved after all the rounds: a gradient by differences does not settle further."""
THERE = 1e-9
"""How exactly a world must have the value that is asked for, and as many examples as there are."""
CLOSE, ROUGH, SURE = 1e-6, 0.01, 1e-4
"""By how much of the likelihood lost a world may miss the nearest one: to be taken for it; to be taken for it, but not for sure;
and to be sure after a slow search. Outcomes that are next to nothing in a world may have equations that cannot be solved to the
last digits, and need not be; and where the slope of a metric is infinite (MCC of a system that always says the same), the last
digits cannot be had."""
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
        made: Floats = np.zeros((len(batch), self.both.shape[0]))
        made[:, : self.seen] = batch
        return made

    def is_vague(self, question: Question) -> Mask:
        """Say in which rows a score that is asked for meets 0/0."""
        vague = self.formula.vague(_by_system(times(question.counts, self.both)))
        return np.asarray((vague & (question.signs != 0)).any(axis=-1))

    def values(self, totals: Floats, signs: Floats) -> Floats:
        """Return the signed sum of the two scores, of totals [row, statistics of A then B]."""
        scores = self.formula.score(_by_system(totals))
        return np.asarray((scores * signs).sum(axis=-1))

    def slopes(self, totals: Floats, signs: Floats) -> Floats:
        """Return its derivative by each of the totals."""
        slope = self.formula.gradient(_by_system(totals)) * signs[:, :, None]
        return slope.reshape(totals.shape)

    def curvatures(self, totals: Floats, signs: Floats) -> Floats:
        """Return [row, statistic, statistic]: its second derivatives, 0 between the systems."""
        own = self.formula.curvature(_by_system(totals)) * signs[:, :, None, None]
        size = own.shape[-1]
        made: Floats = np.zeros((len(totals), 2 * size, 2 * size))
        made[:, :size, :size], made[:, size:, size:] = own[:, 0], own[:, 1]
        return made

    def bends(self, totals: Floats, signs: Floats, move: Floats) -> Floats:
        """Return how the slopes change along a move of the totals."""
        bend = self.formula.bend(_by_system(totals), _by_system(move)) * signs[:, :, None]
        return bend.reshape(totals.shape)


def _by_system(totals: Floats) -> Floats:
    return totals.reshape(len(totals), 2, totals.shape[1] // 2)


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked of each row: the counts, what d is, and the value it is to have or how far off it is to be."""

    counts: Floats
    """[row, outcome]"""
    signs: Floats
    """[row, system]: (−1, 1) for the difference b − a, (1, 0) for the score of A"""
    value: Floats
    """[row]: the value of d; where `aim` is known, the first guess of it"""
    aim: Floats
    """[row]: the distance from the data, the root of X², at which the value is asked for; NaN where the value is given"""
    centre: Floats
    """[row]: d of the data"""
    low: Floats
    high: Floats
    """[row]: the ends of what d can be"""

    def __len__(self) -> int:
        return len(self.counts)

    @classmethod
    def joined(cls, questions: Sequence[Question]) -> Question:
        """Return the rows of several questions."""
        return cls(*(np.concatenate(parts) for parts in zip(*(one.parts for one in questions), strict=True)))

    def take(self, rows: Any) -> Question:
        """Return some of the rows."""
        return Question(*(part[rows] for part in self.parts))

    def at(self, value: Floats) -> Question:
        """Return the same, to begin from other values."""
        return replace(self, value=value)

    @property
    def parts(self) -> tuple[Floats, ...]:
        """The arrays, one entry a row in each."""
        return self.counts, self.signs, self.value, self.aim, self.centre, self.low, self.high

    @property
    def is_aimed(self) -> Mask:
        """Which rows ask for a distance."""
        return ~np.isnan(self.aim)

    def inside(self, value: Floats) -> Floats:
        """Return values, those beyond the ends of the range moved just inside."""
        width = self.high - self.low
        edge = EDGE * np.where(np.isfinite(width), width, 0.0)
        return np.clip(value, self.low + edge, self.high - edge)

    def held_back(self, value: Floats, moved: Floats) -> Floats:
        """Return values that are moved, neither too far at once nor all the way to the end of the range."""
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = np.clip((moved - self.centre) / (value - self.centre), 0.4, 4.0)
        return self.short_of_end(
            value, self.centre + (value - self.centre) * np.where(np.isfinite(factor), factor, 1.0)
        )

    def short_of_end(self, value: Floats, grown: Floats) -> Floats:
        """Return values that have grown, none of them all the way from where it was to the end of the range."""
        end = np.where(grown > self.centre, self.high, self.low)
        most = np.where(np.isfinite(end), value + 0.9 * (end - value), grown)
        return np.where(np.abs(grown - self.centre) > np.abs(most - self.centre), most, grown)

    def ends(self, value: Floats, root: Floats) -> Mask:
        """Say which rows have come to the end of the range without being as far off as asked for."""
        moved = np.abs(self.inside(value) - value) == 0
        width = np.where(np.isfinite(self.high - self.low), self.high - self.low, 0.0)
        near = (value <= self.low + 1.5 * EDGE * width) | (value >= self.high - 1.5 * EDGE * width)
        result: Mask = self.is_aimed & moved & near & (root < self.aim)
        return result


BY_ROW = ("expected", "value", "root", "likelihood", "found", "sure")


@dataclass(frozen=True, eq=False)
class Worlds:
    """The nearest world of each row."""

    expected: Floats
    """[row, outcome]: the expected counts"""
    value: Floats
    """d in that world; the end of the range where it is not as far off there as asked for"""
    root: Floats
    """The root of X² = Σ (e − m)²/m, without a sign"""
    likelihood: Floats
    """Twice the log-likelihood that is lost against the data themselves"""
    found: Mask
    """Whether the search settled; where not, the rest means nothing."""
    sure: Mask
    """Whether it settled to the last digits"""
    rounds: int

    @classmethod
    def joined(cls, parts: Sequence[Worlds], order: Ints | None = None) -> Worlds:
        """Return the rows of several, all of them or some in another order."""

        def all_of(name: str) -> Any:
            whole = np.concatenate([getattr(part, name) for part in parts])
            return whole if order is None else whole[order]

        return cls(**{name: all_of(name) for name in BY_ROW}, rounds=max(part.rounds for part in parts))

    def merged(self, rows: Ints, other: Worlds) -> Worlds:
        """Return these with others in the place of some rows, wherever those are found and these are not, or are likelier."""
        likelier = other.likelihood < self.likelihood[rows] - 1e-9
        better = other.found & (
            ~self.found[rows] | (other.sure & ~self.sure[rows]) | ((other.sure == self.sure[rows]) & likelier)
        )
        parts = {}
        for name in BY_ROW:
            own = getattr(self, name).copy()
            own[rows[better]] = getattr(other, name)[better]
            parts[name] = own
        return replace(self, **parts, rounds=self.rounds + other.rounds)


@dataclass(eq=False)
class Bracket:
    """What is known of each row on either side of the distance that is asked for."""

    near: Floats
    """The last value tried that is nearer"""
    near_root: Floats
    far: Floats
    """The last value tried that is farther, NaN if there was none"""
    far_root: Floats

    @classmethod
    def of(cls, asked: Question) -> Bracket:
        """Return what is known at first: the data themselves are nearer."""
        rows = len(asked)
        return cls(asked.centre.copy(), np.zeros(rows), np.full(rows, np.nan), np.full(rows, np.nan))

    def take(self, rows: Any) -> Bracket:
        """Return that of some of the rows."""
        return Bracket(self.near[rows], self.near_root[rows], self.far[rows], self.far_root[rows])

    def moved(self, asked: Question, value: Floats, root: Floats, known: Mask) -> Floats:
        """Return the values to try next, where it is known how far off these are.

        In proportion to the distance, never all the way to the end of the range; and between two values, once there are two.
        """
        below, above = known & (root < asked.aim), known & (root >= asked.aim)
        self.near, self.near_root = np.where(below, value, self.near), np.where(below, root, self.near_root)
        self.far, self.far_root = np.where(above, value, self.far), np.where(above, root, self.far_root)
        with np.errstate(divide="ignore", invalid="ignore"):
            grown = asked.centre + (value - asked.centre) * np.clip(asked.aim / root, 0.4, 4.0)
            grown = asked.short_of_end(value, grown)
            part = np.clip((asked.aim - self.near_root) / (self.far_root - self.near_root), 0.1, 0.9)
            between = self.near + (self.far - self.near) * part
        return asked.inside(np.where(np.isnan(self.far), grown, between))


def distances(counts: Floats, expected: Floats) -> Floats:
    """Return the root of X² of each row."""
    result: Floats = np.sqrt(((counts - expected) ** 2 / expected).sum(axis=1))
    return result


def likelihood_lost(counts: Floats, expected: Floats) -> Floats:
    """Return twice the log-likelihood of each row that is lost against the data themselves."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(counts > 0, counts * np.log(np.where(counts > 0, counts, 1.0) / expected), 0.0)
    result: Floats = np.maximum(2 * logs.sum(axis=1), 0.0)
    return result


def finish(
    question: Question, expected: Floats, value: Floats, root: Floats, found: Mask, sure: Mask, used: int
) -> Worlds:
    """Return what a search found; what it ended at the end of the range has the value of that end."""
    ended = question.ends(value, root)
    value = np.where(ended, np.where(value > question.centre, question.high, question.low), value)
    found = found & np.isfinite(root) & (expected > 0).all(axis=1)
    return Worlds(expected, value, root, likelihood_lost(question.counts, expected), found, found & sure, used)


def has_space(tally: Tally) -> bool:
    """Say whether it is known what might have occurred: single examples, whose statistics are on a known scale."""
    return not tally.grouped and tally.bound.possible is not None


def space_of(tally: Tally) -> Space:
    """Return everything that can happen to an example of a tally; its units come first, in their order."""
    known = tally.memory.get("space")
    if isinstance(known, Space):
        return known
    possible = tally.bound.possible
    both, strata = tally.both, tally.strata
    own = both.shape[0]
    if possible is not None:
        answers = possible()
        first, second = answers.joint()
        more = beside([answers.statistics[first], answers.statistics[second]])
        present = np.unique(strata)
        tiled = below([both, *[more] * len(present)])
        labels = np.concatenate([strata, np.repeat(present, more.shape[0])])
        order, starts = distinct_units(tiled, labels)
        new = np.sort(order[starts])
        kept = np.concatenate([np.arange(own), new[new >= own]])
        both, strata = tiled[kept], labels[kept]
    made = Space(tally.bound.formula, both, np.unique(strata, return_inverse=True)[1], own)
    tally.memory["space"] = made
    return made
