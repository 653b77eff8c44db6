"""Framing: results as dataframes of whichever library is installed."""

from __future__ import annotations

import pytest

import referee
from referee.data import columns as dataframe
from referee.data.counts import from_events
from referee.errors import OptionError

RESULT = referee.compare(from_events([6, 1, 2, 2, 1, 1, 0, 8]))


def only(monkeypatch, *installed):
    monkeypatch.setattr(dataframe, "find_spec", lambda name: object() if name in installed else None)


@pytest.mark.parametrize("library", dataframe.LIBRARIES)
def test_the_library_that_is_there_is_used(monkeypatch, library):
    pytest.importorskip(library)
    only(monkeypatch, library)
    assert type(RESULT.to_frame()).__module__.partition(".")[0] == library
    assert type(RESULT.to_frame(library)).__module__.partition(".")[0] == library


def test_without_a_library_the_commands_are_named(monkeypatch):
    only(monkeypatch)
    with pytest.raises(OptionError, match="pip install pandas, or pip install polars, or pip install pyarrow"):
        RESULT.to_frame()
    with pytest.raises(
        OptionError, match="backend='polars' needs a library that is not installed; install it: pip install polars"
    ):
        RESULT.to_frame("polars")


def test_a_library_that_nobody_knows():
    with pytest.raises(OptionError, match=r"backend must be one of .*; it is 'pandsa' \(did you mean 'pandas'\?\)"):
        RESULT.to_frame("pandsa")
