"""The four panels of Keller, Bengio and Wong's figures: populations, the grid of each, one run of all cells."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from referee.metrics import resolve
from referee.runtime.parallel import run
from referee.runtime.randomness import Streams
from referee.runtime.store import Store
from referee.studies.auditing.grid import AuditPlan, Grid, run_cell
from referee.studies.auditing.population import Population, World
from referee.studies.auditing.shipped import shipped

Populations = Mapping[str, Mapping[str | None, Population]]
"""Panel -> category -> population."""

ALPHAS = (0.01, 0.05, 0.1)
ALPHA = 0.05
"""The one that the figures are drawn at."""
NULLS = ("tilt", "swap", "observed")
NOISE = "noise"
"""The null that the figures seem to be drawn under: H0 holds where 0 is in the middle 1 - alpha of the differences on
sets of n examples, so that it depends on n. See `optimism`."""
LINES = {
    "bootstrap dF1": ("f1", "bootstrap:replicates=5000"),
    "bootstrap dCerr": ("error", "bootstrap:replicates=5000"),
    "McNemar": ("error", "mcnemar:variant=corrected"),
    "McNemar mid-p": ("error", "mcnemar"),
    "proportion": ("error", "proportion"),
}
"""The lines of the figures: metric and test. The mid-p form is ours."""
DF1, DCERR, MCNEMAR, MCNEMAR_MIDP, PROPORTIONS = LINES
RANGE = 77
"""The stream of the ranges of differences, which no test uses."""


@dataclass(frozen=True)
class Panel:
    """One of the four combinations of balance and likeness."""

    key: str
    ending: str
    title: str
    unlike: bool


PANELS = (
    Panel("a", "linear-mlp-balanced", "(a) balanced, linear SVM vs MLP", unlike=True),
    Panel("b", "linear-mlp", "(b) unbalanced, linear SVM vs MLP", unlike=True),
    Panel("c", "linear-rbf-balanced", "(c) balanced, linear vs RBF SVM", unlike=False),
    Panel("d", "linear-rbf", "(d) unbalanced, linear vs RBF SVM", unlike=False),
)
UNLIKE, LIKE = ("a", "b"), ("c", "d")


@dataclass(frozen=True)
class Plan:
    """How much is run."""

    sizes: tuple[int, ...] = (100, 250, 500, 750, 1000, 1500, 2000, 3000, 4000, 6000)
    sets: int = 500
    categories: int | None = None
    """At most so many of each panel, evenly spaced; all if None."""
    rng: int = 0


FULL = Plan()
FAST = Plan(sizes=(100, 500, 2000, 6000), sets=100, categories=12)


def read_populations(corpus: str, plan: Plan = FULL) -> dict[str, dict[str | None, Population]]:
    """Return the shipped populations of each panel."""
    return {panel.key: sample(f"{corpus}-{panel.ending}", plan.categories) for panel in PANELS}


def sample(name: str, most: int | None) -> dict[str | None, Population]:
    """Return at most so many categories of a shipped population, evenly spaced."""
    parts = list(shipped(name).slices())
    return {str(parts[i][0]): Population.of(parts[i][1]) for i in space_evenly(len(parts), most)}


def space_evenly(total: int, most: int | None) -> list[int]:
    """Return at most so many places among all, evenly spaced.

    >>> space_evenly(10, 3), space_evenly(2, 3), space_evenly(2, None)
    ([1, 5, 8], [0, 1], [0, 1])
    """
    if most is None or most >= total:
        return list(range(total))
    return [(2 * i + 1) * total // (2 * most) for i in range(most)]


class ByNoise(Grid):
    """The same cells, with a tie wherever 0 is in the middle of the differences on sets of that size."""

    def ties(self, cell: Mapping[str, Any]) -> bool:
        """Say whether the difference drowns in the noise of the sets."""
        low, high = cell["range"]
        return bool(low <= 0 <= high)


def make_grids(worlds: Populations, plan: Plan) -> dict[tuple[str, str], Grid]:
    """Return a grid for each panel and metric; both metrics see the same sets."""
    grids = {}
    for key, categories in worlds.items():
        for metric in ("f1", "error"):
            tests = tuple(test for own, test in LINES.values() if own == metric)
            design = AuditPlan(metric, tests, ALPHAS, plan.sets, NULLS, coverage=False, rng=plan.rng)
            grids[key, metric] = Grid(design, categories, plan.sizes, name=f"{key}/{metric}")
    return grids


def measure_cell(design: AuditPlan, population: Population, category: str | None, n: int) -> dict[str, Any]:
    """Run a cell of an audit, and see where the differences lie on sets of this size."""
    world = World.of(population, resolve(design.metric))
    streams = Streams.of(design.rng).child(RANGE, crc32(repr(category).encode()), n)
    scores = world.tally.scores(world.batch(n, design.sets, streams))
    low, high = np.quantile(scores[:, 1] - scores[:, 0], [ALPHA / 2, 1 - ALPHA / 2])
    return {**run_cell(design, population, category, n), "range": [float(low), float(high)]}


def measure(worlds: Populations, plan: Plan, store: str | Path | None = None, **running: Any) -> dict[str, Any]:
    """Run all cells of all panels, those that are not in the store; `running` are jobs and dask."""
    grids = make_grids(worlds, plan)
    tasks = {key: task for grid in grids.values() for key, task in grid.tasks().items()}
    about = {f"{panel}/{metric}": grid.describe() for (panel, metric), grid in grids.items()}
    with Store(store, {"replication": "keller2005", **about}) if store is not None else nullcontext() as kept:
        return run(measure_cell, tasks, store=kept, what="replicating", **running)
