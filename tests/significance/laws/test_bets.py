"""Bets: the winnings are a fair game under every distribution with the mean that is bet against, by brute force."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy.special import betainc, betaln

from referee.significance.laws import bets

ABOVE = np.array([0.0, 1.0, 2.0])
"""How far differences of right and wrong answers, -1, 0 and 1, are above the least that is possible."""


def with_mean(above, mean, spread):
    """Return shares of three values that have a mean: some of the middle one, the rest of the ends."""
    high = (mean - above[0] * (1 - spread) - above[1] * spread) / (above[2] - above[0])
    shares = np.array([1 - spread - high, spread, high])
    assert (shares >= 0).all()
    assert shares @ above == pytest.approx(mean)
    return shares


def paths(length, kinds):
    """Return every sequence of kinds as [sequence, look, kind]: how often each has occurred."""
    steps = np.array(list(product(range(kinds), repeat=length)))
    return steps, (steps[:, :, None] == np.arange(kinds)).cumsum(axis=1)


def won(looks, above, mean):
    """Return the logarithm of the winnings at every look, computed once for all that are alike."""
    flat = looks.reshape(-1, looks.shape[-1])
    alike, place = np.unique(flat, axis=0, return_inverse=True)
    return bets.log_winnings(alike.astype(float), above, mean)[place.ravel()].reshape(looks.shape[:-1])


@pytest.mark.parametrize(
    ("above", "mean"),
    [(ABOVE, 1.0), (ABOVE, 0.8), (ABOVE, 1.3), (np.array([0.0, 0.5, 8.0]), 4.0), (np.array([0.0, 1.5, 2.0]), 0.2)],
)
def test_winnings_are_fair_and_seldom_large(above, mean):
    steps, looks = paths(9, 3)
    for spread in (0.1, 0.05):
        shares = with_mean(above, mean, spread)
        chance, logs = shares[steps].prod(axis=1), won(looks, above, mean)
        assert chance.sum() == pytest.approx(1)
        for look in range(9):
            assert chance @ np.exp(logs[:, look]) == pytest.approx(1, abs=1e-12)
        for alpha in (0.02, 0.05, 0.2, 0.5, 0.8):
            ever = chance @ (logs.max(axis=1) >= -math.log(alpha))
            assert ever <= alpha + 1e-12
    assert chance @ (logs.max(axis=1) >= math.log(2)) > 0.05  # the bound is not empty


@pytest.mark.parametrize("mean", [1.0, 0.7])
def test_pairs_of_right_and_wrong_answers(mean):
    steps, looks = paths(12, 2)
    above = np.array([0.0, 2.0])
    chance = np.array([1 - mean / 2, mean / 2])[steps].prod(axis=1)
    up, down = won(looks, above, mean), won(looks, 2.0 - above, 2.0 - mean)
    for logs in (up, down):
        assert chance @ np.exp(logs[:, -1]) == pytest.approx(1, abs=1e-12)
    for alpha in (0.01, 0.05, 0.1, 0.3):
        ever = chance @ (np.maximum(up, down).max(axis=1) >= math.log(2 / alpha))
        assert 0 < ever <= alpha or alpha == 0.01


def test_winnings_never_have_a_better_or_worse_bet_at_hand():
    """Given what was, the expected winnings after one more example are what they are now."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        counts, mean = rng.integers(0, 30, (1, 3)).astype(float), rng.uniform(0.2, 1.8)
        shares = with_mean(ABOVE, mean, 0.1)
        now = bets.log_winnings(counts, ABOVE, mean)[0]
        then = [bets.log_winnings(counts + np.eye(3)[[kind]], ABOVE, mean)[0] for kind in range(3)]
        assert shares @ np.exp(np.array(then) - now) == pytest.approx(1, abs=1e-12)


def test_winnings_are_the_products_that_they_should_be():
    values, mean = [0.1, 1.9, 1.0, 1.0, 0.4, 2.0, 1.7], 0.9
    total = math.fsum(
        weight * math.prod(1 - share + share * value / mean for value in values)
        for share, weight in zip(bets.SHARES.tolist(), bets.WEIGHTS.tolist(), strict=True)
    )
    kinds, often = np.unique(values, return_counts=True)
    assert bets.log_winnings(often[None, :].astype(float), kinds, mean)[0] == pytest.approx(math.log(total), rel=1e-12)
    assert bets.WEIGHTS.sum() == pytest.approx(1, abs=1e-15)
    assert ((bets.SHARES > 0) & (bets.SHARES < 1)).all()


def test_an_even_mixture_is_a_beta_integral(monkeypatch):
    """On wins and losses ∫(1+s)^w(1-s)^l ds is an incomplete beta function: 2^(w+l+1)·∫θ^w(1-θ)^l dθ from a half to 1."""
    edges = np.linspace(0, 1, 4001)
    monkeypatch.setattr(bets, "SHARES", (edges[1:] + edges[:-1]) / 2)
    monkeypatch.setattr(bets, "LOG_WEIGHTS", np.log(np.diff(edges)))
    for wins, losses in [(9, 1), (30, 10), (5, 5), (0, 7), (120, 80)]:
        tail = math.log(1 - betainc(wins + 1, losses + 1, 0.5)) + betaln(wins + 1, losses + 1)
        ours = bets.log_winnings(np.array([[losses, wins]], dtype=float), np.array([0.0, 2.0]), 1.0)[0]
        assert ours == pytest.approx((wins + losses + 1) * math.log(2) + tail, rel=1e-5, abs=1e-5)


def test_winnings_fall_as_the_mean_grows():
    rng = np.random.default_rng(2)
    for _ in range(20):
        above = np.sort(rng.uniform(0, 2, 4))
        counts = rng.integers(0, 50, (1, 4)).astype(float)
        logs = [bets.log_winnings(counts, above, mean)[0] for mean in np.linspace(0.01, 2, 60)]
        assert (np.diff(logs) <= 1e-12).all()


def test_the_least_mean_is_where_the_winnings_are_enough():
    counts, target = np.array([3.0, 40.0, 25.0]), math.log(40)
    least = bets.least_mean(counts, ABOVE, 2.0, target)
    assert bets.log_winnings(counts[None, :], ABOVE, least)[0] == pytest.approx(target, abs=1e-9)
    assert bets.least_mean(np.zeros(3), ABOVE, 2.0, target) == 0.0
    assert bets.least_mean(np.array([5.0, 0.0, 0.0]), ABOVE, 2.0, target) == 0.0
    assert bets.least_mean(np.array([0.0, 0.0, 1.0]), ABOVE, 2.0, target) < 2 / 20


def test_the_winnings_on_a_normal_statistic_are_the_limit():
    """Many small differences of ±1: the bets on counts win what those on the statistic win."""
    for wins, losses in [(50_300, 49_700), (5100, 4900), (50_000, 50_000)]:
        apart = wins + losses
        z = (wins - losses) / math.sqrt(apart)
        exact = bets.log_winnings(np.array([[losses, wins]], dtype=float), np.array([0.0, 2.0]), 1.0)[0]
        assert bets.log_normal_winnings(np.array([z]), np.array([apart]))[0] == pytest.approx(exact, abs=0.02)


@pytest.mark.parametrize("size", [1.0, 50.0, 1e4, 1e9])
def test_the_bound_on_a_normal_statistic_is_where_the_winnings_are_enough(size):
    z = bets.normal_bound(size, math.log(40))
    assert bets.log_normal_winnings(np.array([z]), np.array([size]))[0] == pytest.approx(math.log(40), abs=1e-9)
    assert z > 2.2


def test_a_random_walk_seldom_crosses_the_normal_bound():
    looks = np.arange(1, 2001)
    bound = np.array([bets.normal_bound(float(look), math.log(20)) for look in looks[::40]])
    walks = np.random.default_rng(3).normal(size=(4000, len(looks))).cumsum(axis=1)[:, ::40] / np.sqrt(looks[::40])
    share = (walks >= bound).any(axis=1).mean()
    assert 0.005 < share <= 0.05


def test_counts_may_be_huge():
    counts = np.array([[1e9, 3e9, 1e9 + 4e5]])
    log = bets.log_winnings(counts, ABOVE, 1.0)[0]
    best = 4e5**2 / (2 * 2e9)  # what the best bet wins, by the normal law
    assert best - 10 < log < best
    low = bets.least_mean(counts[0], ABOVE, 2.0, math.log(40)) - 1
    assert 0 < low < 4e5 / 5e9
