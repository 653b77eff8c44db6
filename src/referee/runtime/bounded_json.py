"""JSON of bounded depth: how deep a decoder goes before it fails differs between versions of Python."""

from __future__ import annotations

import json
from typing import Any

DEEPEST = 500
"""So many levels every Python reads, wherever it is called from; data have a few."""


def loads(text: str | bytes, decoder: json.JSONDecoder | None = None, **options: Any) -> Any:
    """Parse JSON as `json.loads` does.

    Args:
        text: one piece of JSON.
        decoder: parses a text instead: of options, `json.loads` makes a new one each time, and a log has many lines.
        options: those of `json.loads`.

    Raises:
        RecursionError: if lists and objects are nested deeper than any data are.

    >>> loads('{"a": [1, 2]}')
    {'a': [1, 2]}
    """
    value = json.loads(text, **options) if decoder is None or isinstance(text, bytes) else decoder.decode(text)
    opened = text.count(b"[") + text.count(b"{") if isinstance(text, bytes) else text.count("[") + text.count("{")
    if opened > DEEPEST:
        _measure(value)
    return value


def _measure(value: Any) -> None:
    """Go down level by level, without a call for each."""
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer if isinstance(outer, list) else ())
            if isinstance(inner, dict | list)
        ]
        if not level:
            return
    raise RecursionError(f"more than {DEEPEST} levels of lists and objects")
