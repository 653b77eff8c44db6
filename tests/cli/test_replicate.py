"""`referee replicate`: the options that a paper takes, and the shipped populations at a small size."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from referee.studies.auditing.population import CORPORA, SHIPPED
from referee_papers import bizarre, keller2005
from referee_papers.bizarre.whole_documents import Plan as Drawing
from referee_papers.keller2005 import figures

THERE = [corpus for corpus in CORPORA if f"{corpus}-linear-mlp" in SHIPPED]


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(keller2005, "FAST", replace(keller2005.FAST, sizes=(100,), sets=6, categories=1))
    drawing = Drawing(replicates=200, subsets=50, others=3, other_replicates=100, tied=5)
    monkeypatch.setattr(bizarre, "FAST", bizarre.Plan(drawing, sizes=(100,), sets=6, categories=1))
    monkeypatch.setattr(figures, "ENDINGS", (".svg",))
    monkeypatch.setattr(figures, "WORLDS", {"tilt": "H0: a tie"})


def test_list(run):
    done = run("replicate")
    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines()] == ["bizarre", "keller2005", "wine", "yeh2000"]


@pytest.mark.parametrize("corpus", THERE)
def test_keller(run, small, tmp_path, corpus):
    folder, store = tmp_path / "figures", tmp_path / "cells.sqlite"
    words = ["replicate", "keller2005", "--fast", "--corpus", corpus, "--jobs", "1", "--store", str(store)]
    done = run(*words, "--format", "json", "--charts", str(folder))
    assert done.code == 0, done.err
    content = json.loads(done.out)
    assert content["schema"] == "referee.replication/1" and len(content["tables"]) == 18
    assert (folder / f"fig1-{corpus}-tilt.svg").exists()
    again = run(*words, "--format", "json")
    assert again.out == done.out


@pytest.mark.parametrize("corpus", THERE)
def test_bizarre(run, small, corpus):
    done = run("replicate", "bizarre", "--fast", "--corpus", corpus, "--jobs", "1")
    assert done.code == 0, done.err
    assert "table 3, X" in done.out and "eq. 9" in done.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["keller2005", "--corpus", "rcv2"], "corpus must be one of"),
        (["yeh2000", "--corpus", "rcv1"], "has no option --corpus"),
        (["bizarre", "--charts", "x"], "has no option --charts"),
        (["keller2005", "--store", "no/folder/x"], "there is no folder"),
        (["keller2005", "--charts", "no/folder/x"], "cannot make the folder"),
        (["keller2006"], "did you mean 'keller2005'"),
    ],
)
def test_refused(run, words, said):
    done = run("replicate", *words)
    assert done.code == 2
    assert said in done.err and done.err.count("\n") == 1
