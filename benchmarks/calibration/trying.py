"""Trying a test on drawn test sets: how often it rejects, and how often its interval holds the truth."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np

from referee.metrics.matrices import distinct
from referee.runtime.randomness import Streams
from referee.significance import Test
from referee.significance import resolve as resolve_test
from referee.significance.score_test import Score

ALPHA, ALPHAS = 0.05, (0.01, 0.05, 0.1)
LEVELS = tuple(1 - alpha for alpha in ALPHAS)

Draws: TypeAlias = Iterable[tuple[Any, Any]]
"""Tallies, each with a batch of test sets: [set, unit] multiplicities."""
Source: TypeAlias = Callable[[int, Streams], Draws]
"""Draws so many test sets."""


@dataclass(frozen=True)
class Scene:
    """Worlds of one kind: some in which the systems tie, and one in which they do not."""

    nulls: dict[str, Source]
    true: Source | None = None
    value: float = 0.0
    """The difference in the true world."""
    about: dict[str, Any] = field(default_factory=dict)


def tried(scene: Scene, tests: Sequence[str], sets: int, seed: str, *, coverage: bool = True) -> dict[str, Any]:
    """Run tests on sets of every world of a scene; all tests see the same sets.

    Args:
        scene: the worlds.
        tests: the tests by their names.
        sets: how many are drawn of each world.
        seed: what tells these draws from those of other scenes.
        coverage: whether to look at intervals too.

    Returns:
        For each test how many sets were rejected at each alpha, by null and under the truth, and how many of the known
        intervals held the true difference. A test that does not fit has none.
    """
    found: dict[str, Any] = {}
    own = Streams.of(0).child(crc32(seed.encode()))
    for name in tests:
        test, streams = resolve_test(name), own.child(crc32(name.encode()))
        told: dict[str, Any] = {
            null: rejected(test, source(sets, own.child(crc32(null.encode()))), streams)
            for null, source in scene.nulls.items()
        }
        if scene.true is not None:
            told["true"] = rejected(test, scene.true(sets, own), streams)
            if coverage:
                told["held"], told["known"] = held(test, scene.true(sets, own), scene.value, streams)
        found[name] = told
    return {"sets": sets, "about": scene.about, "tests": found}


def rejected(test: Test, draws: Draws, streams: Streams) -> list[int]:
    """Count rejections; a set that cannot have a score, as recall without a positive, is not rejected."""
    total = np.zeros(len(ALPHAS), dtype=np.int64)
    for tally, batch in draws:
        seen, often = alike(batch[~tally.blank(batch)])
        if len(seen):
            total += often @ test.decide(tally, seen, ALPHAS, "two-sided", streams)
    return total.tolist()


def held(test: Test, draws: Draws, value: float, streams: Streams) -> tuple[list[int], list[int]]:
    """Count the intervals that hold a value, and those that are known."""
    holding, known = np.zeros((2, len(LEVELS)), dtype=np.int64)
    for tally, batch in draws:
        seen, often = alike(batch[~tally.blank(batch)])
        if len(seen):
            found = test.covers(tally, seen, value, LEVELS, streams)
            holding += often @ (found == 1)
            known += often @ np.isfinite(found)
    return holding.tolist(), known.tolist()


def held_each(test: Test, tally: Any, batch: Any, values: Any, streams: Streams) -> Any:
    """Say of each row whether its interval holds a value of its own: [row, level]."""
    if isinstance(test, Score):
        return test.covers(tally, batch, values, LEVELS, streams)
    out = np.empty((len(batch), len(LEVELS)))
    for value in np.unique(values):
        rows = values == value
        out[rows] = test.covers(tally, batch[rows], float(value), LEVELS, streams)
    return out


def alike(batch: Any) -> tuple[Any, Any]:
    """Return the distinct sets and how often each was drawn."""
    order, starts = distinct(batch)
    return batch[order[starts]], np.diff(np.append(starts, len(order)))


def seen_by(tally: Any, drawn: Any) -> Any:
    """Return multiplicities of a tally's units from those of the rows (or groups) of its counts."""
    out = np.zeros((len(drawn), len(tally.multiplicities)), dtype=np.int64)
    np.add.at(out.T, tally.place, drawn.T)
    return out
