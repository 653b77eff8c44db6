"""JUnit XML, which CI systems show as tests: each verdict is a test case, which passes if a gate would."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from referee.report.document import Document
from referee.report.render import output_format
from referee.report.render.text import render as text_of
from referee.runtime.safe_text import replaced


@output_format("junit")
def render(document: Document) -> str:
    """Write the cases of a document as one suite."""
    cases = list(document.cases())
    failures = sum(not case.passed for case in cases)
    counts = {"name": "referee", "tests": str(len(cases)), "failures": str(failures), "errors": "0"}
    suites = Element("testsuites", counts)
    suite = SubElement(suites, "testsuite", {**counts, "skipped": "0"})
    for case in cases:
        element = SubElement(suite, "testcase", classname=case.group, name=case.name)
        failure = {} if case.passed else {"type": case.kind, "message": case.message}
        output = SubElement(element, "failure" if failure else "system-out", failure)
        output.text = case.body if isinstance(case.body, str) else text_of(case.body)
    indent(suites)
    xml = replaced(tostring(suites, encoding="unicode"))  # XML has no way to hold such signs
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{xml}\n'
