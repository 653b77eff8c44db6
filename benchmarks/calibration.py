"""Measures how often tests raise a false alarm and what they see on the shipped populations; writes docs/calibration.md.

`python -m benchmarks.calibration [--store FILE] [--jobs N]` runs everything and writes docs/calibration.json and the
page; `--render` writes the page from the JSON that is there. `make calibration` is the whole run.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks import calibration_plan as plan
from benchmarks.calibration_page import BANDS, COLUMNS, keeps, render
from benchmarks.calibration_tests import cell
from referee.auditing.grid import Grid, mean, mean_error
from referee.parallel import run
from referee.progress import watching
from referee.store import Store
from referee.version import __version__

DOCS = Path(__file__).parent.parent / "docs"
PAGE, NUMBERS = DOCS / "calibration.md", DOCS / "calibration.json"
SCHEMA = "referee.calibration/1"
ENOUGH = 5
"""How many positives that one model alone finds are expected in a test set that has enough of them."""
PARTS = {"full": plan.FULL, "half": plan.HALF, "quarter": plan.QUARTER}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration", description=__doc__)
    parser.add_argument("--render", action="store_true", help="write the page from the numbers that are there")
    parser.add_argument("--quick", action="store_true", help="a few sets only, to see that it runs; needs --output")
    parser.add_argument(
        "--part", choices=PARTS, default="full", help="fewer categories; the rest can follow from the store"
    )
    parser.add_argument("--output", type=Path, help="a folder to write to instead of docs/")
    parser.add_argument("--store", type=Path, help="keeps finished cells, so that a run that was stopped goes on")
    parser.add_argument("--jobs", type=int, help="processes; as many as there are cores if left out")
    given = parser.parse_args()
    folder = given.output or DOCS
    if given.quick and not given.output:
        parser.error("--quick is not for the page: give --output")
    if not given.render:
        effort = plan.QUICK if given.quick else PARTS[given.part]
        text = encode(measure(effort, given.store, given.jobs))
        (folder / NUMBERS.name).write_text(text, encoding="utf-8")
    numbers = json.loads((folder / NUMBERS.name).read_text(encoding="utf-8"))
    (folder / PAGE.name).write_text(render(numbers), encoding="utf-8")
    print(f"written: {folder / PAGE.name}")


def measure(effort: plan.Effort, store: Path | None, jobs: int | None) -> dict[str, Any]:
    """Run all cells and return the numbers of the page."""
    grids = list(plan.grids(effort))
    tasks = plan.tasks(grids)
    with Store(store, {"calibration": SCHEMA}) if store else nullcontext() as kept, watching(Clock()):
        found = run(cell, {key: arguments for key, (_, arguments) in tasks.items()}, jobs=jobs, store=kept)
    values = {tasks[key][0]: value for key, value in found.items()}
    rows = [entry for grid in grids for entry in gathered(grid, values)]
    own = {grid.design.metric: grid for grid in grids if grid.name.startswith("default/")}
    return {
        "schema": SCHEMA,
        "referee": __version__,
        "defaults": {
            metric: {**judged(metric, rows), "highest": highest(own[metric], values)} for metric in plan.METRICS
        },
        "effort": vars(effort),
        "enough": ENOUGH,
        "populations": {name: len(plan.categories(name)) for name in plan.POPULATIONS},
        "sampled": {metric: len(plan.sample(metric, effort.categories, effort)) for metric in plan.METRICS},
        "columns": list(COLUMNS),
        "rows": [[entry[column] for column in COLUMNS] for entry in rows],
    }


def gathered(grid: Grid, values: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a grid, over all its categories and over some of them."""
    part, _, metric = grid.name.partition("/")
    if part == "ties":
        for tie in plan.TIES:
            yield from over(grid, values, list(grid.populations), part, f"{tie:g}", tie)
        return
    part, _, correlation = part.partition(" ")
    yield from over(grid, values, list(grid.populations), part, correlation or "all")
    if part not in ("default", "tests", "costly", "absolute"):
        return
    for pool, belongs in pools(part, metric).items():
        yield from over(grid, values, list(filter(belongs, grid.populations)), part, pool)
    for n in grid.sizes if part == "default" else ():
        some = [label for label in grid.populations if n * plan.alone(label, metric) >= ENOUGH]
        yield from over(replace(grid, sizes=(n,)), values, some, part, "enough")
    if part in ("default", "tests"):
        yield from banded(grid, values, part, metric)


def banded(grid: Grid, values: dict[str, Any], part: str, metric: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of cells, of any size, by how many positives one model alone is expected to find in them."""
    for low, high in BANDS:
        inside = [
            (label, n)
            for label in grid.populations
            for n in grid.sizes
            if low <= n * plan.alone(label, metric) and (high is None or n * plan.alone(label, metric) < high)
        ]
        rows = [row for label, n in inside for row in replace(grid, sizes=(n,)).rows_of(values, label)]
        for test in grid.design.tests:
            mine = [r for r in rows if (r["test"], r["null"], r["alpha"]) == (test, "tilt", plan.ALPHA)]
            shares = [r["false_alarm"] for r in mine if r["false_alarm"] is not None]
            if shares:
                told = {"part": part, "metric": metric, "pool": f"alone {low}", "over": None, "n": None}
                error = mean_error(shares, grid.design.sets)
                told |= {"false_alarm": mean(shares), "false_alarm_error": error, "categories": len(shares)}
                yield {**mine[0], **told}


def pools(part: str, metric: str) -> dict[str, Callable[[str], bool]]:
    """Return which categories are also pooled apart from the others: by how close the models are, and by prevalence."""
    if part == "absolute":
        return {"rare": rare, "balanced": lambda label: not rare(label)}
    if part != "default" and metric != "f1":
        return {}
    found = {
        "unlike, rare": lambda label: unlike(label) and rare(label),
        "unlike, balanced": lambda label: unlike(label) and not rare(label),
        "alike, rare": lambda label: not unlike(label) and rare(label),
        "alike, balanced": lambda label: not unlike(label) and not rare(label),
    }
    return found if part == "default" else {**found, "unlike": unlike}


def unlike(label: str) -> bool:
    return "-linear-mlp" in label


def rare(label: str) -> bool:
    return "-balanced/" not in label


def over(
    grid: Grid, values: dict[str, Any], labels: list[str], part: str, pool: str, tie: float | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the rows of some categories of a grid."""
    populations = {label: grid.populations[label] for label in labels}
    own = Grid(grid.design, populations, grid.sizes, grid.tie if tie is None else tie, grid.name)
    each: dict[tuple[Any, ...], list[bool]] = {}
    for label in labels:
        for row in own.rows_of(values, label):
            if row["false_alarm"] is not None:
                each.setdefault(identity(row), []).append(keeps(row))
    for row in own.rows(values):
        known = each.get(identity(row), [])
        exceeding = known.count(False) / len(known) if known else None
        told = {"part": part, "pool": pool, "metric": str(grid.design.metric), "over": exceeding}
        yield {**row, **told, "categories": row["categories"]["null"]}


def identity(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[key] for key in ("test", "groups", "null", "n", "alpha"))


def judged(metric: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Say whether the test that `compare` takes keeps its false alarms over all categories, at every size."""
    mine = [row for row in rows if (row["part"], row["metric"], row["pool"]) == ("default", metric, "all")]
    known = [row for row in mine if row["false_alarm"] is not None]
    at = [row for row in known if row["alpha"] == plan.ALPHA]
    worst = max(at, key=lambda row: row["false_alarm"])
    return {
        "test": mine[0]["test"], "worst": rounded(worst["false_alarm"]), "error": rounded(worst["false_alarm_error"]),
        "n": worst["n"], "null": worst["null"], "keeps": all(map(keeps, known)),
    }  # fmt: skip


def highest(grid: Grid, values: dict[str, Any]) -> dict[str, Any]:
    """Return the category and size with the most false alarms at 5 %, and what there is to find."""
    rows = [row for label in grid.populations for row in grid.rows_of(values, label)]
    known = [row for row in rows if row["alpha"] == plan.ALPHA and row["false_alarm"] is not None]
    most = max(known, key=lambda row: row["false_alarm"])
    told = {key: rounded(most[key]) for key in ("category", "n", "null", "false_alarm", "false_alarm_error")}
    return {**told, "alone": rounded(most["n"] * plan.alone(most["category"], str(grid.design.metric)))}


def rounded(value: Any) -> Any:
    return float(f"{value:.4g}") if isinstance(value, float) else value


def encode(numbers: dict[str, Any]) -> str:
    """Write the numbers, one row a line."""
    head = {key: value for key, value in numbers.items() if key != "rows"}
    rows = ",\n".join(json.dumps([rounded(value) for value in row], separators=(",", ":")) for row in numbers["rows"])
    return json.dumps(head, indent=1)[:-2] + f',\n "rows": [\n{rows}\n]\n}}\n'


class Clock:
    """Prints how far a run is, now and then."""

    def __init__(self) -> None:
        self.began = self.last = time.monotonic()

    def __call__(self, what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if what == "cells" and now - self.last > 20:
            self.last = now
            print(f"{done} of {total} cells, {now - self.began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
