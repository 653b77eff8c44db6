"""Exact answers equal enumeration; sampled answers agree with exact ones within their own error."""

from __future__ import annotations

import numpy as np
import pytest

import referee
from referee.counts import Counts

from .. import oracles
from .cases import PAIRS, columns, counts, metric_names

N = 11


@pytest.mark.parametrize("metric", metric_names())
def test_every_metric_has_an_oracle(metric):
    data = columns(metric, 60, seed=1)
    r = referee.compare(Counts.of(data), metric=metric)
    truth = data.get("truth")
    for score, role in ((r.a.score, "a"), (r.b.score, "b")):
        assert score == pytest.approx(oracles.METRICS[metric](truth, data[role]), abs=1e-12)


@pytest.mark.parametrize("metric", metric_names())
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_exact_randomization_equals_enumeration(metric, seed):
    data = columns(metric, N, seed, similar=0.3)
    lists = {role: values.tolist() for role, values in data.items()}
    for alternative in ("two-sided", "greater", "less"):
        r = referee.compare(Counts.of(data), metric=metric, test="randomization", alternative=alternative)
        brute = oracles.p_value(metric, lists.get("truth"), lists["a"], lists["b"], alternative)
        assert r.p_method == "exact"
        assert r.p_value == pytest.approx(brute, abs=1e-12)


@pytest.mark.parametrize("metric", metric_names())
def test_grouped_exact_randomization_equals_enumeration(metric):
    data = columns(metric, 30, 5, similar=0.4)
    groups = np.arange(30) % 9
    lists = {role: values.tolist() for role, values in data.items()}
    r = referee.compare(Counts.of({**data, "group": groups}), metric=metric, test="randomization")
    brute = oracles.p_value(metric, lists.get("truth"), lists["a"], lists["b"], groups=groups)
    assert r.p_method == "exact"
    assert r.p_value == pytest.approx(brute, abs=1e-12)


@pytest.mark.parametrize(("metric", "studentized"), [(m, s) for m in metric_names() for s in ("", "studentized=true,")])
def test_sampling_agrees_with_exact(metric, studentized):
    if studentized and (metric, "randomization:studentized=true") not in PAIRS:
        pytest.skip("no studentized form")
    data = counts(metric, 12 if metric in ("auc", "average-precision") else 40, seed=11, similar=0.5)
    sampled = referee.compare(data, metric=metric, test=f"randomization:{studentized}method=monte-carlo,trials=4999")
    exact = referee.compare(data, metric=metric, test=f"randomization:{studentized}trials=99999")
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
    r = referee.compare(Counts.of(data), metric="f1", test="randomization:studentized=true")
    assert r.p_value == pytest.approx(hits / 2**12, abs=1e-12)
    assert r.statistic == pytest.approx(observed)
