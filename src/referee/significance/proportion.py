"""Tests of proportions that assume independence, and the test of disagreements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from referee.data.columns import Floats, Ints
from referee.metrics.formula import Ratios
from referee.results.comparison import Interval
from referee.results.test_info import said
from referee.runtime.randomness import Streams
from referee.significance import intervals
from referee.significance.base import INDEPENDENCE, Evidence, Test, test
from referee.significance.description import INDEPENDENTLY
from referee.significance.distributions import normal_p, ratio
from referee.significance.means import NOT_BINARY, Means, misfit
from referee.significance.rank_tally import AnyTally
from referee.significance.tally import Tally


@dataclass(frozen=True, kw_only=True)
class _Pooled(Test):
    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        return misfit(tally, binary=True)

    def measure(self, tally: AnyTally, batch: Ints, alternative: str, streams: Streams) -> Evidence:
        """Return the evidence."""
        means = Means.of(tally)
        a, b = means.scores(batch)
        middle = (a + b) / 2
        error = np.sqrt(2 * middle * (1 - middle) / np.maximum(means.counts(batch)[2], 1.0))
        z = ratio(b - a, error)
        return Evidence(p=normal_p(z, error, alternative), statistic=z)

    def interval_of(self, tally: AnyTally, level: float, streams: Streams) -> Interval | None:
        """Return Wald's interval for independent proportions."""
        means = Means.of(tally)
        own = tally.multiplicities[None, :]
        a, b = means.scores(own)
        error = np.sqrt((a * (1 - a) + b * (1 - b)) / means.counts(own)[2])
        return intervals.normal(float((b - a)[0]), float(error[0]), level, "wald-independent")


@test(
    "two-proportions",
    fits="means of 0/1 (accuracy, error, recall, specificity)",
    reference="Yeh 2000, section 2.1; Harnett 1982",
    assumes="The systems err independently of each other, as on two test sets, which is not so where they share one; there are enough right and wrong answers for the normal approximation.",
    procedure=said(f"the pooled z test of two proportions, {INDEPENDENTLY}", "harnett1982", "yeh2000"),
    caution=INDEPENDENCE,
    calibrated=False,
)
@dataclass(frozen=True, kw_only=True)
class TwoProportions(_Pooled):
    """Unpaired pooled z test of two proportions (the binomial form of the unpaired t)."""


@test(
    "proportion",
    fits="accuracy, error, means of 0/1",
    reference="Keller, Bengio and Wong 2005, eq. 3; Dietterich 1998",
    assumes="The systems err independently of each other, as on two test sets, which is not so where they share one; there are enough right and wrong answers for the normal approximation.",
    procedure=said(f"the z test of two error rates, {INDEPENDENTLY}", "dietterich1998", "keller2005"),
    caution=INDEPENDENCE,
    calibrated=False,
)
@dataclass(frozen=True, kw_only=True)
class Proportion(_Pooled):
    """z test of two error rates as if they came from two test sets."""

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        reason = super().misfit(tally)
        if reason is None and not (Means.of(tally).weight > 0).all():
            return "it is of all examples; for one class use two-proportions"
        return reason


@test(
    "disagreement",
    fits="means of 0/1 (accuracy, error, recall, specificity)",
    reference="Keller and Bengio, bizarre measures, eq. 5 and 6",
    assumes="Were the systems equally good, each would be as likely as the other to be the one that is right on an example where only one is; there are enough such examples for the normal approximation.",
    procedure=said("the z test on the examples that only one system gets right", "kellerbizarre"),
    caution="its normal approximation needs many disagreements",
)
@dataclass(frozen=True, kw_only=True)
class Disagreement(Test):
    """z test on the examples that only one system gets right: (N01 − N10)/√(N01 + N10)."""

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        return misfit(tally, binary=True)

    def measure(self, tally: AnyTally, batch: Ints, alternative: str, streams: Streams) -> Evidence:
        """Return the evidence."""
        up, down, _ = Means.of(tally).counts(batch)
        error = np.sqrt(up + down)
        z = ratio(up - down, error)
        return Evidence(p=normal_p(z, error, alternative), statistic=z)

    def interval_of(self, tally: AnyTally, level: float, streams: Streams) -> Interval | None:
        """Return Wald's interval for paired proportions."""
        up, down, n = Means.of(tally).counts(tally.multiplicities[None, :])
        return intervals.paired_wald(float(up[0]), float(down[0]), float(n[0]), level)


@test(
    "chi2-precision",
    fits="precision",
    reference="Yeh 2000, section 2.2",
    assumes="The systems answer independently of each other, as on two test sets, which is not so where they share one; there are enough right and spurious answers for the normal approximation.",
    procedure=said(f"Pearson's chi-squared test of right and spurious answers, {INDEPENDENTLY}", "yeh2000"),
    caution=INDEPENDENCE,
    calibrated=False,
    signed=False,
)
@dataclass(frozen=True, kw_only=True)
class Chi2Precision(Test):
    """Pearson's χ² of right and spurious answers by system, without Yates' correction (signed root one-sided)."""

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        return (
            None
            if tally.metric.name == "precision" and not tally.metric.averaged
            else "it is of the precision of one class"
        )

    def _table(self, tally: AnyTally, batch: Ints) -> tuple[Floats, Floats]:
        if not isinstance(tally, Tally) or not isinstance(tally.bound.formula, Ratios):
            raise NotImplementedError(NOT_BINARY)
        totals = tally.totals(batch)
        right = totals @ tally.bound.formula.numerators[0]
        answers = totals @ tally.bound.formula.denominators[0]
        return right, answers

    def measure(self, tally: AnyTally, batch: Ints, alternative: str, streams: Streams) -> Evidence:
        """Return the evidence."""
        right, answers = self._table(tally, batch)
        with np.errstate(divide="ignore", invalid="ignore"):
            pooled = right.sum(axis=1) / answers.sum(axis=1)
            share = right / answers
            error = np.sqrt(pooled * (1 - pooled) * (1 / answers).sum(axis=1))
        error = np.where(np.isfinite(error), error, 0.0)
        z = ratio(np.nan_to_num(share[:, 1] - share[:, 0]), error)
        z = np.where((answers == 0).any(axis=1), np.nan, z)
        return Evidence(p=normal_p(z, error, alternative), statistic=z**2)

    def interval_of(self, tally: AnyTally, level: float, streams: Streams) -> Interval | None:
        """Return Wald's interval for independent proportions."""
        right, answers = self._table(tally, tally.multiplicities[None, :])
        if (answers == 0).any():
            return None
        share = right / answers
        error = np.sqrt((share * (1 - share) / answers).sum(axis=1))
        return intervals.normal(float(share[0, 1] - share[0, 0]), float(error[0]), level, "wald-independent")
