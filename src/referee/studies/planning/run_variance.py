"""Variance from run to run: how much of the spread of a difference is the examples', and how much goes away with more runs.

Miller (2024): the variance of a mean difference over n examples, each answered K times, is (ω² + σ²/K)/n.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from referee.data.columns import factorize
from referee.data.counts import Counts
from referee.metrics.base import Metric
from referee.significance.rank_tally import tally_of
from referee.significance.tally import Tally

RUNS = (1, 2, 5, 10)
"""The numbers of runs that a plan compares, beside those that were asked for and as many as one likes."""


@dataclass(frozen=True)
class Variances:
    """The variance of the difference from example to example (ω²), and that from run to run of both systems together (σ²)."""

    between: float
    within: float

    def of(self, runs: float) -> float:
        """Return the variance per example if each is answered so often; math.inf for as often as one likes."""
        return self.between + self.within / runs

    @property
    def spread(self) -> float:
        """The standard deviation per example of a single run."""
        return math.sqrt(self.of(1))


def variances_of(counts: Counts, metric: Metric) -> tuple[Variances, float] | None:
    """Estimate the variances from a pilot whose groups are the runs of one example, and say how many runs it has on average.

    It is the analysis of variance of how far each row moves the difference, which for a mean is the row's own difference.
    None if the metric is no formula of sums, or no example has two runs.

    >>> runs = Counts.of({"a": [0, 0, 1, 1], "b": [1, 0, 1, 1], "group": [0, 0, 1, 1]})
    >>> from referee.metrics import METRICS
    >>> variances_of(runs, METRICS["mean"])[0]
    Variances(between=0.0, within=0.25)
    """
    tally = tally_of(counts, metric)
    if not isinstance(tally, Tally):
        return None
    rows, weights = tally.ungrouped(counts), counts.multiplicities.astype(np.float64)
    groups = factorize(counts["group"])[1]
    slope = rows.bound.formula.gradient(rows.totals(weights))
    moves = rows.influence(slope) * weights.sum()
    sizes = np.bincount(groups, weights)
    means = np.bincount(groups, weights * moves) / sizes
    total, examples = float(sizes.sum()), len(sizes)
    if total <= examples or examples < 2:
        return None
    centre = float(sizes @ means) / total
    within = float(weights @ (moves - means[groups]) ** 2) / (total - examples)
    among = float(sizes @ (means - centre) ** 2) / (examples - 1)
    typical = (total - float(sizes @ sizes) / total) / (examples - 1)
    return Variances(max(0.0, (among - within) / typical), within), total / examples
