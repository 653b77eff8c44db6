"""DeLong's test of two correlated areas under the ROC curve, in O(N log N)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from referee import intervals
from referee.randomness import Streams
from referee.ranks import RankTally
from referee.results import Interval
from referee.significance.base import Evidence, Test, test
from referee.tails import normal_p, ratio
from referee.units import AnyTally
from referee.values import Floats, Ints


def covariance(tally: RankTally) -> tuple[Floats, Floats]:
    """Return the two areas and the covariance matrix of their estimates."""
    known = tally.memory.get("covariance")
    if known is not None:
        return known[0], known[1]
    placement, areas = tally.placements, tally.scores(tally.multiplicities)
    weights = (tally.inside * tally.multiplicities[tally.unit]).astype(np.float64)
    total = np.zeros((2, 2))
    for part in (tally.positive, ~tally.positive):
        size = weights[part].sum()
        apart = placement[part] - areas
        squares = (apart * weights[part, None]).T @ apart
        total += squares / (size * (size - 1)) if size > 1 else np.nan
    tally.memory["covariance"] = areas, total
    return areas, total


def difference_error(tally: RankTally) -> float:
    """Return the standard error of the difference of the two areas; 0 where they move as one."""
    matrix = covariance(tally)[1]
    variance = float(matrix[0, 0] + matrix[1, 1] - 2 * matrix[0, 1])
    if not variance > 1e-14 * float(matrix[0, 0] + matrix[1, 1]):
        return 0.0 * variance
    return float(np.sqrt(variance))


@test(
    "delong",
    fits="auc",
    reference="DeLong, DeLong and Clarke-Pearson 1988; Sun and Xu 2014",
    assumes="There are enough positive and negative examples for the difference of the two areas to be about normal.",
)
@dataclass(frozen=True, kw_only=True)
class DeLong(Test):
    """z test of two correlated AUCs with the covariance of their placements."""

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        return None if tally.metric.name == "auc" else "it is of the metric auc"

    def _parts(self, tally: AnyTally) -> tuple[float, float]:
        if not isinstance(tally, RankTally):
            raise NotImplementedError
        areas = covariance(tally)[0]
        return float(areas[1] - areas[0]), difference_error(tally)

    def measure(self, tally: AnyTally, batch: Ints, alternative: str, streams: Streams) -> Evidence:
        """Return the evidence."""
        parts = []
        for row in batch:
            parts.append(
                self._parts(tally if np.array_equal(row, tally.multiplicities) else tally.with_multiplicities(row))
            )
        difference, error = np.array(parts).T
        z = np.where(np.isnan(error), np.nan, ratio(difference, error))
        return Evidence(p=normal_p(z, error, alternative), statistic=z)

    def interval_of(self, tally: AnyTally, level: float, streams: Streams) -> Interval | None:
        """Return difference ± z·(DeLong's standard error)."""
        return intervals.normal(*self._parts(tally), level, "delong")
