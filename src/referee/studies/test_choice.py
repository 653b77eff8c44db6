"""Which test for which metric and data, and a sentence that says why.

One rule: the p-value and the interval of what is chosen come from one law, so that a verdict cannot contradict its interval.
"""

from __future__ import annotations

from referee.significance import Test
from referee.significance.bootstrap import Bootstrap
from referee.significance.rank_tally import AnyTally, Means, RankTally, mean_misfit
from referee.significance.score_test import Score
from referee.significance.skew_t import SkewT
from referee.significance.t_tests import ClusterT, DeLong


def choose(tally: AnyTally, question: str = "better") -> tuple[Test, str]:
    """Return the test that suits, and why.

    Args:
        tally: the data as the metric sees them.
        question: what is asked; the test is the same for all questions, the reason is not.
    """
    name = str(tally.metric)
    if isinstance(tally, RankTally):
        return _for_ranks(tally, name)
    if tally.grouped:
        return (
            ClusterT(),
            "examples in one group may depend on each other, so whole groups are the unit, and unequal groups count for fewer",
        )
    if Score().misfit(tally) is None:
        return Score(), _why_score(tally, name, "tie" if question == "better" else "differ by the margin")
    if tally.metric.of_labels:
        return (
            ClusterT(),
            f"{name} over so many classes within strata is too large for the score test, so its standard error decides",
        )
    return (
        SkewT(),
        f"{name} averages scores without a declared scale, so Student's t is checked against its correction for skewness",
    )


def _why_score(tally: AnyTally, name: str, world: str) -> str:
    if mean_misfit(tally) is None and Means.of(tally).is_binary:
        return (
            f"{name} is a share of examples that are right or wrong, so only those on which the systems disagree carry "
            "information"
        )
    return (
        f"{name} is computed from counts, so the data are compared with the nearest world in which the systems {world}"
    )


def _for_ranks(tally: RankTally, name: str) -> tuple[Test, str]:
    if name == "auc" and tally.grouped:
        return (
            ClusterT(),
            "examples in one group may depend on each other, so whole groups are the unit, each with one effect on the areas",
        )
    if name == "auc":
        return (
            DeLong(law="t"),
            "both areas come from the same examples; DeLong's covariance accounts for that, and Student's t for few positives",
        )
    unit = "whole groups" if tally.grouped else "examples"
    return Bootstrap(interval="t"), f"{name} has no simple variance, so {unit} are resampled to estimate it"
