"""Signs that terminals obey, or that drawings, pages and XML cannot hold, do no harm wherever a name is shown."""

import base64
import json
import re
from xml.etree import ElementTree

import pytest

import referee
from referee.report.charts import save
from referee.report.charts.save import specified
from referee.runtime.safe_text import UNSAFE, escaped, replaced, replaced_in

SIGNS = ("\x00", "\x01", "\x1b", "\x7f", "\x9b", "\u061c", "\u202e", "\u2066", "\ud800", "\udfff", "\ufdd0", "\ufffe", "\uffff",
         "\U0001fffe", "\U0010ffff")  # fmt: skip
FINE = "ab\t\n ~é新\u200d\ufeff\ufffd\U0001f600\U00010000"


@pytest.mark.parametrize("sign", SIGNS)
def test_each_is_known(sign):
    assert replaced(f"o{sign}ld") == "o?ld"
    assert UNSAFE.findall(escaped(f"o{sign}ld")) == []
    assert json.loads(f'"{escaped(sign)}"') == sign
    assert replaced_in({f"a{sign}": [f"b{sign}", 1, None, (sign,)]}) == {"a?": ["b?", 1, None, ["?"]]}


def test_all_else_stays():
    assert replaced(FINE) == escaped(FINE) == FINE


def test_xml_holds_all_that_is_left():
    every = "".join(sign for sign in map(chr, range(0x110000)) if not UNSAFE.match(sign))
    assert ElementTree.fromstring(f"<a>{every.replace('&', '').replace('<', '')}</a>").text


def hostile():
    """Results whose every name holds every sign that does harm."""
    from referee.data.counts import from_events

    def name(text):
        return f"{text}{'.'.join(SIGNS)}<&>"

    n = 60
    columns = {
        "truth": [name(f"t{i % 3}") for i in range(n)],
        "a": [name(f"t{(i + (i % 7 == 0)) % 3}") for i in range(n)],
        "b": [name(f"t{(i + (i % 5 == 0)) % 3}") for i in range(n)],
        "group": [name(f"g{i % 15}") for i in range(n)],
        "part": [name(f"p{i % 2}") for i in range(n)],
    }
    table = {name(key): values for key, values in columns.items()}
    given = {"truth": name("truth"), "a": name("a"), "b": name("b")}
    yield "one", referee.compare(table, **given, metric="accuracy")
    yield "groups", referee.compare(table, **given, metric="accuracy", group=name("group"))
    yield "several", referee.compare(table, **given, metric="accuracy", by=name("part"))
    yield "audit", referee.audit(from_events([10, 3, 2, 5, 4, 3, 2, 20]), metric="f1", sizes=[49], sets=20)
    scores = {name("svm"): [0.8, 0.81, 0.82, 0.83, 0.84], name("forest"): [0.7, 0.71, 0.73, 0.75, 0.71]}
    yield "scores", referee.compare_scores(scores, design="kfold:folds=5")


KINDS = ("one", "groups", "several", "audit", "scores")


@pytest.fixture(scope="module")
def results():
    return dict(hostile())


def test_there_is_one_of_each_kind(results):
    assert tuple(results) == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_holds_none(results, kind, tmp_path):
    page = results[kind].to_html(tmp_path / "report.html")
    assert UNSAFE.findall(page) == []
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page
    data = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    wanted = json.loads(results[kind].to_json())
    assert json.loads(data[1]) == wanted
    kept = re.search(r"data:application/json;base64,([A-Za-z0-9+/=]+)", page)
    assert json.loads(base64.b64decode(kept[1])) == wanted


@pytest.fixture(scope="module")
def plots(results):
    return {kind: results[kind].plot() for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ending", ["svg", "png", "html", "json"])
def test_a_chart_holds_none(plots, kind, ending, tmp_path):
    path = tmp_path / f"chart.{ending}"
    save(plots[kind], path)
    assert path.stat().st_size > 500
    if ending != "png":
        assert UNSAFE.findall(path.read_text(encoding="utf-8")) == []
    if ending == "svg":
        ElementTree.parse(path)


@pytest.mark.parametrize("kind", KINDS)
def test_a_chart_that_users_draw_by_themselves_holds_none(plots, kind):
    drawn = plots[kind]
    assert drawn.to_dict(validate=False) == specified(drawn)


@pytest.mark.parametrize("kind", ["one", "groups", "several"])
def test_junit_holds_none(results, kind):
    written = results[kind].to_junit()
    assert UNSAFE.findall(written) == []
    ElementTree.fromstring(written)


@pytest.mark.parametrize("kind", KINDS)
def test_words_hold_none(results, kind):
    assert UNSAFE.findall(str(results[kind]) + results[kind].to_markdown() + results[kind].to_latex()) == []
