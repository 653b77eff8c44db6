"""skew-t: its formulas written out, one law for p and interval, its edges, and its false alarms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

import referee
from referee.data.counts import Counts
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance import resolve as resolve_test
from referee.significance.base import Test
from referee.significance.laws.pulls import carriers
from referee.significance.rank_tally import tally_of
from referee.significance.skew_t import Moments

TEST, STREAMS = resolve_test("skew-t"), Streams.of(0)


def tally(changes, **more):
    return tally_of(referee.count(a=[0.0] * len(changes), b=[float(x) for x in changes], **more), resolve("mean"))


def moments(of):
    return tuple(float(part[0]) for part in vars(Moments.of(of, of.multiplicities[None, :])).values())


def written_out(x):
    """Return d, se, a and df as the literature writes them."""
    n = len(x)
    kurtosis = float(stats.kurtosis(x, fisher=False))
    df = n - 1 if kurtosis <= 1 + 1e-12 else min(n - 1, 2 * n / (kurtosis - 1))
    return x.mean(), x.std(ddof=1) / np.sqrt(n), float(stats.skew(x)) / np.sqrt(n), df


def hall(t, a):
    """Hall's transformation, as printed: t + γt²/(3√n) + γ²t³/(27n) + γ/(6√n)."""
    return ((1 + a * t / 3) ** 3 - 1) / a + a / 6


@pytest.mark.parametrize("seed", range(5))
def test_by_the_formulas(seed):
    x = np.random.default_rng(seed).lognormal(0, 1, 25).round(3) - 1.2
    d, se, a, df = written_out(x)
    assert moments(tally(x)) == pytest.approx((d, se, a, df), rel=1e-9)
    for null in (0.0, 0.5, 3.0):
        t = (d - null) / se
        both = np.array([t, hall(t, a)])
        p = {
            "two-sided": (2 * stats.t.sf(np.abs(both), df)).max(),
            "greater": stats.t.sf(both, df).max(),
            "less": stats.t.cdf(both, df).max(),
        }
        for alternative, value in p.items():
            assert TEST.p_at(tally(x), null, alternative, STREAMS) == pytest.approx(value, rel=1e-8)
    q = stats.t.ppf(0.95, df)
    back = [3 / a * (np.cbrt(1 + a * (y - a / 6)) - 1) for y in (q, -q)]
    made = TEST.interval_of(tally(x), 0.9, STREAMS)
    assert made.low == pytest.approx(min(d - q * se, d - back[0] * se), rel=1e-9)
    assert made.high == pytest.approx(max(d + q * se, d - back[1] * se), rel=1e-9)


def test_skewed_to_the_right_the_upper_end_moves_out():
    """A mean of a right-skewed sample is mostly too small, and its error with it: the truth may lie well above."""
    x = np.random.default_rng(3).lognormal(0, 1, 40).round(3)
    plain = resolve_test("paired-t").interval_of(tally(x), 0.95, STREAMS)
    made = TEST.interval_of(tally(x), 0.95, STREAMS)
    assert made.high - plain.high > 3 * (plain.low - made.low) > 0


numbers = st.lists(st.integers(-8, 30), min_size=2, max_size=25)


@settings(max_examples=150, deadline=None)
@given(numbers, st.floats(0.001, 0.999), st.floats(-10, 30))
def test_p_and_interval_are_one_law(changes, alpha, null):
    of = tally(changes)
    assume(len(set(changes)) > 1)
    interval = TEST.interval_of(of, 1 - alpha, STREAMS)
    clear = min(abs(null - interval.low), abs(null - interval.high)) > 1e-7 * (interval.high - interval.low)
    if clear:
        assert (TEST.p_at(of, null, "two-sided", STREAMS) <= alpha) == (null not in interval)
        assert (TEST.p_at(of, null, "greater", STREAMS) <= alpha / 2) == (null < interval.low)
        assert (TEST.p_at(of, null, "less", STREAMS) <= alpha / 2) == (null > interval.high)
    for alternative in ("two-sided", "greater", "less"):
        own = TEST.measure(of, of.multiplicities[None, :], alternative, STREAMS).p[0]
        assert TEST.p_at(of, 0.0, alternative, STREAMS) == own


@settings(max_examples=60, deadline=None)
@given(numbers)
def test_exchanging_the_systems_turns_the_skewness(changes):
    of, mirror = tally(changes), tally([-x for x in changes])
    d, se, a, df = moments(of)
    assert moments(mirror) == pytest.approx((-d, se, -a, df), rel=1e-9, abs=1e-12, nan_ok=True)
    for one, other in (("two-sided", "two-sided"), ("greater", "less"), ("less", "greater")):
        p, q = (TEST.p_at(*given, STREAMS) for given in ((of, 0.0, one), (mirror, 0.0, other)))
        assert (p is None and q is None) or p == pytest.approx(q, rel=1e-9)


@given(st.floats(-1, 1), st.floats(-30, 30))
def test_the_transformation_rises_and_turns_back(a, t):
    one = np.ones(1)
    made = Moments(0 * one, one, a * one, 9 * one)
    assert made.back(made.transformed(t * one)[:, None])[0, 0] == pytest.approx(t, rel=1e-6, abs=1e-6)
    assert made.transformed((t + 0.1) * one)[0] >= made.transformed(t * one)[0]
    if abs(a) > 1e-3:
        assert made.transformed(t * one)[0] == pytest.approx(hall(t, a), rel=1e-9, abs=1e-9)


def test_two_units_and_symmetric_ones_are_the_t_test():
    for x in ([1.0, 4.0], [1.0, 2.0, 3.0], [0, 1, 0, 1]):
        assert moments(tally(x))[2:] == pytest.approx((0.0, len(x) - 1), abs=1e-12)
        for alternative in ("two-sided", "greater", "less"):
            plain = resolve_test("paired-t").p_at(tally(x), 0.0, alternative, STREAMS)
            assert TEST.p_at(tally(x), 0.0, alternative, STREAMS) == pytest.approx(plain, rel=1e-9)


def test_without_a_variance_there_is_no_answer():
    r = referee.compare(a=[0.1, 0.2, 0.3], b=[0.4, 0.5, 0.6], metric="mean", test="skew-t")
    assert (r.p_value, r.interval) == (None, None)
    r = referee.compare(a=[0.1, 0.2, 0.3], b=[0.1, 0.2, 0.3], metric="mean", test="skew-t")
    assert (r.p_value, r.interval.low, r.interval.high) == (1.0, 0.0, 0.0)
    r = referee.compare(a=[0.1], b=[0.4], metric="mean", test="skew-t")
    assert (r.p_value, r.interval) == (None, None)
    assert [w for w in r.warnings if "one example" in w]
    assert not [w for w in r.warnings if "standard error is 0" in w]


def test_a_mean_over_some_examples_is_about_these():
    data = {"truth": [1] * 12 + [0] * 30, "a": [1, 0] * 6 + [0, 1] * 15, "b": [1] * 10 + [0] * 2 + [0] * 30}
    recall = tally_of(Counts.of({k: np.array(v) for k, v in data.items()}), resolve("recall"))
    change = np.array(data["b"][:12]) - np.array(data["a"][:12])
    assert moments(recall) == pytest.approx(written_out(change.astype(float)), rel=1e-9, abs=1e-12)


def test_rmse_by_its_influence():
    rng = np.random.default_rng(0)
    truth, a, b = rng.normal(size=(3, 40)).round(3)
    of = tally_of(referee.count(truth=truth, a=a, b=b), resolve("rmse"))
    roots = [np.sqrt(((x - truth) ** 2).mean()) for x in (a, b)]
    psi = ((b - truth) ** 2 - roots[1] ** 2) / (2 * roots[1]) - ((a - truth) ** 2 - roots[0] ** 2) / (2 * roots[0])
    d, se, skew, df = moments(of)
    assert d == pytest.approx(roots[1] - roots[0])
    assert (se, skew, df) == pytest.approx(written_out(psi)[1:], rel=1e-6)


def test_strata_are_centred_each_by_its_own_mean():
    x, stratum = np.array([1.0, 2, 4, 10, 11, 15, 13]), np.array([0, 0, 0, 1, 1, 1, 1])
    n, variance, fourth, within = len(x), 0.0, 0.0, 0.0
    cubes = squares = 0.0
    for s in (0, 1):
        part = x[stratum == s] - x[stratum == s].mean()
        variance += len(part) / (len(part) - 1) * (part**2).sum() / n**2
        squares, cubes, fourth = squares + (part**2).sum(), cubes + (part**3).sum(), fourth + (part**4).sum()
        within += (part**2).sum() ** 2 / len(part)
    df = min(n - 2, 2 * squares**2 / (fourth - within))
    assert moments(tally(x, stratum=stratum)) == pytest.approx((x.mean(), np.sqrt(variance), cubes / squares**1.5, df))
    assert moments(tally(x, stratum=[7] * n)) == pytest.approx(moments(tally(x)))
    # A stratum of one shows nothing of how it varies, and joins the smallest of the others.
    single = tally(x, stratum=[0, 0, 0, 1, 1, 1, 2])
    joined = [moments(tally(x, stratum=[0, 0, 0, 1, 1, 1, other])) for other in (0, 1)]
    assert any(moments(single) == pytest.approx(one) for one in joined)


def test_what_is_covered_in_batches_is_what_intervals_hold():
    of = tally([0, 0, 1, 2, 2, 5, 9, -1, -1, 0, 3, 4])
    batch = np.random.default_rng(1).multinomial(12, of.multiplicities / of.units, 15)
    batch[0] = 12 * np.eye(len(of.multiplicities), dtype=int)[0]
    for value in (0.0, 2.0):
        assert np.array_equal(
            TEST.covers(of, batch, value, (0.5, 0.9), STREAMS),
            Test.covers(TEST, of, batch, value, (0.5, 0.9), STREAMS),
            equal_nan=True,
        )


def test_the_picture_adds_up_to_p():
    of = tally(np.random.default_rng(4).lognormal(0, 1, 30).round(2) - 1.3)
    for alternative in ("two-sided", "greater", "less"):
        luck = TEST.luck(of, alternative, STREAMS)
        assert luck.p == pytest.approx(TEST.p_at(of, 0.0, alternative, STREAMS), rel=1e-6)
        assert luck.how == "student"


def test_a_handful_that_carries_half_is_told():
    rng = np.random.default_rng(0)
    assert carriers(tally(rng.normal(size=60))) == (None, 60)
    assert carriers(tally([*rng.normal(size=99), 30.0])) == (1, 100)
    assert carriers(tally([*rng.normal(size=198), 20.0, 20.0])) == (2, 200)
    assert carriers(tally([*rng.normal(size=194), *[20.0] * 6])) == (4, 200)
    assert carriers(tally([*rng.normal(size=190), *[20.0] * 10])) == (None, 200)
    assert carriers(tally([0.0] * 12 + [9.0])) == (None, 13), "of few units some always carry much"
    assert carriers(tally([1.0] * 30)) == (None, 30)
    truth = rng.normal(size=400)
    a, b = truth + rng.normal(size=400), truth + rng.normal(size=400) * np.where(np.arange(400) % 50 == 0, 10, 0.58)
    r = referee.compare(truth=truth, a=a, b=b, metric="rmse", test="skew-t")
    assert [w for w in r.warnings if "of 400 examples carr" in w]


@pytest.mark.parametrize(
    ("sigma", "n", "published"),
    [(1.0, 30, 0.06), (1.0, 50, 0.05), (1.0, 100, 0.04), (1.5, 30, 0.09), (1.5, 50, 0.08), (1.5, 100, 0.06)],
)
def test_false_alarms_on_lognormal_differences(sigma, n, published):
    """The shares are known to a per cent, and come from 3,000 sets or so."""
    sets = 4000
    x = np.random.default_rng(n).lognormal(0, sigma, (sets, n)) - np.exp(sigma**2 / 2)
    rest = x - x.mean(axis=1, keepdims=True)
    squares = (rest**2).sum(axis=1)
    kurtosis = n * (rest**4).sum(axis=1) / squares**2
    made = Moments(
        x.mean(axis=1),
        np.sqrt(squares / (n - 1) / n),
        (rest**3).sum(axis=1) / squares**1.5,
        np.minimum(n - 1, 2 * n / (kurtosis - 1)),
    )
    share = (made.p(0.0, "two-sided")[1] <= 0.05).mean()
    doubt = np.sqrt(published * (1 - published) * (1 / sets + 1 / 3000))
    assert abs(share - published) <= 0.005 + 3 * doubt
    plain = (2 * stats.t.sf(np.abs(made.difference / made.error), n - 1) <= 0.05).mean()
    assert share < 0.7 * plain
