"""The server: it listens, prints its address, and leaves nothing behind when it stops."""

from __future__ import annotations

import secrets
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from referee.errors import Argument, InputError, Message, OptionError, not_installed, refusal
from referee.web.uploads import KEEP, MEGABYTE, Uploads

SWEEP = 60.0
"""Seconds between looks for files that nobody uses any more."""
PATIENCE = 5.0
"""Seconds that requests have to end when the server stops."""


@dataclass(frozen=True)
class Server:
    """A server that runs.

    Args:
        address: where the page is, with the token.
        opening: an address that leads there once.
        uploads: the files that it has.
    """

    address: str
    opening: str
    uploads: Uploads

    def wait(self, stopped: threading.Event) -> None:
        """Wait until it is to be stopped, and remove old files meanwhile."""
        while not stopped.wait(SWEEP):
            self.uploads.sweep()


@contextmanager
def serving(
    host: str = "127.0.0.1", port: int = 0, *, limit: int = 200, allow_others: bool = False, keep: float = KEEP
) -> Iterator[Server]:
    """Serve the page; at the end the server is stopped, and whatever was uploaded is removed.

    Args:
        host: the address to listen at.
        port: the port; 0 for one that is free.
        limit: the largest file, in MB.
        allow_others: whether an address that other machines reach is allowed.
        keep: seconds that a file is kept after it was last used.

    Raises:
        OptionError: if the address is not allowed, or the extra `serve` is not there.
        InputError: if it cannot be listened at.
    """
    uvicorn = check()
    from referee.web.app import Pages
    from referee.web.connections import settings
    from referee.web.jobs import Desk
    from referee.web.security import Guard, at, is_loopback

    if limit < 1:
        raise refusal("limit", "must be a whole number of megabytes, 1 or more", limit)
    if not allow_others and not is_loopback(host):
        allowed = Argument("allow_others", True), ": whoever knows the address then sees your files"
        remedy = Message("use 127.0.0.1, or ", *allowed)
        raise OptionError(f"{host} may be reached from other machines", argument="host", value=host, remedy=remedy)
    with _listening(host, port) as listener:
        port = listener.getsockname()[1]
        uploads = Uploads(limit * MEGABYTE, keep)
        desk = Desk(uploads.folder)
        try:
            desk.open()
            guard = Guard(Pages(uploads, desk).app(), secrets.token_urlsafe(24), host, port)
            with _running(uvicorn.Server(uvicorn.Config(guard, **settings())), listener, desk):
                base = f"http://{at(announced(host), port)}"
                yield Server(f"{base}/{guard.token}/", base + guard.new_pass(), uploads)
        finally:
            desk.close()
            uploads.close()


def check() -> Any:
    """Return uvicorn.

    Raises:
        OptionError: if the extra `serve` is not there.
    """
    try:
        import starlette  # noqa: F401
        import uvicorn
    except ImportError as error:
        raise not_installed(f"the page needs {error.name}", install="'referee[serve]'") from error
    from referee.report.render import html

    html.check()
    return uvicorn


def announced(host: str) -> str:
    """Return the address that is printed; all addresses of a machine are known by its name."""
    return socket.gethostname() if host in ("0.0.0.0", "::") else host


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except (OSError, OverflowError, UnicodeError) as error:
        raise InputError(f"cannot listen at {host}:{port}: {error}") from error
    with listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(address)
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or error
            remedy = Message(Argument("port", 0), " takes a port that is free")
            raise InputError(f"cannot listen at {host}:{port}: {why}", argument="port", remedy=remedy) from error
        yield listener


@contextmanager
def _running(server: Any, listener: socket.socket, desk: Any) -> Iterator[None]:
    """Run in a thread: uvicorn would take the signals of the main one, and after SIGTERM nobody could tidy up."""
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="referee-serve", daemon=True)
    thread.start()
    try:
        while not server.started and thread.is_alive():
            thread.join(0.01)
        if not server.started:
            raise InputError("the server did not start")
        yield
    finally:
        desk.close()  # so that no request waits for an answer
        server.should_exit = True
        thread.join(PATIENCE)


@contextmanager
def until_told() -> Iterator[threading.Event]:
    """Give an event that Ctrl-C, SIGTERM and a closed terminal set."""
    stopped = threading.Event()
    names = [name for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {name: signal.signal(getattr(signal, name), lambda *_: stopped.set()) for name in names}
    try:
        yield stopped
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)
