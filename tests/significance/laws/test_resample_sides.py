"""Wins and losses among redrawn units: their law, exactly, and the decisions that are drawn from it."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from referee.data.counts import from_events
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance import resolve as resolve_test
from referee.significance.laws.resample import sides
from referee.significance.rank_tally import tally_of

EVENTS = [61, 14, 9, 21, 6, 11, 5, 873]


def enumerated(wins, losses, units):
    found = [0.0, 0.0, 0.0]
    up, down = wins / units, losses / units
    for i in range(units + 1):
        for j in range(units + 1 - i):
            ways = comb(units, i) * comb(units - i, j)
            found[1 + (i > j) - (i < j)] += ways * up**i * down**j * (1 - up - down) ** (units - i - j)
    return found


@pytest.mark.parametrize(
    ("wins", "losses", "units"),
    [(1, 1, 2), (3, 0, 3), (0, 0, 9), (0, 4, 9), (2, 5, 20), (10, 10, 20), (30, 2, 60), (1, 0, 1), (40, 41, 120)],
)
def test_sides_are_those_of_all_ways(wins, losses, units):
    found = sides(np.array([wins]), np.array([losses]), np.array([units]))[0]
    assert found == pytest.approx(enumerated(wins, losses, units), abs=1e-12)


def test_a_row_does_not_depend_on_the_others_and_the_far_side_is_reached():
    wins, losses = np.array([50, 2000, 3, 900]), np.array([40, 0, 3, 6])
    units = np.array([100_000, 6000, 6, 1000])
    together = sides(wins, losses, units)
    assert together.sum(axis=1) == pytest.approx(1.0)
    for row in range(4):
        alone = sides(wins[row : row + 1], losses[row : row + 1], units[row : row + 1])[0]
        assert together[row] == pytest.approx(alone, abs=1e-13)
    assert together[1].tolist() == [0.0, 0.0, 1.0]
    mirrored = sides(losses, wins, units)
    assert mirrored == pytest.approx(together[:, ::-1], abs=1e-12)


@pytest.mark.parametrize("metric", ["error", "accuracy", "recall"])
def test_decisions_have_the_law_of_those_of_all_replicates(metric):
    """One set near the border, decided over and over, with all draws and without any."""
    tally = tally_of(from_events(EVENTS), resolve(metric))
    batch = np.repeat(tally.multiplicities[None, :], 2000, axis=0)
    quick = resolve_test("bootstrap:replicates=199")
    side = "less" if metric == "error" else "greater"
    full = quick.evaluate(tally, batch[:600], side, Streams.of(1)).p
    shares = []
    for alpha in np.quantile(full, (0.2, 0.5, 0.8)):
        share = (full <= alpha).mean()
        shares.append(share)
        drawn = quick.decide(tally, batch, (alpha,), side, Streams.of(2)).mean()
        assert drawn == pytest.approx(share, abs=5 * np.sqrt(0.25 * (1 / 600 + 1 / 2000)))
    assert 0.1 < min(shares) <= max(shares) < 0.95
