"""Searches for nearest worlds: of all shares of outcomes at which a difference has a given value, those that make the data likeliest.

Newton's method solves all equations at once, whole batches of rows together. The expected counts m of a nearest world maximise
Σ e·ln m at Σ m = N (in each stratum) and d(m) = δ. So m·u = e with u = 1 + λg − ν, g being how far one more example of each kind
moves d, λ and ν the multipliers. An outcome that was never seen has e = UNSEEN: it stays at nothing unless the world needs it, and
then u is nearly 0. m and u are both kept above 0, as interior-point methods do. d depends on m through a few totals alone; `Few` and
`Many` (newton_many) differ in how they find the step. Where it swings, a slower search over a sphere finds the way.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from typing import TypeAlias

import numpy as np

from referee.data.columns import Floats, Mask
from referee.metrics.matrices import times
from referee.significance.laws.worlds import Question, Space, Worlds, distances, ended, likelihood_lost

FIRST = 0.1
"""How many examples of all that was not seen a search begins with."""
NEARLY = 1e-6
"""What is taken for solved after all the rounds: a gradient by differences does not settle further."""
THERE = 1e-9
"""How exactly a world must have the value that is asked for, and as many examples as there are."""
CLOSE, ROUGH, SURE = 1e-6, 0.01, 1e-4
"""By how much of the likelihood lost a world may miss the nearest one: to be taken for it; to be taken for it, but not for sure;
and to be sure after a slow search. Outcomes that are next to nothing in a world may have equations that cannot be solved to the
last digits, and need not be; and where the slope of a metric is infinite (MCC of a system that always says the same), the last
digits cannot be had."""
ROUNDS, AIMED = 40, 30
"""After how many rounds a search ends, for a value and for a distance."""
ENOUGH = 16
"""After how many rounds it is enough to be close."""
SHRINK = 0.005
"""By what factor the examples of what was not seen become fewer from round to round; and how much of the way to nothing a step
leaves."""
PART = 0.1
"""A step that goes less than this part of its way halts."""
Step: TypeAlias = tuple[Floats, Floats, Floats, Floats, Floats]
"""Where Newton's method would go: m and u [row, outcome], λ [row], ν [row, stratum] and the value [row]."""


class Newton(ABC):
    """A batch on its way; rows that are done are put aside, and the others go on."""

    rounds = ROUNDS, AIMED
    most_halts = ROUNDS, ROUNDS
    """A search that halts so many times in a row leads nowhere; one that was given a start needs more time at first."""

    def __init__(self, space: Space, question: Question, unseen: float = FIRST, start: Floats | None = None) -> None:
        self.space, self.asked, self.unseen = space, question, unseen
        self.most, rows = self.most_halts[int(start is not None)], len(question)
        self.filled = np.where(question.counts > 0, question.counts, unseen)
        self.sizes = np.maximum(question.counts, space.unseen) @ space.member
        self.m = self.filled if start is None else start
        self.u = self.filled / self.m
        self.rate, self.lift = np.zeros(rows), np.zeros(self.sizes.shape)
        self.value, self.free = question.inside(question.value), np.zeros(rows, dtype=np.bool_)
        self.place = np.arange(rows)
        # The last values tried on either side of the distance that is asked for; the data themselves are nearer.
        self.near, self.near_root = question.centre, np.zeros(rows)
        self.far, self.far_root = np.full((2, rows), np.nan)

    def keep(self, left: Mask) -> None:
        """Go on with some of the rows."""
        self.asked = self.asked.take(left)
        for name, part in vars(self).items():
            if isinstance(part, np.ndarray):
                setattr(self, name, part[left])

    def look(self) -> None:
        """Work out where the rows stand."""
        asked, m, both, member = self.asked, self.m, self.space.both, self.space.member
        self.totals = times(m, both)
        self.slope = self.space.slopes(self.totals, asked.signs)
        self.g = times(self.slope, both.T)
        self.dual = 1 + self.rate[:, None] * self.g - self.lift @ member.T - self.u
        self.product = self.filled - m * self.u
        self.short = self.sizes - m @ member
        self.off = self.value - self.space.values(self.totals, asked.signs)
        self.root = distances(asked.counts, m)
        # u is a difference of larger numbers, and cannot be known any better than they are.
        rounding = 4e-15 * (1 + np.abs(self.rate)[:, None] * np.abs(self.g) + np.abs(self.lift) @ member.T)
        dual = np.maximum(np.abs(self.dual) - rounding, 0.0) / self.u
        outcomes = np.maximum(np.abs(self.product / self.filled), dual).max(axis=1)
        off = np.abs(self.off) / np.maximum(np.abs(self.value - asked.centre), 1e-4)
        error = np.maximum.reduce([outcomes, np.abs(self.short / self.sizes).max(axis=1), off])
        self.error = np.where(np.isfinite(error), error, np.inf)

    def shrink(self) -> None:
        """Let there be fewer of what was not seen."""
        if self.unseen > self.space.unseen:
            self.unseen = max(self.space.unseen, self.unseen * SHRINK)
            self.filled = np.where(self.asked.counts > 0, self.asked.counts, self.unseen)
            self.product = self.filled - self.m * self.u

    def _is_there(self, slack: float) -> Mask:
        """Say which rows are as far off as asked for, or at the end of the range."""
        near = np.abs(self.root - self.asked.aim) <= slack
        return np.asarray(~self.asked.is_aimed | near | self.asked.ends(self.value, self.root))

    def settled(self, tolerance: float) -> Mask:
        """Say which rows are done."""
        return (self.error <= tolerance) & self._is_there(tolerance) & (self.unseen == self.space.unseen)

    def nearly(self, part: float) -> Mask:
        """Say which rows are where they should be, and miss at most a part of the likelihood lost."""
        missed = (self.m * np.abs(self.dual)).sum(axis=1) + np.abs(self.product).sum(axis=1)
        small = missed <= part * np.maximum(likelihood_lost(self.asked.counts, self.m), 0.01)
        slack = THERE if part <= CLOSE else NEARLY
        held = (np.abs(self.off) <= slack) & (np.abs(self.short) <= slack * self.sizes).all(axis=1)
        return np.asarray(self._is_there(0.1 * part) & small & held & (self.unseen == self.space.unseen))

    def move_aims(self) -> None:
        """Where a world is nearly found and not as far off as asked for, move its value; near it, let it move by itself.

        It moves in proportion to the distance, never all the way to the end of the range; and between two values, once there
        are two.
        """
        asked, value, root = self.asked, self.value, self.root
        known = asked.is_aimed & (self.error <= 1e-2)
        close = np.abs(root - asked.aim) <= 0.3 * asked.aim
        self.free = asked.is_aimed & np.where(known, close, self.free)
        move = known & ~close
        if not move.any():
            return
        below, above = move & (root < asked.aim), move & (root >= asked.aim)
        self.near, self.near_root = np.where(below, value, self.near), np.where(below, root, self.near_root)
        self.far, self.far_root = np.where(above, value, self.far), np.where(above, root, self.far_root)
        with np.errstate(divide="ignore", invalid="ignore"):
            grown = asked.short_of_end(value, np.clip(asked.aim / root, 0.4, 4.0))
            part = np.clip((asked.aim - self.near_root) / (self.far_root - self.near_root), 0.1, 0.9)
            between = self.near + (self.far - self.near) * part
        moved = np.where(move, asked.inside(np.where(np.isnan(self.far), grown, between)), value)
        self.value, self.off = moved, self.off + moved - value

    @abstractmethod
    def direction(self) -> Step:
        """Return where all equations would be solved if they were straight."""

    def step(self) -> None:
        """Take Newton's step, as far as everything stays above 0."""
        by_m, by_u, by_rate, by_lift, by_value = self.direction()
        with np.errstate(divide="ignore", invalid="ignore"):
            room = [np.where(by < 0, -at / by, np.inf).min(axis=1) for at, by in ((self.m, by_m), (self.u, by_u))]
            apart = 0.5 * np.abs(self.value - self.asked.centre) / np.abs(by_value)
        length = np.minimum(1.0, (1 - SHRINK) * np.minimum(*room))
        self.length = length = np.where(self.free, np.fmin(length, apart), length)
        self.m, self.u = self.m + length[:, None] * by_m, self.u + length[:, None] * by_u
        self.rate, self.lift = self.rate + length * by_rate, self.lift + length[:, None] * by_lift
        self.value = self.asked.inside(self.value + length * np.where(self.free, by_value, 0.0))


def newton(search: Newton) -> Worlds:
    """Go on until the nearest worlds are found, or after all the rounds."""
    space, question = search.space, search.asked
    expected, value, root = search.m.copy(), question.value.copy(), np.full(len(question), np.nan)
    found, rough = np.zeros((2, len(question)), dtype=np.bool_)
    used, halts, rounds = 0, 0, search.rounds[int(question.is_aimed.any())]
    for used in range(1, rounds + 1):
        search.look()
        over = used == rounds or halts >= search.most
        done = search.settled(NEARLY if over else space.settled)
        if used > ENOUGH:
            done |= search.nearly(CLOSE)
        if done.any() or over:
            at = search.place
            expected[at], value[at], root[at], found[at] = search.m, search.value, search.root, done
            if done.all() or over:
                rough[at] = ~done & search.nearly(ROUGH)
                break
            search.keep(~done)
        search.shrink()
        search.move_aims()
        search.step()
        halts = halts + 1 if search.length[0] < PART else 0
    return ended(question, expected, value, root, found | rough, found, used)


class Few(Newton):
    """A batch whose outcomes touch few totals."""

    def direction(self) -> Step:
        """Return where all equations would be solved if they were straight."""
        asked, m, u, rate = self.asked, self.m, self.u, self.rate
        both, member = self.space.both, self.space.member
        rows, size, strata = len(m), both.shape[1], member.shape[1]
        weight = m / u
        base = (self.product - m * self.dual) / u
        bend = self.space.curvatures(self.totals, asked.signs)
        weighed = weight[:, :, None] * both
        squares, held = weighed.transpose(0, 2, 1) @ both, weighed.transpose(0, 2, 1) @ member
        pulled = (weight * self.g) @ both
        n = size + 1 + strata + 1
        left, right = np.zeros((rows, n, n)), np.zeros((rows, n))
        lifts = slice(size + 1, size + 1 + strata)
        left[:, :size, :size] = np.eye(size) + rate[:, None, None] * (squares @ bend)
        left[:, :size, size] = pulled
        left[:, :size, lifts] = -held
        right[:, :size] = base @ both
        left[:, lifts, :size] = -rate[:, None, None] * (held.transpose(0, 2, 1) @ bend)
        left[:, lifts, size] = -(weight * self.g) @ member
        left[:, lifts, lifts] = (weight @ member)[:, :, None] * np.eye(strata)
        right[:, lifts] = self.short - base @ member
        left[:, size, :size], left[:, size, n - 1], right[:, size] = self.slope, -1.0, self.off
        left[:, n - 1, n - 1] = 1.0
        if self.free.any():
            free = self.free.astype(np.float64)
            away = (1 - (asked.counts / m) ** 2) / (2 * np.maximum(self.root, 1e-300))[:, None]
            turned = (weight * away) @ both
            left[:, n - 1, :size] = -(free * rate)[:, None] * (turned[:, None, :] @ bend)[:, 0]
            left[:, n - 1, size] = -free * (weight * away * self.g).sum(axis=1)
            left[:, n - 1, lifts] = free[:, None] * ((weight * away) @ member)
            left[:, n - 1, n - 1] = 1 - free
            missing = np.where(asked.is_aimed, asked.aim, 0.0) - self.root - (away * base).sum(axis=1)
            right[:, n - 1] = np.where(self.free, missing, 0.0)
        found = solved(left, right, self.totals)
        by_totals, by_rate, by_lift, by_value = found[:, :size], found[:, size], found[:, lifts], found[:, n - 1]
        bent = (bend @ by_totals[:, :, None])[:, :, 0] @ both.T
        du = self.dual + self.g * by_rate[:, None] - by_lift @ member.T + rate[:, None] * bent
        dm = (self.product - m * du) / u
        return dm, du, by_rate, by_lift, by_value


def solved(left: Floats, right: Floats, totals: Floats) -> Floats:
    """Solve the equations of each row, scaled by the totals; 0 if they have no solution, and the row then stays where it is."""
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
    return np.where(good, out[:, :, 0], 0.0) * scale


SPHERE, SPHERE_AIMED = (60, 120, 300), (80, 200, 500)
"""After how many rounds the steps are halved, halved again, and end: what swings is damped; and the same for a distance."""
GROWN = 1.4
"""By what factor a value then moves away from the data."""
STEP = 0.7
"""How much of the way to nothing a step may go."""


def plan_of(asked: Question) -> tuple[int, int, int]:
    """Return after how many rounds of a search over the sphere something changes."""
    return SPHERE_AIMED if asked.is_aimed.any() else SPHERE


def over_sphere(space: Space, asked: Question) -> Worlds:
    """Find nearest worlds over the sphere of x = 2√m, where the likelihood bends alike for all that was seen and was not.

    Slow and sure: each step goes to the top of the likelihood's parabola along the tangents of what is held. A score whose slope
    is infinite where a system always says the same (MCC) is straight in x.
    """
    member = space.member
    filled = np.where(asked.counts > 0, asked.counts, space.unseen)
    sizes, value = filled @ member, asked.inside(asked.value)
    x = 2 * np.sqrt(np.maximum(asked.counts, FIRST))
    plan, used = plan_of(asked), 0
    for used in range(1, plan[-1] + 1):
        m = x * x / 4
        totals = times(m, space.both)
        off, short = value - space.values(totals, asked.signs), sizes - m @ member
        pulled = times(space.slopes(totals, asked.signs), space.both.T) * x / 2
        held = np.concatenate([pulled[:, None, :], (x[:, :, None] * member / 2).transpose(0, 2, 1)], axis=1)
        bend, pull = 2 * filled / x**2 + 0.5, 2 * filled / x
        over = held / bend[:, None, :]
        missing = np.concatenate([off[:, None], short], axis=1) - (over @ pull[:, :, None])[:, :, 0]
        rates = solved(over @ held.transpose(0, 2, 1), missing, np.ones((len(x), 0)))
        step = (pull + (held.transpose(0, 2, 1) @ rates[:, :, None])[:, :, 0]) / bend
        missed = np.abs(step * bend * x).sum(axis=1) / 2
        lost = np.maximum(likelihood_lost(asked.counts, m), 0.01)
        there = (np.abs(off) <= THERE) & (np.abs(short) <= THERE * sizes).all(axis=1)
        near = (np.abs(off) <= NEARLY) & (np.abs(short) <= NEARLY * sizes).all(axis=1) & (missed <= ROUGH * lost)
        root = distances(asked.counts, m)
        far = ~asked.is_aimed | (np.abs(root - asked.aim) <= NEARLY * asked.aim) | asked.ends(value, root)
        settled = there & far & (missed <= CLOSE * lost)
        if used == plan[-1] or bool(settled.all()):
            break
        if asked.is_aimed.any():
            # Late in the search a value that is about right stays, for the rest to settle.
            done = far | ((used > plan[1]) & (np.abs(root - asked.aim) <= 0.02 * ROUGH))
            value = np.where(near & ~done, _nearer(asked, value, root, rates[:, 0]), value)
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(step < 0, -x / step, np.inf).min(axis=1)
        most = 0.5 ** sum(used > until for until in plan)
        # A row that is there stays, so that it has the same numbers in any company.
        x = x + np.where(settled, 0.0, np.minimum(most, STEP * room))[:, None] * step
    sure = there & far & (missed <= SURE * lost)
    rough = asked.is_aimed & ~far & (np.abs(root - asked.aim) <= ROUGH)
    value = np.where(rough, _nearer(asked, value, root, rates[:, 0]), value)
    return ended(asked, m, np.where(asked.is_aimed, value, asked.value), root, near & (far | rough), sure, used)


def _nearer(asked: Question, value: Floats, root: Floats, rate: Floats) -> Floats:
    """Return the values at which rows are about as far off as asked for: the multiplier tells what a move costs."""
    with np.errstate(divide="ignore", invalid="ignore"):
        moved = value + np.sign(value - asked.centre) * (asked.aim - root) * root / np.abs(rate)
    # Where the distance is next to nothing it does not tell how far to go, and it may begin to grow all of a sudden.
    blind = ~np.isfinite(moved) | (root < 0.1 * asked.aim)
    moved = np.where(blind, asked.centre + GROWN * (value - asked.centre), moved)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.clip((moved - asked.centre) / (value - asked.centre), 0.4, 4.0)
    return asked.inside(asked.short_of_end(value, np.where(np.isfinite(factor), factor, 1.0)))
