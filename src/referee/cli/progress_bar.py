"""A progress bar on stderr for work that lasts: only on a terminal, and only after a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 1.0


@contextmanager
def progress(quiet: bool = False) -> Iterator[None]:
    """Show how far long work inside is, with the time left."""
    from referee.runtime.progress import watching

    if quiet or not sys.stderr.isatty():
        yield
        return
    bar = Bar()
    with watching(bar.step):
        try:
            yield
        finally:
            bar.close()


class Bar:
    """A bar that appears when the work has lasted for a while."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.shown: Any = None
        self.tasks: dict[str, Any] = {}

    def step(self, what: str, done: int, total: int) -> None:
        """Show how far the work is."""
        if self.shown is None:
            if time.monotonic() - self.began < PATIENCE:
                return
            self._show()
        if what not in self.tasks:
            self.tasks[what] = self.shown.add_task(what, total=total)
        self.shown.update(self.tasks[what], completed=done, total=total)

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        self.shown = Progress(*columns, console=Console(stderr=True), transient=True)
        self.shown.start()

    def close(self) -> None:
        """Take the bar away."""
        if self.shown is not None:
            self.shown.stop()
