"""Pages with long names: nothing is cut, outside its place or written over something else, at any width; and none is large."""

import kinds
import pytest

from tests.browser import barriers, crowded, visited

WIDTHS = (360, 768, 1024, 1280)
LARGEST = 500_000


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Every kind of result as a page on disk."""
    folder = tmp_path_factory.mktemp("kinds")
    for kind in kinds.MAKERS:
        kinds.made(kind).to_html(folder / f"{kind}.html")
    return {kind: folder / f"{kind}.html" for kind in kinds.MAKERS}


@pytest.mark.parametrize("kind", kinds.MAKERS)
def test_nothing_is_cut_or_written_over(browser, pages, kind):
    assert pages[kind].stat().st_size < LARGEST
    with visited(browser, viewport={"width": WIDTHS[0], "height": 900}) as visit:
        visit.page.goto(pages[kind].as_uri())
        found = {}
        for width in WIDTHS:
            visit.page.set_viewport_size({"width": width, "height": 900})
            found[width] = crowded(visit.page)
        assert found == {width: [] for width in WIDTHS}
        assert barriers(visit.page) == []


def test_what_is_cut_or_written_over_is_found(browser):
    bad = """<p style="width: 100px; overflow: hidden; white-space: nowrap">a line that is far too long for its place</p>
        <svg width="100" height="30"><text x="60" y="20">outside it</text><text x="10" y="20">a</text></svg>
        <p style="position: absolute; margin: 0; top: 10px">over the line</p><div style="width: 2000px">wide</div>"""
    with visited(browser, viewport={"width": 360, "height": 900}) as visit:
        visit.page.set_content(bad)
        found = " ".join(crowded(visit.page))
    for complaint in ("the page is", "cut: <p>", "outside its drawing: <text> outside it", "one over the other"):
        assert complaint in found
