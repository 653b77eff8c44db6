"""A real browser for tests: Debian's chromium, driven by playwright, with what it complained of and asked for."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field

REASON = "there is no chromium on the PATH: make system-deps installs it (as root, by apt)"


def executable():
    """Return where the browser is; None where there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


@contextmanager
def started():
    """Start a browser, and stop it afterwards."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Containers have no user namespaces; the pages that are opened are the project's own.
        browser = playwright.chromium.launch(
            executable_path=executable(), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Visit:
    """A tab, with what it complained of, what it asked the network for, and which dialogs opened."""

    page: object
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    @property
    def outside(self):
        """Requests that are neither of a file, nor inline, nor of this machine."""
        own = ("file:", "data:", "blob:", "about:", "http://127.0.0.1:", "http://localhost:")
        return [url for url in self.requests if not url.startswith(own)]


@contextmanager
def visited(browser, **options):
    """Open a tab of its own; options are those of a browser context: color_scheme, viewport, java_script_enabled."""
    context = browser.new_context(**options)
    page = context.new_page()
    visit = Visit(page)
    page.on(
        "console",
        lambda message: visit.complaints.append(message.text) if message.type in ("error", "warning") else None,
    )
    page.on("pageerror", lambda error: visit.complaints.append(str(error)))
    page.on("request", lambda request: visit.requests.append(request.url))

    def seen(dialog):
        visit.dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", seen)
    try:
        yield visit
    finally:
        context.close()


def barriers(page):
    """Return what axe-core finds that keeps people out: contrast, labels, headings, tables, names of links."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [(one["id"], one["help"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]
