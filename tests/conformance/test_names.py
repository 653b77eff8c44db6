"""Every registered name is spelt, described and documented."""

from __future__ import annotations

from pathlib import Path

import pytest

import referee
from referee.metrics import METRICS, resolve
from referee.significance import TESTS
from referee.significance import resolve as resolve_test
from referee.significance.fold_tests import FOLD_TESTS
from referee.studies.algorithms.designs import DESIGNS
from tests.conformance.cases import metric_names, test_names

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", metric_names())
def test_metric_spelling_parses_back(name):
    assert str(resolve(name)) == name
    assert resolve(str(resolve(name))) == resolve(name)


@pytest.mark.parametrize("name", test_names())
def test_test_spelling_parses_back(name):
    assert resolve_test(str(resolve_test(name))) == resolve_test(name)


@pytest.mark.parametrize("name", list(METRICS))
def test_metric_is_described(name):
    metric = METRICS[name]
    assert metric.summary.endswith(".")
    assert f"`{name}`" in (DOCS / "metrics.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", list(TESTS))
def test_test_is_described(name):
    test = TESTS[name]
    assert test.summary.endswith(".")
    assert test.fits
    assert test.reference
    assert f"`{name}`" in (DOCS / "tests.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*FOLD_TESTS, *DESIGNS])
def test_designs_and_their_tests_are_described(name):
    made = FOLD_TESTS[name] if name in FOLD_TESTS else DESIGNS[name]
    assert made.summary.endswith(".")
    assert f"`{name}`" in (DOCS / "algorithms.md").read_text(encoding="utf-8")


def test_all_is_what_is_exported():
    assert sorted(referee.__all__) == sorted(
        [*(name for names in referee._HOMES.values() for name in names), "metrics", "__version__"]
    )
    for name in referee.__all__:
        assert getattr(referee, name) is not None
