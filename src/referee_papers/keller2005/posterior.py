"""The comparison that Keller, Bengio and Wong asked for in their conclusion: posteriors of F1 beside the bootstrap and the score test.

Test sets are drawn from the same populations: from the nearest world in which the models tie, for false alarms, and from the
populations as they are, for power, for the coverage of intervals, and for the probabilities themselves: of the sets on which
a test says with 90% to 95% which model is better, in how many is it right?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from referee.data.columns import Floats, Ints
from referee.metrics import resolve as resolve_metric
from referee.report.numbers import percent as share_in_words
from referee.results.replication import Replication, Table
from referee.runtime.parallel import run
from referee.runtime.randomness import Streams
from referee.runtime.store import open_store
from referee.significance import resolve as resolve_test
from referee.studies.auditing.grid import PLACES, SETS, AuditPlan, Grid, alike, run_cell
from referee.studies.auditing.population import TIE, Population, World
from referee_papers.claims import Row, percent
from referee_papers.keller2005.panels import ALPHA, PANELS, Plan, Populations

DRAWS = 1999
TESTS = {
    "bayes": f"bayes:draws={DRAWS}",
    "bootstrap": f"bootstrap:replicates={DRAWS}",
    "score": "score",
    "F1 posterior": f"f1-posterior:draws={DRAWS}",
}
"""The lines: the Dirichlet posterior of the joint outcomes, the percentile bootstrap, the score test, Goutte and Gaussier's posterior."""
BANDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
"""Where stated probabilities are cut."""
SAYING = 79
"""The stream of stated probabilities, which nothing else uses."""
FULL = Plan(sizes=(100, 500, 2000, 6000), sets=100, categories=24)
FAST = Plan(sizes=(100, 500), sets=20, categories=4)


def make_grids(worlds: Populations, plan: Plan) -> dict[str, Grid]:
    """Return a grid for each panel."""
    design = AuditPlan("f1", tuple(TESTS.values()), (ALPHA,), plan.sets, ("tilt",), rng=plan.rng)
    return {key: Grid(design, categories, plan.sizes, name=key) for key, categories in worlds.items()}


def measure_cell(design: AuditPlan, population: Population, category: str | None, n: int) -> dict[str, Any]:
    """Run a cell of an audit, and see how often each test names the better model, by how sure it is."""
    world = World.of(population, resolve_metric(design.metric))
    streams = Streams.of(design.rng).child(crc32(repr(category).encode()), n)
    batch = world.batch(n, design.sets, streams.child(SETS, PLACES["true"]))
    sets, often = alike(batch[~world.tally.blank(batch)])
    cell = run_cell(design, population, category, n)
    stated = {}
    for name in design.tests:
        own = streams.child(SAYING, crc32(name.encode()))
        sides = [resolve_test(name).evaluate(world.tally, sets, side, own).p for side in ("less", "greater")]
        # What ties counts for both sides, and half of it for either; of systems that never differ that is one half.
        stated[name] = _in_bands((1 + sides[0] - sides[1]) / 2, often, cell["difference"])
    return {**cell, "stated": stated}


def _in_bands(better: Floats, often: Ints, true: float) -> list[list[float]]:
    """Return for each band the sum of the probabilities, how many named the better model, and how many there are.

    Args:
        better: [set] how probable it is that B is better; one half names either as often.
        often: how often each set was drawn.
        true: by how much B is better.
    """
    known = np.isfinite(better)
    better, counted = better[known], often[known] * float(abs(true) > TIE)
    sure = np.maximum(better, 1 - better)
    right = np.where(better == 0.5, 0.5, (better > 0.5) == (true > 0))
    band = np.clip(np.searchsorted(BANDS, sure, side="right") - 1, 0, len(BANDS) - 2)
    sums = [np.bincount(band, counted * part, len(BANDS) - 1) for part in (sure, right, np.ones(len(sure)))]
    return [[float(value) for value in row] for row in zip(*sums, strict=True)]


def measure(worlds: Populations, plan: Plan, store: str | Path | None = None, **running: Any) -> dict[str, Any]:
    """Run all cells of all panels, those that are not in the store; `running` are jobs and dask."""
    grids = make_grids(worlds, plan)
    tasks = {key: task for grid in grids.values() for key, task in grid.tasks().items()}
    about = {panel: grid.describe() for panel, grid in grids.items()}
    with open_store(store, lambda: {"replication": "keller2005 --posterior", **about}) as kept:
        return run(measure_cell, tasks, store=kept, what="comparing posteriors", **running)


def gather(worlds: Populations, plan: Plan, values: Mapping[str, Any]) -> tuple[list[Row], list[Row]]:
    """Return the rates of each panel, test and size; and how often the stated probabilities were right, over all panels."""
    grids, points = make_grids(worlds, plan), []
    for panel, grid in grids.items():
        named = {test: line for line, test in TESTS.items()}
        points += [{"panel": panel, "line": named[row["test"]], **row} for row in grid.rows(values)]
    bands = []
    for line, test in TESTS.items():
        for n in (*plan.sizes, None):
            cells = [
                values[grid.key(category, size)]
                for grid in grids.values()
                for category in grid.populations
                for size in (plan.sizes if n is None else (n,))
            ]
            sums = np.sum([cell["stated"][test] for cell in cells], axis=0)
            bands += [_band(line, n, place, *map(float, sums[place])) for place in range(len(BANDS) - 1)]
    return points, bands


def _band(line: str, n: int | None, place: int, stated: float, right: float, sets: float) -> Row:
    mean = {"stated": stated / sets, "right": right / sets} if sets else {"stated": None, "right": None}
    return {"line": line, "n": n, "low": BANDS[place], "high": BANDS[place + 1], "sets": int(sets), **mean}


def judge(points: Sequence[Row], bands: Sequence[Row], plan: Plan, where: str, paper: str) -> Replication:
    """Put the numbers into rows and tables; the paper has none of them."""
    rows = [
        {"what": f"{what} at n = {n:,}: {line}", "paper": None, "ours": value, "agrees": None, "note": note}
        for key, what in (
            ("false_alarm", "false alarms"),
            ("power", "power"),
            ("coverage", "coverage of 95% intervals"),
        )
        for line in TESTS
        for n in plan.sizes
        for value, note in [_over_panels(points, key, line, n)]
    ]
    for row in bands:
        if row["n"] is None and row["right"] is not None:
            band = f"{share_in_words(row['low'])} to {share_in_words(row['high'])}"
            note = f"{row['stated']:.3f} was said on average, on {row['sets']:,} sets"
            what = f"right when it says {band}: {row['line']}"
            rows.append({"what": what, "paper": None, "ours": row["right"], "agrees": None, "note": note})
    tables = (*(_rates(points, plan, panel) for panel in PANELS), _said(bands))
    about = f"{paper}: posterior, bootstrap and score test of F1 (here: {where})"
    return Replication(about, rows, conclusion=conclude(points, bands, plan), tables=tables)


def _over_panels(points: Sequence[Row], key: str, line: str, n: int) -> tuple[float | None, str]:
    """Return the mean of a rate over the panels, and its least and greatest."""
    own = [row[key] for row in points if (row["line"], row["n"]) == (line, n) and row[key] is not None]
    if not own:
        return None, ""
    return float(np.mean(own)), f"{share_in_words(min(own))} to {share_in_words(max(own))} in the four panels"


def _rates(points: Sequence[Row], plan: Plan, panel: str) -> Table:
    own = [row for row in points if row["panel"] == panel]
    keys = (
        "line",
        "n",
        "false_alarm",
        "false_alarm_error",
        "spread",
        "power",
        "power_error",
        "coverage",
        "coverage_error",
    )
    rows = [{key: row[key] for key in keys} | {"categories": row["categories"]["null"]} for row in own]
    at = {(row["line"], row["n"]): row for row in own}
    body = [
        (f"{n:,}", *(" / ".join(percent(at[line, n][key]) for key in ("false_alarm", "power", "coverage")) for line in TESTS))
        for n in plan.sizes
    ]  # fmt: skip
    title = f"{PANELS[panel][1]}. False alarms / power / coverage of the 95% interval, %"
    return Table(title, rows, ("n", *TESTS), body, {"panel": panel, "alpha": ALPHA})


def _said(bands: Sequence[Row]) -> Table:
    """Return how often the leader is truly the better model, by how sure the test was."""
    at = {(row["line"], row["low"]): row for row in bands if row["n"] is None}
    body = [
        (f"{share_in_words(low)} to {share_in_words(high)}", *(percent(at[line, low]["right"]) for line in TESTS))
        for low, high in pairwise(BANDS)
    ]
    title = "Of the sets on which a test says so surely which model is better, in how many it is right, %"
    return Table(title, [dict(row) for row in bands], ("it says", *TESTS), body)


def conclude(points: Sequence[Row], bands: Sequence[Row], plan: Plan) -> str:
    """Say in words what the numbers show."""
    small, large = plan.sizes[0], plan.sizes[-1]

    def rates(key: str, n: int) -> str:
        told = {line: _over_panels(points, key, line, n)[0] for line in TESTS}
        return ", ".join(f"{line} {share_in_words(value)}" for line, value in told.items() if value is not None)

    alarms = f"False alarms where the models tie, at alpha {share_in_words(ALPHA)}: with {small:,} examples {rates('false_alarm', small)}; with {large:,} {rates('false_alarm', large)}."
    held = f"Coverage of the 95% intervals: with {small:,} examples {rates('coverage', small)}; with {large:,} {rates('coverage', large)}."
    sure = {row["line"]: row for row in bands if row["n"] is None and row["low"] == 0.9}
    right = ", ".join(
        f"{line} {share_in_words(row['right'])}" for line, row in sure.items() if row["right"] is not None
    )
    return f"{alarms} {held} Where a test says with 90% to 95% which model is better, it is right in: {right}."
