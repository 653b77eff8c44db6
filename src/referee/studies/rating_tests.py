"""The tests of ratings: every pair of models by the Bradley-Terry model, or, if there are only two, by their shares of the wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from referee.data.battles import Battles
from referee.data.columns import Floats, Ints, Mask
from referee.data.counts import Counts
from referee.data.roles import FIRST
from referee.metrics import resolve as resolve_metric
from referee.results.battles import MEAN, POINTS, Unrated
from referee.results.comparison import Interval
from referee.results.test_info import TestInfo, said
from referee.runtime.progress import track
from referee.runtime.randomness import Streams
from referee.significance.bradley_terry import Fit
from referee.significance.distributions import student_p, t_quantiles
from referee.significance.max_t import MaxT
from referee.significance.pair_tests import pair_tests
from referee.significance.rank_tally import tally_of
from referee.significance.test_choice import choose
from referee.significance.unrated import linked_parts, main_part, score_test
from referee.studies.leaderboard import DRAWN, FEW_GROUPS

SCALE = POINTS / np.log(10)
"""So many points are one logit."""
WIDEST = 1e5
"""An interval that reaches further, in points, says nothing: it rests on one group alone, or nearly so."""
LEAST = 1.0
"""A rating with fewer degrees of freedom has no interval: nobody knows how far off it is."""
SHARE = "win-rate"
"""The metric of two models, in which both orders count half."""
WALD = TestInfo(
    name="bradley-terry", summary="Wald's test of the difference of two ratings",
    procedure=said(
        "Wald's t test of the difference of two ratings, with the bias-reduced (CR2) sandwich error, on the effective number of units "
        "less one", "bradley1952", "bell2002", "pustejovsky2018",
    ),
    assumes=("Who wins a battle depends on the two ratings alone: there are no three models of which each tends to beat the next.",),
    one_law=True,
)  # fmt: skip
OF_TWO = "with two models, equal ratings are a win rate of 50%, so the test is that of referee compare --winner"
OF_MANY = "all battles of a model inform its rating, so differences of ratings are tested, with errors that allow for groups and ties"


@dataclass(frozen=True, eq=False)
class Tested:
    """All pairs tested: NaN where something cannot be known."""

    difference: Floats
    """In points of rating."""
    p: Floats
    statistic: Floats
    direction: Floats
    """Positive where the second does better, even if nobody knows by how much."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Rated:
    """Battles of models, and the ratings of those that have one."""

    battles: Battles
    main: Mask
    """[model]: whether it has a rating on the scale of the others."""
    fit: Fit | None

    @classmethod
    def of(cls, battles: Battles) -> Rated:
        """Rate the models."""
        main = main_part(battles)
        return cls(battles, main, Fit.of(battles.only(main)) if main.any() else None)

    @property
    def places(self) -> Ints:
        """[model]: its number among those with a rating."""
        return np.cumsum(self.main) - 1

    @property
    def scores(self) -> list[float | None]:
        """[model]: its rating."""
        if self.fit is None:
            return [None] * len(self.battles.names)
        if len(self.battles.names) == 2:
            half = _points(2 * self._share_of_two() - 1) / 2
            return [MEAN + half, MEAN - half]
        rated = MEAN + SCALE * self.fit.levels
        return [float(rated[place]) if there else None for place, there in zip(self.places, self.main, strict=True)]

    def _share_of_two(self) -> float:
        """Return the first of two models' share of the wins; both orders in which they were shown count half, as in `compare`."""
        battles, orders = self.battles, []
        for model in (0, 1):
            shown = battles.first == model
            if shown.any():
                won = 1 - battles.share[shown] if model == 0 else battles.share[shown]
                orders.append(float(battles.times[shown] @ won) / int(battles.times[shown].sum()))
        return sum(orders) / len(orders)

    def unrated(self) -> list[Unrated | None]:
        """[model]: why it has no rating."""
        battles, parts = self.battles, linked_parts(self.battles.met)
        told: list[Unrated | None] = []
        for place, there in enumerate(self.main):
            met, won = int(battles.met[place].sum()), float(battles.won[place].sum())
            linked = not self.main.any() or parts[place] == parts[int(np.argmax(self.main))]
            if there:
                told.append(None)
            elif not met or (not linked and len(np.unique(parts)) > 1):
                told.append("never met")
            else:
                told.append("won all" if won == met else "lost all" if won == 0 else "apart")
        return told


class ManyModels:
    """Pairs of three models or more, by their ratings; those without a rating by the score test."""

    def __init__(self, rated: Rated, pairs: Ints) -> None:
        self.rated, self.pairs = rated, pairs
        self.both = rated.main[pairs].all(axis=1)
        self.test, self.reason, self.info = "bradley-terry", OF_MANY, WALD
        fit, size = rated.fit, len(pairs)
        self.error, self.df = np.full(size, np.nan), np.full(size, np.nan)
        difference, p, statistic = (np.full(size, np.nan) for _ in range(3))
        if fit is not None:
            apart, error, df = fit.differences(rated.places[pairs[self.both]])
            self.error[self.both], self.df[self.both] = SCALE * error, df
            with np.errstate(divide="ignore", invalid="ignore"):
                t = np.where(error > 0, apart / error, np.where(apart == 0, 0.0, np.inf * np.sign(apart)))
            difference[self.both], statistic[self.both] = SCALE * apart, t
            p[self.both] = np.where(np.isinf(t), np.nan, student_p(t, error, df, "two-sided"))
        direction = difference.copy()
        rest = np.flatnonzero(~self.both)
        for place in track(rest.tolist(), len(rest), "comparing models without a rating") if len(rest) else ():
            p[place], statistic[place] = score_test(rated.battles, *map(int, pairs[place]))
            direction[place] = statistic[place]
        self.found = Tested(difference, p, statistic, direction)

    def intervals(self, level: float) -> list[Interval | None]:
        """Return the interval of every difference, in points of rating."""
        return _intervals(self.found.difference, self.error, self.df, level)

    def own(self, level: float) -> list[Interval | None]:
        """Return the interval of the rating of every model."""
        out: list[Interval | None] = [None] * len(self.rated.main)
        if self.rated.fit is None:
            return out
        fit = self.rated.fit
        error, df = fit.levels_known()
        made = _intervals(MEAN + SCALE * fit.levels, np.where(df < LEAST, np.nan, SCALE * error), df, level)
        for place, interval in zip(np.flatnonzero(self.rated.main).tolist(), made, strict=True):
            out[place] = interval
        return out

    def law(self, streams: Streams) -> MaxT | None:
        """Return the joint law of all pairs with ratings; None if too little is known of it."""
        fit = self.rated.fit
        if fit is None or not self.both.any():
            return None
        if self.rated.battles.group is not None and fit.units < FEW_GROUPS:
            return None
        (moves, times), pairs = fit.moves, self.rated.places[self.pairs[self.both]]
        return MaxT(moves, times, pairs, streams.child(DRAWN), np.minimum(fit.shares, 1 - 1e-9))


def _intervals(centre: Floats, error: Floats, df: Floats, level: float) -> list[Interval | None]:
    """Return intervals around ratings or their differences; None where the error is as good as unknown: nothing varies, or too few groups do."""
    with np.errstate(invalid="ignore"):
        wide = np.where(error > 0, t_quantiles((1 + level) / 2, df) * error, np.inf)
    return [
        Interval(low=value - half, high=value + half, level=level, method="bradley-terry") if half < WIDEST else None
        for value, half in zip(centre.tolist(), wide.tolist(), strict=True)
    ]


class TwoModels:
    """The only pair of two models: their shares of the wins, as two systems are compared, on the scale of ratings."""

    def __init__(self, rated: Rated, pairs: Ints, streams: Streams) -> None:
        self.rated, self.pairs = rated, pairs
        battles, (first, _) = rated.battles, pairs[0]
        won = np.where(battles.first == first, 1 - battles.share, battles.share)
        shown = np.where(battles.first == first, "a", "b").astype(object)
        columns: dict[str, Any] = {"a": won, "b": 1 - won, FIRST: shown}
        if battles.group is not None:
            columns["group"] = battles.group
        counts, metric = Counts.of(columns, battles.times), resolve_metric(SHARE)
        tally = tally_of(counts.pair("a", "b"), metric)
        chosen, _ = choose(tally)
        self.test, self.reason, self.info = str(chosen), OF_TWO, chosen.info(tally.grouped, metric.task)
        self._tests = pair_tests(counts, metric, [("a", "b")], chosen, streams)
        found = self._tests.found()
        difference = np.array([_points(float(found.difference[0]))])
        self.found = Tested(difference, found.p, found.statistic, found.difference, found.notes)
        self.both = np.isfinite(difference)

    def intervals(self, level: float) -> list[Interval | None]:
        """Return the interval of the difference, in points of rating; None if it has no end on one side."""
        (found,) = self._tests.intervals(level)
        low, high = (_points(end) for end in (found.low, found.high)) if found else (np.nan, np.nan)
        fine = found is not None and np.isfinite([low, high]).all()
        return [Interval(low=low, high=high, level=level, method=found.method) if found and fine else None]

    def own(self, level: float) -> list[Interval | None]:
        """Return the intervals of the two ratings: half as wide as that of the difference."""
        (found,), out = self.intervals(level), [None, None]
        if found is None or not self.rated.main.all():
            return [*out]
        (a, b) = self.pairs[0]
        ends = {a: (MEAN - found.high / 2, MEAN - found.low / 2), b: (MEAN + found.low / 2, MEAN + found.high / 2)}
        return [Interval(low=ends[m][0], high=ends[m][1], level=level, method=found.method) for m in (0, 1)]

    def law(self, streams: Streams) -> MaxT | None:
        """Return nothing: there is one pair."""
        return None


def _points(difference: float) -> float:
    """Return the difference of two ratings, of that of two shares of the wins."""
    if abs(difference) >= 1 - 1e-12:
        return float(np.copysign(np.inf, difference))
    return float(SCALE * np.log1p(2 * difference / (1 - difference)))
