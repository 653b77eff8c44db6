"""Tables as text: CSV and TSV, whose header is read here and whose rows DuckDB reads as text; and JSON, one object per row.

What the text of a CSV means is read off the distinct rows. Values of JSON stay JSON until grouped, so that 1, "1" and true are told
apart.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from pathlib import Path
from typing import Any

from referee.data.columns import GAPS
from referee.data.engines.base import Column, Repeats, column
from referee.data.engines.duckdb_sql import TIMES, Scan, ask, listed, literal, named, quote
from referee.data.engines.files import check_names, ending, kind_of, opened, peek
from referee.data.roles import NUMBERS, check_columns, is_system, systems_among
from referee.errors import InputError, NotReady
from referee.runtime.bounded_json import loads

DELIMITERS = {"csv": ",;\t|", "tsv": "\t"}
LONGEST = 2_000_000
"""The longest line, in bytes, that DuckDB reads."""
PIECE = 1 << 16
"""How many characters are looked at at a time."""
# Numbers as programs write them. "007" and "+1" are text: as numbers they would be one label with "7" and "1".
WHOLE = r"0|-?[1-9][0-9]{0,17}"
NUMBER = r"-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|-?([iI]nf|INF|[iI]nfinity)"
GAP_LIST = f"({', '.join(map(literal, GAPS))})"
TAIL = 1 << 20
"""How many bytes of the end of a file are looked at."""
SOME, FIRST = 1_000, 10_000
"""Among so many objects keys are listed; and one is looked for, before it is among all."""


def scan_csv(connection: Any, paths: list[Path], roles: Mapping[str, str]) -> Scan:
    """Return how CSV or TSV files with one header are read, all as text.

    Raises:
        InputError: if headers differ, or DuckDB would leave out rows in silence.
    """
    header, delimiter = _header(paths[0], roles)
    for path in paths[1:]:
        if _header(path, roles) != (header, delimiter):
            raise InputError(f"the headers of {path} and {paths[0]} differ; tables read together need the same columns")
    types = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(header)))
    options = (
        f"auto_detect=false, header=true, strict_mode=true, delim={literal(delimiter)}, quote='\"', escape='\"', "
        f"hive_partitioning=false, columns={{{types}}}"
    )
    # DuckDB takes the first line break of a file for the end of its lines, also one within a name, and then may see no line.
    doubtful = any({"\n", "\r"} & set(name) for name in header)
    for path in paths:
        _check_end(path)
        first = f"SELECT c0 FROM read_csv({listed([path])}, {options}) LIMIT 1"
        if doubtful and not connection.execute(first).fetchall() and _has_rows(path, delimiter):
            remedy = "if a column name contains a line break, remove it"
            raise NotReady(f"cannot read {path}: no rows found after the header", remedy=remedy)
    # Columns are known by their place: the header has been read, and a name in it may be anything.
    terms = {role: f"c{header.index(name)}" for role, name in roles.items()}
    chosen = ", ".join(dict.fromkeys(terms.values())) or "c0"
    return Scan(f"SELECT {chosen} FROM read_csv({listed(paths)}, {options})", terms, decode_csv, "text")


def decode_csv(connection: Any, rows: Any, names: Mapping[str, str]) -> dict[str, Column]:
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
    kinds = {role: _kind(rows, role) for role in roles if role in NUMBERS or is_system(role)}
    wanted = _agree(kinds, _shares(rows) if kinds.get("truth") == "text" else False)
    return {role: _typed(quote(role), wanted.get(role)) for role in roles}


def _agree(kinds: Mapping[str, str], shared: bool) -> dict[str, str]:
    """Decide what the columns are read as, from what each would be alone.

    Args:
        kinds: role to "whole", "number", "text", or "" where the column has no value.
        shared: whether truth and the predictions have a label in common.
    """
    systems = systems_among(kinds)
    together = next((kind for kind in ("text", "number", "whole") if kind in map(kinds.get, systems)), "")
    truth = kinds.get("truth", "")
    if truth and together:
        if (together == "text" and truth != "text") or (truth == "text" and together == "whole" and shared):
            truth = together = "text"
        elif "text" not in (truth, together):
            truth = "number" if "number" in (truth, together) else "whole"
    return {**kinds, "truth": truth, **dict.fromkeys(systems, together)}


def _kind(rows: Any, role: str) -> str:
    name = quote(role)
    real = f"FILTER ({name} NOT IN {GAP_LIST})"
    tests = ", ".join(f"bool_and(regexp_full_match({name}, {literal(form)})) {real}" for form in (WHOLE, NUMBER))
    present, whole, number = rows.aggregate(f"count({name}), {tests}").fetchall()[0]
    return "" if not present else "whole" if whole else "number" if number else "text"


def _shares(rows: Any) -> bool:
    truth = rows.project("truth AS label")
    first, *others = (rows.project(f"{quote(role)} AS label") for role in systems_among(rows.columns))
    predicted = reduce(lambda some, more: some.union(more), others, first)
    return len(truth.intersect(predicted).filter("label IS NOT NULL").limit(1).fetchall()) > 0


def _typed(term: str, kind: str | None) -> str:
    sql_type = {"whole": "BIGINT", "number": "DOUBLE"}.get(kind or "")
    # Not IN: with it, DuckDB (1.3 and 2.0) takes seconds for 150 columns of a few hundred rows.
    gap = " OR ".join(f"{term} = {literal(one)}" for one in GAPS)
    return f"CAST(CASE WHEN {gap} THEN NULL ELSE {term} END AS {sql_type})" if sql_type else term


def _header(path: Path, roles: Mapping[str, str]) -> tuple[list[str], str]:
    """Read the names in the first line, with the first delimiter under which most of the wanted ones are there."""
    names = roles.values()
    delimiter, header = max(first_records(path).items(), key=lambda record: len(set(names) & set(record[1])))
    twice = sorted(name for name, times in Counter(header).items() if name and times > 1)
    if twice:
        raise InputError(f"{path}, line 1: the header names {twice[0]!r} twice; does the file have a header?")
    lacking = next((name for name in names if name not in header), None)
    if lacking is not None and any(re.fullmatch(r"\s*-?[0-9.]+\s*", cell) for cell in header):
        odd = f"there is no column {lacking!r}, and {','.join(header)[:60]!r} does not look like a header"
        raise InputError(f"{path}, line 1: {odd}", remedy="the first line must name the columns")
    check_columns(roles, header)
    return header, delimiter


def _check_end(path: Path) -> None:
    """Refuse a last line that is too long: DuckDB refuses others, but leaves out a last one that exceeds its buffer."""
    last = ending(path, LONGEST + 1).rstrip(b"\r\n")
    if len(last) >= LONGEST and not {10, 13} & set(last):
        raise InputError(f"the last line of {path} is longer than {LONGEST // 10**6} MB, too long for a row of a table")


def _has_rows(path: Path, delimiter: str) -> bool:
    """Say whether anything follows the header of a file."""
    with opened(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline="")
        next(csv.reader(text, delimiter=delimiter), [])
        return any(piece.strip() for piece in iter(partial(text.read, PIECE), ""))


def first_records(path: Path) -> dict[str, list[str]]:
    """Read the cells of the first record of a file, under each delimiter that its kind may have.

    Raises:
        InputError: if it is no text, or cannot be read under any.
    """
    records: dict[str, list[str]] = {}
    trouble = None
    with opened(path) as file:
        peek(file, path)
        text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        for delimiter in DELIMITERS[kind_of(path)]:
            text.seek(0)
            try:
                records[delimiter] = next(csv.reader(text, delimiter=delimiter), [])
            except UnicodeDecodeError as error:
                raise InputError(f"{path} is not UTF-8 text; save it as UTF-8") from error
            except csv.Error as error:
                trouble = error  # a long header is one cell under each delimiter but its own: a limit is exceeded
    if not records:
        raise InputError(f"cannot read the header of {path}: {trouble}") from trouble
    return records


def scan_json(connection: Any, paths: list[Path], roles: Mapping[str, str]) -> Scan:
    """Return how JSON files are read."""
    for path in paths:
        _check_json(path)
    names = list(dict.fromkeys(roles.values()))
    keys = {path: _keys(connection, path, names) for path in paths}
    # A file without objects has no keys to lack; that there are no rows is told later.
    check_names(roles, {path: own for path, own in keys.items() if own})
    if len({name.casefold() for name in names}) == len(names):
        fields = ", ".join(f"{literal(name)}: 'JSON'" for name in names)
        sql = f"SELECT * FROM read_json({_opening(paths)}, columns={{{fields}}})"
        return Scan(sql, {role: f"CAST({quote(name)} AS VARCHAR)" for role, name in roles.items()}, decode_json, "json")
    # Names that differ by case only: SQL would take them for one, so they are looked up in each object, which is slower.
    pointers = {role: literal("/" + name.replace("~", "~0").replace("/", "~1")) for role, name in roles.items()}
    terms = {role: f"nullif(CAST(json_extract(json, {at}) AS VARCHAR), 'null')" for role, at in pointers.items()}
    return Scan(f"SELECT json FROM read_json_objects({_opening(paths)})", terms, decode_json, "json")


def _check_json(path: Path) -> None:
    """Refuse what DuckDB takes and should not: a list that is cut after a comma, a packed file with a wrong checksum."""
    with opened(path) as file:
        head = peek(file, path)
    if head.startswith(b"\xef\xbb\xbf"):
        raise InputError(f"{path} begins with a byte order mark, which JSON must not; save it as UTF-8 without BOM")
    last = ending(path, TAIL).rstrip()
    if kind_of(path) == "json" and head.lstrip().startswith(b"[") and not last.endswith(b"]"):
        raise NotReady(f"{path} begins with [ and does not end with ]; is it complete?")


def first_keys(connection: Any, path: Path) -> list[str]:
    """Return the keys of the first objects of a file, in the order in which they come."""
    rows = f"SELECT json FROM read_json_objects({_opening([path])}) LIMIT {SOME}"
    keys = connection.sql(f"SELECT unnest(json_keys(json)) FROM ({rows})").fetchall()
    return list(dict.fromkeys(key for (key,) in keys))


def first_objects(connection: Any, path: Path, names: Sequence[str], limit: int) -> list[Sequence[Any]]:
    """Return the values of the first objects of a file; one by one, as an object can be large, and little of it is kept."""
    connection.execute(f"SELECT CAST(json AS VARCHAR) FROM read_json_objects({_opening([path])}) LIMIT {limit}")
    rows: list[Sequence[Any]] = []
    while row := connection.fetchone():
        try:
            value = loads(row[0])
        except RecursionError as error:
            raise InputError(f"{path} is JSON that is nested too deeply to be read") from error
        rows.append([value.get(name) if isinstance(value, dict) else None for name in names])
    return rows


def _opening(paths: list[Path]) -> str:
    """Return how DuckDB is told to open files."""
    form = "newline_delimited" if kind_of(paths[0]) == "lines" else "auto"
    return f"{listed(paths)}, hive_partitioning=false, format='{form}'"


def _keys(connection: Any, path: Path, names: Sequence[str]) -> list[str]:
    """Return the keys of the objects in a file; of the first ones, if the wanted ones are among these."""
    keys: list[str] = []
    for some in (f" LIMIT {FIRST}", ""):
        rows = f"SELECT json FROM read_json_objects({_opening([path])}){some}"
        distinct = connection.sql(f"SELECT DISTINCT unnest(json_keys(json)) AS k FROM ({rows}) ORDER BY k")
        keys = [key for (key,) in distinct.fetchall()]
        if set(names) <= set(keys):
            break
    return keys


def decode_json(connection: Any, rows: Any, names: Mapping[str, str]) -> dict[str, Column]:
    """Return the columns, with the types that their JSON has.

    Raises:
        InputError: if a column mixes types, or holds lists or objects.
    """
    columns = {}
    for role, values in rows.fetchnumpy().items():
        name = names.get(role, role)
        columns[role] = column(values if role == TIMES else _decoded(values, name), name)
    return columns


def check_ids(connection: Any, table: str, repeats: Repeats, name: str) -> Repeats:
    """Refuse ids that are texts here and numbers there, and write the example without its quotes."""
    sorts = ask(connection, f"SELECT count(DISTINCT starts_with(id, '\"')) FROM {table}")[0]
    if sorts > 1:
        raise InputError(f'{name} mixes values of different types (text and others); 1 and "1" are not the same id')
    return replace(repeats, example=json.loads(repeats.example)) if repeats.example.startswith('"') else repeats


def meant(text: Any) -> Any:
    """Return what a JSON text says; a text that is none is what it is."""
    if not isinstance(text, str):
        return text
    try:
        return loads(text)
    except (RecursionError, ValueError):
        return text


def shown(text: Any) -> str:
    """Return a value, which may be written as JSON, as the user wrote it."""
    return repr(meant(text)) if str(text).startswith(('"', "[")) else repr(text)


def _lists_of_texts(values: Sequence[Any]) -> bool:
    """Say whether all values are lists of texts, or missing."""
    return all(one is None or (isinstance(one, list) and all(isinstance(text, str) for text in one)) for one in values)


def _decoded(values: Any, name: str) -> list[Any]:
    """Return what JSON texts say."""
    texts = ["null" if text is None else text for text in values.tolist()]
    try:
        labels: list[Any] = json.loads(f"[{','.join(texts)}]")  # in one go: much quicker than each on its own
    except (RecursionError, ValueError) as error:
        raise InputError(f"{name} holds what is too deep or too long for a label or a number") from error
    if dict in (types := set(map(type, labels))) or (list in types and not _lists_of_texts(labels)):
        raise InputError(f"{name} holds lists or objects; a label or a number is needed")
    return labels
