"""The counts file: what its JSON holds, how it is written, and what is refused in one. It knows no Counts."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from referee.errors import InputError, did_you_mean
from referee.runtime.bounded_json import loads

SCHEMA = "referee.counts/1"
SIDE_ROLES = ("truth", "group", "stratum", "slice")
"""The roles that are no systems."""
SYSTEMS = ("a", "b")
ROLES = ("truth", *SYSTEMS, *SIDE_ROLES[1:])
KNOWN = f"the roles are: {', '.join(ROLES)}"
NEEDED = ("schema", "columns", "rows", "multiplicities")
"""What every file has."""
FIELDS: Mapping[str, tuple[type, str]] = {
    "schema": (str, "a text"),
    "columns": (list, "a list of roles"),
    "names": (dict, "an object"),
    "positive": (object, "a label"),
    "open": (bool, "true or false"),
    "matched": (dict, "an object"),
    "notes": (list, "a list of texts"),
    "partial_notes": (list, "a list of objects"),
    "about": (dict, "an object"),
    "precision": (int, "16, 32 or 64 (bits)"),
    "rows": (list, "a list of rows"),
    "multiplicities": (list, "a list of whole numbers"),
}
"""All that a file may have, and of which kind it is."""


def written(content: Mapping[str, Any]) -> str:
    """Write what a file holds, one row a line so that two days can be compared by eye."""
    rest = dict(content)
    rows, multiplicities = rest.pop("rows"), rest.pop("multiplicities")
    head = json.dumps(rest, ensure_ascii=False, indent=1)[:-2]
    lines = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows)
    return f'{head},\n "rows": [\n{lines}\n ],\n "multiplicities": {json.dumps(multiplicities)}\n}}\n'


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a file, unpacked.

    Raises:
        InputError: where it cannot be read.
    """
    try:
        content = Path(path).read_bytes()
        return (gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content).decode("utf-8")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the counts file {os.fspath(path)}: {error}") from error


def parsed(text: str | bytes, where: str) -> Any:
    """Return what the text of a file says.

    Raises:
        InputError: where it is truncated, no JSON, or says a thing twice.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice = next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
            raise InputError(f"{where} has {twice!r} twice; nothing says which one counts")
        return found

    try:
        return loads(text, object_pairs_hook=once)
    except InputError:
        raise
    except UnicodeDecodeError as error:
        raise InputError(f"{where} is not UTF-8 text; save it as UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where} is not a whole counts file: {error}") from error


def check_roles(columns: Iterable[object], where: str) -> None:
    """Refuse a column that is no role: it would be counted with the rest, and mean nothing.

    Raises:
        InputError: with the roles there are.
    """
    for role in columns:
        if role not in ROLES:
            raise InputError(f"{where}: there is no role {role!r}{did_you_mean(role, ROLES)}; {KNOWN}")


def checked(content: Any, where: str) -> dict[str, Any]:
    """Return the parts of a file by name: columns, multiplicities, names, positive, open, matched, notes, partial, about and precision.

    Raises:
        InputError: where it is something else, or a part has not the form that it must have.
    """
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema != SCHEMA:
        given = f"its schema is {schema!r}" if schema else "it has no schema"
        raise InputError(f"{where} is not a counts file of this version ({SCHEMA}); {given}")
    _check_fields(content, where)
    columns, names = content["columns"], content.get("names", {})
    if not all(isinstance(role, str) for role in columns) or len(set(columns)) != len(columns):
        raise InputError(f"{where}: the columns must be distinct names")
    check_roles(columns, where)
    lacking = [role for role in SYSTEMS if role not in columns]
    if lacking:
        raise InputError(
            f"{where}: the columns must have both systems, a and b; there is no {' and no '.join(lacking)}"
        )
    if any(not isinstance(row, list) or len(row) != len(columns) for row in content["rows"]):
        raise InputError(f"{where}: every row must have {len(columns)} values, one per column")
    if len(content["rows"]) != len(content["multiplicities"]):
        raise InputError(
            f"{where} has {len(content['rows'])} rows and {len(content['multiplicities'])} multiplicities; each row has one"
        )
    if not all(role in SYSTEMS and isinstance(name, str) for role, name in names.items()):
        raise InputError(
            f'{where}: names must be texts by system, such as {{"a": "old", "b": "new"}}; they are {names}'
        )
    if isinstance(content.get("positive"), list | dict):
        raise InputError(f"{where}: positive must be a label")
    return {
        "columns": {role: [row[i] for row in content["rows"]] for i, role in enumerate(columns)},
        "multiplicities": content["multiplicities"],
        "names": names,
        "positive": content.get("positive"),
        "open": content.get("open", False),
        "matched": content.get("matched"),
        "notes": _notes(content.get("notes", []), where),
        "partial": _partial(content.get("partial_notes", []), where),
        "about": _about(content.get("about", {}), where),
        "precision": _precision(content.get("precision", 64), where),
    }


def _check_fields(content: Mapping[str, Any], where: str) -> None:
    """Refuse a file that lacks a part, or has one of another form, or one that is misspelt."""
    for field in content:
        # Later versions may add fields; one that resembles a known field would be left unread in silence.
        meant = "" if field in FIELDS else did_you_mean(field, FIELDS)
        if meant:
            raise InputError(f"{where} has a field {field!r}{meant}; the fields are: {', '.join(FIELDS)}")
    for field in NEEDED:
        if field not in content:
            raise InputError(f"{where} is not a whole counts file: it has no {field!r}")
    for field, (kind, called) in FIELDS.items():
        if content.get(field) is not None and not isinstance(content[field], kind):
            raise InputError(f"{where}: {field} must be {called}; it is {type(content[field]).__name__}")
        if field in NEEDED and content[field] is None:
            raise InputError(f"{where}: {field} must be {called}; it is null")


def _notes(content: Any, where: str) -> list[str]:
    if not all(isinstance(note, str) for note in content):
        raise InputError(f"{where}: notes must be a list of texts")
    return list(content)


def _partial(content: Any, where: str) -> dict[str, tuple[int, int]]:
    """Read which notes are about parts of a sum: each with how many parts, and how many examples these have."""
    found: dict[str, tuple[int, int]] = {}
    for one in content:
        form = isinstance(one, dict) and isinstance(one.get("note"), str)
        numbers = tuple(one.get(key) for key in ("parts", "examples")) if form else ()
        if not form or not all(type(number) is int and number >= 0 for number in numbers):
            raise InputError(
                f"{where}: every one of partial_notes must have a note, and whole numbers of parts and examples"
            )
        found[one["note"]] = numbers
    return found


def _about(content: Any, where: str) -> dict[str, str]:
    if not isinstance(content, dict) or not all(isinstance(value, str) for value in content.values()):
        raise InputError(f"{where}: about must hold texts by name")
    return content


def _precision(content: Any, where: str) -> int:
    if type(content) is not int or content not in (16, 32, 64):
        raise InputError(f"{where}: precision must be 16, 32 or 64 (bits)")
    return content
