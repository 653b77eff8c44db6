"""The counts file: what its JSON holds, how it is written, and what is refused in one. It knows no Counts."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from referee.errors import InputError, did_you_mean
from referee.nesting import loads

SCHEMA = "referee.counts/1"
SIDE_ROLES = ("truth", "group", "stratum", "slice")
"""The roles that are no systems."""


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


def parsed(text: str, where: str) -> Any:
    """Return what the text of a file says.

    Raises:
        InputError: where it is truncated, or no JSON.
    """
    try:
        return loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where} is not a whole counts file: {error}") from error


def checked(content: Any, where: str) -> dict[str, Any]:
    """Return the parts of a file by name: columns, multiplicities, names, positive, open, matched, notes and about.

    Raises:
        InputError: where it is something else, or a part has not the form that it must have.
    """
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema != SCHEMA:
        given = f"its schema is {schema!r}" if schema else "it has no schema"
        raise InputError(f"{where} is not a counts file of this version ({SCHEMA}); {given}")
    try:
        columns, rows = list(content["columns"]), content["rows"]
        names = content.get("names", {})
        if not all(isinstance(role, str) for role in columns) or len(set(columns)) != len(columns):
            raise InputError(f"{where}: the columns must be distinct names")
        for role in columns:
            # A truth that is misspelt would be one more system.
            meant = "" if role in ("a", "b", *SIDE_ROLES) else did_you_mean(role, SIDE_ROLES)
            if meant:
                raise InputError(f"{where}: there is no role {role!r}{meant}")
        if any(not isinstance(row, list) or len(row) != len(columns) for row in rows):
            raise InputError(f"{where}: every row must have {len(columns)} values")
        if not isinstance(names, dict) or not isinstance(content.get("open", False), bool):
            raise InputError(f"{where}: names must be an object, and open true or false")
        return {
            "columns": {role: [row[i] for row in rows] for i, role in enumerate(columns)},
            "multiplicities": content["multiplicities"],
            "names": {str(key): str(value) for key, value in names.items()},
            "positive": content.get("positive"),
            "open": content.get("open", False),
            "matched": content.get("matched"),
            "notes": _notes(content.get("notes", []), where),
            "about": _about(content.get("about", {}), where),
        }
    except InputError:
        raise
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InputError(f"{where} is not a whole counts file: {type(error).__name__}: {error}") from error


def _notes(content: Any, where: str) -> list[str]:
    if not isinstance(content, list) or not all(isinstance(note, str) for note in content):
        raise InputError(f"{where}: notes must be a list of texts")
    return content


def _about(content: Any, where: str) -> dict[str, str]:
    if not isinstance(content, dict) or not all(isinstance(value, str) for value in content.values()):
        raise InputError(f"{where}: about must hold texts by name")
    return content
