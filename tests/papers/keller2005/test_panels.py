"""The panels run as one grid, whatever runs them."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest

from referee.errors import RefereeError
from referee_papers.keller2005 import panels
from tests.papers.keller2005.made_up import TINY


def test_jobs_change_nothing(measured):
    made, values = measured
    some = {"b": made["b"]}
    assert panels.measure(some, TINY, jobs=2) == {key: one for key, one in values.items() if key.startswith("b/")}


def test_a_stopped_run_goes_on(measured, tmp_path):
    made, values = measured
    small = {"a": made["a"]}
    file = tmp_path / "cells.sqlite"
    fresh = panels.measure(small, TINY, jobs=1, store=file)
    with sqlite3.connect(file) as connection:
        connection.execute("DELETE FROM cells WHERE rowid % 2 = 0")
    assert panels.measure(small, TINY, jobs=1, store=file) == fresh
    assert fresh == {key: value for key, value in values.items() if key.startswith("a/")}
    with pytest.raises(RefereeError, match="a different run"):
        panels.measure(small, replace(TINY, sets=13), jobs=1, store=file)


def test_both_metrics_see_the_same_sets(measured):
    _, values = measured
    f1, error = values["a/f1/x/400"], values["a/error/x/400"]
    assert f1["range"][0] < f1["difference"] < f1["range"][1]
    assert error["range"][0] < error["difference"] < error["range"][1]
