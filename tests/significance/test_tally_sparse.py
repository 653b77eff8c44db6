"""Many classes: sparse statistics give the numbers that full ones do, and memory does not grow with rows x classes."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import referee
from referee.data.counts import Counts
from referee.metrics import matrices, resolve
from referee.runtime.randomness import Streams
from referee.significance import resolve as resolve_test
from referee.significance.laws.exchange import Exchange
from referee.significance.laws.resample import jackknife
from referee.significance.laws.swap import StudentSwap, Swap
from referee.significance.rank_tally import canonical
from referee.significance.tally import Tally
from referee.studies.auditing.population import Population

METRICS = [
    "f1:average=macro", "f1:average=macro,labels=all", "f1:average=weighted", "f1:average=micro", "precision:average=micro",
    "recall:average=macro", "specificity:average=macro", "specificity:average=micro", "dcf:average=macro",
    "balanced-accuracy", "mcc", "kappa",
]  # fmt: skip


def data(n=70, classes=5, seed=0, *, strays=True, **extra):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, n)
    most = classes + strays
    a, b = (np.where(rng.random(n) < right, truth, rng.integers(0, most, n)) for right in (0.5, 0.65))
    more = {role: rng.integers(0, size, n) for role, size in extra.items()}
    return Counts.of({"truth": truth, "a": a, "b": b, **more})


@pytest.fixture
def both(monkeypatch):
    """Do something with full statistics, then with sparse ones."""

    def run(ask):
        found = []
        for size in (1 << 60, -1):
            monkeypatch.setattr(matrices, "FULL", size)
            found.append(ask())
        return found

    return run


def told(r, alone=True):
    intervals = (r.interval, *((r.a.interval, r.b.interval) if alone else ()))
    ends = [None if i is None else [i.low, i.high] for i in intervals]
    numbers = [r.a.score, r.b.score, r.difference, *np.ravel([e for e in ends if e]), r.detectable, r.p_value]
    numbers += [r.undefined] if alone else []
    said = [warning for warning in r.warnings if alone or "resampled" not in warning]
    unknown = [number is None for number in numbers]
    return [n for n in numbers if n is not None], (
        unknown,
        r.test,
        r.verdict,
        said,
        r.units,
        [e is None for e in ends],
    )


@pytest.mark.parametrize("roles", [{}, {"group": 15}, {"stratum": 3}], ids=["alone", "groups", "strata"])
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    "test", [None, "randomization", "bootstrap:replicates=199", "bootstrap:replicates=199,interval=bca"]
)
def test_comparisons(both, metric, test, roles):
    counts = data(**roles)
    # Within strata the search for nearest worlds is for few classes; of many, cluster-t is the default.
    test = "cluster-t" if test is None and "stratum" in roles else test
    full, sparse = both(lambda: referee.compare(counts, metric=metric, test=test, audit=False))
    # Two ways to search for the same world meet to about eight digits.
    close = 1e-6 if full.test == "score" else 1e-9
    one, other = (told(r, alone="stratum" not in roles) for r in (sparse, full))
    assert one[0] == pytest.approx(other[0], rel=close, abs=1e-12)
    assert one[1] == other[1]


@pytest.mark.parametrize("metric", METRICS)
def test_tallies(both, metric):
    counts = data(group=20, stratum=1)
    full, sparse = both(lambda: Tally.of(counts, resolve(metric)))
    assert matrices.is_full(full.both)
    assert not matrices.is_full(sparse.both)
    for one, other in ((full, sparse), (full.mirror(), sparse.mirror()), (canonical(full)[0], canonical(sparse)[0])):
        assert (one.statistics == other.statistics).all()
        assert (one.place == other.place).all()
        assert (one.multiplicities == other.multiplicities).all()
    keep = np.random.default_rng(1).integers(0, 3, (2, 4, len(full.multiplicities)))
    for what in ("scores", "vague", "standard_errors", "blank"):
        assert getattr(sparse, what)(keep) == pytest.approx(getattr(full, what)(keep), rel=1e-9, abs=1e-12)
    assert sparse.scores(keep, keep[::-1]) == pytest.approx(full.scores(keep, keep[::-1]), rel=1e-12)
    assert jackknife(sparse) == pytest.approx(jackknife(full), abs=1e-12)


@pytest.mark.parametrize("roles", [{}, {"stratum": 2}], ids=["alone", "strata"])
@pytest.mark.parametrize("metric", METRICS)
def test_laws(both, metric, roles):
    counts = data(n=60, **roles)
    full, sparse = both(lambda: Tally.of(counts, resolve(metric)))
    for law in (Swap, StudentSwap):
        one, other = (law.of(tally, tally.multiplicities) for tally in (full, sparse))
        assert (one.sizes == other.sizes).all()
        drawn = [made.draws(300, Streams.of(5)) for made in (one, other)]
        assert drawn[1] == pytest.approx(drawn[0], rel=1e-9, abs=1e-12)
    batch = np.random.default_rng(2).multinomial(60, full.multiplicities / 60, size=8)
    for studentized in (False, True):
        values = [Exchange.of(tally, studentized).observed(batch)[0] for tally in (full, sparse)]
        assert values[1] == pytest.approx(values[0], rel=1e-9, abs=1e-12)
    for test in ("randomization:trials=199", "bootstrap:replicates=199", "randomization:studentized=true,trials=199"):
        found = [
            resolve_test(test).decide(tally, batch, [0.05, 0.3], "two-sided", Streams.of(1)) for tally in (full, sparse)
        ]
        assert (found[0] == found[1]).all()


def test_worlds_of_many_classes(both):
    counts = data(strays=False)
    metric = resolve("f1:average=macro")
    full, sparse = both(lambda: Population.of(counts).tilt(metric))
    assert sparse.probabilities == pytest.approx(full.probabilities, abs=1e-12)
    full, sparse = both(lambda: referee.audit(counts, metric=metric, sets=20, test="bootstrap:replicates=99").rows)
    assert [row["false_alarm"] for row in full] == [row["false_alarm"] for row in sparse]


@pytest.mark.parametrize("seed", range(20))
def test_the_order_is_that_of_full_rows(seed):
    rng = np.random.default_rng(seed)
    rows = rng.integers(-1, 2, (40, 6)) * (rng.random((40, 6)) < 0.4)
    before, after = rng.integers(0, 2, 40), rng.integers(0, 2, 40).astype(float)
    from scipy.sparse import csr_array

    for sides in ({}, {"before": before}, {"before": before, "after": after}):
        full = matrices.distinct_units(rows.astype(float), **sides)
        sparse = matrices.distinct_units(csr_array(rows.astype(float)), **sides)
        assert [part.tolist() for part in full] == [part.tolist() for part in sparse]


def test_memory_does_not_grow_with_rows_times_classes():
    rng = np.random.default_rng(0)
    n, classes = 20_000, 2_000
    truth = rng.integers(0, classes, n)
    a, b = (np.where(rng.random(n) < 0.5, truth, rng.integers(0, classes, n)) for _ in range(2))
    counts = Counts.of({"truth": truth, "a": a, "b": b})
    tracemalloc.start()
    tally = Tally.of(counts, resolve("f1:average=macro"))
    law = StudentSwap.of(tally, tally.multiplicities)
    law.draws(20, Streams.of(0))
    Swap.of(tally, tally.multiplicities).draws(20, Streams.of(0))
    tally.scores(np.stack([tally.multiplicities] * 20))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # In full the statistics would take 1.2 GB.
    assert peak < 200e6
