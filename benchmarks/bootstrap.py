"""Paired bootstrap of an F1 difference: interval and p from 10,000 replicates.

Three int64 arrays go into referee. scipy gets them as int8, which is faster for it, with a vectorised statistic and the
fastest `batch` of 1, 2, 4, 8 and 16; with its default batch it would ask for 75 GB.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import stats

import referee
from benchmarks import data
from benchmarks.measure import peak, race, scale
from benchmarks.rows import Row
from referee.data.counts import from_events

REPLICATES = 10_000
N = 10**6


def referee_arrays(y: Any, a: Any, b: Any) -> Any:
    return referee.compare(truth=y, a=a, b=b, metric="f1", test="bootstrap:replicates=10000")


def referee_counts(counts: Any) -> Any:
    return referee.compare(counts, metric="f1", test="bootstrap:replicates=10000")


def f1_difference(y: Any, a: Any, b: Any, axis: int = -1) -> Any:
    count = np.count_nonzero
    positives = count(y, axis=axis)
    f1 = [2 * count(y & x, axis=axis) / (positives + count(x, axis=axis)) for x in (a, b)]
    return f1[1] - f1[0]


def scipy_bootstrap(y: Any, a: Any, b: Any, replicates: int) -> Any:
    return stats.bootstrap(
        (y, a, b), f1_difference, paired=True, vectorized=True, batch=1, n_resamples=replicates, method="percentile", rng=0
    )  # fmt: skip


TIMED = (referee_arrays, referee_counts, f1_difference, scipy_bootstrap)


def run(quick: bool) -> Iterator[Row]:
    y, a, b = data.labels(N)
    short = tuple(x.astype(np.int8) for x in (y, a, b))
    some = 20 if quick else 100
    jobs = {"ours": lambda: referee_arrays(y, a, b), "theirs": lambda: scipy_bootstrap(*short, some)}
    ours, theirs = race(jobs, 2 if quick else 5).values()
    interval, other = ours.answer.interval, theirs.answer.confidence_interval
    yield Row(
        what="arrays of N=10^6, 10,000 replicates: interval and p",
        ours=ours.seconds,
        peer="scipy.stats.bootstrap",
        theirs=theirs.seconds * scale(REPLICATES, some),
        extrapolated=f"{some} of 10,000 replicates, {theirs.seconds:.1f} s",
        factor=2000,
        note=f"intervals [{interval.low:.5f}, {interval.high:.5f}], [{other.low:.5f}, {other.high:.5f}]; scipy gives no p",
    )
    code = 'import referee; referee.compare(truth=y, a=a, b=b, metric="f1", test=f"bootstrap:replicates={int(replicates)}")'
    yield Row(
        what="its peak memory above numpy and the arrays (72 MB)",
        ours=peak(code, y=y, a=a, b=b, replicates=np.array(REPLICATES)),
        unit="MB",
        limit=150,
        note="imports of referee included",
    )
    small, large = (from_events(data.close(n)) for n in (10**3, 10**9))
    both = race({"small": lambda: referee_counts(small), "large": lambda: referee_counts(large)}, 3 if quick else 15)
    times = [both[name].seconds for name in ("small", "large")]
    yield Row(
        what="from Counts: slower / faster of N=10^3 and N=10^9",
        ours=max(times) / min(times),
        unit="x",
        limit=3,
        note=f"{times[0] * 1e3:.1f} ms and {times[1] * 1e3:.1f} ms",
    )
