"""Areas under the ROC curve and average precision with few positives."""

from statistics import NormalDist
from typing import Any

import numpy as np

from benchmarks.calibration.trying import Scene
from referee.data.counts import Counts
from referee.metrics import resolve
from referee.significance.rank_tally import tally_of

SIZES = (5, 10, 20, 50)
"""Positives in a test set."""
NEGATIVES = 150
LEVELS = {"AUC 0.80": 0.80, "AUC 0.95": 0.95}
ALIKE = 0.6
"""The correlation of the two systems' scores within a class."""
GAIN = 0.5
"""How much further apart B puts the classes in the true world, in standard deviations of its scores."""


def planned() -> list[tuple[str, str, int]]:
    """Return the kind, metric and number of positives of each scene."""
    return [
        (kind, metric, positives) for metric in ("auc", "average-precision") for kind in LEVELS for positives in SIZES
    ]


def tests(kind: str, metric: str) -> tuple[str, ...]:
    if metric == "auc":
        return ("delong:law=t", "delong")
    return ("bootstrap:interval=t,replicates=499", "bootstrap:replicates=499")


def scene(kind: str, metric: str, positives: int) -> Scene:
    apart = _apart(LEVELS[kind])
    true = None if metric == "average-precision" else source(positives, metric, apart, apart + GAIN, 1.0)
    # Unlike: B's positives vary twice as much, and lie just so much higher that the areas are equal.
    nulls = {"swap": source(positives, metric, apart, apart, 1.0)}
    if metric == "auc":
        nulls["unlike"] = source(positives, metric, apart, apart * np.sqrt((1 + 4) / 2), 2.0)
    return Scene(nulls, true, NormalDist().cdf((apart + GAIN) / np.sqrt(2)) - LEVELS[kind])


def _apart(area: float) -> float:
    return float(np.sqrt(2) * NormalDist().inv_cdf(area))


def source(positives: int, metric: str, first: float, second: float, spread: float) -> Any:
    """Return what draws sets of normal scores."""

    def draw(sets: int, streams: Any) -> Any:
        truth = np.repeat([1, 0], [positives, NEGATIVES])
        rng = streams.at(0)
        for _ in range(sets):
            common = rng.normal(size=len(truth)) * np.sqrt(ALIKE)
            a, b = (common + rng.normal(size=len(truth)) * np.sqrt(1 - ALIKE) for _ in range(2))
            counts = Counts.of(
                {"truth": truth, "a": a + first * truth, "b": b * np.where(truth, spread, 1.0) + second * truth},
                positive=1,
            )
            tally = tally_of(counts, resolve(metric))
            yield tally, tally.multiplicities[None, :]

    return draw
