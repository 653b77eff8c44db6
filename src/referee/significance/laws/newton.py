"""Newton's method for nearest worlds: all equations at once, whole batches of rows together.

The expected counts m of a nearest world maximise Σ e·ln m at Σ m = N (in each stratum) and d(m) = δ. So m·u = e with
u = 1 + λg − ν, g being how far one more example of each kind moves d, λ and ν the multipliers. An outcome that was never seen
has e = UNSEEN: it stays at nothing unless the world needs it, and then u is nearly 0. m and u are both kept above 0, as
interior-point methods do. d depends on m through a few totals alone; `Few` and `Many` (newton_many) differ in how they find the step.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from referee.data.columns import Floats, Mask
from referee.metrics.matrices import Matrix, times
from referee.significance.laws.worlds import (
    CLOSE,
    FIRST,
    NEARLY,
    ROUGH,
    THERE,
    Bracket,
    Question,
    Space,
    Worlds,
    distances,
    finish,
    likelihood_lost,
)

ROUNDS, AIMED = 40, 30
"""After how many rounds a search ends, for a value and for a distance."""
ENOUGH = 16
"""After how many rounds it is enough to be close."""
SHRINK = 0.005
"""By what factor the examples of what was not seen become fewer from round to round; and how much of the way to nothing a step
leaves."""
ROWS = (
    "filled", "sizes", "m", "u", "rate", "lift", "value", "free", "place", "totals", "slope", "g", "dual", "product", "short",
    "off", "root", "error",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Step:
    """Where Newton's method would go."""

    m: Floats
    """[row, outcome]"""
    u: Floats
    rate: Floats
    """[row]"""
    lift: Floats
    """[row, stratum]"""
    value: Floats
    """[row]"""


class Newton(ABC):
    """A batch on its way; rows that are done are put aside, and the others go on."""

    rounds = ROUNDS, AIMED

    def __init__(self, space: Space, question: Question, unseen: float = FIRST, start: Floats | None = None) -> None:
        self.space, self.asked = space, question
        self.filled = np.where(question.counts > 0, question.counts, unseen)
        self.unseen = unseen
        self.both: Matrix = space.both
        self.member = (space.strata[:, None] == np.arange(int(space.strata.max(initial=0)) + 1)).astype(np.float64)
        self.aimed = bool(question.is_aimed.any())
        self.sizes = np.maximum(question.counts, space.unseen) @ self.member
        rows = len(question)
        self.begun = start is not None
        self.m = self.filled.copy() if start is None else start.copy()
        self.u = self.filled / self.m
        self.bracket = Bracket.of(question)
        self.length = np.ones((rows, 1))
        self.rate, self.lift = np.zeros(rows), np.zeros((rows, self.member.shape[1]))
        self.value, self.free = question.inside(question.value), np.zeros(rows, dtype=np.bool_)
        self.place = np.arange(rows)

    @property
    def is_stuck(self) -> bool:
        """Whether it leads nowhere, and need not go on."""
        return False

    def keep(self, left: Mask) -> None:
        """Go on with some of the rows."""
        self.asked, self.bracket = self.asked.take(left), self.bracket.take(left)
        for name in ROWS:
            setattr(self, name, getattr(self, name)[left])

    def look(self) -> None:
        """Work out where the rows stand."""
        asked, m = self.asked, self.m
        self.totals = times(m, self.both)
        self.slope = self.space.slopes(self.totals, asked.signs)
        self.g = times(self.slope, self.both.T)
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
        return solved & there

    def nearly(self, part: float) -> Mask:
        """Say which rows are where they should be, and miss at most a part of the likelihood lost."""
        asked = self.asked
        missed = (self.m * np.abs(self.dual)).sum(axis=1) + np.abs(self.product).sum(axis=1)
        there = ~asked.is_aimed | (np.abs(self.root - asked.aim) <= 0.1 * part) | asked.ends(self.value, self.root)
        slack = THERE if part <= CLOSE else NEARLY
        small = missed <= part * np.maximum(likelihood_lost(asked.counts, self.m), 0.01)
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
        moved = np.where(move, self.bracket.moved(asked, self.value, self.root, move), self.value)
        self.value, self.off = moved, self.off + moved - self.value

    @abstractmethod
    def direction(self) -> Step:
        """Return where all equations would be solved if they were straight."""

    def step(self) -> None:
        """Take Newton's step, as far as everything stays above 0."""
        asked, m, u, to = self.asked, self.m, self.u, self.direction()
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.minimum(
                np.where(to.m < 0, -m / to.m, np.inf).min(axis=1), np.where(to.u < 0, -u / to.u, np.inf).min(axis=1)
            )
            apart = 0.5 * np.abs(self.value - asked.centre) / np.abs(to.value)
        length = np.minimum(1.0, (1 - SHRINK) * room)
        self.length = length = np.where(self.free, np.fmin(length, apart), length)[:, None]
        self.m, self.u = m + length * to.m, u + length * to.u
        self.rate, self.lift = self.rate + length[:, 0] * to.rate, self.lift + length * to.lift
        if self.aimed:
            self.value = asked.inside(self.value + length[:, 0] * np.where(self.free, to.value, 0.0))


def newton(search: Newton) -> Worlds:
    """Go on until the nearest worlds are found, or after all the rounds."""
    space, question = search.space, search.asked
    rows = len(question)
    expected, value = search.m.copy(), question.value.copy()
    root, found, rough = np.full(rows, np.nan), np.zeros(rows, dtype=np.bool_), np.zeros(rows, dtype=np.bool_)
    used = 0
    rounds = search.rounds[int(search.aimed)]
    for used in range(1, rounds + 1):
        search.look()
        over = used == rounds or search.is_stuck
        done = search.settled(NEARLY if over else space.settled) & (search.unseen == space.unseen)
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
    return finish(question, expected, value, root, found | rough, found, used)


class Few(Newton):
    """A batch whose outcomes touch few totals."""

    def direction(self) -> Step:
        """Return where all equations would be solved if they were straight."""
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
        left[:, :size, :size] = np.eye(size) + rate[:, None, None] * (squares @ bend)
        left[:, :size, size] = pulled
        left[:, :size, lifts] = -held
        right[:, :size] = base @ self.both
        left[:, lifts, :size] = -rate[:, None, None] * (held.transpose(0, 2, 1) @ bend)
        left[:, lifts, size] = -(weight * self.g) @ self.member
        left[:, lifts, lifts] = (weight @ self.member)[:, :, None] * np.eye(strata)
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
        found = solved(left, right, self.totals)
        by_totals, by_rate, by_lift, by_value = found[:, :size], found[:, size], found[:, lifts], found[:, n - 1]
        bent = (bend @ by_totals[:, :, None])[:, :, 0] @ self.both.T
        du = self.dual + self.g * by_rate[:, None] - by_lift @ self.member.T + rate[:, None] * bent
        dm = (self.product - m * du) / u
        return Step(dm, du, by_rate, by_lift, by_value)


def solved(left: Floats, right: Floats, totals: Floats) -> Floats:
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
    return np.where(good, out[:, :, 0], 0.0) * scale
