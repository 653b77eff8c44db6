"""Normal tests of the detection cost function, independent and paired."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from referee.data.columns import Floats, Ints
from referee.results.comparison import Interval
from referee.results.test_info import said
from referee.runtime.randomness import Streams
from referee.significance import intervals
from referee.significance.base import INDEPENDENCE, Evidence, Test, test
from referee.significance.description import INDEPENDENTLY
from referee.significance.distributions import normal_p, ratio
from referee.significance.rank_tally import AnyTally
from referee.significance.tally import Tally


@dataclass(frozen=True, kw_only=True)
class _DetectionCost(Test):
    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        fits = isinstance(tally, Tally) and tally.metric.name == "dcf" and not tally.metric.averaged
        return None if fits else "it is of the metric dcf"

    def _variance(self, tally: Tally, batch: Ints, cost_miss: float, cost_alarm: float) -> Floats:
        raise NotImplementedError

    def _parts(self, tally: AnyTally, batch: Ints) -> tuple[Floats, Floats]:
        if not isinstance(tally, Tally):
            raise NotImplementedError
        options = tally.metric.arguments
        miss = options["cost_fn"] * options["p_target"]
        alarm = options["cost_fp"] * (1 - options["p_target"])
        return tally.differences(batch), np.sqrt(self._variance(tally, batch, miss, alarm))

    def measure(self, tally: AnyTally, batch: Ints, alternative: str, streams: Streams) -> Evidence:
        """Return the evidence."""
        difference, error = self._parts(tally, batch)
        z = ratio(difference, error)
        return Evidence(p=normal_p(z, error, alternative), statistic=z)

    def interval_of(self, tally: AnyTally, level: float, streams: Streams) -> Interval | None:
        """Return difference ± z·σ."""
        difference, error = self._parts(tally, tally.multiplicities[None, :])
        return intervals.normal(float(difference[0]), float(error[0]), level)


def _classes(totals: Floats) -> tuple[Floats, Floats]:
    """Return the numbers of positives and negatives, at least 1 so that an empty class divides."""
    positives = totals[:, 0, 0] + totals[:, 0, 2]
    negatives = totals[:, 0, 1] + totals[:, 0, 3]
    return np.maximum(positives, 1), np.maximum(negatives, 1)


@test(
    "dcf-proportion",
    fits="dcf",
    reference="Keller and Bengio, bizarre measures, eq. 8",
    assumes="The systems err independently of each other, as on two test sets, which is not so where they share one; there are enough misses and false alarms for the normal approximation.",
    procedure=said(f"the z test of two detection costs, {INDEPENDENTLY}", "kellerbizarre"),
    caution=INDEPENDENCE,
    calibrated=False,
)
@dataclass(frozen=True, kw_only=True)
class DcfProportion(_DetectionCost):
    """z test of two detection costs as if they came from two test sets."""

    def _variance(self, tally: Tally, batch: Ints, cost_miss: float, cost_alarm: float) -> Floats:
        totals = tally.totals(batch)
        positives, negatives = _classes(totals)
        misses, alarms = totals[:, :, 2].mean(axis=1), totals[:, :, 1].mean(axis=1)
        part_miss = cost_miss**2 * misses / positives**2 * (1 - misses / positives)
        part_alarm = cost_alarm**2 * alarms / negatives**2 * (1 - alarms / negatives)
        result: Floats = 2 * (part_miss + part_alarm)
        return result


@test(
    "dcf-paired",
    fits="dcf",
    reference="Keller and Bengio, bizarre measures, eq. 9",
    assumes="Were the systems equally good, each would be as likely as the other to be the one that is right on an example where only one is; there are enough such examples of each class for the normal approximation.",
    procedure=said(
        "the z test of two detection costs on the examples that the systems decide differently", "kellerbizarre"
    ),
    caution="its normal approximation needs many disagreements in each class",
)
@dataclass(frozen=True, kw_only=True)
class DcfPaired(_DetectionCost):
    """z test of two detection costs on the examples that the systems decide differently."""

    def _variance(self, tally: Tally, batch: Ints, cost_miss: float, cost_alarm: float) -> Floats:
        positives, negatives = _classes(tally.totals(batch))
        change = tally.statistics[:, 0] - tally.statistics[:, 1]
        split_positive, split_negative = batch @ np.abs(change[:, 0]), batch @ np.abs(change[:, 1])
        return cost_miss**2 * split_positive / positives**2 + cost_alarm**2 * split_negative / negatives**2
