"""Nearest worlds: of all shares of outcomes at which a difference has a given value, those that make the data likeliest.

The expected counts m of such a world maximise Σ e·ln m at Σ m = N (in each stratum) and d(m) = δ. So m·u = e with
u = 1 + λg − ν, g being how far one more example of each kind moves d, λ and ν the multipliers. An outcome that was never seen
has e = UNSEEN: it stays at nothing unless the world needs it, and then u is nearly 0. m and u are both kept above 0, and all
equations are solved at once by Newton's method, as interior-point methods do. d depends on m through a few totals alone, so a
step costs the outcomes, and a system of equations no larger than the totals. Whole batches of rows go through together.

Of very many classes that system would be too large. Then d is replaced by its tangent, which leaves one number to find for
each row, and the tangent is taken anew where that led, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from referee.matrices import Matrix, is_full, times
from referee.metrics.classwise import Formula
from referee.metrics.formula import General
from referee.values import Floats, Ints, Mask

UNSEEN, UNSEEN_GENERAL = 1e-9, 1e-6
"""How many examples stand for an outcome that did not occur: enough to be possible, too few to count. Functions of totals that
are not sums of ratios subtract large numbers from each other, and would not tell fewer from none."""
ROUNDS, AIMED = 40, 30
"""After how many rounds a search ends, for a value and for a distance."""
SETTLED, SETTLED_GENERAL = 1e-11, 1e-9
"""To what relative accuracy the equations are solved."""
NEARLY = 1e-6
"""What is taken for solved after all the rounds: a gradient by differences does not settle further."""
THERE = 1e-9
"""How exactly a world must have the value that is asked for, and as many examples as there are."""
ENOUGH, CLOSE = 16, 1e-6
"""After so many rounds it is enough to miss this part of the likelihood lost: outcomes that are next to nothing in a world may
have equations that cannot be solved to the last digits, and need not be."""
ROUGH, SURE = 0.01, 1e-4
"""By how much of the likelihood lost a world may miss the nearest one and still be taken for it, but not for sure: where the
slope of a metric is infinite (MCC of a system that always says the same), the last digits cannot be had."""
WIDE = 160
"""Up to so many totals all equations are solved at once."""
FIRST = 0.1
"""How many examples of all that was not seen a search begins with."""
SHRINK = 0.005
"""By what factor they become fewer from round to round, until they are UNSEEN; and how much of the way to nothing a step leaves."""
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


def nearest(space: Space, question: Question, start: Floats | None = None) -> Worlds:
    """Find the nearest world of each row.

    Args:
        space: what can happen.
        question: what is asked.
        start: expected counts to begin from, where a world nearby is known.
    """
    if space.is_wide:
        return _tangents(space, question)
    if start is not None:
        return _newton(space, question, space.unseen, start)
    still = (question.value == question.centre) & ~question.is_aimed
    made = _at_rest(space, question, still)
    # Next to 0/0 Newton's method swings, and is tried last; what is aimed for is found by it at once, or by walking there.
    slow = ~question.is_aimed & space.is_vague(question)
    for way, rows in ((_newton, ~slow), (_over_sphere, ~question.is_aimed), (_newton, slow)):
        open_ = np.flatnonzero(rows & ~made.sure)
        if len(open_):
            made = made.merged(open_, way(space, question.take(open_)))
    return made


def _at_rest(space: Space, question: Question, still: Mask) -> Worlds:
    """Return the data for the nearest worlds of themselves, which they are of rows that ask for their own value."""
    expected, root = np.maximum(question.counts, space.unseen), np.where(still, 0.0, np.nan)
    return Worlds(expected, question.value, root, np.where(still, 0.0, np.inf), still, still, 0)


def distances(counts: Floats, expected: Floats) -> Floats:
    """Return the root of X² of each row."""
    result: Floats = np.sqrt(((counts - expected) ** 2 / expected).sum(axis=1))
    return result


def _lost(counts: Floats, expected: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(counts > 0, counts * np.log(np.where(counts > 0, counts, 1.0) / expected), 0.0)
    result: Floats = np.maximum(2 * logs.sum(axis=1), 0.0)
    return result


ROWS = (
    "filled", "sizes", "m", "u", "rate", "lift", "value", "free", "place", "near", "near_root", "far", "far_root", "totals",
    "slope", "g", "dual", "product", "short", "off", "root", "error",
)  # fmt: skip


class _Newton:
    """A batch on its way; rows that are done are put aside, and the others go on."""

    def __init__(self, space: Space, question: Question, unseen: float, start: Floats | None = None) -> None:
        self.space, self.asked = space, question
        self.filled = np.where(question.counts > 0, question.counts, unseen)
        self.unseen = unseen
        self.both: Floats = np.asarray(space.both)
        self.member = (space.strata[:, None] == np.arange(int(space.strata.max(initial=0)) + 1)).astype(np.float64)
        self.one, self.each = np.eye(self.both.shape[1]), np.eye(self.member.shape[1])
        self.aimed = bool(question.is_aimed.any())
        self.sizes = np.maximum(question.counts, space.unseen) @ self.member
        rows = len(question)
        self.m = self.filled.copy() if start is None else start.copy()
        self.u = self.filled / self.m
        # How far off the nearest and the farthest value tried are, on either side of the distance that is asked for.
        self.near, self.near_root = question.centre.copy(), np.zeros(rows)
        self.far, self.far_root = np.full(rows, np.nan), np.full(rows, np.nan)
        self.rate, self.lift = np.zeros(rows), np.zeros((rows, self.member.shape[1]))
        self.value, self.free = question.inside(question.value), np.zeros(rows, dtype=np.bool_)
        self.place = np.arange(rows)

    def keep(self, left: Mask) -> None:
        """Go on with some of the rows."""
        self.asked = self.asked.take(left)
        for name in ROWS:
            setattr(self, name, getattr(self, name)[left])

    def look(self) -> None:
        """Work out where the rows stand."""
        asked, m = self.asked, self.m
        self.totals = m @ self.both
        self.slope = self.space.slopes(self.totals, asked.signs)
        self.g = self.slope @ self.both.T
        self.dual = 1 + self.rate[:, None] * self.g - self.lift @ self.member.T - self.u
        self.product = self.filled - m * self.u
        self.short = self.sizes - m @ self.member
        self.off = self.value - self.space.values(self.totals, asked.signs)
        self.root = distances(asked.counts, m)
        # u is a difference of larger numbers, and cannot be known any better than they are.
        rounding = 4e-15 * (1 + np.abs(self.rate)[:, None] * np.abs(self.g) + np.abs(self.lift) @ self.member.T)
        dual = np.maximum(np.abs(self.dual) - rounding, 0.0) / self.u
        self.error = np.maximum.reduce(
            [
                np.abs(self.product / self.filled).max(axis=1),
                dual.max(axis=1),
                np.abs(self.short / self.sizes).max(axis=1),
                np.abs(self.off) / np.maximum(np.abs(self.value - asked.centre), 1e-4),
            ]
        )
        self.error = np.where(np.isfinite(self.error), self.error, np.inf)

    def shrink(self) -> None:
        """Let there be fewer of what was not seen."""
        if self.unseen > self.space.unseen:
            self.unseen = max(self.space.unseen, self.unseen * SHRINK)
            self.filled = np.where(self.asked.counts > 0, self.asked.counts, self.unseen)
            self.product = self.filled - self.m * self.u

    def settled(self, tolerance: float) -> Mask:
        """Say which rows are done."""
        asked = self.asked
        solved: Mask = self.error <= tolerance
        if not self.aimed or not solved.any():
            return solved
        there = ~asked.is_aimed | (np.abs(self.root - asked.aim) <= tolerance) | asked.ends(self.value, self.root)
        result: Mask = solved & there
        return result

    def nearly(self, part: float) -> Mask:
        """Say which rows are where they should be, and miss at most a part of the likelihood lost."""
        asked = self.asked
        missed = (self.m * np.abs(self.dual)).sum(axis=1) + np.abs(self.product).sum(axis=1)
        there = ~asked.is_aimed | (np.abs(self.root - asked.aim) <= 0.1 * part) | asked.ends(self.value, self.root)
        slack = THERE if part <= CLOSE else NEARLY
        small = missed <= part * np.maximum(_lost(asked.counts, self.m), 0.01)
        result: Mask = (
            there & small & (np.abs(self.off) <= slack) & (np.abs(self.short) <= slack * self.sizes).all(axis=1)
        )
        return result & (self.unseen == self.space.unseen)

    def move_aims(self) -> None:
        """Where a world is nearly found and not as far off as asked for, move its value; near it, let it move by itself."""
        asked = self.asked
        if not self.aimed:
            return
        known = asked.is_aimed & (self.error <= 1e-2)
        close = np.abs(self.root - asked.aim) <= 0.3 * asked.aim
        self.free = asked.is_aimed & np.where(known, close, self.free)
        move = known & ~close
        if not move.any():
            return
        below, above = move & (self.root < asked.aim), move & (self.root >= asked.aim)
        self.near, self.near_root = np.where(below, self.value, self.near), np.where(below, self.root, self.near_root)
        self.far, self.far_root = np.where(above, self.value, self.far), np.where(above, self.root, self.far_root)
        # In proportion to the distance, never all the way to the end of the range; and between two values, once there are two.
        with np.errstate(divide="ignore", invalid="ignore"):
            grown = asked.centre + (self.value - asked.centre) * np.clip(asked.aim / self.root, 0.4, 4.0)
            end = np.where(grown > asked.centre, asked.high, asked.low)
            most = np.where(np.isfinite(end), self.value + 0.9 * (end - self.value), grown)
            grown = np.where(np.abs(grown - asked.centre) > np.abs(most - asked.centre), most, grown)
            part = np.clip((asked.aim - self.near_root) / (self.far_root - self.near_root), 0.1, 0.9)
            between = self.near + (self.far - self.near) * part
        moved = np.where(move, asked.inside(np.where(np.isnan(self.far), grown, between)), self.value)
        self.value, self.off = moved, self.off + moved - self.value

    def step(self) -> None:
        """Take Newton's step, as far as everything stays above 0."""
        asked, m, u, rate = self.asked, self.m, self.u, self.rate
        rows, size, strata = len(m), self.both.shape[1], self.member.shape[1]
        weight = m / u
        base = (self.product - m * self.dual) / u
        bend = self.space.curvatures(self.totals, asked.signs)
        weighed = weight[:, :, None] * self.both
        squares, held = weighed.transpose(0, 2, 1) @ self.both, weighed.transpose(0, 2, 1) @ self.member
        pulled = (weight * self.g) @ self.both
        n = size + 1 + strata + 1
        left, right = np.zeros((rows, n, n)), np.zeros((rows, n))
        lifts = slice(size + 1, size + 1 + strata)
        left[:, :size, :size] = self.one + rate[:, None, None] * (squares @ bend)
        left[:, :size, size] = pulled
        left[:, :size, lifts] = -held
        right[:, :size] = base @ self.both
        left[:, lifts, :size] = -rate[:, None, None] * (held.transpose(0, 2, 1) @ bend)
        left[:, lifts, size] = -(weight * self.g) @ self.member
        left[:, lifts, lifts] = (weight @ self.member)[:, :, None] * self.each
        right[:, lifts] = self.short - base @ self.member
        left[:, size, :size], left[:, size, n - 1], right[:, size] = self.slope, -1.0, self.off
        left[:, n - 1, n - 1] = 1.0
        if self.free.any():
            free = self.free.astype(np.float64)
            away = (1 - (asked.counts / m) ** 2) / (2 * np.maximum(self.root, 1e-300))[:, None]
            turned = (weight * away) @ self.both
            left[:, n - 1, :size] = -(free * rate)[:, None] * (turned[:, None, :] @ bend)[:, 0]
            left[:, n - 1, size] = -free * (weight * away * self.g).sum(axis=1)
            left[:, n - 1, lifts] = free[:, None] * ((weight * away) @ self.member)
            left[:, n - 1, n - 1] = 1 - free
            missing = np.where(asked.is_aimed, asked.aim, 0.0) - self.root - (away * base).sum(axis=1)
            right[:, n - 1] = np.where(self.free, missing, 0.0)
        found = _solved(left, right, self.totals)
        by_totals, by_rate, by_lift, by_value = found[:, :size], found[:, size], found[:, lifts], found[:, n - 1]
        bent = (bend @ by_totals[:, :, None])[:, :, 0] @ self.both.T
        du = self.dual + self.g * by_rate[:, None] - by_lift @ self.member.T + rate[:, None] * bent
        dm = (self.product - m * du) / u
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.minimum(
                np.where(dm < 0, -m / dm, np.inf).min(axis=1), np.where(du < 0, -u / du, np.inf).min(axis=1)
            )
            apart = 0.5 * np.abs(self.value - asked.centre) / np.abs(by_value)
        length = np.minimum(1.0, (1 - SHRINK) * room)
        length = np.where(self.free, np.fmin(length, apart), length)[:, None]
        self.m, self.u = m + length * dm, u + length * du
        self.rate, self.lift = rate + length[:, 0] * by_rate, self.lift + length * by_lift
        if self.aimed:
            self.value = asked.inside(self.value + length[:, 0] * np.where(self.free, by_value, 0.0))


def _solved(left: Floats, right: Floats, totals: Floats) -> Floats:
    """Solve the equations of each row, scaled by the totals; 0 where they have no solution, and the row then stays where it is."""
    size = totals.shape[1]
    scale = np.ones(right.shape)
    scale[:, :size] = np.maximum(totals, 1e-300)
    left = left * scale[:, None, :]
    left[:, :size] /= scale[:, :size, None]
    right = right.copy()
    right[:, :size] /= scale[:, :size]
    rows = np.abs(left).max(axis=2)
    rows = np.where((rows > 0) & (rows < np.inf), rows, 1.0)
    with np.errstate(over="ignore", invalid="ignore"):
        left, right = left / rows[:, :, None], (right / rows)[:, :, None]
    try:
        out = np.linalg.solve(left, right)
    except np.linalg.LinAlgError:
        out = np.zeros_like(right)
        for row in range(len(left)):
            with suppress(np.linalg.LinAlgError):
                out[row] = np.linalg.solve(left[row], right[row])
    good = np.isfinite(out).all(axis=1)
    result: Floats = np.where(good, out[:, :, 0], 0.0) * scale
    return result


def _newton(space: Space, question: Question, unseen: float = FIRST, start: Floats | None = None) -> Worlds:
    search = _Newton(space, question, unseen, start)
    rows = len(question)
    expected, value = search.m.copy(), question.value.copy()
    root, found, rough = np.full(rows, np.nan), np.zeros(rows, dtype=np.bool_), np.zeros(rows, dtype=np.bool_)
    used = 0
    rounds = AIMED if search.aimed else ROUNDS
    for used in range(1, rounds + 1):
        search.look()
        done = search.settled(space.settled if used < rounds else NEARLY) & (search.unseen == space.unseen)
        if used > ENOUGH:
            done |= search.nearly(CLOSE)
        if done.any() or used == rounds:
            at = search.place
            expected[at], value[at], root[at], found[at] = search.m, search.value, search.root, done
            if done.all() or used == rounds:
                rough[at] = ~done & search.nearly(ROUGH)
                break
            search.keep(~done)
        search.shrink()
        search.move_aims()
        search.step()
    return _finish(question, expected, value, root, found | rough, found, used)


def _finish(
    question: Question, expected: Floats, value: Floats, root: Floats, found: Mask, sure: Mask, used: int
) -> Worlds:
    ended = question.ends(value, root)
    value = np.where(ended, np.where(value > question.centre, question.high, question.low), value)
    found = found & np.isfinite(root) & (expected > 0).all(axis=1)
    return Worlds(expected, value, root, _lost(question.counts, expected), found, found & sure, used)


SPHERE = (60, 120, 300)
"""After how many rounds of a search over the sphere the steps are halved, halved again, and end: what swings is damped."""
STEP = 0.7
"""How much of the way to nothing a step may go."""


def _over_sphere(space: Space, asked: Question) -> Worlds:
    """Find nearest worlds over the sphere of x = 2√m, where the likelihood bends alike for all that was seen and was not.

    Slow and sure: each step goes to the top of the likelihood's parabola along the tangents of what is held. A score whose slope
    is infinite where a system always says the same (MCC) is straight in x.
    """
    both: Floats = np.asarray(space.both)
    member = (space.strata[:, None] == np.arange(int(space.strata.max(initial=0)) + 1)).astype(np.float64)
    filled = np.where(asked.counts > 0, asked.counts, space.unseen)
    sizes, value = filled @ member, asked.inside(asked.value)
    x = 2 * np.sqrt(np.maximum(asked.counts, FIRST))
    used = 0
    for used in range(1, SPHERE[-1] + 1):
        m = x * x / 4
        totals = m @ both
        off, short = value - space.values(totals, asked.signs), sizes - m @ member
        held = np.concatenate(
            [
                (space.slopes(totals, asked.signs) @ both.T * x / 2)[:, None, :],
                (x[:, :, None] * member / 2).transpose(0, 2, 1),
            ],
            axis=1,
        )
        bend, pull = 2 * filled / x**2 + 0.5, 2 * filled / x
        over = held / bend[:, None, :]
        missing = np.concatenate([off[:, None], short], axis=1) - (over @ pull[:, :, None])[:, :, 0]
        rates = _solved(over @ held.transpose(0, 2, 1), missing, np.ones((len(x), 0)))
        step = (pull + (held.transpose(0, 2, 1) @ rates[:, :, None])[:, :, 0]) / bend
        missed = np.abs(step * bend * x).sum(axis=1) / 2
        lost = np.maximum(_lost(asked.counts, m), 0.01)
        there = (np.abs(off) <= THERE) & (np.abs(short) <= THERE * sizes).all(axis=1)
        done = there & (missed <= CLOSE * lost)
        if used == SPHERE[-1] or bool(done.all()):
            break
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(step < 0, -x / step, np.inf).min(axis=1)
        most = 0.5 ** sum(used > until for until in SPHERE)
        # A row that is there stays, so that it has the same numbers in any company.
        x = x + np.where(done, 0.0, np.minimum(most, STEP * room))[:, None] * step
    near = (np.abs(off) <= NEARLY) & (np.abs(short) <= NEARLY * sizes).all(axis=1) & (missed <= ROUGH * lost)
    return _finish(asked, m, asked.value, distances(asked.counts, m), near, there & (missed <= SURE * lost), used)


FAR, MEMORY = 0.95, 4
"""How much of the way to the outermost outcome a step along a tangent may go, and how many steps the next one is extrapolated from."""
PLAN = ((16, MEMORY, 1.0), (40, 1, 0.5), (ROUNDS + 1, 0, 0.2))
"""Up to which round how many of the last ones are extrapolated from, and how much of a step is taken: what swings is damped."""


def _tangents(space: Space, question: Question) -> Worlds:
    """Find the nearest worlds by tangents, one row after the other: each is as large as a batch of small ones."""
    rows = [_along_tangents(space, question.take([row])) for row in range(len(question))]
    expected, value, root = (
        np.concatenate([getattr(row, name) for row in rows]) for name in ("expected", "value", "root")
    )
    found = np.concatenate([row.found for row in rows])
    return _finish(question, expected, value, root, found, found, max(row.rounds for row in rows))


def _along_tangents(space: Space, asked: Question) -> Worlds:
    filled = np.where(asked.counts > 0, asked.counts, space.unseen)
    n = filled.sum(axis=1)
    # What is looked for: the totals, and the value of d where that is not given.
    state = np.concatenate([times(filled, space.both), asked.inside(asked.value)[:, None]], axis=1)
    inner = np.full(1, 0.5)
    past: list[tuple[Floats, Floats]] = []
    expected, root, change, used = filled, np.full(1, np.nan), np.inf, 0
    for depth, damping in _plan():
        used += 1
        totals, value = state[:, :-1], state[:, -1]
        slope = space.slopes(totals, asked.signs)
        influence = times(slope, space.both.T)
        wanted = ((slope * totals).sum(axis=1) - (space.values(totals, asked.signs) - value)) / n
        # A tangent can ask for more than any outcome has: then go most of the way, and take the tangent anew there.
        mean = (filled * influence).sum(axis=1) / n
        wanted = np.clip(
            wanted, mean + FAR * (influence.min(axis=1) - mean), mean + FAR * (influence.max(axis=1) - mean)
        )
        expected, possible, inner = balanced(filled, influence - wanted[:, None], inner)
        root = distances(asked.counts, expected)
        image = np.concatenate([times(expected, space.both), _aimed(asked, value, root)[:, None]], axis=1)
        scale = np.maximum(np.abs(image), np.abs(state))
        scale[:, -1] = np.maximum(np.abs(image[:, -1] - asked.centre), 1e-300)
        gap = (image - state) / np.maximum(scale, 1e-300)
        change = float(np.abs(gap).max()) if possible.all() else np.inf
        if change <= space.settled or not possible.all():
            break
        state = _following(asked, state, image, gap, past[-depth:] if depth else [], damping)
        past = [*past, (image, gap)][-MEMORY:]
    done = np.array([change <= NEARLY])
    return Worlds(expected, state[:, -1], root, np.zeros(1), done, done, used)


def _plan() -> Iterator[tuple[int, float]]:
    for used in range(ROUNDS):
        yield next((depth, damping) for until, depth, damping in PLAN if used < until)


def _following(
    asked: Question, state: Floats, image: Floats, gap: Floats, past: list[tuple[Floats, Floats]], damping: float
) -> Floats:
    """Return where to go next: the image, extrapolated from the last rounds (Anderson 1965)."""
    plain: Floats = state + damping * (image - state)
    if not past:
        return plain
    moved = np.stack([(gap - old)[0] for _, old in past], axis=1)
    weights = np.linalg.lstsq(moved, gap[0], rcond=1e-10)[0]
    jumped: Floats = image - sum(w * (image - old) for w, (old, _) in zip(weights, past, strict=True))
    usable = bool((jumped[:, :-1] > 0).all()) and float(np.abs(weights).max()) < 1e3
    usable = usable and bool((asked.inside(jumped[:, -1]) == jumped[:, -1]).all())
    return jumped if usable else plain


def _aimed(asked: Question, value: Floats, root: Floats) -> Floats:
    """Return the value at which the distance would be as asked for, if it grew in proportion to it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.clip(asked.aim / root, 0.25, 4.0)
    moved = asked.centre + (value - asked.centre) * np.where(np.isfinite(factor), factor, 1.0)
    return np.where(asked.is_aimed, asked.inside(moved), value)


def balanced(counts: Floats, pull: Floats, start: Floats | None = None) -> tuple[Floats, Mask, Floats]:
    """Return m = counts/(1 + λ·pull) with Σ m·pull = 0, where that can be; and what to begin the next search with.

    λ lies between 0 and the end at which the first m becomes infinite. Near that end, where an outcome that was never seen
    gets all the mass that is needed, only the distance s from it can be told exactly; so s is what is looked for, as the root
    of an increasing function with a pole at 0 that each step keeps and only the rest of which is replaced by its tangent.

    Args:
        counts: [row, outcome], above 0.
        pull: [row, outcome].
        start: [row] s to begin from.
    """
    first = (counts * pull).sum(axis=1)
    signed = pull * np.where(first < 0, -1.0, 1.0)[:, None]
    least = -signed.min(axis=1)
    possible = (least > 0) & (signed.max(axis=1) > 0)
    unit = signed / np.where(possible, least, 1.0)[:, None]
    gap = 1 + unit
    gap[gap < 1e-13] = 0.0
    pole = (counts * (gap == 0)).sum(axis=1)
    high = np.ones(len(counts))
    low = np.where(possible, pole / (np.abs(first) / np.where(possible, least, 1.0) + pole), 1.0)
    low = np.minimum(low, 1.0)
    s = np.clip(np.sqrt(low) if start is None else start, low, high)
    for _ in range(100):
        part = unit / (gap - s[:, None] * unit)
        pulled = counts * part
        total, growth = pulled.sum(axis=1), (pulled * part).sum(axis=1)
        above = total > 0
        high, low = np.where(above, s, high), np.where(above, low, s)
        rest, steep = total + pole / s, np.maximum(growth - pole / s**2, 1e-300)
        lift = rest - steep * s
        bow = np.sqrt(lift * lift + 4 * steep * pole)
        new = np.where(lift > 0, 2 * pole / (lift + bow), (bow - lift) / (2 * steep))
        new = np.where((new >= low) & (new <= high), new, np.sqrt(low * high))
        done = np.abs(new - s) <= 1e-15 * s
        s = new
        if bool((done | ~possible).all()):
            break
    # Where nothing pulls, nothing moves.
    still = first == 0
    expected = np.where(still[:, None], counts, counts / (gap - s[:, None] * unit))
    return expected, possible | still, s
