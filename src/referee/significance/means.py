"""What the tests of means share: the per-unit differences of a tally whose score is one mean."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from referee.data.columns import Floats, Ints
from referee.errors import Misfit
from referee.significance.base import Test
from referee.significance.rank_tally import AnyTally
from referee.significance.tally import Tally

NOT_A_MEAN = "it needs a metric that is a mean over examples (accuracy, error, recall, specificity, mean, mse, mae)"
NOT_BINARY = (
    "it needs examples that are simply right or wrong (accuracy, error, recall, specificity, a mean of 0/1 scores)"
)


@dataclass(frozen=True, eq=False)
class Means:
    """Each unit's values under A and B and its weight: the score is Σ value / Σ weight."""

    a: Floats
    b: Floats
    weight: Floats
    both: Floats
    """How often both are right in a group."""
    strata: Ints

    @classmethod
    def of(cls, tally: AnyTally) -> Means:
        """Read the means of a tally.

        Raises:
            Misfit: where the score is not a mean.
        """
        if "means" not in tally.memory:
            values = tally.means() if isinstance(tally, Tally) else None
            if values is None or not isinstance(tally, Tally):
                raise Misfit(NOT_A_MEAN)
            tally.memory["means"] = cls(*values, tally.joint, tally.strata)
        means: Means = tally.memory["means"]
        return means

    @cached_property
    def change(self) -> Floats:
        """The difference b - a of each unit."""
        return self.b - self.a

    @cached_property
    def is_binary(self) -> bool:
        """Whether each unit is one example that is right or wrong (or carries no weight)."""
        unit = self.weight[self.weight > 0]
        same = len(unit) == 0 or np.allclose(unit, unit[0])
        return bool(same and all(np.isin(v[self.weight > 0] / unit, (0.0, 1.0)).all() for v in (self.a, self.b)))

    def counts(self, batch: Ints) -> tuple[Floats, Floats, Floats]:
        """Return for each row of a batch: units where b > a, units where b < a, units that carry weight."""
        up, down, some = ((batch @ part.astype(float)) for part in (self.change > 0, self.change < 0, self.weight > 0))
        return up, down, some

    def scores(self, batch: Ints) -> tuple[Floats, Floats]:
        """Return the scores of A and B for each row of a batch."""
        total = np.maximum(batch @ self.weight, 1e-300)
        return batch @ self.a / total, batch @ self.b / total

    def error(self, batch: Ints, values: Floats) -> tuple[Floats, Floats]:
        """Return the standard error of Σ values / Σ weights over units, and its degrees of freedom.

        Robust to whatever happens inside a unit: with one example a unit it is the usual s/√n.
        """
        weights = batch.astype(np.float64)
        total = np.maximum(weights @ self.weight, 1e-300)
        mean = weights @ values / total
        variance, df = np.zeros(len(batch)), np.zeros(len(batch))
        inside = self.weight > 0
        for stratum in np.unique(self.strata):
            part = inside & (self.strata == stratum)
            w = weights[:, part]
            size = w.sum(axis=1)
            rest = values[part] - mean[:, None] * self.weight[part]
            centre = (w * rest).sum(axis=1) / np.maximum(size, 1.0)
            squares = (w * (rest - centre[:, None]) ** 2).sum(axis=1)
            with np.errstate(divide="ignore", invalid="ignore"):
                variance += np.where(size > 1, size / (size - 1) * squares, np.where(size > 0, np.nan, 0.0))
            df += np.maximum(size - 1, 0)
        # Differences that are equal on paper differ by the rounding of what was subtracted: that is no variance.
        size = max(1e-14 * np.abs(values).max(initial=0.0), 1e-15 * np.abs([self.a, self.b]).max(initial=0.0))
        variance = np.where(variance <= size**2 * weights.sum(axis=1), 0.0, variance)
        return np.sqrt(variance) / total, df


def misfit(tally: AnyTally, *, binary: bool = False) -> str | None:
    """Return why a test of means does not fit, or None."""
    try:
        means = Means.of(tally)
    except Misfit as reason:
        return str(reason)
    return NOT_BINARY if binary and not tally.grouped and not means.is_binary else None


class MeanTest(Test):
    """The common part of the tests of means."""

    binary: ClassVar[bool] = False
    """Whether each example must be right or wrong."""

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        return misfit(tally, binary=self.binary)
