"""What is concluded."""

from __future__ import annotations

import copy

import pytest

from referee_papers import wine
from referee_papers.wine import paper_tables
from referee_papers.wine.paper_tables import ERRORS
from referee_papers.wine.runs import DESIGNS

pytest.importorskip("sklearn")


def test_what_is_apart_is_named(flawless, runs):
    run = copy.deepcopy(flawless)
    run["error"] |= {name: dict(zip(DESIGNS, errors, strict=True)) for name, errors in ERRORS.items()}
    assert "The table of errors holds: " in wine.judge([run], runs[1], "xgboost").conclusion
    run["error"]["LR"]["5x2cv"] = 0.2
    assert "The table of errors holds but for LR: " in wine.judge([run], runs[1], "xgboost").conclusion


def test_adjusted_for_six(flawless):
    run = copy.deepcopy(flawless)
    for pair in run["pairs"].values():
        pair["t_p"] = 0.9
    run["pairs"]["RF vs. SVM"]["t_p"] = 0.03
    assert paper_tables.find_unbeaten(run) == {"XGB", "LR", "RF", "SVM"}
    run["pairs"]["RF vs. SVM"]["t_p"] = 0.003
    assert paper_tables.find_unbeaten(run) == {"XGB", "LR", "RF"}
