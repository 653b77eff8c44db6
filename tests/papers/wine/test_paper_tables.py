"""The paper's marks and why they cannot be."""

from __future__ import annotations

import copy

import pytest

from referee_papers import wine
from referee_papers.wine import runs as wine_runs
from referee_papers.wine.paper_tables import MARKS, choose_typical

pytest.importorskip("sklearn")
from tests.papers.wine.made_up import row


def test_marks(made):
    if wine_runs.find_boosting() == "xgboost":
        assert row(made, "table 5: all six marks of McNemar, by the authors' code")["agrees"]
        assert "one toss" in row(made, "table 5: XGB vs. RF, McNemar")["note"]
    agrees = {pair: row(made, f"table 5: {pair}, McNemar")["agrees"] for pair in MARKS}
    assert agrees == {pair: not mcnemar for pair, (mcnemar, _) in MARKS.items()}
    assert "1/0" in row(made, "table 5: RF vs. SVM, McNemar")["note"]


def test_typical_forest(runs, flawless):
    unlike = copy.deepcopy(flawless)
    unlike["error"]["RF"]["holdout"] = 1 / 36
    assert choose_typical([unlike, flawless]) is flawless
    assert choose_typical([unlike]) is unlike


def test_forest_decides(flawless, runs):
    """The mark of a pair with RF agrees when any forest gives it."""
    lucky = copy.deepcopy(flawless)
    lucky["pairs"]["RF vs. SVM"] |= {"t": 2.6, "t_p": 0.048}
    unlucky = copy.deepcopy(flawless)
    unlucky["pairs"]["RF vs. SVM"] |= {"t": 2.5, "t_p": 0.054}
    what = "table 5: RF vs. SVM, 5x2cv t"
    assert row(wine.judge([unlucky, lucky], runs[1], "xgboost"), what)["agrees"]
    assert not row(wine.judge([unlucky, unlucky], runs[1], "xgboost"), what)["agrees"]
