"""Assertions in test suites: they pass when the data show it, and a failure says what the data say and where its page is."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import referee
from referee.errors import InputError
from referee.results.comparison import Comparison
from referee.testing import assert_better, assert_not_worse

EQUAL = {"old": [1] * 400 + [0] * 100, "new": [1] * 395 + [0] * 100 + [1] * 5}
BETTER = {"old": [1] * 60 + [0] * 40, "new": [1] * 90 + [0] * 10}
SIDES = {"a": "old", "b": "new", "audit": False}


def test_better_passes_only_if_it_is_shown():
    assert_better(BETTER, **SIDES)
    assert_better(referee.compare(BETTER, **SIDES))
    with pytest.raises(
        AssertionError, match=r"(?s)new is not shown to be better than old.*Too close to call.*500 examples"
    ):
        assert_better(EQUAL, **SIDES)
    with pytest.raises(AssertionError):
        assert_better(referee.compare(BETTER, a="new", b="old", audit=False))


@pytest.mark.parametrize("margin", [0.03, "0.03", "3pp", " 3 PP "])
def test_not_worse_asks_a_finished_result_anew(margin):
    plain = referee.compare(EQUAL, **SIDES)
    assert plain.verdict == "too close to call"
    assert_not_worse(plain, margin=margin)
    assert_not_worse(EQUAL, margin=margin, **SIDES)
    direct = referee.compare(EQUAL, **SIDES, question="no-worse", margin=margin)
    assert_not_worse(direct)
    tight = 0.003
    with pytest.raises(AssertionError, match="not shown to be no worse") as caught:
        assert_not_worse(plain, margin=tight)
    again = referee.compare(EQUAL, **SIDES, question="no-worse", margin=tight)
    assert (caught.value.result.p_value, caught.value.result.verdict) == (again.p_value, again.verdict)


def test_what_cannot_be_asked_is_an_error_and_no_failure():
    plain = referee.compare(EQUAL, **SIDES)
    with pytest.raises(referee.RefereeError, match="no worse by how much"):
        assert_not_worse(plain)
    with pytest.raises(referee.RefereeError, match="can mean two things"):
        assert_not_worse(plain, margin="1%")
    with pytest.raises(referee.RefereeError, match="carries no counts"):
        assert_not_worse(Comparison.from_dict(plain.to_dict()), margin="1pp")
    with pytest.raises(referee.RefereeError, match="metric was settled"):
        assert_better(plain, metric="f1")


def test_another_kind_of_result_is_an_error():
    one = referee.score(prediction=[1, 0, 1, 1])
    for check in (assert_better, lambda r: assert_not_worse(r, margin=0.1)):
        with pytest.raises(InputError, match="a result of compare is needed, and this is a Measurement"):
            check(one)


def test_every_task_has_to_pass():
    data = {**EQUAL, "task": ["x"] * 250 + ["y"] * 250}
    several = referee.compare(data, by="task", **SIDES)
    with pytest.raises(AssertionError, match="is not shown to be no worse"):
        assert_not_worse(several, margin="0.2pp")
    assert_not_worse(several, margin="10pp")


def test_a_test_that_was_asked_for_by_name_is_kept():
    named = referee.compare(EQUAL, test="score", **SIDES)
    with pytest.raises(AssertionError) as caught:
        assert_not_worse(replace(named, alpha=0.01), margin="0.5pp")
    assert (caught.value.result.test, caught.value.result.alpha) == ("score", 0.01)


SUITE = """\
from referee.testing import assert_better, assert_not_worse
DATA = {"old": [1] * 60 + [0] * 40, "new": [1] * 58 + [0] * 42}
def test_fine(): assert_not_worse(DATA, a="old", b="new", margin="20pp")
def test_bad(): assert_better(DATA, a="old", b="new")
def test_other(): assert 1 == 2
"""
CASES = """\
import pytest
from referee.testing import assert_better
DATA = {"old": [1] * 60 + [0] * 40, "new": [1] * 58 + [0] * 42}
@pytest.mark.parametrize("case", ["a b", "a/b"])
def test_bad(case): assert_better(DATA, a="old", b="new")
@pytest.fixture
def release(): assert_better(DATA, a="old", b="new")
def test_fixture(release): pass
"""


def pages_of(suite, folder):
    (folder / "test_gate.py").write_text(suite)
    words = ["-m", "pytest", "-p", "referee.pytest_plugin", "-p", "no:cacheprovider", "--referee-report", "pages"]
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    env.pop("PYTEST_ADDOPTS", None)
    done = subprocess.run([sys.executable, *words, "test_gate.py"], cwd=folder, env=env, capture_output=True, text=True)
    return done, sorted((folder / "pages").iterdir())


def test_the_plugin_writes_the_page_of_what_failed(tmp_path):
    done, pages = pages_of(SUITE, tmp_path)
    assert done.returncode == 1 and "2 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    (page,) = pages
    assert re.fullmatch(r"test_gate\.py-test_bad-[0-9a-f]{8}\.html", page.name)
    assert "too close to call" in page.read_text()
    assert done.stdout.count(str(Path("pages") / page.name)) == 2  # in the failure, and in the summary
    assert "Too close to call" in done.stdout


def test_the_plugin_keeps_the_page_of_each_test_and_lists_those_of_fixtures(tmp_path):
    done, pages = pages_of(CASES, tmp_path)
    assert "2 failed, 1 error" in done.stdout, done.stdout + done.stderr
    assert len(pages) == 3
    listed = done.stdout.rpartition(" referee ")[2]
    assert all(str(Path("pages") / page.name) in listed for page in pages)


def test_the_plugin_imports_nothing_heavy():
    code = (
        "import sys, referee.pytest_plugin; print(sorted({'numpy', 'duckdb', 'narwhals', 'scipy'} & set(sys.modules)))"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
