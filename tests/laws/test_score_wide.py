"""The score law of many classes: the numbers of few, at a cost that grows with what occurred."""

from __future__ import annotations

import tracemalloc

import numpy as np

import referee
from referee.counts import Counts


def table(classes, n, *, right=0.8, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, n)
    a, b = (np.where(rng.random(n) < right + more, truth, rng.integers(0, classes, n)) for more in (0.0, 0.01))
    return Counts.of({"truth": truth, "a": a, "b": b})


def test_memory_does_not_grow_with_outcomes_times_classes():
    counts = table(400, 10_000)
    tracemalloc.start()
    r = referee.compare(counts, metric="f1:average=macro", audit=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert r.solver["converged"]
    # In full the outcomes that are possible would take 150 MB.
    assert peak < 40e6
