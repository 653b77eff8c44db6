"""Markdown for a pull request or a wiki: the verdict in bold, one table, and what lies behind it folded away."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from referee.report.document import Block, Document, Facts, Name, Notes, Paragraph, Reader, Table, Text, plain
from referee.report.render import output_format


def escape(text: str) -> str:
    r"""Make a text mean itself in Markdown, in a table cell as well: no markup, no HTML, no new line.

    >>> escape("a|b_<i>*")
    'a\\|b\\_&lt;i&gt;\\*'
    """
    flat = html.escape(re.sub(r"[^\S\xa0]+", " ", text), quote=False)
    return re.sub(r"[\\`*_\[\]|~$]", r"\\\g<0>", flat)


def marked_up(text: Text) -> str:
    """Write a sentence with the names of systems in bold."""
    parts = (text,) if isinstance(text, str) else text
    return "".join(f"**{escape(part)}**" if isinstance(part, Name) else escape(part) for part in parts)


@output_format("markdown")
def render(document: Document) -> str:
    """Write a document for a pull request: the verdict in bold, one table, and all the rest folded away."""
    blocks = document.find(Block, Reader.BRIEF)
    first = next((block for block in blocks if isinstance(block, Table)), None)
    warnings = sum(len(block.texts) for block in blocks if isinstance(block, Notes))
    # Of several it is said first what they come to together, and below their table who A and B are.
    legend = next((block for block in blocks if isinstance(block, Paragraph)), None) if document.verdict.parts else None
    lead = marked_up(document.verdict.details) if document.verdict.parts else ""
    folded = [block for block in blocks if block is not first and block is not legend]
    rest = [part for part in _rest(document, folded, lead=not document.verdict.parts) if part]
    told = f"Details and {warnings} warning{'' if warnings == 1 else 's'}" if warnings else "Details"
    parts = [f"**{escape(plain(document.verdict.headline))}**", lead, *(_table(first) if first else ())]
    parts += [marked_up(legend.text)] if legend else []
    details = [f"<details>\n<summary>{told}</summary>", *rest, "</details>"] if rest else []
    return "\n\n".join(filter(None, [*parts, *details])) + "\n"


def _rest(document: Document, blocks: Sequence[Block], lead: bool) -> Iterator[str]:
    """Yield what is folded away: the sentences, the other tables, the warnings and the signatures."""
    yield marked_up(document.verdict.details) if lead else ""
    for block in blocks:
        match block:
            case Paragraph():
                yield marked_up(block.text)
            case Facts() if block.rows:
                yield table(("", ""), block.rows)
            case Notes():
                yield "\n".join(f"- {escape(f'{block.word}: {text}')}" for text in block.texts)
            case Table():
                yield from _table(block)
    if document.signatures:
        yield "\n".join(["```text", *document.signatures, "```"])


def _table(block: Table) -> Iterator[str]:
    titles = {"": "", "sentence": escape(f"{block.title}:"), "heading": f"#### {escape(block.title)}"}
    yield titles[block.announced]
    flush = [i for i, column in enumerate(block.columns) if column.kind in ("number", "score", "quoted")]
    yield table([column.name for column in block.columns], block.rows, flush)


def table(head: Sequence[str], body: Sequence[Sequence[Text]], right: Sequence[int] = ()) -> str:
    """Write a table, its cells escaped."""
    rule = ["---:" if i in right else "---" for i in range(len(head))]
    first, *rest = ([escape(plain(cell)) for cell in row] for row in (head, *body))
    return "\n".join("| " + " | ".join(row) + " |" for row in (first, rule, *rest))
