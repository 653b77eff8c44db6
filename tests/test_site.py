"""The site of the documentation builds without a word, needs no network, and its reference lacks nothing."""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import click
import pytest

import referee
from referee.cli.list import registered
from referee.cli.main import VERBS
from referee.cli.main import referee as command
from tests.browser import barriers, visited

pytest.importorskip("mkdocs", reason="mkdocs is not installed: pip install -e '.[dev]'")

ROOT = Path(__file__).parents[1]
SOURCES = {"script": "src", "img": "src", "iframe": "src", "source": "srcset", "link": "href", "object": "data"}
"""What a browser fetches by itself, and the attribute that says from where."""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site, once for all processes that run tests of it."""
    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if os.environ.get("PYTEST_XDIST_WORKER") else shared
    folder = shared / "site"
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            build(folder)
    return folder


def build(folder):
    made = folder.with_name("site-unfinished")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(made)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    made.rename(folder)


class Reading(HTMLParser):
    """What a page fetches, where its links lead, and the places in it that a link may name."""

    def __init__(self, page):
        super().__init__()
        self.fetched, self.links, self.places = [], [], set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.places |= {given[key] for key in ("id", "name") if given.get(key)}
        if given.get(SOURCES.get(tag, "")):
            self.fetched.append(given[SOURCES[tag]])
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])


@pytest.fixture(scope="module")
def pages(site):
    return {page: Reading(page) for page in site.rglob("*.html")}


def test_every_page_is_in_the_site_and_in_the_menu(site, pages):
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
    for page in (ROOT / "docs").rglob("*.md"):
        place = page.relative_to(ROOT / "docs")
        assert re.search(rf"[ :]{re.escape(place.as_posix())}$", menu, re.M), place
        assert site / place.with_suffix(".html") in pages


def test_no_page_fetches_anything_from_elsewhere(site, pages):
    outside = {
        (page.name, url) for page, read in pages.items() for url in read.fetched if re.match(r"(?i)(\w+:)?//", url)
    }
    assert outside == set()
    for style in site.rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*['\"]?(\w+:)?//", style.read_text(encoding="utf-8")), style


def test_the_gallery_has_a_page_for_every_picture(site):
    pictures = {file.stem for file in (ROOT / "docs" / "gallery").iterdir()}
    made = {page.stem: page for page in (site / "gallery").glob("*.html")}
    assert len(made) >= 12
    assert set(made) == pictures
    text = (site / "gallery.html").read_text(encoding="utf-8")
    assert [name for name in made if f'href="gallery/{name}.html"' not in text] == []
    assert max(page.stat().st_size for page in made.values()) < 500_000
    assert max(file.stat().st_size for file in (ROOT / "docs" / "gallery").iterdir()) < 30_000


def test_links_lead_to_places_that_are_there(pages):
    lost = []
    for page, read in pages.items():
        if page.name == "404.html":  # its links are from the root of a server
            continue
        for link in [*read.links, *read.fetched]:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            place = unquote(parts.fragment)
            if not target.is_file() or (place and target in pages and place not in pages[target].places):
                lost.append((page.name, link))
    assert lost == []


def shown(site, page):
    """Return the text of a page."""
    return unescape(re.sub(r"<[^>]+>", "", (site / page).read_text(encoding="utf-8")))


def test_the_reference_has_everything_that_is_registered(site):
    pages = {
        "metrics": ["metrics.html"],
        "tests": ["tests.html", "reference/designs.html"],
        "designs": ["reference/designs.html"],
    }
    for kind, names in pages.items():
        text = "".join(shown(site, name) for name in names)
        assert [entry["name"] for entry in registered()[kind] if entry["summary"] not in text] == []
        assert [entry["name"] for entry in registered()[kind] if entry["name"] not in text] == []


def test_the_reference_has_every_public_name(site, pages):
    places = pages[site / "reference" / "functions.html"].places | pages[site / "reference" / "classes.html"].places
    names = [name for name in referee.__all__ if name not in ("__version__", "metrics")]
    assert [name for name in names if f"referee.{name}" not in places] == []
    assert "referee.Comparison.to_html" in places


def test_the_reference_has_every_option(site):
    text = shown(site, "reference/options.html")
    for name in VERBS:
        verb = command.get_command(click.Context(command), name)
        assert f"referee {name}" in text
        for option in (one for one in verb.params if isinstance(one, click.Option)):
            assert set(option.opts) <= set(re.findall(r"--?[\w-]+", text))
            assert " ".join(option.help.split()) in " ".join(text.split())


def test_the_reference_has_every_field_of_the_contract_with_its_meaning(site):
    page = (site / "reference" / "json.html").read_text(encoding="utf-8")
    rows = dict(re.findall(r"<tr>\s*<td><code[^>]*>([\w.]+)</code></td>\s*<td>.*?</td>\s*<td>(.*?)</td>", page))
    result = referee.compare(truth=[1, 0, 1], a=[1, 0, 0], b=[1, 1, 1]).to_dict()
    assert [field for field in result if not rows.get(field)] == []


@pytest.mark.parametrize("width", [1280, 390])
def test_pages_open_as_files_and_fit(site, browser, width):
    with visited(browser, viewport={"width": width, "height": 800}) as visit:
        for name in (
            "index",
            "gallery",
            "start",
            "which-test",
            "calibration",
            "evaluations",
            "reference/options",
            "reference/classes",
        ):
            visit.page.goto((site / f"{name}.html").as_uri())
            assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        assert (visit.complaints, visit.outside) == ([], [])


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_pages_keep_nobody_out(site, browser, scheme, width):
    with visited(browser, color_scheme=scheme, viewport={"width": width, "height": 800}) as visit:
        for name in ("index", "gallery", "which-test", "calibration", "reference/options"):
            visit.page.goto((site / f"{name}.html").as_uri(), wait_until="load")
            assert barriers(visit.page) == [], name


@pytest.mark.parametrize(
    ("word", "page"),
    [
        ("wilcoxon", "tests.html"),
        ("non-inferiority", "guides/equivalence.html"),
        ("non-inferiority", "guides/ci-gates.html"),
    ],
)
def test_search_works_without_a_server(site, browser, word, page):
    with visited(browser) as visit:
        visit.page.goto((site / "start.html").as_uri())
        visit.page.click("input.md-search__input")
        # At once: what is searched for on the way, such as "non-", may be no query.
        visit.page.keyboard.insert_text(word)
        visit.page.keyboard.press("End")
        visit.page.wait_for_selector(f".md-search-result__item a[href*='{page}']", state="attached")
        assert (visit.complaints, visit.outside) == ([], [])
