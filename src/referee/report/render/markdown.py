"""Markdown for a pull request or a wiki: a heading, tables, the warnings, the signature."""

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
    """Write a document: a heading with the verdict, the tables, the warnings and the signatures."""
    return "\n\n".join(filter(None, _parts(document))) + "\n"


def _parts(document: Document) -> Iterator[str]:
    yield f"### {marked_up(document.verdict.headline)}"
    yield marked_up(document.verdict.details)
    for block in document.find(Block, Reader.BRIEF):
        match block:
            case Paragraph():
                yield marked_up(block.text)
            case Facts() if block.rows:
                yield table(("", ""), block.rows)
            case Notes():
                yield "\n".join(f"- {escape(f'{block.word}: {text}')}" for text in block.texts)
            case Table():
                titles = {"": "", "sentence": escape(f"{block.title}:"), "heading": f"#### {escape(block.title)}"}
                yield titles[block.announced]
                flush = [i for i, column in enumerate(block.columns) if column.kind in ("number", "score", "quoted")]
                yield table([column.name for column in block.columns], block.rows, flush)
    if document.signatures:
        yield "\n".join(["```text", *document.signatures, "```"])


def table(head: Sequence[str], body: Sequence[Sequence[Text]], right: Sequence[int] = ()) -> str:
    """Write a table, its cells escaped."""
    rule = ["---:" if i in right else "---" for i in range(len(head))]
    first, *rest = ([escape(plain(cell)) for cell in row] for row in (head, *body))
    return "\n".join("| " + " | ".join(row) + " |" for row in (first, rule, *rest))
