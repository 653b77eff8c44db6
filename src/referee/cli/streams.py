"""The standard streams: standard output is for results only, writing to a closed stream is an error, and long work shows a progress bar."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, TextIO

STREAMS = (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))
"""Name, use, and how what stands in for it is opened: the first two so that every use fails."""
OUT = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
"""Names of standard output as a file."""
PATIENCE = 1.0
"""Seconds before a progress bar appears."""

_results: ContextVar[TextIO | None] = ContextVar("results", default=None)


def stand_in() -> None:
    """Put something in the place of streams that were closed, as `>&-` does.

    Otherwise the next file that is opened would get the number of the stream, and whatever is printed.
    """
    for place, (name, mode, flags) in enumerate(STREAMS):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, flags)  # the lowest free number: that of the stream, as a rule
            setattr(sys, name, os.fdopen(handle, mode, encoding="utf-8", closefd=handle != place))


def speak_utf8() -> None:
    """Write UTF-8 whatever the locale says: names from data may be in any script."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")


def silence(stream: object) -> None:
    """Point a closed stream nowhere, so that Python does not complain at the end."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # type: ignore[attr-defined]


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
    """Let 1 be stderr, for code outside Python and for other processes; give a stream to where 1 was."""
    stream.flush()
    kept = os.dup(1)
    results = os.fdopen(kept, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
    try:
        os.dup2(2, 1)
        yield results
    finally:
        for finish in (results.close, stream.flush):
            with contextlib.suppress(OSError):  # whoever wrote there has been told
                finish()
        os.dup2(kept, 1)
        os.close(kept)


def results() -> TextIO:
    """Return the stream for results."""
    return _results.get() or sys.stdout


def is_terminal() -> bool:
    """Say whether results go straight to a person's screen."""
    return results().isatty()


def placed(path: str) -> str:
    """Return a path; if it means standard output, the path of wherever that is now."""
    own = number(results())
    return f"/dev/fd/{own}" if path in OUT and own is not None else path


def why(error: OSError) -> str:
    """Say in words why a stream cannot be used."""
    return "it is closed" if error.errno == errno.EBADF else error.strerror or str(error)


def number(stream: TextIO) -> int | None:
    """Return the number that the system knows a stream by; None if it has none."""
    try:
        return stream.fileno()
    except (OSError, ValueError, AttributeError):  # no file: a test or a notebook looks on
        return None


@contextlib.contextmanager
def progress(quiet: bool = False) -> Iterator[None]:
    """Show on stderr how far long work inside is, with the time left: only on a terminal, and only after a second."""
    from referee.runtime.progress import watching

    if quiet or not sys.stderr.isatty():
        yield
        return
    began, tasks = time.monotonic(), dict[str, Any]()
    with contextlib.ExitStack() as shown:
        bars: list[Any] = []

        def step(what: str, done: int, total: int) -> None:
            if not bars and time.monotonic() - began < PATIENCE:
                return
            if not bars:
                bars.append(shown.enter_context(_bar()))
            if what not in tasks:
                tasks[what] = bars[0].add_task(what, total=total)
            bars[0].update(tasks[what], completed=done, total=total)

        shown.enter_context(watching(step))
        yield


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
