"""Documents: what a report says, block by block, in plain text. A renderer gives any of them a form."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Flag, auto
from typing import Any, Literal, Self, TypeVar

Tone = Literal["good", "bad", "equal", "open"]
"""Whether a verdict is welcome; "equal" where nothing is lost, or nothing was asked; "open" where the data cannot tell."""
Kind = Literal["text", "number", "score", "interval", "quoted", "note"]
"""What the cells of a column are: words; numbers as we write them, with units if they are scores, or intervals of them; what
others wrote, numbers in the main; or a remark that may stand below the table."""
Pairs = Sequence[tuple[str, str]]


class Reader(Flag):
    """For whom a block is: not all that a page has room for is printed, and a paper has sentences of its own."""

    BRIEF = auto()
    """Text and Markdown, unless all is asked for."""
    VERBOSE = auto()
    """Text of which all is asked for, and a notebook, which folds it."""
    SCREEN = BRIEF | VERBOSE
    PAGE = auto()
    PAPER = auto()
    ASIDE = auto()
    """What stands beside a paper's text, in comments."""


ALL = Reader.SCREEN | Reader.PAGE | Reader.PAPER
BESIDE = Reader.SCREEN | Reader.PAGE | Reader.ASIDE


class Formula(str):
    """A number, an interval or an equation within a sentence."""

    __slots__ = ()


class Spelled(str):
    """A part of a sentence that LaTeX spells in its own way: a citation, code."""

    latex: str

    def __new__(cls, text: str, latex: str) -> Self:
        """Join a text and what it is in LaTeX."""
        self = super().__new__(cls, text)
        self.latex = latex
        return self


class Name(str):
    """What a system is called, within a sentence: it is set apart, in quotes or as the format does it."""

    __slots__ = ()


class Drawn(str):
    """A cell that a page draws: a value with its interval, and with a wider one that holds for several at once."""

    value: float | None
    near: tuple[float, float] | None
    far: tuple[float, float] | None
    tone: Tone

    def __new__(
        cls,
        text: str,
        value: float | None,
        near: tuple[float, float] | None,
        far: tuple[float, float] | None,
        tone: Tone,
    ) -> Self:
        """Join what the cell says where nothing is drawn, and what is."""
        self = super().__new__(cls, text)
        self.value, self.near, self.far, self.tone = value, near, far, tone
        return self


Text = str | tuple[str, ...]
"""A sentence; or its parts, if some are formulas or names."""


def plain(text: Text) -> str:
    """Return a text with names in quotes, and formulas as all else."""
    if isinstance(text, str):
        return text
    return "".join(f'"{part}"' if isinstance(part, Name) else part for part in text)


def join(*texts: Text) -> Text:
    """Put sentences that there are one behind the other."""
    parts: list[str] = []
    for text in filter(None, texts):
        parts += [*([" "] if parts else []), *((text,) if isinstance(text, str) else text)]
    return tuple(parts)


@dataclass(frozen=True, kw_only=True)
class Block:
    """A part of a document."""

    readers: Reader = ALL


@dataclass(frozen=True)
class Paragraph(Block):
    """Sentences."""

    text: Text


@dataclass(frozen=True)
class Facts(Block):
    """Labels, each with what there is to say."""

    rows: Pairs
    readers: Reader = field(default=BESIDE, kw_only=True)


@dataclass(frozen=True)
class Notes(Block):
    """What to know before relying on the result: warnings, failures."""

    texts: Sequence[str]
    word: str = "Warning"
    readers: Reader = field(default=BESIDE, kw_only=True)


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str
    kind: Kind = "text"
    short: str | None = None
    """What it is called where lines are short; "" leaves it out there."""
    room: int | None = None
    """The most columns of a terminal that a cell takes."""
    centimetres: int | None = None
    """How wide it is in a paper, where its cells are sentences."""
    spare: int = 0
    """How soon lines of text do without it where they are too short: the highest first, 0 never."""

    @property
    def right(self) -> bool:
        """Whether its cells are flush right, wherever there is room for that."""
        return self.kind in ("number", "score", "interval", "quoted")


@dataclass(frozen=True, kw_only=True)
class Axis:
    """What the drawn cells of a table share: where they begin and end, and the numbers above them."""

    low: float
    high: float
    ticks: Sequence[tuple[float, str]]
    left: str = ""
    """Who is better on the left of 0."""
    right: str = ""

    def at(self, value: float) -> float:
        """Return where a value stands, from 0 to 1; what lies beyond an end stands at the end.

        >>> Axis(low=-1.0, high=3.0, ticks=()).at(0.0), Axis(low=-1.0, high=3.0, ticks=()).at(9.0)
        (0.25, 1.0)
        """
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)


@dataclass(frozen=True, kw_only=True)
class Table(Block):
    """A table, and how its rows are told where lines are too short for it."""

    title: str = ""
    announced: Literal["", "sentence", "heading"] = ""
    """How the title stands above the table where not every table has one."""
    columns: Sequence[Column]
    rows: Sequence[Sequence[Text]]
    tones: Sequence[Tone] = ()
    """Of each row's last cell, where it is a verdict."""
    wrong: Collection[tuple[int, int]] = ()
    """The cells, as row and column, that are wrong answers."""
    note: str = ""
    titles: Sequence[str] = ()
    """What each row is called on a line of its own; its first cell if left out."""
    in_titles: Collection[int] = (0,)
    """The columns that the titles tell."""
    axis: Axis | None = None
    """That of its drawn cells; a page shows such a table first."""
    shape: Literal["", "bare", "folding", "grouped", "wide", "prose", "pairs"] = ""
    """Bare: needs no head in lines of text, its labels are those of facts. Folding: its names may be broken. Grouped: rows of
    one title stand together below it. Wide: is never broken. Prose: its cells are sentences. Pairs: is not for a printed page."""

    @classmethod
    def of(cls, cells: Mapping[Column, Sequence[Text] | None], **about: Any) -> Self:
        """Make a table of its columns; None leaves a column out."""
        there = {column: texts for column, texts in cells.items() if texts is not None}
        return cls(columns=list(there), rows=list(zip(*there.values(), strict=True)), **about)


@dataclass(frozen=True, kw_only=True)
class Drawing(Block):
    """An interval beside 0, drawn with signs."""

    low: float
    high: float
    value: float
    left: str
    """Who is better on the left of 0."""
    right: str
    readers: Reader = Reader.SCREEN


@dataclass(frozen=True)
class Items(Block):
    """A list."""

    items: Sequence[str]


@dataclass(frozen=True)
class Verbatim(Block):
    """Lines as they are, to be copied."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Details(Block):
    """Blocks that are folded away under a title."""

    title: str
    blocks: Sequence[Block]
    badge: str = ""
    tone: Tone | None = None
    readers: Reader = Reader.PAGE


@dataclass(frozen=True, kw_only=True)
class Section(Block):
    """Blocks under a heading."""

    key: str = ""
    """What it is called in an address."""
    title: str
    blocks: Sequence[Block]
    note: str = ""
    readers: Reader = Reader.PAGE


@dataclass(frozen=True)
class Part:
    """One of the parts of a whole that are drawn beside each other: how many there are, and what they are."""

    count: int
    label: str
    tone: Tone


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What is said first."""

    badge: str
    """In a few words."""
    tone: Tone
    headline: Text
    details: Text = ""
    lead: Text = ""
    """Details without what is to be done, where that stands on its own."""
    next: str = ""
    """What is to be done, where the data cannot tell."""
    parts: Sequence[Part] = ()
    """What several verdicts come to, drawn as one bar."""
    paper: Text = ""
    """The sentence of a paper; headline and details if left out."""

    @property
    def below_badge(self) -> Text:
        """The headline where the badge stands above it: without a beginning that says the same.

        >>> Verdict(badge="too close to call", tone="open", headline=("Too close to call", ": ", Name("new"), " wins.")).below_badge
        ('new', ' wins.')
        """
        said, parts = f"{self.badge}: ", [self.headline] if isinstance(self.headline, str) else list(self.headline)
        if not "".join(parts).lower().startswith(said):
            return self.headline
        left = len(said)
        while len(parts[0]) <= left:
            left -= len(parts.pop(0))
        if not isinstance(parts[0], Name):
            parts[0] = parts[0][left : left + 1].upper() + parts[0][left + 1 :]
        return tuple(parts)

    @property
    def text(self) -> Text:
        """Headline and details."""
        return join(self.headline, self.details)


@dataclass(frozen=True, kw_only=True)
class Case:
    """A test case: what a gate asks."""

    group: str
    name: str
    passed: bool
    kind: str
    """What is wrong in a word or two, where it is not passed."""
    message: str
    body: Document | str


B = TypeVar("B", bound=Block)


@dataclass(frozen=True, kw_only=True)
class Document:
    """All that a report says of a result. What costs time, or needs what is not always installed, is made when asked for."""

    kind: str
    """What the result is: a comparison, an audit."""
    context: Sequence[str] = ()
    """What it is about, in a few words each: the files, the score, how many examples."""
    verdict: Verdict
    blocks: Sequence[Block] = ()
    signatures: Sequence[str] = ()
    figures: Callable[[], Sequence[Any]] = tuple
    """Draws the pictures."""
    picture: Callable[[], Any] = lambda: None
    """Draws the most telling one; None where there is nothing to draw."""
    sections: Callable[[bool], Sequence[Section]] = lambda examples: ()
    """Makes what only a page has room for; told whether to read the data again, for examples to look at."""
    cases: Callable[[], Iterable[Case]] = tuple
    content: Callable[[], dict[str, Any]] = dict
    """Makes what the JSON holds."""

    def find(self, kind: type[B], reader: Reader) -> list[B]:
        """Return the blocks of a kind that are for a reader."""
        return [block for block in self.blocks if isinstance(block, kind) and reader in block.readers]
