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

GROUPS = "examples in one group may depend on each other, so whole groups are the unit"
UNEQUAL = f"{GROUPS}; the test allows for groups of unequal size"
EFFECTS = f"{GROUPS}, each with one effect on the areas"
AREAS = "both areas come from the same examples; DeLong's covariance allows for that, and Student's t for few positives"
SHARE = (
    "{} is a share of examples that are right or wrong, so only those on which the systems disagree carry information"
)
COUNTS = "{} is computed from counts, so these can be compared with those expected if the systems {}"
CLASSES = (
    "{} over so many classes within strata is too large for the score test, so a t test with its standard error is used"
)
SCORES = "the scores have no declared scale, so Student's t test is checked against one that is corrected for skewness"
RANKS = "{} has no simple variance, so {} are resampled to estimate it"


def choose(tally: AnyTally, question: str = "better") -> tuple[Test, str]:
    """Return the test that suits, and why.

    Args:
        tally: the data as the metric sees them.
        question: what is asked; the test is the same for all questions, the reason is not.
    """
    name = tally.metric.info.name
    if isinstance(tally, RankTally) and tally.metric.name != "auc":
        return Bootstrap(interval="t"), RANKS.format(name, "whole groups" if tally.grouped else "examples")
    if isinstance(tally, RankTally):
        return (ClusterT(), EFFECTS) if tally.grouped else (DeLong(law="t"), AREAS)
    if tally.grouped:
        return ClusterT(), UNEQUAL
    if Score().misfit(tally) is None:
        is_share = mean_misfit(tally) is None and Means.of(tally).is_binary
        null = "tied" if question == "better" else "differed by the margin"
        return Score(), SHARE.format(name) if is_share else COUNTS.format(name, null)
    return (ClusterT(), CLASSES.format(name)) if tally.metric.of_labels else (SkewT(), SCORES)
