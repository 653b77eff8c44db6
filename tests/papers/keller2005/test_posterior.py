"""Posteriors beside the bootstrap and the score test: the grid, how probabilities are counted, and what is written of them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from referee_papers import keller2005
from referee_papers.keller2005 import posterior
from referee_papers.keller2005.panels import Plan
from tests.papers.keller2005.made_up import worlds

TINY = Plan(sizes=(100, 400), sets=4)


@pytest.fixture(scope="module")
def values():
    return posterior.measure(worlds(), TINY, jobs=1)


def test_stated_probabilities_are_counted_by_who_is_better():
    better = np.array([0.97, 0.02, 0.5, 0.55, np.nan])
    bands = posterior._in_bands(better, np.array([3, 2, 4, 1, 9]), true=0.1)
    assert bands[0] == pytest.approx([4 * 0.5 + 0.55, 4 * 0.5 + 1, 5])  # one half names either
    assert bands[5] == pytest.approx([3 * 0.97 + 2 * 0.98, 3, 5])  # 2 of 5 named the worse one
    assert sum(band[2] for band in bands) == 10
    assert posterior._in_bands(better, np.array([3, 2, 4, 1, 9]), true=0.0) == [[0.0] * 3] * 7


def test_the_comparison_is_a_replication(values):
    points, bands = posterior.gather(worlds(), TINY, values)
    assert len(points) == 4 * 4 * 2
    every = [row for row in bands if row["n"] is None and row["line"] == "bayes"]
    # In the category x of every panel the models tie, and nobody is better.
    assert sum(row["sets"] for row in every) == 4 * 1 * 2 * TINY.sets
    assert all(0.5 <= row["stated"] <= 1 and 0 <= row["right"] <= 1 for row in every if row["sets"])
    made = posterior.judge(points, bands, TINY, "made-up data", "Keller")
    content = json.loads(json.dumps(made.to_dict(), allow_nan=False))
    assert content["schema"] == "referee.replication/1"
    assert {row["agrees"] for row in content["rows"]} == {None}
    assert len(content["tables"]) == 5
    assert "numbers that the paper does not have" in str(made)
    assert "right in: bayes" in made.conclusion


def test_one_test_alone_gives_the_same_numbers(values):
    """All tests see the same sets, and none depends on the others."""
    alone = {"bayes": posterior.TESTS["bayes"]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(posterior, "TESTS", alone)
        grid = posterior.make_grids(worlds(), TINY)["a"]
        key = grid.key("x", 100)
        cell = posterior.measure_cell(*grid.tasks()[key])
    assert cell["tests"][alone["bayes"]] == values[key]["tests"][alone["bayes"]]
    assert cell["stated"][alone["bayes"]] == values[key]["stated"][alone["bayes"]]


def test_it_is_drawn(tmp_path, monkeypatch):
    drawn = {}
    monkeypatch.setattr("referee.report.charts.save", lambda chart, path: drawn.update({path.name: chart.to_dict()}))
    few = {panel: {"y": one["y"]} for panel, one in worlds().items()}
    keller2005.compare_posteriors(few, Plan(sizes=(100,), sets=4), charts=tmp_path / "drawn", jobs=1)
    names = ("false-alarm", "power", "coverage", "probabilities")
    assert set(drawn) == {f"posterior-{name}.{ending}" for name in names for ending in ("svg", "png")}
    assert "probability that the test states" in json.dumps(drawn["posterior-probabilities.svg"])
