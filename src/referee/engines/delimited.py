"""CSV and TSV: the header is read here, the rows by DuckDB, all as text; what the text means is decided afterwards."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from referee.engines.base import Column, column
from referee.engines.opening import ending, kind_of, listed, opened, peek
from referee.engines.relations import TIMES, literal, quote
from referee.engines.scan import Scan
from referee.engines.text import interpret
from referee.errors import InputError, unknown

DELIMITERS = {"csv": ",;\t|", "tsv": "\t"}
LONGEST = 2_000_000
"""The longest line, in bytes, that DuckDB reads."""


def scan(connection: Any, paths: list[Path], names: list[str]) -> Scan:
    """Return how CSV or TSV files with one header are read."""
    header, delimiter = _header(paths[0], names)
    for path in paths[1:]:
        if _header(path, names) != (header, delimiter):
            raise InputError(
                f"{path} has another header than {paths[0]}; tables that are read together must have the same columns"
            )
    for path in paths:
        _check_end(path)
    # Columns are known by their place: the header has been read, and a name in it may be anything.
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(header)))
    sql = (
        f"SELECT * FROM read_csv({listed(paths)}, auto_detect=false, header=true, strict_mode=true, delim={literal(delimiter)}, "
        f"quote='\"', escape='\"', columns={{{columns}}})"
    )
    return Scan(sql, {name: f"c{header.index(name)}" for name in names}, decode, "text")


def decode(connection: Any, rows: Any, names: Mapping[str, str]) -> dict[str, Column]:
    """Return the columns, with the types that their text has."""
    rows.create("grouped")  # the file is read here, once; the rest looks at its distinct rows
    terms = {**interpret(connection.table("grouped")), TIMES: TIMES}
    found = connection.table("grouped").project(", ".join(f"{term} AS {quote(role)}" for role, term in terms.items()))
    return {role: column(values, names.get(role, role)) for role, values in found.fetchnumpy().items()}


def columns(path: Path) -> list[str]:
    """Return the names in the first line, under the delimiter that makes most of it."""
    with opened(path) as file:
        peek(file, path)
        return max((first_record(file, path, delimiter) for delimiter in DELIMITERS[kind_of(path)]), key=len)


def _header(path: Path, names: list[str]) -> tuple[list[str], str]:
    """Read the names in the first line, with the delimiter under which the wanted ones are there."""
    with opened(path) as file:
        peek(file, path)
        tried = {delimiter: first_record(file, path, delimiter) for delimiter in DELIMITERS[kind_of(path)]}
    wanted = set(names)
    delimiter, header = max(
        tried.items(), key=lambda item: (len(wanted & set(item[1])), -DELIMITERS[kind_of(path)].index(item[0]))
    )
    twice = sorted({name for name in header if name and header.count(name) > 1})
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


def first_record(file: io.BufferedReader | gzip.GzipFile, path: Path, delimiter: str) -> list[str]:
    """Read the cells of the first record of a file that is open."""
    file.seek(0)
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    try:
        return next(csv.reader(text, delimiter=delimiter), [])
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text; save it as UTF-8") from error
    except (csv.Error, OSError, EOFError, zlib.error) as error:
        raise InputError(f"cannot read the header of {path}: {error}") from error
    finally:
        text.detach()
