"""What every test and doctest of the project shares."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

# On a build machine the same examples every time; elsewhere new ones, to find what nobody thought of. No test is timed.
settings.register_profile("build", derandomize=True, deadline=None)
settings.register_profile("desk", deadline=None)
settings.load_profile("build" if os.environ.get("CI") else "desk")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Look for no garbage while thousands of tests are collected."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.fixture(autouse=True)
def registries() -> Iterator[None]:
    """Forget the metrics and tests that an example or a test defined."""
    from referee.metrics import METRICS
    from referee.significance import TESTS

    kept = dict(METRICS.items()), dict(TESTS.items())
    yield
    for registry, entries in zip((METRICS, TESTS), kept, strict=True):
        for name in [name for name in registry if name not in entries]:
            registry.remove(name)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Give a real browser; where there is none, the test is skipped, and the summary says so loudly."""
    from tests import browser as real

    if real.executable() is None:
        pytest.skip(real.REASON)
    with real.started() as found:
        yield found


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say loudly that nothing was seen in a browser, where there is none."""
    from tests import browser as real

    skipped = [report for report in terminalreporter.stats.get("skipped", []) if real.REASON in str(report.longrepr)]
    if skipped:
        terminalreporter.write_line(
            f"*** SKIPPED: {len(skipped)} tests in a real browser; {real.REASON} ***", red=True, bold=True
        )
