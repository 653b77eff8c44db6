"""A small table, and the command line as a function."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from referee.cli import main
from referee.cli.demo import table


class Done(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def data(tmp_path: Path) -> str:
    path = tmp_path / "demo.csv"
    path.write_text(table(), encoding="utf-8")
    return str(path)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    def call(*words: str, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        code = main(list(words))
        out, err = capsys.readouterr()
        return Done(code, out, err)

    return call
