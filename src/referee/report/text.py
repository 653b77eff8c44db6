"""Plain text for a terminal: a sentence, an aligned table, the interval drawn, the warnings, the signature."""

from __future__ import annotations

import math
from functools import partial

from referee.report import phrases, rows, summary
from referee.report.layout import (
    LABEL,
    WIDTH,
    Block,
    align,
    columns,
    described_one,
    fit,
    joined,
    pad,
    stacked,
    widest,
    wrap,
)
from referee.results.comparison import Comparison, Comparisons

SHORT = 12  # the most columns that a system's name takes where lines are short
TASK = 18
LINE = 37  # the columns of the drawn interval
SHORTEST = LINE // 3


def comparison(r: Comparison, width: int = WIDTH) -> str:
    """Write one comparison as plain text.

    Args:
        r: the result.
        width: the columns to keep to; the signature is one line all the same.

    Returns:
        The text, without a final newline; its last line is the signature.
    """
    return joined(blocks_of(r, width))


def blocks_of(r: Comparison, width: int = WIDTH) -> list[Block]:
    """Return the parts of the text of one comparison."""
    label, table = _table(r, width)
    return [
        Block("verdict", wrap(f"{phrases.headline(r)} {phrases.details(r)}", width), phrases.headline(r)),
        Block("", "\n".join(table)),
        Block("drawing", "\n".join(_drawn(r, label, width))),
        Block("", "\n".join(described_one(name, said, label, width) for name, said in rows.facts(r))),
        Block("warnings", remarks(phrases.warnings(r), width)),
        Block("signature", phrases.signature(r)),
    ]


def _table(r: Comparison, width: int) -> tuple[int, list[str]]:
    """Return the lines of the scores and the difference, and the columns of their labels."""
    found, names = rows.measures(r), [name for name, _ in rows.facts(r)]
    for most in (LABEL, SHORT):
        *systems, last = [what for what, *_ in found]
        labels = [*phrases.apart(systems, partial(fit, width=most)), last]
        table = [(label, *rest) for label, (_, *rest) in zip(labels, found, strict=True)]
        label = max(columns(name) for name in [*names, *(row[0] for row in table)])
        lines = [f"  {line}" for line in align([(pad(row[0], label), *row[1:]) for row in table], right=(1,))]
        if widest(lines) <= width and (width >= WIDTH or label <= max(SHORT, width // 4)):
            return label, lines
    # How the intervals were made goes below them, and they below the scores if need be.
    lines = []
    for name, value, interval, how in table:
        beside = (
            [f"{value}  {interval}", how]
            if label + 6 + columns(f"{value}{interval}") <= width
            else [value, interval, how]
        )
        lines += [described_one(name if not i else "", said, label, width) for i, said in enumerate(beside) if said]
    return label, lines


def comparisons(rs: Comparisons, width: int = WIDTH) -> str:
    """Write several comparisons as plain text, a row a task.

    Args:
        rs: the results.
        width: the columns to keep to; a signature is one line all the same.

    Returns:
        The text, without a final newline; its last lines are the signatures.
    """
    return joined(blocks_of_several(rs, width)) if len(rs) else summary.sentence(rs)


def blocks_of_several(rs: Comparisons, width: int = WIDTH) -> list[Block]:
    """Return the parts of the text of several comparisons."""
    if not len(rs):
        return [Block("verdict", wrap(summary.sentence(rs), width))]
    return [
        Block("verdict", wrap(summary.sentence(rs), width), summary.counted(rs)),
        Block("", "\n".join(_tasks(rs, width))),
        Block("", wrap(" ".join(filter(None, [summary.legend(rs), summary.direction(rs)])), width)),
        Block("", "\n".join(wrap(line, width, "  ") for line in summary.audits(rs))),
        Block("warnings", remarks(summary.warnings(rs), width)),
        Block("signature", "\n".join(summary.signatures(rs))),
    ]


def _tasks(rs: Comparisons, width: int) -> list[str]:
    """Return the table of tasks; the two scores are left out, since the difference says it, and lines hold no more."""
    head, *body = [
        (row[0], *row[3:])
        for row in [(*summary.HEAD[:6], f"p {summary.adjustment(rs)}", summary.HEAD[7]), *summary.rows(rs)]
    ]
    tasks = phrases.apart([row[0] for row in body], partial(fit, width=TASK))
    cut = [(task, *row[1:-1], fit(row[-1], TASK)) for task, row in zip(tasks, body, strict=True)]
    lines = [f"  {line}" for line in align([head, *cut], right=(1, 3, 4))]
    if widest(lines) <= width:
        return lines
    return stacked([f"{row[0]}: {row[-1]}" for row in body], head[1:-1], [row[1:-1] for row in body], width)


def remarks(found: list[str], width: int, word: str = "Warning") -> str:
    """Write warnings, a paragraph each."""
    return "\n".join(wrap(f"{word}: {remark}", width, "  ") for remark in found)


def _drawn(r: Comparison, label: int, width: int) -> list[str]:
    """Draw the interval of the difference beside 0."""
    if r.interval is None or r.difference is None:
        return []
    ends = [0.0, r.interval.low, r.interval.high, r.difference]
    if not all(map(math.isfinite, ends)) or not r.interval.low < r.interval.high:
        return []
    room = SHORT + max(width - WIDTH, 0) // 2
    sides = [f"{name} better" for name in phrases.apart(phrases.names(r), partial(fit, width=room))]
    left, right = sides if r.higher_is_better else sides[::-1]
    length = min(width - label - sum(map(columns, sides)) - 8, LINE + max(width - WIDTH, 0))
    if length >= SHORTEST:
        line, zero = _interval(ends, length)
        return [
            f"  {' ' * label}  {left} <{line}> {right}",
            f"  {' ' * (label + columns(left) + 4 + zero)}0",
        ]
    if width >= WIDTH:
        return []
    line, zero = _interval(ends, min(width - 4, LINE))
    below = f"  {left}{pad(right, len(line) + 2 - columns(left), right=True)}"
    return [f"  <{line}>", f"  {' ' * (zero + 1)}0", *([below] if columns(f"{left}{right}") < len(line) + 2 else [])]


def _interval(ends: list[float], length: int) -> tuple[str, int]:
    """Return the line of an interval [low, high] with the difference on it, and where 0 is."""
    low, high = min(ends), max(ends)
    place = [2 + round((value - low) / (high - low) * (length - 5)) for value in ends]
    line = ["-" if place[1] <= i <= place[2] else " " for i in range(length)]
    for position, sign in zip(place, "|[]*", strict=True):
        line[position] = sign
    line[place[0]] = "|"
    return "".join(line), place[0]
