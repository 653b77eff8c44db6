"""Which test for which metric and data, and a sentence that says why.

One rule: the p-value and the interval of what is chosen come from one law, so that a verdict cannot contradict its interval.
"""

from __future__ import annotations

from referee.significance import Test
from referee.significance.bootstrap import Bootstrap
from referee.significance.crossed_t import CrossedT
from referee.significance.rank_tally import AnyTally, Means, RankTally, mean_misfit
from referee.significance.score_test import Score
from referee.significance.skew_t import SkewT
from referee.significance.t_tests import ClusterT, DeLong

GROUPS = "examples in one group may depend on each other, so whole groups are the unit"
UNEQUAL = f"{GROUPS}; the test allows for groups of unequal size"
WEIGHTS = "examples have different weights, so each is a unit of its own size"
CROSSED = "both {} and {} are samples, and each level of one meets those of the other, so their variances are added"
EFFECTS = f"{GROUPS}, each with one effect on the areas"
AREAS = "both areas come from the same examples; DeLong's covariance allows for that, and Student's t for few positives"
SHARE = (
    "{} is a share of examples that are right or wrong, so only those on which the systems disagree carry information"
)
COUNTS = "{} is computed from counts, so these can be compared with those expected if the systems {}"
CLASSES = (
    "{} over so many classes within strata is too large for the score test, so a t test with its standard error is used"
)
WINS = "wins, ties and losses are compared with those expected if the systems {}"
SCORES = "the scores have no declared scale, so Student's t test is checked against one that is corrected for skewness"
SUMS = (
    "{} is computed from sums over the examples; Student's t test on what each adds is checked against one that is "
    "corrected for skewness"
)
SAMPLES = "the systems answered different examples; {}"
RANKS = "{} has no simple variance, so {} are resampled to estimate it"


def choose(tally: AnyTally, question: str = "better") -> tuple[Test, str]:
    """Return the test that suits, and why.

    Args:
        tally: the data as the metric sees them.
        question: what is asked; the test is the same for all questions, the reason is not.
    """
    name = tally.metric.info.name
    if tally.unpaired:
        return _of_samples(tally, name, question)
    if tally.crossing is not None:
        return CrossedT(), CROSSED.format(*tally.crossing.names)
    if isinstance(tally, RankTally) and tally.metric.name != "auc":
        return Bootstrap(interval="t"), RANKS.format(name, "whole groups" if tally.grouped else "examples")
    if isinstance(tally, RankTally):
        return (ClusterT(), EFFECTS) if tally.grouped else (DeLong(law="t"), AREAS)
    if tally.grouped:
        return ClusterT(), UNEQUAL
    if tally.weighted:
        return ClusterT(), WEIGHTS
    if tally.metric.task == "preferences":
        return Score(), WINS.format("were even" if question == "better" else "differed by the margin")
    if Score().misfit(tally) is None:
        is_share = mean_misfit(tally) is None and Means.of(tally).is_binary
        null = "tied" if question == "better" else "differed by the margin"
        return Score(), SHARE.format(name) if is_share else COUNTS.format(name, null)
    if tally.metric.of_labels:
        return ClusterT(), CLASSES.format(name)
    return SkewT(), SUMS.format(name) if tally.metric.task == "sums" else SCORES


def _of_samples(tally: AnyTally, name: str, question: str) -> tuple[Test, str]:
    """Return the test of two samples, and why: the same law, each sample varying by itself."""
    test: Test
    if isinstance(tally, RankTally) and tally.metric.name != "auc":
        test, why = Bootstrap(interval="t"), f"{name} is resampled within each sample to estimate how it varies"
    elif tally.grouped:
        test, why = ClusterT(), "each sample varies by itself, and whole groups are the unit"
    elif tally.weighted:
        test, why = ClusterT(), "each sample varies by itself, and its examples have different weights"
    elif isinstance(tally, RankTally):
        test, why = DeLong(law="t"), "the variances of the two areas add up; Student's t allows for few positives"
    elif Score().misfit(tally) is None:
        null = "tied" if question == "better" else "differed by the margin"
        test, why = Score(), f"the counts of each are compared with those expected if the systems {null}"
    elif tally.metric.of_labels:
        test, why = ClusterT(), "the standard errors of the two scores add up"
    else:
        test, why = (
            SkewT(),
            "the variances of the two means add up; Student's t is checked against one corrected for skewness",
        )
    return test, SAMPLES.format(why)
