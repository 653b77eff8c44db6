"""`referee audit`, and `compare --audit`."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

WORDS = ("--truth", "label", "--a", "old", "--b", "new", "--positive", "spam")
QUICK = (*WORDS, "--metric", "error", "--test", "mcnemar", "--sets", "100")


def test_the_answer_comes_first(run, data):
    done = run("audit", data, *WORDS, "--metric", "error", "--sets", "200")
    assert done.code == 0, done.err
    said = " ".join(done.out.split())
    assert said.startswith("Too few test sets (200) to call the default test honest: ")
    assert "Draw more test sets: --sets 1000" in said
    assert "of the time" in said
    assert "Prefer the score test" in said
    for test in (
        "McNemar's test",
        "bootstrap test",
        "unpaired z test",
        "sign test",
    ):  # a long name is folded in its row
        assert test in said
    assert done.out.rstrip().splitlines()[-1].startswith("referee ")


def test_json_is_the_contract(run, data):
    content = json.loads(run("audit", data, *QUICK, "--format", "json").out)
    assert content["schema"] == "referee.audit/1"
    assert content["population"] == "demo.csv"
    assert {"metric", "rows", "advice"} <= set(content)
    for field in ("test", "null", "category", "n", "alpha", "false_alarm", "false_alarm_error", "spread", "power"):
        assert field in content["rows"][0]
    assert run("audit", data, *QUICK, "--format", "markdown").out.count("|") > 10
    assert "tabular" in run("audit", data, *QUICK, "--format", "latex").out


def test_categories_sizes_alphas_and_nulls(run, data):
    done = run(
        "audit", data, *QUICK, "--category", "sender", "--sizes", "50,100", "--alpha", "0.05,0.1",
        "--null", "swap", "--null", "observed", "--each", "--format", "json", "--no-coverage",
    )  # fmt: skip
    assert done.code == 0, done.err
    content = json.loads(done.out)
    assert len(content["rows"]) == 2 * 2 * 2
    assert len(content["each"]) == 40 * 8
    without = json.loads(run("audit", data, *QUICK, "--category", "sender", "--null", "swap", "--format", "json").out)
    assert without["each"] == []


def test_shipped_populations_by_name(run):
    done = run("audit", "rcv1-linear-rbf", "--metric", "f1", "--test", "randomization", "--sizes", "100", "--sets", "20",
               "--no-coverage", "--jobs", "1", "--format", "json")  # fmt: skip
    assert done.code == 0, done.err
    row = json.loads(done.out)["rows"][0]
    assert row["categories"]["different"] > 50
    assert "rcv1-linear-rbf" in run("list", "populations").out
    columns = run("audit", "rcv1-linear-rbf", "--truth", "label")
    assert columns.code == 2
    assert "--truth" in columns.err
    wrong = run("audit", "rcv1-linear-rfb", "--metric", "f1")
    assert wrong.code == 2
    assert "rcv1-linear-rbf" in wrong.err


def test_charts_and_counts_are_kept(run, data, tmp_path):
    chart, kept = tmp_path / "x.svg", tmp_path / "kept.json"
    done = run("audit", data, *QUICK, "--chart", str(chart), "--save-counts", str(kept))
    assert done.code == 0, done.err
    assert chart.read_text().startswith("<svg")
    again = run("audit", str(kept), "--metric", "error", "--test", "mcnemar", "--sets", "100", "--format", "json")
    first = run("audit", data, *QUICK, "--format", "json")
    assert json.loads(again.out)["rows"] == json.loads(first.out)["rows"]
    bad = run("audit", data, *QUICK, "--chart", str(tmp_path / "x.gif"))
    assert bad.code == 2
    assert ".svg" in bad.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--alpha", "0"), "alpha must lie between 0 and 1"),
        (("--alpha", "five"), "numbers separated by commas"),
        (("--sizes", "100,x"), "numbers separated by commas"),
        (("--sizes", "1"), "2 or more"),
        (("--sets", "0"), "sets"),
        (("--null", "none"), "tilt"),
        (("--metric", "f2"), "f1"),
        (("--metric", "f1", "--test", "mcnemar"), "randomization"),
        (("--jobs", "0"), "jobs"),
        (("--category", "sendr"), "sender"),
        (("--store", "/no/such/folder/x.db"), "folder"),
        (("--dask", "tcp://127.0.0.1:1"), "127.0.0.1:1"),
        (("--text", "label"), "--labels"),
        (("--metric", "f1", "--metric", "error"), "one metric"),
        (("--dask", "nonsense"), "tcp://host:8786"),
    ],
)
def test_bad_input_is_one_line_and_code_2(run, data, words, said, monkeypatch):
    monkeypatch.setattr("referee.runtime.dask.REACH", 1)
    few = () if "--sets" in words else ("--sets", "20")
    done = run("audit", data, *WORDS, *few, *words)
    assert done.code == 2
    assert said in done.err
    assert done.out == ""
    assert len(done.err.strip().splitlines()) == 1


def test_an_empty_category(run, tmp_path):
    path = tmp_path / "c.csv"
    rows = ["topic,y,a,b", *["x,1,1,0", "x,0,0,1", "x,1,0,1", "x,0,0,0"] * 5, *["empty,0,0,1", "empty,0,0,0"] * 5]
    path.write_text("\n".join(rows))
    words = (
        "audit",
        str(path),
        "--truth",
        "y",
        "--a",
        "a",
        "--b",
        "b",
        "--metric",
        "f1",
        "--category",
        "topic",
        "--positive",
        "1",
    )
    done = run(*words)
    assert done.code == 2
    assert "'empty'" in done.err


def test_no_category_where_the_null_holds(run, data):
    done = run("audit", data, *QUICK, "--null", "observed", "--format", "json")
    assert done.code == 0
    content = json.loads(done.out)
    assert content["rows"][0]["false_alarm"] is None
    assert any("holds nowhere" in warning for warning in content["warnings"])


def test_texts_train_models(run, tmp_path):
    rng = random.Random(1)
    words = {
        "sport": "ball goal team score match",
        "food": "bread soup cheese plate cook",
        "sea": "ship wave sail port deck",
    }
    noise = ["the", "day", "was", "long", "and", "people", "came", "early", "to", "see", "it", "all", "again"]
    lines = ["text,topics"]
    for i in range(240):
        topics = rng.sample(list(words), rng.choice([1, 1, 2]))
        text = [rng.choice(words[t].split()) for t in topics for _ in range(2)] + rng.choices(noise, k=6)
        rng.shuffle(text)
        lines.append(f"{' '.join(text)} n{i},{' '.join(topics)}")
    path = tmp_path / "texts.csv"
    path.write_text("\n".join(lines))
    done = run("audit", str(path), "--text", "text", "--labels", "topics", "--train-size", "80", "--metric", "error",
               "--test", "mcnemar", "--sets", "50", "--sizes", "100", "--null", "swap", "--jobs", "1",
               "--save-counts", str(tmp_path / "pop.json"), "--format", "json")  # fmt: skip
    assert done.code == 0, done.err
    content = json.loads(done.out)
    assert content["names"] == {"a": "linear-svm", "b": "rbf-svm"}
    assert json.loads((tmp_path / "pop.json").read_text())["columns"][0] == "slice"
    wrong = run("audit", str(path), "--text", "text", "--labels", "topics", "--models", "linear-svm", "--metric", "f1")
    assert wrong.code == 2
    assert "two models" in wrong.err


def test_a_store_goes_on_after_a_kill(data, tmp_path):
    """A run is killed in the middle; the next one finds what was finished, and says the same as one that was not."""
    words = ["audit", data, *WORDS, "--metric", "error", "--test", "bootstrap:replicates=1999", "--sets", "4000",
             "--sizes", ",".join(str(n) for n in range(100, 140)), "--no-coverage", "--format", "json"]  # fmt: skip
    command = [sys.executable, "-m", "referee", *words, "--jobs", "2", "--store", str(tmp_path / "s.db")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        store = tmp_path / "s.db"
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None and finished(store) < 3:
            time.sleep(0.05)
        assert process.poll() is None, "it ended before it could be killed"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    before = finished(store)
    assert 3 <= before < 40
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    fresh = subprocess.run([sys.executable, "-m", "referee", *words, "--jobs", "1"], capture_output=True, text=True, check=True, timeout=120)  # fmt: skip
    assert json.loads(done.stdout)["rows"] == json.loads(fresh.stdout)["rows"]
    fewer = ["10" if word == "4000" else word for word in command]
    other = subprocess.run(fewer, capture_output=True, text=True, check=False, timeout=60)
    assert other.returncode == 2
    assert "sets" in other.stderr
    assert finished(store) == 40


def finished(store: Path) -> int:
    import sqlite3

    if not store.exists():
        return 0
    try:
        # A copy: while a run is on, nobody else can open the store.
        copy = store.with_suffix(".copy")
        shutil.copy(store, copy)
        with contextlib.closing(sqlite3.connect(copy)) as connection:
            return int(connection.execute("SELECT count(*) FROM cells").fetchone()[0])
    except (sqlite3.Error, OSError):
        return 0


def test_compare_with_an_audit(run, data):
    content = json.loads(run("compare", data, *WORDS, "--metric", "error", "--audit", "--format", "json").out)
    assert content["audit"]["null"] == "nearest tie"
    assert 0 < content["audit"]["false_alarm"] < 0.1
    assert 0.9 < content["audit"]["coverage"] < 1
    assert "raises a false alarm" in " ".join(run("compare", data, *WORDS, "--metric", "error", "--audit").out.split())
    grouped = run("compare", data, *WORDS, "--metric", "error", "--group", "sender", "--audit", "--format", "json")
    assert json.loads(grouped.out)["audit"]["null"] == "tilt"


def test_compare_is_audited_unasked_where_that_is_quick(run, data):
    asked = {
        words: json.loads(run("compare", data, *WORDS, "--metric", "f1", *words, "--format", "json").out)
        for words in ((), ("--audit",), ("--no-audit",))
    }
    assert asked[()] == asked["--audit",]
    assert asked[()]["audit"]["false_alarm"] < 0.1
    off = asked["--no-audit",]
    assert (off["audit"], off["audit_seconds"]) == (None, None)
    assert {**off, "audit": asked[()]["audit"]} == asked[()]
    slow = ("compare", data, *WORDS, "--metric", "f1", "--test", "bootstrap:replicates=199")
    told = "not measured: it would take about 1 s; add --audit"
    assert told in " ".join(run(*slow).out.split())
    assert "not measured" not in run(*slow, "--no-audit").out
    assert "on data like these the test raises a false alarm" in " ".join(run(*slow, "--audit").out.split())
    twice = run("compare", data, *WORDS, "--audit", "--no-audit")
    assert twice.code == 2
    assert twice.err.startswith("referee: --audit or --no-audit is given more than once; give it once")


def test_algorithms_are_audited_in_simulated_worlds(run, monkeypatch, tmp_path):
    from referee.studies.algorithms import simulation

    real, asked = simulation.audit_algorithms, {}

    def quick(**options):
        asked.update(options)
        return real(**options, learners="centroid", designs="kfold")

    monkeypatch.setattr(simulation, "audit_algorithms", quick)
    done = run("audit", "algorithms", "--sizes", "60", "--sets", "20", "--jobs", "1", "--format", "json")
    content = json.loads(done.out)
    assert content["schema"] == "referee.trials/1"
    assert {(row["n"], row["sets"]) for row in content["rows"]} == {(60, 20)}
    assert asked == {"n": [60], "sets": 20, "jobs": 1}
    few = ("audit", "algorithms", "--sizes", "60", "--sets", "20", "--jobs", "1", "--quiet")
    assert r"\begin{tabular}" in run(*few, "--format", "latex", "--html", str(tmp_path / "page.html")).out
    assert "False alarms: centroid against centroid (symmetric)" in (tmp_path / "page.html").read_text(encoding="utf-8")
    wrong = run("audit", "algorithms", "--metric", "f1")
    assert (wrong.code, wrong.err) == (2, "referee: an audit of algorithms has no option --metric; leave it out\n")


def test_a_shipped_population_is_audited_by_itself(run, data):
    for words in (["wordnet-linear-mlp", "wordnet-linear-mlp"], [data, "wordnet-linear-mlp"]):
        done = run("audit", *words, "--metric", "f1", "--sets", "20")
        assert done.code == 2
        assert "wordnet-linear-mlp is audited by itself" in done.err
