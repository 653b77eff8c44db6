"""All categories of the shipped populations: what the default test of each metric does on them, whole batches at a time."""

from functools import cache
from typing import Any
from zlib import crc32

import numpy as np

from benchmarks.calibration.trying import ALPHAS, LEVELS, Scene, held_each, seen_by
from referee.data.counts import from_events
from referee.metrics import resolve
from referee.metrics.matrices import distinct
from referee.runtime.randomness import Streams
from referee.significance.rank_tally import tally_of
from referee.significance.test_choice import choose
from referee.studies.auditing.population import SHIPPED, Population, shipped

METRICS = ("error", "f1", "precision", "recall", "dcf", "mcc", "kappa")
POPULATIONS = tuple(name for name in SHIPPED if "-linear-mlp" in name or "-linear-rbf" in name)
NULLS = ("tilt", "swap")
SIZES = (100, 500, 2000, 6000)
EVENTS = from_events([1] * 8)
"""Every outcome of two classes; a category is a share of each."""
CELLS = list(zip(*(EVENTS[role].tolist() for role in ("truth", "a", "b")), strict=True))


@cache
def categories() -> dict[str, Population]:
    """Return all categories, by population and then by prevalence, each as shares of the same eight outcomes."""
    found = {}
    for name in POPULATIONS:
        own = {f"{name}/{value}": _shares(part) for value, part in shipped(name).slices()}
        found |= dict(sorted(own.items(), key=lambda entry: (prevalence(entry[1]), entry[0])))
    return found


def _shares(counts: Any) -> Population:
    rows = zip(*((counts[role] == counts.positive).tolist() for role in ("truth", "a", "b")), strict=True)
    weights = np.zeros(8)
    for row, often in zip(rows, counts.multiplicities, strict=True):
        weights[CELLS.index(tuple(map(int, row)))] += often
    return Population(EVENTS, weights / weights.sum(), counts.n)


def prevalence(population: Population) -> float:
    return float(population.probabilities[EVENTS["truth"] == 1].sum())


def alone(population: Population) -> float:
    """Return the share of examples that are positive and found by one model alone."""
    decisive = (EVENTS["truth"] == 1) & (EVENTS["a"] != EVENTS["b"])
    return float(population.probabilities[decisive].sum())


def is_rare(label: str) -> bool:
    return "-balanced/" not in label


@cache
def worlds(label: str, metric: str) -> dict[str, Population | None]:
    own = categories()[label]
    swapped = Population(EVENTS, (own.probabilities + own.probabilities[MIRROR]) / 2)
    return {"tilt": own.tilt(resolve(metric)), "swap": swapped, "true": own}


MIRROR = np.array([CELLS.index((truth, b, a)) for truth, a, b in CELLS])


def default(metric: str) -> Any:
    """Return the test that `compare` takes."""
    return choose(tally_of(EVENTS, resolve(metric)))[0]


def look(metric: str, labels: tuple[str, ...], sizes: tuple[int, ...], sets: int, seed: int) -> dict[str, Any]:
    """Try the default test on sets of every size from every world of some categories.

    Returns:
        For each category its true difference, the share of decisive positives at the nearest tie (None without one), and
        for each size the rejections by world and alpha, the sets without a p-value, and the intervals that hold the
        truth, of how many.
    """
    measure, tally, test = resolve(metric), tally_of(EVENTS, resolve(metric)), default(metric)
    found: dict[str, Any] = {}
    for label in labels:
        tilted = worlds(label, metric)["tilt"]
        told = {"difference": categories()[label].difference(measure), "alone": tilted and alone(tilted)}
        found[label] = told | {str(n): {} for n in sizes}
    truth = np.array([found[label]["difference"] for label in labels])
    for n in sizes:
        for kind in (*NULLS, "true"):
            place, batch = _drawn(metric, labels, kind, n, sets, seed)
            rows = seen_by(tally, batch)
            fit = ~tally.blank(rows)
            place, rows = place[fit], rows[fit]
            order, starts = distinct(rows)
            some = test.evaluate(tally, rows[order[starts]], "two-sided", Streams.of(seed)).p
            p = np.empty(len(rows))
            p[order] = np.repeat(some, np.diff(np.append(starts, len(rows))))
            held = _held(test, tally, rows, truth[place], seed) if kind == "true" else None
            for i, label in enumerate(labels):
                mine, told = place == i, found[label][str(n)]
                if worlds(label, metric)[kind] is None:
                    continue
                told[kind] = (p[mine, None] <= np.array(ALPHAS)).sum(axis=0).tolist()
                told["unknown"] = told.get("unknown", 0) + int(np.isnan(p[mine]).sum())
                if held is not None:
                    told |= {"held": (held[mine] == 1).sum(axis=0).tolist(), "known": int(mine.sum())}
    return {"sets": sets, "test": str(test), "categories": found}


def _drawn(metric: str, labels: tuple[str, ...], kind: str, n: int, sets: int, seed: int) -> tuple[Any, Any]:
    """Return which category each set is of, and the sets."""
    places, batches = [np.zeros(0, dtype=np.int64)], [np.zeros((0, 8), dtype=np.int64)]
    for i, label in enumerate(labels):
        world = worlds(label, metric)[kind]
        if world is not None:
            streams = Streams.of(seed).child(crc32(f"{label} {kind}".encode()), n)
            batches.append(streams.at(0).multinomial(n, world.probabilities, size=sets))
            places.append(np.full(sets, i))
    return np.concatenate(places), np.concatenate(batches)


def _held(test: Any, tally: Any, rows: Any, truth: Any, seed: int) -> Any:
    """Return whether each set's interval holds the truth: equal sets of one category are tried once."""
    order, starts = distinct(np.column_stack([truth, rows]))
    first = order[starts]
    found = held_each(test, tally, rows[first], truth[first], Streams.of(seed))
    out = np.empty((len(rows), len(LEVELS)))
    out[order] = np.repeat(found, np.diff(np.append(starts, len(rows))), axis=0)
    return out


def sample(count: int) -> list[str]:
    """Return some categories of each population, evenly spread over the ranks of their prevalence."""
    found = []
    for name in POPULATIONS:
        own = [label for label in categories() if label.startswith(f"{name}/")]
        found += [own[int((i + 0.5) * len(own) / count)] for i in range(count)]
    return found


def scene(label: str, metric: str, n: int) -> Scene:
    """Return one category as a scene, for tests that go set by set."""
    tally = tally_of(EVENTS, resolve(metric))

    def source(world: Population) -> Any:
        return lambda sets, streams: [(tally, seen_by(tally, world.multiplicities(n, sets, streams)))]

    own = worlds(label, metric)
    nulls = {null: source(world) for null in NULLS if (world := own[null]) is not None}
    decisive = None if own["tilt"] is None else n * alone(own["tilt"])
    true = categories()[label]
    return Scene(nulls, source(true), true.difference(resolve(metric)), {"alone": decisive})
