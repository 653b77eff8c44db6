"""The randomization test: exchange the systems' responses unit by unit; exact wherever that is possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from referee import intervals
from referee.errors import OptionError, one_of
from referee.laws.exchange import Exchange, RankSwapping, exchanged, reached
from referee.laws.ranked import RankSwap
from referee.laws.settling import Draws, allowed_hits, settle_draws
from referee.laws.swap import StudentSwap, Swap
from referee.randomness import Streams
from referee.ranks import RankTally
from referee.results import Interval
from referee.significance.base import MOST, SWAP, Evidence, Test, differing, half_power, percentile_covers, test
from referee.significance.luck import Luck, fewer, listed
from referee.significance.means import misfit as means_misfit
from referee.significance.ttest import PairedT
from referee.tails import FLIPPED
from referee.tally import Tally
from referee.units import AnyTally
from referee.values import Floats, Ints, Mask

METHODS = ("auto", "exact", "monte-carlo", "yeh")
YEH = 2**20


@test(
    "randomization",
    fits="every metric; grouped: whole groups are exchanged",
    reference="Yeh 2000, section 3.3; Noreen 1989; studentized: Chung and Romano 2013, Konietschke and Pauly 2014",
    assumes="Were the systems alike, the responses to each example could as well have come from the other system.",
    takes_groups=True,
    draws=True,
)
@dataclass(frozen=True, kw_only=True)
class Randomization(Test):
    """Exchanges A's and B's responses on each unit with probability 1/2 and sees how often the difference is as large."""

    studentized: bool = False
    method: str = "auto"
    trials: int = 9999

    def __post_init__(self) -> None:
        """Check the options."""
        one_of("randomization:method", self.method, METHODS)
        if not 99 <= self.trials <= MOST:
            raise OptionError(f"randomization:trials must be at least 99 and at most {MOST:,}; it is {self.trials}")

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        if self.studentized and isinstance(tally, RankTally):
            return "a studentized form exists for metrics of totals only; use randomization without it"
        return None

    def cautions(self, tally: AnyTally) -> tuple[str, ...]:
        """Warn of ratios under the plain law, of scores on different scales, and of few groups."""
        found = []
        if isinstance(tally, Tally) and not self.studentized and not tally.bound.formula.fixed:
            found.append(
                f"randomization: plain, on {tally.metric}, it also reacts to how many answers each system gives; studentized=true does not"
            )
        if isinstance(tally, RankTally):
            found.append("randomization: exchanging scores makes sense where both systems' scores are on one scale")
        return tuple(found)

    def smallest(self, apart: int, alternative: str, method: str) -> float:
        """Return the smallest p of so many exchanges, and of so many draws."""
        trials = YEH if self.method == "yeh" else self.trials
        drawn = 1 / (trials + 1) if method == "monte-carlo" else 0.0
        return max(drawn, half_power(apart, alternative))

    def interval_of(self, tally: AnyTally, level: float, streams: Streams) -> Interval | None:
        """Return the t interval of a mean, and of any difference over groups; else the percentile bootstrap.

        With few groups the bootstrap's interval is too short; Student's on G − 1 degrees of freedom is not.
        """
        if means_misfit(tally) is None:
            return PairedT().interval_of(tally, level, streams)
        if isinstance(tally, Tally) and tally.grouped:
            scores, groups = tally.observed(), tally.units
            error = float(tally.standard_errors(tally.multiplicities)) * np.sqrt(groups / max(groups - 1, 1))
            return intervals.student(float(scores[1] - scores[0]), error, groups - 1, level, "cluster-t")
        return super().interval_of(tally, level, streams)

    def measure(self, tally: AnyTally, batch: Ints, alternative: str, streams: Streams) -> Evidence:
        """Return the evidence."""
        if len(batch) == 1:
            return self._one(tally, batch[0], alternative, streams)
        parts = [self._one(tally, row, alternative, streams.child(place)) for place, row in enumerate(batch)]
        methods = {part.method for part in parts}
        return Evidence(
            p=np.concatenate([part.p for part in parts]),
            statistic=np.concatenate([part.statistic for part in parts if part.statistic is not None]),
            method="exact" if methods == {"exact"} else "monte-carlo",
            error=np.concatenate([np.zeros(1) if part.error is None else part.error for part in parts]),
        )

    def decide(self, tally: AnyTally, batch: Ints, alphas: Sequence[float], alternative: str, streams: Streams) -> Mask:
        """Say for each row and alpha whether the test rejects.

        Exactly where that is quick; laws of more than two kinds of units, and very fine ones, by `trials` draws, which
        stop early.
        """
        swaps = Exchange.of(tally) if isinstance(tally, Tally) else None
        p = np.full(len(batch), np.nan)
        p[(batch @ differing(tally).astype(np.int64)) == 0] = 1.0
        if swaps is not None and self.method != "monte-carlo":
            open_ = np.isnan(p)
            p[open_] = swaps.exact(batch[open_], self.studentized, alternative)
        # Exact probabilities are sums of floats: one that equals alpha on paper must not miss it by rounding.
        found = p[:, None] <= np.asarray(alphas)[None, :] * (1 + 1e-9)
        rest = np.flatnonzero(np.isnan(p))
        if len(rest):
            found[rest] = self._settled(
                tally, swaps, batch[rest], alphas, alternative, [streams.child(int(r)) for r in rest]
            )
        return found

    def _settled(
        self,
        tally: AnyTally,
        swaps: Exchange | None,
        batch: Ints,
        alphas: Sequence[float],
        alternative: str,
        streams: list[Streams],
    ) -> Mask:
        if swaps is not None:
            value, tie = swaps.observed(batch, self.studentized)
        else:
            scores = tally.scores(batch)
            value, tie = scores[:, 1] - scores[:, 0], tally.tolerance(scores)

        def hits(rows: Ints, weights: Ints) -> Mask:
            drawn = exchanged(tally, weights) if swaps is None else swaps.statistic(weights, self.studentized)[0]
            return reached(drawn, value[rows][:, None], tie[rows][:, None], alternative)[..., None]

        def draws(place: int) -> Draws:
            own = streams[place].child(SWAP)
            return RankSwapping(batch[place], own.at(0)) if swaps is None else swaps.draws(batch[place], own)

        width = 2 * batch.shape[1] if swaps is None else len(swaps.tally.multiplicities)
        allowed = [allowed_hits(alpha, self.trials, 1) for alpha in alphas]
        return settle_draws(draws, hits, len(batch), width, 1, self.trials, allowed)[:, 0]

    def luck(self, tally: AnyTally, alternative: str, streams: Streams) -> Luck | None:
        """Return the law of the exchanges, studentized ones times the observed standard error."""
        law = Law.of(tally, tally.multiplicities, self.studentized)
        if law.still or not np.isfinite(law.value):
            return None
        found, how = listed(law.law), "exact"
        if found is None:
            drawn, how = law.law.draws(fewer(self.trials, law.width), streams.child(SWAP)), "drawn"
            found = drawn, np.full(len(drawn), 1 / len(drawn))
        counted = reached(found[0], law.value, law.tolerance, alternative).astype(np.float64)
        size, scale = 1.0, "difference"
        if isinstance(tally, Tally) and self.studentized:
            size, scale = float(tally.standard_errors(tally.multiplicities)), "studentized"
        value = law.value * size
        return Luck(found[0] * size, found[1], counted, value, value, scale=scale, how=how)

    def covers(self, tally: AnyTally, batch: Ints, value: float, levels: Sequence[float], streams: Streams) -> Floats:
        """Say for each row and level whether the interval holds the value."""
        if means_misfit(tally) is None or tally.grouped:
            return super().covers(tally, batch, value, levels, streams)
        return percentile_covers(tally, batch, value, levels, streams)

    def _one(self, tally: AnyTally, row: Ints, alternative: str, streams: Streams) -> Evidence:
        law = Law.of(tally, row, self.studentized)
        wanted = self.method
        if wanted == "yeh":
            wanted = "exact" if int(row @ law.differing) <= 20 else "monte-carlo"
        if law.still:
            return Evidence(p=np.ones(1), statistic=np.zeros(1), method="exact")
        if wanted != "monte-carlo":
            p = law.exact(alternative)
            if p is not None:
                return Evidence(p=np.array([p]), statistic=np.array([law.value]), method="exact")
            if wanted == "exact":
                raise OptionError(
                    "randomization:method=exact is out of reach on these data; use method=auto or monte-carlo"
                )
        trials = YEH if self.method == "yeh" else self.trials
        p, error = law.sampled(alternative, trials, streams.child(SWAP))
        return Evidence(p=np.array([p]), statistic=np.array([law.value]), method="monte-carlo", error=np.array([error]))


@dataclass(frozen=True, eq=False)
class Law:
    """One data set's swap law and the observed value on it."""

    law: Swap | StudentSwap | RankSwap
    value: float
    tolerance: float
    differing: Ints

    @classmethod
    def of(cls, tally: AnyTally, row: Ints, studentized: bool) -> Law:
        """Build the law of a tally with these multiplicities."""
        apart = differing(tally).astype(np.int64)
        if studentized and isinstance(tally, Tally):
            own = StudentSwap.of(tally, row)
            return cls(own, *own.observed(), apart)
        scores = tally.scores(row)
        value, tolerance = float(scores[1] - scores[0]), float(tally.tolerance(scores))
        law = RankSwap(tally, row) if isinstance(tally, RankTally) else Swap.of(tally, row)
        return cls(law, value, tolerance, apart)

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

    def exact(self, alternative: str) -> float | None:
        """Return the exact p-value: the law is symmetric, so every alternative is an upper tail."""
        if alternative == "two-sided" and abs(self.value) <= self.tolerance:
            return 1.0
        aim = {"two-sided": abs(self.value), "greater": self.value, "less": -self.value}[alternative]
        beyond = self.law.upper(aim, self.tolerance)
        if beyond is None:
            return None
        return min(1.0, 2 * beyond) if alternative == "two-sided" else beyond

    def sampled(self, alternative: str, trials: int, streams: Streams) -> tuple[float, float]:
        """Return the Monte-Carlo p-value (hits+1)/(trials+1) and its standard error."""
        drawn = self.law.draws(trials, streams)
        hits = float(reached(drawn, self.value, self.tolerance, alternative).sum())
        if abs(self.value) <= self.tolerance and alternative != "two-sided":
            # At no difference both sides are the same question, and the draws must not answer them differently.
            hits = (hits + float(reached(drawn, self.value, self.tolerance, FLIPPED[alternative]).sum())) / 2
        p = (hits + 1) / (trials + 1)
        return p, float(np.sqrt(p * (1 - p) / trials))
