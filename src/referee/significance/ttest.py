"""The paired t test, robust to dependence inside groups."""

from __future__ import annotations

from dataclasses import dataclass

from referee import intervals
from referee.laws.resample import AnyTally
from referee.randomness import Streams
from referee.results import Interval
from referee.significance.base import Evidence, Test, test
from referee.significance.means import Means, misfit
from referee.tails import ratio, student_p
from referee.values import Floats, Ints


@test(
    "paired-t",
    fits="means; grouped: cluster-robust on group sums",
    reference="Yeh 2000, section 3.1; Zhu 2010; Liang and Zeger 1986 for groups",
    takes_groups=True,
)
@dataclass(frozen=True, kw_only=True)
class PairedT(Test):
    """t test on the per-example differences; it assumes that their mean is about normal."""

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        return misfit(tally)

    def _parts(self, tally: AnyTally, batch: Ints) -> tuple[Floats, Floats, Floats]:
        means = Means.of(tally)
        a, b = means.scores(batch)
        error, df = means.error(batch, means.change)
        return b - a, error, df

    def measure(self, tally: AnyTally, batch: Ints, alternative: str, streams: Streams) -> Evidence:
        """Return the evidence."""
        difference, error, df = self._parts(tally, batch)
        t = ratio(difference, error)
        return Evidence(p=student_p(t, error, df, alternative), statistic=t)

    def interval_of(self, tally: AnyTally, level: float, streams: Streams) -> Interval | None:
        """Return the t interval."""
        difference, error, df = self._parts(tally, tally.multiplicities[None, :])
        method = "cluster-t" if tally.grouped else "t"
        return intervals.student(float(difference[0]), float(error[0]), float(df[0]), level, method)

    def cautions(self, tally: AnyTally) -> tuple[str, ...]:
        """Warn where there are too few units for the mean to be normal."""
        if tally.units >= 30:
            return ()
        return (f"paired-t: with {tally.units} units it leans on the differences being normal; randomization does not",)
