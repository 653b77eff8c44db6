"""Newton's step with many classes, whose equations are too many to be stored.

An outcome touches a few of the totals only, so what the equations do to a step costs no more than the outcomes, and they are
solved by trying (GMRES). Most outcomes are light: were the totals to move, they would hardly follow. Few are heavy: outcomes that
were not seen and that a world needs, and rare ones. Without the light ones following, and with each class by itself, the
equations can be solved at once; a few tries then mend the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TypeAlias

import numpy as np

from referee.data.columns import Floats, Ints
from referee.metrics.matrices import Matrix
from referee.significance.laws.newton import Newton, Step

Solver: TypeAlias = Callable[[Floats], Floats]
HEAVY, FEW, MANY = 1.0, 300, 1000
"""From when on an outcome is heavy: if it would move the slopes by as much as they let it move; and how many are, at most: as many
as there are classes, within these bounds."""
TRIES, LEFT = 40, 1e-5
"""How often it is tried, and what part of the equations may then be left unsolved; the next step mends it."""


class Many(Newton):
    """A single row whose outcomes touch some of very many totals."""

    rounds = 80, 80
    most_halts = 12, 20

    def bent(self, move: Floats) -> Floats:
        """Return how the slopes change along a move of the totals."""
        return np.asarray(self.space.bends(self.totals, self.asked.signs, move[None, :])[0])

    def own(self) -> Matrix:
        """Return [statistic, statistic]: how the slopes change by the totals of their own class, those of other classes aside.

        All classes are asked at once, with alternating signs: what they do to each other then about cancels.
        """
        from scipy.sparse import csr_array

        size = self.totals.shape[1] // 2
        classes = size // 3
        each, signs = np.arange(classes), np.where(np.arange(classes) % 2 == 0, 1.0, -1.0)
        entries = []
        for first in (0, size):
            places = [first + part * classes + each for part in range(3)]
            for place in places:
                move = np.zeros(2 * size)
                move[place] = signs
                change = self.bent(move)
                entries += [(change[other] * signs, other, place) for other in places]
        values, rows, columns = map(np.concatenate, zip(*entries, strict=True))
        return csr_array((values, (rows, columns)), shape=(2 * size, 2 * size))

    def direction(self) -> Step:
        """Return where all equations would be solved if they were straight."""
        own = self.own()
        reach = np.abs(self.rate[0]) * self.m[0] / self.u[0] * (self.space.table @ abs(own).sum(axis=0))
        heavy = np.flatnonzero(reach > HEAVY)
        most = min(max(self.totals.shape[1] // 6, FEW), MANY)
        if len(heavy) > most:
            heavy = np.sort(heavy[np.argpartition(reach[heavy], -most)[-most:]])
        return _Equations(self, own, heavy).solved()


class _Equations:
    """What a step must do: to the totals, the heavy outcomes, λ, ν and the value, in this order.

    Moves of totals and of heavy outcomes are relative to them. With W = m/u, b the statistics of an outcome and H the second
    derivatives of d, an outcome moves by dm = W·(r − λ·b·H·dT − g·dλ + dν); light ones are left out by that.
    """

    def __init__(self, at: Many, own: Matrix, heavy: Ints) -> None:
        self.at, self.heavy = at, heavy
        self.m, self.u, self.g, self.slope = at.m[0], at.u[0], at.g[0], at.slope[0]
        self.rate, self.free = float(at.rate[0]), bool(at.free[0])
        self.scale = np.maximum(at.totals[0], 1e-300)
        self.missing = at.product[0] / self.m - at.dual[0]
        self.light = self.m / self.u
        self.light[heavy] = 0.0
        self.away = (1 - (at.asked.counts[0] / self.m) ** 2) / (2 * max(float(at.root[0]), 1e-300))
        self.rows = at.space.table[heavy]
        self.columns = self.rows.T.tocsr()
        self.pulled, self.held = at.space.turned @ (self.light * self.g), at.space.turned @ self.light
        self.followed = self.rows @ own
        size, count = len(self.scale), len(heavy)
        self.totals, self.heavies, self.last = slice(0, size), slice(size, size + count), size + count
        moved = 1 / max(abs(float(at.value[0] - at.asked.centre[0])), 1e-4)
        self.unit = np.array([1 / float(at.sizes[0, 0]), moved, 1.0 if self.free else moved])

    def _joined(self, totals: Floats, heavies: Floats, lift: float, value: float, aim: float) -> Floats:
        """Return the sides of all equations, each in its own unit."""
        return np.concatenate([totals / self.scale, heavies, np.array([lift, value, aim]) * self.unit])

    def right(self) -> Floats:
        """Return the right sides."""
        at, base = self.at, self.light * self.missing
        aim = float(at.asked.aim[0] - at.root[0] - (self.away * base).sum()) if self.free else 0.0
        short = float(at.short[0, 0] - base.sum())
        return self._joined(at.space.turned @ base, self.missing[self.heavy], short, float(at.off[0]), aim)

    def apply(self, step: Floats) -> Floats:
        """Return the left sides."""
        totals, heavies = step[self.totals] * self.scale, step[self.heavies] * self.m[self.heavy]
        rate, lift, value = step[self.last :]
        bent = self.at.bent(totals)
        pushed = self.g * rate - lift + self.rate * (self.at.space.table @ bent)
        followed = self.light * pushed
        own = heavies * self.u[self.heavy] / self.m[self.heavy] + pushed[self.heavy]
        aim = heavies @ self.away[self.heavy] - followed @ self.away if self.free else value
        moved = totals + self.at.space.turned @ followed - self.columns @ heavies
        return self._joined(moved, own, heavies.sum() - followed.sum(), self.slope @ totals - value, aim)

    @cached_property
    def core(self) -> Solver:
        """What solves the equations of the heavy outcomes, λ, ν and the value, once the totals are put in by their own."""
        m, heavy, light, g, away, count = self.m[self.heavy], self.heavy, self.light, self.g, self.away, len(self.heavy)
        made = np.zeros((count + 3, count + 3))
        made[:count, :count] = self.rate * (self.followed @ self.columns).toarray() * m + np.diag(self.u[heavy])
        made[:count, count] = g[heavy] - self.rate * (self.followed @ self.pulled)
        made[:count, count + 1] = self.rate * (self.followed @ self.held) - 1
        made[count, : count + 2] = [*m, -(light @ g), light.sum()]
        made[count + 1] = [*(self.rows @ self.slope * m), -self.slope @ self.pulled, self.slope @ self.held, -1.0]
        made[count + 2, -1] = 1.0
        if self.free:
            made[count + 2] = [*(away[heavy] * m), -(light * away) @ g, light @ away, 0.0]
        return factored(made)

    def undo(self, sides: Floats) -> Floats:
        """Return about the step that has these left sides: as if light outcomes did not follow, and classes were by themselves."""
        totals = sides[self.totals] * self.scale
        lift, value, aim = sides[self.last :] / self.unit
        rest = [*(sides[self.heavies] - self.rate * (self.followed @ totals)), lift, value - self.slope @ totals, aim]
        found = self.core(np.array(rest))
        heavies, rate, lift = found[:-3], found[-3], found[-2]
        moved = totals + self.columns @ (heavies * self.m[self.heavy]) - self.pulled * rate + self.held * lift
        return np.concatenate([moved / self.scale, found])

    def solved(self) -> Step:
        """Return the step; none if the equations have no solution."""
        at, m, u = self.at, self.m, self.u
        try:
            found = krylov(self.apply, self.undo, self.right(), LEFT, TRIES)
        except np.linalg.LinAlgError:
            found = np.zeros(self.last + 3)
        rate, lift, value = found[self.last :]
        bent = at.space.table @ at.bent(found[self.totals] * self.scale)
        by_u = at.dual[0] + self.g * rate - lift + self.rate * bent
        by_m = (at.product[0] - m * by_u) / u
        # u of a heavy outcome is next to nothing, and what is divided by it cannot be told; so its m comes first.
        by_m[self.heavy] = found[self.heavies] * m[self.heavy]
        by_u[self.heavy] = ((at.product[0] - u * by_m) / m)[self.heavy]
        return by_m[None, :], by_u[None, :], np.array([rate]), np.array([[lift]]), np.array([value])


def factored(left: Floats) -> Solver:
    """Return what solves equations with these left sides.

    Raises:
        LinAlgError: if they have no solution.
    """
    from scipy.linalg.lapack import dgetrf, dgetrs

    size = np.abs(left).max(axis=1)
    size = np.where(size > 0, size, 1.0)
    parts, pivots, flaw = dgetrf(left / size[:, None])
    if flaw:
        raise np.linalg.LinAlgError("singular")
    return lambda right: np.asarray(dgetrs(parts, pivots, right / size)[0])


def krylov(apply: Solver, undo: Solver, right: Floats, enough: float, most: int) -> Floats:
    """Solve apply(x) = right (GMRES, Saad and Schultz 1986).

    Args:
        apply: what the equations do to x.
        undo: about the opposite.
        right: the right side.
        enough: what part of it may be left.
        most: the number of steps.
    """
    size = float(np.linalg.norm(right))
    if not 0 < size < np.inf:
        return np.zeros_like(right)
    basis, tried, table = np.zeros((most + 1, len(right))), np.zeros((most, len(right))), np.zeros((most + 1, most))
    basis[0] = right / size
    weights: Floats = np.zeros(0)
    for k in range(most):
        tried[k] = undo(basis[k])
        new = apply(tried[k])
        if not np.isfinite(new).all():
            break
        for _ in range(2):
            parts = basis[: k + 1] @ new
            table[: k + 1, k] += parts
            new = new - parts @ basis[: k + 1]
        table[k + 1, k] = length = float(np.linalg.norm(new))
        aim = size * np.eye(1, k + 2)[0]
        weights = np.asarray(np.linalg.lstsq(table[: k + 2, : k + 1], aim, rcond=None)[0], dtype=np.float64)
        left = float(np.linalg.norm(table[: k + 2, : k + 1] @ weights - aim))
        if left <= enough * size or length <= 1e-14 * size:
            break
        basis[k + 1] = new / length
    return weights @ tried[: len(weights)]
