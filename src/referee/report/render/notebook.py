"""Notebooks: a short piece of HTML that takes its colours and fonts from the page around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from referee.report.document import Block, Document, Facts, Notes, Paragraph, Reader, Table, Text, plain
from referee.runtime.safe_text import replaced

FOLDED = 40
"""Tables of more rows are folded away."""
MARKS = {"good": "#2e7d32", "bad": "#c62828", "open": "#b26a00"}


def render(document: Document) -> str:
    """Write a document: the verdict, the tables, and what lies behind them folded away. No script, no network."""
    return replaced("\n".join(["<div>", *_parts(document), "</div>"]))


def _parts(document: Document) -> Iterator[str]:
    verdict = document.verdict
    yield f'<p><strong style="color:{MARKS[verdict.tone]}">{escape(plain(verdict.headline))}</strong> {escape(plain(verdict.details))}</p>'
    for block in document.find(Block, Reader.VERBOSE):
        match block:
            case Paragraph():
                yield f"<p>{escape(plain(block.text))}</p>"
            case Notes():
                yield from (f"<p><em>{escape(f'{block.word}: {text}')}</em></p>" for text in block.texts)
            case Table():
                yield _table(block)
            case Facts() if block.rows:
                rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in block.rows)
                yield f"<details><summary>behind it</summary><table>{rows}</table></details>"
    yield from (f"<p><small><code>{escape(line)}</code></small></p>" for line in document.signatures)


def _table(block: Table) -> str:
    body = "".join(_row("td", row, block) for row in block.rows)
    head = _row("th", [column.name for column in block.columns], block)
    folded = len(block.rows) > FOLDED
    title = f"<caption>{escape(block.title)}</caption>" if block.announced and not folded else ""
    table = f"<table>{title}<thead>{head}</thead><tbody>{body}</tbody></table>"
    return f"<details><summary>{escape(block.title)}</summary>{table}</details>" if folded else table


def _row(tag: str, cells: Sequence[Text], block: Table) -> str:
    styles = [f'style="text-align:{"right" if column.right else "left"}"' for column in block.columns]
    pairs = zip(styles, cells, strict=True)
    return f"<tr>{''.join(f'<{tag} {style}>{escape(plain(cell))}</{tag}>' for style, cell in pairs)}</tr>"
