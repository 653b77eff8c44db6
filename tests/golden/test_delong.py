"""DeLong's test, against R's pROC (delong.csv)."""

import math

import pytest

from referee.data.counts import Counts
from referee.metrics import auc
from referee.runtime.randomness import Streams
from referee.significance.own_laws import own_law
from referee.significance.rank_tally import tally_of
from referee.significance.t_tests import area_spread
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
    # pROC's interval of one area is normal; ours is on a t that allows for few examples of a class.
    own = own_law(tally_of(scored(row), auc), 0, Streams.of(0))
    low, high = own.score - 1.959963984540054 * own.error, own.score + 1.959963984540054 * own.error
    assert (max(low, 0.0), min(high, 1.0)) == near((float(row["auc1_lo"]), float(row["auc1_hi"])))
    assert result.a.interval.method == "delong-t"
    assert result.a.interval.low <= low + 1e-12
    one = compare(scored(row), metric="auc", test="delong", alternative=OTHER["greater"])
    assert one.p_value == near(math.erfc(float(row["z"]) / math.sqrt(2)) / 2)


@pytest.mark.parametrize("row", SETS)
def test_variances_and_covariance(row):
    tally = tally_of(scored(row), auc)
    (first, _), (second, _), (between, _) = (area_spread(tally, system) for system in (0, 1, None))
    assert first == near(float(row["var1"]))
    assert second == near(float(row["var2"]))
    assert (first + second - between) / 2 == near(float(row["cov"]))


@pytest.mark.parametrize("row", SETS)
def test_interval_of_the_difference(row):
    result = compare(scored(row), metric="auc", test="delong", alpha=0.1)
    error = math.sqrt(float(row["var1"]) + float(row["var2"]) - 2 * float(row["cov"]))
    middle = float(row["auc2"]) - float(row["auc1"])
    assert (result.interval.low, result.interval.high) == near(
        (middle - 1.6448536269514722 * error, middle + 1.6448536269514722 * error)
    )
