"""The store: what is put comes back to the last bit, and no file is taken for what it is not."""

from __future__ import annotations

import json
import math
import os
import sqlite3
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import InputError
from referee.runtime import store as module
from referee.runtime.store import SCHEMA, Store, open_store
from referee.version import __version__

GRID = {"sizes": [100, 1000], "seed": 0, "tests": {"f1": "randomization"}}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def change(path, statement, *values):
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(statement, values)
    connection.close()


@given(VALUES)
@settings(max_examples=50, deadline=None)
def test_values_come_back_to_the_last_bit(tmp_path_factory, value):
    path = tmp_path_factory.mktemp("store") / "cells.sqlite"
    with Store(path, GRID) as store:
        store.put("x", value)
    with Store(path, GRID) as store:
        assert repr(store.get("x")) == repr(value)


def test_cells(path):
    with Store(path, GRID) as store:
        assert (len(store), store.keys(), store.get("b")) == (0, [], None)
        for key in "bca":
            store.put(key, [key, 0.1 + 0.2])
        store.put("c", (1, 2))
    with Store(str(path), dict(reversed(GRID.items()))) as store:
        assert len(store) == 3
        assert store.get("b") == ["b", 0.30000000000000004]
        assert store.get("c") == [1, 2]
        assert set(store.keys()) == set("abc")
    assert list(path.parent.iterdir()) == [path]  # one file, and no journal left beside it


@pytest.mark.parametrize("bad", [math.nan, [math.inf], {"x": -math.inf}])
def test_numbers_that_are_not_finite(path, bad):
    with Store(path, GRID) as store:
        with pytest.raises(InputError, match=r"'x' has a number that is not finite"):
            store.put("x", bad)
        with pytest.raises(TypeError, match="'x' must return what JSON can hold"):
            store.put("x", object())
        assert store.keys() == []


def test_the_file_says_what_it_is(path):
    Store(path, GRID).close()
    connection = sqlite3.connect(path)
    meta = dict(connection.execute("SELECT key, value FROM meta"))
    connection.close()
    assert len(meta.pop("hash")) == 32
    assert meta == {"schema": SCHEMA, "referee": __version__, "grid": json.dumps(GRID, sort_keys=True)}


@pytest.mark.parametrize("content", [b"x", b"not a database\n" * 300, b"SQLite format 3\0" + b"?" * 4096])
def test_another_file(path, content):
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"cells.sqlite is"):
        Store(path, GRID)
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("table", ["other (x)", "meta (x)", "meta (key, value)"])
def test_another_database(path, table):
    change(path, f"CREATE TABLE {table}")
    if table == "meta (x)":
        change(path, "CREATE TABLE cells (y)")
    before = path.read_bytes()
    with pytest.raises(InputError, match="an SQLite file, but not a store of referee, or a damaged one; give another"):
        Store(path, GRID)
    assert path.read_bytes() == before


def test_an_empty_file_is_a_new_store(path):
    path.touch()
    with Store(path, GRID) as store:
        store.put("x", 1)
    with Store(path, GRID) as store:
        assert store.get("x") == 1


def test_another_version(path, monkeypatch):
    monkeypatch.setattr(module, "__version__", "0.0.9")
    Store(path, GRID).close()
    monkeypatch.undo()
    with pytest.raises(
        InputError, match=rf"are from referee 0\.0\.9, and this is referee {__version__}.*another file as store="
    ):
        Store(path, GRID)


@pytest.mark.parametrize(
    ("schema", "words"), [("referee.store/3", "has the schema referee.store/3"), ("other", "not a store")]
)
def test_another_schema(path, monkeypatch, schema, words):
    monkeypatch.setattr(module, "SCHEMA", schema)
    Store(path, GRID).close()
    monkeypatch.undo()
    with pytest.raises(InputError, match=words):
        Store(path, GRID)


def test_a_store_without_hashes_is_not_read(path):
    change(path, "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
    change(path, "CREATE TABLE cells (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
    for key, value in {"schema": "referee.store/1", "referee": __version__, "grid": json.dumps(GRID)}.items():
        change(path, "INSERT INTO meta VALUES (?, ?)", key, value)
    before = path.read_bytes()
    with pytest.raises(
        InputError, match=r"schema referee.store/1, and this referee reads referee.store/2; give another"
    ):
        Store(path, GRID)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("grid", "words"),
    [
        ({**GRID, "seed": 1}, "seed is 0 there and 1 here"),
        ({**GRID, "seed": 1, "sizes": [100]}, r"sizes is \[100, 1000\] there and \[100\] here"),
        ({**GRID, "more": 1}, "more is nothing there and 1 here"),
        ({"sizes": GRID["sizes"], "tests": GRID["tests"]}, "seed is 0 there and nothing here"),
        (
            {**GRID, "sizes": [100, 1000, *range(10**5)]},
            r"sizes is \[100, 1000\] there and \[100, 1000, 0, .*\.\.\. here",
        ),
    ],
)
def test_another_grid(path, grid, words):
    with Store(path, GRID) as store:
        store.put("x", 1)
    before = path.read_bytes()
    with pytest.raises(InputError, match=f"results of a different run: {words}; give another file as store=") as told:
        Store(path, grid)
    assert len(str(told.value)) < 400 + len(str(path))
    assert path.read_bytes() == before


def test_places_where_no_file_can_be(tmp_path, path):
    with pytest.raises(InputError, match=r"there is no folder .*missing"):
        Store(tmp_path / "missing" / "cells.sqlite", GRID)
    with pytest.raises(InputError, match="is a folder"):
        Store(tmp_path, GRID)
    with pytest.raises(InputError, match="/dev/null is not one"):
        Store("/dev/null", GRID)
    path.touch()
    with pytest.raises(InputError, match="no folder"):
        Store(path / "under", GRID)


def test_names_with_a_meaning_to_sqlite(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in (":memory:", "file:x?mode=memory"):
        with Store(name, GRID) as store:
            store.put("x", 1)
        assert (tmp_path / name).is_file()


def test_a_store_in_use(path, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.1)
    script = (
        "import sys; from referee.runtime.store import Store\n"
        "with Store(sys.argv[1], {'seed': 0}) as store:\n"
        "    store.put('x', 1); print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        try:
            assert other.stdout.readline() == b"open\n"
            with pytest.raises(InputError, match="in use by another run; wait until it ends"):
                Store(path, {"seed": 0})
        finally:
            other.kill()
    with Store(path, {"seed": 0}) as store:  # killed: the lock went with it, and the cell did not
        assert store.get("x") == 1


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE cells SET value = '[1, 2' WHERE key = 'torn'", "the cell 'torn' does not match its hash"),
        ("UPDATE cells SET value = '[1, 2, 4]' WHERE key = 'torn'", "the cell 'torn' does not match its hash"),
        ("UPDATE cells SET key = 'worn' WHERE key = 'torn'", "the cell 'worn' does not match its hash"),
        ("UPDATE cells SET value = CAST(value AS BLOB) WHERE key = 'torn'", "the cell 'torn' does not match its hash"),
        ("UPDATE cells SET hash = (SELECT hash FROM cells LIMIT 1)", "the cell 'torn' does not match its hash"),
        ("UPDATE meta SET value = '{}' WHERE key = 'grid'", "what it says about its grid does not match its hash"),
        ("UPDATE meta SET value = '9.9' WHERE key = 'referee'", "what it says about its grid does not match its hash"),
        ("DELETE FROM meta WHERE key = 'hash'", "the hash of its grid is missing"),
        ("ALTER TABLE cells RENAME COLUMN value TO worth", "no such column: value"),
    ],
)  # fmt: skip
def test_damage_is_said_as_damage(path, statement, words):
    with Store(path, GRID) as store:
        store.put("whole", 1)
        store.put("torn", [1, 2, 3])
    change(path, statement)
    before = path.read_bytes()
    with pytest.raises(
        InputError, match=rf"cells.sqlite is damaged: .*{words}; delete it, or give another file as store="
    ):
        Store(path, GRID)
    assert path.read_bytes() == before


def test_cells_of_another_grid_are_not_taken_over(path, tmp_path):
    for file, seed in ((path, 0), (tmp_path / "other.sqlite", 1)):
        with Store(file, {**GRID, "seed": seed}) as store:
            store.put("x", seed)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("ATTACH ? AS other", (str(tmp_path / "other.sqlite"),))
    connection.execute("INSERT OR REPLACE INTO main.cells SELECT * FROM other.cells")
    connection.close()
    with pytest.raises(InputError, match="the cell 'x' does not match its hash"):
        Store(path, {**GRID, "seed": 0})


def test_a_truncated_file(path):
    with Store(path, GRID) as store:
        for i in range(200):
            store.put(f"cell {i}", list(range(50)))
    content = path.read_bytes()
    for size in (len(content) // 2, 5000, 1000, 50):
        path.write_bytes(content[:size])
        with pytest.raises(InputError, match=r"damaged|not a store"), Store(path, GRID) as store:
            for i in range(200):
                store.get(f"cell {i}")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_file_that_cannot_be_written(path):
    Store(path, GRID).close()
    path.chmod(0o444)
    with pytest.raises(InputError, match="cannot use the store"):
        Store(path, GRID)


def test_without_a_path_nothing_is_kept_or_described(path):
    with open_store(None, lambda: pytest.fail("described")) as store:
        assert store is None
    with open_store(path, lambda: GRID) as store:
        store.put("x", 1)
    with Store(path, GRID) as store:
        assert store.get("x") == 1
