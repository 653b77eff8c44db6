"""Progress of long work, reported to anyone who listens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event, Thread
from typing import TypeVar

T = TypeVar("T")
PAUSE = 0.2
"""Seconds between looks at work that is followed."""
Watcher = Callable[[str, int, int], None]
"""Called with what is done, how many steps are done, and how many there are."""

_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watching(watcher: Watcher | None) -> Iterator[None]:
    """Tell the watcher of all work inside; numbers do not depend on it."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def track(steps: Iterable[T], total: int, what: str) -> Iterator[T]:
    """Yield the steps, telling the watcher how far they are.

    >>> seen = []
    >>> with watching(lambda what, done, total: seen.append((done, total))):
    ...     list(track("ab", 2, "letters"))
    ['a', 'b']
    >>> seen
    [(0, 2), (1, 2), (2, 2)]
    """
    tell(what, 0, total)
    for done, step in enumerate(steps, 1):
        yield step
        tell(what, done, total)


@contextmanager
def following(what: str, share: Callable[[], float]) -> Iterator[None]:
    """Tell the watcher, a few times a second, how far work is that knows its own share done.

    Args:
        what: the name of the work.
        share: returns the percentage that is done; less than 0 where it is not known.
    """
    watcher = _watcher.get()
    if watcher is None:
        yield
        return
    ended = Event()

    def follow() -> None:
        seen = 0
        while not ended.wait(PAUSE):
            done = int(min(max(share(), 0.0), 100.0))
            if done > seen:
                seen = done
                watcher(what, done, 100)

    thread = Thread(target=follow, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def tell(what: str, done: int, total: int) -> None:
    """Tell the watcher how far work is whose steps end in any order.

    >>> with watching(print):
    ...     tell("cells", 3, 8)
    cells 3 8
    """
    watcher = _watcher.get()
    if watcher is not None:
        watcher(what, done, total)
