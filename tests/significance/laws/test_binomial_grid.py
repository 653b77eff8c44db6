"""Exact tails on the grid: every road to the same number."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import referee
from referee.data.counts import from_events
from referee.metrics import METRICS
from referee.significance.laws import binomial_grid
from referee.significance.laws.swap import StudentSwap, Swap
from referee.significance.tally import Tally

BINARY = [name for name, metric in METRICS.items() if metric.monotone and name not in ("accuracy", "error")]


def enumerate_tail(statistic, sizes, threshold):
    total = Fraction(0)
    for x in range(sizes[0] + 1):
        for y in range(sizes[1] + 1):
            if statistic(np.array([float(x)]), np.array([float(y)]))[0] >= threshold:
                total += Fraction(comb(sizes[0], x) * comb(sizes[1], y), 2 ** sum(sizes))
    return float(total)


@given(st.integers(0, 25), st.integers(0, 25), st.floats(-3, 3), st.floats(-3, 3), st.floats(-20, 20))
@settings(max_examples=40, deadline=None)
def test_tail_equals_fractions(first, second, u, v, threshold):
    def statistic(x, y):
        return u * (x - first / 2) + v * (y - second / 2)

    found = binomial_grid.tail(statistic, (first, second), threshold, monotone=True)
    assert found == pytest.approx(
        max(enumerate_tail(statistic, (first, second), threshold), binomial_grid.TINIEST), rel=1e-9
    )


@pytest.mark.parametrize("metric", BINARY)
@pytest.mark.parametrize("events", [(90, 40, 25, 30, 20, 33, 41, 500), (10, 200, 260, 5, 300, 90, 20, 40)])
def test_bisection_equals_the_whole_grid(metric, events, monkeypatch):
    tally = Tally.of(from_events(events), METRICS[metric])
    scores = tally.observed()
    aim = abs(float(scores[1] - scores[0]))
    swap, student = Swap.of(tally, tally.multiplicities), StudentSwap.of(tally, tally.multiplicities)
    t = aim / float(tally.standard_errors(tally.multiplicities))
    whole = swap.upper(aim, 1e-12), student.upper(t, 1e-10)
    monkeypatch.setattr(binomial_grid, "SMALL", 0)
    assert swap.upper(aim, 1e-12) == pytest.approx(whole[0], rel=1e-10)
    assert student.upper(t, 1e-10) == pytest.approx(whole[1], rel=1e-9)


@pytest.mark.parametrize("metric", BINARY)
def test_builtin_metrics_are_monotone_along_both_axes(metric):
    rng = np.random.default_rng(0)
    for _ in range(20):
        events = rng.integers(0, 12, 8)
        tally = Tally.of(from_events(events + np.array([0, 1, 0, 0, 0, 1, 0, 1])), METRICS[metric])
        swap = Swap.of(tally, tally.multiplicities)
        sizes = (*swap.sizes.tolist(), 0, 0)[:2]
        x, y = np.meshgrid(np.arange(sizes[0] + 1.0), np.arange(sizes[1] + 1.0), indexing="ij")
        values = swap.at(x, y)
        for axis in (0, 1):
            steps = np.diff(values, axis=axis)
            assert (steps >= -1e-12).all() or (steps <= 1e-12).all()


def test_the_law_is_symmetric():
    tally = Tally.of(from_events((9, 4, 7, 3, 2, 5, 6, 30)), METRICS["f1"])
    swap = Swap.of(tally, tally.multiplicities)
    for d in (0.01, 0.05, 0.2):
        above = swap.upper(d, 0.0)
        below = 1 - swap.upper(-d, -1e-9)
        assert above == pytest.approx(below, abs=1e-9)


@pytest.mark.parametrize("size", [10, 10**4, 10**8])
def test_axis_probabilities(size):
    from scipy.stats import binom

    axis = binomial_grid.Axis(size, 10.0)
    middle = len(axis) // 2
    assert axis.probabilities.sum() == pytest.approx(1.0, abs=1e-12)
    places = [middle, middle + len(axis) // 10, len(axis) - 1]
    expected = binom.pmf(axis.values[places], size, 0.5)
    assert axis.probabilities[places] == pytest.approx(expected, rel=1e-7)


def test_a_function_that_is_not_monotone_is_summed_whole_or_refused(monkeypatch):
    def wavy(x, y):
        return np.sin(x / 3) + np.cos(y / 5)

    expected = binomial_grid.tail(wavy, (300, 300), 0.7, monotone=False)
    monkeypatch.setattr(binomial_grid, "SMALL", 1000)
    assert binomial_grid.tail(wavy, (300, 300), 0.7, monotone=False) == pytest.approx(expected, rel=1e-10)
    monkeypatch.setattr(binomial_grid, "BUDGET", 1000)
    assert binomial_grid.tail(wavy, (300, 300), 0.7, monotone=False) is None


def test_far_tails_are_small_and_not_zero():
    tally = Tally.of(from_events((0, 10**6, 0, 0, 0, 0, 0, 0)), METRICS["recall"])
    swap = Swap.of(tally, tally.multiplicities)
    assert swap.upper(1.0, 1e-12) == binomial_grid.TINIEST
    tally = Tally.of(from_events((0, 60, 0, 0, 0, 0, 0, 0)), METRICS["recall"])
    assert Swap.of(tally, tally.multiplicities).upper(1.0, 1e-12) == pytest.approx(2.0**-60, rel=1e-12)


def test_three_classes_are_not_taken_for_monotone(monkeypatch):
    """Two kinds of exchangeable rows of a 3-class task: two wrong answers trade places, and the score may go both ways."""
    from referee.data.counts import Counts

    rows = {"truth": [0, 0, 1, 1, 2, 2, 0], "a": [1, 2, 1, 2, 2, 0, 0], "b": [2, 1, 1, 2, 2, 0, 0]}
    tally = Tally.of(Counts.of(rows, [700, 500, 30, 40, 2, 300, 50]), METRICS["f1"](average="macro"))
    swap = Swap.of(tally, tally.multiplicities)
    assert not swap.monotone
    assert len(swap.sizes) <= 2
    values = swap.at(np.arange(swap.sizes[0] + 1.0), np.zeros(swap.sizes[0] + 1))
    scores = tally.observed()
    aim = abs(float(scores[1] - scores[0]))
    whole = swap.upper(aim, 1e-12)
    monkeypatch.setattr(binomial_grid, "SMALL", 0)
    assert swap.upper(aim, 1e-12) == pytest.approx(whole, rel=1e-9)
    assert np.isfinite(values).all()


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_a_handful_of_groups_is_summed_one_by_one(alternative):
    rng = np.random.default_rng(4)
    truth = rng.random(90) < 0.4
    a, b = (truth ^ (rng.random(90) < wrong) for wrong in (0.3, 0.15))
    group = rng.integers(0, 7, 90)
    given = {"truth": truth, "a": a, "b": b, "group": group}
    r = referee.compare(**given, metric="f1", test="randomization:studentized=true", alternative=alternative)
    assert (r.test, r.p_method, r.p_error) == ("randomization:studentized=true", "exact", None)
    t = []
    for flips in itertools.product([False, True], repeat=7):
        turn = np.array(flips)[group]
        swapped = referee.count(truth=truth, a=np.where(turn, b, a), b=np.where(turn, a, b), group=group)
        tally = Tally.of(swapped, METRICS["f1"])
        t.append(np.subtract(*tally.observed()[::-1]) / tally.standard_errors(tally.multiplicities))
    seen = t[0]
    wanted = {
        "two-sided": np.abs(t) >= abs(seen) - 1e-9,
        "greater": np.array(t) >= seen - 1e-9,
        "less": np.array(t) <= seen + 1e-9,
    }
    assert r.p_value == pytest.approx(wanted[alternative].mean(), rel=1e-9)


@pytest.mark.parametrize("law", [Swap, StudentSwap])
def test_a_trillion_examples_take_few_points_at_a_time(law):
    events = [
        61_000_000_000,
        12_000_154_000,
        11_999_846_000,
        21_000_000_000,
        6 * 10**9,
        8 * 10**9,
        8 * 10**9,
        872 * 10**9,
    ]
    tally = Tally.of(from_events(events), METRICS["f1"])
    made = law.of(tally, tally.multiplicities)
    seen = []

    def statistic(x, y):
        x, y = np.broadcast_arrays(x, y)
        seen.append(x.size)
        counts = np.stack([x, y], axis=-1)
        return made.statistic(counts) if law is StudentSwap else made.at(x, y)

    # From where on does not matter; this is where the systems are 0.1 standard deviations apart.
    at = [size / 2 + 0.1 * np.sqrt(size) / 2 for size in made.sizes.tolist()]
    threshold = float(statistic(np.array([at[0]]), np.array([at[1]]))[0])
    seen.clear()
    p = binomial_grid.tail(binomial_grid.Remembered(statistic), made.sizes.tolist(), threshold, monotone=law is Swap)
    assert 0.2 < p < 0.8
    assert max(seen) <= binomial_grid.AT_ONCE
    line = len(binomial_grid.Axis(int(made.sizes.min()), binomial_grid.WIDTHS[0]))
    assert sum(seen) < 3.5 * line
