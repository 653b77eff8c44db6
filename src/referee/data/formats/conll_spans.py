"""Spans: what the tags of a sentence mark, as conlleval counts them.

A span begins at B, at S or U, and at any other tag but O where none is open; it ends before O, before B, S or U,
before a tag of another type, after E, L, S or U, and with its sentence. So an I without a B begins a span, and IOB1,
IOB2, BIOES and BILOU need not be told apart. (conlleval itself knows neither S nor a B after an E of the same type;
here both begin a span, as BIOES means it.)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import TypeAlias

TAG = re.compile("O|[BIESLU](-[^\ud800-\udfff]+)?")
"""A tag; not of bytes that are no text, which are read as halves of characters."""
OUTSIDE = "O"
Span: TypeAlias = tuple[int, int, str]
"""The first and last place in the sentence, counted from 1, and the type."""


def spans(tags: Sequence[str]) -> set[Span]:
    """Return the spans that the tags of a sentence mark.

    >>> sorted(spans(["B-PER", "I-PER", "O", "I-LOC", "B-LOC"]))
    [(1, 2, 'PER'), (4, 4, 'LOC'), (5, 5, 'LOC')]
    """
    found: set[Span] = set()
    start, last, kind = 0, OUTSIDE, ""
    for place, tag in enumerate(chain(tags, [OUTSIDE]), 1):
        mark, _, own = tag.partition("-")
        if start and (mark in "OBSU" or last in "ELSU" or own != kind):
            found.add((start, place - 1, kind))
            start = 0
        if not start and mark != OUTSIDE:
            start = place
        last, kind = mark, own
    return found
