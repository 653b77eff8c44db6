"""Exact answers equal enumeration; sampled answers agree with exact ones within their own error."""

from __future__ import annotations

import numpy as np
import pytest

import referee
from referee.data.counts import Counts, from_events
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance import resolve as resolve_test
from referee.significance.rank_tally import differing, tally_of
from tests import oracles, studentized
from tests.conformance.cases import EVERY, PAIRS, columns, counts, each, for_oracles, metric_names

N = 11


@pytest.mark.parametrize("metric", metric_names())
def test_every_metric_has_an_oracle(metric):
    data = columns(metric, 60, seed=1)
    r = referee.compare(Counts.of(data), metric=metric, audit=False)
    lists = for_oracles(data)
    for score, role in ((r.a.score, "a"), (r.b.score, "b")):
        assert score == pytest.approx(oracles.METRICS[metric](lists.get("truth"), lists[role]), abs=1e-12)


@pytest.mark.parametrize("metric", metric_names())
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_exact_randomization_equals_enumeration(metric, seed):
    data = columns(metric, N, seed, similar=0.3)
    lists = for_oracles(data)
    for alternative in ("two-sided", "greater", "less"):
        r = referee.compare(Counts.of(data), metric=metric, test="randomization", alternative=alternative, audit=False)
        brute = oracles.p_value(metric, lists.get("truth"), lists["a"], lists["b"], alternative)
        assert r.p_method == "exact"
        assert r.p_value == pytest.approx(brute, abs=1e-12)


@pytest.mark.parametrize("metric", metric_names())
def test_grouped_exact_randomization_equals_enumeration(metric):
    data = columns(metric, 30, 5, similar=0.4)
    groups = np.arange(30) % 9
    lists = for_oracles(data)
    r = referee.compare(Counts.of({**data, "group": groups}), metric=metric, test="randomization", audit=False)
    brute = oracles.p_value(metric, lists.get("truth"), lists["a"], lists["b"], groups=groups)
    assert r.p_method == "exact"
    assert r.p_value == pytest.approx(brute, abs=1e-12)


@pytest.mark.parametrize(("metric", "studentized"), [(m, s) for m in metric_names() for s in ("", "studentized=true,")])
def test_sampling_agrees_with_exact(metric, studentized):
    if studentized and (metric, "randomization:studentized=true") not in PAIRS:
        pytest.skip("no studentized form")
    data = counts(metric, 12 if metric in ("auc", "average-precision") else 40, seed=11, similar=0.5)
    sampled = referee.compare(
        data, metric=metric, test=f"randomization:{studentized}method=monte-carlo,trials=4999", audit=False
    )
    exact = referee.compare(data, metric=metric, test=f"randomization:{studentized}trials=99999", audit=False)
    error = np.hypot(sampled.p_error, exact.p_error or 0.0)
    assert sampled.p_method == "monte-carlo"
    assert abs(sampled.p_value - exact.p_value) <= 4 * error + 1e-12
    assert sampled.p_value >= 1 / 5000


def test_studentized_on_the_grid_equals_enumeration_of_its_law():
    """The studentized statistic recomputed from its definition for each of the 2^n exchanges."""
    data = columns("f1", 12, 4, similar=0.3)
    truth, a, b = (data[role] for role in ("truth", "a", "b"))

    def statistic(x, y):
        cells = np.array([(truth == t) & (x == u) & (y == v) for t in (0, 1) for u in (0, 1) for v in (0, 1)])
        e = cells.sum(1).astype(float)
        kinds = [(t, u, v) for t in (0, 1) for u in (0, 1) for v in (0, 1)]
        scores, influence = [], []
        for place in (1, 2):
            n = np.array([2.0 * (k[0] and k[place]) for k in kinds])
            d = np.array([float(k[0] + k[place]) for k in kinds])
            f = (e @ n) / (e @ d) if e @ d else 0.0
            scores.append(f)
            influence.append((n - f * d) / (e @ d) if e @ d else 0 * n)
        g = influence[1] - influence[0]
        se = np.sqrt(max(0.0, e @ g**2 - (e @ g) ** 2 / e.sum()))
        gap = scores[1] - scores[0]
        return gap / se if se > 1e-12 else (0.0 if abs(gap) < 1e-12 else np.copysign(np.inf, gap))

    observed = statistic(a, b)
    hits = 0
    for code in range(2**12):
        flip = np.array([(code >> i) & 1 for i in range(12)], dtype=bool)
        hits += abs(statistic(np.where(flip, b, a), np.where(flip, a, b))) >= abs(observed) - 1e-9
    r = referee.compare(Counts.of(data), metric="f1", test="randomization:studentized=true", audit=False)
    assert r.p_value == pytest.approx(hits / 2**12, abs=1e-12)
    assert r.statistic == pytest.approx(observed)


SHAPES = ("mixed", "perfect against constant", "constant against perfect")


def labelled(metric, shape, seed, n):
    """Return truth, a and b for a label metric; a perfect and a constant system leave no standard error."""
    rng = np.random.default_rng(seed)
    data = {role: values.tolist() for role, values in columns(metric, n, seed, similar=0.4).items()}
    if shape == "mixed":
        return data
    truth = data["truth"]
    systems = truth, [int(rng.integers(0, max(truth) + 1))] * n
    a, b = systems if shape.startswith("perfect") else systems[::-1]
    return {"truth": truth, "a": a, "b": b}


@pytest.mark.parametrize("metric", list(studentized.METRICS))
@pytest.mark.parametrize("shape", SHAPES)
def test_studentized_randomization_equals_enumeration(metric, shape):
    for seed in range(3):
        data = labelled(metric, shape, seed, 8)
        r = referee.compare(Counts.of(data), metric=metric, test="randomization:studentized=true", audit=False)
        assert r.p_method == "exact"
        assert r.p_value == pytest.approx(studentized.p_value(metric, **data), abs=1e-12)
        groups = np.random.default_rng(seed).integers(0, 6, 8).tolist()
        r = referee.compare(
            Counts.of({**data, "group": groups}), metric=metric, test="randomization:studentized=true", audit=False
        )
        assert r.p_method == "exact"
        assert r.p_value == pytest.approx(studentized.p_value(metric, **data, groups=groups), abs=1e-12)


def test_no_standard_error_is_infinite_for_the_data_and_for_every_exchange():
    test = "randomization:studentized=true"
    r = referee.compare(from_events([39, 0, 0, 0, 0, 5, 0, 0]), metric="kappa", test=test, audit=False)
    assert (r.p_value, r.p_method) == (pytest.approx(0.0625), "exact")
    truth, group = [0, 0, 0, 1, 0, 1, 1, 0, 0], [1, 5, 1, 6, 2, 1, 4, 5, 5]
    r = referee.compare(
        truth=truth, a=truth, b=[1] * 9, group=group, metric="balanced-accuracy", test=test, audit=False
    )
    assert (r.p_value, r.p_method) == (pytest.approx(0.25), "exact")
    # Four exchanges can rule nothing out at 95%.
    assert (r.interval.low, r.interval.high) == (-1.0, 1.0)


def smallest(data, metric, test, alternative):
    """Return the smallest p that exchanging the units on which the systems differ can give; mid-p counts half of it."""
    tally = tally_of(data, resolve(metric))
    apart = int(tally.multiplicities @ differing(tally))
    middle = test.split(":")[0] == "mcnemar" and "variant=exact" not in test
    return min(1.0, 2.0 ** ((alternative == "two-sided") - apart - middle))


def is_exact(data, metric, test):
    """Say whether the test gives an exact p here; a whole comparison takes much longer to say so."""
    tally = tally_of(data, resolve(metric))
    found = resolve_test(test).evaluate(tally, tally.multiplicities[None, :], "two-sided", Streams.of(0))
    return found.method == "exact"


@each([(metric, test, group and 5) for metric, test, group in EVERY])
def test_an_exact_p_is_never_below_the_smallest_of_its_law(metric, test, group):
    shapes = SHAPES if resolve(metric).task in ("labels", "binary", "multiclass") else SHAPES[:1]
    for shape in shapes:
        for seed in range(2):
            data = labelled(metric, shape, seed, 12)
            if group:
                data["group"] = np.random.default_rng(seed + 1).integers(0, group, 12)
            counted = Counts.of(data)
            if not is_exact(counted, metric, test):
                continue
            for alternative in ("two-sided", "greater", "less"):
                r = referee.compare(counted, metric=metric, test=test, alternative=alternative, audit=False)
                if r.p_method != "exact" or r.p_value is None:
                    break
                assert r.p_value >= smallest(counted, metric, test, alternative) * (1 - 1e-9)
