"""Macro-averaged F1 of several classes, some of them rare."""

from functools import cache
from typing import Any

import numpy as np

from benchmarks.calibration.trying import Scene, seen_by
from referee.metrics import resolve
from referee.significance.rank_tally import tally_of
from referee.studies.auditing.population import Population

METRIC = "f1:average=macro"
SIZES = {4: (50, 100, 300, 1000), 10: (300, 1000)}


def planned() -> list[tuple[str, str, int]]:
    """Return the kind, metric and size of each scene."""
    return [(f"{classes} classes", METRIC, n) for classes, sizes in SIZES.items() for n in sizes]


def tests(kind: str, metric: str) -> tuple[str, ...]:
    return ("score", "bootstrap:replicates=999")


def scene(kind: str, metric: str, n: int) -> Scene:
    world = _world(int(kind.split()[0]))
    tally = tally_of(world.counts, resolve(metric))

    def source(drawn_from: Population) -> Any:
        own = tally if drawn_from.counts is world.counts else tally_of(drawn_from.counts, resolve(metric))
        return lambda sets, streams: [(own, seen_by(own, drawn_from.multiplicities(n, sets, streams)))]

    tied = world.tilt(resolve(metric))
    nulls = {"swap": source(world.swap())} | ({} if tied is None else {"tilt": source(tied)})
    return Scene(nulls, source(world), world.difference(resolve(metric)))


@cache
def _world(classes: int) -> Population:
    """Return labels of which each is two thirds as frequent as the one before; B is better on the rare ones."""
    prevalence = (2 / 3) ** np.arange(classes)
    prevalence /= prevalence.sum()
    right = {"a": np.linspace(0.85, 0.6, classes), "b": np.linspace(0.82, 0.72, classes)}
    rows, weights = [], []
    for truth in range(classes):
        # In half of the cases the systems answer alike, in the other half each for itself.
        own = {s: _answers(truth, right[s][truth], prevalence) for s in right}
        joint = 0.5 * np.outer(own["a"], own["b"]) + 0.5 * np.diag(np.sqrt(own["a"] * own["b"]))
        joint /= joint.sum()
        for a in range(classes):
            for b in range(classes):
                rows.append((truth, a, b))
                weights.append(prevalence[truth] * joint[a, b])
    truth, a, b = (list(column) for column in zip(*rows, strict=True))
    return Population.from_weights({"truth": truth, "a": a, "b": b}, weights)


def _answers(truth: int, right: float, prevalence: Any) -> Any:
    other = prevalence.copy()
    other[truth] = 0.0
    shares = (1 - right) * other / other.sum()
    shares[truth] = right
    return shares
