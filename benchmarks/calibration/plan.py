"""What is measured: which scenes, which tests, and how many sets of each."""

import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.calibration import categories, classes, groups, means, ranks, rivals, strata, unequal
from benchmarks.calibration.trying import tried
from referee.metrics import resolve
from referee.significance.base import fitting_tests
from referee.significance.rank_tally import tally_of

SCENES = {"means": means, "groups": groups, "strata": strata, "classes": classes, "ranks": ranks, "unequal": unequal}
PARTS = ("categories", "tests", *SCENES)
FIRST = {"error": 200, "f1": 100, "precision": 100, "recall": 100, "dcf": 100, "mcc": 30, "kappa": 50}
"""Sets of each size and world in every category, by metric: those of MCC and kappa cost most."""
CHUNK = 184
"""Categories that are looked at together."""
AGAIN, WORST = 30, 6
"""How many times as many sets a second look takes, and at how many of the worst categories of each metric and size."""
SETS = {"means": 3000, "groups": 4000, "strata": 2000, "classes": 2000, "ranks": 1000, "unequal": 4000}
SAMPLE, TEST_SETS, TEST_SIZES = 2, 100, (100, 500, 2000)
"""Categories of each population on which every other test is tried, with how many sets of which sizes."""
COSTLY_SETS = 60
GROUP_RIVALS, RIVAL_SIZES = {"bootstrap:replicates=999": 300, "randomization": 100}, (4, 10, 20)
"""Tests of whole groups that take long, with how many sets of how many groups."""
BOOTSTRAP = "bootstrap:replicates=999"
MORE_BOOTSTRAPS = tuple(f"bootstrap:interval={kind},replicates=999" for kind in ("basic", "studentized"))
COSTLY = (*(f"bootstrap:interval={kind},replicates=999" for kind in ("bca", "centered", "t")), "absolute-bootstrap")
MCNEMARS = tuple(f"mcnemar:variant={variant}" for variant in ("exact", "corrected", "uncorrected"))
RANDOMIZATIONS = ("randomization", "randomization:studentized=true")
OWN = ("resampled-t", "absolute-bootstrap", "bell-mccaffrey", "classical-cluster-t")

Task = tuple[Callable[..., Any], tuple[Any, ...]]


def tests(metric: str) -> tuple[str, ...]:
    """Return the default first, then the other tests that fit, with their variants, but for the costly ones."""
    fitting = fitting_tests(tally_of(categories.EVENTS, resolve(metric)))
    found = [name for name in fitting if name not in ("bootstrap", *OWN)]
    if "mcnemar" in found:
        found += MCNEMARS
    found += [*RANDOMIZATIONS, BOOTSTRAP, *MORE_BOOTSTRAPS] + (["resampled-t"] if metric in ("error", "f1") else [])
    return tuple(dict.fromkeys((str(categories.default(metric)), *found)))


def tasks(parts: tuple[str, ...], effort: float) -> dict[str, tuple[Any, ...]]:
    """Return the cells of some parts, each under a key that tells all it depends on."""
    found = {}
    for function, told in _cells(parts, lambda sets: max(2, round(sets * effort))):
        found[_key(function, told)] = (function, *told)
    return found


def second(first: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Return the cells of the second look: new sets from the categories that covered least or rejected most."""
    found = {}
    for metric in categories.METRICS:
        cells = {k: v for value in first.values() if value["metric"] == metric for k, v in value["categories"].items()}
        sets = next((value["sets"] for value in first.values() if value["metric"] == metric), None)
        if sets is None:
            continue
        for n in categories.SIZES:
            labels = tuple(sorted({*_worst(cells, n, _missed), *_worst(cells, n, _alarms)}))
            told = ("again", metric, labels, (n,), AGAIN * sets, 1)
            found[_key(*told[:1], told[1:])] = told
    return found


def _worst(cells: dict[str, Any], n: int, bad: Callable[[dict[str, Any]], float]) -> list[str]:
    return sorted(cells, key=lambda label: (-bad(cells[label][str(n)]), label))[:WORST]


def _missed(cell: dict[str, Any]) -> float:
    return 1 - cell["held"][1] / cell["known"] if cell["known"] else 0.0


def _alarms(cell: dict[str, Any]) -> float:
    return float(max(cell[null][1] for null in categories.NULLS if null in cell))


def _key(function: str, told: tuple[Any, ...]) -> str:
    digest = hashlib.sha256(json.dumps([function, *told]).encode()).hexdigest()[:12]
    return f"{function}/{digest}"


def _cells(parts: tuple[str, ...], sets: Callable[[float], int]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    if "categories" in parts:
        labels = tuple(categories.categories())
        for metric in categories.METRICS:
            for start in range(0, len(labels), CHUNK):
                some = labels[start : start + CHUNK]
                yield "look", (metric, some, categories.SIZES, sets(FIRST[metric]), 0)
    if "tests" in parts:
        for metric in categories.METRICS:
            # A search that finds no world takes its time, and with MCC of rare categories there are some.
            fewer = metric == "mcc"
            for place, label in enumerate(categories.sample(1 if fewer else SAMPLE)):
                for n in TEST_SIZES[1:] if fewer else TEST_SIZES:
                    yield "category", (label, metric, n, tests(metric), sets(TEST_SETS), True)
                    if metric in ("error", "f1") and place % SAMPLE == 0:
                        yield "category", (label, metric, n, COSTLY, sets(COSTLY_SETS), False)
    for part, module in SCENES.items():
        if part not in parts:
            continue
        for kind, metric, size in module.planned():
            fewer = 0.6 if kind == "10 classes" else 1.0
            yield "scene", (part, kind, metric, size, module.tests(kind, metric), sets(SETS[part] * fewer))
            if part == "groups" and kind != groups.IGNORED and size in RIVAL_SIZES:
                for rival, often in GROUP_RIVALS.items():
                    yield "scene", (part, kind, metric, size, (rival,), sets(often))


def cell(function: str, *told: Any) -> dict[str, Any]:
    """Run a cell."""
    assert rivals.__name__, "its tests have to be registered"
    if function in ("look", "again"):
        metric, labels, *rest = told
        return {"metric": metric, **categories.look(metric, tuple(labels), *rest)}
    if function == "category":
        label, metric, n, names, sets, coverage = told
        made = tried(categories.scene(label, metric, n), names, sets, f"{label} {n}", coverage=coverage)
        return {"part": "tests", "kind": label, "metric": metric, "n": n, **made}
    part, kind, metric, size, names, sets = told
    made = tried(SCENES[part].scene(kind, metric, size), names, sets, f"{part} {kind} {size}")
    return {"part": part, "kind": kind, "metric": metric, "n": size, **made}
