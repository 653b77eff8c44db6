"""Plans over questions and seeds, against the t test's power by hand and by simulation."""

import numpy as np
import pytest

import referee
from referee.data.counts import Counts
from referee.errors import OptionError
from referee.studies.planning.crossed_plan import Components, power_of

PARTS = Components(first=1.0, second=0.2, cell=2.0, levels=(40, 5), rows=1.0)


def pilot(questions=40, seeds=5, rng=0):
    draw = np.random.default_rng(rng)
    y = (
        0.2
        + draw.normal(0, 1, (questions, 1))
        + draw.normal(0, 0.4, (1, seeds))
        + draw.normal(0, 1.4, (questions, seeds))
    )
    question, seed = (axis.ravel() for axis in np.indices(y.shape))
    return Counts.of({"a": np.zeros(y.size), "b": y.ravel(), "group": question, "crossed": seed})


def test_the_error_is_that_of_crossed_random_effects():
    error, df = PARTS.error(40, 5)
    assert error == pytest.approx((1 / 40 + 0.2 / 5 + 2 / 200) ** 0.5)
    assert 4 < df < 39


def test_power_is_that_of_simulated_t_tests():
    draw, hits, error, df = np.random.default_rng(0), 0, 0.5, 9
    t = (1.2 + draw.normal(0, error, 20000)) / (error * np.sqrt(draw.chisquare(df, 20000) / df))
    hits = float((t > 2.2621572).mean())
    assert power_of(1.2, error, df, 0.05, sided=False) == pytest.approx(hits, abs=0.015)


def test_what_is_planned_has_the_power_and_no_fewer_would():
    r = referee.plan(pilot(), difference=0.6)
    first, second = (one["count"] for one in r.levels)
    assert r.solved == "n"
    assert r.n == first * second
    again = referee.plan(pilot(), difference=0.6, n=r.n)
    fewer = referee.plan(pilot(), difference=0.6, n=(first - 1) * second) if second == 5 else None
    assert again.solved == "power"
    if fewer is not None:
        assert fewer.power < 0.8 <= again.power + 1e-9


def test_n_alone_says_what_is_detected():
    found = referee.plan(pilot(), n=1000)
    back = referee.plan(pilot(), n=1000, difference=found.difference)
    assert found.solved == "difference"
    assert back.power == pytest.approx(0.8, abs=1e-6)


def test_the_gains_and_the_table_follow_from_the_split():
    r, split = referee.plan(pilot(), difference=0.6), referee.compare(pilot()).variance
    assert [one["saved"] for one in r.gains] == [split.saved("group"), split.saved("crossed")]
    assert len(r.trade) == 9
    power = {(row["group"], row["crossed"]): row["power"] for row in r.trade}
    assert power[40, 5] < power[80, 5] < power[80, 10]
    text = str(r)
    assert "Twice as many" in text
    assert "Power with more" in text


def test_what_cannot_be_planned_is_refused():
    with pytest.raises(OptionError, match="answers which system is better"):
        referee.plan(pilot(), question="equal", margin=0.1)
    with pytest.raises(OptionError, match="of two the plan says"):
        referee.plan(pilot(), difference=0.5, runs=3)
    with pytest.raises(OptionError, match="give a larger one"):
        referee.plan(pilot(), difference=1e-6)
    with pytest.raises(OptionError, match="does not look for"):
        referee.plan(pilot(), difference=-0.5, alternative="greater")
