"""JSON: one object a row, by line or in a list; values stay JSON until grouped, so that 1, "1" and true are told apart."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.data.engines.base import Column, Repeats, column
from referee.data.engines.duckdb_sql import TIMES, Scan, ask, listed, literal, quote
from referee.data.engines.files import check_names, ending, kind_of, opened, peek
from referee.errors import InputError
from referee.runtime.bounded_json import loads

TAIL = 1 << 20
"""How many bytes of the end of a file are looked at."""
SOME, FIRST = 1_000, 10_000
"""Among so many objects keys are listed; and one is looked for, before it is among all."""


def scan(connection: Any, paths: list[Path], roles: Mapping[str, str]) -> Scan:
    """Return how JSON files are read."""
    for path in paths:
        _check(path)
    names = list(dict.fromkeys(roles.values()))
    keys = {path: _keys(connection, path, names) for path in paths}
    # A file without objects has no keys to lack; that there are no rows is told later.
    check_names(names, {path: own for path, own in keys.items() if own})
    if len({name.casefold() for name in names}) == len(names):
        fields = ", ".join(f"{literal(name)}: 'JSON'" for name in names)
        sql = f"SELECT * FROM read_json({_opening(paths)}, columns={{{fields}}})"
        return Scan(sql, {role: f"CAST({quote(name)} AS VARCHAR)" for role, name in roles.items()}, decode, "json")
    # Names that differ by case only: SQL would take them for one, so they are looked up in each object, which is slower.
    pointers = {role: literal("/" + name.replace("~", "~0").replace("/", "~1")) for role, name in roles.items()}
    terms = {role: f"nullif(CAST(json_extract(json, {at}) AS VARCHAR), 'null')" for role, at in pointers.items()}
    return Scan(f"SELECT json FROM read_json_objects({_opening(paths)})", terms, decode, "json")


def _check(path: Path) -> None:
    """Refuse what DuckDB takes and should not: a list that is cut after a comma, a packed file with a wrong checksum."""
    with opened(path) as file:
        head = peek(file, path)
    if head.startswith(b"\xef\xbb\xbf"):
        raise InputError(f"{path} begins with a byte order mark, which JSON must not; save it as UTF-8 without BOM")
    last = ending(path, TAIL).rstrip()
    if kind_of(path) == "json" and head.lstrip().startswith(b"[") and not last.endswith(b"]"):
        raise InputError(f"{path} begins with [ and does not end with ]; is it complete?")


def columns(connection: Any, path: Path) -> list[str]:
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


def decode(connection: Any, rows: Any, names: Mapping[str, str]) -> dict[str, Column]:
    """Return the columns, with the types that their JSON has.

    Raises:
        InputError: where a column mixes types, or holds lists or objects.
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


def _decoded(values: Any, name: str) -> list[Any]:
    """Return what JSON texts say."""
    texts = ["null" if text is None else text for text in values.tolist()]
    try:
        labels: list[Any] = json.loads(f"[{','.join(texts)}]")  # in one go: much quicker than each on its own
    except (RecursionError, ValueError) as error:
        raise InputError(f"{name} holds what is too deep or too long for a label or a number") from error
    if not {list, dict}.isdisjoint(map(type, labels)):
        raise InputError(f"{name} holds lists or objects; a label or a number is needed")
    return labels
