"""Tables to learn from, and tables of fold scores: files that DuckDB reads completely and in order."""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from referee.data.columns import GAPS, Floats, Values
from referee.data.engines.base import column
from referee.data.engines.duckdb_sql import connected, explained, listed, typed
from referee.data.engines.files import kind_of, opened, peek
from referee.data.engines.tables import columns_of, find, scan
from referee.data.engines.text_files import DELIMITERS, GAP_LIST, NUMBER, WHOLE, first_records
from referee.errors import Argument, InputError, Message, OptionError, unknown
from referee.studies.algorithms.score_tables import role

MOST_LEVELS = 50
"""A text column of more levels is taken for names or ids, which nothing can be learned from."""


@dataclass(frozen=True, eq=False)
class Table:
    """What algorithms learn from: features, the truth, and which examples belong together."""

    X: Floats
    """[example, feature]; NaN where a value is missing."""
    y: Values
    names: tuple[str, ...]
    """What the features are called."""
    group: Values | None = None


@dataclass(frozen=True, eq=False)
class _Stored:
    """A file that was read into a database, its columns known by their place."""

    connection: Any
    names: list[str]
    written: bool
    """Whether all cells are text, because the file has no types."""

    def term(self, name: str) -> str:
        return f"c{self.names.index(name)}"

    def number(self, name: str) -> str:
        """Return the SQL of a cell as a number: NULL where it is none, or missing."""
        return f"TRY_CAST({self.term(name)} AS DOUBLE)"

    def text(self, name: str) -> str:
        """Return the SQL of a cell as text."""
        return f"CAST({self.term(name)} AS VARCHAR)"

    def missing(self, name: str) -> str:
        """Return the SQL that says whether a cell is missing."""
        return f"({self.term(name)} IS NULL OR {self.text(name)} IN {GAP_LIST})"

    def fetch(self, terms: Sequence[str]) -> list[Any]:
        if not terms:
            return []
        shown = ", ".join(f"{term} AS x{i}" for i, term in enumerate(terms))
        found = self.connection.sql(f"SELECT {shown} FROM given").fetchnumpy()
        return [found[f"x{i}"] for i in range(len(terms))]


def read_features(
    path: str | os.PathLike[str],
    truth: str,
    features: Sequence[str] | None = None,
    drop: Collection[str] = (),
    group: str | None = None,
    encode: bool = False,
) -> Table:
    """Read a table to learn from.

    Args:
        path: a file (csv, tsv, jsonl, json, parquet, the text ones also with .gz), or a pattern of several.
        truth: the column of right answers. Whole numbers and text are classes; other numbers are what to predict.
        features: the columns to learn from; all others if left out.
        drop: columns to leave out.
        group: the column that says which examples belong together.
        encode: whether a column of text becomes 0/1 columns, one for each of its levels.

    Raises:
        NameUnknown: if there is no such column.
        InputError: if there are no examples, a truth is missing, or a feature is not a number.
    """
    paths = find(path)
    with explained(os.fspath(path)), connected(paths) as connection:
        named = {"truth": [truth], "group": [group] if group else [], "features": features or (), "drop": drop}
        stored = _store(connection, paths, {name: argument for argument, own in named.items() for name in own})
        chosen = _chosen(stored.names, truth, features, drop, group)
        y = _truth(stored, truth)
        numbers = _numbers(stored, chosen)
        others = [name for name in chosen if name not in numbers]
        if others and not encode:
            raise _not_numbers(stored, others)
        parts = [([name], numbers[name][:, None]) if name in numbers else _encoded(stored, name) for name in chosen]
        groups = None if group is None else _whole_column(stored, group, stored.text(group))
    names = tuple(name for found, _ in parts for name in found)
    return Table(np.hstack([values for _, values in parts]), y, names, groups)


def read_scores(path: str | os.PathLike[str]) -> dict[str, list[Any]]:
    """Read a table of fold scores: one row per split, one column per algorithm, and columns that say of which split.

    Args:
        path: a file (csv, tsv, jsonl, json, parquet, the text ones also with .gz).

    Returns:
        The columns: numbers, None where a cell is empty; the names of runs and folds are text.

    Raises:
        InputError: if a cell is not a number.
    """
    return {name: _cells(name, cells) for name, cells in read_cells(path).items()}


def read_cells(path: str | os.PathLike[str]) -> dict[str, list[str | None]]:
    """Read a whole table as text, column by column; None if there is no cell."""
    paths = find(path)
    with explained(os.fspath(path)), connected(paths) as connection:
        stored = _store(connection, paths, {})
        columns = stored.fetch([f"trim({stored.text(name)})" for name in stored.names])
    return {name: cells.tolist() for name, cells in zip(stored.names, columns, strict=True)}


def _cells(name: str, cells: list[str | None]) -> list[Any]:
    """Return the cells of a column of fold scores, as its name says what it holds; only a score may be missing."""
    what = role(name)
    if what == "index":
        return list(map(str, cells))
    values: list[Any] = [None if cell in ("", *GAPS) else cell for cell in cells]
    if what not in ("run", "fold"):
        values = [None if cell is None else _score(name, row, cell) for row, cell in enumerate(values, 1)]
    if what is not None and None in values:
        raise InputError(f"row {values.index(None) + 1} of the column {name!r} is empty; every split needs its {name}")
    return values


def _score(name: str, row: int, cell: str) -> float:
    with suppress(ValueError):
        if math.isfinite(float(cell)):
            return float(cell)
    odd = f"fold scores are finite numbers; row {row} of the column {name!r} is {cell[:40]!r}"
    raise InputError(odd, remedy="give a number, or leave the cell empty")


def _store(connection: Any, paths: list[Path], wanted: Mapping[str, str]) -> _Stored:
    """Read files into the table `given`; wanted are columns, each with the argument that names it."""
    kind = kind_of(paths[0])
    if kind in ("json", "lines"):
        names, terms, sql = _typed_json(connection, paths)
    else:
        names = _header(paths[0], wanted) if kind in DELIMITERS else columns_of(paths[0])
        rows = scan(connection, paths, {name: name for name in names})
        terms, sql = rows.terms, rows.sql
    for name, argument in wanted.items():
        if name not in names:
            raise unknown("column", name, names, argument)
    chosen = ", ".join(f"{terms[name]} AS c{i}" for i, name in enumerate(names))
    connection.execute(f"CREATE TABLE given AS SELECT {chosen} FROM ({sql})")
    if not connection.sql("SELECT 1 FROM given LIMIT 1").fetchall():
        raise InputError(f"{paths[0]} has a header and no rows; there are no examples in it")
    return _Stored(connection, names, kind in DELIMITERS)


def _typed_json(connection: Any, paths: list[Path]) -> tuple[list[str], Mapping[str, str], str]:
    """Return the names of the columns, the SQL of each and that of the rows, with the types that DuckDB finds."""
    for path in paths:
        with opened(path) as file:
            peek(file, path)
    lines = "newline_delimited" if kind_of(paths[0]) == "lines" else "auto"
    options = f"format='{lines}', hive_partitioning=false, sample_size=-1, convert_strings_to_integers=false"
    sql = f"SELECT * FROM read_json({listed(paths)}, {options})"
    relation = connection.sql(sql)
    return list(relation.columns), typed(relation, {name: name for name in relation.columns}), sql


def _header(path: Path, wanted: Collection[str]) -> list[str]:
    """Read the names in the first line, with the delimiter under which most wanted ones, else most columns are there."""
    names = max(first_records(path).values(), key=lambda one: (len(set(wanted) & set(one)), len(one)))
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice and not twice[0]:
        raise InputError(f"{path}, line 1: several columns have no name; name them, or take them out")
    if twice:
        raise InputError(f"{path}, line 1: the header names {twice[0]!r} twice; give each column a name of its own")
    if names and all(re.fullmatch(NUMBER, name.strip()) for name in names):
        raise InputError(f"{path}, line 1: {','.join(names)[:60]!r} are numbers; the first line must name the columns")
    return names


def _chosen(
    names: list[str], truth: str, features: Sequence[str] | None, drop: Collection[str], group: str | None
) -> list[str]:
    """Return the columns to learn from."""
    if truth == group:
        both = Argument("truth", bare=True), " and ", Argument("group", bare=True), f" are both {truth!r}"
        raise OptionError(*both, argument="group", remedy="name another column for the group")
    taken = {"truth": truth, "group": group}
    for what, name in taken.items():
        if name is not None and name in (features or ()):
            target, remedy = f"{name!r} is the {what}, so it is no feature", "take it out of the features"
            raise OptionError(target, argument="features", value=name, remedy=remedy)
        if name is not None and name in drop:
            raise OptionError(f"{name!r} is the {what}, so it cannot be dropped", argument="drop", value=name)
    left = names if features is None else list(dict.fromkeys(features))
    chosen = [name for name in left if name not in {*drop, *taken.values()}]
    if not chosen:
        raise InputError(f"there is no column to learn from beside the truth; there are: {', '.join(names)}")
    return chosen


def _truth(stored: _Stored, name: str) -> Values:
    """Return whole numbers, numbers or text: what the file says, or what its text looks like."""
    values = _whole_column(stored, name, stored.term(name))
    if not stored.written:
        return values
    distinct = set(values.tolist())
    real = distinct - set(GAPS)
    for form, kind in ((WHOLE, np.int64), (NUMBER, np.float64)):
        if real and all(re.fullmatch(form, text) for text in real):
            if real != distinct:
                raise _gap(name, [i for i, text in enumerate(values) if text in GAPS], len(values))
            return column(values.astype(kind), name)[0]
    return values


def _whole_column(stored: _Stored, name: str, term: str) -> Values:
    """Return a column that must not have gaps."""
    values, missing = column(stored.fetch([term])[0], name)
    if missing is not None:
        raise _gap(name, np.flatnonzero(missing).tolist(), len(values))
    return values


def _gap(name: str, rows: list[int], of: int) -> InputError:
    missing = f"it is missing in {len(rows):,} of {of:,} rows, first in row {rows[0] + 1}"
    return InputError(f"every example needs a value in {name!r}; {missing}", remedy="leave these rows out")


def _numbers(stored: _Stored, names: Sequence[str]) -> dict[str, Floats]:
    """Return the columns that are numbers, NaN where they are missing.

    A column without any value is one too: all of it is missing.
    """
    asked = ", ".join(f"bool_and({stored.number(name)} IS NOT NULL OR {stored.missing(name)})" for name in names)
    answers = stored.connection.sql(f"SELECT {asked} FROM given").fetchall()[0]
    kept = [name for name, answer in zip(names, answers, strict=True) if answer]
    found: dict[str, Floats] = {}
    for name, values in zip(kept, stored.fetch([stored.number(name) for name in kept]), strict=True):
        found[name] = np.ma.filled(np.ma.asarray(values, dtype=np.float64), np.nan)
        if np.isinf(found[name]).any():
            raise InputError(f"the column {name!r} has infinite values; give finite numbers, or leave the cells empty")
    return found


def _not_numbers(stored: _Stored, names: list[str]) -> InputError:
    """Return the error for features that are text, with two values of each."""
    texts = {name: f"{stored.number(name)} IS NULL AND NOT {stored.missing(name)}" for name in names[:5]}
    found = {
        name: stored.connection.sql(
            f"SELECT DISTINCT {stored.text(name)} AS value FROM given WHERE {text} ORDER BY value LIMIT 2"
        ).fetchall()
        for name, text in texts.items()
    }
    shown = "; ".join(f"{name} ({', '.join(repr(value[:20]) for (value,) in rows)})" for name, rows in found.items())
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    choose = Message("choose columns with ", Argument("features"), ", leave these out with ", Argument("drop"))
    remedy = Message(choose, ", or turn them into 0/1 columns with ", Argument("encode", True))
    return InputError(f"features must be numbers; these columns are not: {shown}{more}", remedy=remedy)


def _encoded(stored: _Stored, name: str) -> tuple[list[str], Floats]:
    """Return a 0/1 column for each level of a column of text; a missing one is missing in all of them."""
    values, missing = column(stored.fetch([stored.text(name)])[0], name)
    gone = np.zeros(len(values), dtype=np.bool_) if missing is None else missing
    levels = sorted(set(values[~gone].tolist()))
    if len(levels) > MOST_LEVELS:
        many = f"the column {name!r} has {len(levels):,} levels, and at most {MOST_LEVELS} become 0/1 columns"
        raise InputError(many, remedy=Message("leave it out with ", Argument("drop"), ", or merge its levels"))
    found = (values[:, None] == np.array(levels, dtype=object)[None, :]).astype(np.float64)
    found[gone] = np.nan
    return [f"{name}={level}" for level in levels], found
