"""The skew-t test: Student's t beside Hall's transformation, which removes the skewness of the differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.errors import Argument, Message
from referee.metrics.possible_answers import likely_scale
from referee.results.comparison import Interval
from referee.results.test_info import said
from referee.runtime.randomness import Streams
from referee.significance.base import ENOUGH, Evidence, Test, test
from referee.significance.description import STUDENT
from referee.significance.distributions import ratio, t_quantiles
from referee.significance.laws.pulls import heavy_tails, unit_pulls
from referee.significance.null_distribution import Luck, curve
from referee.significance.rank_tally import AnyTally
from referee.significance.tally import Tally, chunks

ALONE = "one example, or one in its stratum, shows nothing of how examples vary, so no p-value can be given"
NO_STEP = "{} declares the range of the scores but not their steps; if they have steps, add step="
LOPSIDED = 0.2
"""A mean with more skewness than this is detected by luck: how skewed the next test set looks decides (power .70 to .90)."""


@dataclass(frozen=True, eq=False)
class Moments:
    """The difference (or one system's score) of each row of a batch, and what its t needs to know; NaN where it cannot be known."""

    difference: Floats
    error: Floats
    skew: Floats
    """The skewness of the difference itself: that of the units over √n."""
    df: Floats

    @classmethod
    def of(cls, tally: AnyTally, batch: Ints, system: int | None = None) -> Moments:
        """Take the moments of what each unit does to the difference, or to one system's score, stratum by stratum."""
        assert isinstance(tally, Tally)
        out = np.empty((4, len(batch)))
        for rows in chunks(len(batch), 8 * len(tally.multiplicities)):
            out[:, rows] = _moments(tally, batch[rows], system)
        return cls(*out)

    def transformed(self, t: Floats) -> Floats:
        """Return Hall's transformation ((1 + at/3)³ - 1)/a + a/6, multiplied out; it never falls."""
        a = self.skew
        return t + a * t**2 / 3 + a**2 * t**3 / 27 + a / 6

    def back(self, y: Floats) -> Floats:
        """Return what transforms into y: (3/a)·(cube root of (1 + a(y - a/6)) - 1), without dividing by a."""
        gap = y - self.skew[:, None] / 6
        root = np.cbrt(1 + self.skew[:, None] * gap)
        result: Floats = 3 * gap / (root**2 + root + 1)
        return result

    def p(self, null: float, alternative: str) -> tuple[Floats, Floats]:
        """Return t of a null value, and the larger of the p-values of t and of its transformation.

        Two-sided that is twice the smaller of the two sides; where the two have different signs, it is 1.
        """
        from scipy.special import stdtr

        t = np.where(np.isnan(self.error), np.nan, ratio(self.difference - null, self.error))
        other = self.transformed(t)
        greater, less = stdtr(self.df, -np.minimum(t, other)), stdtr(self.df, np.maximum(t, other))
        p = {"two-sided": np.minimum(1.0, 2 * np.minimum(greater, less)), "greater": greater, "less": less}[alternative]
        return t, np.where((self.error == 0) & (t == 0), 1.0, p)

    def ends(self, levels: Sequence[float]) -> tuple[Floats, Floats]:
        """Return the ends of the hull of both intervals: [row, level]."""
        q = t_quantiles((1 + np.asarray(levels)) / 2, self.df[:, None])
        q = np.where(self.error[:, None] > 0, q, 0.0 * self.error[:, None])
        with np.errstate(invalid="ignore"):
            up, down = np.maximum(q, self.back(q)), np.minimum(-q, self.back(-q))
        d, error = self.difference[:, None], self.error[:, None]
        flat = error == 0
        return np.where(flat, d, d - up * error), np.where(flat, d, d - down * error)


def _moments(tally: Tally, batch: Ints, system: int | None) -> tuple[Floats, ...]:
    if tally.unpaired and system is None:
        return _of_samples(tally, batch)
    weights, pulls, dust = unit_pulls(tally, batch, system)
    if system is None:
        difference, tie = tally.differences_and_ties(batch)
    else:
        difference, tie = tally.scores(batch)[:, system], np.full(len(batch), -1.0)
    sums = _summed(weights, pulls, tally.strata)
    error, skew, df, flat = _shape(sums, dust)
    return np.where(flat & (np.abs(difference) <= tie), 0.0, difference), error, skew, df


def _of_samples(tally: Tally, batch: Ints) -> tuple[Floats, ...]:
    """Return the moments of a difference between two samples, which is known no better than the sample it varies with (Welch)."""
    weights, pulls, dust = unit_pulls(tally, batch)
    difference, tie = tally.differences_and_ties(batch)
    parts = []
    for side in (0, 1):
        inside = tally.strata % 2 == side
        parts.append(_summed(weights[:, inside], pulls[:, inside], tally.strata[inside]))
    error, skew, _, flat = _shape(parts[0] + parts[1], dust)
    doubt = np.zeros(len(batch))
    for part in parts:
        own, _, df, still = _shape(part, dust)
        doubt += np.where(still, 0.0, np.nan_to_num(own**4 / df, nan=np.inf))
    with np.errstate(divide="ignore", invalid="ignore"):
        df = np.where(doubt > 0, error**4 / doubt, parts[0][5] + parts[1][5])
    error = np.where(np.isinf(doubt), np.nan, error)
    return np.where(flat & (np.abs(difference) <= tie), 0.0, difference), error, skew, np.where(df > 0, df, np.nan)


def _summed(weights: Floats, pulls: Floats, strata: Ints) -> Floats:
    """Return [7, row]: the sums of which the moments are made, over strata."""
    out = np.zeros((7, len(weights)))
    squares, cubes, fourths, within, variance, size, single = out
    for stratum in np.unique(strata):
        inside = strata == stratum
        w, x = weights[:, inside], pulls[:, inside]
        n = w.sum(axis=1)
        rest = x - ((w * x).sum(axis=1) / np.maximum(n, 1.0))[:, None]
        square = (w * rest**2).sum(axis=1)
        squares += square
        cubes += (w * rest**3).sum(axis=1)
        fourths += (w * rest**4).sum(axis=1)
        variance += n / np.maximum(n - 1, 1.0) * square
        within += square**2 / np.maximum(n, 1.0)
        size += np.maximum(n - 1, 0.0)
        single += n == 1
    return out


def _shape(sums: Floats, dust: Floats) -> tuple[Floats, Floats, Floats, Mask]:
    """Return the standard error, the skewness and the degrees of freedom of each row, and where nothing varies."""
    squares, cubes, fourths, within, variance, size, single = sums
    flat = squares <= dust
    some = np.where(flat, 1.0, squares)
    # How much the variance itself varies; where it does not (κ ≤ 1), or hardly, the units less one limit the degrees.
    varies = np.maximum(fourths - within, 0.0) / some**2
    df = np.where(varies * size > 2, 2 / np.where(varies > 0, varies, 1.0), size)
    error = np.where(single > 0, np.nan, np.where(flat, 0.0, np.sqrt(variance)))
    skew = np.where(flat, 0.0, cubes / some**1.5)
    return error, skew, np.where(size > 0, df, np.nan), flat


@test(
    "skew-t",
    fits="metrics of totals, without groups",
    reference="Hall 1992",
    assumes="The differences per example have a finite variance, and their mean is about normal once its skewness is removed.",
    procedure=said(
        "the more cautious of two t tests on the differences per example, one of them corrected for skewness",
        "hall1992",
    ),
    law=f"{STUDENT}, on degrees of freedom that allow for heavy tails",
    takes_samples=True,
)
class SkewT(Test):
    """The more cautious of two t tests: Student's, and one corrected for skewed differences."""

    one_law: ClassVar[bool] = True

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        return None if isinstance(tally, Tally) else "it needs a metric of totals"

    def measure(self, tally: AnyTally, batch: Ints, alternative: str, streams: Streams) -> Evidence:
        """Return the evidence; the statistic is t."""
        made = Moments.of(tally, batch)
        t, p = made.p(0.0, alternative)
        alone = len(batch) == 1 and bool(np.isnan(made.error[0]))
        return Evidence(p=p, statistic=t, notes=(ALONE,) if alone else ())

    def p_at(self, tally: AnyTally, null: float, alternative: str, streams: Streams) -> float | None:
        """Return the p-value of "b - a equals null" against an alternative; None where it cannot be known."""
        p = float(Moments.of(tally, tally.multiplicities[None, :]).p(null, alternative)[1][0])
        return p if np.isfinite(p) else None

    def interval_of(self, tally: AnyTally, level: float, streams: Streams) -> Interval | None:
        """Return the hull of both intervals."""
        low, high = (float(end[0, 0]) for end in Moments.of(tally, tally.multiplicities[None, :]).ends([level]))
        return Interval(low=low, high=high, level=level, method="skew-t") if np.isfinite([low, high]).all() else None

    def detects(self, tally: AnyTally, error: float, tail: float, power: float, side: float) -> float | None:
        """Return how large a true difference must be, allowing for skewness; None where there is too much of it to know.

        A t of at least q, and a transformed one of at least q, are asked for; and the transformed t is what is spread as t is.
        """
        made = Moments.of(tally, tally.multiplicities[None, :])
        df = float(made.df[0])
        if not df >= ENOUGH - 1 or abs(float(made.skew[0])) > LOPSIDED:
            return None
        made = replace(made, skew=side * made.skew)
        q, most = t_quantiles(np.array([tail, power]), df)
        decides = max(float(q), float(made.back(np.array([[q]]))[0, 0]))
        return (decides - float(made.back(np.array([[-most]]))[0, 0])) * float(made.error[0])

    def covers(self, tally: AnyTally, batch: Ints, value: float, levels: Sequence[float], streams: Streams) -> Floats:
        """Say for each row and level whether the interval holds the value."""
        low, high = Moments.of(tally, batch).ends(levels)
        difference, tie = tally.differences_and_ties(batch)
        # An interval without a width about a difference says nothing (base.interval_at).
        flat = (high - low <= 2 * tie[:, None]) & (2 * tie < np.abs(difference))[:, None]
        return np.where(np.isnan(low) | flat, np.nan, ((low <= value) & (value <= high)).astype(np.float64))

    def luck_at(self, tally: AnyTally, null: float, alternative: str, streams: Streams) -> Luck | None:
        """Return Student's curve around a null value, the edge being where the more cautious of the two statistics lies."""
        made = Moments.of(tally, tally.multiplicities[None, :])
        t = ratio(made.difference - null, made.error)
        both = float(t[0]), float(made.transformed(t)[0])
        nearer = min(both, key=abs) if both[0] * both[1] > 0 else 0.0
        decides = {"greater": min(both), "less": max(both)}.get(alternative, nearer)
        error, df = float(made.error[0]), float(made.df[0])
        return curve(float(made.difference[0]) - null, error, alternative, df=df, edge=decides * error)

    def cautions(self, tally: AnyTally) -> tuple[str, ...]:
        """Warn where a handful of units carry half of the variance; ask where scores look like a scale."""
        return (*heavy_tails(tally), *scale_hint(tally)) if isinstance(tally, Tally) else ()


def scale_hint(tally: Tally) -> tuple[str, ...]:
    """Ask whether scores that look like a scale are one: then the score test applies."""
    scale = tally.metric.scale
    if (scale is not None and scale.step is not None) or tally.metric.task != "scores":
        return ()
    own = np.repeat(tally.statistics, tally.multiplicities, axis=0)
    found = likely_scale(own[:, :, 0][own[:, :, 1] > 0])
    if found is None or found.step is None:
        return ()
    if scale is not None:
        return (NO_STEP.format(tally.metric),)
    steps = "whole numbers" if found.step == 1 and found.low == int(found.low) else f"steps of {found.step:g}"
    seems = f"the scores look like {steps} from {found.low:g} to {found.high:g}; if no others are possible, "
    declared = tally.metric(low=found.low, high=found.high, step=found.step)
    return (Message(seems, Argument("metric", str(declared)), " gives a test made for such a scale"),)
