"""CoNLL columns: a token, its gold tag and its predicted tag a line; the spans that the tags mark become responses.

A response is a span that is in the gold tags or was found (Yeh 2000): is it relevant, was it found? There are no true
negatives.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from referee.data.formats.base import Choices, Opening, Run, reader, text_lines
from referee.data.formats.conll_layout import Column, layout, numbered
from referee.data.formats.conll_spans import OUTSIDE, TAG, Span, spans
from referee.data.formats.file_start import first_lines, stem
from referee.errors import InputError, OptionError, one_of

UNITS = ("response", "sentence", "document")
PLACES = {"document": 0, "sentence": 1}
"""Where in an id the number of a unit is."""
DOCUMENT = b"-DOCSTART-"
AROUND = 25
"""How many words are shown on each side of a span."""
LOOK = 10
"""How many lines must look like tokens with tags, for a file to be taken for this."""


def is_conll(opening: Opening) -> bool:
    """Say whether lines have a token and, at their end, two tags, of which one at least has a type."""
    lines = map(_split, first_lines(opening.head, len(opening.head)))
    rows = [cells for cells in lines if cells[0] != DOCUMENT]
    tagged = [[cell.decode("utf-8", "replace") for cell in row[-2:]] for row in rows if len(row) >= 3]
    return (
        bool(rows)
        and len({len(row) for row in rows[:LOOK]}) == 1
        and len(rows[0]) >= 3
        and all(TAG.fullmatch(tag) for pair in tagged[:LOOK] for tag in pair)
        and any(TAG.fullmatch(tag) and "-" in tag for pair in tagged for tag in pair)
    )


def _split(line: bytes) -> list[bytes]:
    # By tabs where there are some, for a token may have a blank in it; never by the blanks of Unicode.
    return [cell.strip() for cell in line.rstrip().split(b"\t")] if b"\t" in line.rstrip() else line.split()


@dataclass(frozen=True)
class Sentence:
    """The lines of a sentence, and where it stands."""

    document: int
    """How many documents have begun before it; 0 where none is marked."""
    place: int
    """The number of the sentence in the file."""
    line: int
    """The line of its first token."""
    tokens: tuple[bytes, ...]
    columns: list[tuple[str, ...]]
    """The other columns."""


@reader(
    "CoNLL columns",
    looks_for="a token, its gold tag and its predicted tag a line (B-PER, I-PER, O), a blank line between sentences",
    recognises=is_conll,
    chooses=("truth", "prediction", "unit"),
)
def read(path: Path, choices: Choices) -> list[Run]:
    """Read the spans of each system; with several columns of predictions each is a system.

    `choices.truth` and `choices.prediction` are numbers of columns, counted from 1, where not the last ones are meant.

    Raises:
        InputError: where lines differ in their columns, tags are none, or there are no spans.
        OptionError: where the unit, or a column, is none.
    """
    unit = choices.unit or "sentence"
    one_of("unit", unit, UNITS)
    seen = hashlib.blake2b(digest_size=8)
    sentences = []
    for sentence in _sentences(path):
        seen.update(repr((sentence.document, sentence.tokens)).encode())
        sentences.append(sentence if choices.texts else replace(sentence, tokens=()))
    if not sentences:
        raise InputError(f"{path} is empty; a token, its gold tag and its predicted tag a line are needed")
    truth, systems = layout(_columns(sentences), choices, path)
    rows = [_Rows() for _ in systems]
    for sentence in sentences:
        gold = spans(sentence.columns[truth])
        # Of the whole file, not of the sentence: a span that only one system found has no partner to disagree with.
        seen.update(repr(sorted(gold)).encode())
        for own, system in zip(rows, systems, strict=True):
            own.add(sentence, gold, spans(sentence.columns[system]))
    documents = {sentence.document for sentence in sentences}
    if unit == "document" and len(documents) < 2:
        raise OptionError(
            f"{path} has one document; lines with {DOCUMENT.decode()} begin documents. Use --unit sentence"
        )
    names = [stem(path)] if len(systems) == 1 else [f"column {numbered(system)}" for system in systems]
    notes = (f"column {numbered(truth)} holds the gold tags", f"the unit is the {unit}")
    return [
        Run(
            system=name,
            rows={**own.roles(unit, seen.hexdigest(), path), **(_shown(own.ids, sentences) if choices.texts else {})},
            notes=notes,
            open=True,
            chosen={"unit": unit},
        )
        for name, own in zip(names, rows, strict=True)
    ]


def _shown(ids: list[list[Any]], sentences: list[Sentence]) -> dict[str, list[Any]]:
    """Return for each response what it is called, and its sentence with the span in brackets."""
    tokens = {sentence.place: [token.decode("utf-8", "replace") for token in sentence.tokens] for sentence in sentences}
    rows: dict[str, list[Any]] = {"called": [], "text": []}
    for _, place, first, last, kind in ids:
        words = tokens[place]
        start = max(0, first - 1 - AROUND)
        span = " ".join(words[first - 1 : last])
        before, after = words[start : first - 1], words[last : last + AROUND]
        called = (
            f"{kind}, sentence {place}, token {first}"
            if first == last
            else f"{kind}, sentence {place}, tokens {first} to {last}"
        )
        rows["called"].append(called)
        rows["text"].append(" ".join([*before, f"[{span}]", *after]))
    return rows


def _columns(sentences: list[Sentence]) -> list[Column]:
    columns = [Column() for _ in sentences[0].columns]
    for sentence in sentences:
        for column, cells in zip(columns, sentence.columns, strict=True):
            column.add(cells, sentence.line)
    return columns


@dataclass
class _Rows:
    """The responses of one system."""

    ids: list[list[Any]] = field(default_factory=list)
    truth: list[bool] = field(default_factory=list)
    found: list[bool] = field(default_factory=list)

    def add(self, sentence: Sentence, gold: set[Span], found: set[Span]) -> None:
        """Add what is in the gold tags of a sentence, or was found there."""
        for span in sorted(gold | found):
            self.ids.append([sentence.document, sentence.place, *span])
            self.truth.append(span in gold)
            self.found.append(span in found)

    def roles(self, unit: str, check: str, path: Path) -> dict[str, list[Any]]:
        """Return the rows as a run has them."""
        if not self.ids:
            raise InputError(f"{path} has no spans; all of its tags are {OUTSIDE}")
        roles: dict[str, list[Any]] = {"id": self.ids, "truth": self.truth, "value": self.found}
        if unit != "response":
            roles["group"] = [one[PLACES[unit]] for one in self.ids]
        return {**roles, "check": [check] * len(self.ids)}


def _sentences(path: Path) -> Iterator[Sentence]:
    """Yield the sentences, of which none is empty.

    Raises:
        InputError: with the line, where it has not as many columns as those before.
    """
    texts = _Texts()
    document = place = width = first = 0
    rows: list[list[bytes]] = []
    for number, line in chain(text_lines(path), [(0, b"")]):
        cells = _split(line)
        if cells and cells[0] != DOCUMENT:
            if len(cells) != width:
                _check_width(len(cells), width, f"line {number} of {path}")
            width, first = len(cells), first if rows else number
            rows.append(cells)
            continue
        if rows:
            place += 1
            tokens, *columns = zip(*rows, strict=True)
            yield Sentence(document, place, first, tokens, [tuple(map(texts.__getitem__, one)) for one in columns])
            rows = []
        document += bool(cells)


class _Texts(dict[bytes, str]):
    """The texts of cells, each kept once, for tags are few."""

    def __missing__(self, cell: bytes) -> str:
        self[cell] = cell.decode("utf-8", "surrogateescape")
        return self[cell]


def _check_width(found: int, width: int, where: str) -> None:
    if found < 3:
        raise InputError(f"{where} has {found} columns; a token, its gold tag and its predicted tag are needed")
    if width:
        raise InputError(f"{where} has {found} columns, and the lines before it {width}")
