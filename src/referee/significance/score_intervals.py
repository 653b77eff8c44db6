"""The interval of each system's own score."""

from __future__ import annotations

import math
from dataclasses import replace

from referee.data.columns import Floats
from referee.results.comparison import Interval
from referee.runtime.randomness import Streams
from referee.significance import intervals
from referee.significance.base import REPLICATES
from referee.significance.distributions import z_quantile
from referee.significance.laws.resample import BOOTSTRAP, bootstrap
from referee.significance.laws.score import ScoreLaw
from referee.significance.laws.score_ends import ends_of
from referee.significance.rank_tally import AnyTally, Means, RankTally, mean_misfit
from referee.significance.score_test import OWN_WIDER, Score
from referee.significance.t_tests import ClusterT, covariance, system_interval
from referee.significance.tally import Tally


def score_intervals(tally: AnyTally, level: float, streams: Streams) -> tuple[Interval | None, Interval | None]:
    """Return an interval of A's score and one of B's.

    Scores over groups get that of cluster-t, shares of right examples Wilson's, all else that is made of counts that of the
    score law (of which Wilson's is a case), other means Student's, AUC DeLong's, the rest the percentile bootstrap.
    """
    if tally.grouped and ClusterT().misfit(tally) is None:
        return _cut(system_interval(tally, 0, level), tally), _cut(system_interval(tally, 1, level), tally)
    if mean_misfit(tally) is None and (has_shares(tally) or not has_law(tally)):
        means = Means.of(tally)
        return _of_mean(tally, means, means.a, level), _of_mean(tally, means, means.b, level)
    if isinstance(tally, Tally) and has_law(tally):
        return _of_worlds(tally, level)
    if isinstance(tally, RankTally) and tally.metric.name == "auc":
        areas, matrix = covariance(tally)
        made = [intervals.normal(float(areas[s]), float(matrix[s, s]) ** 0.5, level, "delong") for s in (0, 1)]
        return _cut(made[0], tally), _cut(made[1], tally)
    drawn = bootstrap(tally, REPLICATES, streams.child(BOOTSTRAP))
    if drawn.undefined >= 1 and not tally.metric.by_class:
        return None, None
    return intervals.percentile(drawn.scores[:, 0], level), intervals.percentile(drawn.scores[:, 1], level)


def _cut(interval: Interval | None, tally: AnyTally) -> Interval | None:
    """Cut an interval at the least and the greatest score; None if neither it nor the score has any."""
    if interval is None:
        return None
    if tally.range is None:
        return interval if math.isfinite(interval.high) else None
    return replace(interval, low=max(tally.range[0], interval.low), high=min(tally.range[1], interval.high))


def has_law(tally: AnyTally) -> bool:
    """Say whether the score law knows the scores."""
    return Score().misfit(tally) is None


def has_shares(tally: AnyTally) -> bool:
    """Say whether the scores are shares of examples that are right."""
    return mean_misfit(tally) is None and Means.of(tally).is_binary and len(set(tally.strata.tolist())) <= 1


def _of_worlds(tally: Tally, level: float) -> tuple[Interval, Interval]:
    laws = [ScoreLaw(tally, signs) for signs in ((1.0, 0.0), (0.0, 1.0))]
    a, b = ends_of(laws, tally.multiplicities, z_quantile((1 + level) / 2))
    if not (a[2] and b[2]):
        tally.memory[OWN_WIDER] = True
    first, second = (Interval(low=low, high=high, level=level, method="score") for low, high, _, _ in (a, b))
    return first, second


def score_doubts(tally: AnyTally) -> tuple[str, ...]:
    """Warn if the ends of an interval, of the difference or of a score, could not be found for certain."""
    return Score().doubts(tally) if isinstance(tally, Tally) else ()


def has_closed_intervals(tally: AnyTally) -> bool:
    """Say whether the scores' intervals come from formulas and not from draws."""
    areas = isinstance(tally, RankTally) and tally.metric.name == "auc"
    return areas or mean_misfit(tally) is None or has_law(tally) or (tally.grouped and ClusterT().misfit(tally) is None)


def _of_mean(tally: AnyTally, means: Means, values: Floats, level: float) -> Interval | None:
    own = tally.multiplicities[None, :]
    score = float((own @ values / (own @ means.weight))[0])
    if means.is_binary:
        n = float(means.counts(own)[2][0])
        return intervals.wilson(round(score * n), n, level)
    error, df = means.error(own, values)
    return _cut(intervals.student(score, float(error[0]), float(df[0]), level), tally)
