"""Fields: what a reader asks of a value that JSON gave it, and the message where it is something else."""

from __future__ import annotations

import json
import math
from typing import Any

from referee.data.formats.base import number
from referee.errors import InputError

SHOWN = 60
"""How many characters of a value a message shows."""


def shown(value: Any) -> str:
    """Return a value as messages show it: a list or an object only as what it is, as it can be of any size and depth.

    >>> shown("yes"), shown([[1]]), shown(None)
    ("'yes'", 'a list', 'null')
    """
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return repr(value[:SHOWN]) if isinstance(value, str) else str(value)[:SHOWN]


def score(value: Any, what: str) -> float | None:
    """Return a score as a number, None where there is none.

    Raises:
        InputError: where it is something else, or too large for a number.
    """
    if isinstance(value, list | dict | str):
        raise InputError(f"{what} must be a number; it is {shown(value)}")
    try:
        found = number(value, what)
    except OverflowError:
        found = math.inf
    if found is not None and math.isinf(found):
        raise InputError(f"{what} is too large for a number")
    return found


def identifier(value: Any, what: str) -> str | int:
    """Return what names an item.

    Raises:
        InputError: where it is neither a text nor a whole number.
    """
    if isinstance(value, str):
        return _sound(value, what)
    return whole(value, what, "a text or a whole number")


def whole(value: Any, what: str, kind: str = "a whole number") -> int:
    """Return a whole number.

    Raises:
        InputError: where it is none.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        raise InputError(f"{what} must be {kind}; it is {shown(value)}")
    return value


def label(value: Any, what: str) -> str | int | float:
    """Return what names a group.

    Raises:
        InputError: where it is neither a text nor a number.
    """
    if isinstance(value, str):
        return _sound(value, what)
    if not isinstance(value, int | float) or (isinstance(value, float) and not math.isfinite(value)):
        raise InputError(f"{what} must be a text or a number; it is {shown(value)}")
    return value


def mapping(value: Any, what: str) -> dict[str, Any]:
    """Return a JSON object.

    Raises:
        InputError: where it is none.
    """
    if not isinstance(value, dict):
        raise InputError(f"{what} must be a JSON object; it is {shown(value)}")
    return value


def name(value: Any, otherwise: str = "") -> str:
    """Return a text that is only shown, or another where it is none."""
    return value.encode(errors="replace").decode() if isinstance(value, str) and value else otherwise


def spelt(value: Any, what: str) -> str:
    """Return one text for what is the same JSON.

    Raises:
        InputError: where it is nested too deeply.
    """
    try:
        return name(json.dumps(value, sort_keys=True, ensure_ascii=False))
    except RecursionError as error:
        raise InputError(f"{what} is JSON that is nested too deeply to be read") from error


def _sound(value: str, what: str) -> str:
    """Refuse half a character, which JSON can spell and nothing can write."""
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{what} is no text: {value[:SHOWN]!a} has half a character in it") from error
    return value
