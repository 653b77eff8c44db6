"""The wine study again: what is said aloud."""

from __future__ import annotations

import json
import sys

import pytest

from referee_papers import wine
from referee_papers.wine import runs as wine_runs
from referee_papers.wine.paper_tables import MARKS

pytest.importorskip("sklearn")
from tests.papers.wine.made_up import row


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


def test_without_xgboost(runs, monkeypatch):
    from sklearn.ensemble import GradientBoostingClassifier

    monkeypatch.setitem(sys.modules, "xgboost", None)
    asked = []
    monkeypatch.setattr(wine, "measure", lambda plan, boosts, **running: asked.append(boosts) or runs)
    told = wine.run(fast=True)
    assert asked == ["scikit-learn"]
    model = wine_runs.make_classifiers("scikit-learn")["XGB"]
    assert isinstance(model, GradientBoostingClassifier) and (model.n_estimators, model.max_depth) == (100, 3)
    assert "gradient boosting in place of XGBoost" in told.paper
    assert "xgboost is not installed" in told.conclusion
    assert "referee[boost]" in row(told, "table 4: error of XGB, 5x2cv")["note"]
