"""Charts: the same bytes for the same result, every name in them, and nothing that a name can do."""

import json
import sys
import xml.etree.ElementTree as ET

import pytest
from made_results import AUDITS, CATEGORIES, CLUSTERED, NASTY, NO_NULL, SIZED, TIED, audit

from referee.errors import InputError, OptionError
from referee.report import charts
from referee.report.charts import rates
from referee.report.phrases import audit as said

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

ROWS = [
    {
        "panel": panel,
        "line": line,
        "n": n,
        "value": None if (panel, n) == ("(b)", 250) else 0.05 + i / 50,
        "error": 0.003,
    }
    for panel in ("(a)", "(b)", "(c)", "(d)")
    for i, line in enumerate(("bootstrap dF1", "McNemar", "proportion"))
    for n in (100, 250, 4000, 6000)
]


def svg(chart, path):
    charts.save(chart, path)
    return path.read_text(encoding="utf-8")


def words_of(drawn):
    return [element.text for element in ET.fromstring(drawn).iter() if element.tag.endswith("text")]


@pytest.mark.parametrize("r", AUDITS.values(), ids=AUDITS)
def test_every_test_has_its_name(r, tmp_path):
    drawn = svg(r.plot(), tmp_path / "a.svg")
    # What is too long is cut in its middle.
    words = words_of(drawn)
    assert all(any(word.startswith(said.label(row)[:12]) for word in words) for row in r.rows)
    assert drawn == svg(charts.plot(r), tmp_path / "b.svg")
    assert drawn != svg(r.plot(theme="dark"), tmp_path / "c.svg")
    assert "NaN" not in drawn


def test_panels_of_an_audit(tmp_path):
    shown = words_of(svg(charts.plot(SIZED), tmp_path / "a.svg"))
    for title in ("False alarms at alpha 1%", "Power at alpha 1%", "False alarms at alpha 5%", "Power at alpha 5%"):
        assert shown.count(title) == 1
    assert "examples in the test set" in shown
    assert "Tests of error: old against new" in shown
    assert shown.count("McNemar's test") == 4  # each line has its name at its end


def test_one_size_has_tests_on_the_axis(tmp_path):
    shown = words_of(svg(charts.plot(CLUSTERED), tmp_path / "a.svg"))
    assert shown.count("bootstrap test, groups ignored") == 1
    assert {"keeps", "too many"} <= set(shown)
    assert "cautious" not in shown
    assert (
        "2,000 test sets of 1,234 examples; bars are ±2 Monte Carlo standard errors, the plain line is alpha" in shown
    )


def test_what_could_not_be_measured_has_no_panel(tmp_path):
    assert not any("False alarms" in text for text in words_of(svg(charts.plot(NO_NULL), tmp_path / "a.svg")) if text)
    assert not any("Power" in text for text in words_of(svg(charts.plot(TIED), tmp_path / "b.svg")) if text)
    neither = {"false_alarm": None, "power": None}
    nothing = audit([{**row, **neither} for row in CATEGORIES.rows])
    assert "Power at alpha 5%" in words_of(svg(charts.plot(nothing), tmp_path / "c.svg"))


def test_a_figure(tmp_path):
    chart = charts.figure(ROWS, "Figure 1", "false alarms", rule=0.05)
    shown = words_of(svg(chart, tmp_path / "a.svg"))
    assert {"Figure 1", "(a)", "(b)", "(c)", "(d)", "bootstrap dF1", "McNemar", "proportion"} <= set(shown)
    assert shown.count("false alarms") == 4
    assert shown.count("6,000") == 4
    assert "4,000" not in shown  # there is no room for it
    assert len(chart.to_dict()["concat"]) == 4


def test_a_figure_of_one_size_without_errors(tmp_path):
    row = {"panel": "p", "line": NASTY, "n": 10, "value": 0.5, "error": None}
    drawn = svg(charts.figure([row], NASTY, NASTY), tmp_path / "a.svg")
    assert "<script" not in drawn
    assert "10" in words_of(drawn)
    with pytest.raises(OptionError, match="needs rows"):
        charts.figure([], "t", "y")


@pytest.mark.parametrize("theme", charts.THEMES.values(), ids=charts.THEMES)
def test_lines_are_told_apart_without_colour(theme):
    looks = [
        (theme.lines[i % len(theme.lines)], rates.DASHES[i % len(rates.DASHES)], rates.SHAPES[i % len(rates.SHAPES)])
        for i in range(20)
    ]
    assert len(set(looks)) == 20
    assert len({look[1:] for look in looks}) == 20


@pytest.mark.parametrize(
    ("high", "rule", "last"),
    [(0.153, 0.05, 0.16), (0.02, 0.05, 0.08), (0.999, None, 1.0), (0.0, None, 0.001), (1.0, 0.9, 1.0)],
)
def test_shares_are_round(high, rule, last):
    found = rates.shares([{"high": high}, {"high": None}], rule)
    assert found[0] == 0
    assert found[-1] == pytest.approx(last)
    assert 3 <= len(found) <= 9


def test_every_format(tmp_path):
    chart = charts.plot(AUDITS["hostile"])
    for ending in charts.FORMATS:
        charts.save(chart, tmp_path / f"c{ending.upper() if ending == '.png' else ending}")
    assert (tmp_path / "c.PNG").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    page = (tmp_path / "c.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "<script" not in page
    assert "http" not in page.replace("http://www.w3.org/", "")
    assert json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))["$schema"].startswith("https://vega")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.PNG", "c.html", "c.json", "c.pdf", "c.svg"]


def test_another_ending_or_no_place(tmp_path):
    chart = charts.plot(TIED)
    for use in (lambda path: charts.save(chart, path), charts.check):
        with pytest.raises(OptionError, match=r"\.svg, \.png, \.pdf, \.html, \.json; the file is 'x\.gif'"):
            use("x.gif")
    for ending in ("png", "svg"):
        with pytest.raises(InputError, match="cannot write"):
            charts.save(chart, tmp_path / "no" / f"x.{ending}")
    (tmp_path / "x.png").mkdir()
    with pytest.raises(InputError, match="cannot write"):
        charts.save(chart, tmp_path / "x.png")
    assert [path.name for path in tmp_path.iterdir()] == ["x.png"]


@pytest.mark.parametrize(("missing", "ending"), [("altair", "json"), ("vl_convert", "svg")])
def test_a_missing_extra_names_its_command(missing, ending, monkeypatch):
    charts.check(f"x.{ending}")
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(OptionError, match=r"pip install 'referee\[report\]'"):
        charts.check(f"x.{ending}")
