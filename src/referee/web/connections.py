"""Connections: idle ones are closed, and there are never more than the page needs."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 10.0
"""Seconds that a question may take until its head is there; a browser needs a few thousandths of one."""
WAITING = 64
"""How many connections may be open on which nothing was asked yet: of more, the oldest goes."""
AT_ONCE = 128
"""How many connections are answered; whoever comes beyond is told to come again."""

KEPT = 5
"""Seconds that a connection is kept after an answer, for another question."""


class Connection(H11Protocol):
    """A connection that is closed when nothing is asked on it for long.

    uvicorn looks only after connections on which something was asked already: one with half a head it keeps for ever.

    Args:
        waiting: the connections of this server on which nothing is asked, the oldest first.
        patience: seconds that the head of a question may take.
        most: how many of them may be waiting.
        given: what uvicorn gives.
    """

    def __init__(self, *, waiting: dict[Connection, None], patience: float, most: int, **given: Any) -> None:
        super().__init__(**given)
        self._waiting, self._patience, self._most = waiting, patience, most
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a question."""
        super().connection_made(transport)
        self._wait()
        while len(self._waiting) > self._most:
            next(iter(self._waiting))._hang_up()

    def data_received(self, data: bytes) -> None:
        """Take what comes; a question that is there whole is not waited for any more."""
        super().data_received(data)
        # After an answer what comes begins another question, or is the rest of one that was refused unread.
        if self.cycle is None or self.cycle.response_complete:
            self._wait()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        """Begin to wait, unless that was begun: what comes drop by drop gets no more time."""
        if self._late is None and not self.transport.is_closing():
            self._waiting[self] = None
            self._late = self.loop.call_later(self._patience, self._hang_up)

    def _stop_waiting(self) -> None:
        self._waiting.pop(self, None)
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _hang_up(self) -> None:
        self._stop_waiting()
        self.transport.abort()


def settings() -> dict[str, Any]:
    """Return what uvicorn is to be told: how it treats connections, and that it logs nothing and adds nothing of its own."""
    http = partial(Connection, waiting={}, patience=PATIENCE, most=WAITING)
    # As many as are answered are let in before those that wait are looked at.
    limits = {"limit_concurrency": AT_ONCE, "backlog": AT_ONCE, "timeout_keep_alive": KEPT}
    quiet = {"log_config": None, "log_level": "critical", "access_log": False}  # addresses would tell the token
    plain = {"server_header": False, "proxy_headers": False, "lifespan": "off", "ws": "none"}
    return {"http": http, "timeout_graceful_shutdown": 1, **limits, **quiet, **plain}
