"""A store with a flipped bit: the same numbers as ever, or a refusal of one line; never a crash, never other numbers."""

from __future__ import annotations

import contextlib
import io
import json
import sqlite3

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from referee.cli.main import main
from referee.data.counts import from_events
from tests.fuzz.harness import examples

WORDS = ("--metric", "recall", "--sizes", "20,40", "--sets", "10", "--test", "randomization", "--jobs", "1", "--quiet")


def audited(counts, store):
    """Run an audit, and return its exit code, its answer and what it said."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["audit", str(counts), *WORDS, "--store", str(store), "--format", "json"])
    return code, out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Return counts, a store that holds all cells of an audit, its bytes, and the answer."""
    folder = tmp_path_factory.mktemp("stores")
    counts, store = folder / "counts.json", folder / "cells.sqlite"
    from_events([39, 9, 4, 6, 8, 5, 3, 30]).save(counts)
    code, out, err = audited(counts, store)
    assert code == 0, err
    return counts, store, store.read_bytes(), json.loads(out)


def places(data):
    """Return a strategy for places of a file, most of them where it holds something."""
    full = [place for place, byte in enumerate(data) if byte]
    return st.sampled_from(full) | st.integers(0, len(data) - 1)


def test_a_flipped_bit_is_refused_or_changes_nothing(kept):
    counts, store, data, intact = kept
    codes = set()

    @examples(150)
    @given(st.lists(st.tuples(places(data), st.integers(0, 7)), min_size=1, max_size=2))
    @example([])
    def check(flips):
        broken = bytearray(data)
        for place, bit in flips:
            broken[place] ^= 1 << bit
        for file in store.parent.glob("cells.sqlite*"):
            file.unlink()
        store.write_bytes(broken)
        code, out, err = audited(counts, store)
        codes.add(code)
        if code == 0:
            assert json.loads(out) == intact
        else:
            assert code == 2, err
            assert out == ""
            assert "cells.sqlite" in err
            assert err.startswith("referee: ")
            assert err.count("\n") == 1
            assert store.read_bytes() == bytes(broken)

    check()
    assert codes == {0, 2}


def test_a_run_that_was_stopped_goes_on_from_whole_cells(kept):
    counts, store, data, intact = kept
    for file in store.parent.glob("cells.sqlite*"):
        file.unlink()
    store.write_bytes(data)
    connection = sqlite3.connect(store, isolation_level=None)
    (before,) = connection.execute("SELECT count(*) FROM cells").fetchone()
    connection.execute("DELETE FROM cells WHERE rowid = (SELECT max(rowid) FROM cells)")
    connection.close()
    code, out, err = audited(counts, store)
    assert code == 0, err
    assert json.loads(out) == intact
    connection = sqlite3.connect(store)
    assert connection.execute("SELECT count(*) FROM cells").fetchone() == (before,)
    connection.close()
