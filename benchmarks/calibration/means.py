"""Means: ratings at the ceiling, shares of runs, skewed differences and rare losses, at sizes from 30 to 300."""

from functools import cache
from typing import Any

import numpy as np

from benchmarks.calibration.trying import Scene, seen_by
from referee.data.counts import Counts
from referee.metrics import resolve
from referee.significance.rank_tally import tally_of
from referee.studies.auditing.population import Population

SIZES = (30, 50, 100, 300)
AT_ONCE = 1500
"""Units of sets that are looked at together."""
LATTICES = {
    # scale; A's scores with their shares; B's where they tie; B's where they do not
    "ratings 1 to 5": ("low=1,high=5,step=1", {5: 0.97, 1: 0.03}, {5: 0.88, 4: 0.12}, {5: 0.78, 4: 0.22}),
    "5 runs": ("low=0,high=1,step=0.2", {1: 0.97, 0: 0.03}, {1: 0.85, 0.8: 0.15}, {1: 0.7, 0.8: 0.3}),
    "rare losses": ("low=0,high=10,step=1", {8: 1.0}, {9: 0.12, 8: 0.865, 0: 0.015}, {9: 0.06, 8: 0.91, 0: 0.03}),
}
CURVES = {"lognormal, σ = 1": 1.0, "lognormal, σ = 1.5": 1.5}
SHIFT = 0.3
"""By how many standard deviations of one difference the systems differ in the true world."""


def planned() -> list[tuple[str, str, int]]:
    """Return the kind, metric and size of each scene."""
    scales = [(kind, metric) for kind, (scale, *_) in LATTICES.items() for metric in (f"mean:{scale}", "mean")]
    return [(kind, metric, n) for kind, metric in [*scales, *((kind, "mean") for kind in CURVES)] for n in SIZES]


def tests(kind: str, metric: str) -> tuple[str, ...]:
    if ":" in metric:
        return ("score",)
    return ("skew-t", "paired-t") + (() if kind in CURVES else ("bootstrap:replicates=999",))


def scene(kind: str, metric: str, n: int) -> Scene:
    return _skewed(CURVES[kind], metric, n) if kind in CURVES else _on_a_scale(kind, metric, n)


@cache
def _world(kind: str, true: bool) -> Population:
    _, first, tied, other = LATTICES[kind]
    second = other if true else tied
    pairs = [(x, y, p * q) for x, p in first.items() for y, q in second.items()]
    a, b, shares = (list(column) for column in zip(*pairs, strict=True))
    return Population.from_weights({"a": [float(x) for x in a], "b": [float(y) for y in b]}, shares)


def _on_a_scale(kind: str, metric: str, n: int) -> Scene:
    def source(world: Population) -> Any:
        tally = tally_of(world.counts, resolve(metric))
        return lambda sets, streams: [(tally, seen_by(tally, world.multiplicities(n, sets, streams)))]

    tied, true = _world(kind, False), _world(kind, True)
    return Scene({"tie": source(tied), "swap": source(tied.swap())}, source(true), true.difference(resolve(metric)))


def _skewed(sigma: float, metric: str, n: int) -> Scene:
    centre = np.exp(sigma**2 / 2)
    spread = centre * np.sqrt(np.exp(sigma**2) - 1)

    def source(shift: float) -> Any:
        def draw(sets: int, streams: Any) -> Any:
            values = streams.at(0).lognormal(0.0, sigma, size=(sets, n)) - centre + shift
            some = max(1, AT_ONCE // n)
            for start in range(0, sets, some):
                yield stacked(values[start : start + some], metric)

        return draw

    shift = SHIFT * spread
    return Scene({"tie": source(0.0)}, source(shift), shift)


def stacked(values: Any, metric: str) -> tuple[Any, Any]:
    """Return the differences of several sets as one tally, and which of its units each set has."""
    sets, n = values.shape
    tally = tally_of(Counts.of({"a": np.zeros(values.size), "b": values.ravel()}), resolve(metric))
    order = np.argsort(tally.statistics[:, 1, 0])
    place = order[np.searchsorted(tally.statistics[order, 1, 0], values.ravel())]
    batch = np.zeros((sets, len(tally.multiplicities)), dtype=np.int64)
    np.add.at(batch, (np.repeat(np.arange(sets), n), place), 1)
    return tally, batch
