"""The page's server, as an app and as a process that really listens."""

from __future__ import annotations

import warnings
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest

from referee.data.demo_table import table
from referee.web.app import Pages
from referee.web.jobs import Desk
from referee.web.security import Guard
from referee.web.server import Server, serving
from referee.web.uploads import MEGABYTE, Uploads

with warnings.catch_warnings():
    # New versions of starlette would rather have another package than httpx, and say so.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

TOKEN, HOST, PORT = "the-token", "127.0.0.1", 8123
ORIGIN = f"http://{HOST}:{PORT}"


@dataclass
class Site:
    """The guarded app, asked as a page of it would."""

    client: TestClient
    uploads: Uploads
    desk: Desk
    guard: Guard

    def ask(self, method: str, path: str, token: str = TOKEN, **options: Any) -> Any:
        headers = {"origin": ORIGIN, "sec-fetch-site": "same-origin", **options.pop("headers", {})}
        kept = {name: value for name, value in headers.items() if value is not None}
        return self.client.request(method, f"/{token}/{path}", headers=kept, **options)

    def get(self, path: str, **options: Any) -> Any:
        return self.ask("GET", path, **options)

    def post(self, path: str, content: Any = None, **options: Any) -> Any:
        return self.ask("POST", path, json=content, **options)

    def upload(self, content: bytes | str, name: str = "demo.csv", **options: Any) -> Any:
        return self.ask("POST", "files", params={"name": name}, content=content, **options)

    def added(self, content: bytes | str, name: str = "demo.csv") -> str:
        answer = self.upload(content, name).json()
        assert "id" in answer, answer
        return str(answer["id"])

    def compare(self, *keys: str, metric: Any = None, options: Any = None, **fields: Any) -> dict[str, Any]:
        """Send the filled-in form; a metric is one of any number, and the names of systems come in a list."""
        if metric is not None:
            fields["metrics"] = [{"name": metric, "options": options}]
        if "name_a" in fields:
            fields["names"] = [fields.pop("name_a"), fields.pop("name_b")]
        return dict(self.post("reports", {"files": list(keys), "fields": fields}).json())

    @property
    def kept(self) -> list[str]:
        return sorted(path.name for path in self.uploads.folder.iterdir() if path.is_file())


def awaited(function: Callable[[], Awaitable[Any]]) -> Any:
    """Run a coroutine to its end, in a thread of its own: that of the tests may have playwright's loop in it."""
    import anyio

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(anyio.run, function).result()


@pytest.fixture(scope="session")
def open_site() -> Iterator[Site]:
    """One app for all tests: the process behind it takes its time to start."""
    uploads = Uploads(2 * MEGABYTE)
    desk = Desk(uploads.folder, limit=120)
    guard = Guard(Pages(uploads, desk).app(), TOKEN, HOST, PORT)
    with TestClient(guard, base_url=ORIGIN, raise_server_exceptions=False, follow_redirects=False) as client:
        yield Site(client, uploads, desk, guard)
    desk.close()
    uploads.close()


@pytest.fixture
def site(open_site: Site) -> Site:
    """The app, with no file in it."""
    for key in list(open_site.uploads._files):
        open_site.uploads.remove(key)
    assert open_site.kept == []
    return open_site


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server that listens at a port of this machine."""
    with serving(limit=2) as found:
        yield found


@pytest.fixture(scope="session")
def demo() -> str:
    return table()


@pytest.fixture(scope="session")
def ranked() -> str:
    """Scores of 2,000 examples: the error rate of a test of their average precision takes minutes to measure."""
    rows = [f"{i % 2},{(i * 37 % 1000) / 1000 + i % 2},{(i * 53 % 1000) / 1000 + i % 2}" for i in range(2000)]
    return "label,old,new\n" + "\n".join(rows) + "\n"
