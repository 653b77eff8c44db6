"""Cells that hold several texts: the references of a sentence, or the labels of an example."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from referee.errors import Argument, InputError, Message, one_of

SEPARATORS = {"json": None, "pipe": "|", "semicolon": ";", "comma": ",", "space": " "}
"""What stands between the labels of a cell, by the name that an option can have; "json" for a list."""
USUAL = ("pipe", "semicolon", "comma")
"""The separators that hardly ever stand inside a label."""
QUOTED = re.compile(r"""\s*\[\s*['"].*\]\s*""", re.DOTALL)
"""What a list of texts looks like, even one that cannot be read."""


def items_of(text: str) -> list[str] | None:
    """Return the texts of a cell that is a list of texts (or of whole numbers), as JSON or Python writes it; None if it is none.

    >>> items_of('["a", "b"]'), items_of("[music]"), items_of("[3, 7]"), items_of("['a', 'b']")
    (['a', 'b'], None, ['3', '7'], ['a', 'b'])
    """
    text = text.strip()
    if not text.startswith("[") or not text.endswith("]"):
        return None
    found: Any = None
    try:
        found = json.loads(text)
    except ValueError:
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            found = ast.literal_eval(text)
            # Python reads ['a' 'b'], as NumPy writes two texts, as one: such a list is none.
            found = found if str(found).replace(", ", ",") == text.replace(", ", ",") else None
    plain = isinstance(found, list) and all(isinstance(one, str) or type(one) is int for one in found)
    return [str(one) for one in found] if plain else None


MOST = 10_000
"""Of more distinct cells than this nothing is concluded: they are texts."""
DECIMALS = re.compile(r"\s*[-+]?\d+,\d+\s*")
"""Numbers with a decimal comma, which separates nothing."""


def parted_by(cells: Iterable[str]) -> str | None:
    """Return the name of what plainly separates the labels of cells that hold several; None if the cells are single labels.

    Of plain lists most are made of labels that other cells have too, and not all have the same number of them: a label such as
    "Washington, DC" or "red, large" is one of many with two parts, or its parts occur nowhere else.

    >>> parted_by(["cat|dog", "dog", "cat|sea", "sea"]), parted_by(["Washington, DC", "Olympia, WA", "Seattle, WA", "Boston"])
    ('pipe', None)
    >>> parted_by(["red, large", "red, small", "blue, large", "blue, small"]), parted_by(["1", "1,5", "5", "5,5"])
    (None, None)
    """
    distinct = set(cells)
    if len(distinct) > MOST:
        return None
    for name in USUAL:
        mark = str(SEPARATORS[name])
        parts = {cell: _split(cell, mark) for cell in distinct}
        times = Counter(label for own in parts.values() for label in own)
        several = [own for cell, own in parts.items() if mark in cell and not DECIMALS.fullmatch(cell)]
        met = [own for own in several if len(own) > 1 and "" not in own and all(times[label] > 1 for label in own)]
        inside = set().union(*several)
        sizes = {len(own) for own in parts.values() if len(own) > 1 or own <= inside}
        if len(met) > 1 and 2 * len(met) > len(several) and len(sizes) > 1:
            return name
    return None


def labels_of(text: str | None, metric: str, separator: str) -> frozenset[str]:
    """Return the labels of a cell; a missing prediction names none.

    Raises:
        InputError: if it is no list, and nothing says what separates them.

    >>> sorted(labels_of("sport|news", "multilabel-f1", "pipe")), labels_of("[]", "multilabel-f1", "pipe")
    (['news', 'sport'], frozenset())
    """
    one_of(f"{metric}:separator", separator, SEPARATORS, "metric")
    if text is None or not text.strip():
        return frozenset()
    mark, found = SEPARATORS[separator], items_of(text)
    if found is not None:
        return frozenset(found)
    if QUOTED.fullmatch(text):
        raise _unreadable(text, metric)
    if mark is not None:
        return frozenset(filter(None, (label.strip() for label in text.split(mark))))
    likely = next((name for name, sign in SEPARATORS.items() if sign and sign in text), "pipe")
    told = f'{metric} needs lists of labels, such as ["news", "sport"]; {text[:40]!r} is none'
    others = ", ".join(name for name in SEPARATORS if name not in ("json", likely))
    remedy = Message("say what separates the labels: ", _separated(metric, likely), f" (or {others})")
    raise InputError(told, argument="metric", value=text[:40], remedy=remedy)


def check_cells(metric: str, separator: str, columns: Mapping[str, Any]) -> None:
    """Refuse columns that the separator does not fit, as each cell would then count as one label.

    Args:
        metric: its name.
        separator: one of SEPARATORS.
        columns: the cells of the truth and of the systems, by the names that messages have for them.

    Raises:
        InputError: if some cells are lists and others are not, or if another separator occurs and this one does not.
    """
    mark = SEPARATORS.get(separator)
    if mark is None:
        return
    cells = {name: {cell for cell in column if cell and cell.strip()} for name, column in columns.items()}
    several = set().union(*cells.values())
    lists = {cell for cell in several if items_of(cell) is not None}
    plain, filled = sorted(several - lists), sorted(cell for cell in lists if items_of(cell))
    if plain and filled:
        told = f"some cells are lists, such as {filled[0][:40]!r}, and others are not, such as {plain[0][:40]!r}"
        raise InputError(
            told, argument="metric", value=separator, remedy="write the labels of all cells in the same way"
        )
    if not any(mark in cell for cell in plain):
        _refuse_other(metric, separator, "truth and predictions", set(plain))
    for name, own in cells.items():
        if any(mark in cell for cell in own - lists):
            continue
        elsewhere = {label for other in cells if other != name for cell in cells[other] for label in _split(cell, mark)}
        if elsewhere.isdisjoint(cell.strip() for cell in own if any(str(SEPARATORS[sign]) in cell for sign in USUAL)):
            _refuse_other(metric, separator, name, own - lists)


def _refuse_other(metric: str, separator: str, where: str, cells: set[str]) -> None:
    """Raise InputError if cells have another of the usual separators."""
    for other in USUAL:
        example = min((cell for cell in cells if str(SEPARATORS[other]) in cell), default=None)
        if example is not None:
            told = (
                f"{SEPARATORS[separator]!r} occurs nowhere in {where}, and {SEPARATORS[other]!r} does: {example[:40]!r}"
            )
            chosen = _separated(metric, other)
            remedy = Message("if it separates the labels, write ", chosen, '; if not, write lists: ["news", "sport"]')
            raise InputError(told, argument="metric", value=separator, remedy=remedy)


def _split(cell: str, mark: str) -> set[str]:
    return {label.strip() for label in cell.split(mark)}


def _separated(metric: str, separator: str) -> Argument:
    return Argument("metric", f"{metric}:separator={separator}")


def _unreadable(text: str, metric: str) -> InputError:
    looks = f"{metric} cannot read {text[:40]!r}, which looks like a list"
    remedy = 'write lists as JSON: ["news", "sport"]; a NumPy array becomes one with json.dumps(array.tolist())'
    return InputError(looks, argument="metric", value=text[:40], remedy=remedy)
