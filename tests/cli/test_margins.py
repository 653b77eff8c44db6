"""Margins and directions on the command line: no typo turns a gate green in silence."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def preds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, 400)
    systems = {name: np.where(rng.random(400) < 0.8, label, 1 - label) for name in ("old", "new")}
    pd.DataFrame({"label": label, **systems, "copy": systems["old"]}).to_csv("preds.csv", index=False)
    pd.DataFrame({"loss_old": rng.gamma(3, size=50), "loss_new": rng.gamma(3, size=50)}).to_csv("loss.csv", index=False)
    return ["compare", "preds.csv", "--truth", "label", "--a", "old"]


@pytest.mark.parametrize("written", ["0.01", "1pp"])
def test_margins_are_read(run, preds, written):
    done = run(*preds, "--b", "new", "--margin", written, "--format", "json")
    assert json.loads(done.out)["margin"] == 0.01


@pytest.mark.parametrize(
    ("written", "told"),
    [("1", "--margin 1pp"), ("1%", "--margin 1pp"), ("x", "margin must be"), ("0,01", "margin must be")],
)
def test_margins_that_pass_anything_or_mean_two_things_are_refused(run, preds, written, told):
    done = run(*preds, "--b", "new", "--margin", written, "--gate")
    assert done.code == 2
    assert told in done.err
    assert done.out == ""


def test_questions_have_a_verdict_a_p_value_and_an_interval_of_their_own(run, preds):
    words = (*preds, "--b", "new", "--metric", "accuracy", "--no-audit", "--gate")
    asked = {}
    for question, margin in (("no-worse", "6pp"), ("equal", "12pp"), ("equal", "1pp"), ("better", "6pp")):
        done = run(*words, "--question", question, "--margin", margin, "--format", "json")
        content = asked[question, margin] = json.loads(done.out)
        assert content["question"] == question
        assert content["interval"]["level"] == pytest.approx(0.95 if question == "better" else 0.9)
        assert (done.code == 0) == (content["verdict"] in ("no worse", "practically equal"))
    assert asked["equal", "12pp"]["verdict"] == "practically equal"
    assert asked["equal", "12pp"]["p_value"] <= 0.05 < asked["equal", "1pp"]["p_value"]
    assert asked["equal", "1pp"]["verdict"] == "too close to call"
    assert asked["no-worse", "6pp"]["margin_interval"] == asked["no-worse", "6pp"]["interval"]
    assert asked["no-worse", "6pp"]["p_value"] != asked["better", "6pp"]["p_value"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--question", "no-worse"], "--question no-worse needs --margin: the largest difference that does not matter, such as 0.01 or '1pp'"),
        (["--question", "equal", "--margin", "1pp", "--alternative", "less"], "--question equal sets its own alternative; leave --alternative out"),
        (["--question", "worse"], "'worse' is not one of 'better', 'no-worse', 'equal'"),
    ],
)  # fmt: skip
def test_questions_that_lack_something_are_refused(run, preds, words, told):
    done = run(*preds, "--b", "new", *words)
    assert (done.code, done.out) == (2, "")
    assert told in done.err


def test_a_system_that_passes_as_its_own_copy_is_pointed_out(run, preds):
    """A change that changes nothing may pass; but it may as well be one system compared with itself."""
    done = run(*preds, "--b", "copy", "--margin", "2pp", "--gate", "--format", "json")
    assert done.code == 0
    assert [w for w in json.loads(done.out)["warnings"] if "the same answer on all 400 examples" in w]
    silent = run(*preds, "--b", "copy", "--gate", "--format", "json")
    assert (silent.code, json.loads(silent.out)["warnings"]) == (3, [])


def test_one_column_is_not_two_systems(run, preds):
    done = run(*preds, "--b", "old", "--margin", "2pp", "--gate")
    assert done.code == 2
    assert "--a and --b are both 'old'" in done.err


def test_which_way_is_up_is_asked_for_where_scores_are_called_a_loss(run, preds):
    asked = run("compare", "loss.csv")
    assert asked.code == 2
    assert (
        "(--lower-is-better) or higher (--higher-is-better); for example: referee compare loss.csv --lower-is-better"
        in asked.err
    )
    told = json.loads(run("compare", "loss.csv", "--higher-is-better", "--format", "json").out)
    assert (told["metric"], told["higher_is_better"], told["warnings"]) == ("mean:better=higher", True, [])
    turned = json.loads(run("compare", "loss.csv", "--lower-is-better", "--format", "json").out)
    assert (turned["metric"], turned["higher_is_better"], turned["warnings"]) == ("mean:better=lower", False, [])
    assert turned["difference"] == told["difference"]
