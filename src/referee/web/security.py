"""Guard: who may send requests, and what the browser may do with the responses."""

from __future__ import annotations

import ipaddress
import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'self'; sandbox allow-same-origin allow-downloads allow-popups"
)
"""A report has styles of its own and no scripts; whatever the data put into it, nothing runs."""
HEADERS: Mapping[bytes, bytes] = {
    b"content-security-policy": PAGE_POLICY.encode(),
    b"referrer-policy": b"no-referrer",
    b"x-content-type-options": b"nosniff",
    b"cache-control": b"no-store",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
}
SAFE = ("GET", "HEAD")
USED = (
    "this address works once and was already used; open the one printed in the terminal. If it was not you who used it, "
    "stop the server: another program on this machine may have seen the page"
)


@dataclass(frozen=True)
class Guard:
    """An app that only those reach who know the token, from a page that this server gave them.

    Args:
        app: what is guarded; it sees paths without the token.
        token: the first part of every path.
        host: the address that is served, as the user named it.
        port: the port.
        passes: keys that let somebody in once, and whether they did.
    """

    app: ASGIApp
    token: str
    host: str
    port: int
    passes: dict[str, bool] = field(default_factory=dict)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no websockets here
            await send({"type": "websocket.close", "code": 1008})
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = list(message.get("headers", []))
                named = {name.lower() for name, _ in own}
                message["headers"] = own + [(name, value) for name, value in HEADERS.items() if name not in named]
            await send(message)

        refused = self.refusal(scope)
        if refused is None and "/" in scope["path"][1:]:
            inner = "/" + scope["path"].split("/", 2)[2]
            await self.app({**scope, "path": inner, "raw_path": inner.encode()}, receive, send_guarded)
            return
        status, words = refused or (303, "go on")
        shown = [key for key in self.passes if status == 404 and _same(scope["path"], f"/open/{key}")]
        if shown:
            status, words = (404, USED) if self.passes[shown[0]] else (303, "go on")
            self.passes[shown[0]] = True
        headers = {"connection": "close"} | ({"location": f"/{self.token}/"} if status == 303 else {})
        await PlainTextResponse(f"{words}\n", status, headers)(scope, receive, send_guarded)

    def refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Return the status and the words for a request that is not let through; None for one that is."""
        headers = _single(scope["headers"])
        if headers is None:
            return 400, "a header appears twice"
        host = headers.get("host", "")
        if not self.knows(host):
            # Another name for this address may be a stranger's, who had it point here.
            return 421, "this server is not known by that name"
        if not _same(scope["path"].removeprefix("/").partition("/")[0], self.token):
            return 404, "there is nothing here; use the whole address that was printed"
        if scope["method"] in SAFE:
            return None
        if headers.get("origin") != f"http://{host}" or headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return 403, "requests from other pages are not answered"
        return None

    def new_pass(self) -> str:
        """Return a path that leads to the page once: what starts a browser is seen by all users of a machine."""
        key = secrets.token_urlsafe(24)
        self.passes[key] = False
        return f"/open/{key}"

    def knows(self, host: str) -> bool:
        """Say whether this is a name under which the server was announced."""
        if host == at(self.host, self.port):
            return True
        name, _, port = host.rpartition(":")
        address = _address(self.host)
        if address is not None and address.is_unspecified:
            # Bound to all addresses: any of them may be meant. A stranger's name is never an address.
            return _address(name.strip("[]")) is not None or name in ("localhost", socket.gethostname())
        return is_loopback(self.host) and name in ("localhost", "127.0.0.1", "[::1]") and port == str(self.port)


def at(host: str, port: int) -> str:
    """Return host and port as a browser names them.

    >>> at("127.0.0.1", 80), at("::1", 8000)
    ('127.0.0.1', '[::1]:8000')
    """
    named = f"[{host}]" if ":" in host else host.lower()
    return named if port == 80 else f"{named}:{port}"


def is_loopback(host: str) -> bool:
    """Say whether an address, or every address of a name, is this machine's alone."""
    address = _address(host)
    if address is not None:
        return address.is_loopback
    try:
        found = [str(one[4][0]) for one in socket.getaddrinfo(host, None)]
    except OSError:
        return False
    return bool(found) and all(ipaddress.ip_address(one.partition("%")[0]).is_loopback for one in found)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _single(headers: list[tuple[bytes, bytes]]) -> dict[str, str] | None:
    """Return the headers that decide; None where one is there twice, as nobody can say which counts."""
    wanted = (b"host", b"origin", b"sec-fetch-site")
    found = [(name.decode(), value.decode("latin-1")) for name, value in headers if name in wanted]
    return dict(found) if len({name for name, _ in found}) == len(found) else None


def _same(given: str, secret: str) -> bool:
    """Compare in a time that tells nothing."""
    return secrets.compare_digest(given.encode("utf-8", "replace"), secret.encode())
