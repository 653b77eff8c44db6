"""The standard streams: closed ones, full ones, terminals that obey, and code that prints."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from referee.runtime.safe_text import UNSAFE
from tests.warm import command as warm_command

COMMAND = (sys.executable, "-m", "referee")
ROLES = ("--truth", "label", "--a", "old", "--b", "new", "--positive", "spam")
CLOSED = "it is closed\n"


def shell(folder, words, tail="", **environment):
    """Run a command in a shell, which can close streams."""
    script = f'exec "$@" {tail}'
    return subprocess.run(
        ["sh", "-c", script, "sh", *COMMAND, *words],
        cwd=folder, capture_output=True, text=True, check=False, timeout=120, stdin=subprocess.DEVNULL,
        env={**os.environ, **environment},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "tail", "code", "said"),
    [
        (["compare", "demo.csv", *ROLES], ">&-", 2, f"referee: cannot write to standard output: {CLOSED}"),
        (["compare", "demo.csv", *ROLES], ">&- <&-", 2, f"referee: cannot write to standard output: {CLOSED}"),
        (["--help"], ">&-", 2, f"referee: cannot write to standard output: {CLOSED}"),
        (["compare", "--help"], ">&-", 2, f"referee: cannot write to standard output: {CLOSED}"),
        (["--version"], ">/dev/full", 2, "referee: cannot write to standard output: No space left on device\n"),
        (["compare", "demo.csv", *ROLES], ">/dev/full", 2, "referee: cannot write to standard output: No space left on device\n"),
        (["compare", "demo.csv", *ROLES, "--save-counts", "-"], ">/dev/full", 2,
         "referee: cannot write to standard output: No space left on device\n"),
        (["compare", "demo.csv", *ROLES, "-o", "/dev/full"], "", 2, "referee: cannot write /dev/full: No space left on device\n"),
        (["compare", "-", *ROLES], "<&-", 2,
         "referee: cannot read standard input: it is closed; pipe a table into it, or name a file\n"),
        (["compare", "demo.csv", *ROLES, "-q"], "<&-", 0, ""),
        (["compare", "demo.csv", *ROLES], "2>&-", 0, ""),
        (["compare", "nowhere.csv", *ROLES], "2>&-", 2, ""),
        (["compare", "demo.csv", *ROLES, "-o", "out.txt"], "<&- >&- 2>&-", 0, ""),
        (["compare", "demo.csv", *ROLES, "--html", "out.html"], "<&- >&- 2>&-", 2, ""),
    ],
)  # fmt: skip
def test_streams_that_are_closed_or_full(data, words, tail, code, said):
    folder = Path(data).parent
    before = Path(data).read_bytes()
    done = shell(folder, words, tail)
    assert (done.returncode, done.stderr) == (code, said)
    # A file that got the number of a closed stream would have messages in it.
    assert Path(data).read_bytes() == before
    if "out.txt" in words:
        assert (folder / "out.txt").read_text(encoding="utf-8").startswith('"new" is better than "old"')
    assert {path.name for path in folder.iterdir()} <= {"demo.csv", "out.txt", "out.html"}


PRINTING = """
import os, sys
import referee
print("module")
@referee.metric
def lift(tp, fp, fn, tn):
    print("metric")
    print("real", file=sys.__stdout__)
    os.write(1, b"number\\n")
    os.system("echo process")
    return (tp + tn) / (tp + fp + fn + tn)
"""
SAID = {"module", "metric", "real", "number", "process"}


@pytest.mark.parametrize(
    "words",
    [
        ["compare", "demo.csv", *ROLES, "--metric", "printing:lift"],
        ["compare", "demo.csv", *ROLES, "--metric", "printing:lift", "--html", "out.html"],
        ["audit", "demo.csv", *ROLES, "--metric", "printing:lift", "--sets", "20", "--jobs", "1"],
    ],
)
def test_what_a_users_code_prints_goes_to_stderr(data, words):
    folder = Path(data).parent
    (folder / "printing.py").write_text(PRINTING, encoding="utf-8")
    done = shell(folder, [*words, "--format", "json"], PYTHONPATH=os.pathsep.join([*sys.path, str(folder)]))
    assert done.returncode == 0
    assert json.loads(done.stdout)["schema"].startswith("referee.")
    assert set(done.stderr.split()) >= SAID


def test_what_a_model_prints_goes_to_stderr(data, tmp_path):
    (tmp_path / "talking.py").write_text(
        "from sklearn.dummy import DummyClassifier\n"
        "class Talker(DummyClassifier):\n"
        "    def fit(self, X, y):\n"
        "        print('fitting')\n"
        "        return super().fit(X, y)\n",
        encoding="utf-8",
    )
    table = tmp_path / "table.csv"
    table.write_text("x,y\n" + "".join(f"{i},{i % 2}\n" for i in range(40)), encoding="utf-8")
    words = ["algorithms", "table.csv", "--truth", "y", "--model", "a=talking:Talker", "--model", "b=sklearn.dummy:DummyClassifier",
             "--design", "kfold:folds=5", "--jobs", "2", "--format", "json"]  # fmt: skip
    done = shell(tmp_path, words, PYTHONPATH=os.pathsep.join([*sys.path, str(tmp_path)]))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["schema"] == "referee.algorithms/1"
    assert "fitting" in done.stderr


def test_results_under_the_name_of_standard_output(data):
    folder = Path(data).parent
    both = shell(folder, ["compare", "demo.csv", *ROLES, "-q", "--html", "/dev/stdout", "--format", "json"])
    page, _, result = both.stdout.partition("</html>")
    assert (both.returncode, both.stderr) == (0, "")
    assert page.startswith("<!DOCTYPE html>")
    assert json.loads(result)["n"] == 600


@pytest.mark.parametrize("words", [["list"], ["compare", "demo.csv", *ROLES], ["compare", "demo.csv", *ROLES, "--save-counts", "-"],
                                   ["compare", "demo.csv", *ROLES, "--html", "/dev/stdout"], ["--help"]])  # fmt: skip
def test_a_reader_that_has_had_enough(data, words):
    with subprocess.Popen(
        [*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=Path(data).parent
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 141


HOSTILE = "o\x1b]0;owned\x07\x1b[31m\x9b2J\u202eld"


@pytest.fixture
def hostile(tmp_path):
    """A table with names that a terminal would obey, in a file with such a name."""
    path = tmp_path / "a\x1b[2J.csv"
    rows = [f"{i},{i % 2},{(i + (i % 7 == 0)) % 2},{(i + (i % 5 == 0)) % 2},g{i % 9}\x1b[1m" for i in range(90)]
    path.write_text("\n".join([f"id,label,{HOSTILE},new\x1b[32m,part", *rows]), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """The command, without the time that it takes to import."""
    with warm_command(tmp_path_factory.mktemp("bin")) as folder:
        yield (str(folder / "referee"),)


def on_a_terminal(words, folder, command=COMMAND):
    """Run a command on a terminal; return its code and all that it wrote there."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "NO_COLOR": "1", "TERM": "dumb"}
    process = subprocess.Popen(
        [*command, *words], stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=environment
    )
    os.close(theirs)
    found = b""
    while True:
        try:
            piece = os.read(ours, 1 << 16)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        found += piece
    os.close(ours)
    return process.wait(60), found.decode("utf-8").replace("\r\n", "\n")


NAMED = ("--truth", "label", "--a", HOSTILE, "--b", "new\x1b[32m")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["compare", "{}", *NAMED, "-q"], 0),
        (["compare", "{}", *NAMED, "--by", "part", "-q"], 0),
        (["compare", "{}", *NAMED, "--format", "json", "-q"], 0),
        (["compare", "{}", *NAMED, "--format", "markdown", "-q"], 0),
        (["compare", "{}", *NAMED, "--format", "junit", "-q"], 0),
        (["count", "{}", *NAMED, "--group", "part"], 0),
        (["count", "{}", *NAMED, "--group", "part", "--format", "text"], 0),
        (["count", "{}", "--truth", "label"], 2),
        (["count", "{}", "--truth", "nope\x1b[31m", *NAMED[2:]], 2),
        (["count", "{}", "{}", "--id", "id"], 2),
        (["compare", "{}", *NAMED, "--html", "\x1b[31mr.html"], 0),
        (["compare", "\x1b[31m.csv"], 2),
        (["compare", "{}", *NAMED, "-o", "\x1b[31m/x"], 2),
        (["compare", "{}", "--\x1b[31m"], 2),
        (["\x1b[31m"], 2),
    ],
)
def test_a_terminal_is_given_nothing_that_it_would_obey(hostile, words, code, warm):
    done, found = on_a_terminal([str(hostile) if word == "{}" else word for word in words], hostile.parent, warm)
    assert done == code, found
    assert found.strip()
    assert UNSAFE.findall(found) == []


def test_a_message_that_is_not_on_a_terminal_holds_none_either(run, hostile):
    done = run("count", str(hostile), "--truth", "label")
    assert done.code == 2
    assert UNSAFE.findall(done.err) == []
    assert r"o\u001b]0;owned\u0007\u001b[31m\u009b2J\u202eld" in done.err


def test_json_on_a_terminal_is_that_of_a_file(hostile, run):
    words = ["count", str(hostile), *NAMED]
    _, found = on_a_terminal(words, hostile.parent)
    assert json.loads(found) == json.loads(run(*words).out)


def test_a_pipe_has_as_many_columns_as_it_is_told(run, tmp_path, monkeypatch):
    path, name = tmp_path / "board.csv", "a-model-with-a-rather-long-name-that-takes-its-room"
    rows = [f"q{i},{int(i % 2 == 0)},{int(i % 3 == 0)}" for i in range(40)]
    path.write_text("\n".join([f"question,{name},other", *rows]))
    lines = {}
    for columns in ("", "60", "120", "much"):
        monkeypatch.setenv("COLUMNS", columns)
        done = run("rank", str(path), "--id", "question", "-q")
        assert done.code == 0, done.err
        lines[columns] = done.out.splitlines()[:-1]  # a signature is one line
    assert max(map(len, lines["60"])) <= 60 < max(map(len, lines["120"]))
    assert any(f"{name}  " in line for line in lines["120"])
    assert lines["much"] == lines[""]
    monkeypatch.setenv("COLUMNS", "60")
    run("rank", str(path), "--id", "question", "-q", "-o", str(tmp_path / "kept.txt"))
    assert (tmp_path / "kept.txt").read_text().splitlines()[:-1] == lines[""]
