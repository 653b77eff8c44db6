"""JUnit's XML, which continuous integration shows as tests: a comparison is a test case, which passes where a gate would."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from referee.report import text, words
from referee.results import Comparison, Comparisons

FORBIDDEN = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold."""


def comparison(r: Comparison) -> str:
    """Write one comparison as a suite of one case."""
    return comparisons(Comparisons((r,)))


def comparisons(rs: Comparisons) -> str:
    """Write several comparisons as a suite, a case each."""
    failed = sum(r.gate != 0 for r in rs)
    suites = Element("testsuites", name="referee", tests=str(len(rs)), failures=str(failed), errors="0")
    suite = SubElement(
        suites, "testsuite", name="referee", tests=str(len(rs)), failures=str(failed), errors="0", skipped="0"
    )
    for r in rs:
        a, b = words.names(r)
        called = _safe(words.clean(r.task) if r.task else words.metric(r))
        case = SubElement(suite, "testcase", classname=_safe(f"{a} against {b}"), name=called)
        if r.gate:
            failure = SubElement(case, "failure", type=r.verdict, message=_safe(words.headline(r)))
            failure.text = _safe(text.comparison(r))
        else:
            SubElement(case, "system-out").text = _safe(text.comparison(r))
    indent(suites)
    written: str = tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{written}\n'


def _safe(said: str) -> str:
    return FORBIDDEN.sub("?", said)
