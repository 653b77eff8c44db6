"""The bootstrap draws what it says, and memory and order change nothing."""

from __future__ import annotations

import numpy as np
import pytest

from referee.data.counts import Counts, from_events
from referee.metrics import METRICS
from referee.runtime.randomness import Streams
from referee.significance.laws.resample import bootstrap, jackknife, members, resample
from referee.significance.rank_tally import RankTally
from referee.significance.tally import Tally

EVENTS = (61, 14, 9, 21, 6, 11, 5, 873)


def test_draws_are_multinomial_within_strata():
    counts = Counts.of({"truth": [1] * 60, "a": [0, 1] * 30, "b": [1] * 60, "stratum": [0] * 20 + [1] * 40})
    tally = Tally.of(counts, METRICS["accuracy"])
    drawn = resample(tally.multiplicities, members(tally.strata), 2000, [np.random.default_rng(i) for i in range(2)])
    for stratum, size in ((0, 20), (1, 40)):
        inside = tally.strata == stratum
        assert (drawn[:, inside].sum(axis=1) == size).all()
        assert drawn[:, inside].mean(axis=0) == pytest.approx(tally.multiplicities[inside], rel=0.05)


@pytest.mark.parametrize("n", [30, 400])
def test_few_and_many_repeats_have_the_same_law(n):
    rng = np.random.default_rng(1)
    values = rng.normal(size=n).round(1 if n == 400 else 6)
    tally = Tally.of(Counts.of({"a": values, "b": values + rng.normal(size=n).round(1)}), METRICS["mean"])
    draws = bootstrap(tally, 4000, Streams.of(0)).differences
    gap = tally.statistics[:, 1, 0] - tally.statistics[:, 0, 0]
    mean = float(tally.multiplicities @ gap) / n
    spread = np.sqrt(float(tally.multiplicities @ (gap - mean) ** 2) / n / n)
    assert draws.mean() == pytest.approx(mean, abs=5 * spread / np.sqrt(4000))
    assert draws.std() == pytest.approx(spread, rel=0.05)


def test_draws_are_shared_and_repeatable():
    tally = Tally.of(from_events(EVENTS), METRICS["f1"])
    first = bootstrap(tally, 500, Streams.of(0))
    assert bootstrap(tally, 500, Streams.of(0)) is first
    again = bootstrap(Tally.of(from_events(EVENTS), METRICS["f1"]), 500, Streams.of(0))
    assert np.array_equal(first.scores, again.scores)
    assert bootstrap(tally, 500, Streams.of(0), studentized=True).errors is not None


def test_jackknife_leaves_one_out():
    tally = Tally.of(from_events(EVENTS), METRICS["mcc"])
    left = jackknife(tally)
    for unit in range(len(left)):
        weights = tally.multiplicities.copy()
        weights[unit] -= 1
        scores = tally.scores(weights)
        assert left[unit] == pytest.approx(scores[1] - scores[0], abs=1e-12)


def test_jackknife_of_ranks():
    rng = np.random.default_rng(0)
    counts = Counts.of({"truth": [0, 1] * 10, "a": rng.random(20).round(1) + 0.01, "b": rng.random(20)})
    tally = RankTally.of(counts, METRICS["auc"])
    left = jackknife(tally)
    weights = tally.multiplicities.copy()
    weights[3] -= 1
    scores = tally.scores(weights)
    assert left[3] == pytest.approx(scores[1] - scores[0], abs=1e-12)


def test_grouped_ranks_resample_whole_groups():
    rng = np.random.default_rng(2)
    data = {"truth": rng.integers(0, 2, 40), "a": rng.random(40), "b": rng.random(40), "group": np.arange(40) // 4}
    tally = RankTally.of(Counts.of(data), METRICS["auc"])
    assert tally.units == 10
    weights = np.array([2, 0, 1, 1, 1, 1, 1, 1, 1, 1])
    rows = np.repeat(np.arange(40), weights[data["group"]])
    alone = RankTally.of(Counts.of({k: v[rows] for k, v in data.items() if k != "group"}), METRICS["auc"])
    assert tally.scores(weights) == pytest.approx(alone.observed(), abs=1e-12)
    assert tally.scores(weights[None, :])[0] == pytest.approx(alone.observed(), abs=1e-12)


def test_swapped_ranks_equal_swapped_data():
    rng = np.random.default_rng(3)
    truth, a, b = rng.integers(0, 2, 30), rng.random(30).round(2), rng.random(30).round(2)
    tally = RankTally.of(Counts.of({"truth": truth, "a": a + 0.001, "b": b + 0.001}), METRICS["average-precision"])
    flip = np.arange(len(tally.multiplicities)) % 3 == 0
    keep = np.where(flip, 0, tally.multiplicities)
    both = tally.scores(keep, tally.multiplicities - keep)
    turned = np.where(flip[:, None], tally.values[:, ::-1], tally.values)
    rows = np.repeat(np.arange(len(flip)), tally.multiplicities)
    plain = {"truth": tally.positive[rows].astype(int), "a": turned[rows, 0], "b": turned[rows, 1]}
    assert both == pytest.approx(RankTally.of(Counts.of(plain), METRICS["average-precision"]).observed(), abs=1e-12)


@pytest.mark.parametrize("group", [None, 8])
def test_a_mirror_remembers_nothing_of_its_original(group):
    rng = np.random.default_rng(4)
    data = {"truth": [0, 1] * 20, "a": rng.random(40), "b": rng.random(40)}
    if group:
        data["group"] = np.arange(40) % group
    tally = RankTally.of(Counts.of(data), METRICS["auc"])
    first = bootstrap(tally, 200, Streams.of(0)).scores
    mirrored = bootstrap(tally.mirror(), 200, Streams.of(0)).scores
    assert not np.array_equal(first, mirrored)
