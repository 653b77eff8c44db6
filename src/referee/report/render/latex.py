"""LaTeX for a paper: sentences with the numbers, booktabs tables, and in comments the signature and what lies behind."""

from __future__ import annotations

import re

from referee.report.document import Column, Document, Facts, Formula, Notes, Paragraph, Reader, Table, Text, plain
from referee.report.render.base import output_format

SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",
    "`": r"\textasciigrave{}",
    "*": "{*}",  # after a row's end, a star or a bracket would belong to the command
    "[": "{[}",
    "]": "{]}",
    **{sign: "\\" + sign for sign in "{}#$%&_"},
}
SIGNS = {"%": r"\%", "±": r"\pm", "Δ": r"\Delta"}
NEEDS = r"% needs \usepackage{booktabs}"
POWER = re.compile(r"\b(\d(?:\.\d+)?)e([-+]?)0*(\d+)\b")


def escape(text: str) -> str:
    r"""Make a text mean itself in LaTeX.

    >>> escape("50% of a_b\\c")
    '50\\% of a\\_b\\textbackslash{}c'
    """
    safe = "".join(SPECIAL.get(sign, sign) for sign in " ".join(text.split()))
    return re.sub(r"-(?=-)", "-{}", safe)  # two hyphens are no dash


def mathematics(text: str) -> str:
    r"""Write a number, an interval or an equation of ours as mathematics.

    >>> mathematics("p = 1.5e-26"), mathematics("[-0.01, 0.02]")
    ('$p = 1.5\\times 10^{-26}$', '$[-0.01, 0.02]$')
    >>> mathematics("1,234 ± 5%")
    '$1{,}234 \\pm 5\\%$'
    """
    if not re.search(r"\d", text):
        return escape(text)
    powers = POWER.sub(lambda found: rf"{found[1]}\times 10^{{{found[2].strip('+')}{found[3]}}}", text)
    thousands = re.sub(r"(?<=\d),(?=\d)", "{,}", powers)
    return f"${''.join(SIGNS.get(sign, sign) for sign in thousands)}$"


def sentence(text: Text) -> str:
    """Write a sentence, with its formulas as mathematics."""
    if isinstance(text, tuple):
        return "".join(mathematics(part) if isinstance(part, Formula) else _words(part) for part in text)
    return _words(text)


def _words(text: str) -> str:
    edges = text[:1].isspace(), text[-1:].isspace()
    return f"{' ' * edges[0]}{escape(text)}{' ' * edges[1]}".replace("±", r"$\pm$")


@output_format("latex")
def render(document: Document) -> str:
    """Write a document: comments, a paragraph for the paper, and tables that need the booktabs package."""
    verdict = document.verdict
    paragraphs = [verdict.paper or verdict.text, *(block.text for block in document.find(Paragraph, Reader.PAPER))]
    lines = [
        *(f"% {line}" for line in (*document.signatures, *_aside(document))),
        " ".join(sentence(text) for text in paragraphs if text),
    ]
    for block in document.find(Table, Reader.PAPER):
        titles = {"": [], "sentence": [_words(f"{block.title}:")], "heading": [_words(block.title)]}
        lines += [*titles[block.announced], table(block)]
    return "\n".join(lines) + "\n"


def _aside(document: Document) -> list[str]:
    """Return what stands beside the paper's text."""
    notes = document.find(Notes, Reader.ASIDE)
    return [
        *(plain(block.text) for block in document.find(Paragraph, Reader.ASIDE)),
        *(f"{block.word.lower()}: {text}" for block in notes for text in block.texts),
        *(f"{name}: {text}" for block in document.find(Facts, Reader.ASIDE) for name, text in block.rows),
    ]


def table(block: Table) -> str:
    """Write a booktabs table, which says that it is one."""
    rows = [
        " & ".join(_cell(cell, column) for cell, column in zip(row, block.columns, strict=True)) + r" \\"
        for row in block.rows
    ]
    return "\n".join(
        [
            NEEDS,
            rf"\begin{{tabular}}{{{''.join(map(_alignment, block.columns))}}}",
            r"\toprule",
            " & ".join(escape(column.name) for column in block.columns) + r" \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _cell(cell: Text, column: Column) -> str:
    of_ours = isinstance(cell, str) and column.kind in ("number", "interval")
    return mathematics(plain(cell)) if of_ours else sentence(cell)


def _alignment(column: Column) -> str:
    if column.centimetres is not None:
        return f"p{{{column.centimetres}cm}}"
    return "r" if column.right else "l"
