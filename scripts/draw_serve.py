"""The picture of the page in docs/serve.md: the made-up table, dropped and guessed, photographed in chromium.

Run from the project's folder, in the environment of the Makefile: python -m scripts.draw_serve
"""

from __future__ import annotations

from pathlib import Path

from tests.browser import started, visited

from referee.web.server import serving

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Open the page with the made-up table, light and dark."""
    with serving() as server, started() as browser:
        for scheme in ("light", "dark"):
            options = {"color_scheme": scheme, "viewport": {"width": 1000, "height": 800}}
            with visited(browser, **options) as visit:
                visit.page.goto(server.address)
                visit.page.click("#demonstration")
                visit.page.wait_for_selector("#fields:not([hidden])")
                visit.page.screenshot(path=ROOT / "docs" / "assets" / f"serve-{scheme}.png", full_page=True)


if __name__ == "__main__":
    main()
