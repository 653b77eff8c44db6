"""Logs of every format with bytes cut, flipped, inserted, left out or doubled: a correct count, or a refusal of one line."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.data.formats.base import READERS, recognise
from tests.fuzz.cases import CASES, DATA
from tests.fuzz.damage import damaged, lists
from tests.fuzz.harness import ask, examples


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


@pytest.fixture
def victim(case, tmp_path):
    """Return where the damaged file goes: its name and folder tell the task and the system."""
    folder = tmp_path / case.path.parent.name
    folder.mkdir()
    return folder / case.path.name


@pytest.fixture
def intact(case):
    return ask("count", *case.words(case.path))


def test_every_format_is_damaged():
    recognised = {
        reader.name for path in DATA.rglob("*") if path.is_file() for reader in [recognise(path)[0]] if reader
    }
    assert recognised | {CASES["texts"].format} == {case.format for case in CASES.values()} == set(READERS)


def test_an_untouched_file_is_read(case, victim, intact):
    victim.write_bytes(case.path.read_bytes())
    assert intact.code == 0
    assert ask("count", *case.words(victim)) == intact
    assert intact.n == intact.content["matched"]["both"] > 5


def test_damage_is_refused_or_counted(case, victim, intact):
    data = case.path.read_bytes()

    @examples(14)
    @given(lists())
    def check(done):
        victim.write_bytes(damaged(data, done))
        found = ask("count", *case.words(victim))
        if found.code == 0:
            # All ids of the file beside it met one here: more or fewer would have been told.
            assert found.n <= most(case, victim, intact)
            assert case.free or found.n == intact.n

    check()


def test_what_is_cut_off_is_told(case, victim, intact):
    data = case.path.read_bytes()

    @examples(8)
    @given(st.integers(0, len(data) - 1))
    def check(size):
        victim.write_bytes(data[:size])
        found = ask("count", *case.words(victim), "--unmatched", "drop")
        if found.code == 0:
            matched = found.content["matched"]
            assert found.n <= intact.n + (3 if case.free else 0)
            assert case.free or matched["both"] + matched["b_only"] == intact.n
            # Only the last item can have lost a part of itself; of CoNLL columns, the last span of the truth and of each system.
            assert (found.rows - intact.rows).total() <= (3 if case.free else 1)
            assert matched["a_only"] <= 1

    check()


def most(case, victim, intact):
    """Return how many items there can be at most in what was damaged."""
    if case.free:
        return len(re.findall(rb'\n|"promptIdx"', victim.read_bytes())) + intact.n
    return intact.n
