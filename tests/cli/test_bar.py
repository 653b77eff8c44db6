"""The progress bar: on a terminal, after a while, and gone at the end."""

from __future__ import annotations

import sys

from referee.cli import bar
from referee.progress import track


def test_no_terminal_no_bar(capsys):
    with bar.progress():
        assert list(track(range(3), 3, "work")) == [0, 1, 2]
    assert capsys.readouterr().err == ""


def test_a_terminal_sees_the_bar(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(bar, "PATIENCE", 0.0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with bar.progress():
        list(track(range(3), 3, "resampling"))
    assert "resampling" in capsys.readouterr().err


def test_quiet_is_quiet_and_quick_work_shows_nothing(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    for quiet in (True, False):
        with bar.progress(quiet):
            list(track(range(3), 3, "resampling"))
    assert capsys.readouterr().err == ""
