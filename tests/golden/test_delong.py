"""DeLong's test, against R's pROC (delong.csv)."""

import math

import pytest

from referee.data.counts import Counts
from referee.metrics import auc
from referee.significance.rank_tally import tally_of
from referee.significance.t_tests import covariance
from tests.golden.figures import OTHER, cases, compare, near, numbers

SETS = cases("delong.csv")


def scored(row):
    return Counts.of({"truth": numbers(row["y"]), "a": numbers(row["s1"]), "b": numbers(row["s2"])})


def test_there_are_15_sets():
    assert len(SETS) == 15


@pytest.mark.parametrize("row", SETS)
def test_areas_and_test(row):
    result = compare(scored(row), metric="auc", test="delong")
    assert result.a.score == near(float(row["auc1"]), rel=1e-12)
    assert result.b.score == near(float(row["auc2"]), rel=1e-12)
    assert result.statistic == near(-float(row["z"]))
    assert result.p_value == near(float(row["p"]))
    assert result.a.interval.low == near(float(row["auc1_lo"]))
    assert result.a.interval.high == near(float(row["auc1_hi"]))
    one = compare(scored(row), metric="auc", test="delong", alternative=OTHER["greater"])
    assert one.p_value == near(math.erfc(float(row["z"]) / math.sqrt(2)) / 2)


@pytest.mark.parametrize("row", SETS)
def test_variances_and_covariance(row):
    areas, matrix = covariance(tally_of(scored(row), auc))
    assert areas == near([float(row["auc1"]), float(row["auc2"])], rel=1e-12)
    assert matrix[0, 0] == near(float(row["var1"]))
    assert matrix[1, 1] == near(float(row["var2"]))
    assert matrix[0, 1] == matrix[1, 0] == near(float(row["cov"]))


@pytest.mark.parametrize("row", SETS)
def test_interval_of_the_difference(row):
    result = compare(scored(row), metric="auc", test="delong", alpha=0.1)
    error = math.sqrt(float(row["var1"]) + float(row["var2"]) - 2 * float(row["cov"]))
    middle = float(row["auc2"]) - float(row["auc1"])
    assert (result.interval.low, result.interval.high) == near(
        (middle - 1.6448536269514722 * error, middle + 1.6448536269514722 * error)
    )
