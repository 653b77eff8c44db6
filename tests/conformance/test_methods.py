"""What is written for papers, for every metric x test: sentences that are whole, citations that have entries."""

from __future__ import annotations

import re

import referee
from referee.report.methods import paragraph
from referee.report.methods.references import INTERVALS, WORKS
from tests.conformance.cases import EVERY, counts, each


def balanced(text):
    depth = 0
    for sign in re.findall(r"\\.|[{}]", text):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        assert depth >= 0
    return depth == 0


@each(EVERY)
def test_methods_are_told_whole(metric, test, group):
    r = referee.compare(counts(metric, 40, seed=3, group=group), metric=metric, test=test)
    said, tex, entries = paragraph.paragraph(r), paragraph.latex(r), paragraph.bibtex(r)
    assert not re.search(r"\bNone\b|\bnan\b|unknown|  |\(\)|\.\.|,\.| \.|\{'", said)
    assert said.endswith(").")
    assert r.signature in said
    assert "the test " not in re.sub(r"[Tt]o audit the test", "", said), "every test of ours has words of its own"
    assert balanced(tex)
    assert len(re.findall(r"(?<!\\)\$", tex)) % 2 == 0
    keys = {key for keys in re.findall(r"\\citep\{(.*?)\}", tex.partition("\n")[2]) for key in keys.split(",")}
    assert keys
    assert keys == set(re.findall(r"^@\w+\{(\w+),$", entries, re.MULTILINE))
    assert {str(WORKS[key]) for key in keys} == set(paragraph.references(r))
    assumed = paragraph.assumptions(r)
    assert len(assumed) >= 4
    assert all(re.fullmatch(r"[A-Z].*\.", one) for one in assumed)
    assert any("groups" in one for one in assumed) == bool(group)
    for interval in (r.interval, r.a.interval, r.b.interval):
        assert interval is None or interval.method in INTERVALS
