"""`referee rank-datasets`: a table of scores in, which systems differ out; bad input is one line."""

from __future__ import annotations

import json

import pytest

import referee

ROWS = [(f"d{i}", 0.5 + 0.01 * i, 0.55 + 0.012 * i, 0.52 + 0.01 * ((7 * i) % 10)) for i in range(10)]
WIDE = "dataset,old,new,other\n" + "".join(f"{d},{a:.3f},{b:.3f},{c:.3f}\n" for d, a, b, c in ROWS)
LONG = "task,model,f1\n" + "".join(
    f"{d},{name},{x:.3f}\n" for d, *own in ROWS for name, x in zip(("old", "new", "other"), own, strict=True)
)


@pytest.fixture
def scores(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(WIDE, encoding="utf-8")
    return str(path)


def test_the_answer_comes_first(run, scores):
    done = run("rank-datasets", scores, "--metric", "accuracy")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith('"new" ')
    assert "over 10 datasets" in " ".join(done.out.split())
    assert done.out.rstrip().splitlines()[-1].startswith("referee ")


def test_options_are_those_of_the_function(run, scores):
    done = run("rank-datasets", scores, "--test", "nemenyi", "--baseline", "old", "--alpha", "0.1", "--format", "json")
    expected = referee.rank_datasets(scores, test="nemenyi", baseline="old", alpha=0.1)
    assert json.loads(done.out) == json.loads(expected.to_json())
    done = run("rank-datasets", scores, "--test", "bayes", "--rope", "0.02", "--rng", "3", "--format", "json")
    assert json.loads(done.out) == json.loads(referee.rank_datasets(scores, test="bayes", rope=0.02, rng=3).to_json())
    done = run("rank-datasets", scores, "--lower-is-better", "--systems", "old,new", "--format", "json")
    assert json.loads(done.out)["best"] == ["old"]


def test_long_tables_and_standard_input(run, tmp_path):
    path = tmp_path / "long.csv"
    path.write_text(LONG, encoding="utf-8")
    plain = run("rank-datasets", str(path), "--format", "json")
    named = run(
        "rank-datasets",
        "-",
        "--dataset",
        "task",
        "--system",
        "model",
        "--score",
        "f1",
        "--format",
        "json",
        stdin=LONG.encode(),
    )
    assert json.loads(plain.out) == json.loads(named.out)
    assert json.loads(plain.out)["metric"] == "f1"


def test_files(run, scores, tmp_path):
    page, chart, result = (tmp_path / name for name in ("r.html", "cd.svg", "r.tex"))
    done = run(
        "rank-datasets",
        scores,
        "--html",
        str(page),
        "--chart",
        str(chart),
        "--format",
        "latex",
        "-o",
        str(result),
        "-q",
    )
    assert (done.code, done.out, done.err) == (0, "", "")
    assert page.read_text().lower().startswith("<!doctype html>")
    assert chart.read_text().startswith("<svg")
    assert "tabular" in result.read_text()


@pytest.mark.parametrize(("text", "words", "told"), [
    (WIDE, ["--dataset", "name"], "there is no column 'name'"),
    (WIDE, ["--systems", "old"], "a ranking needs two systems or more; there is only 'old'"),
    (WIDE, ["--baseline", "nwe"], "there is no system 'nwe' (did you mean 'new'?)"),
    (WIDE, ["--rope", "0.1"], "--rope is for --test bayes"),
    (WIDE, ["--test", "friedman"], "'friedman' is not one of"),
    (WIDE, ["--missing", "wrong"], "--missing must be one of error, drop"),
    (WIDE + "d0,1,1,1\n", [], "the dataset 'd0' occurs in rows 1 and 11"),
    (WIDE + "d10,,1,1\n", [], "there is no score of 'old' on the dataset 'd10'; --missing drop leaves out"),
    (WIDE + "d10,nan,1,1\n", [], "there is no score of 'old' on the dataset 'd10'"),
    (WIDE + "d10,inf,1,1\n", [], "scores are finite numbers; that of 'old' on the dataset 'd10' is 'inf'"),
    (WIDE + "d10,high,1,1\n", ["--dataset", "dataset"], "'old' has values that are not numbers; name the columns of the systems with --systems"),
    ("dataset,a,b\nx,1,2\n", [], "needs two datasets or more; there is only 'x'"),
    ("dataset,a,b\n", [], "no "),
    ("dataset,a,b\nx,55,60\ny,61,62\n", ["--test", "bayes"], "say which differences don't matter with --rope"),
])  # fmt: skip
def test_bad_input_is_one_line(run, tmp_path, text, words, told):
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="utf-8")
    done = run("rank-datasets", str(path), *words, "--html", str(tmp_path / "r.html"))
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert not (tmp_path / "r.html").exists()


def test_a_dataset_without_a_score_can_be_dropped(run, tmp_path):
    path = tmp_path / "gap.csv"
    path.write_text(WIDE + "d10,,1,1\n", encoding="utf-8")
    done = run("rank-datasets", str(path), "--missing", "drop")
    assert done.code == 0
    assert "1 dataset is left out because a score is missing: 'd10'" in " ".join(done.out.split())
