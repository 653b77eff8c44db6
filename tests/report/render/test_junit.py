"""JUnit's XML: well formed whatever the data hold, and failing where a gate fails."""

from __future__ import annotations

from xml.etree import ElementTree

import referee
from referee.data.counts import from_events

BETTER = from_events([300, 60, 10, 30, 10, 5, 40, 545])
SAME = from_events([300, 10, 10, 30, 10, 5, 5, 545])


def parsed(result):
    return ElementTree.fromstring(result.to_junit())


def test_a_case_passes_where_the_gate_does():
    good, bad, open_ = (parsed(referee.compare(counts, metric="accuracy")) for counts in (BETTER, BETTER.swap(), SAME))
    assert good.get("failures") == "0"
    assert "is better" in good.find(".//system-out").text
    assert bad.find(".//failure").get("type") == "a better"
    assert open_.find(".//failure").get("type") == "too close to call"
    assert bad.find("testsuite").get("failures") == "1"
    equal = parsed(referee.compare(SAME, metric="accuracy", margin=0.1))
    assert equal.get("failures") == "0"


def test_several_tasks_are_several_cases():
    result = referee.compare(BETTER, metric=["accuracy", "f1", "recall"])
    suite = parsed(result).find("testsuite")
    assert [case.get("name") for case in suite] == ["accuracy", "f1", "recall"]
    assert suite.get("tests") == "3"


def test_names_that_are_markup_or_cannot_be_written():
    truth, a, b = [1, 0, 1] * 9, [1, 0, 0] * 9, [1, 1, 1] * 9
    frame = {"y": truth, "<b>&\x00": a, "]]>\ud800\x1b": b}
    result = referee.compare(frame, truth="y", a="<b>&\x00", b="]]>\ud800\x1b")
    case = parsed(result).find(".//testcase")
    assert case.get("classname") == "<b>&? against ]]>??"
