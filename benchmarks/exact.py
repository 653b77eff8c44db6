"""Exact randomization test at any size: the p-value of f1, precision and mcc, from Counts.

Each is timed on two tables, one with a difference of two standard errors and one with a very large difference, whose far
tail needs more points; the slower one counts. The time is that of the p-value alone; the notes give that of the whole
compare() with the bootstrap intervals of the difference and of both scores.
"""

from collections.abc import Iterator
from typing import Any

import referee
from benchmarks import data
from benchmarks.measure import race
from benchmarks.rows import Row
from referee.data.counts import from_events
from referee.metrics import METRICS
from referee.runtime.randomness import Streams
from referee.significance.randomization import Randomization
from referee.significance.tally import Tally


def p_alone(counts: Any, metric: str) -> Any:
    tally = Tally.of(counts, METRICS[metric])
    return Randomization().evaluate(tally, tally.multiplicities[None], "two-sided", Streams.of(0))


def whole(counts: Any, metric: str) -> Any:
    return referee.compare(counts, metric=metric, test="randomization")


TIMED = (p_alone, whole)


def run(quick: bool) -> Iterator[Row]:
    for power, limit in ((6, 0.020), (9, 1.0)):
        tables = {make.__name__: from_events(make(10**power)) for make in (data.close, data.far)}
        for metric in ("f1", "precision", "mcc"):
            jobs = {name: lambda c=table, m=metric: p_alone(c, m) for name, table in tables.items()}
            jobs["whole"] = lambda c=tables["close"], m=metric: whole(c, m)
            found = race(jobs, 2 if quick else 7)
            methods = {found[name].answer.method for name in tables}
            times = ", ".join(
                f"{name}: {found[name].seconds * 1e3:.1f} ms, p = {found[name].answer.p[0]:.4g}" for name in tables
            )
            yield Row(
                what=f"p of {metric}, counts of N=10^{power}" + ("" if methods == {"exact"} else " (NOT EXACT)"),
                ours=max(found[name].seconds for name in tables),
                limit=limit,
                note=f"{times}; compare() {found['whole'].seconds * 1e3:.1f} ms",
            )
