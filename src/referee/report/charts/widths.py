"""Widths: about how many pixels words take, so that they are cut before they are drawn."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from referee.report import phrases

NARROW, WIDE = "iljtfrI.,:;'|!()[]{}/\\ -", "mwMW@%"
ELLIPSIS = "…"
HEAD = 0.6
"""So much of the room the beginning gets."""
JOINERS = "\u200d\ufe0f"


def width(text: str, size: float) -> float:
    """Return about how many pixels a text takes in a sans-serif letter of this size.

    >>> width("old", 12) < width("new", 12) < width("模型三", 12)
    True
    """
    return size * sum(map(_em, text))


def _em(sign: str) -> float:
    if unicodedata.combining(sign) or unicodedata.category(sign) in ("Mn", "Me", "Cf"):
        return 0.0
    if sign in NARROW:
        return 0.33
    if unicodedata.east_asian_width(sign) in ("W", "F"):
        return 1.1
    return 0.9 if sign in WIDE else 0.72 if sign.isupper() else 0.58


def fitted(text: str, pixels: float, size: float) -> str:
    """Cut a text that is too wide in its middle: names often differ at their ends.

    Vega's own cutting splits signs beyond the basic plane in two, on which drawing fails.

    >>> fitted("a tree of depth 12", 80, 12), fitted("short", 80, 12)
    ('a tree o…th 12', 'short')
    """
    if width(text, size) <= pixels:
        return text
    room = pixels - width(ELLIPSIS, size)
    head = _first(text, HEAD * room, size)
    tail = _first(text[::-1], room - width(head, size), size)[::-1]
    # A sign that joins its neighbours, or changes the one before it, is of no use at a cut.
    while tail and (tail[0] in JOINERS or unicodedata.category(tail[0]) in ("Mn", "Me")):
        tail = tail[1:]
    return head.rstrip(JOINERS) + ELLIPSIS + tail


def fitted_apart(texts: Sequence[str], pixels: float, size: float) -> list[str]:
    """Cut texts that are too wide, such that those that differ do so when cut."""
    return phrases.apart(texts, lambda text: fitted(text, pixels, size), ELLIPSIS)


def _first(text: str, pixels: float, size: float) -> str:
    """Return as much of a text's beginning as there is room for."""
    used = 0.0
    for place, sign in enumerate(text):
        used += size * _em(sign)
        if used > pixels:
            return text[:place]
    return text
