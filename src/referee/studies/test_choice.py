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
    name = tally.metric.info.name
    if isinstance(tally, RankTally):
        return _for_ranks(tally, name)
    if tally.grouped:
        return (
            ClusterT(),
            "examples in one group may depend on each other, so whole groups are the unit; the test allows for groups of unequal size",
        )
    if Score().misfit(tally) is None:
        return Score(), _why_score(tally, name, "tied" if question == "better" else "differed by the margin")
    if tally.metric.of_labels:
        return (
            ClusterT(),
            f"{name} over so many classes within strata is too large for the score test, so a t test with its standard error is used",
        )
    return (
        SkewT(),
        "the scores have no declared scale, so Student's t test is checked against one that is corrected for skewness",
    )


def _why_score(tally: AnyTally, name: str, null: str) -> str:
    if mean_misfit(tally) is None and Means.of(tally).is_binary:
        return (
            f"{name} is a share of examples that are right or wrong, so only those on which the systems disagree carry "
            "information"
        )
    return f"{name} is computed from counts, so these can be compared with those expected if the systems {null}"


def _for_ranks(tally: RankTally, name: str) -> tuple[Test, str]:
    if tally.metric.name == "auc" and tally.grouped:
        return (
            ClusterT(),
            "examples in one group may depend on each other, so whole groups are the unit, each with one effect on the areas",
        )
    if tally.metric.name == "auc":
        return (
            DeLong(law="t"),
            "both areas come from the same examples; DeLong's covariance allows for that, and Student's t for few positives",
        )
    unit = "whole groups" if tally.grouped else "examples"
    return Bootstrap(interval="t"), f"{name} has no simple variance, so {unit} are resampled to estimate it"
