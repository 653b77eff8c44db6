"""delong:law=t: its degrees of freedom written out, its edges, and its false alarms with few positives."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import referee
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance import resolve as resolve_test
from referee.significance.base import Test
from referee.significance.rank_tally import tally_of

TEST, STREAMS = resolve_test("delong:law=t"), Streams.of(0)


def drawn(seed, positives, negatives, apart=1.0):
    rng = np.random.default_rng(seed)
    truth = np.repeat([1, 0], [positives, negatives])
    base = rng.normal(size=len(truth)) + apart * truth
    return {"truth": truth, "a": base + rng.normal(size=len(truth)), "b": base + rng.normal(size=len(truth))}


def tally(data):
    return tally_of(referee.count(**data), resolve("auc"))


def written_out(data):
    """Return the difference, DeLong's variance and Satterthwaite's degrees of freedom, pair by pair."""
    truth = np.asarray(data["truth"])
    wins = {}
    for system in ("a", "b"):
        scores = np.asarray(data[system])
        up, down = scores[truth == 1][:, None], scores[truth == 0][None, :]
        wins[system] = (up > down) + 0.5 * (up == down)
    change = wins["b"] - wins["a"]
    total, doubt = 0.0, 0.0
    for placed in (change.mean(axis=1), change.mean(axis=0)):
        m = len(placed)
        v, kurtosis = placed.var(ddof=1) / m, stats.kurtosis(placed, fisher=False)
        total += v
        doubt += v**2 / min(m - 1, 2 * m / (kurtosis - 1))
    return change.mean(), total, total**2 / doubt


@pytest.mark.parametrize("seed", range(5))
def test_by_the_formulas(seed):
    data = drawn(seed, 12, 30)
    d, v, df = written_out(data)
    t = d / np.sqrt(v)
    of = tally(data)
    assert TEST.parts(of, of.multiplicities[None, :]) == tuple(pytest.approx([x]) for x in (d, np.sqrt(v), df))
    assert TEST.p_at(of, 0.0, "two-sided", STREAMS) == pytest.approx(2 * stats.t.sf(abs(t), df))
    assert TEST.p_at(of, 0.01, "less", STREAMS) == pytest.approx(stats.t.cdf((d - 0.01) / np.sqrt(v), df))
    made = TEST.interval_of(of, 0.9, STREAMS)
    q = stats.t.ppf(0.95, df)
    assert (made.low, made.high, made.method) == pytest.approx((d - q * np.sqrt(v), d + q * np.sqrt(v), "delong-t"))
    assert Test.p_at(TEST, of, 0.01, "less", STREAMS) == pytest.approx(TEST.p_at(of, 0.01, "less", STREAMS), abs=1e-9)


def test_one_positive_has_no_variance():
    r = referee.compare(truth=[1, 0, 0, 0], a=[0.9, 0.8, 0.1, 0.2], b=[0.5, 0.8, 0.9, 0.2], metric="auc", test=TEST)
    assert (r.p_value, r.interval) == (None, None)
    assert [w for w in r.warnings if "two positive" in w]
    assert not [w for w in r.warnings if "standard error is 0" in w]


def test_areas_that_move_as_one():
    same = {"truth": [1, 1, 1, 0, 0, 0], "a": [0.9, 0.8, 0.2, 0.1, 0.3, 0.5], "b": [9.0, 8, 2, 1, 3, 5]}
    r = referee.compare(**same, metric="auc", test=TEST)
    assert (r.difference, r.p_value) == (0.0, 1.0)
    # Each positive and each negative is placed as much lower by b as any other.
    apart = {"truth": [1, 1, 0, 0], "a": [0.9, 0.8, 0.1, 0.2], "b": [0.1, 0.2, 0.9, 0.8]}
    r = referee.compare(**apart, metric="auc", test=TEST)
    assert (r.difference, r.p_value, r.interval) == (-1.0, None, None)


def test_only_the_two_laws():
    with pytest.raises(referee.RefereeError, match="law"):
        resolve_test("delong:law=cauchy")


def unlike(seed, apart):
    """Ten positives of a thousand; the areas are equal, and B's scores of positives lie twice as far apart."""
    rng = np.random.default_rng(seed)
    truth = np.repeat([1, 0], [10, 990])
    base, a, b = rng.normal(size=(3, 1000)) * np.sqrt(0.5)
    return {"truth": truth, "a": apart * truth + base + a, "b": apart * np.sqrt(2.5) * truth + (base + b) * (1 + truth)}


@pytest.mark.parametrize(("apart", "published"), [(1.0, (0.10, 0.057)), (2.33, (0.095, 0.047))])
def test_false_alarms_with_ten_positives(apart, published):
    """AUC .76, with the shares that the law was chosen by; and .95, with those of 3,000 other sets of this world."""
    sets, found = 600, {"normal": 0, "t": 0}
    for seed in range(sets):
        of = tally(unlike(seed, apart))
        for law in found:
            found[law] += resolve_test(f"delong:law={law}").p_at(of, 0.0, "two-sided", STREAMS) <= 0.05
    for law, share in zip(found, published, strict=True):
        assert abs(found[law] / sets - share) <= 3 * np.sqrt(share * (1 - share) * (1 / sets + 1 / 3000))
    assert found["t"] < 0.75 * found["normal"]
