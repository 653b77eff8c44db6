"""A cell of an audit: one category at one size, all its tests on the same test sets."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np

from referee.data.columns import Floats, Ints
from referee.metrics import resolve as resolve_metric
from referee.metrics.base import Metric
from referee.metrics.matrices import distinct
from referee.runtime.randomness import Streams
from referee.significance import Test
from referee.significance import resolve as resolve_test
from referee.significance.rank_tally import RankTally
from referee.significance.units import AnyTally
from referee.studies.auditing.null_worlds import World, null_world
from referee.studies.auditing.population import Population

SETS, TESTING = 0, 1
"""The children of a cell's streams."""
PLACES = {"true": 0, "tilt": 1, "swap": 2}
"""Where the sets of each world are drawn from."""
MANY, SEVERAL, WIDE, RANKED = 1000, 500, 200, 100
"""How many sets are drawn: for one population, for each of several, of many distinct units, and of scores that are ranked."""
KINDS = 64
"""Up to so many distinct units a set costs next to nothing."""
COVERED = 500
"""On how many sets intervals are looked at: one at a time, they cost more than decisions."""
IGNORING = " ignoring groups"


@dataclass(frozen=True)
class Design:
    """What an audit asks of every category: all but the category and the size."""

    metric: str | Metric
    tests: tuple[str, ...]
    alphas: tuple[float, ...]
    sets: int
    nulls: tuple[str, ...]
    alternative: str = "two-sided"
    coverage: bool = True
    rng: int = 0

    def describe(self) -> dict[str, Any]:
        """Return what tells one design from another, for a store."""
        told = {name: getattr(self, name) for name in ("sets", "alternative", "coverage", "rng")}
        lists = {name: list(getattr(self, name)) for name in ("tests", "alphas", "nulls")}
        return {"metric": str(self.metric), **lists, **told}


def run_cell(design: Design, population: Population, category: str | None, n: int) -> dict[str, Any]:
    """Draw test sets of n examples under the null hypothesis and as the population is, and run the tests on them.

    The numbers depend on the design's seed, the category's name, the size and the test alone: not on the other cells,
    nor on the other tests. All tests see the same sets.

    Returns:
        The true difference, and for each test how many sets it rejected at each alpha as the population is ("true") and
        under each null (None where there is no such world), and how many intervals held the true difference.
    """
    metric = resolve_metric(design.metric)
    streams = Streams.of(design.rng).child(crc32(repr(category).encode()), n)
    kinds = {
        "true": population,
        **{null: null_world(population, metric, null) for null in design.nulls if null in PLACES},
    }
    true = population.difference(metric)
    worlds: dict[tuple[str, bool], tuple[World, Ints]] = {}

    def world(kind: str, ignore: bool) -> tuple[World, Ints]:
        if (kind, ignore) not in worlds:
            made = World.of(kinds[kind] or population, metric, ignore_groups=ignore)
            worlds[kind, ignore] = made, made.batch(n, design.sets, streams.child(SETS, PLACES[kind]))
        return worlds[kind, ignore]

    found: dict[str, Any] = {}
    for name in design.tests:
        test, ignore = resolve_test(name.removesuffix(IGNORING)), name.endswith(IGNORING)
        own = streams.child(TESTING, crc32(name.encode()))
        rejected = {
            kind: None if drawn_from is None else _rejected(test, *world(kind, ignore), design, own.child(PLACES[kind]))
            for kind, drawn_from in kinds.items()
        }
        found[name] = {"rejected": rejected}
        if design.coverage:
            # The interval's draws are not the test's own, so tests that carry the same interval share its answer.
            seen, batch = world("true", ignore)
            found[name] |= _covered(test, seen, batch[:COVERED], true, design.alphas, streams.child(TESTING))
    return {"difference": true, "units": world("true", False)[0].units(n), "tests": found}


def sets_for(tally: AnyTally, categories: int = 1) -> int:
    """Return how many sets to draw: as many as a few seconds allow."""
    if isinstance(tally, RankTally):
        return RANKED
    if len(tally.multiplicities) > KINDS:
        return WIDE
    return MANY if categories == 1 else SEVERAL


def _rejected(test: Test, world: World, batch: Ints, design: Design, streams: Streams) -> list[int]:
    """Count the sets that are rejected; one that cannot have a score, as recall without a positive, is not."""
    known, often = alike(batch[~world.tally.blank(batch)])
    if not len(known):
        return [0] * len(design.alphas)
    decided = test.decide(world.tally, known, design.alphas, design.alternative, streams)
    return [int(count) for count in often @ decided]


def _covered(
    test: Test, world: World, batch: Ints, true: float, alphas: Sequence[float], streams: Streams
) -> dict[str, list[int]]:
    seen, often = alike(batch[~world.tally.blank(batch)])
    if not len(seen):
        return {"covered": [0] * len(alphas), "intervals": [0] * len(alphas)}
    held: Floats = test.covers(world.tally, seen, true, [1 - alpha for alpha in alphas], streams)
    known = np.isfinite(held)
    return {
        "covered": [int(c) for c in often @ np.where(known, held, 0.0)],
        "intervals": [int(c) for c in often @ known],
    }


def alike(batch: Ints) -> tuple[Ints, Ints]:
    """Return the distinct sets and how often each was drawn: of a rare category many are alike, and tested once."""
    order, starts = distinct(batch)
    return batch[order[starts]], np.diff(np.append(starts, len(order)))


def fingerprint(population: Population) -> str:
    """Return a short text that tells populations apart."""
    digest = hashlib.sha256()
    counts = population.counts
    for role, values in counts.columns.items():
        digest.update(role.encode())
        digest.update(repr(values.tolist()).encode())
    digest.update(counts.multiplicities.tobytes())
    digest.update(population.probabilities.tobytes())
    digest.update(repr((dict(counts.names), counts.positive, counts.open)).encode())
    return digest.hexdigest()[:16]
