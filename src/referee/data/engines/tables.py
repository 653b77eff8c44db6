"""Counting files: CSV, TSV, JSON lines and Parquet, through DuckDB, which reads them in one pass and bounded memory."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.data.counts import Counts
from referee.data.counts_file import SCHEMA, parsed
from referee.data.engines import arrow_files, columnar_files, csv_files, json_files
from referee.data.engines.base import Grouped
from referee.data.engines.database import connected
from referee.data.engines.duckdb_sql import STEP, assemble, explained, quote
from referee.data.engines.files import KINDS, kept, kind_of, opened, peek, refuse_twice, suffix
from referee.data.engines.scan import TEXT, narrowed, scan
from referee.errors import InputError


def read(source: str | os.PathLike[str], roles: Mapping[str, str], keep_ids: bool) -> Grouped:
    """Count the rows of a file, of the files of a folder, or of all that a pattern matches.

    Args:
        source: a path or a pattern with `*`.
        roles: role to column name.
        keep_ids: whether repeated ids are handed on (else they are only counted).

    Raises:
        InputError: where a file cannot be read, with the line where that is known.
    """
    paths = find(source)
    with explained(os.fspath(source)), connected(paths) as connection:
        found = scan(connection, paths, list(roles.values()))
        terms = {role: found.terms[name] for role, name in roles.items()}
        rows, repeats = kept(connection, found.sql, terms, keep_ids)
        if "id" in roles and found.family == "json":
            repeats = json_files.check_ids(connection, "examples", repeats, roles["id"])
        halves = {role for role, name in roles.items() if name in found.halves}
        columns = narrowed(found.decode(connection, rows, roles), halves)
        return replace(assemble(columns, repeats), notes=found.notes)


def differing(source: str | os.PathLike[str], roles: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of files on which a and b differ as they are written, in their order; no more is read than is taken.

    Raises:
        InputError: where a file cannot be read.
    """
    paths = find(source)
    with explained(os.fspath(source)), connected(paths) as connection:
        names = [name for role, name in roles.items() if role != "text"]
        found = scan(connection, paths, names, roles.get("text"))
        terms = {role: found.terms[TEXT if role == "text" else name] for role, name in roles.items()}
        chosen = ", ".join(f"{term} AS {quote(role)}" for role, term in terms.items())
        sql = f"SELECT {chosen} FROM ({found.sql}) WHERE {terms['a']} IS DISTINCT FROM {terms['b']}"
        yield from streamed(connection, sql, list(terms), found.family)


def streamed(connection: Any, sql: str, roles: list[str], family: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a query by role, as the format of a family means them."""
    connection.execute(sql)
    while rows := connection.fetchmany(STEP):
        for row in rows:
            named = dict(zip(roles, row, strict=True))
            yield {role: json_files.meant(value) for role, value in named.items()} if family == "json" else named


def check_column(source: str | os.PathLike[str], name: str) -> None:
    """Raise unless files have a column.

    Raises:
        NameUnknown: where they have not.
    """
    paths = find(source)
    with explained(os.fspath(source)), connected(paths) as connection:
        scan(connection, paths, [], name)


def find(source: str | os.PathLike[str]) -> list[Path]:
    """Return the files that a path, a folder or a pattern names: all of one kind.

    Raises:
        InputError: where there is none, or there are several kinds.
    """
    path = Path(source)
    if path.is_dir():
        found = sorted(
            file
            for file in path.iterdir()
            if file.is_file() and not file.name.startswith(".") and suffix(file) in KINDS
        )
    else:
        found = [path] if path.exists() else sorted(map(Path, glob.glob(os.fspath(source), recursive=True)))  # noqa: PTH207
    if not found:
        what = "no table in the folder" if path.is_dir() else "no file"
        raise InputError(
            f"there is {what} {os.fspath(source)!r}{_deeper(path)}; known are {', '.join(KINDS)}, the text ones also with .gz"
        )
    if len({kind_of(file) for file in found}) > 1:
        raise InputError(
            f"{os.fspath(source)!r} has files of several kinds ({', '.join(sorted({suffix(file) for file in found}))}); name those of one kind"
        )
    refuse_twice(found, f"the rows of {os.fspath(source)!r} would be counted twice: name its files, or remove one")
    return found


def _deeper(path: Path) -> str:
    """Say where below a folder without tables there are some."""
    below = next((file for file in path.glob("*/**/*") if suffix(file) in KINDS), None) if path.is_dir() else None
    if below is None:
        return ""
    named = ", whose names are not read as columns" if "=" in below.parent.name else ""
    return f", but there are some in its folders{named}: give the pattern '{path}/**/*{suffix(below)}'"


def columns_of(source: str | os.PathLike[str]) -> list[str]:
    """Return the names of the columns of a table.

    Raises:
        InputError: where the file is no table.
    """
    first = find(source)[0]
    if kind_of(first) in ("csv", "tsv"):
        return csv_files.columns(first)
    if kind_of(first) == "arrow":
        return arrow_files.columns(first)
    with explained(os.fspath(source)), connected([first]) as connection:
        named = columnar_files.columns if kind_of(first) == "parquet" else json_files.columns
        return named(connection, first)


def counts_of(source: str | os.PathLike[str]) -> Counts | None:
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
    return Counts.from_dict(content, os.fspath(path)) if str(schema).startswith("referee.") else None
