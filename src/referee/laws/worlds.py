"""Worlds: everything that can happen to an example, what is asked about it, and the worlds that answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from referee.matrices import Matrix, is_full
from referee.metrics.classwise import Formula
from referee.metrics.formula import General
from referee.values import Floats, Ints, Mask

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
        vague = self.formula.vague(_by_system(question.counts @ np.asarray(self.both)))
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

    @property
    def parts(self) -> tuple[Floats, ...]:
        """The arrays, one entry a row in each."""
        return self.counts, self.signs, self.value, self.aim, self.centre, self.low, self.high

    @property
    def is_aimed(self) -> Mask:
        """Which rows ask for a distance."""
        result: Mask = ~np.isnan(self.aim)
        return result

    def inside(self, value: Floats) -> Floats:
        """Return values, those beyond the ends of the range moved just inside."""
        width = self.high - self.low
        edge = EDGE * np.where(np.isfinite(width), width, 0.0)
        return np.clip(value, self.low + edge, self.high - edge)

    def ends(self, value: Floats, root: Floats) -> Mask:
        """Say which rows have come to the end of the range without being as far off as asked for."""
        moved = np.abs(self.inside(value) - value) == 0
        width = np.where(np.isfinite(self.high - self.low), self.high - self.low, 0.0)
        near = (value <= self.low + 1.5 * EDGE * width) | (value >= self.high - 1.5 * EDGE * width)
        result: Mask = self.is_aimed & moved & near & (root < self.aim)
        return result


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

    def merged(self, rows: Ints, other: Worlds) -> Worlds:
        """Return these with others in the place of some rows, wherever those are found and these are not, or are likelier."""
        likelier = other.likelihood < self.likelihood[rows] - 1e-9
        better = other.found & (
            ~self.found[rows] | (other.sure & ~self.sure[rows]) | ((other.sure == self.sure[rows]) & likelier)
        )
        parts = {}
        for name in ("expected", "value", "root", "likelihood", "found", "sure"):
            own = getattr(self, name).copy()
            own[rows[better]] = getattr(other, name)[better]
            parts[name] = own
        return replace(self, **parts, rounds=self.rounds + other.rounds)


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
