"""Layout: which of the columns right of a token are the gold tags, and which are predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from referee.data.formats.base import Choices
from referee.data.formats.conll_spans import OUTSIDE, TAG
from referee.errors import InputError, OptionError


def numbered(place: int) -> int:
    """Return the number by which people know a column: they count from 1, and the token is the first."""
    return place + 2


@dataclass
class Column:
    """What a column holds: the types of its tags, and the first cell that is no tag."""

    types: set[str] = field(default_factory=set)
    strange: tuple[int, str] | None = None

    def add(self, cells: tuple[str, ...], line: int) -> None:
        """Take in the cells of a sentence that begins on a line."""
        for cell in dict.fromkeys(cells):
            if TAG.fullmatch(cell):
                if cell != OUTSIDE:
                    self.types.add(cell.partition("-")[2])
            elif self.strange is None:
                self.strange = line + cells.index(cell), cell


def layout(columns: Sequence[Column], choices: Choices, path: Path) -> tuple[int, list[int]]:
    """Return which column is the gold tags, and which are predictions.

    Tag columns are taken from the right, as long as they have a type in common with those already taken: so a column of
    chunks beside one of names is no prediction. The first of them is gold, the others are systems.

    Args:
        columns: those right of the token.
        choices: of which `truth` and `prediction` may be numbers of columns.
        path: the file, for messages.

    Raises:
        InputError: where the last two are not tags of the same types.
        OptionError: where the columns that were named are none, or the same.
    """
    taken = _tagged(columns, path) if choices.truth is None or choices.prediction is None else []
    truth = taken[0] if choices.truth is None else _named("truth", choices.truth, columns, path)
    systems = [one for one in taken if one != truth]
    if choices.prediction is not None:
        systems = [_named("prediction", choices.prediction, columns, path)]
    if not systems or truth in systems:
        raise OptionError(
            f"{path}: the gold tags and the predicted tags must be two columns; name them with --truth and --prediction"
        )
    return truth, systems


def _tagged(columns: Sequence[Column], path: Path) -> list[int]:
    """Return the places of the columns of tags, from left to right; at least two."""
    taken: list[int] = []
    types: set[str] = set()
    for place in reversed(range(len(columns))):
        column = columns[place]
        alike = not column.types or not types or bool(column.types & types)
        if len(taken) >= 2 and not (alike and (column.types or column.strange is None)):
            break
        _check_tags(column, place, path)
        if not alike:
            raise InputError(
                f"{path}: column {numbered(place)} has the types {_few(column.types)} and those right of it "
                f"{_few(types)}; are these gold and predicted tags? Name the columns with --truth and --prediction"
            )
        taken.insert(0, place)
        types |= column.types
    return taken


def _few(types: set[str]) -> str:
    return ", ".join(sorted(types)[:5])


def _check_tags(column: Column, place: int, path: Path) -> None:
    if column.strange is not None:
        line, cell = column.strange
        raise InputError(
            f"line {line} of {path}: {cell[:60]!r} in column {numbered(place)} is no tag; tags are O, "
            f"and B-TYPE, I-TYPE and the like"
        )


def _named(what: str, given: str, columns: Sequence[Column], path: Path) -> int:
    """Return the place of the column with a number that the user gave."""
    places = {str(numbered(place)): place for place in range(len(columns))}
    if given not in places:
        raise OptionError(
            f"--{what} is the number of a column, from 2 to {len(places) + 1}, in CoNLL columns; it is {given!r}"
        )
    _check_tags(columns[places[given]], places[given], path)
    return places[given]
