"""Signals that ask a command to stop: it tidies up as on Ctrl-C, and ends with the code that shells know."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any

INTERRUPTED = 130
"""The code after Ctrl-C."""
ASKING = ("SIGTERM", "SIGHUP")
"""By default these end a process on the spot, with whatever it has in temporary folders left behind."""


class Stops:
    """What has asked the command to stop."""

    signal: signal.Signals | None = None
    """The signal; None where it was Ctrl-C, or nothing."""

    @property
    def said(self) -> str:
        """What it is called."""
        return "interrupted" if self.signal is None else f"stopped by {self.signal.name}"

    @property
    def code(self) -> int:
        """The exit code: 128 and the number of the signal."""
        return INTERRUPTED if self.signal is None else 128 + self.signal


@contextlib.contextmanager
def heeding() -> Iterator[Stops]:
    """Turn signals into a KeyboardInterrupt, for which all that tidies up is prepared.

    A signal that is ignored stays so, as after `nohup`.
    """
    stops = Stops()
    known = [getattr(signal, name) for name in ASKING if hasattr(signal, name)]
    heeded = [one for one in known if signal.getsignal(one) is signal.SIG_DFL]
    if threading.current_thread() is not threading.main_thread():  # which alone may say so
        heeded = []

    def stop(number: int, _: Any) -> None:
        for one in heeded:  # the first is enough: another would break off the tidying
            signal.signal(one, signal.SIG_IGN)
        stops.signal = signal.Signals(number)
        raise KeyboardInterrupt

    for one in heeded:
        signal.signal(one, stop)
    try:
        yield stops
    finally:
        for one in heeded:
            signal.signal(one, signal.SIG_DFL)
