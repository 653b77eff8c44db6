"""The CR2 standard error of cluster-t and its rival's degrees of freedom, against R's clubSandwich (clustered_means.csv)."""

import numpy as np
import pytest

from referee.data.counts import Counts
from referee.metrics import resolve
from referee.significance import resolve as resolve_test
from referee.significance.rank_tally import tally_of
from tests.bell_mccaffrey import degrees_of_freedom
from tests.golden.figures import cases, near, numbers

MEANS = cases("clustered_means.csv")


def parts(row):
    b = numbers(row["differences"])
    counts = Counts.of({"a": np.zeros(len(b)), "b": b, "group": numbers(row["groups"]).astype(int)})
    tally = tally_of(counts, resolve("mean"))
    return (float(part[0]) for part in resolve_test("cluster-t").parts(tally, tally.multiplicities[None, :]))


def test_there_are_20_samples():
    assert len(MEANS) == 20


@pytest.mark.parametrize("row", MEANS)
def test_the_standard_error_is_that_of_clubsandwich(row):
    difference, error, _ = parts(row)
    assert difference == near(float(row["mean"]), abs=1e-14)
    assert error == near(float(row["se"]))


@pytest.mark.parametrize("row", MEANS)
def test_the_rivals_degrees_of_freedom_are_satterthwaites(row):
    sizes = np.bincount(numbers(row["groups"]).astype(int))[1:]
    assert degrees_of_freedom(sizes) == near(float(row["df"]))
    if len(set(sizes)) == 1:  # where groups are alike, ours are the same
        assert tuple(parts(row))[2] == near(float(row["df"]))
