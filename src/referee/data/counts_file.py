"""The counts file: what its JSON holds, how it is written, and what is refused. It does not depend on Counts."""

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
from referee.data.roles import COUNTED, SYSTEMS, is_system, systems_among
from referee.errors import InputError, NotReady, did_you_mean
from referee.runtime.bounded_json import loads

SCHEMA = "referee.counts/1"
NEEDED = ("schema", "columns", "rows", "multiplicities")
"""What every file has."""
OPTIONAL = ("names", "positive", "open", "matched", "notes", "about", "precision")
"""What a file may lack, and `Counts.of` has a default for."""
NULLABLE = ("names", "open", "matched", "partial_notes")
"""What may be null, as if it were not there."""


def _is(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kind)


def _texts(kind: type) -> Callable[[Any], bool]:
    """Return a check of a list of texts, or of texts by name."""

    def fits(content: Any) -> bool:
        values = content.values() if isinstance(content, dict) else content
        return isinstance(content, kind) and all(isinstance(text, str) for text in values)

    return fits


def _are_whole(numbers: Iterable[Any]) -> bool:
    return all(type(number) is int and number >= 0 for number in numbers)


def _is_partial(note: Any) -> bool:
    """Say whether it is a note about parts of a sum, with how many parts, and how many examples these have."""
    parts = ("parts", "examples")
    return isinstance(note, dict) and isinstance(note.get("note"), str) and _are_whole(map(note.get, parts))


FIELDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "schema": (_is(str), "a text"),
    "columns": (_is(list), "a list of roles"),
    "names": (
        lambda names: _texts(dict)(names) and all(map(is_system, names)),
        'texts by system, such as {"a": "old", "b": "new"}',
    ),
    "positive": (lambda label: not isinstance(label, list | dict), "a label"),
    "open": (_is(bool), "true or false"),
    "matched": (lambda own: isinstance(own, dict) and _are_whole(own.values()), "whole numbers by name, none negative"),
    "notes": (_texts(list), "a list of texts"),
    "partial_notes": (
        lambda notes: isinstance(notes, list) and all(map(_is_partial, notes)),
        "a list of objects, each with a note, and whole numbers of parts and examples",
    ),
    "about": (_texts(dict), "texts by name"),
    "precision": (lambda bits: type(bits) is int and bits in PRECISIONS, "16, 32 or 64 (bits)"),
    "rows": (_is(list), "a list of rows"),
    "multiplicities": (_is(list), "a list of whole numbers"),
}
"""All that a file may have, and of which form it is."""


def written(content: Mapping[str, Any]) -> str:
    """Write the contents of a file, one row per line, so that two files can be compared by eye."""
    rest = dict(content)
    rows, multiplicities = rest.pop("rows"), rest.pop("multiplicities")
    head = json.dumps(rest, ensure_ascii=False, indent=1)[:-2]
    lines = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows)
    return f'{head},\n "rows": [\n{lines}\n ],\n "multiplicities": {json.dumps(multiplicities)}\n}}\n'


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a file, unpacked.

    Raises:
        InputError: if it cannot be read.
    """
    try:
        content = Path(path).read_bytes()
        return (gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content).decode("utf-8")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the counts file {os.fspath(path)}: {error}") from error


def parsed(text: str | bytes, where: str) -> Any:
    """Return what the text of a file says.

    Raises:
        InputError: if it is truncated, no JSON, or says a thing twice.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        content = dict(pairs)
        if len(content) < len(pairs):
            twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
            raise InputError(f"{where} has {twice!r} twice; nothing says which one counts")
        return content

    try:
        return loads(text, object_pairs_hook=once)
    except InputError:
        raise
    except UnicodeDecodeError as error:
        raise InputError(f"{where} is not UTF-8 text; save it as UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise NotReady(f"{where} is not a whole counts file: {error}") from error


def check_roles(columns: Iterable[object], where: str) -> None:
    """Refuse a column that is no role: it would be counted with the rest, and mean nothing.

    Raises:
        InputError: with the roles there are.
    """
    for role in columns:
        if role not in COUNTED and not is_system(str(role)):
            hint = did_you_mean(role, COUNTED)
            raise InputError(f"{where}: there is no role {role!r}{hint}; the roles are: {', '.join(COUNTED)}")


def checked(content: Any, where: str) -> dict[str, Any]:
    """Return the parts of a file by name: columns, multiplicities, names, positive, open, matched, notes, partial, about and precision.

    Raises:
        InputError: if it is something else, or a part has not the form that it must have.
    """
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema != SCHEMA:
        given = f"its schema is {schema!r}" if schema else "it has no schema"
        raise InputError(f"{where} is not a counts file of this version ({SCHEMA}); {given}")
    _check_fields(content, where)
    columns, rows, multiplicities = content["columns"], content["rows"], content["multiplicities"]
    if not all(isinstance(role, str) for role in columns) or len(set(columns)) != len(columns):
        raise InputError(f"{where}: the columns must be distinct names")
    check_roles(columns, where)
    lacking = " and no ".join(role for role in SYSTEMS if role not in columns)
    if lacking and len(systems_among(columns)) < len(SYSTEMS):
        raise InputError(f"{where}: the columns must have both systems, a and b; there is no {lacking}")
    if any(not isinstance(row, list) or len(row) != len(columns) for row in rows):
        raise InputError(f"{where}: every row must have {len(columns)} values, one per column")
    if len(rows) != len(multiplicities):
        raise InputError(f"{where} has {len(rows)} rows and {len(multiplicities)} multiplicities; each row has one")
    return {
        "columns": {role: [row[i] for row in rows] for i, role in enumerate(columns)},
        "multiplicities": multiplicities,
        "partial": {part["note"]: (part["parts"], part["examples"]) for part in content.get("partial_notes") or ()},
        **{field: content[field] for field in OPTIONAL if content.get(field) is not None},
    }


def _check_fields(content: Mapping[str, Any], where: str) -> None:
    """Refuse a file that lacks a part, or has one of another form, or one that is misspelt."""
    for field in content:
        # Later versions may add fields; one that resembles a known field would be left unread in silence.
        meant = "" if field in FIELDS else did_you_mean(field, FIELDS)
        if meant:
            raise InputError(f"{where} has a field {field!r}{meant}; the fields are: {', '.join(FIELDS)}")
    lacking = next((field for field in NEEDED if field not in content), None)
    if lacking is not None:
        raise NotReady(f"{where} is not a whole counts file: it has no {lacking!r}")
    for field, (fits, form) in FIELDS.items():
        value = content.get(field)
        if field in content and not fits(value) and not (value is None and field in NULLABLE):
            raise InputError(f"{where}: {field} must be {form}; it is {json.dumps(value, default=str)[:60]}")
