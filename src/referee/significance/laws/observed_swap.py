"""The swap law of a data set with the value that was observed on it: p-values of any value, and the values that it does not rule out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from referee.data.columns import Floats, Ints, Mask, Values
from referee.runtime.randomness import Streams
from referee.significance.laws.early_stopping import Draws, allowed_hits, settle_draws
from referee.significance.laws.exchange import Exchange, Swapping, exchanged, reached, toward
from referee.significance.laws.resample import SWAP
from referee.significance.laws.swap import RankSwap, Shift, StudentSwap, Swap
from referee.significance.rank_tally import AnyTally, RankTally, differing
from referee.significance.tally import Tally

SMALLEST = 1e-9
"""The first step of a search, where the systems tie."""


@dataclass(frozen=True, eq=False)
class Law:
    """One data set's swap law and the observed value on it."""

    law: Swap | StudentSwap | RankSwap
    value: float
    tolerance: float
    shift: Shift
    drawn: Floats | None = None
    """The draws that stand for it; None where it is summed exactly."""
    paired: bool = True
    """Whether each draw stands for its mirror image too, which is as likely."""

    @classmethod
    def of(cls, tally: AnyTally, row: Ints, studentized: bool) -> Law:
        """Build the law of a tally with these multiplicities."""
        shift = Shift.of(tally, row[None, :], studentized)
        if studentized and isinstance(tally, Tally):
            own = StudentSwap.of(tally, row)
            return cls(own, *own.observed(), shift)
        value, tolerance = map(float, tally.differences_and_ties(row))
        law = RankSwap(tally, row) if isinstance(tally, RankTally) else Swap.of(tally, row)
        return cls(law, value, tolerance, shift)

    @property
    def still(self) -> bool:
        """Whether no exchange can change anything."""
        return len(self.law.sizes) == 0

    @property
    def width(self) -> int:
        """How many numbers one draw takes, about."""
        if isinstance(self.law, RankSwap):
            return 8 * len(self.law.tally.values)
        return self.law.width if isinstance(self.law, StudentSwap) else 2 * len(self.law.sizes)

    def p(self, value: float, alternative: str) -> tuple[float, float | None]:
        """Return the p-value of a value on the law, and its standard error where the law is drawn."""
        if self.drawn is not None:
            return self._sampled(self.drawn, value, alternative)
        # What is out of reach is so far out that next to nothing lies beyond.
        found = self.exact(value, alternative)
        return (0.0 if found is None else found), None

    def exact(self, value: float, alternative: str) -> float | None:
        """Return the exact p-value: the law is symmetric, so every alternative is an upper tail."""
        if alternative == "two-sided" and abs(value) <= self.tolerance:
            return 1.0
        beyond = self.law.upper(toward(value, alternative), self.tolerance)
        if beyond is None:
            return None
        return min(1.0, 2 * beyond) if alternative == "two-sided" else beyond

    def _sampled(self, drawn: Floats, value: float, alternative: str) -> tuple[float, float]:
        """Return the Monte-Carlo p-value (hits+1)/(trials+1) and its standard error.

        One-sided each draw is counted with its mirror image, by half: so the p of either side is half of the two-sided one,
        or the rest of it, and at no difference both are the same.
        """

        def hits(side: str) -> float:
            return float(reached(drawn, value, self.tolerance, side).sum())

        trials = len(drawn)
        if alternative == "two-sided" or (not self.paired and abs(value) > self.tolerance):
            p = (hits(alternative) + 1) / (trials + 1)
            return p, float(np.sqrt(p * (1 - p) / trials))
        ahead = value * (1 if alternative == "greater" else -1) > self.tolerance
        mirrored = -drawn
        both = hits(alternative) + float(reached(mirrored, value, self.tolerance, alternative).sum())
        p = (both + (1 if ahead else 2)) / (2 * (trials + 1))
        share = min(2 * p, 2 * (1 - p), 1.0)
        return p, float(np.sqrt(share * (1 - share) / trials)) / 2

    def reach(self, tail: float) -> float:
        """Return the farthest value whose two-sided p-value exceeds `tail`; infinite where there is no end of them."""
        tail *= 1 + 1e-12

        @cache
        def p(value: float) -> float:
            return self.p(value, "two-sided")[0]

        near, far = 0.0, abs(self.value)
        if p(far) > tail:
            # Draws may be too few to rule out anything; and statistics over an error of 0 are as far out as can be.
            endless = self.drawn is not None or isinstance(self.law, StudentSwap)
            if endless and p(np.inf) > tail:
                return np.inf
            step = max(far, self.tolerance, SMALLEST)
            while p(far) > tail:
                near, far, step = far, far + step, 2 * step
        found = _edge(p, near, far, tail)
        return max(self.law.floor(found), near) if isinstance(self.law, Swap) and self.drawn is None else found


def _edge(p: Callable[[float], float], near: float, far: float, tail: float) -> float:
    """Return the greatest value found whose p exceeds the tail, between one whose p does and one whose p does not.

    A law of many points is nearly smooth, and nearly normal, so most guesses are by a straight line on the normal scale,
    a little to one side of it and to the other; every third halves what is left.
    """
    from scipy.special import ndtri

    def height(value: float) -> float:
        return float(ndtri(np.clip(p(value) / 2, 1e-300, 0.5)))

    aim, turn = float(ndtri(tail / 2)), 0
    # The value may be 0 itself, which no relative distance is near to.
    least = 1e-12 * far
    while (
        far - near > 1e-10 * far and far > least and not (far - near <= 1e-6 * far and p(near) - p(far) <= 1e-5 * tail)
    ):
        part = 0.5
        if turn % 3 < 2 and height(near) > height(far):
            line = (height(near) - aim) / (height(near) - height(far))
            part = min(max(line + (0.02 if turn % 3 else -0.02), 0.01), 0.99)
        middle = near + part * (far - near)
        near, far = (middle, far) if p(middle) > tail else (near, middle)
        turn += 1
    return near


class Exchanges:
    """The laws of the rows of a batch, and where each lies on its own."""

    def __init__(self, tally: AnyTally, batch: Ints, studentized: bool) -> None:
        self.tally, self.batch, self.studentized = tally, batch, studentized
        self.law = Exchange.of(tally) if isinstance(tally, Tally) else None
        if self.law is not None:
            self.value, self.tie = self.law.observed(batch, studentized)
        else:
            self.value, self.tie = tally.differences_and_ties(batch)
        self.still: Mask = (batch @ differing(tally).astype(np.int64)) == 0

    def exact(self, rows: Ints, value: Floats, alternative: str) -> Floats:
        """Return the exact p-value of a value of each of some rows, NaN where that is not quick."""
        assert self.law is not None
        return self.law.exact(self.batch[rows], self.studentized, alternative, value, self.tie[rows])

    def settled(
        self, places: Ints, value: Floats, alphas: Sequence[float], trials: int, streams: list[Streams]
    ) -> Mask:
        """Say for each of some rows and each alpha whether the two-sided p of a value, by draws, is at most alpha."""
        batch, tie = self.batch[places], self.tie[places]

        def hits(rows: Ints, weights: Values) -> Mask:
            if self.law is None:
                drawn = exchanged(self.tally, weights)
            else:
                drawn = self.law.statistic(weights, self.studentized)[0]
            return reached(drawn, value[rows][:, None], tie[rows][:, None], "two-sided")[..., None]

        def draws(place: int) -> Draws:
            own = streams[place].child(SWAP)
            if self.law is None:
                return Swapping(np.zeros(0, np.int64), batch[place], own.at(0))
            return self.law.draws(batch[place], own)

        width = 2 * batch.shape[1] if self.law is None else len(self.law.tally.multiplicities)
        allowed = [allowed_hits(alpha, trials, 1) for alpha in alphas]
        return settle_draws(draws, hits, len(batch), width, 1, trials, allowed)[:, 0]
