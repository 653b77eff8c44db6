"""Tables in files: CSV, TSV, JSON, Parquet and Arrow, read by DuckDB in one pass and bounded memory."""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.data.counts import Counts
from referee.data.counts_file import SCHEMA, parsed
from referee.data.engines import columnar_files, text_files
from referee.data.engines.base import Blocks, Grouped
from referee.data.engines.duckdb_sql import STEP, Scan, assemble, connected, explained, literal, named, quote, tabulate
from referee.data.engines.files import KINDS, KNOWN, kind_of, opened, peek, refuse_twice, suffix
from referee.errors import InputError, NotReady

Source = str | os.PathLike[str]
JSON = ("lines", "json")
"""The kinds of files that hold JSON."""
SAMPLE, CELLS, FEWEST = 2_000, 200_000, 5
"""So many first rows are looked at; fewer of a table with many columns."""
CUT = 500
"""So many characters of a value are looked at."""
SMALL_MEMORY = "1GB"
"""So much memory a look may take: a few bytes of a packed table can stand for many."""
PLACE, BLOCK = "referee_place", "referee_block"
"""What the number of a row is called among its columns, and that of the block it is in."""
FILE_NAME = "file"
"""The column that the rows of several files have beside their own: which file they are from."""
WIDEST = 2_000
"""A table with more columns than this is not looked at."""


def read(source: Source, roles: Mapping[str, str], keep_ids: bool) -> Grouped:
    """Count the rows of a file, of the files of a folder, or of all that a pattern matches.

    Args:
        source: a path or a pattern with `*`.
        roles: role to column name.
        keep_ids: whether repeated ids are handed on (else they are only counted).

    Raises:
        InputError: if a file cannot be read, with the line where that is known.
    """
    with _scanned(source, roles) as (connection, rows):
        relation, terms = connection.sql(rows.sql), rows.terms
        if "id" in roles:  # asked twice: how often the ids occur, and the rows; the file is still read once
            connection.execute(f"CREATE TABLE examples AS SELECT {named(terms)} FROM ({rows.sql})")
            relation, terms = connection.table("examples"), {role: quote(role) for role in roles}
        grouped, repeats = tabulate(relation, terms, keep_ids)
        if "id" in roles and rows.family == "json":
            repeats = text_files.check_ids(connection, "examples", repeats, roles["id"])
        return replace(assemble(rows.decode(connection, grouped, roles), repeats, rows.halves), notes=rows.notes)


def read_blocks(source: Source, roles: Mapping[str, str], blocks: Blocks) -> Grouped:
    """Count the rows of each block of a file, in its order, or of several, one behind the other."""
    with _scanned(source, roles) as (connection, rows):
        block = (
            f"CASE WHEN {PLACE} <= {blocks.first} THEN 0 ELSE 1 + ({PLACE} - 1 - {blocks.first}) // {blocks.size} END"
        )
        numbered = f"SELECT *, row_number() OVER () AS {PLACE} FROM ({rows.sql})"
        cut = f"SELECT *, CAST({block} AS VARCHAR) AS {BLOCK} FROM ({numbered}) WHERE {PLACE} <= {blocks.rows}"
        grouped, repeats = tabulate(connection.sql(cut), {**rows.terms, "slice": BLOCK}, keep_ids=False)
        return assemble(rows.decode(connection, grouped, roles), repeats, rows.halves)


def differing(source: Source, roles: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of files on which a and b differ as they are written, in their order; no more is read than is taken.

    Raises:
        InputError: if a file cannot be read.
    """
    with _scanned(source, roles) as (connection, rows):
        terms = rows.terms
        sql = f"SELECT {named(terms)} FROM ({rows.sql}) WHERE {terms['a']} IS DISTINCT FROM {terms['b']}"
        yield from streamed(connection, sql, list(terms), rows.family)


def streamed(connection: Any, sql: str, roles: list[str], family: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a query by role, as the format of a family means them."""
    connection.execute(sql)
    while rows := connection.fetchmany(STEP):
        for row in rows:
            values = map(text_files.meant, row) if family == "json" else row
            yield dict(zip(roles, values, strict=True))


def check_text(source: Source, name: str, _: str) -> None:
    """Raise unless files have a column of texts.

    Raises:
        NameUnknown: if they have not.
    """
    with _scanned(source, {"text": name}):
        pass


@contextmanager
def _scanned(source: Source, roles: Mapping[str, str]) -> Iterator[tuple[Any, Scan]]:
    """Give a database that may read the files of a source, and how they are read."""
    paths = find(source)
    with explained(os.fspath(source)), connected(paths) as connection:
        yield connection, scan(connection, paths, roles)


def scan(connection: Any, paths: list[Path], roles: Mapping[str, str]) -> Scan:
    """Return how the files are read; all are of one kind.

    Args:
        connection: the database.
        paths: the files.
        roles: what the wanted columns are to be called, to their names; a "text" may hold anything.

    Raises:
        InputError: if they lack a header, or their columns do not fit each other.
        NameUnknown: if there is no such column.
    """
    kind = kind_of(paths[0])
    form = text_files.scan_csv if kind in text_files.DELIMITERS else columnar_files.scan
    form = text_files.scan_json if kind in JSON else form
    numbers = [role for role, name in roles.items() if name == FILE_NAME]
    if not numbers or not has_file_names(paths):
        return form(connection, paths, roles)
    columns = {role: name for role, name in roles.items() if role not in numbers}
    whole = form(connection, paths, columns)  # refuses files that do not fit each other
    if whole.notes:
        remedy = "store the numbers of all files with the same precision"
        raise InputError(f"the files can't be told apart: {whole.notes[0]}", argument="group", remedy=remedy)
    parts = []
    for path, name in zip(paths, apart(paths), strict=True):
        own = form(connection, [path], columns)
        written = literal(json.dumps(name, ensure_ascii=False) if whole.family == "json" else name)
        parts.append(f"SELECT {named({**own.terms, **dict.fromkeys(numbers, written)})} FROM ({own.sql})")
    return replace(whole, sql=" UNION ALL ".join(parts), terms={role: quote(role) for role in (*whole.terms, *numbers)})


def has_file_names(paths: Sequence[Path]) -> bool:
    """Say whether the column `file` is the file of each row: there are several, and none has such a column of its own."""
    return len(paths) > 1 and FILE_NAME not in columns_of(paths[0])


def apart(paths: Sequence[Path]) -> list[str]:
    """Return what tells files apart: the words and numbers of their paths that not all of them begin or end with.

    >>> apart([Path("runs/old_s1.csv"), Path("runs/old_s11.csv")]), apart([Path("a/old.csv"), Path("b/old.csv")])
    (['1', '11'], ['a', 'b'])
    """
    parts = [re.findall(r"\d+|[^\W\d_]+|[\W_]", str(path)) for path in paths]
    for step in (1, -1):
        while min(map(len, parts)) > 1 and len({own[::step][0] for own in parts}) == 1:
            parts = [own[1:] if step == 1 else own[:-1] for own in parts]
    return ["".join(own) for own in parts]


def find(source: Source) -> list[Path]:
    """Return the files that a path, a folder or a pattern names: all of one kind.

    Raises:
        InputError: if there is none, or there are several kinds.
    """
    path, name = Path(source), repr(os.fspath(source))
    if path.is_dir():
        tables = (file for file in path.iterdir() if suffix(file) in KINDS and not file.name.startswith("."))
        files = sorted(file for file in tables if file.is_file())
    else:
        files = [path] if path.exists() else sorted(map(Path, glob.glob(os.fspath(source), recursive=True)))  # noqa: PTH207
    if not files:
        what = "no table in the folder" if path.is_dir() else "no file"
        raise NotReady(f"there is {what} {name}{_deeper(path)}; {KNOWN}")
    if len({kind_of(file) for file in files}) > 1:
        several = ", ".join(sorted({suffix(file) for file in files}))
        raise InputError(f"{name} has files of several kinds ({several}); name those of one kind")
    refuse_twice(files, f"the rows of {name} would be counted twice: name its files, or remove one")
    return files


def _deeper(path: Path) -> str:
    """Say where below a folder without tables there are some."""
    below = next((file for file in path.glob("*/**/*") if suffix(file) in KINDS), None) if path.is_dir() else None
    if below is None:
        return ""
    names = ", whose names are not read as columns" if "=" in below.parent.name else ""
    return f", but there are some in its folders{names}: give the pattern '{path}/**/*{suffix(below)}'"


def columns_of(source: Source) -> list[str]:
    """Return the names of the columns of a table.

    Raises:
        InputError: if the file is no table.
    """
    first = find(source)[0]
    if kind_of(first) in text_files.DELIMITERS:
        return max(text_files.first_records(first).values(), key=len)  # under the delimiter that makes most of the line
    with explained(os.fspath(source)), connected([first]) as connection:
        if kind_of(first) in JSON:
            return text_files.first_keys(connection, first)
        return list(columnar_files.layouts(connection, [first])[0].names)


def counts_of(source: Source) -> Counts | None:
    """Load a counts file; None where the path is anything else."""
    path = Path(source)
    if suffix(path) != ".json" or not path.is_file():
        return None
    with opened(path) as file:
        head = peek(file, path).lstrip()
        if not head.startswith(b"{") or b'"referee.' not in head:
            return None
        text = file.read()
    try:
        content = parsed(text, os.fspath(path))
    except InputError:
        if f'"{SCHEMA}"'.encode() not in head:
            return None
        raise  # the head of a counts file, but not the rest of one
    schema = content.get("schema") if isinstance(content, dict) else None
    known = Counts.from_dict(content, os.fspath(path)) if str(schema).startswith("referee.") else None
    return known and replace(known, files=(path.name,))


def check_width(path: Path, columns: int) -> None:
    """Refuse a table with more columns than anybody would choose from.

    Raises:
        InputError: if it has.
    """
    if columns > WIDEST:
        raise InputError(f"{path} has {columns:,} columns; at most {WIDEST:,} are accepted")


def first_rows(path: Path) -> dict[str, list[str | None]]:
    """Return the first values of each column of a table, as text.

    Raises:
        InputError: if the file is no table, or cannot be read.
    """
    import duckdb

    names = columns_of(path)
    check_width(path, len(names))
    if not names:
        raise InputError(f"{path} has no columns; there are no examples in it")
    if len(set(names)) < len(names) or "" in names:
        raise InputError(f"{path}, line 1: each column needs a name of its own; does the file have a header?")
    with explained(str(path)), connected([path], SMALL_MEMORY) as connection:
        try:
            rows = _first_rows(connection, path, names)
        except duckdb.OutOfMemoryException:
            raise InputError(f"{path} has values that are too large to preview; leave such columns out") from None
    if not rows:
        raise NotReady(f"{path} has a header and no rows; there are no examples in it")
    return {name: [beginning(row[place]) for row in rows] for place, name in enumerate(names)}


def _first_rows(connection: Any, path: Path, names: Sequence[str]) -> list[Sequence[Any]]:
    kind = kind_of(path)
    limit = min(SAMPLE, max(FEWEST, CELLS // len(names)))
    if kind in JSON:
        return text_files.first_objects(connection, path, names, limit)
    if kind in text_files.DELIMITERS:
        rows = text_files.scan_csv(connection, [path], {name: name for name in names})
        terms, table = list(rows.terms.values()), f"({rows.sql})"
    else:
        places = range(len(names))
        files = columnar_files.layouts(connection, [path])
        terms, table = [f"c{place}" for place in places], columnar_files.rows_of(connection, files, places)
    # The beginnings of values only, so that a few bytes that stand for much fill no memory.
    chosen = ", ".join(f"left(CAST({term} AS VARCHAR), {CUT})" for term in terms)
    cells: list[Sequence[Any]] = connection.sql(f"SELECT {chosen} FROM {table} LIMIT {limit}").fetchall()
    return cells


def beginning(value: Any) -> str | None:
    """Return the beginning of a value as text, as referee takes it."""
    return None if value is None else (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))[:CUT]
