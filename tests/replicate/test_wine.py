"""The wine study again: the paper's own numbers on its own splits, its marks and why they cannot be, and what is said aloud."""

from __future__ import annotations

import copy
import json
import sys

import numpy as np
import pytest

import referee
from referee.replicate import _wine_runs, wine
from referee.replicate._wine_runs import DESIGNS, PAIRS, OwnHalves, OwnHoldout, Plan
from referee.replicate._wine_tables import ERRORS, MARKS, marked, typical
from referee.runtime.randomness import Streams

pytest.importorskip("sklearn")


@pytest.fixture(scope="module")
def runs():
    return _wine_runs.measure(Plan(forests=1, seeds=1), _wine_runs.boosting(), jobs=1)


@pytest.fixture(scope="module")
def flawless(runs):
    """The run on the authors' split, with a forest that makes no error there, as theirs."""
    run = copy.deepcopy(runs[0][0])
    run["error"]["RF"]["holdout"] = 0.0
    for pair in ("XGB vs. RF", "LR vs. RF"):
        wanted = pair.replace("RF", "SVM")
        run["pairs"][pair] |= {key: run["pairs"][wanted][key] for key in ("n01", "n10", "corner", "exact_p", "mid_p")}
    run["pairs"]["RF vs. SVM"] |= {"n01": 0, "n10": 0, "corner": [0, 0], "exact_p": 1.0, "mid_p": 1.0}
    return run


@pytest.fixture(scope="module")
def made(runs, flawless):
    return wine.judged([flawless, flawless], runs[1], "xgboost")


def row(made, what):
    return next(row for row in made.rows if row["what"] == what)


def test_splits_are_the_authors():
    y = np.repeat([0, 1, 2], [59, 71, 48])
    (held,) = OwnHoldout().splits(y, None, False, Streams.of(0))
    # What train_test_split(test_size=0.2, random_state=42) tests.
    assert np.array_equal(held.test, np.sort(np.random.RandomState(42).permutation(178)[:36]))
    halves = OwnHalves().splits(y, None, True, Streams.of(0))
    assert [len(split.test) for split in halves] == [90, 88] * 5
    for split in halves:
        assert np.array_equal(np.sort(np.concatenate([split.train, split.test])), np.arange(178))
    assert len({tuple(split.test) for split in halves}) == 10


def test_errors_are_the_papers(runs):
    # libsvm and liblinear leave nothing to chance: to the paper's three digits.
    found = {name: {k: round(v, 3) for k, v in each.items()} for name, each in runs[0][0]["error"].items()}
    assert found["SVM"] == {"holdout": 0.0, "5x2cv": 0.073}
    assert found["LR"] == {"holdout": 0.028, "5x2cv": 0.059}
    assert 0.02 <= found["RF"]["5x2cv"] <= 0.05


@pytest.mark.skipif(_wine_runs.boosting() != "xgboost", reason="needs xgboost")
def test_errors_of_xgboost(runs):
    assert runs[0][0]["error"]["XGB"]["holdout"] == pytest.approx(1 / 36)
    assert 0.045 <= runs[0][0]["error"]["XGB"]["5x2cv"] <= 0.056
    pair = runs[0][0]["pairs"]["XGB vs. SVM"]
    assert (pair["n01"], pair["n10"], pair["corner"]) == (1, 0, [0, 0])


def test_logistic_regression_against_svm(runs):
    pair = runs[0][0]["pairs"]["LR vs. SVM"]
    assert (pair["n01"], pair["n10"], pair["corner"]) == (1, 0, [0, 1])
    assert (pair["exact_p"], pair["mid_p"]) == (1.0, 0.5)
    assert not marked(pair["corner"])
    assert abs(pair["t"]) == pytest.approx(1.4366, abs=1e-3)
    assert abs(pair["t"]) < 2.571 and pair["t_p"] > 0.05


def test_pairs_keep_their_order(runs):
    for run in runs[0] + runs[1]:
        for a, b in PAIRS:
            pair = run["pairs"][f"{a} vs. {b}"]
            gained = run["error"][a]["holdout"] - run["error"][b]["holdout"]
            assert (pair["n01"] - pair["n10"]) / 36 == pytest.approx(gained)


def test_counted_in_either_order():
    truth, a, b = [0, 1, 2, 2, 1], [1, 1, 2, 2, 0], [0, 0, 1, 2, 0]
    compared = referee.compare(truth=truth, a=a, b=b, metric="error")
    one, other = _wine_runs._counted(compared, False), _wine_runs._counted(compared, True)
    assert (one["n01"], one["n10"], one["corner"]) == (1, 2, [0, 2])
    assert (other["n01"], other["n10"], other["corner"]) == (2, 1, [2, 0])


def test_no_error_is_no_difference():
    truth = [0, 1, 2] * 12
    found = _wine_runs._counted(referee.compare(truth=truth, a=truth, b=truth), False)
    assert (found["n01"], found["n10"], found["exact_p"], found["mid_p"]) == (0, 0, 1.0, 1.0)
    assert _wine_runs.printed(0, 0) == np.inf
    assert marked(found["corner"])


def test_rejecting_takes_five_errors():
    truth = [1] * 36
    p = {k: referee.compare(truth=truth, a=truth, b=[0] * k + truth[k:], test="mcnemar").p_value for k in (4, 5)}
    assert p[5] <= 0.05 < p[4]


def test_marks(made):
    if _wine_runs.boosting() == "xgboost":
        assert row(made, "table 5: all six marks of McNemar, by the authors' code")["agrees"]
        assert "one toss" in row(made, "table 5: XGB vs. RF, McNemar")["note"]
    agrees = {pair: row(made, f"table 5: {pair}, McNemar")["agrees"] for pair in MARKS}
    assert agrees == {pair: not marks[0] for pair, marks in MARKS.items()}
    assert "1/0" in row(made, "table 5: RF vs. SVM, McNemar")["note"]


def test_typical_forest(runs, flawless):
    unlike = copy.deepcopy(flawless)
    unlike["error"]["RF"]["holdout"] = 1 / 36
    assert typical([unlike, flawless]) is flawless
    assert typical([unlike]) is unlike


def test_contract(made):
    content = json.loads(json.dumps(made.to_dict(), allow_nan=False))
    assert content["schema"] == "referee.replication/1"
    assert all(set(row) == {"what", "paper", "ours", "agrees", "note"} for row in content["rows"])
    assert [len(table["rows"]) for table in content["tables"]] == [8, 6, 6, 7]
    assert content["tables"][1]["rows"][5]["printed"] is None
    assert all(row(made, f"table 6: {pair}")["agrees"] for pair in MARKS)
    assert "p = 1" in content["conclusion"] and "xgboost is not installed" not in content["conclusion"]
    for form in ("text", "markdown", "latex"):
        assert "wine" in made.to(form)


def test_forest_decides(flawless, runs):
    """The mark of a pair with RF agrees when any forest gives it."""
    lucky = copy.deepcopy(flawless)
    lucky["pairs"]["RF vs. SVM"] |= {"t": 2.6, "t_p": 0.048}
    unlucky = copy.deepcopy(flawless)
    unlucky["pairs"]["RF vs. SVM"] |= {"t": 2.5, "t_p": 0.054}
    what = "table 5: RF vs. SVM, 5x2cv t"
    assert row(wine.judged([unlucky, lucky], runs[1], "xgboost"), what)["agrees"]
    assert not row(wine.judged([unlucky, unlucky], runs[1], "xgboost"), what)["agrees"]


def test_what_is_apart_is_named(flawless, runs):
    run = copy.deepcopy(flawless)
    run["error"] |= {name: dict(zip(DESIGNS, errors, strict=True)) for name, errors in ERRORS.items()}
    assert "The table of errors holds: " in wine.judged([run], runs[1], "xgboost").conclusion
    run["error"]["LR"]["5x2cv"] = 0.2
    assert "The table of errors holds but for LR: " in wine.judged([run], runs[1], "xgboost").conclusion


def test_adjusted_for_six(flawless):
    run = copy.deepcopy(flawless)
    for pair in run["pairs"].values():
        pair["t_p"] = 0.9
    run["pairs"]["RF vs. SVM"]["t_p"] = 0.03
    assert wine._unbeaten(run) == {"XGB", "LR", "RF", "SVM"}
    run["pairs"]["RF vs. SVM"]["t_p"] = 0.003
    assert wine._unbeaten(run) == {"XGB", "LR", "RF"}


def test_without_xgboost(runs, monkeypatch):
    from sklearn.ensemble import GradientBoostingClassifier

    monkeypatch.setitem(sys.modules, "xgboost", None)
    asked = []
    monkeypatch.setattr(wine, "measure", lambda plan, boosts, **running: asked.append(boosts) or runs)
    told = wine.run(fast=True)
    assert asked == ["scikit-learn"]
    model = _wine_runs.classifiers("scikit-learn")["XGB"]
    assert isinstance(model, GradientBoostingClassifier) and (model.n_estimators, model.max_depth) == (100, 3)
    assert "gradient boosting in place of XGBoost" in told.paper
    assert "xgboost is not installed" in told.conclusion
    assert "referee[boost]" in row(told, "table 4: error of XGB, 5x2cv")["note"]


def test_store_goes_on(monkeypatch, tmp_path):
    done = []
    monkeypatch.setattr(_wine_runs, "experiment", lambda *task: done.append(task) or [{"task": list(task)}])
    file = tmp_path / "cells.sqlite"
    _wine_runs.measure(Plan(2, 2), "xgboost", store=file, jobs=1)
    own, others = _wine_runs.measure(Plan(3, 4), "xgboost", store=file, jobs=1)
    assert done[3:] == [(True, 0, 3, "xgboost"), (False, 3, 1, "xgboost"), (False, 4, 1, "xgboost")]
    assert len(own) == 1 and [run["task"][1] for run in others] == [1, 2, 3, 4]


def test_a_failing_fit_is_told(monkeypatch):
    class Broken(type(_wine_runs.classifiers("scikit-learn")["SVM"])):
        def fit(self, *given):
            raise ValueError("no fit today")

    models = _wine_runs.classifiers("scikit-learn")
    monkeypatch.setattr(
        _wine_runs, "classifiers", lambda *given: {"LR": models["LR"], "SVM": Broken(), "RF 1": models["RF 1"]}
    )
    with pytest.raises(referee.RefereeError, match="SVM could not be fitted on split 1: ValueError: no fit today"):
        _wine_runs.experiment(True, 0, 1, "scikit-learn")
