"""The interval of each system's own score."""

from __future__ import annotations

from dataclasses import replace

from referee import intervals
from referee.laws.resample import bootstrap
from referee.randomness import Streams
from referee.ranks import RankTally
from referee.results import Interval
from referee.significance.base import BOOTSTRAP, REPLICATES
from referee.significance.delong import covariance
from referee.significance.means import Means, misfit
from referee.tally import Tally
from referee.units import AnyTally
from referee.values import Floats


def score_intervals(tally: AnyTally, level: float, streams: Streams) -> tuple[Interval | None, Interval | None]:
    """Return an interval of A's score and one of B's.

    Shares of right examples get Wilson's interval, other means and all scores over groups Student's, AUC DeLong's, the
    rest the percentile bootstrap.
    """
    if misfit(tally) is None:
        means = Means.of(tally)
        return _of_mean(tally, means, means.a, level), _of_mean(tally, means, means.b, level)
    if isinstance(tally, RankTally) and tally.metric.name == "auc" and not tally.grouped:
        areas, matrix = covariance(tally)
        made = [intervals.normal(float(areas[s]), float(matrix[s, s]) ** 0.5, level, "delong") for s in (0, 1)]
        return _cut(made[0], tally), _cut(made[1], tally)
    if isinstance(tally, Tally) and tally.grouped:
        return _of_groups(tally, 0, level), _of_groups(tally, 1, level)
    drawn = bootstrap(tally, REPLICATES, streams.child(BOOTSTRAP))
    draws = drawn.scores
    if drawn.undefined >= 1 and not tally.metric.by_class:
        return None, None
    return intervals.percentile(draws[:, 0], level), intervals.percentile(draws[:, 1], level)


def _of_groups(tally: Tally, system: int, level: float) -> Interval | None:
    """Return Student's interval on G − 1 degrees of freedom: with few groups the bootstrap's is too short."""
    groups, score = tally.units, float(tally.observed()[system])
    error = float(tally.system_errors()[system]) * (groups / max(groups - 1, 1)) ** 0.5
    made = intervals.student(score, error, groups - 1, level, "cluster-t")
    return _cut(made, tally)


def _cut(interval: Interval | None, tally: AnyTally) -> Interval | None:
    """Cut an interval at the least and the greatest score."""
    if interval is None or tally.range is None:
        return interval
    return replace(interval, low=max(tally.range[0], interval.low), high=min(tally.range[1], interval.high))


def has_closed_intervals(tally: AnyTally) -> bool:
    """Say whether the scores' intervals come from formulas and not from draws."""
    areas = isinstance(tally, RankTally) and tally.metric.name == "auc" and not tally.grouped
    return areas or misfit(tally) is None


def _of_mean(tally: AnyTally, means: Means, values: Floats, level: float) -> Interval | None:
    own = tally.multiplicities[None, :]
    if not tally.grouped and means.is_binary:
        n = float(means.counts(own)[2][0])
        share = float((own @ values / (own @ means.weight))[0])
        return intervals.wilson(round(share * n), n, level)
    error, df = means.error(own, values)
    score = float((own @ values / (own @ means.weight))[0])
    made = intervals.student(score, float(error[0]), float(df[0]), level, "cluster-t" if tally.grouped else "t")
    return _cut(made, tally)
