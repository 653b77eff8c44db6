"""LaTeX for a paper: sentences with the numbers, booktabs tables, and in comments the signature and the details."""

from __future__ import annotations

import re

from referee.report.document import (
    Document,
    Facts,
    Formula,
    Name,
    Notes,
    Paragraph,
    Reader,
    Spelled,
    Table,
    Text,
    plain,
)
from referee.report.numbers import NBSP
from referee.report.render import output_format

LETTERS = {"χ": r"\chi", "ρ": r"\rho", "Σ": r"\Sigma", "Δ": r"\Delta", "²": "^2", "√": r"\surd"}
SIGNS = LETTERS | {"−": "-", "±": r"\pm", "·": r"\cdot", "×": r"\times", "≤": r"\le", "≥": r"\ge"}
"""What our own texts have beyond Latin letters, as mathematics: not every LaTeX knows it."""
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
    NBSP: "~",
    **{sign: "\\" + sign for sign in "{}#$%&_"},
    **{sign: f"${spelled}$" for sign, spelled in SIGNS.items()},
}
NEEDS = r"% needs \usepackage{booktabs}"
POWER = re.compile(r"\b(\d(?:\.\d+)?)e([-+]?)0*(\d+)\b")


def escape(text: str) -> str:
    r"""Make a text mean itself in LaTeX.

    >>> escape("50% of a_b\\c")
    '50\\% of a\\_b\\textbackslash{}c'
    """
    safe = "".join(SPECIAL.get(sign, sign) for sign in re.sub(r"[^\S\xa0]+", " ", text))
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
    shown = re.sub(r"(?<=\d),(?=\d)", "{,}", powers).replace("alpha", r"\alpha").replace("%", r"\%").replace(NBSP, " ")
    return f"${''.join(SIGNS.get(sign, sign) for sign in shown)}$"


def sentence(text: Text) -> str:
    """Write a sentence, with its formulas as mathematics; everything that comes from data means itself."""
    return "".join(map(_part, [text] if isinstance(text, str) else text))


def _part(text: str) -> str:
    if isinstance(text, Formula):
        return mathematics(text)
    if isinstance(text, Spelled):
        return text.latex
    return rf"\emph{{{escape(text)}}}" if isinstance(text, Name) else escape(text)


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
        titles = {"": [], "sentence": [_part(f"{block.title}:")], "heading": [_part(block.title)]}
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
    rows = [[_cell(cell, one.kind) for cell, one in zip(row, block.columns, strict=True)] for row in block.rows]
    sides = [f"p{{{one.centimetres}cm}}" if one.centimetres else "r" if one.right else "l" for one in block.columns]
    head, *body = (" & ".join(row) + r" \\" for row in [[escape(one.name) for one in block.columns], *rows])
    start = rf"\begin{{tabular}}{{{''.join(sides)}}}"
    return "\n".join([NEEDS, start, r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"])


def _cell(cell: Text, kind: str) -> str:
    return mathematics(cell) if isinstance(cell, str) and kind in ("number", "score", "interval") else sentence(cell)
