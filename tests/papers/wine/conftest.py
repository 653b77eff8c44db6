"""What the tests of this folder share."""

from __future__ import annotations

import copy

import pytest

from referee_papers import wine
from referee_papers.wine import runs as wine_runs
from referee_papers.wine.runs import Plan


@pytest.fixture(scope="package")
def runs():
    return wine_runs.measure(Plan(forests=1, seeds=1), wine_runs.find_boosting(), jobs=1)


@pytest.fixture(scope="package")
def flawless(runs):
    """The run on the authors' split, with a forest that makes no error there, as theirs."""
    run = copy.deepcopy(runs[0][0])
    run["error"]["RF"]["holdout"] = 0.0
    for pair in ("XGB vs. RF", "LR vs. RF"):
        wanted = pair.replace("RF", "SVM")
        run["pairs"][pair] |= {key: run["pairs"][wanted][key] for key in ("n01", "n10", "corner", "exact_p", "mid_p")}
    run["pairs"]["RF vs. SVM"] |= {"n01": 0, "n10": 0, "corner": [0, 0], "exact_p": 1.0, "mid_p": 1.0}
    return run


@pytest.fixture(scope="package")
def made(runs, flawless):
    return wine.judge([flawless, flawless], runs[1], "xgboost")
