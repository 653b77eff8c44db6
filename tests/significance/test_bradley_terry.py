"""Ratings of battles: the maximum of the likelihood, other packages' figures, and the sandwich written out battle by battle."""

import numpy as np
import pytest
from scipy.optimize import minimize

from referee.data.battles import read_battles
from referee.significance.bradley_terry import Fit, first_place
from referee.significance.unrated import score_test, strong_parts

# first and second, whether the second won, judge
ROWS = """
12:1:3 20:1:3 03:1:7 21:1:5 21:1:0 13:1:6 21:1:0 02:1:4 21:0:4 13:1:7 30:0:3 02:0:5 31:0:1 10:1:4 30:0:0 21:1:5 13:1:2 12:1:0
21:1:4 32:0:1 31:0:2 13:1:4 02:1:3 13:1:0 02:0:3 21:1:4 23:1:3 21:0:6 21:1:4 01:0:3 31:1:6 31:0:7 20:0:6 31:0:4 03:1:2 03:1:1
10:1:2 30:0:0 21:1:5 13:0:4 20:1:3 13:1:2 23:1:1 30:1:0 31:0:3 03:1:5 30:0:4 31:0:3 03:1:6 23:0:5 30:1:0 03:1:1 03:1:3 13:1:7
23:1:5 30:0:2 31:1:4 30:0:0 13:0:1 20:0:6
"""
ROWS = [tuple(row.split(":")) for row in ROWS.split()]
CHOIX = [-0.28760387620636546, -0.24632058500711368, -0.6131659423065587, 1.1470904035200378]
"""choix 0.4.1, ilsr_pairwise(alpha=0)."""
HC0 = [
    [0.31129570538817436, 0.18929956529579095, 0.14326844691681653],
    [0.18929956529579095, 0.3029334125076849, 0.10222309720325942],
    [0.1432684469168165, 0.10222309720325941, 0.24175826071240647],
]
CLUSTERED = [
    [0.3553192648673948, 0.2693469746994468, 0.05839231613783446],
    [0.26934697469944674, 0.33662248171067255, 0.09165748452931483],
    [0.058392316137834445, 0.09165748452931487, 0.1061374152773165],
]
"""statsmodels 0.15, a binomial GLM without intercept: the covariance of the ratings less that of the first model, robust (HC0) and
clustered by judge (use_correction=False)."""
FIRST_PLACE = -0.5182007130660613
"""The same with an intercept."""


def battles(rows=ROWS, grouped=True):
    sides = {"model_a": [r[0][0] for r in rows], "model_b": [r[0][1] for r in rows]}
    winner = {"1": "model_b", "0": "model_a", "t": "tie"}
    data = {**sides, "winner": [winner[r[1]] for r in rows], "judge": [r[2] if len(r) > 2 else 0 for r in rows]}
    (_, found), *_ = read_battles(data, {"winner": "winner", **({"group": "judge"} if grouped else {})})
    return found


def drawn(seed, models=5, times=300, judges=25):
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, 0.7, models)
    rows = []
    for _ in range(times):
        a, b = rng.choice(models, 2, replace=False)
        won = rng.random() < 1 / (1 + np.exp(strength[a] - strength[b]))
        rows.append((f"{a}{b}", "t" if rng.random() < 0.15 else str(int(won)), int(rng.integers(judges))))
    return battles(rows)


def plain_sandwich(fit):
    moves, times = fit.moves
    return moves.T @ (times[:, None] * moves)


def test_ratings_and_errors_are_those_of_other_packages():
    fit = Fit.of(battles())
    np.testing.assert_allclose(fit.ratings, CHOIX, atol=1e-9)
    less = np.c_[-np.ones(3), np.eye(3)]
    np.testing.assert_allclose(less @ plain_sandwich(fit) @ less.T, CLUSTERED, rtol=1e-7)
    alone = Fit.of(battles(grouped=False))
    np.testing.assert_allclose(less @ plain_sandwich(alone) @ less.T, HC0, rtol=1e-7)


def test_the_advantage_of_the_first_place_is_the_intercept():
    found = first_place(Fit.of(battles()))
    np.testing.assert_allclose(found.estimate, FIRST_PLACE, atol=1e-8)
    ordered = [(f"{min(r[0])}{max(r[0])}", r[1], r[2]) for r in ROWS if r[0] in ("01", "10", "23", "32")]
    assert first_place(Fit.of(battles([*ordered, *[("12", "t", "1")] * 4]))) is None


@pytest.mark.parametrize("seed", range(4))
def test_no_ratings_are_more_likely(seed):
    found = drawn(seed)
    fit = Fit.of(found)

    def surprise(free):
        ratings = np.r_[free, -free.sum()]
        apart = ratings[found.second] - ratings[found.first]
        return found.times @ (found.share * np.logaddexp(0, -apart) + (1 - found.share) * np.logaddexp(0, apart))

    best = minimize(surprise, np.zeros(4), tol=1e-12)
    assert surprise(fit.ratings[:-1]) <= best.fun + 1e-9
    np.testing.assert_allclose(fit.ratings[:-1], best.x, atol=1e-4)


@pytest.mark.parametrize("grouped", [True, False])
def test_the_sandwich_gives_back_what_fitting_took(grouped):
    """CR2 with the working model of independent battles, every battle a row and every root a matrix (Bell and McCaffrey 2002)."""
    found = drawn(7)
    fit = Fit.of(found if grouped else found.ungrouped)
    row = np.repeat(np.arange(len(found.times)), found.times)
    design = np.zeros((len(row), 5))
    design[np.arange(len(row)), found.second[row]] = 1
    design[np.arange(len(row)), found.first[row]] = -1
    chance = 1 / (1 + np.exp(-design @ fit.ratings))
    root = np.sqrt(chance * (1 - chance))
    scaled, rest = root[:, None] * design, (found.share[row] - chance) / root
    inverse = np.linalg.pinv(scaled.T @ scaled)
    total = np.zeros((5, 5))
    units = found.group[row] if grouped else np.arange(len(row))
    for unit in np.unique(units):
        own = units == unit
        values, vectors = np.linalg.eigh(np.eye(own.sum()) - scaled[own] @ inverse @ scaled[own].T)
        move = inverse @ scaled[own].T @ (vectors * values**-0.5) @ vectors.T @ rest[own]
        total += np.outer(move, move)
    np.testing.assert_allclose(fit.covariance, total, atol=1e-8 * np.abs(total).max())


def test_degrees_of_freedom_are_the_effective_number_of_groups_less_one():
    rows = [(pair, won, judge) for judge in range(8) for pair in ("01", "12", "02") for won in "01"]
    np.testing.assert_allclose(Fit.of(battles(rows)).freedom, 7)


@pytest.mark.parametrize("grouped", [True, False])
def test_degrees_of_freedom_are_those_of_the_shares_of_the_variance(grouped):
    found = drawn(3) if grouped else drawn(3).ungrouped
    fit = Fit.of(found)
    row = np.repeat(np.arange(len(found.times)), found.times)
    first, second = found.first[row], found.second[row]
    chance = 1 / (1 + np.exp(fit.ratings[first] - fit.ratings[second]))
    pull = np.sqrt(chance * (1 - chance))[:, None] * (fit.inverse[first] - fit.inverse[second])
    units = found.group[row] if grouped else np.arange(len(row))
    for one, other in ((0, 1), (2, 4)):
        own = np.bincount(units, (pull[:, one] - pull[:, other]) ** 2)
        np.testing.assert_allclose(fit.freedom[one, other], own.sum() ** 2 / (own**2).sum() - 1)


def test_a_model_of_one_judge_does_not_make_the_others_unsure():
    rng = np.random.default_rng(0)
    rows = [
        ("".join(rng.permutation(list("012"))[:2]), "01"[rng.integers(2)], judge)
        for judge in range(20)
        for _ in range(8)
    ]
    fit = Fit.of(battles([*rows, *[(f"3{i % 3}", "01"[i % 4 == 0], 99) for i in range(20)]]))
    assert fit.freedom[0, 1] > 15 and fit.freedom[0, 3] < 1 and fit.support[3] == 1


def test_of_two_models_the_score_test_is_that_of_shares():
    rows = [("01", "1", i) for i in range(9)] + [("10", "1", i) for i in range(4)] + [("01", "t", 20)] * 5
    p, z = score_test(battles(rows, grouped=False), 0, 1)
    np.testing.assert_allclose(z, (9 - 4) / np.sqrt(13))
    assert 0.16 < p < 0.17


def test_the_score_test_of_a_model_that_won_all_has_a_likely_null():
    """The ratings of the others and of the two as one maximise the likelihood; the statistic is the slope over its error."""
    rows = (
        [("01", "1"), ("01", "0"), ("12", "1"), ("12", "0"), ("20", "1"), ("20", "0")] * 4
        + [("31", "0")] * 5
        + [("32", "0")] * 3
    )
    found = battles(rows, grouped=False)
    assert len(np.unique(strong_parts(found.won))) == 2
    p, z = score_test(found, 0, 3)
    assert z > 2 and p < 0.05
    back, turned = score_test(found, 3, 0)
    np.testing.assert_allclose([back, turned], [p, -z])


def test_nothing_is_known_of_models_that_no_battle_connects():
    found = battles([("01", "1"), ("01", "0"), ("23", "1"), ("23", "0")], grouped=False)
    assert np.isnan(score_test(found, 0, 2)).all()


def test_few_groups_never_have_a_smaller_p_than_their_exchanges():
    rows = [("01", "1", judge) for judge in range(5)] * 3
    assert score_test(battles(rows), 0, 1)[0] == 0.5**4


def test_ratings_that_do_not_fit_are_found():
    circle = [(pair, won, 0) for pair, wins in (("01", "1110"), ("12", "1110"), ("20", "1110")) for won in wins] * 10
    fair = [(pair, won, 0) for pair in ("01", "12", "20") for won in "1100"] * 10
    assert Fit.of(battles(circle, grouped=False)).misfit().p_value < 1e-4
    assert Fit.of(battles(fair, grouped=False)).misfit().p_value > 0.9
