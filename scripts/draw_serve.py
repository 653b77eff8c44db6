"""The pictures of the page in docs/serve.md, and the one of a report that the page itself shows: all of the made-up table.

Run from the project's folder, in the environment of the Makefile: python -m scripts.draw_serve
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from tests.browser import started, visited

from referee.web.app import PAGE
from referee.web.server import serving

ASSETS = Path(__file__).parents[1] / "docs" / "assets"
WIDE, HIGH = 860, 900
SMALLER = """async (picture) => {
  const image = new Image();
  image.src = picture;
  await image.decode();
  const [width, height] = [640, Math.round((640 * image.height) / image.width)];
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  canvas.getContext("2d").drawImage(image, 0, 0, width, height);
  return canvas.toDataURL("image/webp", 0.8);
}"""
"""Twice as wide as it is shown, and as WebP, which a browser can write, and which takes a fifth of the room."""


def main() -> None:
    """Draw the report first: the page shows it."""
    with serving() as server, started() as browser:
        for draw in (report, page):
            for scheme in ("light", "dark"):
                draw(browser, server.address, scheme)


def asked(visit: Any, address: str) -> None:
    """Open the page, and try the sample table."""
    visit.page.goto(address)
    visit.page.click("#demonstration")
    visit.page.wait_for_selector("#fields:not([hidden])")


def report(browser: Any, address: str, scheme: str) -> None:
    """Draw the beginning of a report, for the page."""
    with visited(browser, color_scheme=scheme, viewport={"width": WIDE, "height": HIGH}) as visit:
        asked(visit, address)
        visit.page.click("#compare")
        visit.page.wait_for_selector("#result:not([hidden])")
        visit.page.goto(address + visit.page.get_attribute("#report", "src"))
        picture = base64.b64encode(visit.page.screenshot()).decode()
        visit.page.goto("about:blank")
        small = visit.page.evaluate(SMALLER, f"data:image/png;base64,{picture}")
        (PAGE / f"report-{scheme}.webp").write_bytes(base64.b64decode(small.partition(",")[2]))


def page(browser: Any, address: str, scheme: str) -> None:
    """Draw the page as it opens, and with the table in it."""
    with visited(browser, color_scheme=scheme, viewport={"width": 1000, "height": 640}) as visit:
        visit.page.goto(address)
        visit.page.wait_for_selector("#limit:has-text('MB')")
        visit.page.wait_for_function("document.querySelector('#thumbnail img').complete")
        visit.page.screenshot(path=ASSETS / f"serve-start-{scheme}.png", full_page=True)
        asked(visit, address)
        visit.page.screenshot(path=ASSETS / f"serve-{scheme}.png", full_page=True)


if __name__ == "__main__":
    main()
