"""Markdown for a pull request or a wiki: a heading, a table, the warnings, the signature."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from referee.report import phrases, rows, summary
from referee.results.comparison import Comparison, Comparisons

ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def escape(text: str) -> str:
    r"""Make a text mean itself in Markdown, in a table cell as well: no markup, no HTML, no new line.

    >>> escape("a|b_<i>*")
    'a\\|b\\_&lt;i&gt;\\*'
    """
    flat = re.sub(r"[&<>]", lambda sign: ENTITIES[sign[0]], " ".join(text.split()))
    return re.sub(r"[\\`*_\[\]|~$]", lambda sign: "\\" + sign[0], flat)


def comparison(r: Comparison) -> str:
    """Write one comparison as Markdown.

    Args:
        r: the result.

    Returns:
        A heading that says who is better, a table, the warnings and the signature.
    """
    blocks = [
        f"### {escape(phrases.headline(r))}",
        escape(phrases.details(r)),
        table(("", "value", "interval", "made by"), rows.measures(r), right=(1,)),
        table(("", ""), rows.facts(r)),
        bullets(phrases.warnings(r)),
        code([phrases.signature(r)]),
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def comparisons(rs: Comparisons) -> str:
    """Write several comparisons as Markdown, a row a task.

    Args:
        rs: the results.

    Returns:
        A heading that sums up, a table, the warnings and the signatures.
    """
    if not len(rs):
        return f"### {escape(summary.sentence(rs))}\n"
    head = (*summary.HEAD[:6], f"p ({summary.adjustment(rs)})", summary.HEAD[7])
    blocks = [
        f"### {escape(summary.sentence(rs))}",
        table(head, summary.rows(rs), right=(1, 2, 3, 5, 6)),
        escape(" ".join(filter(None, [summary.legend(rs), summary.direction(rs)]))),
        escape(" ".join(summary.audits(rs))),
        bullets(summary.warnings(rs)),
        code(summary.signatures(rs)),
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def table(head: Sequence[str], body: Iterable[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Write a table, its cells escaped."""
    rule = ["---:" if i in right else "---" for i in range(len(head))]
    lines = [[escape(cell) for cell in row] for row in (head, *body)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (lines[0], rule, *lines[1:]))


def bullets(remarks: Iterable[str]) -> str:
    """Write the warnings as a list."""
    return "\n".join(f"- {escape(f'Warning: {text}')}" for text in remarks)


def code(lines: Sequence[str]) -> str:
    """Write lines as they are."""
    return "\n".join(["```text", *lines, "```"])
