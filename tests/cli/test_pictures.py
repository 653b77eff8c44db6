"""`--html` and `--chart`: beside what is printed, whole or not at all, and refused before the work."""

import json
import sys

import pytest

from referee.data.demo_table import table

COLUMNS = ["--truth", "label", "--a", "old", "--b", "new", "--positive", "spam"]
SCORES = "svm,forest\n0.8,0.7\n0.82,0.74\n0.79,0.72\n0.85,0.7\n0.8,0.75\n"


@pytest.fixture
def scores(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(SCORES)
    return str(path)


def test_the_page_is_written_and_the_text_is_as_without_it(run, data, tmp_path):
    plain = run("compare", data, *COLUMNS, "--metric", "f1")
    page = tmp_path / "report.html"
    done = run("compare", data, *COLUMNS, "--metric", "f1", "--html", str(page))
    assert (done.code, done.out) == (0, plain.out)
    assert done.err == f"referee: the report is in {page}\n"
    assert "<b>new</b> is better than <b>old</b>: F1 81.1% against 76.9% (" in page.read_text(encoding="utf-8")
    assert run("compare", data, *COLUMNS, "--quiet", "--html", str(page)).err == ""


def test_json_goes_to_the_output_and_the_page_to_its_file(run, data, tmp_path):
    page = tmp_path / "report.html"
    done = run("compare", data, *COLUMNS, "--html", str(page), "--format", "json")
    assert json.loads(done.out)["verdict"] == "b better"
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_the_examples_of_standard_input_are_shown(run, tmp_path):
    head, *rows = table().splitlines()
    numbered = "\n".join([f"id,{head}", *(f"m{i},{row}" for i, row in enumerate(rows))])
    page = tmp_path / "report.html"
    done = run("compare", "-", *COLUMNS, "--id", "id", "--html", str(page), stdin=numbered.encode())
    assert done.code == 0
    text = page.read_text(encoding="utf-8")
    assert "Where they differ" in text
    assert text.count('data-label="example">m') == 50
    words = ["--id", "id", "--no-examples", "--html", str(page)]
    assert run("compare", "-", *COLUMNS, *words, stdin=numbered.encode()).code == 0
    assert "Where they differ" not in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("ending", ["svg", "png", "pdf", "html", "json"])
def test_a_chart_is_drawn(run, data, tmp_path, ending):
    path = tmp_path / f"chart.{ending}"
    assert run("compare", data, *COLUMNS, "--chart", str(path)).code == 0
    starts = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "html": b"<!DOCTYPE html>", "json": b"{"}
    assert path.read_bytes().startswith(starts[ending])


def test_audits_and_algorithms_have_them_too(run, data, scores, tmp_path):
    page, chart = tmp_path / "report.html", tmp_path / "chart.svg"
    done = run("audit", data, *COLUMNS, "--metric", "f1", "--sets", "20", "--html", str(page), "--chart", str(chart))
    assert done.code == 0
    assert "false alarms in" in page.read_text(encoding="utf-8")
    page.unlink()
    chart.unlink()
    done = run("algorithms", "--scores", scores, "--html", str(page), "--chart", str(chart))
    assert done.code == 0
    assert "<b>forest</b> is worse than <b>svm</b>" in page.read_text(encoding="utf-8")
    assert chart.read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--html", "nowhere/report.html"], "there is no folder nowhere"),
        (["--html", "."], "it is a folder"),
        (["--chart", "chart.gif"], "a chart is saved as .svg, .png, .pdf, .html, .json"),
        (["--html", "same.html", "--chart", "same.html"], "two outputs"),
        (["--html", "same.html", "--output", "./same.html"], "two outputs"),
        (["--html", "-"], "--html needs the name of a file"),
    ],
)
def test_what_cannot_be_written_is_refused_before_the_work(run, data, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("referee.studies.comparison.compare", lambda *_, **__: pytest.fail("the work was begun"))
    done = run("compare", data, *COLUMNS, *words)
    assert done.code == 2
    assert said in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["demo.csv"]


def test_without_the_extra_it_says_what_to_install(run, data, tmp_path, monkeypatch):
    for name in ("altair", "jinja2", "vl_convert"):
        monkeypatch.setitem(sys.modules, name, None)
    for option in ("--html", "--chart"):
        done = run("compare", data, *COLUMNS, option, str(tmp_path / "x.html"))
        assert (done.code, done.out) == (2, "")
        assert "pip install 'referee[report]'" in done.err


def test_an_estimate_is_not_drawn(run, data):
    model = ["--model", "a=sklearn.naive_bayes:GaussianNB", "--model", "b=sklearn.svm:SVC"]
    done = run("algorithms", data, "--truth", "label", *model, "--estimate", "--html", "x.html")
    assert done.code == 2
    assert "an estimate is not drawn" in done.err
