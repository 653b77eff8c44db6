"""The counts file: what its JSON holds, how it is written, and what is refused in one. It knows no Counts."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from referee.data.columns import PRECISIONS
from referee.data.roles import COUNTED, SYSTEMS
from referee.errors import InputError, did_you_mean
from referee.runtime.bounded_json import loads

SCHEMA = "referee.counts/1"
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


def _are_texts(content: Any) -> bool:
    values = content.values() if isinstance(content, dict) else content
    return values is not None and all(isinstance(value, str) for value in values)


def _are_whole(numbers: Iterable[Any]) -> bool:
    return all(type(number) is int and number >= 0 for number in numbers)


def _are_partial(notes: Iterable[Any]) -> bool:
    """Say whether each is a note about parts of a sum, with how many parts, and how many examples these have."""
    return all(
        isinstance(one, dict)
        and isinstance(one.get("note"), str)
        and _are_whole(one.get(key) for key in ("parts", "examples"))
        for one in notes
    )


OPTIONAL = ("names", "positive", "open", "matched", "notes", "about", "precision")
"""What a file may lack, and `Counts.of` has a default for."""
RULES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "positive": (lambda label: not isinstance(label, list | dict), "be a label"),
    "notes": (_are_texts, "be a list of texts"),
    "about": (_are_texts, "hold texts by name"),
    "precision": (lambda bits: type(bits) is int and bits in PRECISIONS, "be 16, 32 or 64 (bits)"),
    "matched": (lambda counts: not counts or _are_whole(counts.values()), "hold whole numbers that are not negative"),
}
"""What is asked of them beside their kind."""


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
        if role not in COUNTED:
            known = ", ".join(COUNTED)
            raise InputError(f"{where}: there is no role {role!r}{did_you_mean(role, COUNTED)}; the roles are: {known}")


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
    columns = content["columns"]
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
    if not _are_partial(content.get("partial_notes") or ()):
        raise InputError(
            f"{where}: every one of partial_notes must have a note, and whole numbers of parts and examples"
        )
    for field, (fits, rule) in RULES.items():
        if field in content and not fits(content[field]):
            raise InputError(f"{where}: {field} must {rule}")
    optional = {field: content[field] for field in OPTIONAL if content.get(field) is not None}
    if "names" in optional and not (set(optional["names"]) <= set(SYSTEMS) and _are_texts(optional["names"])):
        raise InputError(
            f'{where}: names must be texts by system, such as {{"a": "old", "b": "new"}}; they are {optional["names"]}'
        )
    return {
        "columns": {role: [row[i] for row in content["rows"]] for i, role in enumerate(columns)},
        "multiplicities": content["multiplicities"],
        "partial": {one["note"]: (one["parts"], one["examples"]) for one in content.get("partial_notes") or ()},
        **optional,
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
