"""The picture of a report in README and docs: the demo's data, compared, opened in chromium, photographed.

Run from the project's folder, in the environment of the Makefile: python -m scripts.draw_report
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.browser import started, visited

import referee
from referee.data.demo_table import table

ROOT = Path(__file__).parents[1]
WIDTH = 1040
BELOW = 24
"""Pixels of paper below the charts."""


def main() -> None:
    """Write docs/assets/report-light.png and report-dark.png."""
    with tempfile.TemporaryDirectory() as folder, started() as browser:
        data, page = Path(folder) / "demo.csv", Path(folder) / "report.html"
        data.write_text(table(), encoding="utf-8")
        result = referee.compare(data, truth="label", a="old", b="new", positive="spam", metric="f1", audit=True)
        result.to_html(page)
        for scheme in ("light", "dark"):
            with visited(browser, viewport={"width": WIDTH, "height": 900}, color_scheme=scheme) as visit:
                visit.page.goto(page.as_uri())
                end = visit.page.evaluate("document.querySelector('.figures').getBoundingClientRect().bottom")
                seen = {"x": 0, "y": 0, "width": WIDTH, "height": round(end) + BELOW}
                where = ROOT / "docs" / "assets" / f"report-{scheme}.png"
                visit.page.screenshot(path=str(where), clip=seen, full_page=True)


if __name__ == "__main__":
    main()
