"""`referee watch`: looks from the command line, again and again, and what a killed one leaves behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import referee
from referee.cli import growing, watch
from referee.errors import NotReady

SAMPLES = Path(__file__).parents[1] / "samples"
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


def test_lines_that_come_during_a_look_wait(run, here, monkeypatch):
    look = watch.run

    def meanwhile(*words):
        with Path("t.csv").open("a") as file:
            file.write("1,0,1\n1,0")
        return look(*words)

    monkeypatch.setattr(watch, "run", meanwhile)
    done = run(*here, "--format", "json")
    assert (json.loads(done.out)["n"], done.err) == (30, "")


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_each_of_two_files_waits_for_its_last_line(run, here, ending):
    for name in ("old", "new"):
        made = pd.DataFrame({"id": np.arange(30), "score": DATA[name][:30]})
        if ending == "csv":
            made.to_csv(f"{name}.csv", index=False)
        else:
            made.to_json(f"{name}.jsonl", orient="records", lines=True)
        with Path(f"{name}.{ending}").open("a") as file:
            file.write("30,0.5" if ending == "csv" else '{"id":30,"score":0')
    words = ["watch", f"old.{ending}", f"new.{ending}", "--id", "id", "--prediction", "score", "--format", "json"]
    done = run(*words)
    content = json.loads(done.out)
    assert (content["n"], content["comparison"]["a"]["name"], content["comparison"]["b"]["name"]) == (30, "old", "new")
    told = [line for line in done.err.splitlines() if "has no line break" in line]
    assert [line.split()[5] for line in told] == [f"old.{ending}", f"new.{ending}"]


def test_copies_keep_the_names_of_folders(run, here):
    for name in ("monday", "tuesday"):
        Path(name).mkdir()
        made = pd.DataFrame({"id": np.arange(30), "score": DATA["new"][:30]})
        made[: 30 if name == "monday" else 28].to_csv(f"{name}/run.csv", index=False)
    words = ["watch", "monday/run.csv", "tuesday/run.csv", "--id", "id", "--prediction", "score", "--format", "json"]
    refused = run(*words)
    assert (refused.code, "2 ids are only in monday/run.csv ('28', '29')" in refused.err) == (2, True)
    done = run(*words, "--unmatched", "drop", "--html", "w.html")
    assert [json.loads(done.out)["comparison"][side]["name"] for side in "ab"] == ["monday", "tuesday"]
    assert "referee-" not in done.out
    assert f"{tempfile.gettempdir()}/referee-" not in Path("w.html").read_text()


def test_logs_wait_for_their_last_line(run, here):
    words = ["--filter", "strict-match", "--format", "json"]
    shutil.copytree(SAMPLES / "lm-eval", "logs")
    before = json.loads(run("watch", "logs/acme__small", "logs/acme__large", *words).out)
    for path in Path("logs").rglob("*.jsonl"):
        with path.open("a") as file:
            file.write('{"doc_id": 99, "target')
    done = run("watch", "logs/acme__small", "logs/acme__large", *words)
    assert json.loads(done.out) == before
    assert before["comparison"]["a"]["name"] != before["comparison"]["b"]["name"]
    assert done.err.count("has no line break") == 2


def test_a_folder_of_tables_is_read_up_to_complete_lines(run, here):
    Path("parts").mkdir()
    for place, part in enumerate((DATA[:30], DATA[30:60])):
        part.to_csv(f"parts/{place}.csv", index=False)
    with Path("parts/1.csv").open("a") as file:
        file.write("1,0,")
    for source in ("parts", "parts/*.csv"):
        done = run("watch", source, *SIDES, "--format", "json")
        assert json.loads(done.out)["n"] == 60
        assert "the last line of parts/1.csv" in done.err


def test_what_a_copy_ends_with(tmp_path, monkeypatch):
    monkeypatch.setattr(growing, "PIECE", 4)
    for text, kept in (
        ("ab\ncdefghijk", "ab\n"),
        ("ab\ncdefghijk\n", "ab\ncdefghijk\n"),
        ("ab\r\ncd", "ab\r\n"),
        ("ab\r\ncd\r", "ab\r\n"),
        ("ab\rcdefg", "ab\r"),
        ("", ""),
    ):
        (tmp_path / "t.csv").write_bytes(text.encode())
        left_out = growing._copied(tmp_path / "t.csv", tmp_path / "copy.csv")
        assert ((tmp_path / "copy.csv").read_bytes(), left_out) == (kept.encode(), text != kept)
    (tmp_path / "t.csv").write_text("label,old")
    with pytest.raises(NotReady, match="has no complete line yet"):
        growing._copied(tmp_path / "t.csv", tmp_path / "copy.csv")


def test_a_record_that_is_open_at_a_line_break_waits(run, here, monkeypatch):
    texts = ["label,old,new,text\n1,0,1,a\n", '0,0,0,"two\n', 'lines"\n']
    Path("t.csv").write_text("".join(texts[:2]))
    done = run(*here)
    assert (done.code, done.out, Path("w.json").exists()) == (2, "", False)
    assert "line 3 ('0,0,0,\"two'): Value with unterminated quote" in done.err
    assert "cannot read t.csv" in done.err
    steps = iter([lambda: Path("t.csv").write_text("".join(texts)), interrupt])
    monkeypatch.setattr(watch.time, "sleep", lambda _: next(steps)())
    again = run(*here, "--every", "1")
    assert [line.split(";")[0][:50] for line in again.err.splitlines()] == [
        "referee: no look yet: cannot read t.csv: line 3 ('",
        "referee: Keep going: too close to call after 2 exa",
        "referee: interrupted",
    ]


def interrupt():
    raise KeyboardInterrupt


def test_looks_that_cannot_be_taken_are_told_once_and_taken_again(run, here, monkeypatch):
    table, path = Path("t.csv").read_text(), Path("t.csv")
    run(*here)
    state = Path("w.json").read_bytes()
    path.unlink()
    steps = iter(
        [
            lambda: None,
            lambda: path.write_text(""),
            lambda: path.write_text("label,ol"),
            lambda: path.write_text("label,old,new\n"),
            lambda: path.write_text(table),
            lambda: grow(400),
        ]
    )

    def step(_):
        assert Path("w.json").read_bytes() == state
        next(steps)()

    monkeypatch.setattr(watch.time, "sleep", step)
    done = run(*here, "--every", "1", "--gate")
    assert (done.code, done.out[:5]) == (0, "Stop:")
    told = [line.removeprefix("referee: no look yet: ") for line in done.err.splitlines() if "no look yet" in line]
    assert [line.partition(";")[0] for line in told] == [
        "there is no file 't.csv'",
        "t.csv is empty",
        "t.csv has no complete line yet: its first one has no line break",
        "there are no examples: the table has no rows",
    ]


def test_two_logs_of_unequal_length_are_looked_at_again(run, here, monkeypatch):
    def write(name, n):
        right = (DATA[name] == DATA["label"]).astype(int)
        pd.DataFrame({"id": np.arange(n), "score": right[:n]}).to_csv(f"{name}.csv", index=False)

    write("old", 400)
    write("new", 390)
    steps = iter([lambda: write("new", 400), interrupt])
    monkeypatch.setattr(watch.time, "sleep", lambda _: next(steps)())
    words = ["watch", "old.csv", "new.csv", "--id", "id", "--prediction", "score", "--state", "two.json"]
    done = run(*words, "--every", "1")
    assert (done.code, done.out[:5]) == (0, "Stop:")
    assert "referee: no look yet: 10 ids are only in old.csv" in done.err


@pytest.mark.parametrize(
    ("spoil", "words", "told"),
    [
        (lambda: DATA.rename(columns={"new": "nwe"}).to_csv("t.csv", index=False), [], "there is no column 'new'"),
        (lambda: None, ["--metric", "f1"], "go on with --metric accuracy"),
        (lambda: Path("w.json").write_text("{}"), [], "w.json is not the state of a watch"),
        (
            lambda: pd.concat([DATA[30:60], DATA[:30]]).to_csv("t.csv", index=False),
            [],
            "no longer those of the last look",
        ),
        (lambda: grow(20), [], "10 fewer than at the last look"),
    ],
    ids=["column", "setting", "state", "rows", "fewer"],
)
def test_what_no_more_data_can_mend_ends_it(run, here, monkeypatch, spoil, words, told):
    run(*here)
    spoil()
    monkeypatch.setattr(watch.time, "sleep", lambda _: pytest.fail("it looked again"))
    done = run(*here, *words, "--every", "1")
    assert (done.code, done.out) == (2, "")
    assert told in done.err
