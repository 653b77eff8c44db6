"""The progress bar: on a terminal, after a while, and gone at the end."""

from __future__ import annotations

import sys
from importlib import import_module

from referee.cli import streams
from referee.runtime.progress import track


def test_no_terminal_no_bar(capsys):
    with streams.progress():
        assert list(track(range(3), 3, "work")) == [0, 1, 2]
    assert capsys.readouterr().err == ""


def test_a_terminal_sees_the_bar(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(streams, "PATIENCE", 0.0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with streams.progress():
        list(track(range(3), 3, "resampling"))
    assert "resampling" in capsys.readouterr().err


def test_quiet_is_quiet_and_quick_work_shows_nothing(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    for quiet in (True, False):
        with streams.progress(quiet):
            list(track(range(3), 3, "resampling"))
    assert capsys.readouterr().err == ""


def test_the_database_interrupted_is_an_interrupt(monkeypatch, capsys):
    main = import_module("referee.cli.main")

    def interrupted(context):
        raise RuntimeError("Query interrupted")

    monkeypatch.setattr(main.referee, "invoke", interrupted)
    assert main.main(["compare", "x"]) == 130
    assert "interrupted" in capsys.readouterr().err


def test_an_output_that_cannot_be_is_found_before_the_work(tmp_path, capsys, monkeypatch):
    from referee.cli import compare, main

    monkeypatch.setattr(compare, "run", lambda *_: (_ for _ in ()).throw(AssertionError("worked first")))
    for output in (tmp_path / "no" / "x.txt", tmp_path):
        assert main(["compare", str(tmp_path / "t.csv"), "--output", str(output)]) == 2
        assert "cannot write" in capsys.readouterr().err
