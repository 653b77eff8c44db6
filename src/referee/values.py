"""Columns of values: whole numbers, numbers, booleans or text, never a silent mixture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from referee.errors import InputError

Values: TypeAlias = NDArray[Any]
Mask: TypeAlias = NDArray[np.bool_]
Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]

LARGEST = 1e100
KINDS = {"b": "true/false", "i": "whole numbers", "f": "numbers", "O": "text"}


def kind(values: Values) -> str:
    """Say in words what a column holds."""
    return KINDS[values.dtype.kind]


def clean(raw: Any, what: str) -> tuple[Values, Mask]:
    """Turn any one-dimensional sequence into typed values and a mask of the missing ones.

    Floats that are all whole become whole numbers, so 1.0 and 1 are one label; True, 1 and "1" stay three.
    What stands under the mask is of the right type and means nothing.
    """
    array = raw if isinstance(raw, np.ndarray) else _array(raw)
    if array.ndim != 1:
        raise InputError(f"{what} must be one value an example; it has the shape {array.shape}")
    code = array.dtype.kind
    nothing = np.zeros(len(array), dtype=np.bool_)
    if code == "b":
        return array, nothing
    if code in "iu":
        if code == "u" and len(array) and array.max() > np.iinfo(np.int64).max:
            raise InputError(f"{what} has whole numbers beyond 64 bits; give them as text")
        return array, nothing
    if code == "f":
        return _floats(array.astype(np.float64, copy=False), what)
    if code in "UT":
        return array.astype(object), nothing
    if code in "Mm":
        missing = np.isnat(array)
        return np.array(np.datetime_as_string(array) if code == "M" else array.astype(str), dtype=object), missing
    if code == "O":
        return _objects(array, what)
    raise InputError(f"{what} has values of type {array.dtype}, which referee does not read; give labels or numbers")


def _array(raw: Any) -> Values:
    if hasattr(raw, "to_numpy"):
        return np.asarray(raw.to_numpy())
    if isinstance(raw, str | bytes) or not isinstance(raw, Sequence):
        raw = [raw] if isinstance(raw, str | bytes) else list(raw)
    array = np.empty(len(raw), dtype=object)
    try:
        array[:] = raw
    except ValueError:
        raise InputError("one value an example is needed; these are lists of values") from None
    return array


def _floats(array: Floats, what: str) -> tuple[Values, Mask]:
    missing = np.isnan(array)
    if np.isinf(array).any():
        raise InputError(f"{what} has infinite values; a score must be finite")
    if np.abs(array[~missing]).max(initial=0.0) > LARGEST:
        raise InputError(f"{what} has values beyond ±{LARGEST:g}, whose squares no number holds; scale them")
    if (array == np.trunc(array))[~missing].all() and (
        len(array) == 0 or np.abs(array[~missing]).max(initial=0) < 2**53
    ):
        return np.where(missing, 0, array).astype(np.int64), missing
    return np.where(missing, 0.0, array), missing


def _is_missing(value: Any) -> bool:
    # pandas.NA is asked by its type first: it refuses to be compared.
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _objects(array: Values, what: str) -> tuple[Values, Mask]:
    items = array.tolist()
    types = set(map(type, items))
    empty = {
        t for t in types if t is type(None) or t.__name__ in ("NAType", "NaTType") or issubclass(t, float | np.floating)
    }
    missing = np.fromiter(map(_is_missing, items), np.bool_, len(items)) if empty else np.zeros(len(items), np.bool_)
    if empty:
        types = {type(item) for item, gone in zip(items, missing, strict=True) if not gone}
    if not types:
        return np.zeros(len(items), np.int64), missing
    if all(issubclass(t, str) for t in types):
        if missing.any():
            array = array.copy()
            array[missing] = ""
        return array, missing
    if all(issubclass(t, bool | np.bool_) for t in types):
        return np.array(
            [bool(item) and not gone for item, gone in zip(items, missing, strict=True)], dtype=np.bool_
        ), missing
    if all(issubclass(t, int | float | np.number) or t.__name__ == "Decimal" for t in types) and bool not in types:
        present = [0 if gone else item for item, gone in zip(items, missing, strict=True)]
        if all(issubclass(t, int | np.integer) for t in types):
            try:
                return np.array(present, dtype=np.int64), missing
            except OverflowError:
                raise InputError(f"{what} has whole numbers beyond 64 bits; give them as text") from None
        values, _ = _floats(np.array(present, dtype=np.float64), what)
        return values, missing
    if all(hasattr(t, "isoformat") for t in types):
        return np.array(
            ["" if gone else item.isoformat() for item, gone in zip(items, missing, strict=True)], dtype=object
        ), missing
    names = ", ".join(sorted({t.__name__ for t in types})[:5])
    if len(types) == 1:
        raise InputError(
            f"{what} has values of type {names}, which referee does not read; a label or a number is needed"
        )
    raise InputError(
        f'{what} mixes values of different types ({names}); make them one type, since 1, True and "1" are not the same label'
    )


def factorize(values: Values) -> tuple[Values, Ints]:
    """Return the sorted distinct values and, for each value, its place among them.

    >>> levels, codes = factorize(np.array(["b", "a", "b"], dtype=object))
    >>> levels.tolist(), codes.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    if values.dtype.kind == "b":
        present = np.array([v for v in (False, True) if (values == v).any()], dtype=np.bool_)
        return present, (values.astype(np.int64) if len(present) == 2 else np.zeros(len(values), np.int64))
    if values.dtype.kind != "O":
        levels, codes = np.unique(values, return_inverse=True)
        return levels, codes.astype(np.int64, copy=False)
    items = values.tolist()
    seen = set(items)
    distinct = sorted(seen - {None}) + [None] * (None in seen)
    place = {item: i for i, item in enumerate(distinct)}
    found = np.empty(len(distinct), dtype=object)
    found[:] = distinct
    return found, np.fromiter(map(place.__getitem__, items), np.int64, len(items))


def group(columns: Sequence[Values], weights: Ints) -> tuple[list[Values], Ints]:
    """Merge equal rows, add their weights, and put the rows into canonical order."""
    if not columns or not len(weights):
        return [column[:0] for column in columns], weights[:0]
    codes = [factorize(column)[1] for column in columns]
    order = np.lexsort(codes[::-1])
    changed = np.zeros(len(order), dtype=np.bool_)
    changed[0] = True
    for code in codes:
        changed[1:] |= np.diff(code[order]) != 0
    starts = np.flatnonzero(changed)
    return [column[order[starts]] for column in columns], np.add.reduceat(weights[order], starts)


def plain(value: Any) -> Any:
    """Return a value as JSON knows it."""
    return value.item() if isinstance(value, np.generic) else value
