"""What the calibration measures: which tests, on which categories, at which sizes, as grids of an audit."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any
from zlib import crc32

import numpy as np

from referee.auditing.cells import IGNORING, Design, fingerprint
from referee.auditing.grid import Grid
from referee.auditing.shipped import SHIPPED, shipped
from referee.choose import choose
from referee.counts import from_events
from referee.metrics import resolve
from referee.population import Population
from referee.significance.base import fitting_tests
from referee.units import tally_of

METRICS = ("error", "f1", "precision", "recall", "dcf", "mcc")
POPULATIONS = tuple(name for name in SHIPPED if "-linear-mlp" in name or "-linear-rbf" in name)
NULLS = ("tilt", "swap")
SIZES, LARGE = (100, 500, 2000), 6000
ALPHA, ALPHAS = 0.05, (0.01, 0.05, 0.1)


@dataclass(frozen=True)
class Effort:
    """How much is drawn: of the default tests, of all others, and of the bootstraps that cost most."""

    categories: int = 8
    default_sets: int = 300
    sets: int = 200
    costly_categories: int = 4
    costly_sets: int = 100
    group_categories: int = 2
    group_sets: int = 200
    case_sets: int = 1000
    tie_sets: int = 200
    first: int = 0
    every: int = 1
    """Of the categories every so many are taken, from the first on; the cells of a part are also those of the whole."""


FULL, HALF, QUARTER = Effort(), Effort(every=2), Effort(first=2, every=4)
QUICK = Effort(2, 20, 20, 1, 20, 1, 20, 20, 20, every=4)

BOOTSTRAP = "bootstrap:replicates=4999"
COSTLY = (
    "bootstrap:interval=basic,replicates=4999",
    "bootstrap:interval=studentized,replicates=4999",
    "bootstrap:interval=bca,replicates=999",
    "bootstrap:interval=centered,replicates=999",
)
MCNEMARS = tuple(f"mcnemar:variant={variant}" for variant in ("exact", "corrected", "uncorrected"))
RANDOMIZATIONS = ("randomization", "randomization:studentized=true")
RESAMPLED, ABSOLUTE = "resampled-t", "absolute-bootstrap"
"""Procedures of others, in benchmarks/calibration_tests.py."""

GROUP, CORRELATIONS, GROUPED_N = 10, (0.1, 0.3, 0.6), 600
GROUPED = {"error": ("mcnemar", "randomization", BOOTSTRAP), "f1": ("randomization:studentized=true", BOOTSTRAP)}
CASE, CASE_SIZES = [36, 1764, 164, 8036, 36, 1764, 164, 8036], (300, 1000, 3000, 10_000)
"""The case of docs/studentized.md: equal precision, B answers nine times as often as A."""
TIES = (1e-9, 0.001, 0.003, 0.01, 0.03)


@cache
def categories(name: str) -> dict[str, Population]:
    """Return the categories of a shipped population, the rarest first."""
    found = {f"{name}/{value}": Population.of(part) for value, part in shipped(name).slices()}
    return dict(sorted(found.items(), key=lambda entry: (prevalence(entry[1]), entry[0])))


def prevalence(population: Population) -> float:
    positive = population.counts["truth"] == population.counts.positive
    return float(population.probabilities[positive].sum())


@cache
def alone(label: str, metric: str) -> float:
    """Return what share of examples are positives that one model finds and the other does not, where the models tie."""
    population = categories(label.partition("/")[0])[label]
    tied = population.tilt(resolve(metric)) or population
    counts = tied.counts
    a, b = (counts[system] == counts.positive for system in ("a", "b"))
    return float(tied.probabilities[(counts["truth"] == counts.positive) & (a != b)].sum())


@cache
def tying(name: str, metric: str) -> list[str]:
    """Return the categories that have a nearest tie by a metric."""
    return [label for label, population in categories(name).items() if _tilts(population, metric)]


def _tilts(population: Population, metric: str) -> bool:
    return population.tilt(resolve(metric)) is not None


def sample(metric: str, count: int, effort: Effort, names: tuple[str, ...] = POPULATIONS) -> dict[str, Population]:
    """Return some categories of each population, evenly spread over the ranks of their prevalence."""
    found = {}
    for name in names:
        able = tying(name, metric)
        ranks = np.unique(np.linspace(0, len(able) - 1, min(count, len(able))).round().astype(int))
        found |= {
            able[rank]: categories(name)[able[rank]]
            for rank in ranks[min(effort.first, len(ranks) - 1) :: effort.every]
        }
    return found


def default(metric: str) -> str:
    """Return the test that `compare` takes."""
    first = next(iter(categories(POPULATIONS[0]).values()))
    return str(choose(tally_of(first.counts, resolve(metric)))[0])


def tests(metric: str) -> tuple[str, ...]:
    """Return the tests that fit, with their variants, but for the default and the costly ones."""
    first = next(iter(categories(POPULATIONS[0]).values()))
    fitting = fitting_tests(tally_of(first.counts, resolve(metric)))
    found = [name for name in fitting if name not in ("bootstrap", RESAMPLED, ABSOLUTE)]
    if "mcnemar" in found:
        found[found.index("mcnemar") + 1 : 1] = MCNEMARS
    found += [*RANDOMIZATIONS, BOOTSTRAP] + ([RESAMPLED] if metric in ("error", "f1") else [])
    return tuple(name for name in dict.fromkeys(found) if name != default(metric))


def grids(effort: Effort) -> Iterator[Grid]:
    for metric in METRICS:
        own, drawn = default(metric), sample(metric, effort.categories, effort)
        first = Design(metric=metric, tests=(own,), alphas=ALPHAS, sets=effort.default_sets, nulls=NULLS)
        yield Grid(first, drawn, (*SIZES, LARGE), name=f"default/{metric}")
        rest = Design(metric=metric, tests=tests(metric), alphas=(ALPHA,), sets=effort.sets, nulls=NULLS)
        yield Grid(rest, drawn, SIZES, name=f"tests/{metric}")
        costly = Design(
            metric=metric, tests=COSTLY, alphas=(ALPHA,), sets=effort.costly_sets, nulls=NULLS, coverage=False
        )
        some = sample(metric, effort.costly_categories, effort)
        yield Grid(costly, some, SIZES, name=f"costly/{metric}")
        if metric in GROUPED:
            design = Design(
                metric=metric, tests=(ABSOLUTE,), alphas=(ALPHA,), sets=effort.costly_sets, nulls=NULLS, coverage=False
            )
            yield Grid(design, some, SIZES, name=f"absolute/{metric}")
    yield from grouped(effort)
    case = Population.of(from_events(CASE))
    for metric in ("precision", "f1"):
        three = (*RANDOMIZATIONS, BOOTSTRAP)
        design = Design(
            metric=metric, tests=three, alphas=(ALPHA,), sets=effort.case_sets, nulls=("tilt",), coverage=False
        )
        yield Grid(design, {"case": case}, CASE_SIZES, name=f"case/{metric}")
    unlike = [name for name in POPULATIONS if "-linear-mlp" in name]
    every = {label: world for name in unlike for label, world in categories(name).items()}
    design = Design(
        metric="f1", tests=(BOOTSTRAP,), alphas=(ALPHA,), sets=effort.tie_sets, nulls=("observed",), coverage=False
    )
    some = dict(list(every.items())[:: effort.every])
    yield Grid(design, some, (*SIZES, LARGE), name="ties/f1")


def grouped(effort: Effort) -> Iterator[Grid]:
    balanced = tuple(name for name in POPULATIONS if name.endswith("-balanced"))
    for metric, names in GROUPED.items():
        drawn = sample(metric, effort.group_categories, effort, balanced)
        asked = (*names, *(name + IGNORING for name in names))
        design = Design(
            metric=metric, tests=asked, alphas=(ALPHA,), sets=effort.group_sets, nulls=("tilt",), coverage=False
        )
        for correlation in CORRELATIONS:
            worlds = {
                label: world.clustered(GROUP, correlation, groups=1000, rng=crc32(label.encode()))
                for label, world in drawn.items()
            }
            yield Grid(design, worlds, (GROUPED_N,), name=f"groups {correlation:g}/{metric}")


def tasks(planned: list[Grid]) -> dict[str, tuple[str, tuple[Any, ...]]]:
    """Return the key of each cell in a store, with its key in its grid and its arguments.

    A store's key tells all that a cell depends on, so that a run with one more population keeps the cells of the others.
    """
    found = {}
    for grid in planned:
        told = json.dumps(grid.design.describe())
        for key, arguments in grid.tasks().items():
            digest = hashlib.sha256(f"{told} {fingerprint(arguments[1])}".encode()).hexdigest()[:12]
            found[f"{key} {digest}"] = key, arguments
    # In the order of the digests: how far a run is then tells how long it will last.
    return dict(sorted(found.items(), key=lambda entry: entry[0].split()[-1]))
