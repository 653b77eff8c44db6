"""The verb audit_algorithms(): which tests keep their promise, what it says, and what it refuses."""

from __future__ import annotations

import json

import pytest

from referee.errors import InputError, Misfit, NameUnknown, OptionError
from referee.studies.algorithms import error_rates
from referee.studies.algorithms.simulation import audit_algorithms

QUICK = {"n": 60, "learners": "centroid", "sets": 60}


@pytest.fixture(scope="module")
def tried():
    return audit_algorithms(n=100, learners="centroid", sets=400, jobs=1)


def row(result, design, test):
    (found,) = result.find(design, test)
    return found


def test_plain_t_raises_false_alarms_and_the_corrected_one_does_not(tried):
    for design in ("resampled", "repeated-kfold"):
        assert row(tried, design, "t")["false_alarm"] > 0.4
        assert (design, "t") in tried.breaking
        sound = row(tried, design, "corrected-t")
        assert 0.01 < sound["false_alarm"] < 0.05 + 3 * sound["false_alarm_error"]
        assert (design, "corrected-t") in tried.keeping
    for test in ("5x2cv-f", "5x2cv-t"):
        assert 0.02 < row(tried, "5x2cv", test)["false_alarm"] < 0.09
    assert all(found["power"] > found["false_alarm"] for found in tried.rows)
    assert row(tried, "repeated-kfold", "corrected-t")["power"] > row(tried, "kfold", "corrected-t")["power"]


def test_the_tie_is_a_tie_and_the_difference_is_one(tried):
    for found in tried.rows:
        assert abs(found["tie"]) < 4 * found["tie_error"]
        assert found["difference"] > 10 * found["difference_error"]


def test_the_rows(tried):
    assert set(tried.rows[0]) >= {
        *("world", "learners", "design", "test", "n", "alpha", "false_alarm", "false_alarm_error", "power"),
        *("power_error", "sets", "fits"),
    }
    fits = {found["design"]: found["fits"] for found in tried.rows}
    assert fits == {"holdout": 2, "5x2cv": 20, "kfold": 20, "resampled": 60, "repeated-kfold": 200}
    assert {found["world"] for found in tried.rows} == {"symmetric"}
    assert len(tried.rows) == 12 == len(tried.keeping) + len(tried.breaking)


def test_the_result_prints_itself(tried):
    said = str(tried)
    assert said.startswith("False alarms stay within 5%")
    assert "paired t test over the splits on resampled (" in " ".join(said.split())
    assert max(map(len, said.splitlines()[:-1])) <= 80
    assert said.splitlines()[-1] == tried.signature
    assert "| repeated-kfold | corrected resampled t test | 200 |" in tried.to_markdown()
    assert json.loads(tried.to_json()) == tried.to_dict()
    assert tried.to_dict()["schema"] == "referee.trials/1"
    assert len(tried.to_frame("polars")) == len(tried.rows)


def test_the_number_of_workers_changes_nothing():
    options = {"n": 60, "learners": "neighbour", "sets": 120, "designs": ["kfold", "5x2cv"]}
    one, two = (audit_algorithms(jobs=jobs, **options) for jobs in (1, 2))
    assert one == two
    assert audit_algorithms(rng=1, jobs=1, **options).rows != one.rows


def test_neither_the_other_designs_nor_the_other_tests_change_a_number():
    many = audit_algorithms(designs=["kfold", "5x2cv"], **QUICK)
    few = audit_algorithms(designs="5x2cv", tests="5x2cv-t", **QUICK)
    assert list(few.rows) == many.find("5x2cv", "5x2cv-t")


def test_a_store_is_taken_up_again(tmp_path, monkeypatch):
    options = {"designs": "5x2cv", "jobs": 1, "store": tmp_path / "cells.sqlite", **QUICK}
    first = audit_algorithms(**options)
    monkeypatch.setattr("referee.studies.algorithms.simulation.run_block", None)
    assert audit_algorithms(**options) == first
    with pytest.raises(InputError, match="a different run"):
        audit_algorithms(**{**options, "n": 80})


def test_unlike_learners(monkeypatch):
    monkeypatch.setattr(error_rates, "MATCHED", 6_000)
    found = audit_algorithms(n=60, learners=["centroid", "linear"], designs=["5x2cv", "holdout"], sets=50, jobs=1)
    pairs = list(dict.fromkeys((one["learners"], one["world"]) for one in found.rows))
    assert pairs == [
        ("centroid against centroid", "symmetric"),
        ("linear against linear", "symmetric"),
        ("centroid against linear", "matched"),
    ]
    assert "50 data sets are too few to tell whether the false alarms of any test stay within 5%" in " ".join(
        str(found).split()
    )


def test_several_sizes_and_alphas():
    found = audit_algorithms(n=[60, 80], learners="linear", designs="kfold", alpha=[0.01, 0.1], sets=50, jobs=1)
    assert found.alpha == 0.01
    assert [(one["n"], one["alpha"]) for one in found.rows if one["test"] == "t"] == [
        (60, 0.01), (60, 0.1), (80, 0.01), (80, 0.1),
    ]  # fmt: skip
    for low, high in zip(found.rows[::2], found.rows[1::2], strict=True):
        assert low["false_alarm"] <= high["false_alarm"]


def test_where_nothing_keeps_its_promise_it_says_so():
    found = audit_algorithms(n=60, learners="centroid", designs="resampled", tests="t", sets=50)
    assert not found.keeping
    assert str(found).startswith(
        "No test's false-alarm rate stays within 5% here.\n\nToo many false alarms: paired t test over the splits on resampled"
    )


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"learners": "forest"}, NameUnknown, "there is no learner 'forest'"),
        ({"learners": []}, OptionError, "learners is an empty list"),
        ({"designs": "kfolds"}, NameUnknown, "did you mean 'kfold'"),
        ({"tests": "corrected"}, NameUnknown, "corrected-t"),
        ({"designs": "5x2cv", "tests": "corrected-t"}, Misfit, "fits none of the designs 5x2cv"),
        ({"n": 20}, OptionError, "40 or more; it is 20"),
        ({"n": 60.5}, OptionError, "whole number"),
        ({"designs": "resampled:test=0.9"}, OptionError, "20 training examples in every split, which n = 60 does not"),
        ({"designs": "kfold:folds=70"}, OptionError, "a test example"),
        ({"sets": 0}, OptionError, "sets must be a whole number"),
        ({"alpha": 1.5}, OptionError, "alpha must lie between 0 and 1"),
    ],
)
def test_what_it_refuses(options, error, said):
    with pytest.raises(error, match=said):
        audit_algorithms(**{**QUICK, **options})


def test_what_is_sure_is_said():
    found = audit_algorithms(n=60, learners="centroid", designs=["kfold", "resampled:number=10"], sets=300, jobs=1)
    said = " ".join(str(found).split())
    assert found.breaking[0] == ("resampled:number=10", "t")
    assert ("kfold", "corrected-t") in found.keeping
    assert "False alarms stay within 5% for " in said
