"""The four panels of Keller, Bengio and Wong's figures: populations, the grid of each, one run of all cells, and their points.

A point is a row for a panel, null, line, size and alpha.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from referee.metrics import resolve
from referee.results.replication import Table
from referee.runtime.parallel import run
from referee.runtime.randomness import Streams
from referee.runtime.store import open_store
from referee.studies.auditing.grid import AuditPlan, Grid, run_cell
from referee.studies.auditing.population import Population, World, shipped
from referee_papers.claims import Row, percent, round_floats

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


TIES = (1e-9, 0.001, 0.002, 0.005, 0.01, 0.02)
"""Within what true difference H0 may be said to hold."""
WORLDS = {
    "tilt": "H0: the nearest world in which the models tie",
    "swap": "H0: the models are exchangeable",
    "observed": "H0: categories whose true difference is 0",
    NOISE: "H0: categories whose true difference drowns in the noise of n examples",
}


PANELS = {
    "a": ("linear-mlp-balanced", "(a) balanced, linear SVM vs MLP"),
    "b": ("linear-mlp", "(b) unbalanced, linear SVM vs MLP"),
    "c": ("linear-rbf-balanced", "(c) balanced, linear vs RBF SVM"),
    "d": ("linear-rbf", "(d) unbalanced, linear vs RBF SVM"),
}
"""The four combinations of balance and likeness: how the name of the population ends, and the title."""
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
    return {panel: sample(f"{corpus}-{ending}", plan.categories) for panel, (ending, _) in PANELS.items()}


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
    with open_store(store, lambda: {"replication": "keller2005", **about}) as kept:
        return run(measure_cell, tasks, store=kept, what="replicating", **running)


@dataclass(frozen=True)
class Points:
    """All points, to be asked for by panel, null and line."""

    rows: Sequence[Row]

    def of(self, panel: str, null: str, line: str, alpha: float = ALPHA) -> list[Row]:
        """Return the points of a line, by size."""
        wanted = (panel, null, line, alpha)
        points = [row for row in self.rows if (row["panel"], row["null"], row["line"], row["alpha"]) == wanted]
        return sorted(points, key=lambda row: int(row["n"]))

    def tables(self) -> tuple[Table, ...]:
        """Return a table for each panel and null, at the alpha of the figures."""
        return tuple(self._table(panel, title, null) for null in WORLDS for panel, (_, title) in PANELS.items())

    def _table(self, panel: str, title: str, null: str) -> Table:
        lines = {line: self.of(panel, null, line) for line in LINES}
        about = {"panel": panel, "null": null, "alpha": ALPHA}
        points = [round_floats(row) for line in lines.values() for row in line]
        rows = [{key: value for key, value in row.items() if key not in about} for row in points]
        body = [(f"{at_size[0]['n']:,}", *map(write_rates, at_size)) for at_size in zip(*lines.values(), strict=True)]
        counts = sorted({row["categories"] for row in rows}) or [0]
        shown = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else str(counts[0])
        head = f"{title}. {WORLDS[null]} ({shown} categories). False alarms ± spread / power, %"
        return Table(head, rows, ("n", *lines), body, about)


def write_rates(point: Row) -> str:
    """Write false alarms, their spread and power, in percent."""
    return f"{percent(point['alpha_true'], point['spread'])} / {percent(point['power'])}"


def as_point(row: Mapping[str, Any]) -> Row:
    """Return what the rules ask of the row of a grid."""
    rest = {key: row[key] for key in ("spread", "power", "power_error", "power_spread")}
    rates = {"alpha_true": row["false_alarm"], "error": row["false_alarm_error"]}
    return {"n": row["n"], "alpha": row["alpha"], **rates, **rest}


def gather(worlds: Populations, plan: Plan, values: Mapping[str, Any]) -> Points:
    """Gather the cells into points."""
    points = []
    for (panel, metric), grid in make_grids(worlds, plan).items():
        points += [_point(panel, metric, row["null"], row) for row in grid.rows(values)]
        noise = ByNoise(grid.plan, grid.populations, grid.sizes, name=grid.name)
        points += [_point(panel, metric, NOISE, row) for row in noise.rows(values) if row["null"] == "observed"]
    nulls, lines = list(WORLDS), list(LINES)
    return Points(sorted(points, key=lambda row: (nulls.index(row["null"]), row["panel"], lines.index(row["line"]))))


def _point(panel: str, metric: str, null: str, row: Mapping[str, Any]) -> Row:
    line = next(name for name, asked in LINES.items() if asked == (metric, row["test"]))
    counts = {"categories": row["categories"]["null"], "different": row["categories"]["different"]}
    return {"panel": panel, "null": null, "line": line, **as_point(row), **counts}


def gather_within(worlds: Populations, plan: Plan, values: Mapping[str, Any], line: str) -> list[Row]:
    """Return what a test does where a true difference up to a tolerance is called none, by panel, tolerance and size."""
    metric, test = LINES[line]
    return [
        {"tie": tie, **round_floats(_point(panel, metric, "observed", row))}
        for (panel, own), grid in make_grids(worlds, plan).items()
        if own == metric
        for tie in TIES
        for row in replace(grid, tie=tie).rows(values)
        if (row["test"], row["null"], row["alpha"]) == (test, "observed", ALPHA)
    ]
