"""Prose with citations and numbers in it, kept apart until it is written: as plain text or as LaTeX."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from referee.report.methods.references import WORKS, Work, cited
from referee.report.render import latex as tex

SIGNS = {
    "−": "$-$",
    "±": r"$\pm$",
    "·": r"$\cdot$",
    "×": r"$\times$",
    "√": r"$\surd$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "χ": r"$\chi$",
    "ρ": r"$\rho$",
    "Σ": r"$\Sigma$",
    "²": "$^2$",
}
"""What our own texts have beyond Latin letters: not every LaTeX knows it."""
BAR = tex.escape("|")


@dataclass(frozen=True)
class Cite:
    """A citation in parentheses."""

    works: tuple[Work, ...]
    more: str = ""
    """What a reference says that the bibliography does not know; it is told as it is."""


@dataclass(frozen=True)
class Formula:
    """A number, an interval or an equation of ours: mathematics in LaTeX."""

    text: str


@dataclass(frozen=True)
class Code:
    """Something for machines, such as a signature."""

    text: str


Piece: TypeAlias = str | Cite | Formula | Code
Prose: TypeAlias = list[Piece]


def cite(*keys: str) -> Cite:
    """Cite works by their keys."""
    return Cite(tuple(WORKS[key] for key in keys))


def cite_reference(reference: str) -> Prose:
    """Cite what the reference of a test names."""
    works, more = cited(reference)
    return [Cite(tuple(works), more)] if works or more else []


def works(prose: Iterable[Piece]) -> list[Work]:
    """Return the works that are cited, each once, in the order of their first citation."""
    found = [work for piece in prose if isinstance(piece, Cite) for work in piece.works]
    return list({work.key: work for work in found}.values())


def others(prose: Iterable[Piece]) -> list[str]:
    """Return the references that the bibliography does not know."""
    return list(dict.fromkeys(piece.more for piece in prose if isinstance(piece, Cite) and piece.more))


def plain(prose: Iterable[Piece]) -> str:
    """Write prose as plain text, citations as (Author, year)."""
    return "".join(map(_plain, prose))


def _plain(piece: Piece) -> str:
    if isinstance(piece, Cite):
        return f" ({'; '.join([*(work.citation for work in piece.works), *filter(None, [piece.more])])})"
    return piece if isinstance(piece, str) else piece.text


def latex(prose: Iterable[Piece]) -> str:
    r"""Write prose as LaTeX, citations by natbib's \citep; everything that comes from data means itself."""
    return "".join(map(_latex, prose))


def _latex(piece: Piece) -> str:
    if isinstance(piece, Formula):
        shown = piece.text.replace("alpha", r"\alpha").replace("%", r"\%")
        return tex.mathematics(shown.replace(",", "{,}").replace("{,} ", ", "))  # a comma within a number is no list's
    if isinstance(piece, Code):
        # A signature is longer than a line, and has no blanks to break it at.
        breakable = _escape(piece.text).replace(BAR, BAR + r"\allowbreak{}")
        return rf"\texttt{{{breakable}}}"
    if isinstance(piece, Cite):
        known = rf"~\citep{{{','.join(work.key for work in piece.works)}}}" if piece.works else ""
        return known + (f" ({_escape(piece.more)})" if piece.more else "")
    # Blanks at the ends belong to the sentence; escaping would take them.
    before, after = (" " if end.isspace() else "" for end in (piece[:1], piece[-1:]))
    return f"{before}{_escape(piece)}{after}" if piece.strip() else piece[:1]


def _escape(text: str) -> str:
    safe = tex.escape(text)
    for sign, said in SIGNS.items():
        safe = safe.replace(sign, said)
    return safe
