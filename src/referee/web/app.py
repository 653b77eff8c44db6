"""The app: the requests of the page and the responses."""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from referee.data.demo_table import table
from referee.errors import OptionError, RefereeError
from referee.metrics import METRICS, Metric
from referee.runtime.bounded_json import loads
from referee.version import __version__
from referee.web.form import DIRECTIONS, OPTIONS, QUESTIONS, VERBS, from_parts, in_page
from referee.web.jobs import Desk
from referee.web.layouts import layout
from referee.web.preview import shown
from referee.web.security import REPORT_POLICY
from referee.web.uploads import MOST, PATIENCE, REMEMBERED, Upload, Uploads, in_time, shown_name

PAGE = Path(__file__).with_name("page")
ASSETS = {
    "": "text/html",
    "page.css": "text/css",
    "page.js": "text/javascript",
    "report-light.webp": "image/webp",
    "report-dark.webp": "image/webp",
}
REPORTS = {"report.html": ("report", "text/html"), "report.json": ("numbers", "application/json")}
MOST_REPORTS = 20
"""How many reports are kept: of more, the oldest goes."""
LARGEST_QUESTION = 1 << 16
"""How many bytes of JSON the page sends at most."""
REFUSED = {404: "there is nothing here", 405: "that cannot be done here", 413: "that is too much"}
FAULT = "this is a bug in referee, not in your data: {} (please report it)"


@cache
def page() -> str:
    """Return the page; what the options declare is made from there."""
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    template = environment.from_string((PAGE / "index.html").read_text(encoding="utf-8"))
    return template.render(options=OPTIONS, questions=QUESTIONS, directions=DIRECTIONS, verbs=VERBS)


@dataclass
class Pages:
    """The answers to the page's requests.

    What goes wrong with the user's data is an answer like any other ("wrong", with status 200), for the page to show.
    """

    uploads: Uploads
    desk: Desk
    reports: dict[str, dict[str, str]] = field(default_factory=dict)
    pushed_out: deque[str] = field(default_factory=lambda: deque(maxlen=REMEMBERED))

    def app(self) -> Starlette:
        """Return the app, which is to be guarded."""
        routes = [
            Route("/choices", self.choices),
            Route("/files", self.upload, methods=["POST"]),
            Route("/files/{key}", self.remove, methods=["DELETE"]),
            Route("/demonstration", self.demonstrate, methods=["POST"]),
            Route("/fields", self.fields, methods=["POST"]),
            Route("/reports", self.answer, methods=["POST"]),
            Route("/reports/{key}/{name}", self.report),
            Route("/progress/{key}", self.progress),
            Route("/", self.asset),
            Route("/{name}", self.asset),
        ]
        handlers: dict[Any, Any] = dict.fromkeys((RefereeError, HTTPException, ClientDisconnect), _wrong)
        app = Starlette(routes=routes, exception_handlers={**handlers, Exception: _fault})
        app.router.redirect_slashes = False  # it knows nothing of the token
        return app

    async def asset(self, request: Request) -> Response:
        """Give the page and what it is made of."""
        name = request.path_params.get("name", "")
        if name not in ASSETS:
            raise HTTPException(404)
        return Response((PAGE / name).read_bytes() if name else page(), media_type=ASSETS[name])

    async def choices(self, request: Request) -> Response:
        """Say what there is to choose from, whatever the files."""
        metrics = [
            {"name": name, "summary": metric.summary, "task": metric.task, "options": _options(metric)}
            for name, metric in METRICS.items()
        ]
        return JSONResponse({"version": __version__, "limit": self.uploads.limit, "most": MOST, "metrics": metrics})

    async def upload(self, request: Request) -> Response:
        """Take a file, and say what it is."""
        name = request.query_params.get("name", "")
        length = request.headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self.uploads.limit:
            raise self.uploads.too_large(shown_name(name))
        return await self._taken(await self.uploads.receive(name, request.stream()), request)

    async def demonstrate(self, request: Request) -> Response:
        """Take the made-up table as if it had been dropped."""

        async def pieces() -> AsyncIterator[bytes]:
            yield table().encode()

        return await self._taken(await self.uploads.receive("made-up.csv", pieces()), request)

    async def _taken(self, upload: Upload, request: Request) -> Response:
        found = await self._do(request, [upload], job="look", largest=self.uploads.largest)
        if "done" not in found:
            self.uploads.remove(upload.id)
            return JSONResponse(found)
        upload.look = {**found["done"], "name": upload.name}
        return JSONResponse({"id": upload.id, "name": upload.name, "size": upload.size, **shown(upload.look)})

    async def remove(self, request: Request) -> Response:
        """Remove a file."""
        self.uploads.remove(request.path_params["key"])
        return JSONResponse({})

    async def fields(self, request: Request) -> Response:
        """Say what is to be chosen for the files, with guesses."""
        content = await _content(request)
        looks = [upload.look for upload in self._files(content)]
        return JSONResponse(await to_thread.run_sync(layout, looks))  # a wide table takes its time

    async def progress(self, request: Request) -> Response:
        """Say how far the work is that is watched under a key."""
        return JSONResponse(self.desk.progress(request.path_params["key"]))

    async def answer(self, request: Request) -> Response:
        """Compare, rank or audit, and keep the report."""
        content = await _content(request)
        files = self._files(content)
        asked = content.get("fields")
        if not isinstance(asked, dict):
            raise HTTPException(400)
        watch = str(content.get("watch", ""))
        found = await self._do(request, files, job="answer", watch=watch, fields=asked)
        if "done" not in found:
            return JSONResponse(found)
        key = secrets.token_hex(16)
        remarks = [in_page(from_parts(remark), len(files)) for remark in found["done"].pop("remarks")]
        self.reports[key] = found["done"]
        for old in list(self.reports)[:-MOST_REPORTS]:
            del self.reports[old]
            self.pushed_out.append(old)
        return JSONResponse({"id": key, "remarks": remarks})

    async def report(self, request: Request) -> Response:
        """Give a report, to be seen or to be kept."""
        name, key = request.path_params["name"], request.path_params["key"]
        kept = self.reports.get(key)
        if kept is None and key in self.pushed_out:
            words = f"This report is no longer here: more than {MOST_REPORTS} were made, so the oldest was removed. Compare again."
            return Response(words, 404, media_type="text/plain")
        if kept is None or name not in REPORTS:
            raise HTTPException(404)
        part, kind = REPORTS[name]
        headers = {"content-security-policy": REPORT_POLICY}
        if "keep" in request.query_params:
            headers["content-disposition"] = f'attachment; filename="{name}"'
        return Response(kept[part], media_type=kind, headers=headers)

    def _files(self, content: dict[str, Any]) -> list[Upload]:
        keys = content.get("files")
        if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
            raise HTTPException(400)
        if not 1 <= len(keys) <= MOST:
            raise OptionError(f"1 to {MOST} files are read; {len(keys)} were given", argument="files")
        return [self.uploads.get(key) for key in keys]

    async def _do(self, request: Request, files: list[Upload], **job: Any) -> dict[str, Any]:
        """Have a job done on files, and say in the words of the page what is wrong.

        The job is stopped when its answer is of no use: a file had to go, the tab was closed, or the user pressed Stop.
        """

        async def gone() -> None:
            while all(self.uploads.has(upload) for upload in files):
                if (await request.receive())["type"] == "http.disconnect":
                    return

        found = await self.desk.do(gone, files=[upload.given for upload in files], **job)
        if "done" not in found or job["job"] == "look":
            for upload in files:
                self.uploads.get(upload.id)  # or else it says why it had to go
        if "wrong" in found:
            return {"wrong": in_page(from_parts(found["wrong"]), len(files))}
        return {"fault": FAULT.format(found["fault"])} if "fault" in found else found


async def _content(request: Request) -> dict[str, Any]:
    """Read the JSON that the page sends."""
    body = b""
    async for piece in in_time(request.stream(), PATIENCE, "of what was asked"):
        body += piece
        if len(body) > LARGEST_QUESTION:
            raise HTTPException(413)
    try:
        found = loads(body)
    except (ValueError, RecursionError):
        raise HTTPException(400) from None
    if not isinstance(found, dict):
        raise HTTPException(400)
    return found


def _options(metric: Metric) -> dict[str, Any]:
    """Return the options of a metric; which way is up has a field of its own."""
    return {name: value for name, value in metric.defaults.items() if name != "better"}


def _wrong(request: Request, error: Exception) -> Response:
    """Say what is wrong with what the user gave, and hang up where the rest of what is sent is not wanted."""
    if isinstance(error, RefereeError):
        status, words = getattr(error, "status", 200), in_page(error.message)
    else:
        status = error.status_code if isinstance(error, HTTPException) else 400
        words = REFUSED.get(status, "the request was not understood")
    headers = {"connection": "close"} if status in (408, 413) else None
    return JSONResponse({"wrong": words}, status, headers)


def _fault(request: Request, error: Exception) -> Response:
    return JSONResponse({"fault": FAULT.format(type(error).__name__)}, status_code=500)
