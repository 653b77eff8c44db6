"""Exact permutation of a mean difference, Wilcoxon's signed ranks and the paired t, against R (paired_location.csv)."""

import pytest

from referee.data.counts import Counts
from referee.significance import sign_tests
from tests.golden.figures import OTHER, cases, compare, near, numbers, permutation_p

SAMPLES = cases("paired_location.csv")


def found(row, test, alternative="two-sided"):
    counts = Counts.of({"a": numbers(row["x"]), "b": numbers(row["y"])})
    return compare(counts, metric="mean", test=test, alternative=alternative)


def test_there_are_30_samples():
    assert len(SAMPLES) == 30


@pytest.mark.parametrize("row", SAMPLES)
def test_permutation_of_the_mean(row):
    if row["kind"] == "cont":
        assert row["perm_exact_two"] == row["perm_exact_greater"] == "NA"
        return  # test_permutation_by_counting has them
    both, one = found(row, "randomization"), found(row, "randomization", OTHER["greater"])
    assert both.p_method == one.p_method == "exact"
    assert both.p_value == near(float(row["perm_exact_two"]), rel=1e-12)
    assert one.p_value == near(float(row["perm_exact_greater"]), rel=1e-12)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("row", SAMPLES)
def test_permutation_by_counting(row, alternative):
    # The figures have three decimals: whole numbers when multiplied by 1000.
    x, y = (numbers(row[name]) * 1000 for name in ("x", "y"))
    assert max(abs(x - x.round())) < 1e-9
    differences = (y.round() - x.round()).astype(int)
    result = found(row, "randomization", alternative)
    assert result.p_method == "exact"
    assert result.p_value == near(float(permutation_p(differences, alternative)), rel=1e-10)


@pytest.mark.parametrize(
    ("zeros", "column"),
    [
        ("wilcox", "wilcox_exact_exactRankTests"),
        ("wilcox", "wilcox_exact_coin_wilcoxon"),
        ("pratt", "wilcox_exact_coin_pratt"),
    ],
)
@pytest.mark.parametrize("row", SAMPLES)
def test_wilcoxon_exact(row, zeros, column):
    result = found(row, f"wilcoxon:zeros={zeros}")
    assert result.p_method == "exact"
    assert result.p_value == near(float(row[column]), rel=1e-10)


@pytest.mark.parametrize("row", SAMPLES)
def test_wilcoxon_asymptotic(row, monkeypatch):
    # The normal form serves beyond 500 differing units only: pretend that none may be done exactly.
    monkeypatch.setattr(sign_tests, "EXACT", 0)
    result = found(row, "wilcoxon:zeros=wilcox")
    assert result.p_method == "asymptotic"
    assert result.p_value == near(float(row["wilcox_asym_coin_wilcoxon"]))


@pytest.mark.parametrize("row", SAMPLES)
def test_paired_t(row):
    result = found(row, "paired-t")
    x, y = numbers(row["x"]), numbers(row["y"])
    assert len(x) == len(y) == int(row["n"]) == result.n
    assert result.difference == near(y.mean() - x.mean(), rel=1e-12, abs=1e-15)
    assert result.p_value == near(float(row["t_p"]))
    # An end near 0 is the difference of two larger numbers: what can be asked of it is a share of the width.
    low, high = float(row["t_lo"]), float(row["t_hi"])
    assert -result.interval.high == near(low, abs=1e-9 * (high - low))
    assert -result.interval.low == near(high, abs=1e-9 * (high - low))
    one = found(row, "paired-t", OTHER["greater"]).p_value
    assert min(one, 1 - one) == near(float(row["t_p"]) / 2)
    assert (one < 0.5) == (x.mean() > y.mean())
