"""Exchanges of many units: how many of each kind stand, drawn quickly."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from referee.significance.laws.signed_sums import INVERTED, _inverted, halved

CELLS = 1 << 16


@pytest.mark.parametrize("size", [1, 2, 3, 7, 30, INVERTED])
def test_inversion_gives_each_count_its_share(size):
    uniform = (np.arange(CELLS)[:, None] + 0.5) / CELLS
    found = np.bincount(_inverted(uniform, np.array([size]))[:, 0], minlength=size + 1)
    assert len(found) == size + 1
    # Each edge between two counts may fall on either side of a cell.
    assert found / CELLS == pytest.approx(binom.pmf(np.arange(size + 1), size, 0.5), abs=1.5 / CELLS)


@pytest.mark.parametrize("sizes", [[1, 1, 1], [0, 1, 3, 0, 2], [1, INVERTED + 1, 10**9], [0, 0], []])
def test_draws_have_the_binomial_law(sizes):
    draws, sizes = 4000, np.array(sizes, dtype=np.int64)
    kept = halved(np.random.default_rng(0), sizes, draws)
    assert kept.shape == (draws, len(sizes))
    assert (kept >= 0).all()
    assert (kept <= sizes).all()
    assert (np.abs(kept.mean(axis=0) - sizes / 2) <= 5 * np.sqrt(sizes / 4 / draws)).all()
    assert kept.var(axis=0) == pytest.approx(sizes / 4, rel=0.15)
    # Neighbours are drawn independently of each other.
    moving = kept[:, sizes > 0]
    for i in range(moving.shape[1] - 1):
        assert abs(np.corrcoef(moving[:, i], moving[:, i + 1])[0, 1]) < 5 / np.sqrt(draws)


def test_draws_follow_each_other():
    sizes = np.array([1, 0, 4, 1, 2])
    whole, parts = (np.random.default_rng(3) for _ in range(2))
    assert (halved(whole, sizes, 50) == np.concatenate([halved(parts, sizes, n) for n in (7, 43)])).all()
