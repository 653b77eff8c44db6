"""The command line under test: what it may answer to any file, and how long it may take."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import time
from collections import Counter
from typing import Any, NamedTuple

from hypothesis import HealthCheck, settings

from referee.cli.main import main
from referee.runtime.safe_text import UNSAFE

MORE = int(os.environ.get("REFEREE_FUZZ", "1"))
"""How many times as many examples as usual; above 1 they are new ones in every run."""
SECONDS = 20.0
"""How long a small file may take, on a machine that has other things to do."""


class TooSlow(BaseException):
    """Not an Exception, so that nothing on the way takes it for bad input."""


class Answer(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def content(self) -> dict[str, Any]:
        return json.loads(self.out)

    @property
    def n(self) -> int:
        return sum(self.content["multiplicities"])

    @property
    def rows(self) -> Counter[tuple[str, ...]]:
        """Each outcome as text, with how often it occurred."""
        found: Counter[tuple[str, ...]] = Counter()
        content = self.content
        for row, times in zip(content["rows"], content["multiplicities"], strict=True):
            found[tuple(map(written, row))] += times
        return found


def written(value: Any) -> str:
    """Write a value in one way, whatever its type: the types of a column are another test's."""
    try:
        return repr(float(value))
    except (ValueError, OverflowError):
        return str(value)


def ask(*words: Any, seconds: float = SECONDS) -> Answer:
    """Run a command, and check that it ends as every command must."""
    out, err = io.StringIO(), io.StringIO()
    before = signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    start = time.perf_counter()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main([str(word) for word in (*words, "--quiet")])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    done = Answer(code, out.getvalue(), err.getvalue())
    assert time.perf_counter() - start < seconds
    assert code in (0, 2), done.err
    assert "Traceback" not in done.err
    assert not UNSAFE.search(done.err)
    if code == 0:
        assert done.err == ""
        assert json.loads(done.out)["schema"] == "referee.counts/1"
    else:
        assert done.out == ""
        assert done.err.startswith("referee: ")
        assert done.err.count("\n") == 1
    return done


def refusal(*words: Any, seconds: float = SECONDS) -> str:
    """Return the one line with which a command refuses its input."""
    done = ask(*words, seconds=seconds)
    assert done.code == 2, done.out
    return done.err


def _stop(*_: Any) -> None:
    raise TooSlow(f"no answer for {SECONDS:.0f} s")


def examples(many: int) -> settings:
    """Return how a property is tried: so many examples, the same in every run unless more are asked for."""
    return settings(
        max_examples=many * MORE,
        deadline=None,
        derandomize=MORE == 1,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
