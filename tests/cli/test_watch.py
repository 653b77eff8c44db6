"""`referee watch`: looks from the command line, again and again, and what a killed one leaves behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import referee
from referee.cli import watch

SIDES = ["--truth", "label", "--a", "old", "--b", "new"]
RNG = np.random.default_rng(0)
LABEL = RNG.integers(0, 2, 400)
ANSWERS = {name: np.where(RNG.random(400) < right, LABEL, 1 - LABEL) for name, right in (("old", 0.8), ("new", 0.9))}
DATA = pd.DataFrame({"label": LABEL, **ANSWERS})
STOP = referee.watch(DATA, truth="label", a="old", b="new").stopped_at.n


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    DATA[:30].to_csv("t.csv", index=False)
    return ["watch", "t.csv", *SIDES, "--state", "w.json"]


def grow(n):
    DATA[:n].to_csv("t.csv", index=False)


def test_looks_at_a_growing_table(run, here):
    first = run(*here, "--gate")
    assert (first.code, first.err) == (3, "")
    assert first.out.startswith("Keep going: too close to call after 30 examples; ")
    grow(400)
    second = run(*here, "--gate", "--format", "json")
    content = json.loads(second.out)
    assert (second.code, content["decision"], content["looked"]) == (0, "stop", 2)
    assert (content["stopped_at"]["n"], content["stopped_at"]["look"]) == (STOP, 2)
    assert "w.json" not in second.out
    third = run(*here)
    assert third.code == 0
    assert third.out.startswith(f'Stop: "new" is better than "old" (example {STOP}; +')
    assert "points, 95% confidence\nsequence" in third.out
    turned = ["watch", "t.csv", "--truth", "label", "--a", "new", "--b", "old", "--gate"]
    assert run(*turned).code == 1


def test_counts_files_are_added_up(run, here):
    for name, part in (("mon", DATA[:200]), ("tue", DATA[200:])):
        referee.count(part, truth="label", a="old", b="new").save(f"{name}.json")
    assert json.loads(run("watch", "mon.json", "--state", "c.json", "--format", "json").out)["n"] == 200
    both = json.loads(run("watch", "mon.json", "tue.json", "--state", "c.json", "--format", "json").out)
    assert (both["n"], both["looked"]) == (400, 2)
    less = run("watch", "tue.json", "--state", "c.json")
    assert (less.code, less.out) == (2, "")
    assert "200 fewer than at the last look (400)" in less.err


def test_two_runs_are_paired_by_id(run, here):
    for n in (100, 400):
        for name in ("old", "new"):
            made = pd.DataFrame({"id": np.arange(n), "label": DATA["label"][:n], "answer": DATA[name][:n]})
            made.to_csv(f"{name}.csv", index=False)
        words = ["watch", "old.csv", "new.csv", "--id", "id", "--truth", "label", "--prediction", "answer"]
        done = run(*words, "--state", "two.json", "--format", "json")
    content = json.loads(done.out)
    assert (content["looked"], content["n"], content["decision"]) == (2, 400, "stop")
    assert "once per look" in content["only_looks"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--margin", "0"], "--margin must be a number above 0"),
        (["--margin", "1pp"], "--margin is 0.01, and the watch in w.json has none; leave --margin out; to begin anew"),
        (["--metric", "f1"], "go on with --metric accuracy; to begin anew, name another file with --state"),
        (["--test", "score"], "score must not be looked at again and again"),
        (["-o", "w.json"], "two outputs cannot be one file: w.json"),
        (["--html", "w.json"], "two outputs cannot be one file: w.json"),
        (["--every", "0"], "0"),
        (["--by", "label"], "--by"),
        (["--alternative", "less"], "--alternative is less"),
    ],
)
def test_what_is_refused_leaves_the_state(run, here, words, told):
    run(*here)
    before = Path("w.json").read_bytes()
    done = run(*here, *words)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert len(done.err.splitlines()) == 1
    assert Path("w.json").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--state", "t.csv"], "cannot write t.csv: it is read as an input"),
        (["--state", "-"], "--state needs the name of a file"),
        (["--state", "none/w.json"], "there is no folder none"),
        (["--state", "."], "it is a folder"),
        (["--every", "5"], "--every needs --state"),
    ],
)
def test_states_that_cannot_be(run, here, words, told):
    before = sorted(Path().iterdir())
    done = run("watch", "t.csv", *SIDES, *words)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert sorted(Path().iterdir()) == before


def test_standard_input_is_one_look(run, here):
    text = DATA.to_csv(index=False).encode()
    assert run("watch", "-", *SIDES, "--state", "w.json", stdin=text).out.startswith("Stop: ")
    again = run("watch", "-", *SIDES, "--state", "v.json", "--every", "1", stdin=text)
    assert (again.code, "standard input is read only once" in again.err) == (2, True)


def test_it_looks_again_until_it_says_stop(run, here, monkeypatch):
    sizes, waits = iter([30, 50, 400]), []

    def wait(seconds):
        waits.append(seconds)
        grow(next(sizes))

    monkeypatch.setattr(watch.time, "sleep", wait)
    done = run(*here, "--every", "30", "--format", "markdown", "--gate")
    assert done.code == 0
    assert waits == [30.0] * 3
    talk = [line for line in done.err.splitlines() if "Keep going" in line]
    assert [line.split(";")[0] for line in talk] == [
        f"referee: Keep going: too close to call after {n} examples" for n in (30, 50)
    ]
    assert done.out.startswith("**Stop: ")
    assert json.loads(Path("w.json").read_text())["progress"]["looked"] == 3


def test_an_interrupted_one_has_kept_its_looks(run, here, monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(watch.time, "sleep", interrupted)
    done = run(*here, "--every", "30")
    assert (done.code, done.out) == (130, "")
    assert done.err.endswith("referee: interrupted\n")
    assert json.loads(Path("w.json").read_text())["progress"]["n"] == 30


def test_a_killed_one_loses_nothing(run, here):
    command = [sys.executable, "-c", "from referee.cli import main; main()", *here, "--every", "0.01"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    try:
        assert "after 30 examples" in process.stderr.readline()
        DATA[:50].to_csv("more.csv", index=False)
        Path("more.csv").replace("t.csv")
        assert "after 50 examples" in process.stderr.readline()
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stderr.close()
    assert json.loads(Path("w.json").read_text())["progress"]["looked"] == 2
    grow(400)
    content = json.loads(run(*here, "--format", "json").out)
    assert (content["looked"], content["stopped_at"]["n"]) == (3, STOP)
    assert [path.name for path in Path().iterdir() if path.name.startswith(".")] == []


def test_a_line_that_is_still_being_written_waits(run, here):
    whole = Path("t.csv").read_bytes()
    for end in (b"1,", b"1,0", b"1,0,1"):
        Path("t.csv").write_bytes(whole + end)
        done = run(*here, "--format", "json")
        assert "the last line of t.csv has no line break, so it may be incomplete: it is left out" in done.err
        assert json.loads(done.out)["n"] == 30
    Path("t.csv").write_bytes(whole + b"1,0,1\n")
    done = run(*here, "--format", "json")
    assert (json.loads(done.out)["n"], done.err) == (31, "")


def test_where_the_last_line_begins(tmp_path, monkeypatch):
    monkeypatch.setattr(watch, "TAIL", 4)
    for text, place in (("ab\ncdefghijk", 3), ("ab\ncdefghijk\n", 0), ("ab\r\ncd", 4), ("abcdefghijkl", 0), ("", 0)):
        (tmp_path / "t.csv").write_bytes(text.encode())
        assert watch._unfinished(tmp_path / "t.csv") == place
