"""JSON: one object a row, by line or in a list; values stay JSON until grouped, so that 1, "1" and true are told apart."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.engines.base import Column, Grouped, Repeats, column
from referee.engines.opening import kept, kind_of, listed, opened, peek
from referee.engines.relations import TIMES, assemble, literal, quote
from referee.errors import InputError, unknown


def read(connection: Any, paths: list[Path], roles: Mapping[str, str], keep_ids: bool) -> Grouped:
    """Count the rows of JSON files.

    Raises:
        InputError: where a column mixes types, or holds lists or objects.
    """
    for path in paths:
        with opened(path) as file:
            peek(file, path)
    options = f"{listed(paths)}, format='{'newline_delimited' if kind_of(paths[0]) == 'lines' else 'auto'}'"
    sql, terms = _query(options, roles)
    rows, repeats = kept(connection, sql, terms, keep_ids)
    if "id" in roles:
        repeats = _checked_ids(connection, repeats, roles["id"])
    columns: dict[str, Column] = {}
    for role, values in rows.fetchnumpy().items():
        columns[role] = column(values if role == TIMES else _decoded(values, roles[role]), roles.get(role, role))
        missing = columns[role][1]
        if missing is not None and missing.all():
            known = connection.sql(
                f"SELECT DISTINCT unnest(json_keys(json)) FROM read_json_objects({options})"
            ).fetchall()
            if (roles[role],) not in known:
                raise unknown("column", roles[role], sorted(key for (key,) in known))
    return assemble(columns, repeats)


def _query(options: str, roles: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    names = list(dict.fromkeys(roles.values()))
    if len({name.casefold() for name in names}) == len(names):
        fields = ", ".join(f"{literal(name)}: 'JSON'" for name in names)
        terms = {role: f"CAST({quote(name)} AS VARCHAR)" for role, name in roles.items()}
        return f"SELECT * FROM read_json({options}, columns={{{fields}}})", terms
    # Names that differ by case only: SQL would take them for one, so they are looked up in each object, which is slower.
    found = {role: f"json_extract(json, {literal(_pointer(name))})" for role, name in roles.items()}
    terms = {role: f"nullif(CAST({value} AS VARCHAR), 'null')" for role, value in found.items()}
    return f"SELECT json FROM read_json_objects({options})", terms


def _checked_ids(connection: Any, repeats: Repeats, name: str) -> Repeats:
    sorts = connection.sql("SELECT count(DISTINCT starts_with(id, '\"')) FROM examples").fetchall()[0][0]
    if sorts > 1:
        raise InputError(f'{name} mixes values of different types (text and others); 1 and "1" are not the same id')
    return replace(repeats, example=str(json.loads(repeats.example))) if repeats.ids else repeats


def _pointer(name: str) -> str:
    return "/" + name.replace("~", "~0").replace("/", "~1")


def _decoded(values: Any, name: str) -> list[Any]:
    texts = ["null" if text is None else text for text in values.tolist()]
    found: list[Any] = json.loads(f"[{','.join(texts)}]")  # in one go: much quicker than each on its own
    if not {list, dict}.isdisjoint(map(type, found)):
        raise InputError(f"{name} holds lists or objects; a label or a number is needed")
    return found
