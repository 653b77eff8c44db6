"""A result in a notebook: the verdict in a box, its chart, light or dark as the notebook is; and in two lines elsewhere."""

import re
import subprocess
import sys

import pytest
from made_results import ALL, AUDITS, SEVERAL, comparison, ranking

import referee
from referee.report.render.notebook import MARKS
from referee.results.base import Reported
from tests.browser import barriers, visited

SCORES = {"new": [0.8, 0.82, 0.79, 0.85], "old": [0.7, 0.74, 0.72, 0.7], "nb": [0.5, 0.4, 0.5, 0.6]}
RESULTS = {
    **ALL,
    "comparisons": SEVERAL,
    "audit": AUDITS["one"],
    "ranking": ranking(),
    "standings": referee.compare_scores(SCORES),
    "datasets": referee.rank_datasets(SCORES, test="nemenyi"),
    "measurement": referee.score(prediction=[1, 0, 1, 1] * 9, truth=[1, 1, 1, 1] * 9),
}


@pytest.mark.parametrize("r", RESULTS.values(), ids=RESULTS)
def test_the_verdict_comes_first_then_its_picture_and_the_rest_is_folded(r):
    shown = r._repr_html_()
    box, rest = shown.split("</div>", 1)
    assert re.search(r'class="rf-box rf-(good|bad|equal|open)"', box)
    assert any(f'<span class="rf-mark">{mark}</span>' in box for mark in MARKS.values())
    before, *_ = rest.split("<summary>Details")
    assert ("<svg" in before) == (r is not ALL["unknown"])
    assert ("<table" in before) == (r is ALL["unknown"])
    assert not re.search(r"<script|https?://(?!www\.w3\.org/2000/svg)|@import|url\((?!#)", shown)


def test_an_output_can_be_shown_twice():
    one, two = (set(re.findall(r'\bid="([^"]+)"', RESULTS["standings"]._repr_html_())) for _ in range(2))
    assert not one & two


def test_without_the_charts_there_are_the_tables():
    lacking = "import sys; sys.modules.update(dict.fromkeys(('altair', 'jinja2', 'vl_convert')))\n"
    use = "import referee; print(referee.compare(a=[1, 0, 1, 1] * 9, b=[1, 1, 0, 1] * 9)._repr_html_())"
    shown = subprocess.run([sys.executable, "-c", lacking + use], check=True, capture_output=True, text=True).stdout
    assert 'class="rf-box' in shown
    assert "<svg" not in shown
    assert "<table" in shown.split("<details>")[0]


@pytest.mark.parametrize("r", RESULTS.values(), ids=RESULTS)
def test_two_lines_elsewhere(r):
    first, second = repr(r).splitlines()
    assert first.startswith(f"<{type(r).__name__}: ")
    assert second.startswith(" ")
    assert second.endswith(">")
    assert max(len(first), len(second)) < 140


def test_two_lines_have_what_the_result_rests_on():
    assert repr(ALL["b better"]) == (
        '<Comparison: "new" is better than "old": F1 83.2% against 81.1% (+2.1 points, p = 0.031).\n'
        " n = 1,234, studentized randomization test, p = 0.031>"
    )
    assert repr(SEVERAL).splitlines()[1].startswith(f" {len(SEVERAL)} comparisons, ")
    # Half made, as a debugger meets it.
    assert repr(object.__new__(type(comparison()))).startswith("<referee.results.comparison.Comparison object")


def test_every_class_of_results_has_them():
    assert {one.__repr__ for one in Reported.__subclasses__()} == {Reported.__repr__}


HOSTS = {
    "JupyterLab": 'data-jp-theme-light="{light}"',
    "VS Code": 'class="vscode-{name}"',
    "marimo": 'class="{name}"',
    "nothing": "",
}


@pytest.mark.parametrize("host", HOSTS)
def test_it_is_as_light_as_the_notebook(browser, tmp_path, host):
    shown = RESULTS["standings"]._repr_html_() + RESULTS["grouped"]._repr_html_()
    for name in ("light", "dark"):
        about = HOSTS[host].format(name=name, light=str(name == "light").lower())
        page = f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>x</title></head><body {about}><main><h1>x</h1>{shown}</main></body></html>'
        (tmp_path / f"{name}.html").write_text(page, encoding="utf-8")
        # The system says the opposite, unless nobody else says anything.
        scheme = name if host == "nothing" else {"light": "dark", "dark": "light"}[name]
        with visited(browser, color_scheme=scheme) as visit:
            visit.page.goto((tmp_path / f"{name}.html").as_uri())
            look = "e => [getComputedStyle(e).backgroundColor, getComputedStyle(e.querySelector('svg text')).fill]"
            paper, ink = visit.page.locator(".referee-out").first.evaluate(look)
            assert (paper, ink) == {
                "light": ("rgb(255, 255, 255)", "rgb(29, 33, 38)"),
                "dark": ("rgb(20, 23, 27)", "rgb(232, 235, 239)"),
            }[name]
            visit.page.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
            assert barriers(visit.page) == []
            assert visit.complaints == visit.outside == []


def test_a_notebook_that_is_executed():
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    made = "import referee\nr = referee.compare(a=[1, 0, 1, 1] * 9, b=[1, 1, 0, 1] * 9)\n"
    cells = [nbformat.v4.new_code_cell(text) for text in (f"{made}r", "[r]")]
    run = nbclient.NotebookClient(nbformat.v4.new_notebook(cells=cells), timeout=60, kernel_name="python3").execute()
    alone, inside = (cell["outputs"][-1]["data"] for cell in run["cells"])
    assert "Too close to call" in alone["text/plain"]
    assert "disagreement" in alone["text/plain"]
    assert '<div class="referee-out">' in alone["text/html"]
    assert inside["text/plain"].startswith("[<Comparison: ")
    assert inside["text/plain"].count("\n") < 3


@pytest.mark.parametrize("r", RESULTS.values(), ids=RESULTS)
def test_marimo_is_given_the_page_and_nothing_that_it_would_take_before(r):
    before = ("_display_", "_mime_", "_repr_mimebundle_", "_repr_svg_", "_repr_png_", "_repr_markdown_", "_repr_latex_")
    assert not [name for name in before if hasattr(r, name)]
    assert r._repr_html_().startswith('<div class="referee-out">')
