"""Counting in memory: mixed-radix codes with one bincount if the range is small, otherwise a sort of the codes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from referee.data.columns import Ints, Mask, Values, aligned, factorize
from referee.data.engines.base import Blocks, Column, Grouped, Repeats, column, hint_of_names, repeats_of
from referee.data.roles import check_columns
from referee.errors import InputError

TABLE = 2**20  # the most cells that are counted directly: 8 MB
CODES = 2**62  # the most codes that a 64-bit integer holds, with room to spare
SAMPLE = 2**12
SMALL = 7  # the largest whole number that is bounded by its bits
FEW = 64  # the most cells that are counted one by one
BYTES = 2**17  # rows that are coded into single bytes at a time
BLOCK = 2**15  # rows that are coded at a time, so that the codes stay in the cache


def read(source: Mapping[str, Any], roles: Mapping[str, str], keep_ids: bool) -> Grouped:
    """Count the rows of a mapping of columns.

    Args:
        source: column name to one value per example.
        roles: role to column name.
        keep_ids: whether repeated ids are handed on (else they are only counted).

    Raises:
        InputError: if the lengths differ or a column does not have one value per example.
    """
    columns, notes = _columns(source, roles)
    return replace(tabulate(columns, keep_ids), notes=notes)


def read_blocks(source: Mapping[str, Any], roles: Mapping[str, str], blocks: Blocks) -> Grouped:
    """Count the rows of each block of a mapping of columns."""
    return in_blocks(_columns(source, roles)[0], blocks)


def in_blocks(columns: Mapping[str, Column], blocks: Blocks) -> Grouped:
    """Count the rows of each block of columns of one length, the block being a slice."""
    rows = len(next(iter(columns.values()))[0])
    return tabulate({**columns, "slice": (blocks.of(rows), None)}, keep_ids=False)


def _columns(source: Mapping[str, Any], roles: Mapping[str, str]) -> tuple[dict[str, Column], tuple[str, ...]]:
    """Return the columns by role, and what was done to put their rows into one order."""
    check_columns(roles, source)
    given, notes = aligned({str(name): source[name] for name in roles.values()})
    ready: dict[str, Column] = {}
    for role, name in roles.items():
        if name not in ready:
            ready[name] = column(given[str(name)], role if name == role else f"{role} ({name})")
    columns = {role: ready[name] for role, name in roles.items()}
    lengths = {role: len(values) for role, (values, _) in columns.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{role} {length}" for role, length in lengths.items())
        raise InputError(f"truth, a, b and the rest must have the same length; here: {shown}")
    return columns, notes


def differing(source: Mapping[str, Any], roles: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a mapping of columns on which a and b differ, in their order.

    Args:
        source: column name to one value per example.
        roles: role to column name; "text" may be anything with one value per example.
    """
    given, _ = aligned({role: source[name] for role, name in roles.items()})
    columns: dict[str, tuple[Values, Mask]] = {}
    for role in (role for role in roles if role != "text"):
        values, missing = column(given[role], role)
        columns[role] = values, np.zeros(len(values), np.bool_) if missing is None else missing
    (a, a_missing), (b, b_missing) = columns["a"], columns["b"]
    differ = np.where(a_missing | b_missing, a_missing != b_missing, a != b)
    for place in np.flatnonzero(differ).tolist():
        row = {role: None if missing[place] else values[place] for role, (values, missing) in columns.items()}
        yield {**row, "text": _at(given["text"], place)} if "text" in roles else row


def check_text(source: Mapping[str, Any], name: str, other: str) -> None:
    """Raise unless texts are one an example, and it is clear which is whose.

    Raises:
        NameUnknown: if there is no such column.
        InputError: if it is something else, or of another length than the other column.
    """
    check_columns({"text": name}, source)
    if other not in source:
        return  # whoever counts says so
    text, beside = source[name], source[other]
    if isinstance(text, str | bytes | Mapping) or not (hasattr(text, "__getitem__") and hasattr(text, "__len__")):
        needed = "text must have one text per example, in order"
        raise InputError(f"{needed}; it is {type(text).__name__}", *hint_of_names(text))
    if hasattr(beside, "__len__") and len(text) != len(beside):
        raise InputError(f"text must be as long as a and b; it has {len(text)} texts for {len(beside)} examples")
    aligned({"a": beside, "text": text})


def _at(raw: Any, place: int) -> Any:
    """Return a value by its place, whatever the labels of the rows are."""
    value = raw.iloc[place] if hasattr(raw, "iloc") else raw[place]
    return value.as_py() if hasattr(value, "as_py") else value


def tabulate(columns: dict[str, Column], keep_ids: bool) -> Grouped:
    """Merge the equal rows of columns of one length."""
    repeats = repeats_of(columns["id"]) if "id" in columns else Repeats()
    if not (keep_ids and repeats.ids):
        columns = {role: values for role, values in columns.items() if role != "id"}
    rows = len(next(iter(columns.values()))[0])
    merged = _merge(list(columns.values()), rows) if rows else None
    values, counts = merged or (list(columns.values()), np.ones(rows, np.int64))
    return Grouped.of(dict(zip(columns, values, strict=True)), counts, repeats)


@dataclass(frozen=True)
class _Digits:
    """One column as the digits of a mixed-radix number: value minus low, or the place among the levels."""

    digits: Values
    low: int
    span: int
    missing: Mask | None
    levels: Values | None = None

    @property
    def radix(self) -> int:
        """The number of digits; one more than the span where values are missing."""
        return self.span + (self.missing is not None)

    def write(self, rows: slice, out: Ints) -> None:
        """Put the digits of some rows into a buffer, whose numbers may be so narrow that they wrap around on the way."""
        np.copyto(out, self.digits[rows], casting="unsafe")
        if self.low:
            out -= np.int64(self.low).astype(out.dtype)
        if self.missing is not None:
            out[self.missing[rows]] = self.span

    def values(self, digits: Ints) -> Column:
        """Return the values that digits stand for."""
        gone = digits == self.span if self.missing is not None else None
        digits = digits if gone is None else np.where(gone, 0, digits)
        return digits + self.low if self.levels is None else self.levels[digits], gone


def _digits(column: Column, rank: bool) -> _Digits:
    values, missing = column
    if values.dtype.kind in "iu" and not rank:
        # The bounds of small numbers that are not negative are found in one pass, by the bits that are set.
        bits = int(np.bitwise_or.reduce(values))
        low, high = (0, bits) if 0 <= bits <= SMALL else (int(values.min()), int(values.max()))
        return _Digits(values, low, high - low + 1, missing)
    if values.dtype.kind == "b" and not rank:
        return _Digits(values.view(np.uint8), 0, 2, missing, np.array([False, True]))
    levels, places = factorize(values)
    return _Digits(places, 0, len(levels), missing, levels)


def _crowded(values: Values) -> bool:
    """Say by a sample whether text or numbers have too many distinct values for merging to pay; scores have."""
    sample = values[:: max(len(values) // SAMPLE, 1)]
    return values.dtype.kind in "Of" and len(sample) >= SAMPLE and len(set(sample.tolist())) > 0.9 * len(sample)


def _merge(columns: list[Column], rows: int) -> tuple[list[Column], Ints] | None:
    """Return the distinct rows with their counts; None where nearly every row is a row of its own."""
    if any(_crowded(values) for values, _ in columns):
        return None
    parts = [_digits(column, rank=False) for column in columns]
    if math.prod(part.radix for part in parts) >= CODES:
        parts = [_digits(column, rank=True) for column in columns]
    size = math.prod(part.radix for part in parts)
    if size >= CODES or any(part.levels is not None and part.span > max(rows // 2, 64) for part in parts):
        return None
    if size <= TABLE and size <= max(rows, BLOCK):
        table = _table(parts, rows, size)
        codes = np.flatnonzero(table)
        counts = table[codes]
    else:
        codes, counts = np.unique(_code(parts, slice(0, rows), *np.empty((2, rows), np.int64)), return_counts=True)
    merged: list[Column] = []
    for part in reversed(parts):
        codes, digits = np.divmod(codes, part.radix)
        merged.append(part.values(digits))
    return merged[::-1], counts.astype(np.int64, copy=False)


def _code(parts: list[_Digits], rows: slice, code: Values, digit: Values) -> Values:
    parts[0].write(rows, code)
    for part in parts[1:]:
        part.write(rows, digit)
        code *= part.radix
        code += digit
    return code


def _table(parts: list[_Digits], rows: int, size: int) -> Ints:
    """Count the cells block by block; few of them by comparing one-byte codes with each, which is quicker than a bincount."""
    few = size <= FEW
    # Blocks are so large that adding up their tables costs less than the rows do.
    block = BYTES if few else max(BLOCK, 4 * size)
    buffers = np.empty((2, min(block, rows)), np.uint8 if few else np.int64)
    table = np.zeros(size, np.int64)
    for start in range(0, rows, block):
        stop = min(start + block, rows)
        codes = _code(parts, slice(start, stop), *buffers[:, : stop - start])
        cells = range(size)
        table += [np.count_nonzero(codes == cell) for cell in cells] if few else np.bincount(codes, minlength=size)
    return table
