"""Adjusted p-values, against R's p.adjust (p_adjust.csv)."""

import numpy as np
import pytest

from referee import adjust
from tests.golden.figures import cases, near, numbers

FAMILIES = cases("p_adjust.csv")


def test_there_are_10_families():
    assert len(FAMILIES) == 10


@pytest.mark.parametrize("column", ["holm", "hochberg", "BH", "BY", "bonferroni"])
@pytest.mark.parametrize("row", FAMILIES)
def test_adjusted(row, column):
    p, expected = numbers(row["p"]), numbers(row[column])
    assert adjust(p, column.lower()) == near(expected, rel=1e-12)
    # Any order of the p-values will do.
    order = np.random.default_rng(0).permutation(len(p))
    assert adjust(p[order], column.lower()) == near(expected[order], rel=1e-12)
