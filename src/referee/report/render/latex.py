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
LONG, SHORT = 24, 12
"""A longer word may be broken, and a cell of more signs is folded; and the same where there is little room."""
BREAKS = re.compile(r"[_/.:=,]+|(?<!-)-(?!-)")
PAGE, LEAST, BRIEF = 11.4, 2.0, 1.6
"""In centimetres: the lines of a page, and what a folded column of names has at least, and one of a few words."""
USUAL, SMALL = (0.17, 0.42), (0.136, 0.14)
"""In centimetres: a sign and what lies between two columns, in the usual type and in the small one of tables that are too wide for it."""
SMALLER = r"\footnotesize\setlength{\tabcolsep}{2pt}"
POWER = re.compile(r"\b(\d(?:\.\d+)?)e([-+]?)0*(\d+)\b")


def escape(text: str) -> str:
    r"""Make a text mean itself in LaTeX.

    >>> escape("50% of a_b\\c")
    '50\\% of a\\_b\\textbackslash{}c'
    """
    words = re.split(r"([^\S\xa0]+)", text)
    safe = "".join(_word(word) if place % 2 == 0 else " " for place, word in enumerate(words))
    return re.sub(r"-(?=-)", "-{}", safe)  # two hyphens are no dash


def _word(word: str) -> str:
    """Write a word; a long one, such as the name of a model, may be broken after its signs."""
    places = ({found.end() for found in BREAKS.finditer(word)} - {len(word)}) if len(word) > SHORT else set()
    return "".join(
        SPECIAL.get(sign, sign) + (r"\allowbreak{}" if place in places else "") for place, sign in enumerate(word, 1)
    )


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
    told = " ".join(sentence(text) for text in paragraphs if text)
    lines = [
        *(f"% {line}" for line in (*document.signatures, *_aside(document))),
        rf"{{\sloppy {told}\par}}" if r"\allowbreak" in told else told,
    ]
    for block in document.find(Table, Reader.PAPER):
        titles = {"": [], "sentence": [_part(f"{block.title}:")], "heading": [_part(block.title)]}[block.announced]
        small = [SMALLER] if _wide(block, USUAL) > PAGE else []
        lines += [
            "",
            *(rf"\noindent {title}" for title in titles),
            r"\begin{center}",
            *small,
            table(block),
            r"\end{center}",
        ]
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
    folded = _folded(block)
    last = len(block.columns) - 1
    rows = [[_ragged(cell, i == last) if i in folded else cell for i, cell in enumerate(row)] for row in rows]
    fixed = {i: f"{one.centimetres}" for i, one in enumerate(block.columns) if one.centimetres} | folded
    sides = [f"p{{{fixed[i]}cm}}" if i in fixed else "r" if one.right else "l" for i, one in enumerate(block.columns)]
    head, *body = (" & ".join(row) + r" \\" for row in [[escape(one.name) for one in block.columns], *rows])
    start = rf"\begin{{tabular}}{{{''.join(sides)}}}"
    return "\n".join([NEEDS, start, r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"])


def _signs(block: Table) -> list[int]:
    """Return how many signs each column takes."""
    every = zip(*([one.name for one in block.columns], *block.rows), strict=True)
    return [max(len(plain(cell)) for cell in column) for column in every]


def _wide(block: Table, size: tuple[float, float]) -> float:
    """Return about how wide a table is, in centimetres."""
    sign, gap = size
    fixed = [one.centimetres or sign * many for one, many in zip(block.columns, _signs(block), strict=True)]
    return sum(fixed) + gap * len(fixed)


def _folded(block: Table) -> dict[int, str]:
    """Return how wide columns of long names are, in centimetres: what the others leave of a line."""
    signs, wide = _signs(block), _wide(block, SMALL)
    texts = {i: signs[i] for i, one in enumerate(block.columns) if not (one.right or one.centimetres)}
    if wide <= PAGE or max(texts.values(), default=0) <= LONG:
        return {}
    for least in (LONG, SHORT):  # where long names would have too little room, short words give way too
        long = [i for i, many in texts.items() if many > least]
        rest = PAGE - wide + sum(SMALL[0] * signs[i] for i in long)
        if rest >= LEAST * len(long):
            break
    names = [i for i in long if signs[i] > LONG]
    room = (rest - BRIEF * (len(long) - len(names))) / len(names)
    return {i: f"{max(LEAST, room) if i in names else BRIEF:.1f}" for i in long}


def _ragged(cell: str, last: bool) -> str:
    r"""Write a cell that may have several lines; in the last one, a row ends with \\ all the same."""
    end = r"\let\\\tabularnewline " if last else ""
    return rf"\raggedright {end}{cell}"


def _cell(cell: Text, kind: str) -> str:
    return mathematics(cell) if isinstance(cell, str) and kind in ("number", "score", "interval") else sentence(cell)
