"""A whole panel of an audit: 100 categories x 500 test sets x 10 sizes x 4 tests x 3 alphas, in two processes.

The tests are the bootstrap of dF1 and of dCerr (5,000 replicates each), McNemar's with correction and the proportion test,
on the categories as they are (one world). The peer is an index bootstrap in numpy: it draws 5,000 x n indices into the
examples of a test set and decides by the percentile interval, once per measure. It is timed on a few sets of each size, as
if two processes sped it up perfectly, in three versions: as it is usually written (the target of 200x is for this one),
counting events by bincount, and adding up what a measure needs as 16-bit numbers packed in a word.
"""

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.measure import wall
from benchmarks.rows import Row
from referee.runtime.parallel import run as run_cells
from referee.studies.auditing.grid import AuditPlan, Grid, run_cell
from referee.studies.auditing.population import SHIPPED, Population, shipped

SIZES = (100, 250, 500, 1000, 1500, 2000, 3000, 4000, 5000, 6000)
ALPHAS = (0.01, 0.05, 0.1)
SETS, CATEGORIES, REPLICATES, JOBS = 500, 100, 5000, 2
BOOTSTRAP = f"bootstrap:replicates={REPLICATES}"
TESTS = {"f1": (BOOTSTRAP,), "error": (BOOTSTRAP, "mcnemar:variant=corrected", "proportion")}
POPULATION = next(name for name in ("wordnet-linear-mlp", "rcv1-linear-mlp-balanced") if name in SHIPPED)
REFEREE = str(Path(sys.executable).parent / "referee")
AT_ONCE = 200_000
"""How many indices are drawn at once, which fit a cache; more are no quicker."""


def panel(worlds: dict[str, Population], sets: int, sizes: tuple[int, ...]) -> int:
    cells = {}
    for metric, tests in TESTS.items():
        design = AuditPlan(metric=metric, tests=tests, alphas=ALPHAS, sets=sets, nulls=("observed",), coverage=False)
        cells |= Grid(design, worlds, sizes, name=metric).tasks()
    return len(run_cells(run_cell, cells, jobs=JOBS))


def index_plain(codes: Any, measure: str, rng: Any) -> Any:
    """Draw indices, take truth, a and b of them, and add up: as it is usually written."""
    n = len(codes)
    rows = max(1, AT_ONCE // n)
    truth, a, b = data.CELLS[codes].T.astype(bool)
    d = np.empty(REPLICATES)
    for start in range(0, REPLICATES, rows):
        count = min(rows, REPLICATES - start)
        drawn = rng.integers(0, n, (count, n))
        y, x, z = truth[drawn], a[drawn], b[drawn]
        if measure == "error":
            d[start : start + count] = (y != z).mean(axis=1) - (y != x).mean(axis=1)
            continue
        f1 = [2 * (y & p).sum(axis=1) / np.maximum(y.sum(axis=1) + p.sum(axis=1), 1) for p in (x, z)]
        d[start : start + count] = f1[1] - f1[0]
    return rejected(d)


def index_counts(codes: Any, measure: str, rng: Any) -> Any:
    """Count the eight events of each replicate."""
    n = len(codes)
    rows = max(1, AT_ONCE // n)
    d = np.empty(REPLICATES)
    for start in range(0, REPLICATES, rows):
        count = min(rows, REPLICATES - start)
        drawn = codes[rng.integers(0, n, (count, n), dtype=np.uint16)]
        places = drawn + 8 * np.arange(count)[:, None]
        events = np.bincount(places.ravel(), minlength=8 * count).reshape(count, 8)
        d[start : start + count] = difference(events @ SUMS[measure], n, measure)
    return rejected(d)


def index_sums(codes: Any, measure: str, rng: Any) -> Any:
    """Add up, for each replicate, what the measure needs of an example: four numbers of 16 bits in one word."""
    n = len(codes)
    rows = max(1, AT_ONCE // n)
    words = PACKED[measure][codes]
    d = np.empty(REPLICATES)
    for start in range(0, REPLICATES, rows):
        count = min(rows, REPLICATES - start)
        total = words[rng.integers(0, n, (count, n), dtype=np.uint16)].sum(axis=1)
        sums = np.stack([(total >> np.uint64(16 * i)) & np.uint64(0xFFFF) for i in range(4)], axis=1)
        d[start : start + count] = difference(sums.astype(float), n, measure)
    return rejected(d)


def difference(sums: Any, n: int, measure: str) -> Any:
    if measure == "error":
        return (sums[:, 1] - sums[:, 0]) / n
    a, b = (2 * sums[:, i] / np.maximum(sums[:, i + 2], 1) for i in (0, 1))
    return b - a


def rejected(d: Any) -> Any:
    tails = (np.minimum(np.count_nonzero(d <= 0), np.count_nonzero(d >= 0)) + 1) / (REPLICATES + 1)
    return 2 * tails <= np.asarray(ALPHAS)


TRUTH, A, B = data.CELLS.T
SUMS = {
    "f1": np.stack([TRUTH & A, TRUTH & B, TRUTH + A, TRUTH + B], axis=1),
    "error": np.stack([TRUTH != A, TRUTH != B, 0 * A, 0 * B], axis=1),
}
"""What an example of each event adds: right answers and answers plus positives of A and B; or errors."""
PACKED = {
    name: (sums.astype(np.uint64) << np.arange(0, 64, 16, dtype=np.uint64)).sum(axis=1) for name, sums in SUMS.items()
}
FORMS = (index_plain, index_counts, index_sums)
TIMED = (panel, *FORMS, difference, rejected)


def peer(worlds: dict[str, Population], sizes: tuple[int, ...], sets: int) -> dict[str, float]:
    """Return the seconds of each form for one test set of every size and both measures."""
    rng = np.random.default_rng(0)
    times = dict.fromkeys((form.__name__ for form in FORMS), 0.0)
    chosen = list(worlds.values())[:: max(1, len(worlds) // sets)][:sets]
    for n in sizes:
        each: dict[tuple[str, str], list[float]] = {}
        for world in chosen:
            codes = np.repeat(event_of(world), world.multiplicities(n, 1, n)[0]).astype(np.uint8)
            rng.shuffle(codes)
            for form in FORMS:
                for measure in SUMS:
                    start = time.perf_counter()
                    form(codes, measure, rng)
                    each.setdefault((form.__name__, measure), []).append(time.perf_counter() - start)
        for (name, _), seconds in each.items():
            # The best of the sets: what others do on the machine is not the peer's doing.
            times[name] += min(seconds)
    return times


def event_of(world: Population) -> Any:
    """Return the event of each row of a population."""
    rows = np.stack([world.counts[role] == world.counts.positive for role in ("truth", "a", "b")], axis=1)
    return (rows[:, None, :] == data.CELLS[None].astype(bool)).all(axis=2).argmax(axis=1)


def categories(count: int) -> dict[str, Population]:
    slices = ((str(value), Population.of(part)) for value, part in shipped(POPULATION).slices())
    found = dict(slices)
    return dict(list(found.items())[:count])


def run(quick: bool) -> Iterator[Row]:
    worlds = categories(4 if quick else CATEGORIES)
    sets, sizes = (50, SIZES[:6:2]) if quick else (SETS, SIZES)
    times = peer(worlds, sizes, 2 if quick else 5)
    start = time.perf_counter()
    cells = panel(worlds, sets, sizes)
    ours = time.perf_counter() - start
    scale = len(worlds) * sets / JOBS
    what = f"panel: {len(worlds)} categories x {sets} sets x {len(sizes)} sizes"
    for form in FORMS:
        name = form.__name__
        yield Row(
            what=what,
            ours=ours,
            limit=600,
            peer=f"numpy, {name.replace('_', ' ')}",
            theirs=times[name] * scale,
            factor=200 if form is index_plain else None,
            extrapolated=f"{times[name]:.2f} s for one set of each size and both measures",
            note=f"{POPULATION}, {cells} cells, {JOBS} processes",
        )
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "predictions.csv")
        np.savetxt(path, np.column_stack(data.labels(1300))[:1234], "%d", ",", header="label,old,new", comments="")
        command = [REFEREE, "audit", path, "--truth", "label", "--a", "old", "--b", "new"]
        yield Row(
            what=" ".join(["referee audit predictions.csv", *command[3:]]),
            ours=wall(command, 1 if quick else 3),
            limit=5,
            note="1,234 rows; wall time of a fresh process",
        )
