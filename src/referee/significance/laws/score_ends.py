"""Ends of intervals by the score law: the values that are just as far from the data as asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.metrics.matrices import times
from referee.significance.laws.score import BETWEEN, ScoreLaw, nearest
from referee.significance.laws.worlds import Question, Worlds
from referee.significance.tally import AT_ONCE, chunks

COARSE = 0.02
"""The first of these steps, relative to the range, where nothing tells how long it should be."""
OUTWARD = 1.6
"""By what factor the steps grow in which the end of an interval is approached, where it is not found at once."""
HALF, LITTLE = 0.5, 4.0
"""How many of each outcome, and of all together, a first guess takes for seen that were not."""
AHEAD = 6
"""How many of them are tried at once."""
HALVINGS = 45
ROUGHLY = "the ends of an interval are accurate to only about three digits"
"""The mark that a tally's memory has in that case."""

End: TypeAlias = tuple[float, float, bool, int]
"""Both ends of an interval, whether all was found, and in how many rounds"""


def ends_of(laws: Sequence[ScoreLaw], row: Ints, aim: float, zero: float | None = None) -> list[End]:
    """Return the ends of the values that are no farther than `aim`, whether all was found, and in how many rounds.

    Args:
        laws: several laws on the units of one tally, whose searches go together.
        row: [unit] multiplicities.
        aim: the distance.
        zero: a value whose distance is known to be asked for too; the ends agree with it.
    """
    searches = [Ends(law, row, aim, zero) for law in laws if not law.is_open(row[None, :])[0]]
    if searches:
        worlds = nearest(laws[0].space, Question.joined([search.question() for search in searches]))
    ends = {search.law: search.settled(worlds.take([2 * i, 2 * i + 1])) for i, search in enumerate(searches)}
    return [ends.get(law, (*law.range, True, 0)) for law in laws]


def ends_of_rows(law: ScoreLaw, batch: Ints, aim: float, zero: float, roots: Floats) -> tuple[Floats, Floats, Mask]:
    """Return the ends of what is no farther than `aim` from each row of a batch, and whether they are certain.

    Args:
        law: the law of all rows.
        batch: [row, unit] multiplicities.
        aim: the distance.
        zero: a value whose distance is known; the ends agree with it.
        roots: [row] those distances.
    """
    ends, certain = np.empty((len(batch), 2)), np.ones(len(batch), dtype=np.bool_)
    for rows in chunks(len(batch), 8 * law.space.both.shape[0], AT_ONCE):
        ends[rows], certain[rows] = _ends_of_rows(law, batch[rows], aim, zero, np.abs(roots[rows]))
    return ends[:, 0], ends[:, 1], certain


def _ends_of_rows(law: ScoreLaw, batch: Ints, aim: float, zero: float, roots: Floats) -> tuple[Floats, Mask]:
    counts, centres, all_open = law.space.counts(batch), law.centres(batch), law.is_open(batch)
    easing = law.easing(counts)
    twice = np.repeat(np.arange(len(batch)), 2)
    guess = first_guess(law, counts, centres, aim / easing)
    question = law.question(counts[twice], guess.ravel(), centres[twice])
    worlds = nearest(law.space, replace(question, aim=(aim / easing)[twice]))
    at_end = np.array(law.range) == centres[:, None]
    value = np.where(at_end, law.range, worlds.value.reshape(-1, 2))
    found = worlds.sure.reshape(-1, 2) | at_end
    sign = np.array([-1.0, 1.0])
    beyond = sign * (value - centres[:, None]) >= 0
    asked = sign * (zero - centres[:, None]) > 0
    agrees = ~asked | ~np.isfinite(roots)[:, None] | ((roots >= aim)[:, None] == (sign * (zero - value) > 0))
    value[all_open] = law.range
    certain = np.ones(len(batch), dtype=np.bool_)
    for row in np.flatnonzero(~(found & beyond & agrees).all(axis=1) & ~all_open):
        *value[row], certain[row], _ = ends_of([law], batch[row], aim, zero)[0]
    return value, certain


def first_guess(law: ScoreLaw, counts: Floats, centres: Floats, aims: Floats) -> Floats:
    """Return [row, side] where ends may lie: by the standard error, if a little of everything had been seen."""
    space = law.space
    weights = np.maximum(counts, min(HALF, LITTLE / space.both.shape[0]))
    signs = np.tile(law.signs, (len(counts), 1))
    pull = times(space.slopes(times(weights, space.both), signs), space.both.T)
    variance = (weights * pull**2).sum(axis=1) - (weights * pull).sum(axis=1) ** 2 / weights.sum(axis=1)
    step = aims * np.sqrt(np.maximum(variance, 0.0)) + 1e-12
    room = np.abs(np.array(law.range) - centres[:, None])
    return np.asarray(centres[:, None] + np.array([-1.0, 1.0]) * np.minimum(step[:, None], 0.5 * room))


class Ends:
    """The search for the ends of the values of one row that are no farther from the data than a distance."""

    def __init__(self, law: ScoreLaw, row: Ints, aim: float, zero: float | None) -> None:
        self.law, self.space, self.row, self.zero = law, law.space, row, zero
        self.counts, self.centres = law.space.counts(row[None, :]), law.centres(row[None, :])
        self.centre, self.easing = float(self.centres[0]), float(law.easing(self.counts)[0])
        # Within strata a distance shows less than it is.
        self.aim = aim / self.easing

    def question(self) -> Question:
        """Ask for both ends."""
        counts = np.repeat(self.counts, 2, axis=0)
        return self.law.question(counts, self._guess(), np.repeat(self.centres, 2), self.aim)

    def settled(self, worlds: Worlds) -> End:
        """Return the ends if the worlds of both were found and agree with what is known; otherwise walk there."""
        at_end = np.array(self.law.range) == self.centre
        value, found = np.where(at_end, self.law.range, worlds.value), worlds.sure | at_end
        for side, sign in ((0, -1.0), (1, 1.0)):
            beyond = sign * (value[side] - self.centre) >= 0
            if not (found[side] and beyond and self._agrees(sign, float(value[side]))):
                value[side], found[side] = self._walked(side, sign)
        return float(value[0]), float(value[1]), bool(found.all()), int(worlds.rounds.max())

    def _mark(self, world: Worlds) -> None:
        """Remember where an end comes from a world that was not found to the last digits."""
        if world.found[0] and not world.sure[0]:
            self.law.tally.memory[ROUGHLY] = True

    def _agrees(self, sign: float, end: float) -> bool:
        """Say whether an end leaves out a value exactly if that is too far."""
        if self.zero is None or sign * (self.zero - self.centre) <= 0:
            return True
        root = abs(float(self.law.distances(self.row[None, :], self.zero).root[0]))
        return not np.isfinite(root) or (root >= self.aim * self.easing) == (sign * (self.zero - end) > 0)

    def _guess(self) -> Floats:
        """Return where the ends may lie: by the standard error, if a little of everything had been seen."""
        return np.asarray(first_guess(self.law, self.counts, self.centres, np.array([self.aim]))[0])

    def _walked(self, side: int, sign: float) -> tuple[float, bool]:
        """Return one end by walking outward from the data, and whether it is certain.

        A value without a world counts as near: an interval may be too wide, never cut short in silence. Next to the data that
        changes nothing, as long as a value farther out is known to be near too.
        """
        near, certain, knots = self.centre, True, self._knots(side, sign)
        for part in chunks(len(knots), 1, 1 if self.space.is_wide else AHEAD):
            worlds = self.law.worlds_at(self.row, knots[part])
            for place, knot in enumerate(knots[part].tolist()):
                if worlds.found[place] and worlds.root[place] >= self.aim:
                    return self._between(near, knot, worlds.expected[place]), certain
                near, certain = knot, bool(worlds.found[place])
        return self.law.range[side], certain

    def _knots(self, side: int, sign: float) -> Floats:
        """Return the values at which a walk looks, from the data outward; `zero` and what lies before it among them."""
        room, first = abs(self.law.range[side] - self.centre), abs(float(self._guess()[side]) - self.centre) / 4
        if np.isfinite(room):
            first = first if first > 1e-9 * room else COARSE * room
            steps = [step for step in first * OUTWARD ** np.arange(20) if step < 0.8 * room]
            steps += [room * (1 - part) for part in (0.2, 0.1, 0.03, 0.01, 1e-3, 1e-5)]
        else:
            steps = list(max(first, 1e-6) * 2.0 ** np.arange(40))
        if self.zero is not None and sign * (self.zero - self.centre) > 0:
            steps += [part * abs(self.zero - self.centre) for part in (1.0, *BETWEEN)]
        return self.centre + sign * np.unique([step for step in steps if step > 0])

    def _between(self, near: float, far: float, start: Floats) -> float:
        """Return where between two values the distance reaches the aim.

        At once if that can be; else by false position, and by halving where that stalls.
        """
        question = self.law.question(self.counts, np.array([(near + far) / 2]), self.centres, self.aim)
        found = nearest(self.space, question, start[None, :])
        # Few classes can always be walked to, and then nothing rough need be taken.
        ready = found.found[0] if self.space.is_wide else found.sure[0]
        if ready and min(near, far) <= found.value[0] <= max(near, far):
            self._mark(found)
            return float(found.value[0])
        # Where worlds of many classes are not found at once, they are found to fewer digits, and take longer.
        tiny, close = (1e-6, 1e-4) if self.space.is_wide else (1e-12, 1e-11)
        short, over, last, middle, root = np.nan, np.nan, 0, far, np.nan
        for turn in range(HALVINGS):
            # Of an end that stays where it is, half the distance counts (Illinois).
            part = short / (short + over) if turn % 4 != 3 else np.nan
            middle = near + (far - near) * (float(np.clip(part, 0.01, 0.99)) if np.isfinite(part) else 0.5)
            world = self.law.worlds_at(self.row, np.array([middle]))
            root = float(world.root[0]) if world.found[0] else np.nan
            if root >= self.aim:
                far, over, short, last = middle, root - self.aim, short / (2 if last > 0 else 1), 1
            else:
                near, short, over, last = middle, self.aim - root, over / (2 if last < 0 else 1), -1
            reached = abs(root - self.aim) <= close * self.aim
            if reached or abs(far - near) <= tiny * max(abs(far), abs(near), 1e-3):
                break
        self._mark(world)
        if self.space.is_wide:
            self.law.tally.memory[ROUGHLY] = True
        return middle if reached else (near + far) / 2
