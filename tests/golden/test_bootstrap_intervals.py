"""Bootstrap intervals from given resamples, against R's boot (boot_ci.csv, boot_idx_K.csv.gz)."""

import gzip

import numpy as np
import pytest

from referee.significance import intervals
from tests.golden.figures import DATA, cases, near, numbers

SAMPLES = cases("boot_ci.csv")


@pytest.fixture
def drawn(row):
    x = numbers(row["x"])
    with gzip.open(DATA / f"boot_idx_{row['case']}.csv.gz", "rt") as file:
        places = np.loadtxt(file, delimiter=",", dtype=int)
    assert places.shape == (999, len(x))
    assert places.min() == 1
    assert places.max() == len(x)
    return x, x[places - 1].mean(axis=1)


def ends(row, name):
    return float(row[f"{name}_lo"]), float(row[f"{name}_hi"])


def test_there_are_4_samples():
    assert len(SAMPLES) == 4


@pytest.mark.parametrize("row", SAMPLES)
def test_percentile_and_basic(row, drawn):
    x, draws = drawn
    for made, name in ((intervals.percentile(draws, 0.95), "perc"), (intervals.basic(draws, x.mean(), 0.95), "basic")):
        assert (made.low, made.high) == near(ends(row, name), rel=1e-12)


@pytest.mark.parametrize("row", SAMPLES)
def test_bca(row, drawn):
    x, draws = drawn
    left_out = (x.sum() - x) / (len(x) - 1)
    a = intervals.acceleration(left_out, np.ones(len(x)), np.zeros(len(x), dtype=np.int64))
    made = intervals.bca(draws, intervals.bias(draws, x.mean()), a, 0.95)
    assert (made.low, made.high) == near(ends(row, "bca"))


@pytest.mark.parametrize("row", SAMPLES)
def test_numpys_quantiles_would_miss(row, drawn):
    # The figures can tell: numpy's default quantile is another one.
    made = np.quantile(drawn[1], [0.025, 0.975])
    assert max(abs(made - ends(row, "perc"))) > 1e-5
