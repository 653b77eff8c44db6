"""Signals: whatever asks a command to stop, it leaves nothing behind."""

import os
import signal
import subprocess
import sys
import time

import pytest

from referee.cli.main import heeding

COMMAND = (sys.executable, "-m", "referee")
ROLES = ("--truth", "label", "--a", "old", "--b", "new")
STOPS = {"SIGINT": (130, "interrupted"), "SIGTERM": (143, "stopped by SIGTERM"), "SIGHUP": (129, "stopped by SIGHUP")}


def until(found):
    """Wait until something is there, for as long as a slow machine may need."""
    for _ in range(1200):
        if found():
            return
        time.sleep(0.05)
    pytest.fail("it did not come")


@pytest.fixture
def begun(tmp_path):
    """Start commands that leave what they need for a while in a folder of their own."""
    scratch, started = tmp_path / "scratch", []
    scratch.mkdir()

    def start(*words, hangup=signal.SIG_DFL, **more):
        process = subprocess.Popen(
            [*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            # The tests themselves may run under nohup, which children inherit.
            preexec_fn=lambda: signal.signal(signal.SIGHUP, hangup),
            env={**os.environ, "TMPDIR": str(scratch)}, **more,
        )  # fmt: skip
        started.append(process)
        return process, scratch

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.mark.parametrize("name", STOPS)
def test_what_came_on_standard_input_is_removed(begun, data, name):
    process, scratch = begun("compare", "-", *ROLES, stdin=subprocess.PIPE)
    with open(data, encoding="utf-8") as file:  # noqa: PTH123
        process.stdin.write(file.read() * 10)
    process.stdin.flush()
    until(lambda: list(scratch.rglob("stdin*")))
    process.send_signal(getattr(signal, name))
    code, said = STOPS[name]
    assert process.wait(60) == code
    assert process.stderr.read() == f"referee: {said}\n"
    assert process.stdout.read() == ""
    assert list(scratch.iterdir()) == []


def test_what_nohup_ignores_stays_ignored(begun, data):
    process, scratch = begun("compare", "-", *ROLES, hangup=signal.SIG_IGN, stdin=subprocess.PIPE)
    with open(data, encoding="utf-8") as file:  # noqa: PTH123
        process.stdin.write(file.read())
    process.stdin.flush()
    process.send_signal(signal.SIGHUP)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    assert '"new" is better than "old"' in out
    assert list(scratch.iterdir()) == []


def test_an_output_that_is_not_written_yet_stays_as_it_was(begun, data, tmp_path):
    (tmp_path / "out.json").write_text("before", encoding="utf-8")
    process, scratch = begun(
        "compare", "-", *ROLES, "--format", "json", "-o", str(tmp_path / "out.json"), stdin=subprocess.PIPE
    )
    process.stdin.write("label,old,new\n")
    process.stdin.flush()
    time.sleep(0.3)  # wherever it is by then
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) in (143, -signal.SIGTERM)  # the second before anything of ours ran
    assert (tmp_path / "out.json").read_text(encoding="utf-8") == "before"
    assert {path.name for path in tmp_path.iterdir()} == {"demo.csv", "scratch", "out.json"}
    assert list(scratch.iterdir()) == []


def test_signals_are_as_before():
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run under nohup
    try:
        check_signals()
    finally:
        signal.signal(signal.SIGHUP, before)


def check_signals():
    signals = [signal.SIGINT]
    with heeding(signals):
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN  # nothing breaks off the tidying
        assert signals[-1] is signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_DFL


def test_an_interrupt_in_a_text_that_python_runs_does_not_end_it_twice(begun, data, tmp_path):
    # The module of a user's metric stands for the libraries that make their classes of texts while they are imported.
    text = "import os, signal, time; os.kill(os.getpid(), signal.SIGTERM); time.sleep(60)"
    (tmp_path / "mine.py").write_text(f"exec({text!r})\n", encoding="utf-8")
    process, _ = begun("compare", data, *ROLES, "--metric", "mine:lift", cwd=tmp_path)
    assert (process.wait(60), process.stderr.read()) == (143, "referee: stopped by SIGTERM\n")


def test_an_interrupt_that_is_swallowed_still_counts(begun, data, tmp_path):
    (tmp_path / "mine.py").write_text(
        "import os, signal\ntry:\n    os.kill(os.getpid(), signal.SIGTERM)\nexcept BaseException:\n    pass\n",
        encoding="utf-8",
    )
    process, _ = begun("compare", data, *ROLES, "--metric", "mine:lift", cwd=tmp_path)
    assert process.wait(60) == 143
    assert process.stderr.read().endswith("referee: stopped by SIGTERM\n")
