"""CoNLL columns: a token, its gold tag and its predicted tag per line; the spans that the tags mark become responses.

A response is a span that is in the gold tags or was found (Yeh 2000): is it relevant, was it found? There are no true
negatives.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

from referee.data.formats.base import Choices, Opening, Run, first_lines, reader, stem
from referee.data.formats.json_fields import text_lines
from referee.data.policy_values import Value
from referee.data.roles import LOG
from referee.errors import Argument, InputError, Message, NotReady, OptionError, one_of, refusal

TAG = re.compile("O|[BIESLU](-[^\ud800-\udfff]+)?")
"""A tag; not of bytes that are no text, which are read as halves of characters."""
OUTSIDE = "O"
Span: TypeAlias = tuple[int, int, str]
"""The first and last place in the sentence, counted from 1, and the type."""
TAGS = ("truth", "prediction")
COLUMNS_NAMED = Message("with ", Argument("truth"), " and ", Argument("prediction"))
PLACES = {"document": 0, "sentence": 1}
"""Where in an id the number of a unit is."""
DOCUMENT = b"-DOCSTART-"
NEEDED = "a token, its gold tag and its predicted tag"
AROUND = 25
"""How many words are shown on each side of a span."""
UNIT_HELP = "For CoNLL columns: sentence (default), response or document."
UNITS = {unit: Value(unit) for unit in ("sentence", "response", "document")}
UNIT = LOG("unit", UNIT_HELP, metavar="UNIT", values=UNITS, label="Unit")
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
    """The lines of a sentence, and where it stands.

    Args:
        document: how many documents have begun before it; 0 where none is marked.
        place: the number of the sentence in the file.
        line: the line of its first token.
        tokens: its words.
        columns: the other columns.
    """

    document: int
    place: int
    line: int
    tokens: tuple[bytes, ...]
    columns: list[tuple[str, ...]]


@reader("CoNLL columns", recognises=is_conll, roles=TAGS, options=(UNIT,))
def read(path: Path, choices: Choices) -> list[Run]:
    """Read the spans of each system; with several columns of predictions each is a system.

    The truth and the prediction are numbers of columns, counted from 1, where not the last ones are meant.

    Raises:
        InputError: if lines differ in their columns, tags are none, or there are no spans.
        OptionError: if the unit, or a column, is none.
    """
    unit = choices.get("unit") or "sentence"
    one_of("unit", unit, UNIT.values)
    check = hashlib.blake2b(digest_size=8)
    sentences = []
    for sentence in _sentences(path):
        check.update(repr((sentence.document, sentence.tokens)).encode())
        sentences.append(sentence if choices.texts else replace(sentence, tokens=()))
    if not sentences:
        raise NotReady(f"{path} is empty; {NEEDED} are needed, on each line")
    columns = [Column(place, sentences) for place in range(len(sentences[0].columns))]
    truth, systems = _layout(columns, choices, path)
    if unit == "document" and len({sentence.document for sentence in sentences}) < 2:
        alone = f"{path} has one document; a line with {DOCUMENT.decode()} begins the next"
        remedy = Message("use ", Argument("unit", "sentence"))
        raise OptionError(alone, argument="unit", value=unit, remedy=remedy)
    gold = [spans(sentence.columns[truth.place]) for sentence in sentences]
    for marked in gold:
        # Of the whole file, not of the sentence: a span that only one system found has no partner to disagree with.
        check.update(repr(sorted(marked)).encode())
    notes = (f"column {truth.number} holds the gold tags", f"the unit is the {unit}")
    runs = []
    for system in systems:
        rows: dict[str, list[Any]] = {"id": [], "truth": [], "value": []}
        for sentence, right in zip(sentences, gold, strict=True):
            found = spans(sentence.columns[system.place])
            every = sorted(right | found)
            rows["id"] += [[sentence.document, sentence.place, *span] for span in every]
            rows["truth"] += [span in right for span in every]
            rows["value"] += [span in found for span in every]
        if not rows["id"]:
            raise InputError(f"{path} has no spans; all of its tags are {OUTSIDE}")
        rows["check"] = [check.hexdigest()] * len(rows["id"])
        if unit != "response":
            rows["group"] = [one[PLACES[unit]] for one in rows["id"]]
        if choices.texts:
            rows |= _shown(rows["id"], sentences)
        name = stem(path) if len(systems) == 1 else f"column {system.number}"
        runs.append(Run(system=name, rows=rows, notes=notes, open=True, chosen={"unit": unit}))
    return runs


def _shown(ids: list[list[Any]], sentences: list[Sentence]) -> dict[str, list[Any]]:
    """Return for each response what it is called, and its sentence with the span in brackets."""
    tokens = {sentence.place: [token.decode("utf-8", "replace") for token in sentence.tokens] for sentence in sentences}
    rows: dict[str, list[Any]] = {"called": [], "text": []}
    for _, place, first, last, kind in ids:
        words = tokens[place]
        before, after = words[max(0, first - 1 - AROUND) : first - 1], words[last : last + AROUND]
        which = f"token {first}" if first == last else f"tokens {first} to {last}"
        rows["called"].append(f"{kind}, sentence {place}, {which}")
        rows["text"].append(" ".join([*before, f"[{' '.join(words[first - 1 : last])}]", *after]))
    return rows


def _sentences(path: Path) -> Iterator[Sentence]:
    """Yield the sentences, of which none is empty.

    Raises:
        InputError: with the line, where it has not as many columns as those before.
    """
    # Each text is kept once, for tags are few.
    text = cache(lambda cell: cell.decode("utf-8", "surrogateescape"))
    document = place = width = first = 0
    rows: list[list[bytes]] = []
    for number, line in chain(text_lines(path), [(0, b"")]):
        cells = _split(line)
        if cells and cells[0] != DOCUMENT:
            if len(cells) < 3 or (width and len(cells) != width):
                wrong = f", and the lines before it {width}" if len(cells) >= 3 else f"; {NEEDED} are needed"
                raise InputError(f"line {number} of {path} has {len(cells)} columns{wrong}")
            width, first = len(cells), first if rows else number
            rows.append(cells)
            continue
        if rows:
            place += 1
            tokens, *columns = zip(*rows, strict=True)
            yield Sentence(document, place, first, tokens, [tuple(map(text, one)) for one in columns])
            rows = []
        document += bool(cells)


class Column:
    """What a column right of the token holds: the types of its tags, and whether all of its cells are tags."""

    def __init__(self, place: int, sentences: Sequence[Sentence]) -> None:
        self.place, self.sentences = place, sentences
        self.number = place + 2  # by which people know it: they count from 1, and the token is the first
        cells = set[str]().union(*(sentence.columns[place] for sentence in sentences))
        tags = set(filter(TAG.fullmatch, cells))
        self.all_tags, self.types = tags == cells, {tag.partition("-")[2] for tag in tags - {OUTSIDE}}

    def check(self, path: Path) -> Column:
        """Return itself, where all of its cells are tags; else name the first that is none."""
        for sentence in self.sentences if not self.all_tags else ():
            for line, cell in enumerate(sentence.columns[self.place], sentence.line):
                if not TAG.fullmatch(cell):
                    where = f"line {line} of {path}: {cell[:60]!r} in column {self.number}"
                    raise InputError(f"{where} is no tag; tags are O, B-TYPE, I-TYPE and the like")
        return self


def _layout(columns: Sequence[Column], choices: Choices, path: Path) -> tuple[Column, list[Column]]:
    """Return which column is the gold tags, and which are predictions; the user may choose both by their numbers.

    Raises:
        InputError: if the last two are not tags of the same types.
        OptionError: if the columns that were named are none, or the same.
    """
    given = {role: number for role in TAGS if (number := choices.get(role)) is not None}
    tagged = _tagged(columns, path) if len(given) < len(TAGS) else []
    numbers = {str(column.number): column for column in columns}
    for role, number in given.items():
        if number not in numbers:
            raise refusal(role, f"must be the number of a column, from 2 to {len(columns) + 1}", number)
    named = {role: numbers[number].check(path) for role, number in given.items()}
    truth = named["truth"] if "truth" in named else tagged[0]
    systems = [named["prediction"]] if "prediction" in named else [column for column in tagged if column is not truth]
    if not systems or truth in systems:
        remedy = Message("name them ", COLUMNS_NAMED)
        raise OptionError(f"{path}: gold and predicted tags must be two columns", argument="prediction", remedy=remedy)
    return truth, systems


def _tagged(columns: Sequence[Column], path: Path) -> list[Column]:
    """Return the columns of tags, from left to right, of which the first is gold; at least two.

    They are taken from the right, as long as they have a type in common with those already taken: so a column of chunks
    beside one of names is no prediction.
    """
    taken: list[Column] = []
    types: set[str] = set()
    for column in reversed(columns):
        alike = not column.types or not types or bool(column.types & types)
        if len(taken) >= 2 and not (alike and (column.types or column.all_tags)):
            break
        column.check(path)
        if not alike:
            own, others = (", ".join(sorted(some)[:5]) for some in (column.types, types))
            unlike = f"{path}: column {column.number} has the types {own}, and those to its right {others}; name the columns of "
            raise InputError(unlike, "the gold and predicted tags ", COLUMNS_NAMED)
        taken.insert(0, column)
        types |= column.types
    return taken


def spans(tags: Sequence[str]) -> set[Span]:
    """Return the spans that the tags of a sentence mark, as conlleval counts them.

    A span begins at B, at S or U, and at any other tag but O where none is open; it ends before O, before B, S or U,
    before a tag of another type, after E, L, S or U, and with its sentence. So an I without a B begins a span, and IOB1,
    IOB2, BIOES and BILOU need not be told apart. (conlleval itself knows neither S nor a B after an E of the same type;
    here both begin a span, as BIOES means it.)

    >>> sorted(spans(["B-PER", "I-PER", "O", "I-LOC", "B-LOC"]))
    [(1, 2, 'PER'), (4, 4, 'LOC'), (5, 5, 'LOC')]
    """
    found: set[Span] = set()
    start, last, kind = 0, OUTSIDE, ""
    for place, tag in enumerate(chain(tags, [OUTSIDE]), 1):
        mark, _, own = tag.partition("-")
        if start and (mark in "OBSU" or last in "ELSU" or own != kind):
            found.add((start, place - 1, kind))
            start = 0
        if not start and mark != OUTSIDE:
            start = place
        last, kind = mark, own
    return found
