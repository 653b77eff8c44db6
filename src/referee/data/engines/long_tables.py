"""Long tables: one file with the rows of several systems, read once and taken apart by the column that tells them apart."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from referee.data.columns import is_missing
from referee.data.engines import duckdb_sql as db
from referee.data.engines.base import Joined, Side
from referee.data.engines.tables import scan
from referee.data.engines.text_files import decode_json, meant
from referee.data.roles import named_among
from referee.errors import Argument, InputError, Message, NotReady, unknown

ONLY = "only"
"""The role of the column that says whose rows are whose."""
LONG = "long_rows"
"""The table that holds all rows until they are taken apart."""
REPEATED = (str, int, bool)
"""Values of these types, equal ones of which are written alike, are often the same in many rows: tasks, parts of ids, marks."""
MOST = 1_000
"""A column that tells more systems apart than this is taken for another."""


def taken_apart(connection: Any, joined: Joined) -> tuple[Joined, list[db.Scan]]:
    """Read a long table into `LONG`, and return the sides that it has, and how the rows of each are found there.

    Args:
        connection: the database.
        joined: two sides, of which each is a system of the table; or the table alone, and which of its systems are meant.

    Raises:
        NameUnknown: if a system was named that the table has not.
        InputError: if it does not tell two systems apart, or far too many.
    """
    table = joined.left
    column = table.only[0] if table.only is not None else ""
    rows = scan_side(connection, table, 0)
    terms = {**rows.terms, ONLY: f"CAST({rows.terms[ONLY]} AS VARCHAR)"}
    as_json = rows.family == "json"
    marks = {side.name: json.dumps(side.name, ensure_ascii=False) if as_json else side.name for side in joined.sides}
    which = f" WHERE {terms[ONLY]} IN ({', '.join(map(db.literal, marks.values()))})" if joined.long is None else ""
    connection.execute(f"CREATE TABLE {LONG} AS SELECT {db.named(terms)} FROM ({rows.sql}){which}")
    found = [
        mark for (mark,) in connection.sql(f'SELECT "{ONLY}" FROM {LONG} GROUP BY 1 ORDER BY min(rowid)').fetchall()
    ]
    if joined.long is not None:
        marks = _meant_of(connection, table, column, joined.long, found)
        sides = tuple(replace(table, name=name, only=(column, name)) for name in marks)
        joined = replace(joined, sides=sides, long=None)
    for role, side in zip(joined.roles, joined.sides, strict=True):
        if marks[side.name] not in found:
            values = connection.sql(f"SELECT DISTINCT {rows.terms[ONLY]} FROM ({rows.sql}) LIMIT 40").fetchall()
            raise unknown(
                f"system in the column {column!r}", side.name, sorted(_called(one) for (one,) in values), role
            )
    whose = (f'SELECT * FROM {LONG} WHERE "{ONLY}" = {db.literal(marks[side.name])}' for side in joined.sides)
    return joined, [replace(rows, sql=sql, terms={role: db.quote(role) for role in terms}) for sql in whose]


def scan_side(connection: Any, side: Side, place: int) -> db.Scan:
    """Return how a side is read; values that are in memory become JSON, so that types are told apart."""
    roles = dict(side.columns) | ({} if side.only is None else {ONLY: side.only[0]})
    if not isinstance(side.source, Mapping):
        return scan(connection, list(side.source), roles)
    values = {role: np.array(_as_json(side.source[name]), dtype=object) for role, name in roles.items()}
    connection.register(f"given_{place}", values)
    return db.Scan(f"SELECT * FROM given_{place}", {role: db.quote(role) for role in roles}, decode_json, "json")


def _as_json(values: Iterable[Any]) -> list[str | None]:
    """Write values as JSON, what is missing as None; in ASCII, since a text may hold what UTF-8 cannot."""
    known: dict[tuple[type, Any], str] = {}

    def written(value: Any) -> str:
        kind = type(value)
        if kind is list:
            return f"[{', '.join(map(written, value))}]"
        if kind not in REPEATED:
            return json.dumps(value)
        text = known.get((kind, value))
        if text is None:
            text = known[kind, value] = json.dumps(value)
        return text

    return [None if is_missing(value) else written(value) for value in values]


def _meant_of(
    connection: Any, table: Side, column: str, wanted: Sequence[str], found: Sequence[str | None]
) -> dict[str, str]:
    """Return the systems that are meant, in the order of the table or in that in which they were named.

    Args:
        connection: the database that has the rows, in `LONG`.
        table: where they are from.
        column: what tells the systems apart.
        wanted: names or patterns; all systems if there are none.
        found: what the column holds.

    Returns:
        What the column holds of each, by its name.
    """
    files = ", ".join(map(str, table.files))
    of_files = f"the column {column!r} of {files}"
    if not found:
        raise NotReady(f"{files} has no rows")
    if len(found) > MOST:
        remedy = "name the column that says which system a row is from"
        many = f"{of_files} has {len(found):,} different values; at most {MOST:,} systems can be read"
        raise InputError(many, argument="system", value=column, remedy=remedy)
    if None in found and not wanted:
        (gone,) = db.ask(connection, f'SELECT count(*) FROM {LONG} WHERE "{ONLY}" IS NULL')
        lacking = f"{of_files} names no system in {gone:,} row{'' if gone == 1 else 's'}"
        remedy = Message("fill it in, or name the systems that you mean with ", Argument("systems"))
        raise InputError(lacking, argument="system", value=column, remedy=remedy)
    marks: dict[str, str] = {}
    for mark in found:
        if mark is None:
            continue
        if (name := _called(mark)) in marks:
            raise InputError(f"{of_files} has two systems called {name}: {marks[name]} and {mark}; rename one")
        marks[name] = mark
    names = named_among(wanted, marks, f"system in the column {column!r}") if wanted else list(marks)
    if len(names) == 1:
        only = f"{of_files} has one system, {names[0]}" if len(marks) == 1 else f"one system was named, {names[0]}"
        raise InputError(only, argument="systems", remedy="a ranking needs two or more")
    return {name: marks[name] for name in names}


def _called(mark: Any) -> str:
    """Return what a system is called whose name may be written as JSON."""
    return str(meant(mark) if str(mark).startswith('"') else mark)
