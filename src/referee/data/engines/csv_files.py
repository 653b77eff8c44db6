"""CSV and TSV: the header is read here, the rows by DuckDB, all as text; what the text means is read off the distinct rows."""

from __future__ import annotations

import csv
import io
import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from referee.data.columns import GAPS
from referee.data.engines.base import Column, column
from referee.data.engines.duckdb_sql import TIMES, Scan, listed, literal, named, quote
from referee.data.engines.files import ending, kind_of, opened, peek
from referee.errors import InputError, unknown

DELIMITERS = {"csv": ",;\t|", "tsv": "\t"}
LONGEST = 2_000_000
"""The longest line, in bytes, that DuckDB reads."""
PIECE = 1 << 16
"""How many characters are looked at at a time."""
# Numbers as programs write them. "007" and "+1" are text: as numbers they would be one label with "7" and "1".
WHOLE = r"0|-?[1-9][0-9]{0,17}"
NUMBER = r"-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|-?([iI]nf|INF|[iI]nfinity)"
GAP_LIST = f"({', '.join(map(literal, GAPS))})"
SQL_TYPES = {"whole": "BIGINT", "number": "DOUBLE"}


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
    doubtful = any({"\n", "\r"} & set(name) for name in header)
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
    values = connection.table("grouped").project(named(terms)).fetchnumpy()
    return {role: column(own, names.get(role, role)) for role, own in values.items()}


def interpret(rows: Any) -> dict[str, str]:
    """Return for each role of grouped text the SQL that gives it its type.

    Truth, a and b are whole numbers where all their values are written so, numbers where all are numbers, else text; a
    and b always together. Truth goes with them, except where it has labels of its own ("yes") and they are numbers, or
    where they are scores. "true" and "false" are text, and so are group, stratum, slice and id: "007" stays "007". Blanks
    are kept. An empty cell is missing; NA, NaN, nan, null, NULL and None are missing only in a column whose other values
    are all numbers, and are labels elsewhere.

    Args:
        rows: a DuckDB relation with a text column for each role.
    """
    roles = [role for role in rows.columns if role != TIMES]
    kinds = {role: _kind(rows, role) for role in roles if role in ("truth", "a", "b", "multiplicity")}
    wanted = _agree(kinds, _shares(rows) if kinds.get("truth") == "text" else False)
    return {role: _typed(quote(role), wanted.get(role, "text")) for role in roles}


def _agree(kinds: Mapping[str, str], shared: bool) -> dict[str, str]:
    """Decide what the columns are read as, from what each would be alone.

    Args:
        kinds: role to "whole", "number", "text", or "" where the column has no value.
        shared: whether truth and the predictions have a label in common.
    """
    together = next((kind for kind in ("text", "number", "whole") if kind in (kinds["a"], kinds["b"])), "")
    truth = kinds.get("truth", "")
    if truth and together:
        if (together == "text" and truth != "text") or (truth == "text" and together == "whole" and shared):
            truth = together = "text"
        elif "text" not in (truth, together):
            truth = "number" if "number" in (truth, together) else "whole"
    return {**kinds, "truth": truth, "a": together, "b": together}


def _kind(rows: Any, role: str) -> str:
    name = quote(role)
    real = f"FILTER ({name} NOT IN {GAP_LIST})"
    tests = ", ".join(f"bool_and(regexp_full_match({name}, {literal(form)})) {real}" for form in (WHOLE, NUMBER))
    present, whole, number = rows.aggregate(f"count({name}), {tests}").fetchall()[0]
    if not present:
        return ""
    return "whole" if whole else "number" if number else "text"


def _shares(rows: Any) -> bool:
    truth = rows.project("truth AS label")
    predicted = rows.project("a AS label").union(rows.project("b AS label"))
    return len(truth.intersect(predicted).filter("label IS NOT NULL").limit(1).fetchall()) > 0


def _typed(term: str, kind: str) -> str:
    if kind not in SQL_TYPES:
        return term
    return f"CAST(CASE WHEN {term} IN {GAP_LIST} THEN NULL ELSE {term} END AS {SQL_TYPES[kind]})"


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
    records: dict[str, list[str]] = {}
    trouble = None
    with opened(path) as file:
        peek(file, path)
        for delimiter in DELIMITERS[kind_of(path)]:
            file.seek(0)
            text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
            try:
                records[delimiter] = next(csv.reader(text, delimiter=delimiter), [])
            except UnicodeDecodeError as error:
                raise InputError(f"{path} is not UTF-8 text; save it as UTF-8") from error
            except (
                csv.Error
            ) as error:  # a long header is one cell under each delimiter but its own, and these have a limit
                trouble = error
            except (OSError, EOFError, zlib.error) as error:
                raise InputError(f"cannot read the header of {path}: {error}") from error
            finally:
                text.detach()
    if not records:
        raise InputError(f"cannot read the header of {path}: {trouble}") from trouble
    return records
