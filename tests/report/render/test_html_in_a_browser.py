"""The report as people see it: in a real browser, light, dark, on a phone, on paper, with a keyboard."""

import itertools
from dataclasses import replace

import pytest

import referee
from referee.data.examples import Example
from tests.browser import barriers, visited

SCRIPT = "<script>alert(1)</script>"
WIDE, PHONE = {"width": 1100, "height": 900}, {"width": 360, "height": 740}


def data():
    truth = [1, 0, 1, 1, 0, 0, 1, 0, 1, 0] * 30
    old = [1, 0, 0, 1, 0, 1, 1, 0, 0, 0] * 30
    new = [1, 0, 1, 1, 0, 0, 1, 1, 1, 0] * 30
    return {
        "truth": truth,
        SCRIPT: old,
        "new": new,
        "g": [f"{SCRIPT}{i // 10}" for i in range(300)],
        "part": ["en", SCRIPT, "de"] * 100,
    }


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Reports on disk, of systems whose names are scripts."""
    folder = tmp_path_factory.mktemp("reports")
    roles = {"truth": "truth", "a": SCRIPT, "b": "new"}
    example = Example(a=SCRIPT, b="0", truth="1", id="q1", text=f"{SCRIPT} <b>what</b> is this?", right="b")
    made = {
        "comparison": replace(
            referee.compare(data(), **roles, metric="f1", group="g", audit=True),
            look=lambda: (example,) * 50,
            warnings=(SCRIPT,),
        ),
        "comparisons": referee.compare(data(), **roles, by="part", metric=["accuracy", "f1"]),
        "algorithms": referee.compare_scores(
            {
                SCRIPT: [0.8, 0.82, 0.79, 0.85, 0.8],
                "forest": [0.7, 0.74, 0.72, 0.7, 0.75],
                "nb": [0.5, 0.6, 0.4, 0.4, 0.5],
            }
        ),
        "audit": referee.audit(data(), **roles, metric="f1", sizes=[50, 100, 300], sets=40),
    }
    return {
        name: (result.to_html(folder / f"{name}.html"), folder / f"{name}.html")[1] for name, result in made.items()
    }


KINDS = ("comparison", "comparisons", "algorithms", "audit")
LOOKS = {
    "light": {"viewport": WIDE, "color_scheme": "light"},
    "dark": {"viewport": WIDE, "color_scheme": "dark"},
    "phone": {"viewport": PHONE, "color_scheme": "light", "is_mobile": True, "has_touch": True},
}


@pytest.mark.parametrize(("kind", "look"), list(itertools.product(KINDS, LOOKS)))
def test_it_renders_quietly_and_keeps_nobody_out(browser, pages, kind, look):
    with visited(browser, **LOOKS[look]) as visit:
        visit.page.goto(pages[kind].as_uri())
        assert visit.page.locator("h1").is_visible()
        assert visit.complaints == []
        assert visit.outside == []
        assert len(visit.requests) == 1
        assert visit.dialogs == []
        # Nothing is wider than the window: tables scroll inside themselves.
        assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert barriers(visit.page) == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_drawings_are_seen(browser, pages, kind):
    with visited(browser, viewport=WIDE) as visit:
        visit.page.goto(pages[kind].as_uri())
        drawings = visit.page.locator("figure > div svg, td.drawn svg")
        assert drawings.count() >= 2
        for i in range(drawings.count()):
            box = drawings.nth(i).bounding_box()
            assert box["width"] > 200
            assert box["height"] > (20 if kind == "comparisons" else 60)  # there, a drawing is a row
            assert drawings.nth(i).get_attribute("role") == "img"


def test_the_drawings_change_with_the_light(browser, pages):
    ink = {}
    for scheme in ("light", "dark"):
        with visited(browser, viewport=WIDE, color_scheme=scheme) as visit:
            visit.page.goto(pages["comparison"].as_uri())
            ink[scheme] = visit.page.evaluate("getComputedStyle(document.querySelector('figure svg text')).fill")
    assert ink["light"] != ink["dark"]


def test_on_paper_is_what_matters(browser, pages):
    with visited(browser, viewport=WIDE, color_scheme="dark") as visit:
        visit.page.goto(pages["comparison"].as_uri())
        visit.page.emulate_media(media="print")
        assert visit.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert not visit.page.get_by_text("Everything as JSON").is_visible()
        assert not visit.page.get_by_text("References as BibTeX").is_visible()
        assert visit.page.locator(".signature").first.is_visible()
        assert visit.page.pdf(format="A4").startswith(b"%PDF")


def test_folded_parts_open_with_the_keyboard(browser, pages):
    with visited(browser, viewport=WIDE) as visit:
        visit.page.goto(pages["comparison"].as_uri())
        visit.page.locator("summary").first.focus()
        visit.page.keyboard.press("Enter")
        assert visit.page.locator("details").first.evaluate("one => one.open")


def test_the_json_can_be_saved(browser, pages):
    with visited(browser, accept_downloads=True) as visit:
        visit.page.goto(pages["comparison"].as_uri())
        with visit.page.expect_download() as download:
            visit.page.get_by_text("Everything as JSON").click()
        assert download.value.suggested_filename == "referee-comparison.json"


def test_the_first_sheet_has_the_verdict_its_picture_and_the_numbers(browser, tmp_path):
    page = tmp_path / "page.html"
    referee.compare(data(), truth="truth", a=SCRIPT, b="new", metric="f1", audit=False).to_html(page)
    sheet = {"width": 688, "height": 1017}  # what the margins leave of A4
    with visited(browser, viewport=sheet) as visit:
        visit.page.goto(page.as_uri())
        visit.page.emulate_media(media="print")
        for part in ("h1", "figure svg >> nth=0", "main table >> nth=0"):
            box = visit.page.locator(part).first.bounding_box()
            assert box["y"] + box["height"] <= sheet["height"]
