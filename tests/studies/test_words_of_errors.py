"""What a reviewer stumbled over: names of metrics, warnings that say one thing twice, empty references, and battles of two models."""

import numpy as np
import pytest

import referee
from referee.errors import InputError, NameUnknown, OptionError

DRAW = np.random.default_rng(3)
TRUTH = DRAW.normal(size=60)
NUMBERS = {"truth": TRUTH, "a": TRUTH + DRAW.normal(size=60), "b": TRUTH + 0.5 * DRAW.normal(size=60)}


@pytest.mark.parametrize("name", ["R²", "r²", "R2", "r2score", "R2_score"])
def test_r2_by_its_names(name):
    assert referee.compare(**NUMBERS, metric=name, audit=False).metric == "r2"


def test_a_module_without_the_metric(tmp_path, monkeypatch):
    (tmp_path / "own_metrics.py").write_text("def scored(): ...\nimport referee.no_such\n")
    (tmp_path / "own_names.py").write_text("def scored(): ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(NameUnknown, match=r"there is no 'score' in own_names \(did you mean 'scored'\?\)"):
        referee.compare(**NUMBERS, metric="own_names:score")
    with pytest.raises(NameUnknown, match="ModuleNotFoundError"):
        referee.compare(**NUMBERS, metric="own_metrics:score")


def test_one_warning_for_one_heavy_example():
    right = DRAW.random((2, 60)) < [[0.5], [0.7]]
    weight = np.r_[1000.0, np.ones(59)]
    r = referee.compare(a=right[0], b=right[1], weight=weight, audit=False)
    assert sum("one example carries" in one for one in r.warnings) == 1


def test_groups_that_are_arrays_have_levels():
    question, seed = np.repeat(np.arange(20), 5), np.tile(np.arange(5), 20)
    right = DRAW.random((2, 100)) < [[0.5], [0.7]]
    r = referee.compare(a=right[0], b=right[1], group=[question, seed], audit=False)
    assert "levels of the second group" in r.to("text") and "values of first group" not in r.to("text")


def test_an_empty_reference_is_told_with_its_line(tmp_path):
    pytest.importorskip("sacrebleu")
    for name in ("old", "new"):
        (tmp_path / f"{name}.txt").write_text("a cat\nb dog\nc cow\n")
    (tmp_path / "ref.txt").write_text("a cat\n\nc cow\n")
    read = referee.read(tmp_path / "old.txt", tmp_path / "new.txt", references=str(tmp_path / "ref.txt"))
    assert any("no reference on line 2" in one for one in read.remarks)
    with pytest.raises(InputError, match=r"one is empty; leave such examples out$"):
        referee.compare(read, metric="bleu", audit=False)


def two_models(orders):
    (x_first, y_first), draw = orders, np.random.default_rng(1)
    first = np.where(np.arange(x_first + y_first) < x_first, "x", "y")
    won = np.where(draw.random(len(first)) < 0.8, "model_a", "model_b")
    return {"model_a": first, "model_b": np.where(first == "x", "y", "x"), "winner": won}


def test_of_two_models_each_order_counts_half():
    told = [" ".join(referee.rank(two_models(orders), winner="winner").warnings) for orders in ((270, 30), (150, 150))]
    assert "x was shown first in 270 of 300 battles; each order counts half (pooled, it wins" in told[0]
    assert "ratings are fair only if" not in " ".join(told) and "counts half" not in told[1]


def test_battles_that_say_nothing():
    alone = {"model_a": ["x"] * 9, "model_b": ["x"] * 9, "winner": ["model_a"] * 9}
    with pytest.raises(InputError, match="all battles are of x with itself"):
        referee.compare(alone, winner="winner", audit=False)
    with pytest.raises(OptionError, match="a and b are both 'left'; name a column of its own for each"):
        referee.rank({"left": ["x", "y"], "won": ["x", "y"]}, winner="won", a="left", b="left")
    open_ = {"model_a": ["x", "z", "x", "z"], "model_b": ["z", "x", "y", "y"], "winner": ["model_a"] * 4}
    assert "none of the 3 can be ruled out as best" in " ".join(referee.rank(open_, winner="winner").to("text").split())


def test_a_plan_of_weighted_examples_reaches_its_power():
    draw = np.random.default_rng(5)
    truth = draw.integers(0, 2, 400)
    a, b = (np.where(draw.random(400) < right, truth, 1 - truth) for right in (0.85, 0.87))
    r = referee.plan(
        truth=truth, a=a, b=b, weight=np.exp(1.5 * draw.normal(size=400)), metric="accuracy", difference=0.05
    )
    (planned,) = [row for row in r.curve if row["units"] == r.units]
    assert abs(planned["power"] - 0.8) <= 2 * planned["error"]
