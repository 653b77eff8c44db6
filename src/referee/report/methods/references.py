r"""The works that tests, metrics and intervals come from, and prose with citations of them: as plain text or as LaTeX.

They stand in references.bib, written as BibTeX gets them. What is not certain (a page, a volume) is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from referee.report.document import Spelled
from referee.report.phrases import listed
from referee.report.render import latex as tex
from referee.results.test_info import Phrase

Prose: TypeAlias = list[str]
"""The parts of a sentence: words, formulas, citations."""
ENTRY = re.compile(r"@\w+\{(\w+),\n.*?\n\}", re.DOTALL)
FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.MULTILINE)
SPELT = {r"{\v{s}}": "š", r"{\'e}": "é", r"$\times$": "×", "--": "–", r"\&": "&"}
"""How BibTeX spells what is not ASCII."""
VENUES = ("journal", "publisher", "booktitle", "institution", "howpublished")
ALIASES = {"kellerbizarre": "Keller and Bengio, bizarre measures"}
"""How references name works, where that is not authors and year."""


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
        return ALIASES.get(self.key) or f"{listed(self.surnames)} {self.date}"

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
        return f"{listed(self.authors)} ({self.date}). {self.fields['title']}{edition}. {where}."


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


class Cite(Spelled):
    """A citation in parentheses; of a reference that the bibliography does not know, what it says."""

    works: tuple[Work, ...]
    more: str

    def __new__(cls, works: Iterable[Work], more: str = "") -> Cite:
        """Cite works, and what else a reference says."""
        known, others = tuple(works), [more] if more else []
        keys = rf"~\citep{{{','.join(work.key for work in known)}}}" if known else ""
        latex = keys + "".join(f" ({tex.escape(other)})" for other in others)
        self = super().__new__(cls, f" ({'; '.join([*(work.citation for work in known), *others])})", latex)
        self.works, self.more = known, more
        return self


def cite(*keys: str) -> Cite:
    """Cite works by their keys."""
    return Cite(WORKS[key] for key in keys)


def code(text: str) -> Spelled:
    """Return something for machines, such as a signature; it may be broken at its bars."""
    bar = tex.escape("|")
    breakable = tex.escape(text).replace(bar, bar + r"\allowbreak{}")
    return Spelled(text, rf"\texttt{{{breakable}}}")


def prose(phrase: Phrase) -> Prose:
    """Return words with their citations behind them."""
    return [piece for text, works in phrase for piece in ([text, cite(*works)] if works else [text])]


def works_of(pieces: Iterable[str]) -> list[Work]:
    """Return the works that are cited, each once, in the order of their first citation."""
    return list(dict.fromkeys(work for piece in pieces if isinstance(piece, Cite) for work in piece.works))


def others_of(pieces: Iterable[str]) -> list[str]:
    """Return the references that the bibliography does not know."""
    return list(dict.fromkeys(piece.more for piece in pieces if isinstance(piece, Cite) and piece.more))
