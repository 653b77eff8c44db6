"""The paper's own numbers on its own splits."""

from __future__ import annotations

import numpy as np
import pytest

import referee
from referee.runtime.randomness import Streams
from referee_papers.wine import runs as wine_runs
from referee_papers.wine.paper_tables import marks
from referee_papers.wine.runs import PAIRS, OwnHalves, OwnHoldout, Plan

pytest.importorskip("sklearn")


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


@pytest.mark.skipif(wine_runs.find_boosting() != "xgboost", reason="needs xgboost")
def test_errors_of_xgboost(runs):
    assert runs[0][0]["error"]["XGB"]["holdout"] == pytest.approx(1 / 36)
    assert 0.045 <= runs[0][0]["error"]["XGB"]["5x2cv"] <= 0.056
    pair = runs[0][0]["pairs"]["XGB vs. SVM"]
    assert (pair["n01"], pair["n10"], pair["corner"]) == (1, 0, [0, 0])


def test_logistic_regression_against_svm(runs):
    pair = runs[0][0]["pairs"]["LR vs. SVM"]
    assert (pair["n01"], pair["n10"], pair["corner"]) == (1, 0, [0, 1])
    assert (pair["exact_p"], pair["mid_p"]) == (1.0, 0.5)
    assert not marks(pair["corner"])
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
    one, other = wine_runs.count_errors(compared, False), wine_runs.count_errors(compared, True)
    assert (one["n01"], one["n10"], one["corner"]) == (1, 2, [0, 2])
    assert (other["n01"], other["n10"], other["corner"]) == (2, 1, [2, 0])


def test_no_error_is_no_difference():
    truth = [0, 1, 2] * 12
    found = wine_runs.count_errors(referee.compare(truth=truth, a=truth, b=truth), False)
    assert (found["n01"], found["n10"], found["exact_p"], found["mid_p"]) == (0, 0, 1.0, 1.0)
    assert wine_runs.chi_square(0, 0) == np.inf
    assert marks(found["corner"])


def test_rejecting_takes_five_errors():
    truth = [1] * 36
    p = {k: referee.compare(truth=truth, a=truth, b=[0] * k + truth[k:], test="mcnemar").p_value for k in (4, 5)}
    assert p[5] <= 0.05 < p[4]


def test_store_goes_on(monkeypatch, tmp_path):
    done = []
    monkeypatch.setattr(wine_runs, "run_experiment", lambda *task: done.append(task) or [{"task": list(task)}])
    file = tmp_path / "cells.sqlite"
    wine_runs.measure(Plan(2, 2), "xgboost", store=file, jobs=1)
    own, others = wine_runs.measure(Plan(3, 4), "xgboost", store=file, jobs=1)
    assert done[3:] == [(True, 0, 3, "xgboost"), (False, 3, 1, "xgboost"), (False, 4, 1, "xgboost")]
    assert len(own) == 1 and [run["task"][1] for run in others] == [1, 2, 3, 4]


def test_a_failing_fit_is_told(monkeypatch):
    class Broken(type(wine_runs.make_classifiers("scikit-learn")["SVM"])):
        def fit(self, *given):
            raise ValueError("no fit today")

    models = wine_runs.make_classifiers("scikit-learn")
    monkeypatch.setattr(
        wine_runs, "make_classifiers", lambda *given: {"LR": models["LR"], "SVM": Broken(), "RF 1": models["RF 1"]}
    )
    with pytest.raises(referee.RefereeError, match="SVM could not be fitted on split 1: ValueError: no fit today"):
        wine_runs.run_experiment(True, 0, 1, "scikit-learn")
