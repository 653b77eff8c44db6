"""Student's law: p-value and interval of a difference over its standard error, both from the same t."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeAlias

import numpy as np

from referee.data.columns import Floats, Ints
from referee.results.comparison import Interval
from referee.runtime.randomness import Streams
from referee.significance.base import ENOUGH, Evidence, Test
from referee.significance.distributions import ratio, student_p, t_quantiles
from referee.significance.null_distribution import Luck, curve
from referee.significance.rank_tally import AnyTally

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
