"""The standard streams: standard output is for results alone, and a stream that was closed fails aloud."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from contextvars import ContextVar
from typing import TextIO

STREAMS = (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))
"""What each is called, how it is used, and how what stands in for it is opened: the first two such that each use fails."""
OUT = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
"""Names of standard output as a file."""

_results: ContextVar[TextIO | None] = ContextVar("results", default=None)


def stand_in() -> None:
    """Put something in the place of streams that were closed, as `>&-` does.

    Else the next file that is opened would get the number of the stream, and whatever is printed.
    """
    for place, (name, mode, flags) in enumerate(STREAMS):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, flags)  # the lowest number that is free: that of the stream, as a rule
            setattr(sys, name, os.fdopen(handle, mode, encoding="utf-8", closefd=handle != place))


@contextlib.contextmanager
def reserved() -> Iterator[None]:
    """Keep standard output for results: what a user's metric, a model or a library prints meanwhile goes to stderr."""
    with contextlib.ExitStack() as stack:
        stream = sys.stdout
        if number(stream) == 1 and number(sys.stderr) == 2:
            stream = stack.enter_context(_aside(stream))
        token = _results.set(stream)
        stack.callback(_results.reset, token)
        stack.enter_context(contextlib.redirect_stdout(sys.stderr))
        yield


@contextlib.contextmanager
def _aside(stream: TextIO) -> Iterator[TextIO]:
    """Let 1 be stderr, for code that is not Python's and for other processes; give a stream to where it was."""
    stream.flush()
    kept = os.dup(1)
    results = os.fdopen(kept, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
    try:
        os.dup2(2, 1)
        yield results
    finally:
        for one in (results.close, stream.flush):
            with contextlib.suppress(OSError):  # whoever wrote there has been told
                one()
        os.dup2(kept, 1)
        os.close(kept)


def results() -> TextIO:
    """Return the stream for results."""
    return _results.get() or sys.stdout


def is_terminal() -> bool:
    """Say whether results are seen by somebody at once."""
    return results().isatty()


def placed(path: str) -> str:
    """Return a path, that of standard output where that is meant, wherever it is meanwhile."""
    own = number(results())
    return f"/dev/fd/{own}" if path in OUT and own is not None else path


def why(error: OSError) -> str:
    """Say in words why a stream cannot be used."""
    return "it is closed" if error.errno == errno.EBADF else error.strerror or str(error)


def number(stream: TextIO) -> int | None:
    """Return the number that the system knows a stream by; None where it does not."""
    try:
        return stream.fileno()
    except (OSError, ValueError, AttributeError):  # no file: a test or a notebook looks on
        return None
