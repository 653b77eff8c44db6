"""Populations: worlds to draw test sets from."""

from __future__ import annotations

import numpy as np
import pytest

from referee import Counts, Population
from referee.counts import from_events
from referee.errors import InputError, OptionError

EVENTS = (61, 14, 9, 21, 6, 11, 5, 873)


def test_draws_have_the_population_shares():
    world = Population.of(from_events(EVENTS))
    drawn = world.multiplicities(1000, 500, rng=3)
    assert (drawn.sum(axis=1) == 1000).all()
    assert drawn.mean(axis=0) == pytest.approx(world.probabilities * 1000, rel=0.1)
    assert np.array_equal(world.multiplicities(1000, 300, rng=3), drawn[:300])
    assert world.draw(50, rng=1) == world.draw(50, rng=1)
    assert world.draw(50).n == 50


def test_swap_makes_the_systems_exchangeable():
    world = Population.of(from_events(EVENTS)).swap()
    shares = dict(
        zip(
            zip(*(world.counts[c].tolist() for c in ("truth", "a", "b")), strict=True), world.probabilities, strict=True
        )
    )
    assert shares[1, 0, 1] == pytest.approx(shares[1, 1, 0])
    assert shares[0, 0, 1] == pytest.approx((11 + 5) / 2000)
    assert sum(shares.values()) == pytest.approx(1.0)


def test_weights():
    world = Population.from_weights({"truth": [1, 1, 0], "a": [1, 1, 0], "b": [0, 0, 1]}, [0.5, 1.5, 2.0])
    assert world.probabilities.tolist() == [0.5, 0.5]
    for bad in ([0, 0, 0], [1, -1, 1], [1, float("nan"), 1]):
        with pytest.raises(InputError):
            Population.from_weights({"truth": [1, 1, 0], "a": [1, 1, 0], "b": [0, 0, 1]}, bad)
    with pytest.raises(InputError):
        Population.of(Counts.of({"truth": [], "a": [], "b": []}))
    with pytest.raises(OptionError):
        world.draw(0)
    assert np.isfinite(world.probabilities).all()
