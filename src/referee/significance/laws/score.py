"""The score law: how far the data are from the nearest world in which the difference has a given value (Rao 1948, Tango 1998).

The distance is the root of Pearson's X² between the counts and those that are to be expected in that world. It is about
normal, so one law gives the p-value of any difference and the interval of those that are not too far away.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.metrics.matrices import first_signs, full, halves
from referee.runtime.randomness import Streams
from referee.significance.laws.newton import Few, newton, over_sphere, plan_of
from referee.significance.laws.newton_many import Many
from referee.significance.laws.worlds import Question, Space, Worlds, space_of
from referee.significance.tally import AT_ONCE, Tally, chunks

BETWEEN = (0.2, 0.4, 0.6, 0.8, 0.95)
"""Where the distance may have been greater on the way from the data to a value, it is looked at in these places."""
SUSPECT, BEYOND = 0.1, 4.0
"""By how much, relative to it, the likelihood lost must differ from the squared distance for that, and how much of it must be lost:
in thousands of sparse tables it was seen beyond twice as much only."""


def nearest(space: Space, question: Question, start: Floats | None = None) -> Worlds:
    """Find the nearest world of each row.

    Args:
        space: what can happen.
        question: what is asked.
        start: expected counts to begin from, where a world nearby is known.
    """
    search = Many if space.is_wide else Few
    if start is not None:
        return newton(search(space, question, space.unseen, start))
    if space.is_wide and len(question) > 1:
        # Each row is as large as a batch of small ones.
        return Worlds.joined([nearest(space, question.take([row])) for row in range(len(question))])
    # The data are the nearest worlds of rows that ask for their own value: a distance is asked for at that value only where it is
    # the end of the range, and nothing lies beyond.
    still = question.value == question.centre
    root, lost = np.where(still, 0.0, np.nan), np.where(still, 0.0, np.inf)
    expected, rounds = np.maximum(question.counts, space.unseen), np.zeros(len(question), dtype=np.int64)
    worlds = Worlds(expected, question.value, root, lost, still, still, rounds)

    def by_newton(asked: Question) -> Worlds:
        return newton(search(space, asked))

    def slowly(asked: Question) -> Worlds:
        slow = over_sphere(space, asked)
        if few or not slow.found[0] or slow.rounds[0] < plan_of(asked)[-1]:
            return slow
        sharp = nearest(space, replace(asked, value=slow.value), slow.expected)
        return sharp if sharp.sure[0] else slow

    # Next to 0/0 Newton's method swings, and is tried last; what is aimed for is found by it at once, or by walking there. Many
    # classes are not walked to, but searched for slowly and then by Newton's method from there.
    few, vague, aimed = not space.is_wide, space.is_vague(question), question.is_aimed
    walks = aimed & few
    for way, rows in ((by_newton, walks | ~vague), (slowly, ~walks), (by_newton, ~aimed & vague & few)):
        open_ = np.flatnonzero(rows & ~worlds.sure)
        if len(open_):
            worlds = worlds.merged(open_, way(question.take(open_)))
    return worlds


@dataclass(frozen=True, eq=False)
class Distances:
    """How far each row is from a value of the difference, with the sign of what lies above it."""

    root: Floats
    """NaN if no world with that value was found"""
    worlds: Worlds

    @property
    def found(self) -> Mask:
        """Which rows are known."""
        return np.isfinite(self.root)

    @property
    def rounds(self) -> int:
        """How many rounds the longest search took."""
        return int(self.worlds.rounds.max(initial=0))


@dataclass(frozen=True, eq=False)
class ScoreLaw:
    """The law of one difference (or score) on the units of a tally."""

    tally: Tally
    signs: tuple[float, float] = (-1.0, 1.0)
    """Of A's score and of B's"""

    @cached_property
    def space(self) -> Space:
        """Everything that can happen."""
        return space_of(self.tally)

    @cached_property
    def range(self) -> tuple[float, float]:
        """The ends of what the difference can be."""
        ends = self.tally.range
        if ends is None and self.tally.is_mean and self.tally.bound.possible is not None:
            # A mean lies between the least and the greatest of the values that are possible.
            values = full(self.tally.bound.possible().statistics)[:, 0]
            ends = float(values.min()), float(values.max())
        if ends is None:
            return -np.inf, np.inf
        low, high = np.sort(np.outer(self.signs, ends)).sum(axis=0).tolist()
        return low, high

    def centres(self, batch: Ints) -> Floats:
        """Return the difference of each row."""
        return np.asarray(self.tally.scores(batch) @ np.array(self.signs))

    def distances(self, batch: Ints, value: float | Floats) -> Distances:
        """Return how far each row is from a value, or from its own: the greatest distance on the way there, seldom not the last."""
        aims = np.broadcast_to(np.asarray(value, dtype=np.float64), len(batch))
        if np.ndim(value) == 0 and len(batch) == 1:
            # The p-value and the interval of one row ask for the same.
            key = ("distances", self.signs, float(value), batch.tobytes())
            if key not in self.tally.memory:
                self.tally.memory[key] = self._distances(batch, aims)
            return cast("Distances", self.tally.memory[key])
        if np.ndim(value) == 0:
            # Small test sets repeat each other, and each kind need be decided once.
            kinds, place = np.unique(batch, axis=0, return_inverse=True)
            if len(kinds) < len(batch):
                known = self.distances(kinds, value)
                return Distances(known.root[place.ravel()], known.worlds.take(place.ravel()))
        rows = chunks(len(batch), 4 * self.space.both.shape[0], AT_ONCE)
        parts = [self._distances(batch[part], aims[part]) for part in rows]
        return Distances(np.concatenate([part.root for part in parts]), Worlds.joined([part.worlds for part in parts]))

    def _distances(self, batch: Ints, aim: Floats) -> Distances:
        centre, counts = self.centres(batch), self.space.counts(batch)
        # A difference of nothing but rounding is none.
        aim = np.where(np.abs(centre - aim) <= 1e-14, centre, aim)
        worlds = nearest(self.space, self.question(counts, aim, centre))
        # What was not seen is next to nothing, and so is a distance that it alone makes.
        next_to_nothing = 2 * self.space.unseen * counts.shape[1]
        root = np.where(worlds.found, np.where(worlds.root**2 > next_to_nothing, worlds.root, 0.0), np.nan)
        lost = worlds.likelihood
        suspect = np.flatnonzero(worlds.found & (lost > BEYOND) & (np.abs(lost - root**2) > SUSPECT * root**2))
        if len(suspect) and not self.space.is_wide:
            rows = np.repeat(suspect, len(BETWEEN))
            values = centre[rows] + np.tile(BETWEEN, len(suspect)) * (aim - centre)[rows]
            between = nearest(self.space, self.question(counts[rows], values, centre[rows]))
            farthest = np.where(between.found, between.root, 0.0).reshape(len(suspect), -1).max(axis=1)
            root[suspect] = np.maximum(root[suspect], farthest)
        root = np.where(self.is_open(batch), 0.0, root * self.easing(counts))
        return Distances(np.sign(centre - aim) * root, worlds)

    def is_open(self, batch: Ints) -> Mask:
        """Say of which rows nothing is ruled out: only one outcome is possible, or all that is asked about is 0/0."""
        void = self.tally.bound.formula.void(self.tally.totals(batch)) | (np.array(self.signs) == 0)
        return np.asarray(void.all(axis=-1) | (self.space.both.shape[0] == 1))

    def easing(self, counts: Floats) -> Floats:
        """Return [row]: by what factor distances within strata are to shrink.

        A stratum of n examples that is fitted by shares of its own shows only (n - 1)/n of how much it varies, so that many
        small ones would make everything look significant. A single stratum is the law without strata, and stays as it is; so
        does one in each of two samples.
        """
        space, member = self.space, self.space.member
        if member.shape[1] == 1:
            return np.ones(len(counts))
        signs = np.tile(self.signs, (len(counts), 1))
        pull = space.slopes(np.maximum(counts, space.unseen) @ full(space.both), signs) @ full(space.both).T
        sizes = counts @ member
        some = np.maximum(sizes, 1.0)
        varies = np.maximum((counts * pull**2) @ member - ((counts * pull) @ member) ** 2 / some, 0.0)
        # Where nothing varies that was seen, what was not seen may vary in proportion to the examples.
        varies = np.where(varies.sum(axis=1, keepdims=True) > 0, varies, sizes)
        whole = np.empty_like(sizes)
        sample = np.unique(self.tally.strata) % 2 if self.tally.unpaired else np.zeros(sizes.shape[1])
        for side in np.unique(sample):
            n = np.maximum(sizes[:, sample == side].sum(axis=1, keepdims=True), 2.0)
            whole[:, sample == side] = n / (n - 1)
        corrected = (varies * some / np.maximum(some - 1, 1.0) / whole).sum(axis=1)
        shown = np.sqrt(varies.sum(axis=1) / corrected)
        return np.asarray(np.minimum(shown, 1.0))

    def question(self, counts: Floats, value: Floats, centre: Floats, aim: float = np.nan) -> Question:
        """Ask for values, or with an aim for a distance, of rows of counts."""
        rows = len(counts)
        low, high = (np.full(rows, end) for end in self.range)
        return Question(counts, np.tile(self.signs, (rows, 1)), value, np.full(rows, aim), centre, low, high)

    def worlds_at(self, row: Ints, values: Floats) -> Worlds:
        """Return the worlds nearest to one row in which the difference has these values."""
        many = (len(values), 1)
        counts, centre = np.tile(self.space.counts(row[None, :]), many), np.repeat(self.centres(row[None, :]), many[0])
        return nearest(self.space, self.question(counts, values, centre))

    def drawn(self, expected: Floats, trials: int, value: float, streams: Streams) -> Floats:
        """Return how far test sets from a world, drawn within its strata, are from a value; one without a world is as near as can be."""
        space, generator = self.space, streams.at(0)
        batch = np.zeros((trials, len(expected)), dtype=np.int64)
        for stratum in np.unique(space.strata):
            inside = np.flatnonzero(space.strata == stratum)
            share = expected[inside] / expected[inside].sum()
            batch[:, inside] = generator.multinomial(round(float(expected[inside].sum())), share, size=trials)
        return np.nan_to_num(ScoreLaw(self.whole(), self.signs).distances(batch, value).root)

    def whole(self) -> Tally:
        """Return a tally whose units are all the outcomes, in which test sets of any world can be drawn."""
        space = self.space
        counts = space.counts(self.tally.multiplicities[None, :])[0].astype(np.int64)
        memory = {"space": replace(space, seen=len(counts))}
        units = {"both": space.both, "multiplicities": counts, "strata": space.strata, "joint": np.zeros(len(counts))}
        return replace(self.tally, **units, memory=memory)


STEPS = (0.6, 0.9, 1.2, 1.8, 3.0)
"""At which multiples of what the standard error suggests the power is looked at."""


def detectable(law: ScoreLaw, row: Ints, tail: float, power: float, side: float, guess: float) -> float | None:
    """Return the size of the difference at which the mean distance from a tie is as great as a power asks for.

    The world of each difference is the one nearest to the data.

    Args:
        law: the law of the difference.
        row: [unit] multiplicities.
        tail: the distance at which a tie is rejected.
        power: the normal quantile of the power.
        side: 1 for differences above 0, -1 for those below.
        guess: about how large it is.
    """
    room = law.range[1] if side > 0 else -law.range[0]
    sizes = np.array([step * guess for step in STEPS if step * guess < 0.999 * room])
    if not len(sizes):
        return None
    worlds = law.worlds_at(row, side * sizes)
    excess = np.where(worlds.found, _excess(law, worlds.expected, tail, power, side), np.nan)
    known = np.flatnonzero(np.isfinite(excess))
    above = known[excess[known] >= 0]
    if not len(above) or above[0] == known[0]:
        return None
    last = known[known < above[0]][-1]
    part = -excess[last] / (excess[above[0]] - excess[last])
    return float(sizes[last] + part * (sizes[above[0]] - sizes[last]))


def _excess(law: ScoreLaw, expected: Floats, tail: float, power: float, side: float) -> Floats:
    """Return by how much worlds are farther from a tie than they must be.

    Test sets are spread about the mean distance r by √(1 - ¾r²/m), m of their examples being decisive: that of
    (b - c)/√(b + c), where b - c is r√m.
    """
    whole, batch = law.whole(), cast("Ints", expected)  # parts of examples do as well
    root = side * ScoreLaw(whole, law.signs).distances(batch, 0.0).root
    left, right = halves(whole.both)
    deciding = np.maximum(expected @ (first_signs(left - right) != 0), 1.0)
    spread = np.sqrt(np.maximum(1 - 0.75 * root**2 / deciding, 0.25))
    return np.asarray(root - tail - power * spread)
