"""Evidence of a watch: how much of it speaks for each answer, how much it takes to stop, and how many more examples that may be."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from referee.data.columns import Floats, Ints
from referee.results.settings import Alternative, Question, Verdict
from referee.runtime.randomness import Streams
from referee.significance.anytime import FARTHEST, Anytime, Differences, Size
from referee.significance.distributions import FLIPPED
from referee.significance.laws.bets import log_normal_winnings
from referee.significance.laws.binomial_grid import TINIEST
from referee.significance.rank_tally import AnyTally
from referee.significance.test_choice import choose

FARTHEST_AHEAD = 20.0
"""How many times the present examples are looked ahead to."""
STEPS = 40
SIDES = ("greater", "less")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked, and what evidence answers it.

    Evidence is [.., null, side]: its logarithm, for each value that the lead of B may be held against (its null), and for either
    side: that the lead is larger, or smaller. The lead is b - a if higher is better, and a - b otherwise.
    """

    question: Question
    alternative: Alternative
    alpha: float
    margin: float | None
    up: bool

    @property
    def nulls(self) -> tuple[float, ...]:
        """The values that the lead of B is held against."""
        if self.question == "no-worse":
            return (-(self.margin or 0.0),)
        around = () if self.margin is None else (-self.margin, self.margin)
        return around if self.question == "equal" else (0.0, *around)

    @property
    def level(self) -> float:
        """The level of the interval that leaves out what is ruled out."""
        shared = self.question == "better" and self.alternative == "two-sided"
        return 1 - self.alpha if shared else 1 - 2 * self.alpha

    @property
    def target(self) -> float:
        """The logarithm of the evidence that a side needs: two sides share alpha."""
        shared = self.question == "better" and self.alternative == "two-sided"
        return -math.log(self.alpha / 2 if shared else self.alpha)

    @property
    def ways(self) -> tuple[tuple[Verdict, tuple[tuple[int, int, float], ...]], ...]:
        """The verdicts that end a watch, each with the evidence it takes: null, side and how much; an earlier one wins."""
        enough, one = self.target, -math.log(self.alpha)
        if self.question == "no-worse":
            return ("no worse", ((0, 0, one),)), ("a better", ((0, 1, one),))
        if self.question == "equal":
            equal: tuple[tuple[int, int, float], ...] = ((0, 0, one), (1, 1, one))
            return ("practically equal", equal), ("a better", ((0, 1, one),)), ("b better", ((1, 0, one),))
        better: dict[int, Verdict] = {0: "b better", 1: "a better"}
        if self.alternative != "two-sided":
            side = 0 if (self.alternative == "greater") == self.up else 1
            better = {side: better[side]}
        sides = tuple((verdict, ((0, side, enough),)) for side, verdict in better.items())
        return sides if self.margin is None else (("practically equal", ((1, 0, one), (2, 1, one))), *sides)

    def verdict(self, best: Floats) -> Verdict | None:
        """Return the verdict that the most evidence so far comes to, None if it is not enough for any."""
        for verdict, needs in self.ways:
            if all(best[null, side] >= enough for null, side, enough in needs):
                return verdict
        return None

    def p(self, best: Floats) -> float:
        """Return the p-value of the most evidence so far: the largest chance of ever seeing so much (Ville 1939)."""
        if self.question == "equal":
            most = min(best[0, 0], best[1, 1])
        elif self.question == "no-worse":
            most = best[0, 0]
        elif self.alternative == "two-sided":
            most = best[0].max() - math.log(2)
        else:
            most = best[0, 0 if (self.alternative == "greater") == self.up else 1]
        return max(math.exp(-max(float(most), 0.0)), TINIEST)

    def shown(self, evidence: Floats) -> tuple[Floats, Floats]:
        """Return the evidence for the answer that favours B, and against it."""
        if self.question == "equal":
            equal = np.minimum(evidence[..., 0, 0], evidence[..., 1, 1])
            return equal, np.maximum(evidence[..., 0, 1], evidence[..., 1, 0])
        return evidence[..., 0, 0], evidence[..., 0, 1]

    @property
    def stops(self) -> tuple[float | None, float | None]:
        """The evidence for the answer that favours B, and against it, at which a watch ends; None of a side that ends none."""
        if self.question != "better":
            return self.target, self.target
        verdicts = [verdict for verdict, _ in self.ways]
        return (
            self.target if "b better" in verdicts else None,
            self.target if "a better" in verdicts else None,
        )

    def oriented(self, null: float) -> float:
        """Return a lead of B as a value of b - a."""
        return null if self.up else -null


def evidence(test: Anytime, tally: AnyTally, batch: Any, asked: Asked, streams: Streams) -> Floats:
    """Return [row, null, side]: the logarithm of the evidence in each row of a batch of multiplicities.

    Where the data cannot have a score yet, there is none.
    """
    out = np.zeros((len(batch), len(asked.nulls), 2))
    known = ~np.broadcast_to(tally.blank(batch), len(batch))
    for place, null in enumerate(asked.nulls):
        raw = asked.oriented(null)
        bets = Differences.of(tally)
        if bets is not None:
            above, below = bets.log_evidence(batch[known], raw)
        else:
            above, below = (_asymptotic(test, tally, batch[known], raw, side, streams) for side in SIDES)
        out[known, place] = np.stack((above, below) if asked.up else (below, above), axis=-1)
    return np.asarray(np.where(np.isnan(out), 0.0, out))


def _asymptotic(test: Anytime, tally: AnyTally, batch: Ints, null: float, side: str, streams: Streams) -> Floats:
    """Return the logarithm of what a p-value of one side is worth: its inverse."""
    if null == 0:
        return np.asarray(-np.log(test.evaluate(tally, batch, side, streams).p))
    ps = [test.p_at(tally.with_multiplicities(row), null, side, streams) for row in batch]
    return np.array([0.0 if p is None else -math.log(max(p, TINIEST)) for p in ps])


def more(test: Anytime, tally: AnyTally, n: int, asked: Asked, best: Floats, streams: Streams) -> int | None:
    """Return about how many more examples it takes to stop if all goes on as it went: k times the present counts are enough.

    The logarithm of expected evidence is convex in k and begins at 0, so that where it is enough once it stays so.

    Args:
        test: the test.
        tally: the present data.
        n: how many examples they are.
        asked: what is asked.
        best: the most evidence so far.
        streams: the source of randomness.
    """
    if bool(tally.blank(tally.multiplicities)):
        return None
    own, bets = tally.multiplicities[None, :], Differences.of(tally)
    size, z = Size.of(tally, own), np.zeros((len(asked.nulls), 2))
    if bets is None:
        z = np.array([_signed(tally, asked.oriented(null), streams) for null in asked.nulls])
        z = z if asked.up else z[:, ::-1]

    def expected(k: float) -> Floats:
        if bets is not None:
            return np.asarray(evidence(test, tally, own * k, asked, streams)[0])
        if not test.begun(tally, Size(size.apart * k, size.equal * k))[0]:
            return np.zeros_like(z)
        return np.asarray(log_normal_winnings(z * math.sqrt(k), np.full(z.shape, size.apart[0] * k)))

    def enough(k: float) -> bool:
        return asked.verdict(np.maximum(best, expected(k))) is not None

    low, high = 1.0, FARTHEST_AHEAD
    if not enough(high):
        return None
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return max(1, math.ceil(n * (high - 1)))


def _signed(tally: AnyTally, null: float, streams: Streams) -> tuple[float, float]:
    """Return the normal statistic of a value of b - a, towards each side, by the test that evidence is taken from."""
    from scipy.special import ndtri

    base, own = choose(tally)[0], tally.multiplicities[None, :]
    found = []
    for side in SIDES:
        p = float(base.evaluate(tally, own, side, streams).p[0]) if null == 0 else base.p_at(tally, null, side, streams)
        p = 0.5 if p is None or not math.isfinite(p) else p
        found.append(float(np.clip(-ndtri(p), -FARTHEST, FARTHEST)))
    return found[0], found[1]


def mirrored(asked: Asked) -> Asked:
    """Return the same question about the systems exchanged: b - a changes its sign, who is B does not."""
    return replace(asked, up=not asked.up, alternative=FLIPPED[asked.alternative])
