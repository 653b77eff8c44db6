"""Strata of 1 to 20 examples, each with shares of its own, drawn with the size of each stratum fixed."""

from typing import Any

import numpy as np

from benchmarks.calibration.categories import CELLS as EVENT_CELLS
from benchmarks.calibration.categories import EVENTS
from benchmarks.calibration.trying import Scene, seen_by
from referee.data.counts import Counts
from referee.metrics import resolve
from referee.significance.rank_tally import tally_of
from referee.studies.auditing.population import Population

SIZES = (1, 2, 3, 5, 10, 20)
METRICS = ("error", "f1")
N = 120
"""Examples in a test set, in as many strata as that makes."""
CELLS = [(t, a, b) for t in (1, 0) for a in (1, 0) for b in (1, 0)]


def planned() -> list[tuple[str, str, int]]:
    """Return the kind, metric and size of a stratum of each scene."""
    return [(f"{N} examples", metric, size) for metric in METRICS for size in SIZES]


def tests(kind: str, metric: str) -> tuple[str, ...]:
    return ("score", "cluster-t", "bootstrap:replicates=999")


def scene(kind: str, metric: str, size: int) -> Scene:
    strata = N // size
    # Strata of one example are merged into one, as `compare` does.
    kept = 1 if size == 1 else strata
    rows = [(stratum, *cell) for stratum in range(kept) for cell in CELLS]
    columns = dict(zip(("stratum", "truth", "a", "b"), map(list, zip(*rows, strict=True)), strict=True))
    counts = Counts.of(columns, positive=1)
    tally = tally_of(counts, resolve(metric))
    place = {row: i for i, row in enumerate(rows)}
    order = [place[row] for row in zip(*(counts[role].tolist() for role in columns), strict=True)]

    def source(own: Any) -> Any:
        def draw(sets: int, streams: Any) -> Any:
            drawn = streams.at(0).multinomial(size, own, size=(sets, strata))
            summed = drawn.reshape(sets, kept, -1, len(CELLS)).sum(axis=2).reshape(sets, -1)
            yield tally, seen_by(tally, summed[:, order])

        return draw

    shares = _shares(strata)
    truth = shares.mean(axis=0)[[CELLS.index(cell) for cell in EVENT_CELLS]]
    true = Population(EVENTS, truth).difference(resolve(metric))
    mirror = [CELLS.index((truth, b, a)) for truth, a, b in CELLS]
    return Scene({"swap": source((shares + shares[:, mirror]) / 2)}, source(shares), true)


def _shares(count: int) -> Any:
    """Return [stratum, outcome]: positives from 20 to 60%, and B finds more of them than A."""
    prevalence = np.linspace(0.2, 0.6, count)[:, None]
    positive = np.array([0.55, 0.1, 0.22, 0.13])
    negative = np.array([0.08, 0.07, 0.1, 0.75])
    return np.concatenate([prevalence * positive, (1 - prevalence) * negative], axis=1)
