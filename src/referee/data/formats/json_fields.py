"""JSON of files within bounds, what a reader asks of its values, and the message where a value is something else."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from referee.data.engines.files import opened
from referee.errors import InputError
from referee.runtime.bounded_json import loads

LARGEST, LONGEST = 1 << 31, 1 << 28
"""The largest file, unpacked, that is read as one piece of JSON, and the longest line, in bytes."""
BROKEN = (OSError, EOFError, zlib.error)
"""What a file that cannot be read, or unpacked, raises."""
SHOWN = 60
"""How many characters of a value a message shows."""


def load_json(path: Path) -> Any:
    """Read a file that is one piece of JSON; NaN and Infinity, which are none, become None.

    Raises:
        InputError: where it is no JSON, too deep, or too large.
    """
    try:
        with opened(path) as file:
            data = file.read(LARGEST + 1)
    except BROKEN as error:
        raise InputError(f"cannot read {path}: {error}") from error
    check_size(len(data), path)
    return parse_json(data, path)


def check_size(size: int, where: object) -> None:
    """Refuse a piece of JSON that would fill the memory."""
    if size > LARGEST:
        raise InputError(f"{where} is larger than {LARGEST >> 30} GB unpacked; as one piece of JSON that is not read")


def parse_json(data: bytes | str, where: object) -> Any:
    """Parse one piece of JSON.

    Raises:
        InputError: where it is none.
    """
    text = decoded(data, where).removeprefix("\ufeff") if isinstance(data, bytes) else data
    try:
        return loads(text, parse_constant=lambda _: None)
    except RecursionError as error:
        raise InputError(f"{where} is JSON that is nested too deeply to be read") from error
    except ValueError as error:
        raise InputError(f"{where} is not JSON: {error}") from error


def text_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a text file with their numbers, without their ends.

    Raises:
        InputError: where the file cannot be read, or a line is too long.
    """
    try:
        with opened(path) as file:
            place = 0
            while line := file.readline(LONGEST + 1):
                place += 1
                if len(line) > LONGEST:
                    megabytes = LONGEST >> 20
                    raise InputError(
                        f"line {place} of {path} is longer than {megabytes} MB; that is no line of a table"
                    )
                yield place, line.removeprefix(b"\xef\xbb\xbf" if place == 1 else b"").rstrip(b"\r\n")
    except BROKEN as error:
        raise InputError(f"cannot read {path}: {error}") from error


def json_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield where each object of a JSON lines file is, for messages, and the object.

    Raises:
        InputError: with the line, where one is no JSON object.
    """
    for place, line in text_lines(path):
        if not line.strip():
            continue
        where = f"line {place} of {path}"
        value = parse_json(line, where)
        if not isinstance(value, dict):
            raise InputError(f"{where} is not a JSON object")
        yield where, value


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
    """Return a score as a number: true is 1, false 0, nothing (and NaN) None.

    Raises:
        InputError: where it is something else, or too large for a number.
    """
    if isinstance(value, list | dict | str):
        raise InputError(f"{what} must be a number; it is {shown(value)}")
    if value is None or value != value:
        return None
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if math.isinf(number):
        raise InputError(f"{what} is too large for a number")
    return number


def identifier(value: Any, what: str) -> str | int:
    """Return what names an item.

    Raises:
        InputError: where it is neither a text nor a whole number.
    """
    return _sound(value, what) if isinstance(value, str) else whole(value, what, "a text or a whole number")


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


def items(value: Any, what: str) -> list[Any]:
    """Return a JSON list.

    Raises:
        InputError: where it is none.
    """
    if not isinstance(value, list):
        raise InputError(f"{what} must be a list; it is {shown(value)}")
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


def decoded(text: bytes, where: object) -> str:
    """Return the text that bytes are.

    Raises:
        InputError: where they are none.
    """
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{where} is not UTF-8 text; save it as UTF-8") from error


def _sound(value: str, what: str) -> str:
    """Refuse half a character, which JSON can spell and nothing can write."""
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{what} is no text: {value[:SHOWN]!a} has half a character in it") from error
    return value
