"""The laws of one system's own score: the p-value of any value of it, and its interval, from one law.

Which law it is follows from the metric and the data, as the test of a difference does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from referee.metrics.formula import Range
from referee.results.comparison import Interval
from referee.runtime.randomness import Streams
from referee.significance import intervals
from referee.significance.base import REPLICATES
from referee.significance.bootstrap import degrees
from referee.significance.crossed_t import CrossedT, score_over
from referee.significance.distributions import normal_p, student_p, z_quantile
from referee.significance.laws.pulls import system_pulls
from referee.significance.laws.resample import BOOTSTRAP, bootstrap
from referee.significance.laws.score import ScoreLaw
from referee.significance.laws.score_ends import ends_of
from referee.significance.rank_tally import AnyTally, Means, RankTally, mean_misfit
from referee.significance.score_test import OWN_WIDER, Score
from referee.significance.skew_t import Moments
from referee.significance.t_tests import ClusterT, area_spread, unseen
from referee.significance.tally import Tally

UNVARIED = "the examples do not vary, and the metric has no ends, so no interval can be given"
ALONE = "one {unit} shows nothing of how {unit}s vary, so no interval can be given"


class OwnLaw(Protocol):
    """What is known of one system's true score."""

    @property
    def method(self) -> str:
        """What its interval is called."""

    def interval(self, level: float) -> Interval | None:
        """Return the scores that the data do not rule out; None where they rule out nothing or it cannot be known."""

    def p_at(self, value: float, alternative: str) -> float | None:
        """Return the p-value of "the score equals value" against "greater" or "less"; None where it cannot be known."""


@dataclass(frozen=True)
class Share:
    """A share of examples that are right or wrong: Wilson's interval, which is the score law in closed form."""

    right: float
    n: float
    method: str = "wilson"

    def interval(self, level: float) -> Interval | None:
        """Return Wilson's interval."""
        return intervals.wilson(self.right, self.n, level)

    def p_at(self, value: float, alternative: str) -> float | None:
        """Return the p-value by the error that a share of this value would have."""
        gap, error = self.right / self.n - value, math.sqrt(max(value * (1 - value), 0.0) / self.n)
        if error == 0:
            z = math.copysign(math.inf, gap) if gap else 0.0
        else:
            z = gap / error
        return float(normal_p(np.array([z]), np.ones(1), alternative)[0])


@dataclass(frozen=True, eq=False)
class Worlds:
    """What is made of counts: how far the data are from the nearest world in which the score has a value."""

    tally: Tally
    system: int
    mark: float | None = None
    """A value whose p-value is asked for too; the ends of the interval agree with it."""
    method: str = "score"

    @property
    def law(self) -> ScoreLaw:
        """The law of the score."""
        return ScoreLaw(self.tally, (0.0, 1.0) if self.system else (1.0, 0.0))

    def interval(self, level: float) -> Interval | None:
        """Return the scores that are not too far from the data."""
        ends = ends_of([self.law], self.tally.multiplicities, z_quantile((1 + level) / 2), self.mark)
        return self.made(ends[0], level)

    def made(self, ends: tuple[float, float, bool, int], level: float) -> Interval:
        """Return the interval of ends that were found; those that are not certain are remembered."""
        low, high, certain, _ = ends
        if not certain:
            self.tally.memory[OWN_WIDER] = True
        return Interval(low=low, high=high, level=level, method=self.method)

    def p_at(self, value: float, alternative: str) -> float | None:
        """Return the normal tail beyond the distance from the value."""
        root = self.law.distances(self.tally.multiplicities[None, :], value).root
        p = float(normal_p(root, np.ones(1), alternative)[0])
        return p if math.isfinite(p) else None


@dataclass(frozen=True)
class Student:
    """A score over its standard error, on Student's t.

    If no unit moves the score, others that were not seen may: as many of them as Wilson's interval of 0 out of all these allows,
    each as far off as a score can be.
    """

    score: float
    error: float
    df: float
    range: Range | None
    units: float
    """How many there are, in effect."""
    method: str
    ends: Range = (-math.inf, math.inf)
    """Where scores end, as far as they do; the range, where there is one."""

    def interval(self, level: float) -> Interval | None:
        """Return score ± t·error, cut at the ends that scores have."""
        if math.isnan(self.error) or not self.units > 0:
            return None
        if self.error == 0:
            if self.range is None:
                return None
            half = (self.range[1] - self.range[0]) * float(unseen(np.array([self.units]), (level,))[0, 0])
            return _cut(Interval(low=self.score - half, high=self.score + half, level=level, method=self.method), self)
        made = intervals.student(self.score, self.error, self.df, level, self.method)
        return None if made is None else _cut(made, self)

    def p_at(self, value: float, alternative: str) -> float | None:
        """Return the tail of t beyond a value."""
        if math.isnan(self.error) or not self.units > 0:
            return None
        gap = self.score - value
        if self.error > 0:
            p = float(student_p(np.array([gap / self.error]), np.ones(1), self.df, alternative)[0])
        elif self.range is None:
            return None
        else:
            share = abs(gap) / (self.range[1] - self.range[0])
            root = math.sqrt(share * self.units / (1 - share)) if share < 1 else math.inf
            p = float(normal_p(np.array([math.copysign(root, gap)]), np.ones(1), alternative)[0])
        return p if math.isfinite(p) else None


@dataclass(frozen=True, eq=False)
class Skewed:
    """A score of examples that vary by any amount: the more cautious of Student's t and Hall's."""

    moments: Moments
    range: Range | None
    method: str = "skew-t"
    ends: Range = (-math.inf, math.inf)

    def interval(self, level: float) -> Interval | None:
        """Return the hull of both intervals, cut at the ends that scores have."""
        low, high = (float(end[0, 0]) for end in self.moments.ends([level]))
        return _cut(Interval(low=low, high=high, level=level, method=self.method), self) if low < high else None

    def p_at(self, value: float, alternative: str) -> float | None:
        """Return the larger of both p-values."""
        p = float(self.moments.p(value, alternative)[1][0])
        return p if math.isfinite(p) else None


def _cut(interval: Interval, law: Student | Skewed) -> Interval | None:
    """Cut an interval at the least and the greatest score; None if neither it nor the score has any."""
    least, most = law.ends if law.range is None else law.range
    low, high = max(least, interval.low), min(most, interval.high)
    return replace(interval, low=low, high=high) if math.isfinite(low) and math.isfinite(high) else None


def own_law(tally: AnyTally, system: int, streams: Streams, mark: float | None = None) -> OwnLaw:
    """Return the law of one system's score.

    Scores over groups, and those of weighted examples, have that of cluster-t, shares of right examples Wilson's, all else that is made of counts the score law
    (of which Wilson's is a case), other sums skew-t, AUC DeLong's on Student's t, other ranks the spread of bootstrap draws.

    Args:
        tally: the data as the metric sees them.
        system: 0 for A, 1 for B.
        streams: the source of randomness.
        mark: a value of the score that will be asked about.
    """
    if isinstance(tally, RankTally):
        return _of_ranks(tally, system, streams)
    if tally.uneven:
        return _clustered(tally, system)
    if has_shares(tally):
        means = Means.of(tally)
        n = float(tally.multiplicities @ (means.weight > 0))
        score = float(means.scores(tally.multiplicities[None, :])[system][0])
        return Share(round(score * n), n)
    if has_worlds(tally):
        return Worlds(tally, system, mark)
    if tally.metric.of_labels:
        return _clustered(tally, system)
    moments = Moments.of(tally, tally.multiplicities[None, :], system)
    if moments.error[0] == 0:
        return Student(float(moments.difference[0]), 0.0, 1.0, tally.range, float(tally.units), "skew-t")
    return Skewed(moments, tally.range, ends=tally.metric.ends)


def has_shares(tally: AnyTally) -> bool:
    """Say whether the scores are shares of examples that are right."""
    return mean_misfit(tally) is None and Means.of(tally).is_binary and len(set(tally.strata.tolist())) <= 1


def has_worlds(tally: AnyTally) -> bool:
    """Say whether the score law knows the scores."""
    return Score().misfit(tally) is None


def is_drawn(tally: AnyTally) -> bool:
    """Say whether the law comes from random draws."""
    return isinstance(tally, RankTally) and ClusterT().misfit(tally) is not None and tally.metric.name != "auc"


def _clustered(tally: AnyTally, system: int) -> Student:
    score = float(tally.observed()[system])
    if tally.crossing is not None:
        found = score_over(tally, system)
        variance, df = float(found.variance[0]), float(found.df[0])
        return Student(score, math.sqrt(variance), df, tally.range, df + 1, CrossedT.name, tally.metric.ends)
    weights = tally.multiplicities[None, :].astype(np.float64)
    error, df = (float(part[0]) for part in system_pulls(tally, system).over(weights, tally.strata))
    return Student(score, error, df, tally.range, df + 1, "cluster-t", tally.metric.ends)


def _of_ranks(tally: RankTally, system: int, streams: Streams) -> Student:
    score = float(tally.observed()[system])
    if not is_drawn(tally):
        if tally.grouped:
            return _clustered(tally, system)
        variance, df = area_spread(tally, system)
        fewest = float((tally.multiplicities @ tally.members).min())
        return Student(score, math.sqrt(variance), df, tally.range, fewest, "delong-t")
    drawn, df = bootstrap(tally, REPLICATES, streams.child(BOOTSTRAP)), degrees(tally)
    error = float(drawn.scores[:, system].std(ddof=1))
    known = df > 0 and drawn.undefined < 1
    error = (0.0 if error <= float(tally.tolerance(tally.observed())) else error) if known else math.nan
    return Student(score, error, df, tally.range, df + 1, "bootstrap-se-t")
