"""What every test and doctest of the project shares."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

from referee.registry import Registry

# On a build machine the same few examples every time; elsewhere new ones, to find what nobody thought of. No test is timed.
settings.register_profile("build", derandomize=True, deadline=None, max_examples=30)
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
    """Forget what an example or a test defined: metrics, tests, designs, readers and output formats."""
    from referee.data.formats.base import READERS, format_options
    from referee.metrics import METRICS
    from referee.report.render import FORMATS
    from referee.significance import TESTS
    from referee.significance.fold_tests import FOLD_TESTS
    from referee.studies.algorithms.designs import DESIGNS

    format_options()  # imports the readers
    kept: list[tuple[Registry[Any], list[tuple[str, Any]]]]
    kept = [(one, one.items()) for one in (METRICS, TESTS, FOLD_TESTS, DESIGNS, READERS, FORMATS)]
    fitting = {cls: cls.fits for _, cls in FOLD_TESTS.items()}
    yield
    for registry, entries in kept:
        if registry.items() != entries:
            for name in [*registry]:
                registry.remove(name)
            for name, entry in entries:
                registry.add(name, entry)
    for cls, designs in fitting.items():
        cls.fits = designs


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Give a real browser; where there is none, the test is skipped, and the summary says so loudly."""
    from tests import browser as real

    if real.executable() is None:
        pytest.skip(real.REASON)
    with real.started() as found:
        yield found


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say loudly that nothing was seen in a browser, or set by LaTeX, where there is none."""
    from tests import browser as real
    from tests import latex

    for what, reason in (("in a real browser", real.REASON), ("with a real LaTeX", latex.REASON)):
        skipped = [one for one in terminalreporter.stats.get("skipped", []) if reason in str(one.longrepr)]
        if skipped:
            terminalreporter.write_line(f"*** SKIPPED: {len(skipped)} tests {what}; {reason} ***", red=True, bold=True)
