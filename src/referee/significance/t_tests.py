"""The t tests: a difference over its standard error, p-value and interval from the same t; over examples, over groups, of two means, and of two areas under the ROC curve."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import ClassVar, TypeAlias

import numpy as np

from referee.data.columns import Floats, Ints
from referee.metrics.formula import EXACT
from referee.results.comparison import Interval
from referee.results.test_info import Phrase, said
from referee.runtime.randomness import Streams
from referee.significance.base import ENOUGH, INDEPENDENCE, Evidence, MeanTest, Test, of_row, test
from referee.significance.description import INDEPENDENTLY, STUDENT
from referee.significance.distributions import normal_p, ratio, student_p, t_quantiles, z_quantile
from referee.significance.laws.pulls import area_bulks, difference_pulls, effective_groups, heavy_tails, system_pulls
from referee.significance.null_distribution import Luck, curve
from referee.significance.rank_tally import AnyTally, Means, RankTally
from referee.significance.tally import Tally, chunks

Parts: TypeAlias = tuple[Floats, Floats, Floats]
"""The difference b - a, its standard error and the degrees of freedom, for each row of a batch; infinitely many make it normal."""


class Student(Test):
    """The common part of the tests that are a t: a subclass says what its parts are."""

    one_law: ClassVar[bool] = True

    def parts(self, tally: AnyTally, batch: Ints) -> Parts:
        """Return the difference, its standard error and the degrees of freedom of each row; NaN where there is none."""
        raise NotImplementedError

    def interval_name(self, tally: AnyTally) -> str:
        """Return what its interval is called."""
        return self.name

    def measure(self, tally: AnyTally, batch: Ints, alternative: str, streams: Streams) -> Evidence:
        """Return the evidence."""
        parts = self.parts(tally, batch)
        t, p = tail(parts, 0.0, alternative)
        note = self.why_unknown(tally) if len(batch) == 1 and np.isnan(parts[1][0]) else ""
        return Evidence(p=p, statistic=t, notes=(note,) if note else ())

    def why_unknown(self, tally: AnyTally) -> str:
        """Return why there is no standard error, if there is none."""
        return ""

    def p_at(self, tally: AnyTally, null: float, alternative: str, streams: Streams) -> float | None:
        """Return the p-value of "b - a equals null" against an alternative; None where it cannot be known."""
        p = float(tail(self.parts(tally, tally.multiplicities[None, :]), null, alternative)[1][0])
        return p if np.isfinite(p) else None

    def interval_of(self, tally: AnyTally, level: float, streams: Streams) -> Interval | None:
        """Return difference ± t·error; None where that is all there is and the metric has no ends."""
        parts = self.parts(tally, tally.multiplicities[None, :])
        difference, half = float(parts[0][0]), float(self.widths(tally, parts, (level,))[0, 0])
        if np.isnan(half) or (tally.range is None and not np.isfinite(half)):
            return None
        return Interval(low=difference - half, high=difference + half, level=level, method=self.interval_name(tally))

    def widths(self, tally: AnyTally, parts: Parts, levels: Sequence[float]) -> Floats:
        """Return [row, level]: how far the interval reaches to either side, t·error; NaN where there is none."""
        _, error, df = parts
        with np.errstate(invalid="ignore"):
            t = t_quantiles((1 + np.asarray(levels)) / 2, df[:, None])
            known = df[:, None] > 0
            result: Floats = np.where(error[:, None] > 0, t * error[:, None], 0.0 * error[:, None])
        return np.where(known, result, np.nan)

    def detects(self, tally: AnyTally, error: float, tail: float, power: float, side: float) -> float | None:
        """Return how large a true difference must be, by the test's own error; None where too few degrees of freedom know it."""
        return detected(self.parts(tally, tally.multiplicities[None, :]), tail, power)

    def covers(self, tally: AnyTally, batch: Ints, value: float, levels: Sequence[float], streams: Streams) -> Floats:
        """Say for each row and level whether the interval holds the value."""
        parts = self.parts(tally, batch)
        difference, half = parts[0], self.widths(tally, parts, levels)
        # An interval without a width about a difference says nothing (base.interval_at).
        rounding = 2 * tally.tolerance(tally.scores(batch))
        flat = (2 * half <= rounding[:, None]) & (rounding < np.abs(difference))[:, None]
        held = (np.abs(value - difference)[:, None] <= half).astype(np.float64)
        return np.where(np.isnan(half) | flat, np.nan, held)

    def luck_at(self, tally: AnyTally, null: float, alternative: str, streams: Streams) -> Luck | None:
        """Return Student's curve around a null value, scaled by the standard error."""
        difference, error, df = (float(part[0]) for part in self.parts(tally, tally.multiplicities[None, :]))
        return curve(difference - null, error, alternative, df=None if np.isinf(df) else df)


def detected(parts: Parts, tail: float, power: float) -> float | None:
    """Return how large a true difference must be for a t to detect it with a power; None on too few degrees of freedom."""
    error, df = float(parts[1][0]), float(parts[2][0])
    return float(t_quantiles(np.array([tail, power]), df).sum()) * error if df >= ENOUGH - 1 else None


def tail(parts: Parts, null: float, alternative: str) -> tuple[Floats, Floats]:
    """Return t of a null value and its p-value."""
    difference, error, df = parts
    t = np.where(np.isnan(error), np.nan, ratio(difference - null, error))
    return t, student_p(t, error, df, alternative)


class _OfMeans(MeanTest, Student):
    def _error(self, means: Means, batch: Ints) -> tuple[Floats, Floats]:
        """Return the standard error of b - a, and its degrees of freedom."""
        raise NotImplementedError

    def parts(self, tally: AnyTally, batch: Ints) -> Parts:
        """Return the difference, its standard error and the degrees of freedom."""
        means = Means.of(tally)
        a, b = means.scores(batch)
        return b - a, *self._error(means, batch)


@test(
    "paired-t",
    fits="means; grouped: cluster-robust on group sums",
    reference="Yeh 2000, section 3.1; Zhu 2010; Liang and Zeger 1986 for groups",
    assumes="The mean of the differences per {unit} is about normal: the differences are, or there are many of them.",
    procedure=said("the paired t test on the differences per example", "student1908", "yeh2000"),
    law=STUDENT,
    takes_groups=True,
    takes_weights=True,
)
class PairedT(_OfMeans):
    """t test on the per-example differences; it assumes that their mean is about normal."""

    def procedure_of(self, grouped: bool) -> Phrase:
        """Return which test it is."""
        if grouped:
            return said("the t test on group sums, which is robust to dependence within groups", "liang1986")
        return self.procedure

    def _error(self, means: Means, batch: Ints) -> tuple[Floats, Floats]:
        return means.error(batch, means.change)

    def interval_name(self, tally: AnyTally) -> str:
        """Return what its interval is called."""
        return "robust-t" if tally.grouped else "t"

    def cautions(self, tally: AnyTally) -> tuple[str, ...]:
        """Warn where there are too few units for the mean to be normal."""
        if tally.units >= 30 or tally.units < 2:  # of one unit nothing is told at all, and that is said
            return ()
        return (
            f"with {tally.units} units the paired t test needs normal differences; the randomization test does not",
        )


@test(
    "two-sample-t",
    fits="means",
    reference="Yeh 2000, section 2.1; Box, Hunter and Hunter 1978",
    assumes="The scores of the systems are independent of each other, as they would be on two different test sets but are not on a shared one; they vary alike, and their means are about normal.",
    procedure=said(f"the unpaired t test with pooled variance, {INDEPENDENTLY}", "box1978", "yeh2000"),
    law=STUDENT,
    caution=INDEPENDENCE,
    calibrated=False,
)
class TwoSampleT(_OfMeans):
    """Unpaired t test with pooled variance."""

    def _error(self, means: Means, batch: Ints) -> tuple[Floats, Floats]:
        first, second = means.error(batch, means.a)[0], means.error(batch, means.b)[0]
        return np.hypot(first, second), 2 * (means.counts(batch)[2] - 1)

    def interval_name(self, tally: AnyTally) -> str:
        """Return what its interval is called."""
        return "t-independent"


def _over(tally: AnyTally, batch: Ints) -> tuple[Floats, Floats]:
    """Return the standard error of the difference, and its degrees of freedom: of two samples, Welch's over both systems."""
    weights = batch.astype(np.float64)
    if not tally.unpaired:
        return difference_pulls(tally, batch).over(weights, tally.strata)
    errors, dfs = zip(
        *(system_pulls(tally, system, batch).over(weights, tally.strata) for system in (0, 1)), strict=True
    )
    variances = np.square(errors)
    with np.errstate(divide="ignore", invalid="ignore"):
        doubt = np.where(variances > 0, variances**2 / np.array(dfs), 0.0).sum(axis=0)
        df = np.where(doubt > 0, variances.sum(axis=0) ** 2 / doubt, np.sum(dfs, axis=0))
    return np.sqrt(variances.sum(axis=0)), df


def few_in_effect(tally: AnyTally, many: float) -> str:
    """Say that units of very different sizes say as little as a few equal ones."""
    what = "groups" if tally.grouped else "weighted examples"
    few = f"the {tally.units:,} {what} carry about as much information as {many:.1f} equal ones"
    return f"{few}; results from fewer than {ENOUGH} {'groups' if tally.grouped else 'examples'} are unreliable"


def unseen(groups: Floats, levels: Sequence[float]) -> Floats:
    """Return [row, level]: what share of groups may be of a kind that none of these is; Wilson's interval of 0 out of G."""
    squares = np.array([z_quantile((1 + level) / 2) ** 2 for level in levels])
    result: Floats = squares / (groups[:, None] + squares)
    return result


@test(
    "cluster-t",
    fits="metrics of totals, weighted or not, and auc over groups; without groups each example is one",
    reference="Bell and McCaffrey 2002; Pustejovsky and Tipton 2018; Cameron, Gelbach and Miller 2008",
    assumes="The difference is about normal: the pull of each {unit} on it is, or there are many of them and none has most of the data.",
    law=f"{STUDENT} on the effective number of {{units}} less one",
    takes_groups=True,
    takes_weights=True,
    takes_samples=True,
)
class ClusterT(Student):
    """t test over whole groups, on the effective number of them less one."""

    def procedure_of(self, grouped: bool) -> Phrase:
        """Return which test it is."""
        over = f"the t test over {'whole groups' if grouped else 'examples'}"
        return said(f"{over} with the bias-reduced (CR2) standard error", "bell2002", "pustejovsky2018")

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        if isinstance(tally, Tally) or (tally.metric.name == "auc" and tally.grouped):
            return None
        if tally.metric.name != "auc":
            return "it needs a metric of totals, or auc"
        return "for auc it needs groups; without them there is delong"

    def over(self, tally: AnyTally, batch: Ints) -> tuple[Floats, Floats]:
        """Return the standard error of the difference, and its degrees of freedom."""
        return _over(tally, batch)

    def parts(self, tally: AnyTally, batch: Ints) -> Parts:
        """Return the difference, its CR2 standard error and the effective number of groups less one."""
        out = np.empty((3, len(batch)))
        for rows in chunks(len(batch), 8 * len(tally.multiplicities)):
            difference, tie = tally.differences_and_ties(batch[rows])
            error, df = self.over(tally, batch[rows])
            still = (error == 0) & (np.abs(difference) <= tie)
            out[:, rows] = np.where(still, 0.0, difference), error, df
        return out[0], out[1], out[2]

    def p_at(self, tally: AnyTally, null: float, alternative: str, streams: Streams) -> float | None:
        """Return the p-value of "b - a equals null"; where no group shows a difference, that of the interval's own law."""
        difference, error, df = (float(part[0]) for part in self.parts(tally, tally.multiplicities[None, :]))
        if error != 0 or difference != 0 or null == 0 or tally.reach is None:
            return super().p_at(tally, null, alternative, streams)
        groups, share = (df + 1 if np.isfinite(df) else 1.0), abs(null) / tally.reach
        root = np.sqrt(share * groups / (1 - share)) if share < 1 else np.inf
        return float(normal_p(np.array([-np.sign(null) * root]), np.ones(1), alternative)[0])

    def widths(self, tally: AnyTally, parts: Parts, levels: Sequence[float]) -> Floats:
        """Return how far the interval reaches; where no group shows a difference, as far as groups that were not seen may move it.

        In these the systems may be as far apart as scores can be. Of groups of one example this is Tango's interval.
        """
        known = super().widths(tally, parts, levels)
        difference, error, df = parts
        still = (error == 0) & (difference == 0)
        if tally.reach is None or not still.any():
            return known
        most = tally.reach * unseen(np.where(np.isfinite(df), df + 1, 1.0), levels)
        return np.where(still[:, None], most, known)

    def _few_in_effect(self, tally: AnyTally) -> tuple[str, ...]:
        """Warn where many units say as little as few: they are very unequal, or one class is in few of them."""
        many = float(self.parts(tally, tally.multiplicities[None, :])[2][0]) + 1
        if not (tally.uneven and many < ENOUGH <= tally.units):
            return ()
        return (few_in_effect(tally, many),)

    def why_unknown(self, tally: AnyTally) -> str:
        """Return why there is no standard error."""
        unit = "group" if tally.grouped else "example"
        where = "one stratum has" if len(np.unique(tally.strata)) > 1 else "the data have"
        return f"{where} only one {unit} that counts, so nothing shows how {unit}s vary; no p-value can be given"

    def cautions(self, tally: AnyTally) -> tuple[str, ...]:
        """Warn where one group carries most of the data, or a handful most of what varies."""
        many = effective_groups(tally)
        if not 1 < many < 2:
            rests = isinstance(tally, Tally) and not tally.metric.of_labels
            heavy = heavy_tails(tally) if rests and isinstance(tally, Tally) else ()
            return (*self._few_in_effect(tally), *heavy)
        # Of fewer than two in effect one has the most by far: Σ share² is at most its share.
        own = tally.multiplicities[None, :]
        bulks = area_bulks(tally, own) if isinstance(tally, RankTally) else difference_pulls(tally, own).bulks
        most = float((bulks * (own > 0)).max() / (own * bulks).sum())
        if tally.weighted and not tally.grouped:
            return ()  # the weights say so
        what = "group" if tally.grouped else "example"
        return (f"one {what} carries {100 * most:.0f}% of the data, so the result rests on it",)


def area_spread(tally: RankTally, system: int | None = None) -> tuple[float, float]:
    """Return the variance of the difference of the two areas, or of one, and its degrees of freedom.

    Those are Satterthwaite's over both classes. A class of m placements has at most m - 1 of them, and fewer where their
    kurtosis says that few carry the variance. The variance is 0 where nothing moves the area, or both as one; NaN where a class
    has one member.
    """
    key = ("area spread", system)
    if key in tally.memory:
        known: tuple[float, float] = tally.memory[key]
        return known
    placed = tally.placements
    changes = [
        (placed[:, 1] - placed[:, 0] if system is None else placed[:, system], np.ones(len(placed), dtype=np.bool_))
    ]
    if tally.unpaired:
        changes = [(placed[:, own], tally.answered(own)) for own in ((0, 1) if system is None else (system,))]
    weights = (tally.inside * tally.multiplicities[tally.unit]).astype(np.float64)
    variance, doubt = 0.0, 0.0
    for (change, there), of_class in product(changes, (tally.positive, ~tally.positive)):
        part = there & of_class
        size, own = float(weights[part].sum()), change[part]
        rest = (own - float(weights[part] @ own) / size) ** 2
        squares = float(weights[part] @ rest)
        if size < 2:
            variance, doubt = np.nan, np.nan
        elif squares > EXACT**2 * size:  # placements are shares, and what is less is rounding
            # What its kurtosis κ leaves: 2m/(κ - 1), m - 1 where that is more.
            varies = float(weights[part] @ rest**2) / squares**2 - 1 / size
            class_df = min(size - 1, 2 / varies if varies > 0 else np.inf)
            variance += squares / (size * (size - 1))
            doubt += (squares / (size * (size - 1))) ** 2 / class_df
    df = variance**2 / doubt if doubt > 0 else np.nan
    tally.memory[key] = variance, df
    return variance, df


def difference_error(tally: RankTally) -> float:
    """Return the standard error of the difference of the two areas; 0 where they move as one."""
    return float(np.sqrt(area_spread(tally)[0]))


@test(
    "delong",
    fits="auc",
    reference="DeLong, DeLong and Clarke-Pearson 1988; Sun and Xu 2014",
    assumes="There are enough positive and negative examples for the difference of the two areas to be about normal.",
    choices={"law": ("normal", "t")},
    takes_samples=True,
)
class DeLong(Student):
    """z or t test of two correlated AUCs with the covariance of their placements."""

    law: str = "normal"

    def procedure_of(self, grouped: bool) -> Phrase:
        """Return which test it is."""
        few = ", on degrees of freedom that allow for few examples of either class" if self.law == "t" else ""
        return said(f"DeLong's test of two correlated areas under the ROC curve{few}", "delong1988", "sun2014")

    def asymptotic_words(self) -> str:
        """Return the law that a p-value comes from."""
        return STUDENT if self.law == "t" else self.law_words

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        return None if tally.metric.name == "auc" else "it needs the metric auc"

    def interval_name(self, tally: AnyTally) -> str:
        """Return what its interval is called."""
        return "delong" if self.law == "normal" else "delong-t"

    def parts(self, tally: AnyTally, batch: Ints) -> Parts:
        """Return the difference, its standard error and the degrees of freedom; infinitely many as published."""
        out = np.empty((3, len(batch)))
        for place, row in enumerate(batch):
            own = of_row(tally, row)
            assert isinstance(own, RankTally)
            a, b = own.scores(own.multiplicities)
            variance, df = area_spread(own)
            out[:, place] = b - a, np.sqrt(variance), np.inf if self.law == "normal" else df
        return out[0], out[1], out[2]

    def why_unknown(self, tally: AnyTally) -> str:
        """Return why there is no standard error."""
        return "DeLong's test needs two positive and two negative examples; without them no p-value can be given"
