"""The swap law of many data sets at once, against the law of one."""

from __future__ import annotations

import numpy as np
import pytest

from referee.data.counts import Counts
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance import resolve as resolve_test
from referee.significance.laws.exchange import Exchange
from referee.significance.laws.swap import Swap
from referee.significance.null_distribution import listed
from referee.significance.randomization import Randomization
from referee.significance.rank_tally import tally_of
from tests.conformance.cases import counts

ALPHAS = (0.01, 0.05, 0.1)
METRICS = ["f1", "precision", "recall", "accuracy", "mcc", "dcf", "f1:average=macro", "mean", "auc"]


@pytest.mark.parametrize("metric", [m for m in METRICS if m != "auc"])
@pytest.mark.parametrize("studentized", [False, True])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("group", [None, 8])
def test_exact_p_values_are_those_of_one_by_one(metric, studentized, alternative, group):
    tally = tally_of(counts(metric, 12, seed=3, group=group), resolve(metric))
    shares = tally.multiplicities / tally.units
    batch = np.random.default_rng(1).multinomial(min(tally.units, 8), shares, size=25)
    law = Exchange.of(tally, studentized)
    together = law.exact(batch, alternative, *law.observed(batch))
    test = Randomization(studentized=studentized)
    single = np.array(
        [test.evaluate(tally.with_multiplicities(r), r[None, :], alternative, Streams.of(1)).p[0] for r in batch]
    )
    known = np.isfinite(together)
    assert known.any()
    if not studentized or single_is_exact(test, tally, batch, alternative):
        assert together[known] == pytest.approx(single[known], rel=1e-9)


def single_is_exact(test, tally, batch, alternative):
    return all(test.evaluate(tally, r[None, :], alternative, Streams.of(1)).method == "exact" for r in batch)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("studentized", [False, True])
def test_decisions_agree_with_p_values(metric, studentized):
    if metric == "auc" and studentized:
        return
    tally = tally_of(counts(metric, 150, seed=5, similar=0.5), resolve(metric))
    batch = np.random.default_rng(2).multinomial(90, tally.multiplicities / tally.units, size=20)
    test = resolve_test(f"randomization:trials=1999,method=monte-carlo,studentized={str(studentized).lower()}")
    decided = test.decide(tally, batch, ALPHAS, "two-sided", Streams.of(1))
    p = test.evaluate(tally, batch, "two-sided", Streams.of(1)).p
    # Two samples of one law: they may differ only where p is within five errors of alpha.
    for i, alpha in enumerate(ALPHAS):
        clear = np.abs(p - alpha) > 5 * np.sqrt(2 * alpha * (1 - alpha) / 1999)
        assert (decided[clear, i] == (p[clear] <= alpha)).all()
        assert clear.any()


def test_rows_without_a_difference_are_never_rejected():
    tally = tally_of(counts("f1", 40, seed=5), resolve("f1"))
    same = (tally.statistics[:, 0] == tally.statistics[:, 1]).all(axis=1)
    batch = np.where(same, tally.multiplicities, 0)[None, :]
    for test in (
        "randomization",
        "randomization:studentized=true",
        "bootstrap:replicates=199",
        "randomization:method=monte-carlo",
    ):
        assert not resolve_test(test).decide(tally, batch, (0.5,), "two-sided", Streams.of(0)).any()


def test_a_rows_decision_does_not_depend_on_the_others():
    tally = tally_of(counts("f1", 3000, seed=5), resolve("f1"))
    batch = np.random.default_rng(2).multinomial(3000, tally.multiplicities / tally.units, size=6)
    for name in ("randomization", "randomization:studentized=true", "bootstrap:replicates=999"):
        test = resolve_test(name)
        many = test.decide(tally, batch, ALPHAS, "two-sided", Streams.of(8))
        few = test.decide(tally, batch[:3], (0.05,), "two-sided", Streams.of(8))
        assert (many[:3, 1] == few[:, 0]).all()


def test_systems_that_never_differ():
    tally = tally_of(counts("f1", 40, seed=5, similar=1.0), resolve("f1"))
    batch = tally.multiplicities[None, :]
    assert Exchange.of(tally, studentized=False).kinds == 0
    for test in ("randomization", "randomization:studentized=true", "bootstrap:replicates=199"):
        assert not resolve_test(test).decide(tally, batch, (0.5,), "two-sided", Streams.of(0)).any()


def test_more_points_than_a_float_can_count():
    """Of more than a thousand differing scores a law has more than 2^1024 points: they are drawn, without a warning."""
    rng = np.random.default_rng(1)
    tally = tally_of(Counts.of({"a": rng.normal(size=1200), "b": rng.normal(size=1200)}), resolve("mean"))
    law, own = Exchange.of(tally, studentized=False), tally.multiplicities[None, :]
    assert np.isnan(law.exact(own, "two-sided", *law.observed(own))).all()


def test_more_groups_than_a_float_can_count_exchanges_of():
    """2^1500 exchanges are sampled, and nothing overflows on the way."""
    rng = np.random.default_rng(0)
    n, groups = 30_000, 1500
    truth = rng.integers(0, 2, n)
    systems = {role: np.where(rng.random(n) < 0.8, truth, 1 - truth) for role in ("a", "b")}
    data = Counts.of({"truth": truth, **systems, "group": rng.integers(0, groups, n)})
    tally = tally_of(data, resolve("f1"))
    test = resolve_test("randomization:studentized=true,trials=99")
    evidence = test.evaluate(tally, tally.multiplicities[None, :], "two-sided", Streams.of(0))
    assert evidence.method == "monte-carlo"
    assert 0 < evidence.p[0] <= 1


def test_a_law_of_more_points_than_an_integer_can_count_is_drawn():
    tally = tally_of(counts("mean", 20), resolve("mean"))
    law = Swap.of(tally, np.full(len(tally.multiplicities), 2000))
    assert len(law.sizes) == 20
    assert listed(law) is None
