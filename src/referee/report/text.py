"""Plain text for a terminal of 80 columns: a sentence, an aligned table, the warnings, the signature."""

from __future__ import annotations

import math
import textwrap
import unicodedata
from collections.abc import Sequence

from referee.report import rows, summary, words
from referee.results import Comparison, Comparisons

WIDTH = 80
LABEL = 24  # the most columns that a system's name takes in the table
TASK = 18
LINE = 37  # the columns of the drawn interval


def comparison(r: Comparison, width: int = WIDTH) -> str:
    """Write one comparison as plain text.

    Args:
        r: the result.
        width: the columns to keep to.

    Returns:
        The text, without a final newline; its last line is the signature.
    """
    found = rows.measures(r)
    table = [(_fit(what, LABEL), value, interval, how) for what, value, interval, how in found]
    label = max(_width(row[0]) for row in [*table, *((name, "") for name, _ in rows.facts(r))])
    lines = align([(_pad(row[0], label), *row[1:]) for row in table], right=(1,))
    blocks = [
        wrap(f"{words.headline(r)} {words.details(r)}", width),
        "\n".join([*(f"  {line}" for line in lines), *_drawn(r, label, width)]),
        "\n".join(_fact(name, said, label, width) for name, said in rows.facts(r)),
        _remarks(words.warnings(r), width),
        words.signature(r),
    ]
    return "\n\n".join(filter(None, blocks))


def comparisons(rs: Comparisons, width: int = WIDTH) -> str:
    """Write several comparisons as plain text, a row a task.

    Args:
        rs: the results.
        width: the columns to keep to, where the numbers allow it.

    Returns:
        The text, without a final newline; its last lines are the signatures.
    """
    body = [tuple(_fit(cell, TASK) for cell in row) for row in _narrow(rs)]
    blocks = [
        wrap(summary.sentence(rs), width),
        "\n".join(f"  {line}" for line in align(body, right=(1, 3, 4))),
        wrap(" ".join(filter(None, [summary.legend(rs), summary.direction(rs)])), width),
        "\n".join(wrap(line, width, "  ") for line in summary.audits(rs)),
        _remarks(summary.warnings(rs), width),
        "\n".join(summary.signatures(rs)),
    ]
    return "\n\n".join(filter(None, blocks)) if len(rs) else summary.sentence(rs)


def _narrow(rs: Comparisons) -> list[tuple[str, ...]]:
    """Leave the two scores out: the difference says it, and 80 columns hold no more."""
    head = [(*summary.HEAD[:6], f"p {summary.adjustment(rs)}", summary.HEAD[7]), *summary.rows(rs)]
    return [(row[0], *row[3:]) for row in head]


def _fact(label: str, said: str, indent: int, width: int) -> str:
    first = f"  {_pad(label, indent)}  "
    return textwrap.fill(said, width, initial_indent=first, subsequent_indent=" " * len(first), break_on_hyphens=False)


def _remarks(remarks: list[str], width: int) -> str:
    return "\n".join(wrap(f"Warning: {remark}", width, "  ") for remark in remarks)


def described(facts: Sequence[tuple[str, str]], width: int = WIDTH) -> str:
    """Write what things are, their names in a column."""
    label = max(len(name) for name, _ in facts)
    return "\n".join(wrap(f"  {name.ljust(label)}  {said}", width, " " * (label + 4)) for name, said in facts)


def wrap(text: str, width: int = WIDTH, indent: str = "") -> str:
    """Break a paragraph into lines."""
    return textwrap.fill(text, width, subsequent_indent=indent, break_on_hyphens=False)


def align(table: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Write rows of cells in columns."""
    widths = [max(_width(row[i]) for row in table) for i in range(len(table[0]))]
    cells = ([_pad(cell, widths[i], i in right) for i, cell in enumerate(row)] for row in table)
    return ["  ".join(row).rstrip() for row in cells]


def _width(text: str) -> int:
    """Count the columns of a terminal: wide signs take two, combining ones none."""
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text
    )


def _pad(text: str, width: int, right: bool = False) -> str:
    gap = " " * max(width - _width(text), 0)
    return gap + text if right else text + gap


def _fit(text: str, width: int) -> str:
    if _width(text) <= width:
        return text
    while text and _width(text) > width - 3:
        text = text[:-1]
    return text + "..."


def _drawn(r: Comparison, label: int, width: int) -> list[str]:
    """Draw the interval of the difference beside 0."""
    if r.interval is None or r.difference is None:
        return []
    ends = [0.0, r.interval.low, r.interval.high, r.difference]
    if not all(map(math.isfinite, ends)) or not r.interval.low < r.interval.high:
        return []
    sides = [f"{_fit(name, 12)} better" for name in words.names(r)]
    length = min(width - label - sum(map(_width, sides)) - 8, LINE)
    if length < LINE // 3:
        return []
    low, high = min(ends), max(ends)
    place = [2 + round((value - low) / (high - low) * (length - 5)) for value in ends]
    line = ["-" if place[1] <= i <= place[2] else " " for i in range(length)]
    for position, sign in zip(place, "|[]*", strict=True):
        line[position] = sign
    line[place[0]] = "|"
    left, right = sides if r.higher_is_better else sides[::-1]
    return [
        "",
        f"  {' ' * label}  {left} <{''.join(line)}> {right}",
        f"  {' ' * (label + _width(left) + 4 + place[0])}0",
    ]
