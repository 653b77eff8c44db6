"""Every result in every form: well formed, whatever the data are called, and the same words in all of them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from made_results import ALL, AUDITS, NASTY, SEVERAL, comparison, ranking

import referee
from referee.data.counts import from_events
from referee.errors import NameUnknown
from referee.report.document import Document, Verdict, plain
from referee.report.documents import document_of
from referee.report.render import FORMATS
from referee.results.base import Reported
from referee.results.comparison import Comparisons, Score
from referee.results.ranking import Rankings
from referee.results.replication import Replication, Table
from tests import latex

SCRIPT = "<script>alert(1)</script>"
HOSTILE = (NASTY, f"{SCRIPT}\"'&", "\\end{tabular}%$#_{}", "| a | b |\n# c", "")
PLAN = referee.plan(from_events([30, 12, 4, 9, 6, 4, 11, 124]), metric="f1", n=400, difference=0.1, sizes=[200, 400])
WATCH = referee.watch(from_events([30, 12, 9, 9, 6, 4, 8, 124], b="new"), margin=0.01)
VOID = {"meta", "link", "br", "wbr"}


def results(name):
    """One result of every type in which everything is called so."""
    scores = {name or "?": [0.8, 0.82, 0.79, 0.85, 0.8], "other": [0.7, 0.74, 0.72, 0.7, 0.75], "nb": [0.5] * 5}
    one = comparison(a=Score(name=name, score=0.8), metric=name, task=name, warnings=(name,), signature=name)
    row = {
        "world": "symmetric", "learners": name, "design": name, "test": name, "n": 60, "alpha": 0.05, "false_alarm": 0.04,
        "false_alarm_error": 0.01, "power": 0.3, "power_error": 0.02, "tie": 0.0, "tie_error": 0.0, "difference": 0.03,
        "difference_error": 0.0, "sets": 400, "fits": 20, "trained": 54.0,
    }  # fmt: skip
    found = {"what": name, "paper": name, "ours": 0.5, "agrees": False, "note": name}
    tables = (Table(name, [], (name, "y"), [(name, "1.5")]),)
    return {
        "comparison": one,
        "comparisons": Comparisons((one, replace(one, task="x"))),
        "standings": referee.compare_scores(scores),
        "datasets": referee.rank_datasets(scores, test="nemenyi"),
        "datasets by bayes": referee.rank_datasets(scores, test="bayes", baseline="nb"),
        "ranking": ranking(names=(name, "other", "third"), metric=name, warnings=(name,), signature=name),
        "baseline": ranking(names=(name, "other", "third"), baseline="other", metric=name),
        "rankings": Rankings((ranking(slice=name), ranking(names=("one", name, "third"), slice="x"))),
        "audit": replace(AUDITS["hostile"], metric=name, names=(name, name), population=name, advice=name),
        "plan": replace(PLAN, metric=name, names=(name, name), assumptions=(name,), warnings=(name,), signature=name),
        "trials": referee.Trials(
            rows=(row, {**row, "test": "t", "false_alarm": 0.4}),
            alpha=0.05,
            keeping=((name, name),),
            breaking=((name, "t"),),
            signature=name,
        ),
        "replication": Replication(name, [found, {**found, "agrees": None}], name, tables),
        "watch": replace(WATCH, comparison=replace(WATCH.comparison, a=one.a), warnings=(name,), signature=name),
        "findings": Replication(name, [found, {**found, "agrees": True}], name, tables, "findings"),
    }


class Tags(HTMLParser):
    """The tags of a piece of HTML, all of which are closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen = [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        self.open += [] if tag in VOID else [tag]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def is_html(text, result):
    tags = Tags(text).seen
    assert [attrs.get("type") for tag, attrs in tags if tag == "script"] in ([], ["application/json"])
    assert not [attrs for _, attrs in tags if any(name.startswith("on") for name in attrs)]
    assert SCRIPT not in text


def is_json(text, result):
    assert json.loads(text) == json.loads(result.to_json())


def is_latex(text, result):
    lines = [line for line in text.splitlines() if not line.startswith("%")]
    whole = "\n".join(lines)
    assert whole.count(r"\begin{tabular}") == whole.count("\n" + r"\end{tabular}")
    assert not re.search(r"(?<!\\)[#%]", whole)
    assert len(re.findall(r"(?<!\\)\$", whole)) % 2 == 0
    assert "\x1b" not in text


def is_markdown(text, result):
    assert text.startswith("**")
    assert "<" not in re.sub("</?(details|summary)>", "", text.split("```text")[0])
    for block in text.split("\n\n"):
        if block.startswith("|"):
            assert len({len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in block.splitlines()}) == 1


def is_xml(text, result):
    suites = ElementTree.fromstring(text)
    cases = suites.findall(".//testcase")
    assert str(len(cases)) == suites.get("tests")
    assert len(suites.findall(".//failure")) == int(suites.get("failures"))
    assert all(case.find("*").text for case in cases)
    assert cases


def is_text(text, result):
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text)
    assert text == str(result)


CHECKS = {
    "html": is_html,
    "json": is_json,
    "junit": is_xml,
    "latex": is_latex,
    "markdown": is_markdown,
    "text": is_text,
}


def test_every_format_is_checked():
    assert set(CHECKS) == set(FORMATS)


def test_a_format_that_there_is_not():
    with pytest.raises(NameUnknown, match=r"no format 'txet' \(did you mean 'text'\?\); there are: .*junit"):
        ALL["b better"].to("txet")


@pytest.mark.parametrize("name", HOSTILE, ids=["nasty", "script", "latex", "markdown", "none"])
@pytest.mark.parametrize("form", CHECKS)
def test_every_result_has_every_form(name, form):
    for result in results(name).values():
        text = result.to(form)
        assert text.strip()
        CHECKS[form](text, result)


PAPER = r"""\documentclass{article}
\usepackage{booktabs}
\begin{document}
%s
\end{document}
"""


def test_latex_takes_every_result(tmp_path):
    if latex.executable() is None:
        pytest.skip(latex.REASON)
    made = [*ALL.values(), SEVERAL, *(one for name in HOSTILE for one in results(name).values())]
    (tmp_path / "paper.tex").write_text(PAPER % "\n\n".join(one.to_latex() for one in made), encoding="utf-8")
    # It runs nothing that the text asks for, and reads and writes nothing outside of its folder.
    command = [latex.executable(), "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
    assert (tmp_path / "paper.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("name", (NASTY, ""), ids=["nasty", "none"])
def test_every_result_is_shown_in_a_notebook_drawn_and_framed(name):
    for kind, result in results(name).items():
        assert isinstance(result, Reported)
        is_html(result._repr_html_(), result)
        assert result.plot().to_dict()
        rows = {"standings": 3, "datasets": 3, "comparison": 1, "watch": 1, "ranking": 3, "rankings": 6}
        assert len(result.to_frame("pyarrow")) == rows.get(kind, 2)


def test_cases_pass_where_the_promise_is_kept():
    passed = {kind: [case.passed for case in document_of(one).cases()] for kind, one in results("x").items()}
    assert passed["trials"] == [True, False]
    assert passed["replication"] == [False, False]
    assert passed["findings"] == [False, True]
    assert passed["comparison"] == [True]
    assert passed["watch"] == [False]
    assert passed["ranking"] == [True, True, False]
    assert passed["baseline"] == [False, False]
    assert passed["rankings"] == [True, True, False] * 2
    broken = replace(AUDITS["one"], rows=tuple({**row, "false_alarm": 0.2} for row in AUDITS["one"].rows))
    assert [case.passed for case in document_of(AUDITS["one"]).cases()] == [True, True]
    assert {case.kind for case in document_of(broken).cases() if not case.passed} == {"too many"}


def test_a_new_format_is_offered_by_every_result():
    FORMATS.add("shout", lambda document: plain(document.verdict.headline).upper())
    for result in (ALL["b better"], SEVERAL, AUDITS["one"]):
        assert result.to("shout") == plain(document_of(result).verdict.headline).upper()


def test_a_document_needs_only_a_verdict():
    bare = Document(kind="x", verdict=Verdict(badge="so", tone="open", headline="So it is."), content=dict)
    for form, render in FORMATS.items():
        assert ("So it is." in render(bare)) == (form not in ("json", "junit"))


def test_text_needs_no_charts_and_no_templates():
    lacking = "import sys; sys.modules.update(dict.fromkeys(('altair', 'jinja2', 'vl_convert', 'rich')))\n"
    use = "import referee; r = referee.compare(a=[1, 0, 1, 1] * 9, b=[1, 1, 0, 1] * 9)\n"
    forms = "print(r, r.to_markdown(), r.to_latex(), r.to_junit(), r.to_json(), r._repr_html_())"
    subprocess.run([sys.executable, "-c", lacking + use + forms], check=True, capture_output=True)
