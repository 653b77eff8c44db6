"""Markdown: tables that stay tables whatever the names are."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_results import ALL, B_BETTER, SEVERAL, STRANGE

from referee.report import phrases
from referee.report.document import plain
from referee.report.phrases import comparison as words
from referee.report.render import markdown
from referee.results.comparison import Comparisons


@pytest.mark.parametrize("r", ALL.values(), ids=ALL)
def test_tables_are_whole(r):
    said = r.to_markdown()
    assert said.startswith("**")
    for block in said.split("\n\n"):
        if block.startswith("|"):
            assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1
    assert said.rstrip().splitlines()[-4] == phrases.signature(r.signature)
    assert "nan" not in said.lower()


def test_the_same_words_as_the_text():
    said = B_BETTER.to_markdown()
    assert said.startswith(f"**{plain(words.headline(B_BETTER))}**\n\n|")
    assert words.details(B_BETTER) in said
    assert "| new | 83.2% | \\[80.3, 85.8\\] | 95% Wilson interval |" in said


@pytest.mark.parametrize("r", [*ALL.values(), SEVERAL], ids=[*ALL, "several"])
def test_a_pull_request_sees_the_verdict_and_one_table(r):
    seen, _, folded = r.to_markdown().partition("<details>")
    assert len(re.findall(r"^\| ---", seen, re.MULTILINE)) == 1 and "Warning" not in seen and "```" not in seen
    assert folded.rstrip().endswith("</details>") and folded.count("<details>") == 0
    assert ("and" in folded.partition("</summary>")[0]) == ("- Warning" in folded)


def test_strange_names():
    said = STRANGE.to_markdown()
    body = said.split("```text")[0]
    assert "<" not in re.sub("</?(details|summary)>", "", body)
    assert "\x1b" not in said
    assert "\\|" in body


@given(st.text())
def test_escaping(name):
    said = markdown.escape(name)
    assert len(said.splitlines()) <= 1
    assert not re.search(r"(?<!\\)(?:\\\\)*[|`*_\[\]]", said) or re.search(r"\\[|`*_\[\]]", said)
    assert not re.search(r"[<>]", said)
    plain = re.sub(r"\\([\\`*_\[\]|~$])", r"\1", said)
    assert html.unescape(plain).split() == name.split()


def test_several():
    said = SEVERAL.to_markdown()
    assert "+2.1 | \\[+0.4, +3.8\\] | &lt;\xa00.0001 | &lt;\xa00.0001 | ▲ better |" in said
    assert "in percentage points" in said
    assert "p (Holm)" in said
    assert Comparisons(()).to_markdown() == "**There is nothing to compare.**\n"
