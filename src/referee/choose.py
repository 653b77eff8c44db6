"""Which test for which metric and data, and the sentence that says why."""

from __future__ import annotations

from referee.metrics.classwise import Classwise, Formula
from referee.metrics.formula import General
from referee.ranks import RankTally
from referee.significance import Bootstrap, DeLong, McNemar, PairedT, Randomization, Test
from referee.significance.means import Means
from referee.units import AnyTally

ENOUGH = 30
"""From this many units on, a mean of differences is close enough to normal."""


def choose(tally: AnyTally) -> tuple[Test, str]:
    """Return the test that suits, and why.

    Args:
        tally: the data as the metric sees them.
    """
    name = str(tally.metric)
    if isinstance(tally, RankTally):
        return _for_ranks(tally, name)
    formula = tally.bound.formula
    if tally.means() is not None:
        return _for_means(tally, name)
    if tally.grouped or not formula.fixed:
        unit = "groups stay whole, and " if tally.grouped else ""
        return Randomization(studentized=True), f"{unit}{_why_studentized(formula, name)}"
    return Randomization(), f"{name} has denominators that the truth fixes, so exchanging the systems gives its law"


def _why_studentized(formula: Formula, name: str) -> str:
    own = "each exchange is divided by its own standard error"
    if formula.fixed:
        return own
    if isinstance(formula, General) or (isinstance(formula, Classwise) and formula.weighted):
        return f"{name} is not a mean over examples, so {own}"
    return f"the denominator of {name} depends on the system, so {own}"


def _for_ranks(tally: RankTally, name: str) -> tuple[Test, str]:
    if name == "auc" and not tally.grouped:
        return (
            DeLong(),
            "auc of two systems on the same examples is correlated, and DeLong's covariance accounts for it",
        )
    unit = "whole groups" if tally.grouped else "examples"
    return Bootstrap(), f"{name} has no simple variance here, so {unit} are resampled"


def _for_means(tally: AnyTally, name: str) -> tuple[Test, str]:
    means = Means.of(tally)
    if tally.grouped:
        return Randomization(), "examples of one group may depend on each other, so whole groups are exchanged"
    if means.is_binary:
        return (
            McNemar(),
            f"{name} is a share of examples that are right or wrong, so only those decided differently speak",
        )
    if int(tally.multiplicities[means.weight > 0].sum()) >= ENOUGH:
        return PairedT(), f"{name} is a mean over enough examples for the t test on their differences"
    return Randomization(), f"{name} is a mean over few examples, and exchanging the systems needs no normality"
