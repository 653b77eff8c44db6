"""The t tests: paired and robust to dependence inside groups, and unpaired as the literature had it."""

from __future__ import annotations

import numpy as np

from referee.data.columns import Floats, Ints
from referee.results.test_info import Phrase, said
from referee.significance.base import INDEPENDENCE, test
from referee.significance.description import INDEPENDENTLY, STUDENT
from referee.significance.means import Means, MeanTest
from referee.significance.rank_tally import AnyTally
from referee.significance.student import Parts, Student


class _OfMeans(MeanTest, Student):
    def _error(self, means: Means, batch: Ints) -> tuple[Floats, Floats]:
        """Return the standard error of b - a, and its degrees of freedom."""
        raise NotImplementedError

    def parts(self, tally: AnyTally, batch: Ints) -> Parts:
        """Return the difference, its standard error and the degrees of freedom."""
        means = Means.of(tally)
        a, b = means.scores(batch)
        return b - a, *self._error(means, batch)


@test(
    "paired-t",
    fits="means; grouped: cluster-robust on group sums",
    reference="Yeh 2000, section 3.1; Zhu 2010; Liang and Zeger 1986 for groups",
    assumes="The mean of the differences per {unit} is about normal: the differences are, or there are many of them.",
    procedure=said("the paired t test on the differences per example", "student1908", "yeh2000"),
    law=STUDENT,
    takes_groups=True,
)
class PairedT(_OfMeans):
    """t test on the per-example differences; it assumes that their mean is about normal."""

    def procedure_of(self, grouped: bool) -> Phrase:
        """Return which test it is."""
        if grouped:
            return said("the t test on group sums, which is robust to dependence within groups", "liang1986")
        return self.procedure

    def _error(self, means: Means, batch: Ints) -> tuple[Floats, Floats]:
        return means.error(batch, means.change)

    def interval_name(self, tally: AnyTally) -> str:
        """Return what its interval is called."""
        return "robust-t" if tally.grouped else "t"

    def cautions(self, tally: AnyTally) -> tuple[str, ...]:
        """Warn where there are too few units for the mean to be normal."""
        if tally.units >= 30:
            return ()
        return (
            f"paired-t: with {tally.units} units it relies on the differences being normally distributed; randomization does not",
        )


@test(
    "two-sample-t",
    fits="means",
    reference="Yeh 2000, section 2.1; Box, Hunter and Hunter 1978",
    assumes="The scores of the systems are independent of each other, as they would be on two different test sets but are not on a shared one; they vary alike, and their means are about normal.",
    procedure=said(f"the unpaired t test with pooled variance, {INDEPENDENTLY}", "box1978", "yeh2000"),
    law=STUDENT,
    caution=INDEPENDENCE,
    calibrated=False,
)
class TwoSampleT(_OfMeans):
    """Unpaired t test with pooled variance."""

    def _error(self, means: Means, batch: Ints) -> tuple[Floats, Floats]:
        first, second = means.error(batch, means.a)[0], means.error(batch, means.b)[0]
        return np.hypot(first, second), 2 * (means.counts(batch)[2] - 1)

    def interval_name(self, tally: AnyTally) -> str:
        """Return what its interval is called."""
        return "t-independent"
