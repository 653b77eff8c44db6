"""Counting in memory: mixed-radix codes and one bincount where the values span little, a sort of the codes where not."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from referee.data.columns import Ints, Mask, Values, aligned, factorize
from referee.data.engines.base import Column, Grouped, Repeats, column, repeats_of
from referee.errors import InputError, unknown

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
        source: column name to one value an example.
        roles: role to column name.
        keep_ids: whether repeated ids are handed on (else they are only counted).

    Raises:
        InputError: where the lengths differ or a column is not one value an example.
    """
    for name in roles.values():
        if name not in source:
            raise unknown("column", name, source)
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
    return replace(tabulate(columns, keep_ids), notes=notes)


def differing(source: Mapping[str, Any], roles: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a mapping of columns on which a and b differ, in their order.

    Args:
        source: column name to one value an example.
        roles: role to column name; "text" may be anything that has a value an example.
    """
    given, _ = aligned({role: source[name] for role, name in roles.items()})
    known = {role: column(values, role) for role, values in given.items() if role != "text"}
    differ = _differ(known["a"], known["b"])
    for place in np.flatnonzero(differ).tolist():
        row = {
            role: None if gone is not None and gone[place] else values[place] for role, (values, gone) in known.items()
        }
        if "text" in roles:
            row["text"] = _at(given["text"], place)
        yield row


def _differ(a: Column, b: Column) -> Mask:
    gone = [np.zeros(len(values), np.bool_) if missing is None else missing for values, missing in (a, b)]
    differ: Mask = np.asarray(a[0] != b[0], np.bool_) & ~gone[0] & ~gone[1]
    differ |= gone[0] != gone[1]
    return differ


def check_text(source: Mapping[str, Any], name: str, other: str) -> None:
    """Raise unless texts are one an example, and it is clear which is whose.

    Raises:
        NameUnknown: where there is no such column.
        InputError: where it is something else, or of another length than the other column.
    """
    if name not in source:
        raise unknown("column", name, source)
    if other not in source:
        return  # whoever counts says so
    text, beside = source[name], source[other]
    if isinstance(text, str | bytes | Mapping) or not (hasattr(text, "__getitem__") and hasattr(text, "__len__")):
        hint = "; a column name needs data=" if isinstance(text, str) else ""
        raise InputError(f"text must be one text an example, in order; it is {type(text).__name__}{hint}")
    if hasattr(beside, "__len__") and len(text) != len(beside):
        raise InputError(
            f"text must have the same length as a and b; it has {len(text)} texts for {len(beside)} examples"
        )
    aligned({"a": beside, "text": text})


def _at(raw: Any, place: int) -> Any:
    """Return a value by its place, whatever the labels of the rows are."""
    value = raw.iloc[place] if hasattr(raw, "iloc") else raw[place]
    return value.as_py() if hasattr(value, "as_py") else value


def tabulate(columns: dict[str, Column], keep_ids: bool) -> Grouped:
    """Merge the equal rows of columns of one length."""
    repeats = Repeats()
    if "id" in columns:
        repeats = repeats_of(columns["id"])
        if not (keep_ids and repeats.ids):
            columns = {role: values for role, values in columns.items() if role != "id"}
    rows = len(next(iter(columns.values()))[0])
    merged = _merge(list(columns.values()), rows) if rows else None
    if merged is None:
        return Grouped.of(columns, np.ones(rows, np.int64), repeats)
    found, counts = merged
    return Grouped.of(dict(zip(columns, found, strict=True)), counts, repeats)


@dataclass(frozen=True)
class _Digits:
    """One column as the digits of a mixed-radix number: value minus low, or the place among the levels."""

    digits: Values
    low: int
    span: int
    levels: Values | None
    missing: Mask | None
    dtype: np.dtype[Any]

    @property
    def radix(self) -> int:
        """The number of digits; one more than the span where values are missing."""
        return self.span + (self.missing is not None)

    def write(self, rows: slice, out: Ints) -> None:
        """Put the digits of some rows into a buffer."""
        np.subtract(self.digits[rows], self.low, out=out, dtype=np.int64, casting="unsafe")
        if self.missing is not None:
            out[self.missing[rows]] = self.span

    def values(self, digits: Ints) -> Column:
        """Return the values that digits stand for."""
        gone = digits == self.span if self.missing is not None else None
        if gone is not None:
            digits = np.where(gone, 0, digits)
        if self.levels is not None:
            return self.levels[digits], gone
        return (digits + self.low).astype(np.bool_ if self.dtype.kind == "b" else np.int64), gone


def _digits(column: Column, rank: bool) -> _Digits:
    values, missing = column
    if values.dtype.kind in "biu" and not rank:
        narrow = values.view(np.uint8) if values.dtype.kind == "b" else values
        low, high = _range(narrow)
        return _Digits(narrow, low, high - low + 1, None, missing, values.dtype)
    levels, places = factorize(values)
    return _Digits(places, 0, len(levels), levels, missing, levels.dtype)


def _range(values: Values) -> tuple[int, int]:
    """Return bounds of whole numbers; of small ones that are not negative in one pass, by the bits that are set."""
    bits = int(np.bitwise_or.reduce(values))
    return (0, bits) if 0 <= bits <= SMALL else (int(values.min()), int(values.max()))


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
        parts = [
            part if part.levels is not None else _digits(column, rank=True)
            for part, column in zip(parts, columns, strict=True)
        ]
    size = math.prod(part.radix for part in parts)
    if size >= CODES or any(part.levels is not None and part.span > max(rows // 2, 64) for part in parts):
        return None
    if size <= TABLE and size <= max(rows, BLOCK):
        table = _table(parts, rows, size)
        codes = np.flatnonzero(table)
        counts = table[codes]
    else:
        codes, counts = np.unique(
            _code(parts, slice(0, rows), np.empty(rows, np.int64), np.empty(rows, np.int64)), return_counts=True
        )
    found: list[Column] = []
    for part in reversed(parts):
        codes, digits = np.divmod(codes, part.radix)
        found.append(part.values(digits))
    return found[::-1], counts.astype(np.int64, copy=False)


def _code(parts: list[_Digits], rows: slice, code: Ints, digit: Ints) -> Ints:
    parts[0].write(rows, code)
    for part in parts[1:]:
        part.write(rows, digit)
        code *= part.radix
        code += digit
    return code


def _table(parts: list[_Digits], rows: int, size: int) -> Ints:
    if size <= FEW and all(part.missing is None for part in parts):
        return _few(parts, rows, size)
    block = max(BLOCK, 4 * size)  # so that adding up the tables of the blocks costs less than the rows do
    code, digit = np.empty(min(block, rows), np.int64), np.empty(min(block, rows), np.int64)
    table = np.zeros(size, np.int64)
    for start in range(0, rows, block):
        stop = min(start + block, rows)
        table += np.bincount(
            _code(parts, slice(start, stop), code[: stop - start], digit[: stop - start]), minlength=size
        )
    return table


def _few(parts: list[_Digits], rows: int, size: int) -> Ints:
    """Count few cells by comparing one-byte codes with each of them, which is quicker than a bincount."""
    table = np.zeros(size, np.int64)
    code, digit = np.empty(min(BYTES, rows), np.uint8), np.empty(min(BYTES, rows), np.uint8)
    for start in range(0, rows, BYTES):
        stop = min(start + BYTES, rows)
        made = code[: stop - start]
        for place, part in enumerate(parts):
            target = digit[: stop - start] if place else made
            np.copyto(target, part.digits[start:stop], casting="unsafe")
            target -= np.uint8(part.low % 256)  # wraps around, as the cast did
            if place:
                made *= part.radix
                made += target
        for cell in range(size):
            table[cell] += np.count_nonzero(made == cell)
    return table
