r"""The works that tests, metrics and intervals come from, and prose with citations of them: as plain text or as LaTeX.

They stand in references.bib, written as BibTeX gets them. What is not certain (a page, a volume) is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from referee.report.render import latex as tex
from referee.results.test_info import Phrase

ENTRY = re.compile(r"@\w+\{(\w+),\n.*?\n\}", re.DOTALL)
FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.MULTILINE)
SPELT = {r"{\v{s}}": "š", r"{\'e}": "é", r"$\times$": "×", "--": "–", r"\&": "&"}
"""How BibTeX spells what is not ASCII."""
VENUES = ("journal", "publisher", "booktitle", "institution", "howpublished")
ALIASES = {"kellerbizarre": "Keller and Bengio, bizarre measures"}
"""How references name works, where that is not authors and year."""
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
class Work:
    """A paper, a book or a report."""

    key: str
    bibtex: str
    """Its entry, as it is."""
    fields: Mapping[str, str] = field(compare=False, repr=False)
    """Those of the entry, in plain letters."""

    @classmethod
    def of(cls, key: str, entry: str) -> Work:
        """Read an entry."""
        plain = entry
        for spelt, sign in SPELT.items():
            plain = plain.replace(spelt, sign)
        return cls(key, entry, {name: text.strip("{}") for name, text in FIELD.findall(plain)})

    @property
    def authors(self) -> list[str]:
        """Each as "Surname, I. I."; the last may be "others"."""
        return self.fields["author"].split(" and ")

    @property
    def surnames(self) -> list[str]:
        """The authors without their initials."""
        return [author.split(",")[0] for author in self.authors]

    @property
    def venue(self) -> str:
        """The journal, the proceedings, the publisher or the institution."""
        return next(self.fields[name] for name in VENUES if name in self.fields)

    @property
    def date(self) -> str:
        """The year, or "n.d." where it is not known."""
        return self.fields.get("year", "n.d.")

    @property
    def label(self) -> str:
        """How the reference of a test or a metric names it: "Fagerland, Lydersen and Laake 2013"."""
        return ALIASES.get(self.key) or f"{joined(self.surnames)} {self.date}"

    @property
    def citation(self) -> str:
        """How a text cites it: "Fagerland et al., 2013"."""
        names = self.surnames
        return f"{f'{names[0]} et al.' if len(names) > 2 else ' and '.join(names)}, {self.date}"

    def __str__(self) -> str:
        volume, number, pages = (self.fields.get(name, "") for name in ("volume", "number", "pages"))
        where = self.venue
        if volume:
            where += f" {volume}" + (f"({number})" if number else "")
        elif number:
            where += f" {number}"
        where += f":{pages}" if volume and pages else f", pages {pages}" if pages else ""
        edition = f" ({self.fields['edition']} edition)" if "edition" in self.fields else ""
        return f"{joined(self.authors)} ({self.date}). {self.fields['title']}{edition}. {where}."


def joined(names: list[str]) -> str:
    """Write several names as one phrase.

    >>> joined(["Box", "Hunter", "Hunter"]), joined(["Zhu"])
    ('Box, Hunter and Hunter', 'Zhu')
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


WORKS = {
    entry[1]: Work.of(entry[1], entry[0])
    for entry in ENTRY.finditer(Path(__file__).with_name("references.bib").read_text(encoding="utf-8"))
}


def cited(reference: str) -> tuple[list[Work], str]:
    """Find the works that the reference of a user's test names, by key or by authors and year; and what names none.

    >>> works, rest = cited("mcnemar1947; mid-p: Fagerland, Lydersen and Laake 2013; my uncle 1999")
    >>> [work.key for work in works], rest
    (['mcnemar1947', 'fagerland2013'], 'my uncle 1999')
    """
    found: list[Work] = []
    rest: list[str] = []
    for part in re.split("; ?", reference):
        places = {
            work: re.search(rf"(?<!\w)(?:{re.escape(work.label)}|{work.key})(?!\w)", part) for work in WORKS.values()
        }
        here = {work: place.start() for work, place in places.items() if place}
        found += sorted(here, key=lambda work: here[work])
        rest += [] if here else [part]
    return list(dict.fromkeys(found)), "; ".join(filter(None, rest))


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


def prose(phrase: Phrase) -> Prose:
    """Return words with their citations behind them."""
    pieces: Prose = []
    for one in phrase:
        pieces += [one.text, *([cite(*one.works)] if one.works else [])]
    return pieces


def works_of(pieces: Iterable[Piece]) -> list[Work]:
    """Return the works that are cited, each once, in the order of their first citation."""
    return list(dict.fromkeys(work for piece in pieces if isinstance(piece, Cite) for work in piece.works))


def others_of(pieces: Iterable[Piece]) -> list[str]:
    """Return the references that the bibliography does not know."""
    return list(dict.fromkeys(piece.more for piece in pieces if isinstance(piece, Cite) and piece.more))


def plain(pieces: Iterable[Piece]) -> str:
    """Write prose as plain text, citations as (Author, year)."""
    return "".join(map(_plain, pieces))


def _plain(piece: Piece) -> str:
    if isinstance(piece, Cite):
        return f" ({'; '.join([*(work.citation for work in piece.works), *filter(None, [piece.more])])})"
    return piece if isinstance(piece, str) else piece.text


def latex(pieces: Iterable[Piece]) -> str:
    r"""Write prose as LaTeX, citations by natbib's \citep; everything that comes from data means itself."""
    return "".join(map(_latex, pieces))


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
    for sign, spelt in SIGNS.items():
        safe = safe.replace(sign, spelt)
    return safe
