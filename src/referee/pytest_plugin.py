"""The pytest plugin: the page of a comparison that failed a test goes into a folder, and its path into the failure.

It is loaded by every run of pytest where referee is installed, so it imports nothing until a test fails for that reason.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

TITLE = "referee"
LONGEST = 150


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the folder of the pages."""
    told = "Write the report of each comparison that fails a test (assert_better, assert_not_worse) into this folder."
    parser.getgroup("referee").addoption("--referee-report", metavar="DIR", help=told)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Write the page of what failed, and say where it is."""
    report = yield
    folder, error = item.config.getoption("--referee-report"), call.excinfo and call.excinfo.value
    if folder and report.failed and type(error).__module__ == "referee.testing":
        report.sections.append(
            (TITLE, _written(Path(folder), item.nodeid, report.when, getattr(error, "result", None)))
        )
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """List the pages at the end."""
    failed = [one for kind in ("failed", "error") for one in terminalreporter.stats.get(kind, ())]
    told = [text for report in failed for title, text in report.sections if title == TITLE]
    if told:
        terminalreporter.section("referee")
        for text in told:
            terminalreporter.write_line(text)


def _written(folder: Path, test: str, phase: str, result: Any) -> str:
    """Write the page of a result, or what can be written without the extra `report`, and say where it is.

    A page that can't be written must not hide why the test failed.
    """
    from referee.errors import PackageMissing, RefereeError

    # Tests whose names differ only in other characters, and the parts of one test, have pages of their own.
    mark = sha256(f"{test} {phase}".encode(errors="surrogatepass")).hexdigest()[:8]
    name = re.sub(r"[^\w.-]+", "-", test).strip("-.")[-LONGEST:] + f"-{mark}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.html"
        try:
            result.to_html(path)
        except PackageMissing as error:
            path = path.with_suffix(".md")
            path.write_text(result.to_markdown(), encoding="utf-8")
            return f"the report of {test} is in {path} (no page: {error})"
    except (RefereeError, OSError) as error:
        return f"the report of {test} could not be written: {error}"
    return f"the report of {test} is in {path}"
