"""Numbers by line: one score per line, and the line is the example."""

from __future__ import annotations

import math
import re
from pathlib import Path

from referee.data.engines.files import KINDS, suffix
from referee.data.formats.base import Choices, Opening, Run, first_lines, reader, stem
from referee.data.formats.json_fields import text_lines
from referee.errors import InputError, NotReady

LOOK = 10
"""How many lines are looked at to see what a file is."""
NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?nan", re.IGNORECASE)


def is_numbers(opening: Opening) -> bool:
    """Say whether a text file begins with lines of one number each."""
    if suffix(opening.path) in KINDS:
        return False
    lines = first_lines(opening.head, LOOK)
    return bool(lines) and all(NUMBER.fullmatch(line.strip()) for line in lines)


@reader("numbers by line", recognises=is_numbers)
def read(path: Path, choices: Choices) -> list[Run]:
    """Read one score per line; nan is a score that is missing.

    Raises:
        InputError: if a line is no number, or is blank, which would shift the lines below it.
    """
    values: list[float | None] = []
    blank = 0
    for place, line in text_lines(path):
        if not line.strip():
            blank = blank or place
            continue
        if blank:
            blank_line = f"line {blank} of {path} is blank, and examples are paired by line"
            raise InputError(blank_line, remedy="write nan for a score that is missing")
        values.append(decimal(line.strip(), f"line {place} of {path}"))
    if not values:
        raise NotReady(f"{path} is empty; it needs one number per line")
    return [Run(system=stem(path), rows={"id": list(range(1, len(values) + 1)), "value": values}, ordered=True)]


def decimal(text: bytes, what: str) -> float | None:
    """Return the number that a text is; None where it is nan.

    Raises:
        InputError: if it is none, or too large.
    """
    shown = text[:60].decode("utf-8", "replace")
    if not NUMBER.fullmatch(text):
        raise InputError(f"{what} is {shown!r}, not a number")
    value = float(text)
    if math.isinf(value):
        raise InputError(f"{what} is {shown!r}, a number too large to read")
    return None if math.isnan(value) else value
