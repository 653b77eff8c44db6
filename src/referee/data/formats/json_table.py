"""Columns: a table in one piece of JSON, its column names and then its rows, as MLflow, W&B and pandas write it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from referee.data.formats.base import Choices, Opening, Run, choose, load_json, reader
from referee.data.formats.file_start import glimpse, stem
from referee.data.formats.json_fields import shown
from referee.errors import InputError, unknown

INDEX = "index"
"""What the labels of the rows are called, which pandas keeps apart from the columns."""


def is_columns(opening: Opening) -> bool:
    """Say whether a file begins like a JSON object with the lists `columns` and `data`."""
    found = glimpse(opening.head)
    if not isinstance(found, dict) or not isinstance(found.get("columns"), list):
        return False
    rows = found.get("data", [] if isinstance(found.get(INDEX), list) else None)
    return isinstance(rows, list) and all(isinstance(row, list) for row in rows)


def table_of(path: Path) -> dict[str, list[Any]]:
    """Return the columns of such a table by their names; row labels that are more than places are the column `index`.

    Raises:
        InputError: where names repeat, or a row has not a cell for each.
    """
    data = load_json(path)
    if (
        not isinstance(data, dict)
        or not isinstance(data.get("columns"), list)
        or not isinstance(data.get("data"), list)
    ):
        raise InputError(f"{path} has not the lists 'columns' and 'data', which such a table is made of")
    names = [_name(one, path) for one in data["columns"]]
    twice = next((name for name, times in Counter(names).items() if times > 1), None)
    if twice is not None:
        raise InputError(f"{path} names the column {twice!r} twice; each column needs a name of its own")
    rows = data["data"]
    if not rows:
        raise InputError(f"{path} has no rows")
    for place, row in enumerate(rows, 1):
        if not isinstance(row, list) or len(row) != len(names):
            given = f"{len(row)} cells" if isinstance(row, list) else "no list of cells"
            raise InputError(f"row {place} of {path} has {given}; there are {len(names)} columns")
    table = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    return {**table, **_labels(data.get(INDEX), names, len(rows), path)}


def _name(given: Any, path: Path) -> str:
    if isinstance(given, bool) or not isinstance(given, str | int):
        raise InputError(f"{path} has a column whose name is {shown(given)}; a name is a text")
    return str(given)


def _labels(given: Any, names: Sequence[str], rows: int, path: Path) -> dict[str, list[Any]]:
    if not isinstance(given, list) or INDEX in names or given == list(range(rows)):
        return {}
    if len(given) != rows:
        raise InputError(f"{path} has {len(given)} row labels ('index') and {rows} rows; these must be as many")
    return {INDEX: given}


@reader(
    "a table in JSON (columns and data)",
    looks_for='{"columns": [...], "data": [[...], ...]}, as MLflow, W&B and pandas write tables',
    recognises=is_columns,
    chooses=("id", "prediction", "truth", "group", "text"),
    table=table_of,
)
def read(path: Path, choices: Choices) -> list[Run]:
    """Read one system's predictions or scores from a column; without ids the place of a row is its id.

    Raises:
        NameUnknown: where there is no such column.
        InputError: where the table is broken, a row has no id, or a cell is a list or an object.
    """
    table = table_of(path)
    named = {"id": choices.id, "truth": choices.truth, "group": choices.group}
    columns = {role: name for role, name in named.items() if name is not None}
    left = [name for name in table if name not in (*columns.values(), choices.text)]
    if choices.prediction is not None and choices.prediction not in table:
        raise unknown("column", choices.prediction, table)
    columns["value"] = choices.prediction or choose("column", "prediction", left, None, path)
    rows = {role: _cells(table, name, path) for role, name in columns.items()}
    if "id" not in rows:
        rows["id"] = list(range(1, len(rows["value"]) + 1))
    elif None in rows["id"]:
        raise InputError(f"row {rows['id'].index(None) + 1} of {path} has no id in the column {choices.id!r}")
    chosen = {"prediction": columns["value"]}
    if choices.text in table:
        rows["text"] = table[choices.text]
    return [Run(system=stem(path).removesuffix(".table"), rows=rows, ordered=choices.id is None, chosen=chosen)]


def _cells(table: dict[str, list[Any]], name: str, path: Path) -> list[Any]:
    if name not in table:
        raise unknown("column", name, table)
    for place, cell in enumerate(table[name], 1):
        if isinstance(cell, list | dict):
            raise InputError(
                f"row {place} of {path} has a list or an object in the column {name!r}; a text or a number is needed"
            )
    return table[name]
