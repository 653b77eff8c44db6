"""What every test and doctest of the project shares."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

# On a build machine the same examples every time; elsewhere new ones, to find what nobody thought of.
settings.register_profile("build", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("build")


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
