"""Worlds in which learners tie, the learners themselves, and the splits that they are tried on."""

from __future__ import annotations

import math

import numpy as np
import pytest

from referee.errors import InputError
from referee.significance.sign_tests import mid_p
from referee.studies.algorithms import error_rates
from referee.studies.algorithms.designs import DESIGNS, resolve
from referee.studies.algorithms.error_rates import (
    FEATURES,
    LEARNERS,
    Trial,
    TwoViews,
    deal,
    fold_differences,
    layout_of,
    match,
    members,
    p_values,
    run_block,
    trained,
)

N = 60
NAMES = ["holdout", "resampled:number=3", "kfold", "repeated-kfold:folds=5,repeats=2", "5x2cv"]


def drawn(name: str, sets: int = 3, n: int = N, b: float = 2.0):
    design = resolve(name)
    xa, xb, y = TwoViews(b=b).draw(sets, n, np.random.default_rng(5))
    return xa, xb, y, deal(design, sets, design.shape[0], n, np.random.default_rng(6))


def model(name: str):
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.neighbors import KNeighborsClassifier, NearestCentroid

    made = {
        "centroid": NearestCentroid,
        "neighbour": lambda: KNeighborsClassifier(1),
        "linear": lambda: LinearDiscriminantAnalysis(priors=[0.5, 0.5]),
    }
    return made[name]()


@pytest.mark.parametrize("design", NAMES)
@pytest.mark.parametrize("name", list(LEARNERS))
def test_learners_are_those_of_scikit_learn(name, design):
    x, _, y, folds = drawn(design)
    right = LEARNERS[name](x, y, folds)
    looked = 0
    for s, r in np.ndindex(folds.shape[:2]):
        for f in range(folds.max() + 1):
            test = folds[s, r] == f
            train = ~test
            # Least squares is the linear discriminant where both classes are as many.
            if name == "linear" and np.ptp(np.bincount(y[train])):
                continue
            expected = model(name).fit(x[s][train], y[train]).predict(x[s][test]) == y[test]
            assert (right[s, r][test] == expected).all()
            looked += test.sum()
    assert looked >= N


def test_neighbours_far_down_the_list_are_found(monkeypatch):
    x, _, y, folds = drawn("5x2cv")
    expected = LEARNERS["neighbour"](x, y, folds)
    monkeypatch.setattr(error_rates, "NEAREST", 1)
    assert (LEARNERS["neighbour"](x, y, folds) == expected).all()


@pytest.mark.parametrize("name", NAMES)
def test_splits_have_the_shape_of_the_design_and_the_classes_in_proportion(name):
    design = resolve(name)
    *_, y, folds = drawn(name)
    tested = members(folds)
    assert tested.shape == (3, *design.shape, N)
    assert (tested.sum(axis=2) <= 1).all()
    positives, sizes = (tested * y).sum(axis=3), tested.sum(axis=3)
    assert (np.abs(positives - sizes / 2) <= 0.5).all()
    assert np.ptp(sizes) <= 1
    assert trained(design, N) == pytest.approx(N - sizes.mean())
    assert layout_of(design, N).ratio == pytest.approx(sizes.sum() / (N - sizes).sum())
    # Every set and every run is dealt anew.
    assert len({fold.tobytes() for fold in folds.reshape(-1, N)}) == folds.shape[0] * folds.shape[1]


def test_layouts_are_those_of_real_splits():
    from referee.runtime.randomness import Streams

    for name in DESIGNS:
        design = resolve(name)
        real = design.layout(design.splits(np.arange(120) % 2, None, True, Streams.of(0)))
        ours = layout_of(design, 120)
        assert (ours.design, ours.runs, ours.folds) == (real.design, real.runs, real.folds)
        assert ours.ratio == pytest.approx(real.ratio)


@pytest.mark.parametrize("name", ["centroid", "neighbour", "linear"])
@pytest.mark.parametrize("design", ["5x2cv", "kfold"])
def test_halves_that_may_be_exchanged_tie(name, design):
    """At whatever size of the training set: the mean difference is 0 within four standard errors."""
    xa, xb, y, folds = drawn(design, sets=150, b=1.5)
    means = fold_differences(LEARNERS[name](xa, y, folds), LEARNERS[name](xb, y, folds), folds).mean(axis=1)
    error = means.std(ddof=1) / math.sqrt(len(means))
    assert abs(means.mean()) < 4 * error
    assert error < 0.01


@pytest.mark.parametrize("name", ["centroid", "neighbour", "linear"])
def test_the_half_that_tells_more_wins(name):
    xa, xb, y, folds = drawn("5x2cv", sets=150, b=2.0)
    means = fold_differences(LEARNERS[name](xa, y, folds), LEARNERS[name](xb, y, folds), folds).mean(axis=1)
    assert means.mean() > 0.04


def test_the_law_of_the_halves():
    xa, xb, y = TwoViews(a=1.0, b=3.0).draw(200, 100, np.random.default_rng(0))
    for x, shift in ((xa, 1.0), (xb, 3.0)):
        means = [x[:, y == c].mean(axis=(0, 1)) for c in (0, 1)]
        assert means[1] - means[0] == pytest.approx(np.full(FEATURES, shift / 2), abs=0.05)
        assert x[:, y == 1].std(axis=(0, 1)) == pytest.approx(np.ones(FEATURES), abs=0.03)
    both = np.corrcoef(xa[:, y == 1, 0].ravel(), xb[:, y == 1, 0].ravel())[0, 1]
    assert both == pytest.approx(0.5, abs=0.03)


def test_a_shift_moves_the_same_examples():
    near, far = (TwoViews(b=b).draw(2, N, np.random.default_rng(1)) for b in (1.0, 2.0))
    assert (near[0] == far[0]).all()
    assert far[1] - near[1] == pytest.approx(np.broadcast_to(((near[2] - 0.5) / 2)[:, None], far[1].shape))


def test_too_few_examples():
    with pytest.raises(InputError, match="at least 40"):
        TwoViews().draw(1, 30, np.random.default_rng(0))


def test_mcnemar_looks_at_the_tested_examples_alone():
    xa, xb, y, folds = drawn("holdout", sets=20)
    a, b = LEARNERS["centroid"](xa, y, folds), LEARNERS["centroid"](xb, y, folds)
    found = p_values("mcnemar", a, b, folds, layout_of(resolve("holdout"), N))
    for s in range(20):
        test = folds[s, 0] == 0
        up, down = (b[s, 0] & ~a[s, 0])[test].sum(), (a[s, 0] & ~b[s, 0])[test].sum()
        assert found[s] == mid_p(np.array([up]), np.array([down]), "two-sided")[0]


def test_a_bayesian_test_rejects_where_either_is_probable():
    xa, xb, y, folds = drawn("kfold", sets=20)
    a, b = LEARNERS["centroid"](xa, y, folds), LEARNERS["centroid"](xb, y, folds)
    layout = layout_of(resolve("kfold"), N)
    one_way = p_values("correlated-bayes:region=0", a, b, folds, layout)
    two_sided = p_values("corrected-t", a, b, folds, layout)
    # Without a region its tail is one side of the corrected t test, and the other way round it is the same.
    assert one_way == pytest.approx(two_sided / 2)
    assert p_values("correlated-bayes", b, a, folds, layout) == pytest.approx(
        p_values("correlated-bayes", a, b, folds, layout)
    )


def test_unlike_learners_are_made_to_tie(monkeypatch):
    monkeypatch.setattr(error_rates, "MATCHED", 24_000)
    trial = Trial(("centroid", "neighbour"), "5x2cv", N, ("5x2cv-f",), (0.05,))
    found = match(trial)
    assert 1.6 < found["shift"] < 2.6
    assert abs(found["left"]) < found["error"] < 0.006
    fresh = run_block(trial, TwoViews(b=found["shift"]), 0, 300)
    spread = math.sqrt(fresh["squares"] / 300 - (fresh["sum"] / 300) ** 2)
    assert abs(fresh["sum"] / 300) < 4 * math.hypot(spread / math.sqrt(300), found["error"])
