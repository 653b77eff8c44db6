"""No default of ours moves a number of a paper: every replication again, to the last printed digit."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

import referee
from referee.significance import resolve, test_choice
from referee.significance.bootstrap import Bootstrap
from referee.significance.randomization import Randomization
from referee.significance.sign_tests import McNemar
from referee.studies.algorithms import pairs
from tests.papers import freezing

CLOSE = 1e-12
"""Relative: sums of floats may be added in another order on another machine. Counts and what is printed are exact."""


@pytest.fixture
def no_defaults(monkeypatch):
    """Whoever leaves a test to be chosen fails, wherever the choice was imported."""

    def refuse(tally, question="better"):
        raise AssertionError(f"a test of {tally.metric} was left to be chosen")

    chooses = test_choice.choose
    for module in list(sys.modules.values()):
        if getattr(module, "__dict__", {}).get("choose") is chooses:
            monkeypatch.setattr(module, "choose", refuse)

    def refuse_design(layout):
        raise KeyError(layout.design)

    monkeypatch.setattr(pairs, "default_test", refuse_design)


def test_defaults_can_be_refused(no_defaults):
    from sklearn.dummy import DummyClassifier

    with pytest.raises(AssertionError, match="left to be chosen"):
        referee.compare(truth=[0, 1], a=[0, 1], b=[1, 1])
    models = {"one": DummyClassifier(), "other": DummyClassifier(strategy="stratified")}
    with pytest.raises(AssertionError, match="left to be chosen"):
        referee.compare_algorithms(models, np.zeros((20, 1)), [0, 1] * 10, design="holdout", jobs=1)
    with pytest.raises(KeyError, match="5x2cv"):
        referee.compare_algorithms(models, np.zeros((20, 1)), [0, 1] * 10, design="5x2cv", jobs=1)


@pytest.mark.parametrize("name", freezing.PAPERS)
def test_frozen(name, no_defaults):
    if name.startswith("wine"):
        pytest.importorskip("sklearn")
    frozen = json.loads(freezing.file(name).read_text(encoding="utf-8"))
    if frozen.get("draws", freezing.draws()) != freezing.draws():
        pytest.skip(f"numpy {np.__version__} draws other test sets than the one that these numbers were frozen with")
    made = json.loads(freezing.text(freezing.PAPERS[name]()))
    assert list(made["ours"]) == list(frozen["ours"])
    for what, ours in frozen["ours"].items():
        assert type(made["ours"][what]) is type(ours), what
        assert made["ours"][what] == (pytest.approx(ours, rel=CLOSE, abs=0) if isinstance(ours, float) else ours), what
    assert made.get("tables") == frozen.get("tables")


def test_every_replication_is_frozen():
    from referee.cli.replicate import papers

    assert {name.partition("-")[0] for name in freezing.PAPERS} == set(papers())
    assert {path.stem for path in freezing.FOLDER.glob("*.json")} == set(freezing.PAPERS)


def test_no_skip_where_draws_are_known():
    if tuple(map(int, np.__version__.split(".")[:2])) < (2, 5):
        for name in freezing.PAPERS:
            frozen = json.loads(freezing.file(name).read_text(encoding="utf-8"))
            assert frozen.get("draws") == (freezing.draws() if name.startswith(freezing.DRAWN) else None)


def test_options_that_the_replications_leave_out():
    """Draws are keyed by how a test is spelt, so the options that its spelling leaves out are held here."""
    assert resolve("bootstrap:replicates=5000") == Bootstrap(interval="percentile", replicates=5000)
    assert resolve("mcnemar") == McNemar(variant="midp")
    assert resolve("randomization") == Randomization(studentized=False, method="auto")
