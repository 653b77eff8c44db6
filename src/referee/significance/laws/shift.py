"""Shift: what the law of exchanges, which is that of no difference, says of every other difference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.significance.tally import Tally
from referee.significance.units import AnyTally

DUST = 1e-13
"""What is left of squares by rounding alone, relative to them."""


@dataclass(frozen=True, eq=False)
class Shift:
    """Where a difference δ lies on the law of exchanges, for each row of a batch: at u·size/√(r + 2cu + su²), u = d − δ.

    Three laws have this form, and at δ = 0 each is the exchange test itself:

    - *Means.* Take δ off each unit's difference, as much as the unit weighs, and exchange what is left. Its exchanges spread by
      √Σ(x − δw)², where those of the data spread by √Σx²; the shape of the law is taken to be that of the data. Of units that
      weigh the same this is the interval of the studentized exchange: for a mean both order the exchanges alike.
    - *Studentized.* t of d − δ, with the standard error of the data: r = se².
    - *Any other metric.* d − δ itself: the law of no difference is taken for that of d − δ.
    """

    difference: Floats
    size: Floats
    spread: tuple[Floats, Floats, Floats]
    """r, c and s"""

    @classmethod
    def of(cls, tally: AnyTally, batch: Ints, studentized: bool) -> Shift:
        """Return the shift of each row of a batch."""
        scores = tally.scores(batch)
        difference = scores[:, 1] - scores[:, 0]
        one, none = np.ones(len(batch)), np.zeros(len(batch))
        if isinstance(tally, Tally) and studentized:
            return cls(difference, one, (tally.standard_errors(batch) ** 2, none, none))
        means = tally.means() if isinstance(tally, Tally) else None
        if means is None:
            return cls(difference, one, (one, none, none))
        apart, weight = means[1] - means[0], means[2]
        squares = batch @ apart**2
        crossed, weights = batch @ (apart * weight), batch @ weight**2
        left = squares - 2 * difference * crossed + difference**2 * weights
        left = np.where(left > DUST * squares, left, 0.0)
        turn = np.where(left > 0, crossed - difference * weights, 0.0)
        return cls(difference, np.sqrt(squares), (left, turn, weights))

    def at(self, null: float) -> Floats:
        """Return where on the law each row lies, seen from a difference; 0/0 is 0, x/0 infinite.

        Far off it may turn back, where one group has most of the weight; it stays at its farthest then.
        """
        r, c, s = self.spread
        u = self.difference - null
        with np.errstate(divide="ignore", invalid="ignore"):
            u = np.where((c * u < 0) & (np.abs(c * u) > r), -r / c, u)
            value = u * self.size / np.sqrt(r + 2 * c * u + s * u**2)
        return np.where(u == 0, 0.0, value)

    def flat(self, tolerance: Floats) -> Mask:
        """Say of which rows all units show one and the same difference, which tells nothing of how far it is off."""
        result: Mask = (self.spread[0] == 0) & (np.abs(self.difference) > tolerance)
        return result

    def ends(self, reach: float) -> tuple[float, float]:
        """Return the least and the greatest difference from which the first row lies no farther than `reach` on the law."""
        difference, size = float(self.difference[0]), float(self.size[0])
        if not np.isfinite(reach):
            return -np.inf, np.inf
        r, c, s = (reach**2 * float(part[0]) for part in self.spread)
        # (size² − s)u² − 2cu − r ≤ 0, the part about u = 0.
        lead = size**2 - s
        inside = c**2 + lead * r
        if inside < 0 or (lead <= 0 and r == 0):
            return -np.inf, np.inf
        root = float(np.sqrt(inside))
        if lead > 0:
            return difference - (c + root) / lead, difference - (c - root) / lead
        up, down = root - c, root + c
        return difference - (r / up if up > 0 else np.inf), difference + (r / down if down > 0 else np.inf)
