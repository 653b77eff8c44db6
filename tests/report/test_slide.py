"""One figure with the verdict above it, for a slide or a paper; which one, a file's name may say."""

import xml.etree.ElementTree as ET

import pytest
from made_results import ALL, AUDITS, SEVERAL, ranking

from referee.errors import OptionError
from referee.report import charts
from referee.report.charts.save import specified, svg
from referee.report.slide import for_file, slide, wrapped

pytest.importorskip("altair")
pytest.importorskip("vl_convert")


def words_of(chart):
    drawn = svg(specified(chart))
    return " ".join(" ".join(one.itertext()) for one in ET.fromstring(drawn).iter() if one.tag.endswith("text"))


def test_verdict_n_p_and_the_picture():
    shown = words_of(slide(ALL["b better"])).replace("\xa0", " ")
    assert '"new" is better than "old": F1 83.2%' in shown
    assert shown.count("p = 0.031") == 1
    assert "n = 1,234, studentized randomization" in shown
    assert "95% interval" in shown
    assert "difference, new − old, in points" in shown


def test_a_file_is_named_after_its_figure():
    r = ALL["b better"]
    assert "Both scores" in words_of(for_file(r, "out/scores.svg"))
    for main in ("report.pdf", "losses.svg"):
        assert for_file(r, main).to_dict() == slide(r).to_dict()
    for everything in ("all.svg", "all.pdf", "report.html", "scores.json"):
        assert for_file(r, everything).to_dict() == r.plot().to_dict()


def test_one_figure_of_a_plot():
    r = ALL["b better"]
    assert r.plot(figure="scores").to_dict() == slide(r, "scores").to_dict()
    assert r.plot("dark", figure="main").to_dict()["usermeta"] == {"theme": "dark"}
    with pytest.raises(OptionError, match=r"figure must be one of main, estimate, scores, .*did you mean"):
        r.plot(figure="diference")


@pytest.mark.parametrize("r", [SEVERAL, AUDITS["one"], ranking(), ALL["unknown"], ALL["strange"]])
def test_every_result_has_one(r, tmp_path):
    charts.save(slide(r), tmp_path / "x.pdf")
    assert (tmp_path / "x.pdf").read_bytes().startswith(b"%PDF")


def test_a_long_verdict_is_broken_and_no_line_is_too_wide():
    assert len(wrapped("one two " * 30, 352, 14)) == 5
    assert wrapped("x" * 400, 352, 14)[0].count("…") == 1
