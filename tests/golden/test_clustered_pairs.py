"""The clustered forms of McNemar's test, against R's clust.bin.pair (clustered_pairs.csv)."""

import math

import numpy as np
import pytest

from referee.data.counts import Counts
from tests.golden.figures import cases, compare, near, numbers

CLUSTERS = cases("clustered_pairs.csv")
FIRST, SECOND = [1, 1, 0, 0], [1, 0, 1, 0]


def clustered(row):
    cells = np.stack([numbers(row[name]) for name in ("ak", "bk", "ck", "dk")], axis=1).astype(int)
    groups = np.repeat(np.arange(len(cells)), 4)
    return Counts.of({"a": FIRST * len(cells), "b": SECOND * len(cells), "group": groups}, cells.ravel())


def test_there_are_16_sets_of_clusters():
    assert len(CLUSTERS) == 16


@pytest.mark.parametrize("author", ["obuchowski", "durkalski", "eliasziw", "yang"])
@pytest.mark.parametrize("row", CLUSTERS)
def test_clustered_forms(row, author):
    result = compare(clustered(row), metric="mean", test=f"mcnemar:clustered={author}")
    square = float(row[author])
    assert result.units == len(row["ak"].split())
    assert result.statistic == near(square, abs=1e-14)
    assert result.p_value == near(math.erfc(math.sqrt(square / 2)))


@pytest.mark.parametrize("author", ["obuchowski", "durkalski", "eliasziw", "yang"])
@pytest.mark.parametrize("row", CLUSTERS)
def test_one_sided_forms_have_the_sign_of_second_minus_first(row, author):
    share = numbers(row["ck"]) - numbers(row["bk"])
    if author == "durkalski":
        share = share / sum(numbers(row[name]) for name in ("ak", "bk", "ck", "dk"))
    root = math.copysign(math.sqrt(float(row[author])), share.sum())
    for alternative, sign in (("greater", 1), ("less", -1)):
        result = compare(clustered(row), metric="mean", test=f"mcnemar:clustered={author}", alternative=alternative)
        assert result.p_value == near(math.erfc(sign * root / math.sqrt(2)) / 2)


@pytest.mark.parametrize("row", CLUSTERS)
def test_mcnemar_that_ignores_the_clusters(row):
    result = compare(clustered(row).without("group"), metric="mean", test="mcnemar:variant=uncorrected")
    assert result.statistic == near(float(row["mcnemar"]))
