"""`referee score` and `referee compare --unpaired`: the command line, its exit codes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

SAMPLES = Path(__file__).parents[1] / "samples"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    for name, right, start in (("may", 0.8, 0), ("june", 0.9, 500)):
        label = rng.integers(0, 2, 300)
        answer = np.where(rng.random(300) < right, label, 1 - label)
        pd.DataFrame({"id": np.arange(300) + start, "label": label, "answer": answer}).to_csv(
            f"{name}.csv", index=False
        )
    return ["score", "june.csv", "--truth", "label", "--id", "id", "--prediction", "answer"]


@pytest.mark.parametrize(("target", "code"), [("0.8", 0), ("90%", 3), ("0.97", 1)])
def test_the_exit_code_of_a_gate(run, here, target, code):
    done = run(*here, "--metric", "accuracy", "--at-least", target, "--gate", "--format", "json")
    assert done.code == code
    content = json.loads(done.out)
    assert (content["schema"], content["name"], content["n"]) == ("referee.score/1", "answer", 300)
    assert content["verdict"] == {0: "meets it", 1: "falls short", 3: "can't tell"}[code]


def test_without_a_gate_it_is_done(run, here):
    done = run(*here, "--at-least", "0.97")
    assert done.code == 0
    assert done.out.startswith('"answer" falls short of the target of at least 97%: accuracy')


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--gate"], "--gate needs a target: --at-least, or --at-most if lower is better"),
        (["--at-least", "0.9", "--at-most", "0.1"], "--at-least and --at-most are both given"),
        (["--at-least", "90"], "for 90% give --at-least 90%"),
        (["--at-most", "0.9"], "higher accuracy is better"),
        (["--at-least", "x"], "must be a number"),
        (["--metric", "f0"], "there is no metric 'f0'"),
        (["--prediction", "anwser"], "more than once"),
    ],
)
def test_what_is_refused(run, here, words, told):
    done = run(*here, *words)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert len(done.err.splitlines()) == 1


def test_the_only_column_left_is_the_system(run, here):
    done = run("score", "june.csv", "--truth", "label", "--id", "id")
    assert done.code == 0
    assert "the predictions are 'answer'" in done.err
    asked = run("score", "june.csv")
    assert asked.code == 2
    assert "--prediction" in asked.err


def test_two_files_are_one_too_many(run, here):
    done = run("score", "june.csv", "may.csv", "--truth", "label", "--prediction", "answer")
    assert (done.code, done.out) == (2, "")
    assert "one system is scored, from one file; 2 were given" in done.err


@pytest.mark.parametrize(
    ("words", "n"),
    [
        (["trec/old.txt", "--score", "map"], 8),
        (["promptfoo/both.json", "--prediction", "acme:chat:large"], None),
        (["openai-evals/acme-large.jsonl"], None),
        (["numbers/old.txt"], None),
        (["conll/old.conll"], None),
    ],
)
def test_one_log(run, words, n):
    done = run("score", str(SAMPLES / words[0]), *words[1:], "--format", "json")
    assert done.code == 0, done.err
    content = json.loads(done.out)
    assert content["score"] is not None
    assert n is None or content["n"] == n


def test_counts_are_kept_and_read(run, here):
    assert run(*here, "--save-counts", "june.json", "-q").code == 0
    done = run("score", "june.json", "--format", "json")
    assert json.loads(done.out)["name"] == "answer"
    compared = run("compare", "june.json")
    assert compared.code == 2
    assert "the counts of one system, answer" in compared.err


def test_page_and_chart(run, here):
    done = run(*here, "--at-least", "0.8", "--html", "s.html", "--chart", "s.svg", "--format", "markdown")
    assert done.code == 0
    assert "meets the target" in Path("s.html").read_text(encoding="utf-8")
    assert Path("s.svg").exists()
    assert done.out.startswith('**"answer" meets the target')


def test_two_samples(run, here):
    words = ["compare", "may.csv", "june.csv", "--truth", "label", "--prediction", "answer"]
    done = run(*words, "--unpaired", "--format", "json", "--gate")
    content = json.loads(done.out)
    assert (content["paired"], content["a"]["name"], content["b"]["name"]) == (False, "may", "june")
    assert done.code == {"b better": 0, "a better": 1}.get(content["verdict"], 3)
    assert run(*words).code == 2  # pairs need an id


def test_samples_that_share_examples(run, here):
    Path("again.csv").write_bytes(Path("may.csv").read_bytes())
    words = ["compare", "may.csv", "again.csv", "--truth", "label", "--id", "id", "--prediction", "answer"]
    done = run(*words, "--unpaired")
    assert (done.code, done.out) == (2, "")
    assert "300 ids are in both samples; pair them: referee compare may.csv again.csv" in done.err
    assert "--unpaired" not in done.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["may.csv", "--truth", "label", "--a", "answer", "--b", "label"], "two samples are two tables or logs"),
        (["may.csv", "june.csv", "--truth", "label", "--prediction", "answer", "--by-line"], "two samples"),
        (["may.csv", "june.csv", "--truth", "label", "--prediction", "answer", "--test", "mcnemar"], "does not fit"),
        ([str(SAMPLES / "trec/old.txt"), str(SAMPLES / "trec/new.txt"), "--score", "map"], "8 ids are in both samples"),
    ],
)
def test_samples_that_are_refused(run, here, words, told):
    done = run("compare", *words, "--unpaired")
    assert (done.code, done.out) == (2, "")
    assert told in done.err
