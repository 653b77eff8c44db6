"""The bootstrap test: resample units; the p-value inverts the chosen interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.results.comparison import Interval
from referee.results.test_info import Phrase, said
from referee.runtime.randomness import Streams
from referee.significance import intervals
from referee.significance.base import REPLICATES, Evidence, Test, of_row, row_by_row, test
from referee.significance.distributions import ALTERNATIVES
from referee.significance.laws.exchange import reached
from referee.significance.laws.pulls import effective_groups
from referee.significance.laws.resample import (
    BOOTSTRAP,
    Resamples,
    allowed_hits,
    bootstrap,
    jackknife,
    percentile_covers,
    settle_resamples,
    sides,
    tail_hits,
)
from referee.significance.null_distribution import Luck, curve, fewer
from referee.significance.rank_tally import AnyTally, RankTally, differing
from referee.significance.t_tests import Parts, detected, tail
from referee.significance.tally import Tally

KINDS = ("percentile", "centered", "basic", "bca", "studentized", "t")


@test(
    "bootstrap",
    fits="every metric; grouped: whole groups are resampled",
    reference="Efron and Tibshirani 1993; Davison and Hinkley 1997; Keller, Bengio and Wong 2005, section 2.2",
    assumes="Drawing each {unit} anew from those at hand varies the difference as new test sets would, which needs enough of them, and enough of every kind that the metric counts.",
    choices={"interval": KINDS},
    needs_many=True,
    takes_groups=True,
    takes_weights=True,
    takes_samples=True,
    draws=True,
)
class Bootstrap(Test):
    """Resamples units with replacement and counts how often the difference falls on the other side of 0."""

    interval: str = "percentile"
    replicates: int = REPLICATES

    drawn_words: ClassVar[Phrase] = said(" by inverting the interval", "davison1997")

    def procedure_of(self, grouped: bool) -> Phrase:
        """Return which test it is, by the interval that it inverts."""
        named = {"bca": "BCa", "centered": "centred"}.get(self.interval, self.interval)
        draws = f"which draws {'whole groups' if grouped else 'examples'} with replacement"
        works = ("efron1993", "davison1997", *(["efron1987"] if self.interval == "bca" else []))
        return said(f"the bootstrap test, {draws} and inverts the {named} interval", *works)

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        of_ranks = self.interval == "studentized" and isinstance(tally, RankTally)
        return "a studentized form exists for metrics of totals only" if of_ranks else None

    def cautions(self, tally: AnyTally) -> tuple[str, ...]:
        """Warn of ratios on small sets."""
        if 1 < tally.units < 20:
            return (f"with {tally.units} units the bootstrap understates how much scores vary; randomization does not",)
        ratio = isinstance(tally, Tally) and not tally.bound.formula.fixed
        if ratio and tally.units < 200 and self.interval == "percentile":
            return (f"the percentile bootstrap of {tally.metric} can be too optimistic on small test sets",)
        return ()

    def smallest(self, apart: int, alternative: str, method: str) -> float:
        """Return the smallest p of so many replicates; a t has none."""
        return 0.0 if self.interval == "t" else (2 if alternative == "two-sided" else 1) / (self.replicates + 1)

    def _draws(self, tally: AnyTally, streams: Streams) -> Resamples:
        return bootstrap(tally, self.replicates, streams.child(BOOTSTRAP), studentized=self.interval == "studentized")

    def measure(self, tally: AnyTally, batch: Ints, alternative: str, streams: Streams) -> Evidence:
        """Return the evidence."""
        return row_by_row(batch, streams, lambda row, own: self._one(of_row(tally, row), alternative, own))

    def decide(self, tally: AnyTally, batch: Ints, alphas: Sequence[float], alternative: str, streams: Streams) -> Mask:
        """Say for each row and alpha whether the test rejects, drawing no more than that needs."""
        reached = self._reached(tally, batch)
        if reached is None:
            return super().decide(tally, batch, alphas, alternative, streams)
        tails = 2 if alternative == "two-sided" else 1
        allowed = [allowed_hits(alpha, self.replicates, tails) for alpha in alphas]
        won = _won(tally) if self.interval == "percentile" else None
        if won is not None:
            few = self._hits(won, batch, streams)[:, :, None] <= np.array(allowed)
        else:
            student = self.interval == "studentized"
            few = settle_resamples(tally, batch, streams, reached, self.replicates, allowed, studentized=student)
        rejected = np.asarray(few.any(axis=1) if tails == 2 else few[:, 0 if alternative == "greater" else 1])
        # One unit alone shows nothing of how units vary.
        apart = ((batch @ differing(tally).astype(np.int64)) > 0) & (batch.sum(axis=1) > 1)
        return np.asarray(rejected & apart[:, None])

    def _hits(self, won: Ints, batch: Ints, streams: Streams) -> Ints:
        """Return [row, side]: how many of the replicates are at or below 0, and at or above, where their law is known."""
        law = sides(batch @ (won > 0), batch @ (won < 0), batch.sum(axis=1))
        sources = [streams.child(row, BOOTSTRAP).at(0) for row in range(len(batch))]
        hits = np.array([source.multinomial(self.replicates, p) for source, p in zip(sources, law, strict=True)])
        return np.stack([hits[:, 0] + hits[:, 1], hits[:, 1] + hits[:, 2]], axis=1)

    def _reached(self, tally: AnyTally, batch: Ints) -> Callable[[Ints, Floats], Mask] | None:
        """Return what counts as a hit against "greater", and against "less"; None where that needs all the draws."""
        if self.interval == "percentile":
            return lambda rows, d: tail_hits(d, 0.0)
        estimate = tally.differences(batch)
        if self.interval == "basic":
            return lambda rows, d: tail_hits(d, 2 * estimate[rows][:, None])[..., ::-1]
        if self.interval != "studentized" or not isinstance(tally, Tally):
            return None
        error = tally.standard_errors(batch)
        with np.errstate(divide="ignore", invalid="ignore"):
            observed = estimate / error

        def reached(rows: Ints, d: Floats) -> Mask:
            gap = d[0] - estimate[rows][:, None]
            # Without a standard error nothing can be studentized, and nothing is rejected: NaN is neither side.
            found = tail_hits(_ratio(gap, d[1]), observed[rows][:, None])[..., ::-1]
            return np.where((error[rows] > 0)[:, None, None], found, True)

        return reached

    def covers(self, tally: AnyTally, batch: Ints, value: float, levels: Sequence[float], streams: Streams) -> Floats:
        """Say for each row and level whether the interval holds the value."""
        if self.interval == "percentile":
            return percentile_covers(tally, batch, value, levels, streams)
        return super().covers(tally, batch, value, levels, streams)

    def _one(self, tally: AnyTally, alternative: str, streams: Streams) -> Evidence:
        draws = self._draws(tally, streams)
        tails, notes = self._tails(tally, draws)
        p, drawn = tails[alternative], draws.differences
        share = float((drawn > 0).mean() + (drawn == 0).mean() / 2) if tally.units > 1 else None
        error, statistic = float(np.sqrt(max(p * (1 - p), 0.0) / self.replicates)), None
        if self.interval == "t":
            parts = _spread(tally, draws)
            statistic = tail(parts, 0.0, alternative)[0]
            error = _error_of_tail(float(statistic[0]), float(parts[2][0]), drawn, alternative)
        made = Evidence(np.array([p]), statistic, "monte-carlo", np.array([error]), draws.undefined)
        return replace(made, probability=share, notes=notes)

    def p_at(self, tally: AnyTally, null: float, alternative: str, streams: Streams) -> float | None:
        """Return the p-value of "b - a equals null" against an alternative, from the same draws; None unknown."""
        p = self._tails(tally, self._draws(tally, streams), null)[0][alternative]
        return p if np.isfinite(p) else None

    def _tails(self, tally: AnyTally, draws: Resamples, null: float = 0.0) -> tuple[dict[str, float], tuple[str, ...]]:
        """Return the p-value of each alternative to a null value."""
        unknown = _both(np.nan, np.nan)
        if tally.units == 1:
            return unknown, (NO_SPREAD,)
        estimate, drawn, kind = float(tally.differences(tally.multiplicities)), draws.differences, self.interval
        if kind == "t":
            parts = _spread(tally, draws)
            found = {alternative: float(tail(parts, null, alternative)[1][0]) for alternative in ALTERNATIVES}
            return found, (NO_SPREAD,) if np.isnan(found["greater"]) else ()
        if kind == "percentile":
            return _both(_share(drawn <= null), _share(drawn >= null)), ()
        if kind == "basic":
            return _both(_share(drawn >= 2 * estimate - null), _share(drawn <= 2 * estimate - null)), ()
        if kind == "centered":
            middle = intervals.middle(drawn)
            apart, gap, tie = drawn - middle, middle - null, 1e-12 * float(np.abs(drawn).max())
            return {side: _share(reached(apart, gap, tie, side)) for side in ALTERNATIVES}, ()
        if kind == "studentized":
            pivot = _pivots(tally, draws, estimate)
            if pivot is None:
                return unknown, (NO_ERROR,)
            observed = (estimate - null) / pivot[1]
            return _both(_share(pivot[0] >= observed), _share(pivot[0] <= observed)), ()
        shape = _bca_shape(tally, drawn, estimate)
        return (unknown, (NO_BCA,)) if shape is None else (_bca_tails(drawn, *shape, null), ())

    def luck_at(self, tally: AnyTally, null: float, alternative: str, streams: Streams) -> Luck | None:
        """Return Student's curve around a null value, where the spread of the draws is all that is taken from them."""
        if self.interval != "t":
            return None
        difference, error, df = (float(part[0]) for part in _spread(tally, self._draws(tally, streams)))
        return curve(difference - null, error, alternative, df=df)

    def detects(self, tally: AnyTally, error: float, tail: float, power: float, side: float) -> float | None:
        """Return how large a true difference must be to be detected with this power, by the spread of the draws where that decides."""
        if self.interval != "t":
            return super().detects(tally, error, tail, power, side)
        drawn = next((known for known in tally.memory.values() if isinstance(known, Resamples)), None)
        return None if drawn is None else detected(_spread(tally, drawn), tail, power)

    def luck(self, tally: AnyTally, alternative: str, streams: Streams) -> Luck | None:
        """Return what other test sets would give, as the named interval sees it; centered, the same moved to 0."""
        if self.interval == "t":
            return self.luck_at(tally, 0.0, alternative, streams)
        width = len(tally.multiplicities) if isinstance(tally, Tally) else 8 * len(tally.values)
        draws = replace(self, replicates=fewer(self.replicates, width))._draws(tally, streams)
        drawn, estimate, how = draws.differences, float(tally.differences(tally.multiplicities)), "redrawn"
        even = np.full(len(drawn), 1 / len(drawn))
        if self.interval == "centered":
            middle, tie = intervals.middle(drawn), 1e-12 * float(np.abs(drawn).max())
            counted = reached(drawn - middle, middle, tie, alternative).astype(np.float64)
            return Luck(drawn - middle, even, counted, middle, middle, how="centred")
        if self.interval == "studentized":
            pivot = _pivots(tally, draws, estimate)
            if pivot is None:
                return None
            drawn, how = estimate - pivot[0] * pivot[1], "pivoted"
        elif self.interval == "basic":
            drawn, how = 2 * estimate - drawn, "mirrored"
        below, above, two = drawn <= 0, drawn >= 0, alternative == "two-sided"
        tail = below if alternative == "greater" or (two and below.sum() <= above.sum()) else above
        counted, bca = tail.astype(np.float64), self.interval == "bca"
        return Luck(drawn, even, counted, estimate, 0.0, how=how, redrawn=True, times=1 + two, corrected=bca)

    def interval_of(self, tally: AnyTally, level: float, streams: Streams) -> Interval | None:
        """Return the interval that is named."""
        draws = self._draws(tally, streams)
        drawn, estimate = draws.differences, float(tally.differences(tally.multiplicities))
        if self.interval in ("percentile", "centered"):
            return (intervals.percentile if self.interval == "percentile" else intervals.centered)(drawn, level)
        if self.interval == "basic":
            return intervals.basic(drawn, estimate, level)
        if self.interval == "t":
            _, error, df = (float(part[0]) for part in _spread(tally, draws))
            made = intervals.student(estimate, error, df, level, "bootstrap-se-t")
            return made if made is None or tally.range is not None or np.isfinite(made.high) else None
        if self.interval == "bca":
            shape = _bca_shape(tally, drawn, estimate)
            return None if shape is None else intervals.bca(drawn, *shape, level)
        pivot = _pivots(tally, draws, estimate)
        if pivot is None:
            return None
        ordered, tail = np.sort(pivot[0]), (1 - level) / 2
        low, high = (estimate - intervals.order_quantile(ordered, q) * pivot[1] for q in (1 - tail, tail))
        made = Interval(low=low, high=high, level=level, method="bootstrap-studentized")
        return made if np.isfinite([low, high]).all() else None


def _won(tally: AnyTally) -> Ints | None:
    """Return [unit]: 1 where B wins, -1 where A does, 0 where neither; None where winning is not all that counts."""
    means = tally.means() if isinstance(tally, Tally) and len(np.unique(tally.strata)) <= 1 else None
    if means is None:
        return None
    gap = means[1] - means[0]
    size = np.abs(gap).max(initial=0.0)
    won: Ints = np.rint(gap / (size or 1.0)).astype(np.int64)
    return won if np.array_equal(gap, won * size) else None


NO_ERROR = "the standard error is 0, so the bootstrap cannot be studentized"
NO_SPREAD = "the bootstrap gives no p-value: its draws do not vary, or the data have only one positive or one unit"
NO_BCA = "the BCa bootstrap cannot be corrected here: all draws lie on one side, or no unit has influence"


def _both(greater: float, less: float) -> dict[str, float]:
    return {"two-sided": float(np.minimum(1.0, 2 * np.minimum(greater, less))), "greater": greater, "less": less}


def _spread(tally: AnyTally, draws: Resamples) -> Parts:
    """Return the difference, the standard deviation of its draws, and the degrees of freedom that this has.

    A ranking metric rests on its positives, however many negatives there are; any other on its units, less one for each
    stratum. Groups count as many as there are in effect.
    """
    estimate, tolerance = map(float, tally.differences_and_ties(tally.multiplicities))
    error = float(draws.differences.std(ddof=1))
    if draws.undefined >= 1 and not tally.metric.by_class:
        error = np.nan
    if error <= tolerance:
        error, estimate = 0.0, estimate if abs(estimate) > tolerance else 0.0
    df = degrees(tally)
    return np.array([estimate]), np.array([error if df > 0 else np.nan]), np.array([df if df > 0 else np.nan])


def degrees(tally: AnyTally) -> float:
    """Return the degrees of freedom that the spread of draws has."""
    df = (effective_groups(tally) if tally.uneven else tally.units) - float(len(np.unique(tally.strata)))
    if not isinstance(tally, RankTally):
        return df
    samples = (0, 1) if tally.unpaired else (None,)
    return min(df, *(float(tally.multiplicities @ tally.members_of(one)[:, 1]) - 1.0 for one in samples))


def _error_of_tail(t: float, df: float, drawn: Floats, alternative: str) -> float:
    """Return the Monte Carlo error of a t's p-value: the density at t, times how far t moves as the draws' spread does."""
    from scipy.special import gammaln

    rest = (drawn - drawn.mean()) ** 2
    if not np.isfinite(t) or not rest.any():
        return 0.0
    relative = np.sqrt(max(float((rest**2).mean() / rest.mean() ** 2) - 1, 0.0) / (4 * len(drawn)))
    height = gammaln((df + 1) / 2) - gammaln(df / 2) - np.log(df * np.pi) / 2 - (df + 1) / 2 * np.log1p(t**2 / df)
    return float((2 if alternative == "two-sided" else 1) * np.exp(height) * abs(t) * relative)


def _bca_tails(drawn: Floats, z0: float, a: float, null: float) -> dict[str, float]:
    """Return the levels at which an end of the BCa interval meets the null."""
    from scipy.special import ndtr, ndtri

    tails = []
    for share, sign in ((_share(drawn <= null), 1.0), (_share(drawn >= null), -1.0)):
        gap = sign * float(ndtri(min(share, 1 - 1e-12))) - z0
        tails.append(float(ndtr(sign * (gap / (1 + a * gap) - z0))))
    return _both(*tails)


def _share(hits: Mask) -> float:
    return (int(hits.sum()) + 1) / (len(hits) + 1)


def _pivots(tally: AnyTally, draws: Resamples, estimate: float) -> tuple[Floats, float] | None:
    """Return (d* − d)/se*, and se; None where se is 0."""
    if not isinstance(tally, Tally) or draws.errors is None:
        return None
    error = float(tally.standard_errors(tally.multiplicities))
    return None if error <= 0 else (_ratio(draws.differences - estimate, draws.errors), error)


def _ratio(gap: Floats, error: Floats) -> Floats:
    """Return gap/error; 0/0 is 0, x/0 is infinite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(error > 0, gap / error, np.where(gap == 0, 0.0, np.copysign(np.inf, gap)))


def _bca_shape(tally: AnyTally, drawn: Floats, estimate: float) -> tuple[float, float] | None:
    z0 = intervals.bias(drawn, estimate)
    present = tally.multiplicities > 0
    weights, strata = tally.multiplicities[present].astype(np.float64), tally.strata[present]
    a = intervals.acceleration(jackknife(tally)[present], weights, strata)
    return None if a is None or not np.isfinite(z0) else (z0, a)
