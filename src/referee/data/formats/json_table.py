"""JSON tables: the column names and then the rows in one JSON file, as MLflow, W&B and pandas write them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from referee.data.formats.base import Choices, Opening, Run, choose, reader, stem
from referee.data.formats.json_fields import load_json, shown
from referee.data.roles import check_columns
from referee.errors import InputError, NotReady

NAMED = ("id", "prediction", "truth", "group", "text")
INDEX = "index"
"""What the labels of the rows are called, which pandas keeps apart from the columns."""


def is_columns(opening: Opening) -> bool:
    """Say whether a file begins like a JSON object with the lists `columns` and `data`."""
    start = opening.json
    if not isinstance(start, dict) or not isinstance(start.get("columns"), list):
        return False
    rows = start.get("data", [] if isinstance(start.get(INDEX), list) else None)
    return isinstance(rows, list) and all(isinstance(row, list) for row in rows)


def table_of(path: Path) -> dict[str, list[Any]]:
    """Return the columns of such a table by their names; row labels that are more than places are the column `index`.

    Raises:
        InputError: if names repeat, or a row has not a cell for each.
    """
    data = load_json(path)
    if not isinstance(data, dict) or not all(isinstance(data.get(key), list) for key in ("columns", "data")):
        raise InputError(f"{path} lacks the lists 'columns' and 'data' that such a table is made of")
    for name in data["columns"]:
        if type(name) not in (str, int):
            raise InputError(f"{path} has a column whose name is {shown(name)}; a name must be text")
    names, rows, labels = list(map(str, data["columns"])), data["data"], data.get(INDEX)
    twice = next((name for name, times in Counter(names).items() if times > 1), None)
    if twice is not None:
        raise InputError(f"{path} names the column {twice!r} twice; each column needs a name of its own")
    if not rows:
        raise NotReady(f"{path} has no rows")
    for place, row in enumerate(rows, 1):
        if not isinstance(row, list) or len(row) != len(names):
            given = f"{len(row)} cells" if isinstance(row, list) else "no list of cells"
            raise InputError(f"row {place} of {path} has {given}; there are {len(names)} columns")
    table = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    if not isinstance(labels, list) or INDEX in names or labels == list(range(len(rows))):
        return table
    if len(labels) != len(rows):
        raise InputError(f"{path} has {len(labels)} row labels ('index') for {len(rows)} rows; each row needs one")
    return {**table, INDEX: labels}


@reader("a table in JSON (columns and data)", recognises=is_columns, roles=NAMED, table=table_of)
def read(path: Path, choices: Choices) -> list[Run]:
    """Read one system's predictions or scores from a column; without ids the place of a row is its id.

    Raises:
        NameUnknown: if there is no such column.
        InputError: if the table is broken, a row has no id, or a cell is a list or an object.
    """
    table = table_of(path)
    roles = {role: name for role in ("id", "truth", "group") if (name := choices.get(role)) is not None}
    text = choices.get("text")
    left = [name for name in table if name not in (*roles.values(), text)]
    roles["value"] = choices.get("prediction") or choose("prediction", left, choices, path, what="column")
    check_columns(roles, table)
    for name in roles.values():
        for place, cell in enumerate(table[name], 1):
            if isinstance(cell, list | dict):
                which = f"row {place} of {path} has {shown(cell)} in the column {name!r}"
                raise InputError(f"{which}; it must be a text or a number")
    rows = {role: table[name] for role, name in roles.items()} | ({"text": table[text]} if text in table else {})
    if "id" not in rows:
        rows["id"] = list(range(1, len(rows["value"]) + 1))
    elif None in rows["id"]:
        raise InputError(f"row {rows['id'].index(None) + 1} of {path} has no id in the column {roles['id']!r}")
    system = stem(path).removesuffix(".table")
    return [Run(system=system, rows=rows, ordered="id" not in roles, chosen={"prediction": roles["value"]})]
