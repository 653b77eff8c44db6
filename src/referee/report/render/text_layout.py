"""Lines of text in a given width: paragraphs, columns, and tables that fold if they do not fit."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import accumulate

WIDTH = 80
NARROWEST, WIDEST = 40, 120
"""What a terminal is taken for, however small or large it is."""
PROSE = 100
"""The longest lines of sentences."""


def columns(text: str) -> int:
    """Count the columns of a terminal: wide signs take two, combining ones none.

    >>> columns("old"), columns("旧モデル"), columns("e\u0301")
    (3, 8, 1)
    """
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(sign: str) -> int:
    if unicodedata.category(sign) in ("Mn", "Me", "Cf") and sign != "\ufe0f":  # which makes a sign wide that was not
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def pad(text: str, width: int, right: bool = False) -> str:
    """Fill a text up with blanks."""
    gap = " " * max(width - columns(text), 0)
    return gap + text if right else text + gap


def fit(text: str, width: int) -> str:
    """Cut a text to a width, and show that it was cut."""
    if columns(text) <= width:
        return text
    while text and columns(text) > width - 3:
        text = text[:-1]
    return text + "..."


def fit_ends(text: str, width: int) -> str:
    """Cut a text to a width in its middle: names often differ at their ends.

    >>> fit_ends("20250522_tools_claude-4-opus", 16), fit_ends("short", 16)
    ('20250522_...opus', 'short')
    """
    if columns(text) <= width:
        return text
    head = fit(text, width - (width - 3) // 3)
    tail = text[-((width - 3) // 3) :]
    while columns(tail) > width - columns(head):
        tail = tail[1:]
    return head + tail


def wrap(text: str, width: int = WIDTH, indent: str = "") -> str:
    """Break a paragraph into lines.

    Args:
        text: the paragraph; blanks at its beginning stay.
        width: the columns to keep to.
        indent: what all lines but the first begin with.
    """
    width = min(width, PROSE)
    if all(_columns(sign) == 1 for sign in text):
        return textwrap.fill(text, width, subsequent_indent=indent, break_on_hyphens=False)
    return "\n".join(_lines(text, width, indent))


def _lines(text: str, width: int, indent: str) -> list[str]:
    """Break a paragraph in which signs are of different width: as textwrap does, but by columns."""
    lines: list[str] = []
    pieces = re.findall(r"[^\S\xa0]+|[\S\xa0]+", text)[::-1]  # lines are not broken between a number and its unit
    while pieces:
        if lines and pieces[-1].isspace():
            pieces.pop()
            continue
        start, taken = indent if lines else "", ""
        room = width - len(start)
        while pieces and columns(taken + pieces[-1]) <= room:
            taken += pieces.pop()
        if pieces and columns(pieces[-1]) > room:  # longer than a line: what fits of it stays here
            long = pieces.pop()
            cut = max(most(long, room - columns(taken)), 0 if taken else 1)
            taken, rest = taken + long[:cut], long[cut:]
            pieces += [rest] if rest else []
        if taken.strip():
            lines.append(f"{start}{taken}".rstrip())
    return lines


def most(text: str, width: int) -> int:
    """Return how many signs fit."""
    ends = accumulate(map(_columns, text))
    return sum(end <= width for end in ends)


def align(table: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Write rows of cells in columns."""
    widths = [max(columns(row[i]) for row in table) for i in range(len(table[0]))]
    cells = ([pad(cell, widths[i], i in right) for i, cell in enumerate(row)] for row in table)
    return ["  ".join(row).rstrip() for row in cells]


def widest(lines: Iterable[str]) -> int:
    """Return the columns of the longest line."""
    return max(map(columns, lines), default=0)


def described(name: str, text: str, label: int, width: int = WIDTH) -> str:
    """Write what one thing is, with so many columns for its name."""
    return wrap(f"  {pad(name, label)}  {text}", width, " " * (label + 4))


def stacked(
    titles: Sequence[str], head: Sequence[str], body: Sequence[Sequence[str]], width: int, right: Sequence[int]
) -> list[str]:
    """Write each row below its title: its cells side by side, or, where they do not fit, one below the other.

    Args:
        titles: one a row; a row whose title is that of the row before goes on below it.
        head: what the columns are called.
        body: the cells.
        width: the columns to keep to.
        right: the columns of numbers.
    """
    lines = [f"    {line}" for line in align([head, *body], right)]
    beside = widest(lines) <= width
    stack, names = lines[:1] if beside else [], [fit(name, width // 3) for name in head]
    label = widest(names) + 2
    for place, (title, row) in enumerate(zip(titles, body, strict=True)):
        stack += [wrap(f"  {title}", width, "    ")] if not place or titles[place - 1] != title else []
        below = [described(f"  {name}", cell, label, width) for name, cell in zip(names, row, strict=True)]
        stack += [lines[place + 1]] if beside else below
    return stack


def fold(name: str, width: int) -> list[str]:
    """Break a name after its punctuation, or anywhere where there is none."""
    lines = [""]
    for piece in re.split(r"(?<=[:,= _/-])", name):
        if columns(lines[-1] + piece.rstrip()) > width and lines[-1].strip():
            lines.append("  ")
        lines[-1] += piece
        while columns(lines[-1].rstrip()) > width:
            fitting = most(lines[-1], width)
            lines[-1:] = [lines[-1][:fitting], "  " + lines[-1][fitting:]]
    return [line.rstrip() for line in lines]
