"""Groups of examples that depend on each other: equal, very unequal, and larger where one system wins."""

from functools import cache
from typing import Any

import numpy as np

from benchmarks.calibration.trying import Scene
from referee.data.counts import Counts
from referee.metrics import resolve
from referee.studies.auditing.population import Population, World

SIZES = (3, 4, 6, 10, 20, 40)
KINDS = ("equal", "unequal", "linked", "strongly linked")
IGNORED = "equal, ignored"
"""The same sets as of equal groups, and a test that takes their examples for independent."""
METRICS = ("f1", "mean")
LINKS = {"linked": (8, 12, 20), "strongly linked": (6, 12, 30)}
"""How large groups are in which A wins, neither, and B."""
POOL, OWN = 1000, 0.55
"""How many groups are the population, and how often an example repeats what is its group's own."""
CELLS = ((1, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 1, 1), (0, 0, 1), (0, 1, 0), (0, 0, 0))
SHARES = (0.26, 0.1, 0.06, 0.06, 0.05, 0.05, 0.06, 0.36)
WINS = np.array([0, 1, -1, 0, 0, -1, 1, 0])
"""Who alone is right in each outcome: B, A or neither."""


def planned() -> list[tuple[str, str, int]]:
    """Return the kind, metric and number of groups of each scene."""
    found = [(kind, metric, groups) for metric in METRICS for kind in KINDS for groups in SIZES]
    return found + [(IGNORED, metric, groups) for metric in METRICS for groups in SIZES[3:]]


def tests(kind: str, metric: str) -> tuple[str, ...]:
    if kind == IGNORED:
        return ("score",) if metric == "f1" else ("skew-t",)
    return ("cluster-t", "bell-mccaffrey", "classical-cluster-t")


def scene(kind: str, metric: str, groups: int) -> Scene:
    measure, ignored = resolve(metric), kind == IGNORED
    world = _world("equal" if ignored else kind, metric)
    tied = world.tilt(measure)
    if tied is None:
        raise ValueError(f"no tie of {metric} over groups that are {kind}")

    def source(drawn_from: Population) -> Any:
        seen = World.of(drawn_from, measure, ignore_groups=ignored)
        return lambda sets, streams: [(seen.tally, seen.batch(round(groups * seen.mean_size), sets, streams))]

    return Scene({"tilt": source(tied)}, source(world), world.difference(measure))


@cache
def _world(kind: str, metric: str) -> Population:
    """Return a population of groups, each as likely as any other; drawing from it knows its true difference."""
    rng = np.random.default_rng([KINDS.index(kind), METRICS.index(metric)])
    own = rng.choice(len(SHARES), size=POOL, p=SHARES) if metric == "f1" else rng.normal(0.2, 1.0, POOL)
    wins = WINS[own] if metric == "f1" else np.where(own > 0.2, 1, -1)
    if kind == "equal":
        sizes = np.full(POOL, 12)
    elif kind == "unequal":
        sizes = np.clip(np.rint(rng.lognormal(2.0, 1.0, POOL)), 1, 120).astype(np.int64)
    else:
        sizes = np.array(LINKS[kind])[wins + 1]
    group = np.repeat(np.arange(POOL), sizes)
    if metric == "mean":
        b = np.round(own[group] + rng.normal(0.0, 1.0, len(group)), 3)
        return Population.of(Counts.of({"a": np.zeros(len(group)), "b": b, "group": group}))
    repeats = rng.random(len(group)) < OWN
    cell = np.where(repeats, own[group], rng.choice(len(SHARES), size=len(group), p=SHARES))
    truth, a, b = np.array(CELLS)[cell].T
    return Population.of(Counts.of({"truth": truth, "a": a, "b": b, "group": group}, positive=1))
