"""JUnit's XML, which continuous integration shows as tests: a comparison is a test case, which passes where a gate would."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from referee.report import phrases, text
from referee.results.comparison import Comparison, Comparisons
from referee.runtime.safe_text import replaced


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
        a, b = phrases.names(r)
        called = phrases.clean(r.task) if r.task else phrases.metric(r)
        case = SubElement(suite, "testcase", classname=f"{a} against {b}", name=called)
        if r.gate:
            failure = SubElement(case, "failure", type=r.verdict, message=phrases.headline(r))
            failure.text = text.comparison(r)
        else:
            SubElement(case, "system-out").text = text.comparison(r)
    indent(suites)
    written = replaced(tostring(suites, encoding="unicode"))  # XML has no way to hold such signs
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{written}\n'
