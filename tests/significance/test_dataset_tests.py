"""Tests over datasets, against brute force, SciPy and simulation under the null."""

from itertools import combinations, permutations, product

import numpy as np
import pytest
from scipy import integrate, stats

from referee.runtime.randomness import Streams
from referee.significance import dataset_tests as laws
from referee.significance.sign_tests import signed_rank_p, signed_ranks


def table(n, k, seed=0, places=9):
    return np.random.default_rng(seed).normal(size=(n, k)).round(places)


@pytest.mark.parametrize("k", [2, 3, 4, 10, 50])
def test_the_law_of_the_range_is_that_of_scipy(k):
    q = np.array([0.0, 0.05, 0.5, 1.0, 2.0, 3.0, 3.5, 4.0, 5.0, 6.0, 8.0])
    assert laws.range_beyond(q, k) == pytest.approx(stats.studentized_range.sf(q, k, np.inf), abs=1e-8)


@pytest.mark.parametrize(("k", "alpha"), [(2, 0.05), (4, 0.05), (4, 0.1), (10, 0.01), (30, 0.001)])
def test_the_quantile_is_that_of_scipy(k, alpha):
    assert laws.range_quantile(alpha, k) == pytest.approx(stats.studentized_range.isf(alpha, k, np.inf), abs=1e-8)


@pytest.mark.parametrize(("k", "alpha", "q"), [
    (2, 0.05, 1.960), (3, 0.05, 2.343), (4, 0.05, 2.569), (10, 0.05, 3.164), (2, 0.1, 1.645), (4, 0.1, 2.291), (10, 0.1, 2.920),
])  # fmt: skip
def test_demsars_critical_values(k, alpha, q):
    # The table cuts some of its digits off instead of rounding: 2.3437 is 2.343.
    assert laws.critical_difference(alpha, 30, k) / laws.rank_error(30, k) == pytest.approx(q, abs=1e-3)


def test_demsars_critical_value_against_a_control():
    assert laws.critical_difference(0.05, 30, 4, against_one=True) / laws.rank_error(30, 4) == pytest.approx(
        2.394, abs=6e-4
    )


@pytest.mark.parametrize("q", [12.0, 25.0, 40.0])
def test_the_law_of_the_range_is_accurate_far_out(q):
    # There, one pair alone is that far apart: k (k - 1) / 2 times a normal tail.
    assert laws.range_beyond(np.array([q]), 5)[0] == pytest.approx(10 * 2 * stats.norm.sf(q / 2**0.5), rel=1e-6)


def test_the_law_of_the_range_by_another_integral():
    def inside(z):
        return 4 * stats.norm.pdf(z) * (stats.norm.cdf(z) - stats.norm.cdf(z - 3.0)) ** 3

    assert 1 - laws.range_beyond(np.array([3.0]), 4)[0] == pytest.approx(integrate.quad(inside, -10, 14)[0], abs=1e-9)


@pytest.mark.parametrize(("n", "k", "places"), [(5, 3, 9), (12, 4, 0), (30, 8, 1), (2, 5, 9)])
def test_friedman_is_that_of_scipy(n, k, places):
    scores = table(n, k, 3, places)
    found = laws.friedman(laws.ranks_of(scores))
    expected = stats.friedmanchisquare(*scores.T)
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue))


@pytest.mark.parametrize("places", [9, 0])
def test_ranks_are_those_of_scipy(places):
    scores = table(20, 6, 1, places)
    assert laws.ranks_of(scores) == pytest.approx(stats.rankdata(-scores, axis=1))


def test_friedman_by_definition_with_ties():
    # The sum of squares between systems over the mean square within datasets.
    ranks = laws.ranks_of(table(9, 4, 5, 0))
    n, k = ranks.shape
    within = ((ranks - (k + 1) / 2) ** 2).sum() / (n * (k - 1))
    between = n * ((ranks.mean(axis=0) - (k + 1) / 2) ** 2).sum()
    assert laws.friedman(ranks).statistic == pytest.approx(between / within)


def test_iman_davenport_is_an_analysis_of_variance_of_the_ranks():
    ranks = laws.ranks_of(table(11, 4, 2, 0))
    n, k = ranks.shape
    columns = n * ((ranks.mean(axis=0) - (k + 1) / 2) ** 2).sum() / (k - 1)
    rest = ((ranks - ranks.mean(axis=0)) ** 2).sum() / ((k - 1) * (n - 1))
    found = laws.iman_davenport(ranks)
    assert found.statistic == pytest.approx(columns / rest)
    assert found.p == pytest.approx(stats.f.sf(columns / rest, k - 1, (k - 1) * (n - 1)))


def test_perfect_agreement_has_the_p_value_of_all_orders():
    scores = np.tile([3.0, 2.0, 1.0], (4, 1))
    found = laws.iman_davenport(laws.ranks_of(scores))
    orders = list(permutations((1.0, 2.0, 3.0)))
    agree = sum(len(set(rows)) == 1 for rows in product(orders, repeat=4))
    assert np.isinf(found.statistic)
    assert found.p == pytest.approx(agree / len(orders) ** 4)


def test_nothing_differs():
    ranks = laws.ranks_of(np.ones((6, 4)))
    assert laws.friedman(ranks).p == laws.iman_davenport(ranks).p == 1
    assert np.isnan(laws.friedman(ranks).statistic)
    assert laws.nemenyi_p(np.zeros(1), 6, 4) == pytest.approx([1.0])


def test_what_differs_by_rounding_ties():
    scores = laws.tied(np.array([[0.1 + 0.2, 0.3, 0.7], [1e6, 1e6 + 1e-7, 1e6 + 1.0]]))
    assert laws.ranks_of(scores).tolist() == [[2.5, 2.5, 1.0], [2.5, 2.5, 1.0]]


@pytest.mark.parametrize("seed", range(4))
def test_wilcoxon_by_brute_force_with_ties_and_zeros(seed):
    gains = np.random.default_rng(seed).integers(-3, 5, 9).astype(float)
    ranks, ones = signed_ranks(gains, np.ones(9, dtype=np.int64), "wilcox")
    total, p, exact = signed_rank_p(ranks, ones)
    sizes = stats.rankdata(np.abs(gains[gains != 0]))
    sums = [np.dot(sizes, signs) for signs in product((-1, 1), repeat=len(sizes))]
    assert exact
    assert total == pytest.approx(np.dot(sizes, np.sign(gains[gains != 0])))
    assert p == pytest.approx(min(1.0, 2 * np.mean(np.array(sums) >= abs(total) - 1e-9)))


def posterior(gains, rope, draws=4000, seed=1):
    """The posterior by its definition, draw by draw."""
    z = np.concatenate([[0.0], gains])
    sums = z[:, None] + z[None, :]
    counted = np.zeros(3)
    for weights in np.random.default_rng(seed).dirichlet([0.5, *[1.0] * len(gains)], draws):
        mass = np.outer(weights, weights)
        regions = sums < -2 * rope, np.abs(sums) <= 2 * rope, sums > 2 * rope
        counted[np.argmax([mass[region].sum() for region in regions])] += 1
    return counted / draws


@pytest.mark.parametrize(("n", "rope", "shift"), [(8, 0.01, 0.01), (15, 0.004, 0.0), (5, 0.03, 0.02)])
def test_the_posterior_is_what_its_definition_says(n, rope, shift):
    gains = np.random.default_rng(n).normal(shift, 0.02, n)
    found = laws.signed_rank_posterior(gains[None, :], rope, Streams.of(0))
    assert found[0] == pytest.approx(posterior(gains, rope), abs=0.03)
    assert found.sum() == pytest.approx(1)


def test_the_posterior_turns_with_the_pair_and_counts_ties_half():
    gains = np.random.default_rng(0).normal(0.01, 0.02, (1, 12))
    found, turned = (laws.signed_rank_posterior(one, 0.01, Streams.of(0), 5000) for one in (gains, -gains))
    assert found[0].tolist() == turned[0][::-1].tolist()
    assert laws.signed_rank_posterior(np.zeros((1, 6)), 0.0, Streams.of(0), 100).tolist() == [[0.5, 0.0, 0.5]]
    assert laws.signed_rank_posterior(np.zeros((1, 6)), 0.01, Streams.of(0), 100).tolist() == [[0.0, 1.0, 0.0]]


def test_false_alarms_under_the_null():
    # Five systems that do not differ, 14 datasets: some pair is called different in at most 5% of 1,500 tables.
    draw, sets, n, k = np.random.default_rng(7), 1500, 14, 5
    cd, alarms = laws.critical_difference(0.05, n, k), np.zeros(3)
    for _ in range(sets):
        ranks = laws.ranks_of(draw.uniform(size=(n, 1)) + draw.normal(size=(n, k)))
        average = ranks.mean(axis=0)
        alarms += [np.ptp(average) > cd, laws.friedman(ranks).p <= 0.05, laws.iman_davenport(ranks).p <= 0.05]
    rates, error = alarms / sets, (0.05 * 0.95 / sets) ** 0.5
    assert (rates <= 0.05 + 3 * error).all(), rates
    assert rates[2] >= 0.05 - 3 * error  # the F form is the less conservative one
    assert rates[2] >= rates[1]


def test_false_alarms_of_wilcoxon_with_holm_under_the_null():
    draw, sets, alarms = np.random.default_rng(8), 250, 0
    ones = np.ones(12, dtype=np.int64)
    for _ in range(sets):
        scores = draw.normal(size=(12, 4))
        p = [
            signed_rank_p(*signed_ranks(scores[:, b] - scores[:, a], ones, "wilcox"))[1]
            for a, b in combinations(range(4), 2)
        ]
        alarms += min(p) * 6 <= 0.05
    assert alarms / sets <= 0.05 + 3 * (0.05 * 0.95 / sets) ** 0.5
