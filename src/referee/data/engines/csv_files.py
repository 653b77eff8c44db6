"""CSV and TSV: the header is read here, the rows by DuckDB, all as text; what the text means is decided afterwards."""

from __future__ import annotations

import csv
import io
import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from referee.data.engines.base import Column, column
from referee.data.engines.csv_text import interpret
from referee.data.engines.duckdb_sql import TIMES, literal, quote
from referee.data.engines.files import ending, kind_of, listed, opened, peek
from referee.data.engines.scan import Scan
from referee.errors import InputError, unknown

DELIMITERS = {"csv": ",;\t|", "tsv": "\t"}
LONGEST = 2_000_000
"""The longest line, in bytes, that DuckDB reads."""
PIECE = 1 << 16
"""How many characters are looked at at a time."""


def scan(connection: Any, paths: list[Path], names: Sequence[str]) -> Scan:
    """Return how CSV or TSV files with one header are read."""
    header, delimiter = _header(paths[0], names)
    for path in paths[1:]:
        if _header(path, names) != (header, delimiter):
            raise InputError(
                f"{path} has another header than {paths[0]}; tables that are read together must have the same columns"
            )
    # Columns are known by their place: the header has been read, and a name in it may be anything.
    terms = {name: f"c{header.index(name)}" for name in names}
    chosen = ", ".join(dict.fromkeys(terms.values())) or "c0"
    return Scan(f"SELECT {chosen} FROM {rows_of(connection, paths, header, delimiter)}", terms, decode, "text")


def rows_of(connection: Any, paths: list[Path], header: Sequence[str], delimiter: str) -> str:
    """Return the SQL of the rows of files that have one header: text, in columns called c0, c1 and so on.

    Raises:
        InputError: where DuckDB would leave out rows in silence.
    """
    types = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(header)))

    def rows(files: list[Path]) -> str:
        return (
            f"read_csv({listed(files)}, auto_detect=false, header=true, strict_mode=true, delim={literal(delimiter)}, "
            f"quote='\"', escape='\"', hive_partitioning=false, columns={{{types}}})"
        )

    # DuckDB takes the first line break of a file for the end of its lines, also one within a name, and then may see no line.
    doubtful = len(paths) == 1 or any({"\n", "\r"} & set(name) for name in header)
    for path in paths:
        _check_end(path)
        seen = not doubtful or connection.execute(f"SELECT c0 FROM {rows([path])} LIMIT 1").fetchall()
        if not seen and _has_rows(path, delimiter):
            raise InputError(
                f"cannot read {path}: no row is found after its header; does a column's name hold a line break of another "
                f"sort than the ends of the lines? take it out"
            )
    return rows(paths)


def decode(connection: Any, rows: Any, names: Mapping[str, str]) -> dict[str, Column]:
    """Return the columns, with the types that their text has."""
    rows.create("grouped")  # the file is read here, once; the rest looks at its distinct rows
    terms = {**interpret(connection.table("grouped")), TIMES: TIMES}
    found = connection.table("grouped").project(", ".join(f"{term} AS {quote(role)}" for role, term in terms.items()))
    return {role: column(values, names.get(role, role)) for role, values in found.fetchnumpy().items()}


def columns(path: Path) -> list[str]:
    """Return the names in the first line, under the delimiter that makes most of it."""
    return max(first_records(path).values(), key=len)


def _header(path: Path, names: Sequence[str]) -> tuple[list[str], str]:
    """Read the names in the first line, with the delimiter under which the wanted ones are there."""
    wanted = set(names)
    delimiter, header = max(  # the first of those that are equally good
        first_records(path).items(), key=lambda item: len(wanted & set(item[1]))
    )
    twice = sorted(name for name, times in Counter(header).items() if name and times > 1)
    if twice:
        raise InputError(f"{path}, line 1: the header names {twice[0]!r} twice; does the file have a header?")
    for name in names:
        if name not in header:
            if any(re.fullmatch(r"\s*-?[0-9.]+\s*", cell) for cell in header):
                raise InputError(
                    f"{path}, line 1: there is no column {name!r}, and {','.join(header)[:60]!r} does not look like a header; the first line must name the columns"
                )
            raise unknown("column", name, header)
    return header, delimiter


def _check_end(path: Path) -> None:
    """Refuse a last line that is too long: DuckDB refuses others, but leaves out a last one that exceeds its buffer."""
    last = ending(path, LONGEST + 1).rstrip(b"\r\n")
    if len(last) >= LONGEST and not {10, 13} & set(last):
        raise InputError(f"the last line of {path} is longer than {LONGEST // 10**6} MB; that is no line of a table")


def _has_rows(path: Path, delimiter: str) -> bool:
    """Say whether anything follows the header of a file."""
    with opened(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline="")
        try:
            next(csv.reader(text, delimiter=delimiter), [])
            while piece := text.read(PIECE):
                if piece.strip():
                    return True
            return False
        finally:
            text.detach()


def first_records(path: Path) -> dict[str, list[str]]:
    """Read the cells of the first record of a file, under each delimiter that its kind may have.

    Raises:
        InputError: where it is no text, or cannot be read under any.
    """
    found: dict[str, list[str]] = {}
    trouble = None
    with opened(path) as file:
        peek(file, path)
        for delimiter in DELIMITERS[kind_of(path)]:
            file.seek(0)
            text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
            try:
                found[delimiter] = next(csv.reader(text, delimiter=delimiter), [])
            except UnicodeDecodeError as error:
                raise InputError(f"{path} is not UTF-8 text; save it as UTF-8") from error
            except (
                csv.Error
            ) as error:  # a long header is one cell under each delimiter but its own, and cells have a limit
                trouble = error
            except (OSError, EOFError, zlib.error) as error:
                raise InputError(f"cannot read the header of {path}: {error}") from error
            finally:
                text.detach()
    if not found:
        raise InputError(f"cannot read the header of {path}: {trouble}") from trouble
    return found
