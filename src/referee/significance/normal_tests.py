"""The z tests: a difference over its standard error, assumed normal. Most treat the systems as independent, as the literature did."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from referee.data.columns import Floats, Ints
from referee.metrics.formula import Ratios
from referee.results.comparison import Interval
from referee.results.test_info import said
from referee.runtime.randomness import Streams
from referee.significance import intervals
from referee.significance.base import INDEPENDENCE, Evidence, MeanTest, Test, test
from referee.significance.description import INDEPENDENTLY
from referee.significance.distributions import normal_p, ratio
from referee.significance.rank_tally import AnyTally, Means
from referee.significance.tally import Tally

AS_ON_TWO_SETS = (
    "independently of each other, as they would on two different test sets but do not on a shared one; there are enough"
)
ONE_ALONE = "If the systems were equally good, either would be equally likely to be the one that is right on an example that only one gets right"
NORMAL_ENOUGH = "for the normal approximation."


class _Z(Test):
    """The common part: a subclass says what its parts are."""

    interval_name: ClassVar[str] = "wald-independent"

    def parts(self, tally: AnyTally, batch: Ints) -> tuple[Floats, Floats, Floats]:
        """Return the difference, its standard error if the systems are equally good, and the standard error of the interval."""
        raise NotImplementedError

    def measure(self, tally: AnyTally, batch: Ints, alternative: str, streams: Streams) -> Evidence:
        """Return the evidence."""
        difference, error, _ = self.parts(tally, batch)
        z = ratio(difference, error)
        return Evidence(p=normal_p(z, error, alternative), statistic=z if self.signed else z**2)

    def interval_of(self, tally: AnyTally, level: float, streams: Streams) -> Interval | None:
        """Return Wald's interval, difference ± z·error."""
        difference, _, error = (float(part[0]) for part in self.parts(tally, tally.multiplicities[None, :]))
        return intervals.normal(difference, error, level, self.interval_name)


class _Pooled(MeanTest, _Z):
    def parts(self, tally: AnyTally, batch: Ints) -> tuple[Floats, Floats, Floats]:
        """Return the difference, its standard error from the pooled share, and that from each system's own."""
        means = Means.of(tally)
        (a, b), n = means.scores(batch), np.maximum(means.counts(batch)[2], 1.0)
        middle = (a + b) / 2
        return b - a, np.sqrt(2 * middle * (1 - middle) / n), np.sqrt((a * (1 - a) + b * (1 - b)) / n)


@test(
    "two-proportions",
    fits="means of 0/1 (accuracy, error, recall, specificity)",
    reference="Yeh 2000, section 2.1; Harnett 1982",
    assumes=f"The systems err {AS_ON_TWO_SETS} right and wrong answers {NORMAL_ENOUGH}",
    procedure=said(f"the pooled z test of two proportions, {INDEPENDENTLY}", "harnett1982", "yeh2000"),
    caution=INDEPENDENCE,
    calibrated=False,
    binary=True,
)
class TwoProportions(_Pooled):
    """Unpaired pooled z test of two proportions (the binomial form of the unpaired t)."""


@test(
    "proportion",
    fits="accuracy, error, means of 0/1",
    reference="Keller, Bengio and Wong 2005, eq. 3; Dietterich 1998",
    assumes=f"The systems err {AS_ON_TWO_SETS} right and wrong answers {NORMAL_ENOUGH}",
    procedure=said(f"the z test of two error rates, {INDEPENDENTLY}", "dietterich1998", "keller2005"),
    caution=INDEPENDENCE,
    calibrated=False,
    binary=True,
)
class Proportion(_Pooled):
    """z test of two error rates as if they came from two test sets."""

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        reason = super().misfit(tally)
        if reason is None and not (Means.of(tally).weight > 0).all():
            return "it needs a metric of all examples; for one class use two-proportions"
        return reason


@test(
    "disagreement",
    fits="means of 0/1 (accuracy, error, recall, specificity)",
    reference="Keller and Bengio, bizarre measures, eq. 5 and 6",
    assumes=f"{ONE_ALONE}; there are enough such examples {NORMAL_ENOUGH}",
    procedure=said("the z test on the examples that only one system gets right", "kellerbizarre"),
    caution="its normal approximation needs many disagreements",
    binary=True,
)
class Disagreement(MeanTest, _Z):
    """z test on the examples that only one system gets right: (N01 − N10)/√(N01 + N10)."""

    def parts(self, tally: AnyTally, batch: Ints) -> tuple[Floats, Floats, Floats]:
        """Return by how many examples the systems differ, and its standard error."""
        up, down, _ = Means.of(tally).counts(batch)
        return up - down, np.sqrt(up + down), np.sqrt(up + down)

    def interval_of(self, tally: AnyTally, level: float, streams: Streams) -> Interval | None:
        """Return Wald's interval for paired proportions."""
        up, down, n = (float(part[0]) for part in Means.of(tally).counts(tally.multiplicities[None, :]))
        return intervals.paired_wald(up, down, n, level)


@test(
    "chi2-precision",
    fits="precision",
    reference="Yeh 2000, section 2.2",
    assumes=f"The systems answer {AS_ON_TWO_SETS} right and spurious answers {NORMAL_ENOUGH}",
    procedure=said(f"Pearson's chi-squared test of right and spurious answers, {INDEPENDENTLY}", "yeh2000"),
    caution=INDEPENDENCE,
    calibrated=False,
    signed=False,
)
class Chi2Precision(_Z):
    """Pearson's χ² of right and spurious answers by system, without Yates' correction (signed root one-sided)."""

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        fits = tally.metric.name == "precision" and not tally.metric.averaged
        return None if fits else "it needs the precision of a single class"

    def parts(self, tally: AnyTally, batch: Ints) -> tuple[Floats, Floats, Floats]:
        """Return the difference, its standard error from the pooled precision, and that from each system's own."""
        assert isinstance(tally, Tally) and isinstance(tally.bound.formula, Ratios)
        totals, formula = tally.totals(batch), tally.bound.formula
        right, answers = totals @ formula.numerators[0], totals @ formula.denominators[0]
        with np.errstate(divide="ignore", invalid="ignore"):
            pooled, share = right.sum(axis=1) / answers.sum(axis=1), right / answers
            error = np.sqrt(pooled * (1 - pooled) * (1 / answers).sum(axis=1))
            own = np.sqrt((share * (1 - share) / answers).sum(axis=1))
        return share[:, 1] - share[:, 0], np.where(np.isfinite(error), error, 0.0), own


class _DetectionCost(_Z):
    interval_name = "normal"

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        return None if tally.metric.name == "dcf" and not tally.metric.averaged else "it needs the metric dcf"

    def _variance(self, tally: Tally, batch: Ints, costs: Floats, sizes: Floats) -> Floats:
        """Return the variance of the difference, by the costs and the sizes [..., class] of the positives and the negatives."""
        raise NotImplementedError

    def parts(self, tally: AnyTally, batch: Ints) -> tuple[Floats, Floats, Floats]:
        """Return the difference and its standard error."""
        assert isinstance(tally, Tally)
        options, totals = tally.metric.arguments, tally.totals(batch)[:, 0]
        costs = np.array([options["cost_fn"] * options["p_target"], options["cost_fp"] * (1 - options["p_target"])])
        # An empty class divides by 1.
        error = np.sqrt(self._variance(tally, batch, costs, np.maximum(totals[:, :2] + totals[:, 2:], 1)))
        return tally.differences(batch), error, error


@test(
    "dcf-proportion",
    fits="dcf",
    reference="Keller and Bengio, bizarre measures, eq. 8",
    assumes=f"The systems err {AS_ON_TWO_SETS} misses and false alarms {NORMAL_ENOUGH}",
    procedure=said(f"the z test of two detection costs, {INDEPENDENTLY}", "kellerbizarre"),
    caution=INDEPENDENCE,
    calibrated=False,
)
class DcfProportion(_DetectionCost):
    """z test of two detection costs as if they came from two test sets."""

    def _variance(self, tally: Tally, batch: Ints, costs: Floats, sizes: Floats) -> Floats:
        errors = tally.totals(batch)[:, :, [2, 1]].mean(axis=1)
        result: Floats = 2 * (costs**2 * errors / sizes**2 * (1 - errors / sizes)).sum(axis=1)
        return result


@test(
    "dcf-paired",
    fits="dcf",
    reference="Keller and Bengio, bizarre measures, eq. 9",
    assumes=f"{ONE_ALONE}; there are enough such examples of each class {NORMAL_ENOUGH}",
    procedure=said("the z test of two detection costs on the examples on which the systems disagree", "kellerbizarre"),
    caution="its normal approximation needs many disagreements in each class",
)
class DcfPaired(_DetectionCost):
    """z test of two detection costs on the examples on which the systems disagree."""

    def _variance(self, tally: Tally, batch: Ints, costs: Floats, sizes: Floats) -> Floats:
        split = batch @ np.abs(tally.statistics[:, 0] - tally.statistics[:, 1])[:, :2]
        result: Floats = (costs**2 * split / sizes**2).sum(axis=1)
        return result
