"""The t test over two crossed groups, such as questions and training seeds, both of which are samples."""

from __future__ import annotations

import numpy as np

from referee.data.columns import Floats, Ints
from referee.results.test_info import Phrase, said
from referee.significance.base import test
from referee.significance.description import STUDENT
from referee.significance.laws.pulls import difference_pulls, system_pulls
from referee.significance.laws.two_way import TwoWay, two_way
from referee.significance.rank_tally import AnyTally
from referee.significance.t_tests import ClusterT

FEW = 5
"""Over fewer levels of a group next to nothing is known of how it varies (docs/evaluations.md)."""


def difference_over(tally: AnyTally, batch: Ints) -> TwoWay:
    """Return the variances of the difference b - a over two crossed groups, for each row of a batch."""
    assert tally.crossing is not None
    return two_way(difference_pulls(tally, batch), batch.astype(np.float64), tally.crossing)


def score_over(tally: AnyTally, system: int) -> TwoWay:
    """Return the variances of one system's score over two crossed groups."""
    assert tally.crossing is not None
    return two_way(system_pulls(tally, system), tally.multiplicities[None, :].astype(np.float64), tally.crossing)


@test(
    "crossed-t",
    fits="metrics of totals, and auc, over two crossed groups",
    reference="Cameron, Gelbach and Miller 2011; Owen 2007; Satterthwaite 1946",
    assumes="The difference is about normal: the effects of the levels are, or there are many of them.",
    law=f"{STUDENT} on Satterthwaite's degrees of freedom",
    takes_groups=True,
    takes_crossed=True,
)
class CrossedT(ClusterT):
    """t test over two crossed groups, such as questions and training seeds."""

    def procedure_of(self, grouped: bool) -> Phrase:
        """Return which test it is."""
        told = "the t test with a two-way clustered, bias-reduced (CR2) standard error over two crossed groups"
        return said(told, "cameron2011", "satterthwaite1946")

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        return "it needs two crossed groups" if tally.crossing is None else super().misfit(tally)

    def over(self, tally: AnyTally, batch: Ints) -> tuple[Floats, Floats]:
        """Return the standard error of the difference, and its degrees of freedom."""
        found = difference_over(tally, batch)
        return np.sqrt(found.variance), found.df

    def why_unknown(self, tally: AnyTally) -> str:
        """Return why there is no standard error."""
        assert tally.crossing is not None
        pairs = zip(tally.crossing.levels, tally.crossing.names, strict=True)
        alone = next((name for levels, name in pairs if levels == 1), None)
        which = "one of the groups has" if alone is None else f"{alone} has"
        return f"{which} only one level that counts, so nothing shows how it varies; no p-value can be given"

    def cautions(self, tally: AnyTally) -> tuple[str, ...]:
        """Warn where a group has so few levels that hardly anything is known of how it varies."""
        return few_levels(tally)


def few_levels(tally: AnyTally) -> tuple[str, ...]:
    """Say which of two crossed groups has so few levels that hardly anything is known of how it varies."""
    told = () if tally.crossing is None else tally.crossing.told
    return tuple(
        f"there are only {levels} values of {name}, which say little about others: with fewer than {FEW} an interval is wide where "
        f"{name} matters, and can still be somewhat too short; more of them would help most then"
        for name, levels in told
        if 1 < levels < FEW
    )
