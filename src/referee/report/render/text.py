"""Plain text: a sentence, tables in columns, the interval drawn, the warnings, the signature; in colour on a terminal."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from referee.report.document import Block, Column, Document, Drawing, Facts, Notes, Paragraph, Reader, Table, plain
from referee.report.phrases import apart, full
from referee.report.render import output_format
from referee.report.render import text_layout as layout
from referee.report.render.text_layout import WIDTH, align, columns, described, fit, pad, widest, wrap

if TYPE_CHECKING:
    from rich.text import Text

LABELS = (24, 12)
"""The most columns that the name of a system takes in a table, and where lines are short."""
NAME = 12
"""The fewest columns that a name is folded into."""
LINE = 37
"""The columns of the drawn interval."""
COLOURS = {"good": "green", "bad": "red", "equal": "blue", "open": "yellow"}
STYLES = {"notes": "yellow", "signature": "dim"}
INTERVAL = re.compile(r"\[[-*|]*\]")


class Part(NamedTuple):
    """A part of a text between blank lines, and what it is: that decides its colour on a terminal."""

    kind: str
    """"verdict", "drawing", "notes", "signature", or "" where it is just text."""
    text: str


@output_format("text")
def render(document: Document, width: int = WIDTH, verbose: bool = False) -> str:
    """Write a document.

    Args:
        document: what to say.
        width: the columns to keep to; a signature is one line all the same.
        verbose: whether to tell what is much the same every time, too.

    Returns:
        The text, without a final newline; its last lines are the signatures.
    """
    return "\n\n".join(part.text for part in parts(document, width, verbose))


def parts(document: Document, width: int, verbose: bool = False) -> list[Part]:
    """Return the parts of a text that there are."""
    return [part for part in _parts(document, width, Reader.VERBOSE if verbose else Reader.BRIEF) if part.text]


def plain_text(document: Document, terminal: int, verbose: bool = False) -> str:
    """Write a document for a terminal of so many columns, without colours."""
    return render(document, _width(terminal), verbose)


def painted(document: Document, terminal: int, verbose: bool = False) -> Text:
    """Write a document for a terminal of so many columns: the verdict's sentence in the colour of its tone."""
    from rich.text import Text

    colour = COLOURS[document.verdict.tone]
    texts = []
    for part in parts(document, _width(terminal), verbose):
        style = f"bold {colour}" if part.kind == "verdict" else STYLES.get(part.kind, "")
        painting = Text(part.text, style=style, end="")
        if part.kind == "drawing":
            painting.highlight_regex(INTERVAL, f"bold {colour}")
        texts.append(painting)
    return Text("\n\n", end="").join(texts)


def _width(terminal: int) -> int:
    return min(max(terminal, layout.NARROWEST), layout.WIDEST)


def _parts(document: Document, width: int, reader: Reader) -> Iterator[Part]:
    names = [name for block in document.find(Facts, reader) for name, _ in block.rows]
    bare = next((block for block in document.find(Table, reader) if block.shape == "bare"), None)
    label, rows = (widest(names), []) if bare is None else _bare(bare, names, width)
    yield Part("verdict", wrap(plain(document.verdict.headline), width))
    yield Part("", wrap(plain(document.verdict.details), width))
    for block in document.find(Block, reader):
        match block:
            case Paragraph():
                yield Part("", wrap(plain(block.text), width))
            case Table():
                yield Part("", "\n".join(rows if block is bare else _table(block, width)))
            case Facts():
                yield Part("", "\n".join(described(name, text, label, width) for name, text in block.rows))
            case Notes():
                yield Part("notes", "\n".join(wrap(f"{block.word}: {text}", width, "  ") for text in block.texts))
            case Drawing():
                yield Part("drawing", "\n".join(_draw(block, label, width)))
    yield Part("signature", "\n".join(document.signatures))


def _bare(block: Table, names: Sequence[str], width: int) -> tuple[int, list[str]]:
    """Return the columns of the labels, those of facts too, and the lines of a table that needs no head."""
    right = [i for i, column in enumerate(block.columns) if column.kind == "number"]
    cells = [[plain(cell) for cell in row] for row in block.rows]
    for most in LABELS:
        labels = _cut([row[0] for row in cells], most)
        label = widest([*names, *labels])
        body = [[pad(name, label), *row[1:]] for name, row in zip(labels, cells, strict=True)]
        lines = [f"  {line}" for line in align(body, right)]
        if widest(lines) <= width and (width >= WIDTH or label <= max(LABELS[1], width // 4)):
            return label, lines
    return label, [line for row in body for line in _beside(row, label, width)]


def _beside(row: Sequence[str], label: int, width: int) -> list[str]:
    """Write as many cells beside the label as fit, the others below them."""
    lines: list[str] = []
    for cell in filter(None, row[1:]):
        if lines and label + 6 + columns(lines[-1] + cell) <= width:
            lines[-1] += f"  {cell}"
        else:
            lines.append(cell)
    return [described("" if i else row[0], text, label, width) for i, text in enumerate(lines)]


def _table(block: Table, width: int) -> list[str]:
    """Return the lines of a table with its title: in columns, or where they do not fit, row by row."""
    titles = {"": [], "sentence": [wrap(f"{block.title}:", width), ""], "heading": [wrap(block.title, width)]}
    return [*titles[block.announced], *(_entries if block.shape == "prose" else _grid)(block, width)]


def _grid(block: Table, width: int) -> list[str]:
    notes = [plain(row[i]) for i, column in enumerate(block.columns) if column.kind == "note" for row in block.rows]
    numbered = {note: i for i, note in enumerate(dict.fromkeys(filter(None, notes)), 1)}
    shown = _shown(block, numbered, width)
    grid = [*zip(*(_column(block, i, numbered) for i in shown), strict=True)]
    right = [place for place, i in enumerate(shown) if block.columns[i].kind in ("number", "score", "quoted")]
    rooms = {place: room for place, i in enumerate(shown) if (room := block.columns[i].room) is not None}
    lines = [f"  {line}" for line in align(_folded(grid, rooms, width - 2), right)]
    if block.shape == "wide" or not block.rows or (widest(lines) <= width and block.shape != "grouped"):
        below = [wrap(f"({i}) {full(note)}", width, "    ") for note, i in numbered.items()]
        return [*lines, "", *below] if below else lines
    rest = align([row[1:] for row in grid], [place - 1 for place in right])
    room = width - widest(rest) - 4
    if block.shape == "folding" and room >= NAME:
        names = [layout.fold(row[0], room) for row in grid]
        folded = [
            [(part, "" if i else line) for i, part in enumerate(name)] for name, line in zip(names, rest, strict=True)
        ]
        return [f"  {line}" for line in align([*chain.from_iterable(folded)])]
    told = [i for i in shown if i not in block.in_titles]
    titles = block.titles or [plain(row[0]) for row in block.rows]
    cells = [[plain(row[i]) for i in told] for row in block.rows]
    flush = [place for place, i in enumerate(told) if block.columns[i].right]
    return layout.stacked(titles, [_name(block.columns[i]) for i in told], cells, width, flush)


def _folded(grid: Sequence[Sequence[str]], rooms: Mapping[int, int], width: int) -> list[Sequence[str]]:
    """Fold the cells of some columns where a table is too wide: each has its room, and what the others leave of the line."""
    widths = [widest(column) for column in zip(*grid, strict=True)]
    for place, room in rooms.items():
        taken = sum(
            min(widths[i], rooms.get(i, widths[i])) if i > place else widths[i]
            for i in range(len(widths))
            if i != place
        )
        widths[place] = min(widths[place], max(room, width - taken - 2 * (len(widths) - 1)))
    rows: list[Sequence[str]] = []
    for row in grid:
        cells = [layout.fold(cell, widths[i]) if i in rooms else [cell] for i, cell in enumerate(row)]
        rows += zip_longest(*cells, fillvalue="")
    return rows


def _shown(block: Table, numbered: Mapping[str, int], width: int) -> list[int]:
    """Return the places of the columns that lines of this width have: those that can be spared go while it is too wide."""
    shown = [i for i, one in enumerate(block.columns) if one.short != ""]
    spare = sorted((i for i in shown if block.columns[i].spare), key=lambda i: -block.columns[i].spare)
    for place in spare:
        wide = sum(min(widest(_column(block, i, numbered)), block.columns[i].room or width) + 2 for i in shown)
        if wide <= width:
            break
        shown.remove(place)
    return shown


def _column(block: Table, place: int, numbered: Mapping[str, int]) -> list[str]:
    """Return a column with its head; of remarks, the numbers under which they stand below."""
    column, cells = block.columns[place], [plain(row[place]) for row in block.rows]
    if column.kind == "note":
        return ["", *(f"({numbered[cell]})" if cell in numbered else "" for cell in cells)]
    return [_name(column), *cells]


def _name(column: Column) -> str:
    return column.name if column.short is None else column.short


def _cut(cells: Sequence[str], room: int) -> list[str]:
    """Cut what is too long so that cells that differ still differ when cut."""
    every = list(dict.fromkeys(cells))
    long = [cell for cell in every if columns(cell) > room]
    cut, ends = [fit(cell, room) for cell in long], [layout.fit_ends(cell, room) for cell in long]
    rest = set(every) - set(long)
    # Of many names some begin alike: then both ends are kept, if that tells them apart.
    if len({*cut, *rest}) < len(every):
        cut = ends if len({*ends, *rest}) == len(every) > 2 else apart(long, partial(fit, width=room))
    short = dict(zip(long, cut, strict=True))
    return [short.get(cell, cell) for cell in cells]


def _entries(block: Table, width: int) -> list[str]:
    """Write each row as a paragraph: its title, and below it every cell with its name."""
    below = [i for i in range(len(block.columns)) if i not in block.in_titles]
    label = widest([block.columns[i].name for i in below]) + 1
    entries = []
    for title, row in zip(block.titles, block.rows, strict=True):
        cells = [f"  {pad(f'{block.columns[i].name}:', label)} {plain(row[i])}" for i in below if row[i]]
        entries += ["", wrap(title, width, "  "), *(wrap(cell, width, " " * (label + 3)) for cell in cells)]
    return entries[1:]


def _draw(drawing: Drawing, label: int, width: int) -> list[str]:
    """Draw an interval beside 0."""
    width, ends = min(width, layout.PROSE), [0.0, drawing.low, drawing.high, drawing.value]
    if not all(map(math.isfinite, ends)) or not drawing.low < drawing.high:
        return []
    room = LABELS[1] + max(width - WIDTH, 0) // 2
    names = apart([drawing.left, drawing.right], partial(fit, width=room))
    left, right = (f"{name} better" for name in names)
    length = min(width - label - columns(left + right) - 8, LINE + max(width - WIDTH, 0))
    if length >= LINE // 3:
        line, zero = _interval(ends, length)
        below = " " * (label + columns(left) + 4 + zero)
        return [f"  {' ' * label}  {left} <{line}> {right}", f"  {below}0"]
    if width >= WIDTH:
        return []
    line, zero = _interval(ends, min(width - 4, LINE))
    below = f"  {left}{pad(right, len(line) + 2 - columns(left), right=True)}"
    return [f"  <{line}>", f"  {' ' * (zero + 1)}0", *([below] if columns(f"{left}{right}") < len(line) + 2 else [])]


def _interval(ends: Sequence[float], length: int) -> tuple[str, int]:
    """Return the line of an interval [low, high] with the difference on it, and where 0 is."""
    low, high = min(ends), max(ends)
    place = [2 + round((value - low) / (high - low) * (length - 5)) for value in ends]
    line = ["-" if place[1] <= i <= place[2] else " " for i in range(length)]
    for position, sign in zip(place, "|[]*", strict=True):
        line[position] = sign
    line[place[0]] = "|"
    return "".join(line), place[0]
