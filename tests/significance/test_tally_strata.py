"""Strata: what varies is what varies within them, however small they are."""

from __future__ import annotations

import numpy as np
import pytest

import referee
from referee.data.counts import Counts
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance import resolve as resolve_test
from referee.significance.laws.resample import Drawing, bootstrap, members
from referee.significance.rank_tally import tally_of
from referee.significance.strata import merge_lonely, stratum_sums

CELLS = np.array([(t, a, b) for t in (1, 0) for a in (1, 0) for b in (1, 0)])
SHARES = np.array([0.2, 0.12, 0.06, 0.05, 0.06, 0.05, 0.09, 0.37])
"""B is better than A."""


def sets(size, strata, metric, many, seed=0):
    """Return the tally of strata of one size, `many` test sets of it, and the true difference."""
    truth, a, b = np.tile(CELLS, (strata, 1)).T
    columns = {"truth": truth, "a": a, "b": b, "stratum": np.repeat(np.arange(strata), len(CELLS))}
    counts = Counts.of(columns, positive=1)
    tally = tally_of(counts, resolve(metric))
    rows = zip(*(counts[role].tolist() for role in ("stratum", "truth", "a", "b")), strict=True)
    place = np.array([k * len(CELLS) + 4 * (1 - t) + 2 * (1 - x) + 1 - y for k, t, x, y in rows])
    drawn = np.random.default_rng(seed).multinomial(size, SHARES, size=(many, strata)).reshape(many, -1)
    batch = np.zeros((many, len(tally.multiplicities)), dtype=np.int64)
    np.add.at(batch.T, tally.place, drawn[:, place].T)
    shares = np.zeros(len(tally.multiplicities))
    np.add.at(shares, tally.place, np.tile(SHARES, strata)[place])
    scores = tally.scores(shares)
    return tally, batch, float(scores[1] - scores[0])


@pytest.mark.parametrize("size", [2, 3, 5])
@pytest.mark.parametrize("metric", ["accuracy", "f1", "precision"])
def test_standard_errors_are_those_of_small_strata(metric, size):
    """Without n/(n - 1) an interval of 1.96 errors covers 83%, 88% and 92%; within four Monte Carlo errors it covers 93%."""
    tally, batch, true = sets(size, 180 // size, metric, 4000)
    scores, errors = tally.scores(batch), tally.standard_errors(batch)
    difference = scores[:, 1] - scores[:, 0]
    assert np.sqrt((errors**2).mean()) == pytest.approx(difference.std(), rel=0.06)
    assert (np.abs(difference - true) <= 1.96 * errors).mean() >= 0.93


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("metric", ["accuracy", "f1"])
def test_the_bootstrap_holds_the_truth_within_small_strata(metric, size):
    """Drawn as many as there are, strata of 2 and 3 covered 81% and 88%."""
    tally, batch, true = sets(size, 60 // size, metric, 300, seed=size)
    held = resolve_test("bootstrap").covers(tally, batch, true, (0.95,), Streams.of(size))
    assert held.mean() >= 0.93 - 2 * np.sqrt(0.93 * 0.07 / 300)


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("metric", ["accuracy", "f1", "recall"])
def test_cluster_t_holds_the_truth_within_small_strata(metric, size):
    """Also where in some strata one example alone is of those that the metric counts."""
    tally, batch, true = sets(size, 60 // size, metric, 2000, seed=size)
    held = resolve_test("cluster-t").covers(tally, batch, true, (0.95,), Streams.of(size))
    assert held.mean() >= 0.93


@pytest.mark.parametrize("sizes", [[2] * 30, [3] * 20, [2, 3, 5, 40, 2, 7]])
def test_draws_vary_as_standard_errors_say(sizes):
    rng = np.random.default_rng(1)
    stratum = np.repeat(np.arange(len(sizes)), sizes)
    data = {"a": np.zeros(len(stratum)), "b": rng.normal(size=len(stratum)) + stratum, "stratum": stratum}
    tally = tally_of(Counts.of(data), resolve("mean"))
    drawn = bootstrap(tally, 20_000, Streams.of(3), studentized=True)
    by_hand = sum(n / (n - 1) * ((part - part.mean()) ** 2).sum() for n, part in parts(data["b"], sizes))
    error = float(tally.standard_errors(tally.multiplicities))
    assert error == pytest.approx(np.sqrt(by_hand) / len(stratum))
    assert drawn.differences.std() == pytest.approx(error, rel=0.03)
    assert drawn.differences.mean() == pytest.approx(data["b"].mean(), abs=4 * error / np.sqrt(20_000))
    if min(sizes) > 2:
        # A draw's own error is right on average, too: one fewer was drawn, and one more is spent on the mean.
        assert np.sqrt((drawn.errors**2).mean()) == pytest.approx(error, rel=0.03)


def parts(values, sizes):
    return [(len(part), part) for part in np.split(values, np.cumsum(sizes)[:-1])]


def test_draws_of_a_stratum_weigh_as_much_as_it_has():
    strata = np.array([0, 0, 1, 1, 1, 2])
    weights = np.array([1, 1, 4, 1, 2, 9])
    drawn = Drawing(weights, members(strata), Streams.of(1)).take(50)
    assert stratum_sums(drawn, strata) == pytest.approx(np.tile([2.0, 7.0, 9.0], (50, 1)))
    assert np.unique(drawn[:, :2]).tolist() == [0.0, 2.0]


@pytest.mark.parametrize("test", ["bootstrap", "bootstrap:interval=bca", "bootstrap:interval=studentized"])
def test_one_stratum_is_none(test):
    rng = np.random.default_rng(4)
    data = {"truth": rng.integers(0, 2, 80), "a": rng.integers(0, 2, 80), "b": rng.integers(0, 2, 80)}
    plain = referee.compare(Counts.of(data), metric="f1", test=test, audit=False)
    named = referee.compare(Counts.of({**data, "stratum": ["only"] * 80}), metric="f1", test=test, audit=False)
    assert (named.p_value, named.interval) == (plain.p_value, plain.interval)
    assert Drawing(np.array([3, 5]), [np.arange(2)], Streams.of(0)).take(9).dtype == np.int64


@pytest.mark.parametrize(
    ("strata", "weights", "merged", "lonely"),
    [
        ([0, 1, 2], [5, 5, 5], [0, 1, 2], 0),
        ([0, 1, 2], [5, 1, 4], [0, 2, 2], 1),
        ([0, 1, 2, 2], [1, 7, 1, 1], [2, 1, 2, 2], 1),
        ([0, 1, 2, 3], [1, 7, 1, 1], [0, 1, 0, 0], 3),
        ([0, 1, 2], [1, 1, 1], [0, 0, 0], 3),
        ([0], [1], [0], 0),
        ([0, 0], [1, 1], [0, 0], 0),
    ],
)
def test_strata_of_one_are_merged(strata, weights, merged, lonely):
    found = merge_lonely(np.array(strata), np.array(weights))
    assert (found[0].tolist(), found[1]) == (merged, lonely)


@pytest.mark.parametrize("test", [None, "bootstrap:replicates=199", "cluster-t", "randomization", "paired-t", "skew-t"])
@pytest.mark.parametrize("metric", ["accuracy", "mean"])
def test_merging_is_said_aloud(metric, test):
    rng = np.random.default_rng(2)
    data = {"truth": rng.integers(0, 2, 40), "a": rng.integers(0, 2, 40), "b": rng.integers(0, 2, 40)}
    if metric == "mean":
        data = {"a": rng.normal(size=40), "b": rng.normal(size=40)}
    stratum = np.array(["x"] * 20 + ["y"] * 18 + ["p", "q"])
    by_hand = np.where(np.isin(stratum, ["p", "q"]), "p", stratum)
    one, other = (
        referee.compare(Counts.of({**data, "stratum": s}), metric=metric, test=test, audit=False)
        for s in (stratum, by_hand)
    )
    assert (one.p_value, one.interval) == (other.p_value, other.interval)
    assert one.p_value is not None
    said = (
        "2 strata have a single example each, which shows nothing of how their examples vary; they were merged into one"
    )
    assert said in one.warnings
    assert said not in other.warnings


def test_a_single_stratum_of_one_joins_the_smallest():
    rng = np.random.default_rng(2)
    data = {"a": rng.normal(size=40), "b": rng.normal(size=40), "stratum": ["x"] * 25 + ["y"] * 14 + ["p"]}
    found = referee.compare(Counts.of(data), audit=False)
    assert any("one stratum has a single example" in warning for warning in found.warnings)
    data["stratum"] = ["x"] * 25 + ["y"] * 15
    same = referee.compare(Counts.of(data), audit=False)
    assert (found.p_value, found.interval) == (same.p_value, same.interval)


def test_nothing_but_strata_of_one_is_as_without_strata():
    rng = np.random.default_rng(2)
    data = {"a": rng.normal(size=30), "b": rng.normal(size=30)}
    alone = referee.compare(Counts.of({**data, "stratum": np.arange(30)}), audit=False)
    none = referee.compare(Counts.of(data), audit=False)
    assert (alone.p_value, alone.interval) == (none.p_value, none.interval)
    assert any("30 strata have a single example each" in warning for warning in alone.warnings)


def test_strata_of_one_group_are_merged_too():
    rng = np.random.default_rng(3)
    group = np.repeat(np.arange(9), 5)
    data = {"a": rng.normal(size=45), "b": rng.normal(size=45), "group": group, "stratum": np.minimum(group, 7)}
    found = referee.compare(Counts.of(data), audit=False)
    assert found.test == "cluster-t"
    assert found.p_value is not None
    assert any("7 strata have a single group each" in warning for warning in found.warnings)
    truth = rng.integers(0, 2, 45)
    ranked = referee.compare(Counts.of({"truth": truth, **data}), metric="auc", audit=False)
    assert ranked.p_value is not None
    assert any("7 strata have a single group each" in warning for warning in ranked.warnings)
