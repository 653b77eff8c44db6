"""Pages with long names: nothing is cut, outside its place or written over something else, at any width; and none is large."""

import re
from dataclasses import replace

import kinds
import pytest
from made_results import ranking

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


@pytest.mark.parametrize("kind", ["comparison", "rank", "classes", "datasets", "algorithms", "audit", "preferences"])
def test_letters_in_drawings_can_be_read_on_a_phone(browser, pages, kind):
    with visited(browser, viewport={"width": 360, "height": 900}) as visit:
        visit.page.goto(pages[kind].as_uri())
        sizes = visit.page.evaluate(
            """() => [...document.querySelectorAll("figure > div svg")].map(svg => {
                const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
                return Math.min(...[...svg.querySelectorAll("text")].map(t => parseFloat(getComputedStyle(t).fontSize) * scale));
            })"""
        )
        assert min(sizes) >= 9.9


@pytest.mark.parametrize(
    ("kind", "most"),
    [("comparison", 2), ("rank", 2), ("algorithms", 2), ("tasks", 2), ("many tasks", 3), ("audit", 3), ("datasets", 2), ("score", 2)],
)  # fmt: skip
def test_on_paper_there_are_few_sheets(browser, pages, kind, most):
    with visited(browser, viewport={"width": 688, "height": 1017}) as visit:
        visit.page.goto(pages[kind].as_uri())
        sheets = visit.page.pdf(format="A4", prefer_css_page_size=True)
        assert 1 <= len(re.findall(rb"/Type\s*/Page\b(?!s)", sheets)) <= most
        visit.page.emulate_media(media="print")
        hidden = visit.page.locator("pre, a[download], #paper ~ p, h3:text('All pairs') ~ .scroll")
        assert not any(one.is_visible() for one in hidden.all() if "referee" not in one.inner_text())


def test_a_tall_drawing_is_not_a_strip_on_paper(browser, tmp_path):
    page = tmp_path / "page.html"
    ranking([0.9 - i / 200 for i in range(30)]).to_html(page)
    with visited(browser, viewport={"width": 688, "height": 1017}) as visit:
        visit.page.goto(page.as_uri())
        visit.page.emulate_media(media="print")
        assert visit.page.locator("figure.tall svg").first.bounding_box()["width"] > 280


def test_warnings_stand_above_every_drawing(tmp_path):
    page = tmp_path / "page.html"
    replace(kinds.made("comparison"), warnings=("the moon is full",)).to_html(page)
    text = page.read_text(encoding="utf-8")
    assert text.index("The moon is full") < text.index("<svg")


def test_what_is_cut_or_written_over_is_found(browser):
    bad = """<p style="width: 100px; overflow: hidden; white-space: nowrap">a line that is far too long for its place</p>
        <svg width="100" height="30"><text x="60" y="20">outside it</text><text x="10" y="20">a</text></svg>
        <p style="position: absolute; margin: 0; top: 10px">over the line</p><div style="width: 2000px">wide</div>"""
    with visited(browser, viewport={"width": 360, "height": 900}) as visit:
        visit.page.set_content(bad)
        found = " ".join(crowded(visit.page))
    for complaint in ("the page is", "cut: <p>", "outside its drawing: <text> outside it", "one over the other"):
        assert complaint in found
