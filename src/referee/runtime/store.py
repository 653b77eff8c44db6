"""Finished cells in one SQLite file, so that an interrupted run can resume."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from referee.errors import Argument, InputError, Message
from referee.version import __version__

SCHEMA = "referee.store/2"
PATIENCE = 5.0
"""Seconds to wait for a file that another run is using."""

ELSEWHERE = Message("give another file as ", Argument("store"), " (this one is left as it is)")
ANEW = Message(
    "delete it, or give another file as ", Argument("store"), ", and run again: what it held is computed anew"
)
TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE cells (key TEXT PRIMARY KEY, value TEXT NOT NULL, hash TEXT NOT NULL);
"""


class Store:
    """The finished cells of one grid, each written to disk before the next is begun.

    One run at a time has the file; a run that is killed does no harm to the cells it has finished. Every cell carries a hash
    of its grid, its key and its value, so that a damaged file is recognised.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "cells.sqlite"
    >>> with Store(file, {"sizes": [100, 1000]}) as store:
    ...     store.put("f1/100", {"false_alarm": 0.1})
    >>> with Store(file, {"sizes": [100, 1000]}) as store:
    ...     store.keys(), store.get("f1/100"), store.get("f1/1000")
    (['f1/100'], {'false_alarm': 0.1}, None)
    """

    def __init__(self, path: str | os.PathLike[str], grid: Mapping[str, Any]) -> None:
        """Open the file, or make it.

        Args:
            path: the file; its folder must exist.
            grid: what the cells are of. A file holds the cells of one grid and one version of referee.

        Raises:
            InputError: if the file is something else, holds another grid, is damaged or in use. A damaged file is not
                repaired in silence: if one cell is broken, others may be.
        """
        self.path = Path(path)
        _check_place(self.path)
        with self._explained():
            # An absolute path, so that no name has a meaning to SQLite, as ":memory:" has.
            self._connection = sqlite3.connect(self.path.absolute(), timeout=PATIENCE, isolation_level=None)
        # Bytes that are no text come out as another text, which then does not match its hash.
        self._connection.text_factory = lambda text: text.decode("utf-8", "backslashreplace")
        try:
            with self._explained():
                self._grid = self._open(grid)
        except BaseException:
            self._connection.close()
            raise

    def _open(self, grid: Mapping[str, Any]) -> str:
        """Take the file, check it or fill it, and return the hash of its grid."""
        # Held until the file is closed, or the process ends in whatever way: two runs would do the same work twice.
        self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._connection.execute("BEGIN EXCLUSIVE")
        try:
            tables = {name for (name,) in self._connection.execute("SELECT name FROM sqlite_master WHERE type='table'")}
            mark = self._check(tables, grid) if tables else self._make(grid)
        except BaseException:
            with suppress(sqlite3.Error):  # of a broken file it may have been rolled back already
                self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")
        return mark

    def _make(self, grid: Mapping[str, Any]) -> str:
        for statement in TABLES.strip().splitlines():
            self._connection.execute(statement)
        meta = {"schema": SCHEMA, "referee": __version__, "grid": _canonical(grid)}
        mark = _hash(*meta.values())
        self._connection.executemany("INSERT INTO meta VALUES (?, ?)", (meta | {"hash": mark}).items())
        return mark

    def _check(self, tables: set[str], grid: Mapping[str, Any]) -> str:
        meta: dict[str, Any] = {}
        if {"meta", "cells"} <= tables:
            with suppress(sqlite3.OperationalError):
                meta = dict(self._connection.execute("SELECT key, value FROM meta"))
        about = [meta.get(key) for key in ("schema", "referee", "grid")]
        schema, version, written = about
        if None not in about and "hash" in meta and meta["hash"] != _hash(*about):
            raise self._damage("what it says about its grid does not match its hash")
        if None in about or not str(schema).startswith("referee.store/"):
            raise InputError(
                f"{self.path} is an SQLite file, but not a store of referee, or a damaged one", remedy=ELSEWHERE
            )
        if version != __version__:
            raise InputError(
                f"the cells in {self.path} are from referee {version}, and this is referee {__version__}, whose numbers may "
                "differ",
                remedy=ELSEWHERE,
            )
        if schema != SCHEMA:
            raise InputError(f"{self.path} has the schema {schema}, and this referee reads {SCHEMA}", remedy=ELSEWHERE)
        if "hash" not in meta:
            raise self._damage("the hash of its grid is missing")
        self._check_grid(json.loads(written or ""), json.loads(_canonical(grid)), list(grid))
        # The whole file, before any work is done: a broken key would be taken for a cell that is not there.
        report = self._connection.execute("PRAGMA integrity_check(1)").fetchone()
        if report != ("ok",):
            raise self._damage(f"SQLite says: {' '.join(str(report[0] if report else 'nothing').split())}")
        for key, value, mark in self._connection.execute("SELECT key, value, hash FROM cells"):
            self._check_cell(meta["hash"], key, value, mark)
        return str(meta["hash"])

    def _check_cell(self, grid: str, key: Any, value: Any, mark: Any) -> None:
        if mark != _hash(grid, key, value):
            raise self._damage(f"the cell {key!r} does not match its hash")

    def _damage(self, what: str) -> InputError:
        return InputError(f"{self.path} is damaged: {what}", remedy=ANEW)

    def _check_grid(self, kept: dict[str, Any], given: dict[str, Any], order: list[str]) -> None:
        for key in [*order, *(key for key in kept if key not in given)]:
            there, now = (_canonical(grid[key]) if key in grid else "nothing" for grid in (kept, given))
            if there != now:
                old, new = _shorten(there, now)
                raise InputError(
                    f"{self.path} holds the results of a different run: {key} is {old} there and {new} here",
                    remedy=ELSEWHERE,
                )

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file and let others have it."""
        self._connection.close()

    def get(self, key: str) -> Any | None:
        """Return the value of a cell; None if it is not finished.

        Raises:
            InputError: if it is damaged.
        """
        with self._explained():
            row = self._connection.execute("SELECT value, hash FROM cells WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        self._check_cell(self._grid, key, *row)
        return json.loads(row[0])

    def put(self, key: str, value: Any) -> None:
        """Keep the value of a cell; it is on the disk when this returns."""
        text = encode(key, value)
        with self._explained():
            self._connection.execute(
                "INSERT OR REPLACE INTO cells VALUES (?, ?, ?)", (key, text, _hash(self._grid, key, text))
            )

    def keys(self) -> list[str]:
        """Return the finished cells, in the order in which they were finished."""
        with self._explained():
            return [key for (key,) in self._connection.execute("SELECT key FROM cells ORDER BY rowid")]

    def __len__(self) -> int:
        return len(self.keys())

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Say what SQLite complains about in words that help."""
        try:
            yield
        except UnicodeDecodeError as error:
            raise self._damage("the definitions of its tables cannot be read") from error
        except sqlite3.DatabaseError as error:
            code = getattr(error, "sqlite_errorcode", None)
            if code is None:  # not from SQLite but from how it was called: a bug of ours
                raise
            raise self._told(code & 0xFF, error) from error

    def _told(self, code: int, error: Exception) -> InputError:
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            wait = Message("wait until it ends, or give another file as ", Argument("store"))
            return InputError(f"{self.path} is in use by another run", remedy=wait)
        if code == sqlite3.SQLITE_NOTADB:
            return InputError(
                f"{self.path} is not a store of referee, or its beginning is damaged: it is not an SQLite file",
                remedy=ELSEWHERE,
            )
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR):
            return self._damage(f"SQLite says: {error}")
        return InputError(f"cannot use the store {self.path}: {error}")


def open_store(
    path: str | os.PathLike[str] | None, describe: Callable[[], Mapping[str, Any]]
) -> AbstractContextManager[Store | None]:
    """Open the store of a grid; without a path nothing is kept, and the grid need not be described."""
    return nullcontext() if path is None else Store(path, describe())


def encode(key: str, value: Any) -> str:
    """Return the value of a cell as JSON, which gives back floats to the last bit.

    >>> json.loads(encode("x", (0.1, None)))
    [0.1, None]
    """
    try:
        return json.dumps(value, allow_nan=False)
    except ValueError as error:
        raise InputError(f"the cell {key!r} has a number that is not finite; what is unknown must be None") from error
    except TypeError as error:
        raise TypeError(f"the cell {key!r} must return what JSON can hold: {error}") from error


def _check_place(path: Path) -> None:
    try:
        if not path.absolute().parent.is_dir():
            raise InputError(f"cannot make the store {path}: there is no folder {path.parent}; make it first")
        if path.exists() and not path.is_file():
            raise InputError(f"the store must be a file; {path} is {'a folder' if path.is_dir() else 'not one'}")
        # SQLite takes a file of one byte for an empty one, and would write over it.
        if path.exists() and path.stat().st_size == 1:
            raise InputError(f"{path} is not a store of referee: it is not an SQLite file", remedy=ELSEWHERE)
    except OSError as error:
        raise InputError(f"cannot use the store {path}: {error.strerror}") from error


def _hash(*parts: Any) -> str:
    """Return what tells texts apart; what is no text, as in a damaged file, has another hash than any text.

    >>> _hash("a", "b") == _hash("a", "b"), _hash("a", "b") == _hash("ab", ""), _hash("1") == _hash(1)
    (True, False, False)
    """
    return hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, allow_nan=False)


def _shorten(first: str, second: str, width: int = 60) -> tuple[str, str]:
    """Cut two texts that differ so that the difference can be seen.

    >>> _shorten("[1, 2, 3, 4, 5]", "[1, 2, 3, 4, 7]", width=8)
    ('... 4, 5]', '... 4, 7]')
    """
    if max(len(first), len(second)) <= width:
        return first, second
    same = next((i for i, (x, y) in enumerate(zip(first, second, strict=False)) if x != y), 0)
    start = max(0, same - width // 2)

    def cut(text: str) -> str:
        end = "..." if len(text) > start + width else ""
        return ("..." if start else "") + text[start : start + width] + end

    return cut(first), cut(second)
