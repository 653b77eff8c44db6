"""Glimpse: what the name of a file and its first bytes tell, wherever they are cut off."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from referee.data.formats.base import HEAD

DECODER = json.JSONDecoder()
DEEPEST = 5
"""How many levels of what is cut are looked into; each is read once more."""
BLANK = re.compile(r"[ \t\r\n]*")


def stem(path: Path) -> str:
    """Return the name of a file without its extension, that of the packed one where it is packed.

    >>> stem(Path("runs/old.json.gz"))
    'old'
    """
    return Path(path.name.removesuffix(".gz")).stem


def first_lines(head: bytes, most: int) -> list[bytes]:
    r"""Return the first lines that are not blank, none of them cut; nothing where the bytes are no text.

    >>> first_lines(b"one\r\n\ntwo\nthree\n", 2)
    [b'one', b'two']
    """
    if b"\0" in head:
        return []
    lines = head.removeprefix(b"\xef\xbb\xbf").splitlines()
    whole = lines[:-1] if len(head) == HEAD else lines
    return [line for line in whole if line.strip()][:most]


def glimpse(head: bytes) -> Any:
    r"""Return the beginning of a file as one piece of JSON, without what is cut off; None where it is no such thing.

    >>> glimpse(b'{"columns": ["id", "score"], "data": [["x", 1], ["y", ')
    {'columns': ['id', 'score'], 'data': [['x', 1], ['y']]}
    >>> glimpse(b'{"a": 1}\n{"a": 2}\n')
    """
    text = head.decode("utf-8-sig", "replace")
    try:
        value, end = _value(text, _skip(text, 0))
    except ValueError:
        return None
    return value if _skip(text, end) == len(text) else None


def _skip(text: str, at: int) -> int:
    found = BLANK.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int, depth: int = 0) -> tuple[Any, int]:
    """Return the value at a place and where it ends; a list or an object that is cut has what came before.

    Raises:
        ValueError: where there is none.
    """
    try:
        return _decoded(text, at)
    except ValueError:
        if depth < DEEPEST and text[at : at + 1] == "[":
            return _items(text, at + 1, depth + 1), len(text)
        if depth < DEEPEST and text[at : at + 1] == "{":
            return _fields(text, at + 1, depth + 1), len(text)
        raise


def _decoded(text: str, at: int) -> tuple[Any, int]:
    """Return the whole value at a place, and where it ends; what is too deep is as good as cut."""
    try:
        return DECODER.raw_decode(text, at)
    except RecursionError as error:
        raise ValueError("too deep") from error


def _items(text: str, at: int, depth: int) -> list[Any]:
    found: list[Any] = []
    while True:
        try:
            value, at = _value(text, _skip(text, at), depth)
        except ValueError:
            return found
        found.append(value)
        at = _skip(text, at)
        if text[at : at + 1] != ",":
            return found
        at += 1


def _fields(text: str, at: int, depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    while True:
        try:
            name, at = _decoded(text, _skip(text, at))
            at = _skip(text, at)
            if not isinstance(name, str) or text[at : at + 1] != ":":
                return found
            found[name], at = _value(text, _skip(text, at + 1), depth)
        except ValueError:
            return found
        at = _skip(text, at)
        if text[at : at + 1] != ",":
            return found
        at += 1
