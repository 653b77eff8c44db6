"""Tests of fold scores: published values, formulas written out, batches, and what cannot be known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from referee.errors import Misfit, NameUnknown, OptionError
from referee.significance.fold_tests import FOLD_TESTS, FoldTest, fitting_tests, fold_test, resolve
from referee.studies.algorithms.designs import DESIGNS

ANCHOR = np.array([0.02, 0.01, 0.03, 0.0, 0.02, 0.01, 0.02, 0.03, 0.01, 0.02])
LAYOUTS = {name: cls().layout_at(cls().ratio) for name, cls in DESIGNS.items() if cls.kind != "once"}
KFOLD, HALVES = LAYOUTS["kfold"], LAYOUTS["5x2cv"]
PAIRS = [(name, design) for name, cls in FOLD_TESTS.items() for design in cls.fits]


def differences(layout, rows=20, seed=0, shift=0.01):
    return np.random.default_rng(seed).normal(shift, 0.02, (rows, layout.splits))


def test_the_anchor_of_ten_folds():
    plain = resolve("t").evaluate(ANCHOR, KFOLD)
    corrected = resolve("corrected-t").evaluate(ANCHOR, KFOLD)
    assert float(plain.statistic) == pytest.approx(5.66667, abs=5e-6)
    assert float(plain.p) == pytest.approx(3.0702e-4, rel=1e-4)
    assert float(corrected.statistic) == pytest.approx(3.90007, abs=5e-6)
    assert float(corrected.p) == pytest.approx(3.6190e-3, rel=1e-4)


@pytest.mark.parametrize("design", FOLD_TESTS["t"].fits)
def test_t_is_that_of_scipy_and_the_correction_widens_it(design):
    layout = LAYOUTS[design]
    d = differences(layout)
    theirs = stats.ttest_1samp(d, 0.0, axis=1)
    ours, corrected = resolve("t").evaluate(d, layout), resolve("corrected-t").evaluate(d, layout)
    assert ours.p == pytest.approx(theirs.pvalue)
    assert ours.statistic == pytest.approx(theirs.statistic)
    factor = np.sqrt(1 + layout.splits * layout.ratio)
    assert corrected.statistic == pytest.approx(theirs.statistic / factor)
    low, high = stats.ttest_1samp(d[0], 0.0).confidence_interval(0.9)
    interval = resolve("t").interval_of(d[0], layout, 0.9)
    assert (interval.low, interval.high) == pytest.approx((low, high))


def test_halves_by_the_formulas():
    d = differences(HALVES)
    for row in d:
        pairs = row.reshape(5, 2)
        squares = [sum((p - pair.mean()) ** 2 for p in pair) for pair in pairs]
        t = pairs[0, 0] / np.sqrt(sum(squares) / 5)
        f = (row**2).sum() / (2 * sum(squares))
        assert float(resolve("5x2cv-t").evaluate(row, HALVES).p) == pytest.approx(2 * stats.t.sf(abs(t), 5))
        assert float(resolve("5x2cv-f").evaluate(row, HALVES).p) == pytest.approx(stats.f.sf(f, 10, 5))
        shuffled = pairs[[3, 1, 4, 0, 2]][:, ::-1].ravel()
        assert float(resolve("5x2cv-f").evaluate(shuffled, HALVES).p) == pytest.approx(stats.f.sf(f, 10, 5))


def test_the_critical_value_of_dietterich():
    """|t| >= 2.571 is two-sided 5 % on 5 degrees of freedom, which the wine paper writes one-sided."""
    # Five runs with the same variance s² = 2, so that t is the first difference over sqrt(2).
    row = np.tile([1.0, -1.0], 5)
    row[:2] += 2.5705818 * np.sqrt(2) - 1
    found = resolve("5x2cv-t").evaluate(row, HALVES)
    assert float(found.statistic) == pytest.approx(2.5705818)
    assert float(found.p) == pytest.approx(0.05, abs=1e-7)


@pytest.mark.parametrize(("name", "design"), PAIRS)
def test_a_batch_is_its_rows(name, design):
    layout, test = LAYOUTS[design], resolve(name)
    d = differences(layout)
    whole = test.evaluate(d, layout)
    for place, row in enumerate(d):
        alone = test.evaluate(row, layout)
        assert float(alone.statistic) == pytest.approx(float(whole.statistic[place]))
        assert float(alone.p) == pytest.approx(float(whole.p[place]), nan_ok=True)


@pytest.mark.parametrize(("name", "design"), PAIRS)
def test_exchanging_the_algorithms(name, design):
    layout, test = LAYOUTS[design], resolve(name)
    d = differences(layout)
    one, other = test.evaluate(d, layout), test.evaluate(-d, layout)
    assert one.p == pytest.approx(other.p, nan_ok=True)
    if one.probabilities is not None:
        assert one.probabilities == pytest.approx(other.probabilities[:, ::-1])
    here, there = test.interval_of(d[0], layout, 0.95), test.interval_of(-d[0], layout, 0.95)
    assert (here.low, here.high) == pytest.approx((-there.high, -there.low))
    if not test.two_sided:
        greater = test.evaluate(d, layout, "greater").p
        assert greater == pytest.approx(test.evaluate(-d, layout, "less").p)
        assert greater + test.evaluate(d, layout, "less").p == pytest.approx(np.ones(len(d)))


@pytest.mark.parametrize(("name", "design"), PAIRS)
def test_nothing_differs_and_nothing_varies(name, design):
    layout, test = LAYOUTS[design], resolve(name)
    found = test.evaluate(np.zeros((2, layout.splits)), layout)
    assert found.p.tolist() == [1.0, 1.0]
    assert found.statistic.tolist() == [0.0, 0.0]
    # 0.82 - 0.8 and 0.42 - 0.4 are the same on paper.
    same = np.where(np.arange(layout.splits) % 2, 0.82 - 0.8, 0.42 - 0.4)
    flat = test.evaluate(same, layout)
    assert np.isnan(float(flat.p))
    assert np.isnan(float(flat.statistic))
    assert test.interval_of(same, layout, 0.95) is None
    if flat.probabilities is not None:
        assert flat.probabilities.tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize(("name", "design"), [(n, d) for n, d in PAIRS if n != "correlated-bayes"])
def test_the_interval_holds_zero_where_the_test_does_not_reject(name, design):
    layout, test = LAYOUTS[design], resolve(name)
    for shift in (0.0, 0.01, 0.03):
        for row in differences(layout, seed=5, shift=shift):
            interval = test.interval_of(row, layout, 0.95)
            assert (0.0 in interval) == (float(test.evaluate(row, layout).p) > 0.05)


def test_no_difference_fits_runs_that_are_too_unlike():
    d = np.repeat([0.5, -0.5, 0.4, -0.4, 0.3], 2) + np.tile([1e-4, -1e-4], 5)
    assert resolve("5x2cv-f").interval_of(d, HALVES, 0.95) is None


def test_p_values_are_uniform_where_their_assumption_holds():
    """Independent splits for t; for the corrected test, differences that share as much as it assumes."""
    rng = np.random.default_rng(3)
    n, layout = 4000, KFOLD
    free = rng.normal(size=(n, 10))
    share = layout.ratio / (1 + layout.ratio)
    shared = np.sqrt(1 - share) * free + np.sqrt(share) * rng.normal(size=(n, 1))
    for name, d in (("t", free), ("corrected-t", shared)):
        rate = (resolve(name).evaluate(d, layout).p <= 0.05).mean()
        assert rate == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / n))
    assert (resolve("t").evaluate(shared, layout).p <= 0.05).mean() > 0.1
    # The first difference is part of its own run's variance, which makes the tests of halves cautious here.
    for name in ("5x2cv-t", "5x2cv-f"):
        assert 0.005 < (resolve(name).evaluate(free, HALVES).p <= 0.05).mean() < 0.05


def test_the_posterior_is_that_of_its_definition():
    test = resolve("correlated-bayes:region=0.005")
    found = test.evaluate(ANCHOR, KFOLD).probabilities
    scale = np.sqrt(ANCHOR.var(ddof=1) * (1 / 10 + 0.1 / 0.9))
    law = stats.t(9, ANCHOR.mean(), scale)
    assert found == pytest.approx([law.cdf(-0.005), law.cdf(0.005) - law.cdf(-0.005), law.sf(0.005)])
    assert str(test) == "correlated-bayes:region=0.005"


def test_spellings_and_misfits():
    for name in FOLD_TESTS:
        assert str(resolve(name)) == name
        assert FOLD_TESTS[name].summary.endswith(".")
        assert FOLD_TESTS[name].reference
    with pytest.raises(NameUnknown, match="did you mean 'corrected-t'"):
        resolve("corected-t")
    with pytest.raises(OptionError, match="region must not be negative"):
        resolve("correlated-bayes:region=-1")
    with pytest.raises(OptionError, match="a test is a name"):
        resolve(3)
    with pytest.raises(Misfit, match="5x2cv-f, 5x2cv-t"):
        resolve("t").evaluate(ANCHOR, HALVES)
    with pytest.raises(Misfit, match="is two-sided"):
        resolve("5x2cv-f").evaluate(ANCHOR, HALVES, "greater")
    with pytest.raises(OptionError, match="there are 10 splits, and 9 differences"):
        resolve("t").evaluate(ANCHOR[:9], KFOLD)


def test_every_design_has_its_test_and_says_why():
    for name, layout in LAYOUTS.items():
        design = DESIGNS[name]
        assert design.test_of_scores in fitting_tests(name)
        assert design.reason
        assert not resolve(design.test_of_scores).cautions(layout)
    assert "somewhat" in resolve("t").cautions(KFOLD)[0]
    assert "far too" in resolve("t").cautions(LAYOUTS["resampled"])[0]


def test_a_test_of_ones_own():
    from dataclasses import dataclass

    from referee.significance.fold_tests import FoldEvidence

    @fold_test("always", fits=("kfold",), reference="nobody", assumes="Nothing.")
    @dataclass(frozen=True, kw_only=True)
    class Always(FoldTest):
        """Rejects."""

        def measure(self, differences, layout, alternative):
            return FoldEvidence(np.zeros(differences.shape[:-1]), np.ones(differences.shape[:-1]))

    try:
        assert fitting_tests("kfold")[-1] == "always"
        assert float(resolve("always").evaluate(ANCHOR, KFOLD).p) < 1e-300
    finally:
        FOLD_TESTS.remove("always")
