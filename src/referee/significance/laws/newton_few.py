"""Newton's step of few classes: a system of equations no larger than the totals, solved for all rows together."""

from __future__ import annotations

import numpy as np

from referee.significance.laws.equations import solved
from referee.significance.laws.newton import Newton, Step


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
