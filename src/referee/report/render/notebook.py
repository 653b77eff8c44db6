"""Notebooks: a short piece of HTML that takes its colours and its letters from the page around it."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from referee.report.document import Document, Facts, Notes, Paragraph, Reader, Table, plain
from referee.runtime.safe_text import replaced

MARKS = {"good": "#2e7d32", "bad": "#c62828", "open": "#b26a00"}


def render(document: Document) -> str:
    """Write a document: the verdict, the tables, and what lies behind them folded away. No script, no network."""
    return replaced("\n".join(["<div>", *_parts(document), "</div>"]))


def _parts(document: Document) -> Iterator[str]:
    verdict = document.verdict
    yield f'<p><strong style="color:{MARKS[verdict.tone]}">{escape(plain(verdict.headline))}</strong> {escape(plain(verdict.details))}</p>'
    for block in document.blocks:
        if Reader.VERBOSE not in block.readers:
            continue
        if isinstance(block, Paragraph):
            yield f"<p>{escape(plain(block.text))}</p>"
        elif isinstance(block, Notes):
            yield from (f"<p><em>{escape(f'{block.word}: {text}')}</em></p>" for text in block.texts)
        elif isinstance(block, Table):
            yield _table(block)
        elif isinstance(block, Facts) and block.rows:
            rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in block.rows)
            yield f"<details><summary>behind it</summary><table>{rows}</table></details>"
    yield from (f"<p><small><code>{escape(line)}</code></small></p>" for line in document.signatures)


def _table(block: Table) -> str:
    sides = [f' style="text-align:{"right" if column.right else "left"}"' for column in block.columns]
    head = "".join(f"<th{side}>{escape(one.name)}</th>" for side, one in zip(sides, block.columns, strict=True))
    rows = [
        "".join(f"<td{side}>{escape(plain(cell))}</td>" for side, cell in zip(sides, row, strict=True))
        for row in block.rows
    ]
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    title = f"<caption>{escape(block.title)}</caption>" if block.announced else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
