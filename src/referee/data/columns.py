"""Columns of values: integers, numbers, booleans or text, never a silent mixture; rows with index labels are aligned by them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from referee.errors import Argument, InputError, PackageMissing, one_of

Values: TypeAlias = NDArray[Any]
Mask: TypeAlias = NDArray[np.bool_]
Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]

LARGEST = 1e100
COMMA = re.compile(r"[-+]?\d+(,\d+)?")
EXACT = 2**53
"""Below this every whole number is a float of its own; from here on neighbours share one."""
PRECISIONS: dict[int, np.dtype[Any]] = {16: np.dtype(np.float16), 32: np.dtype(np.float32), 64: np.dtype(np.float64)}
"""How many bits a score was stored with, and the type that has them."""
EMPTY = ("NAType", "NaTType")
"""The types that dataframes have for a value that is not there."""
GAPS = ("NA", "NaN", "nan", "null", "NULL", "None")
"""What stands for a missing number where all is text, as in CSV."""
LIBRARIES = ("pandas", "polars", "pyarrow")
"""What dataframes are made of, the first that is installed."""
KINDS = {"b": "true/false", "i": "whole numbers", "u": "whole numbers", "f": "numbers", "O": "text"}


def kind(values: Values) -> str:
    """Say in words what a column holds."""
    return KINDS[values.dtype.kind]


def label_kind(values: Values) -> str:
    """Return the code of the kind of the labels, among which None stands for a prediction that equals none; "" without labels."""
    if values.dtype.kind != "O":
        return values.dtype.kind
    label = next((value for value in values.tolist() if value is not None), None)
    kinds = {bool: "b", int: "i", float: "f"}
    return "" if label is None else next((code for kind, code in kinds.items() if isinstance(label, kind)), "O")


def clean(raw: Any, what: str) -> tuple[Values, Mask]:
    """Turn any one-dimensional sequence into typed values and a mask of the missing ones.

    Floats that are all whole become whole numbers, so 1.0 and 1 are one label; True, 1 and "1" stay three. Other floats
    keep the precision that they came with. What stands under the mask is of the right type and means nothing.
    """
    array = raw if isinstance(raw, np.ndarray) else _array(raw)
    if array.ndim != 1:
        raise _not_flat(what, array.shape)
    code = array.dtype.kind
    if code == "u" and array.max(initial=0) > np.iinfo(np.int64).max:
        raise InputError(f"{what} has whole numbers beyond 64 bits; give them as text")
    if code in "biuUT":
        return array.astype(object) if code in "UT" else array, np.zeros(len(array), dtype=np.bool_)
    if code in "Mm":
        texts = np.datetime_as_string(array) if code == "M" else array.astype(str)
        return np.array(texts, dtype=object), np.isnat(array)
    if code in "fO":
        return (_floats if code == "f" else _objects)(array, what)
    raise InputError(f"{what} has values of type {array.dtype}, which referee does not read; give labels or numbers")


def _array(raw: Any) -> Values:
    if hasattr(raw, "to_numpy"):
        return np.asarray(raw.to_numpy())
    if isinstance(raw, str | bytes) or not isinstance(raw, Sequence):
        raw = [raw] if isinstance(raw, str | bytes) else list(raw)
    return np.fromiter(raw, dtype=object, count=len(raw))  # one by one: a list of lists stays a list


def _not_flat(what: str, shape: tuple[int, ...]) -> InputError:
    """Return the error for several values per example; most such tables come from `predict_proba`."""
    if len(shape) != 2:
        return InputError(f"{what} must have one value per example; it has {len(shape)} dimensions: give a flat array")
    rows, columns = shape
    size = f"{rows:,} rows and {columns:,} column{'' if columns == 1 else 's'}"
    column = f"give one column of it, such as {what.partition(' ')[0]}[:, {columns - 1}]"
    return InputError(f"{what} must have one value per example; it is a table of {size}: {column}")


def _floats(array: Values, what: str) -> tuple[Values, Mask]:
    stored = array.dtype if array.dtype in PRECISIONS.values() else PRECISIONS[64]
    wide = array.astype(np.float64, copy=False)
    missing = np.isnan(wide)
    if np.isinf(wide).any():
        raise InputError(f"{what} has infinite values; give finite numbers")
    largest = np.abs(wide[~missing]).max(initial=0.0)
    if largest > LARGEST:
        raise InputError(f"{what} has values beyond ±{LARGEST:g}, whose squares overflow; rescale them")
    if (wide == np.trunc(wide))[~missing].all() and largest < 2 ** (np.finfo(stored).nmant + 1):
        return np.where(missing, 0, wide).astype(np.int64), missing
    return np.where(missing, 0.0, wide).astype(stored, copy=False), missing


def precision(values: Values) -> int:
    """Return with how many bits the numbers of a column were stored; of what is no float, 64.

    >>> precision(np.array([0.5], np.float32)), precision(np.array([1, 2]))
    (32, 64)
    """
    return next((bits for bits, dtype in PRECISIONS.items() if dtype == values.dtype), 64)


def rounded(values: Any, bits: int) -> Any:
    """Return numbers as a float of so many bits holds them.

    >>> rounded(0.7, 32), rounded(0.7, 64)
    (0.699999988079071, 0.7)
    """
    with np.errstate(over="ignore"):
        wide = np.asarray(values).astype(PRECISIONS[bits], copy=False).astype(np.float64, copy=False)
    return wide if wide.ndim else wide.item()


def is_missing(value: Any) -> bool:
    """Say whether a value is missing: None, NaN, or what dataframes have instead."""
    if value is None or type(value).__name__ in EMPTY:
        return True
    return isinstance(value, float | np.generic | Decimal) and bool(value != value)


def _objects(array: Values, what: str) -> tuple[Values, Mask]:
    items = array.tolist()
    types = set(map(type, items))
    missing = np.zeros(len(items), np.bool_)
    if any(t.__name__ in EMPTY or issubclass(t, float | np.floating | Decimal | None) for t in types):
        missing = np.fromiter(map(is_missing, items), np.bool_, len(items))
        types = set(map(type, array[~missing].tolist()))

    def all_are(*kinds: type) -> bool:
        return all(issubclass(t, kinds) for t in types)

    def filled(value: Any) -> Values:
        return np.where(missing, value, array) if missing.any() else array

    if not types:
        return np.zeros(len(items), np.int64), missing
    if all_are(str):
        return filled(""), missing
    if all_are(bool, np.bool_):
        return filled(False).astype(np.bool_), missing
    if all_are(int, float, np.number, Decimal) and bool not in types:
        return _numbers(filled(0).tolist(), types, what), missing
    if all(hasattr(t, "isoformat") for t in types):
        dates = ["" if gone else item.isoformat() for item, gone in zip(items, missing, strict=True)]
        return np.array(dates, dtype=object), missing
    if all_are(list, tuple, set, frozenset, np.ndarray) and all(map(_holds_texts, array[~missing].tolist())):
        texts = ["" if gone else list_text(item) for item, gone in zip(items, missing, strict=True)]
        return np.array(texts, dtype=object), missing
    if all_are(list, tuple, np.ndarray):
        raise _not_flat(what, (len(items), max(map(np.size, array[~missing]))))
    names = ", ".join(sorted({t.__name__ for t in types})[:5])
    if len(types) == 1:
        raise InputError(f"{what} has values of type {names}, which referee does not read; give labels or numbers")
    different = '1, True and "1" are not the same label'
    raise InputError(f"{what} mixes values of different types ({names}); make them one type: {different}")


def _holds_texts(several: Any) -> bool:
    """Say whether a cell is a list of texts, such as labels or references; nothing says of numbers what they are."""
    return np.ndim(several) <= 1 and all(isinstance(one, str) for one in several)


def list_text(texts: Iterable[str]) -> str:
    """Return a list of texts as JSON has it, the only form in which counts hold lists; a set is put into order.

    >>> list_text({"b", "a"}), list_text([])
    ('["a","b"]', '[]')
    """
    ordered = sorted(texts) if isinstance(texts, set | frozenset) else list(texts)
    return json.dumps(ordered, ensure_ascii=False, separators=(",", ":"))


def _numbers(items: list[Any], types: set[type], what: str) -> Values:
    """Return numbers of several types as one: whole ones where all are, else with the precision of the coarsest."""
    if all(issubclass(t, int | np.integer) for t in types):
        try:
            return np.array(items, dtype=np.int64)
        except OverflowError:
            raise InputError(f"{what} has whole numbers beyond 64 bits; give them as text") from None
    if all(issubclass(t, Decimal) for t in types):
        with suppress(OverflowError):  # beyond 64 bits, or without an end
            whole = list(map(int, items))
            if whole == items:
                return np.array(whole, dtype=np.int64)
    bits = min((precision(np.empty(0, t)) for t in types if issubclass(t, np.floating)), default=64)
    return _floats(np.array(items, dtype=np.float64).astype(PRECISIONS[bits]), what)[0]


def comma_hint(labels: Iterable[Any]) -> str:
    """Return what to do about texts that are numbers with a decimal comma; nothing where one is something else.

    >>> comma_hint(["0,5", "1"]), comma_hint(["yes", "0,5"])
    ("; '0,5' looks like a decimal comma: write numbers with a point, as pandas.read_csv(path, sep=';', decimal=',') reads them", '')
    """
    texts = [label for label in labels if label is not None]
    example = next((text for text in texts if isinstance(text, str) and "," in text), None)
    if example is None or not all(isinstance(text, str) and COMMA.fullmatch(text) for text in texts):
        return ""
    how = "as pandas.read_csv(path, sep=';', decimal=',') reads them"
    return f"; {example!r} looks like a decimal comma: write numbers with a point, {how}"


def odd_texts(values: Iterable[Any], times: Iterable[int]) -> dict[str, int]:
    """Return how often each text occurs that is no number; nothing where all of them are such, as these are labels.

    >>> odd_texts(["0.5", "N/A", "1", None], [10, 2, 5, 1]), odd_texts(["yes", "no"], [1, 1])
    ({'N/A': 2}, {})
    """
    found: dict[str, dict[str, int]] = {"number": {}, "odd": {}, "true or false": {}, "gap": {}}
    for value, often in zip(values, times, strict=True):
        if isinstance(value, str):
            own = found[_sort_of(value)]
            own[value] = own.get(value, 0) + int(often)
    numbers, *others = found.values()
    if not numbers:
        numbers = found["true or false"]
        others.remove(numbers)
    return next(filter(None, others), {}) if numbers else {}


def _sort_of(text: str) -> str:
    if text in GAPS:
        return "gap"
    if text.lower() in ("true", "false"):
        return "true or false"
    try:
        float(text)
    except ValueError:
        return "odd"
    return "number"


def factorize(values: Values) -> tuple[Values, Ints]:
    """Return the sorted distinct values and, for each value, its place among them.

    >>> levels, codes = factorize(np.array(["b", "a", "b"], dtype=object))
    >>> levels.tolist(), codes.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    if values.dtype.kind != "O":
        levels, codes = np.unique(values, return_inverse=True)
        return levels, codes.astype(np.int64, copy=False)
    items = values.tolist()
    present = set(items)
    distinct = sorted(present - {None}) + [None] * (None in present)
    place = {item: i for i, item in enumerate(distinct)}
    codes = np.fromiter(map(place.__getitem__, items), np.int64, len(items))
    return np.fromiter(distinct, dtype=object, count=len(distinct)), codes


def joined(role: str, first: Values, second: Values) -> Values:
    """Put the values of two columns one behind the other, if they are of one kind."""
    if not len(first) or not len(second):
        return first if len(first) else second
    one, another = label_kind(first), label_kind(second)
    if one != another and not {one, another} <= {"i", "f"} and one and another:
        told = f"{KINDS[one]} in one of the counts and {KINDS[another]} in the other"
        raise InputError(f"{role} holds {told}; these are not the same labels")
    return np.concatenate([first, second])


def group(columns: Sequence[Values], weights: Ints, codes: Sequence[Ints] | None = None) -> tuple[list[Values], Ints]:
    """Merge equal rows, add their weights, and put the rows into canonical order.

    Args:
        columns: the columns.
        weights: how often each row occurs.
        codes: the place of each value among those of its column, if it is known.
    """
    if not columns or not len(weights):
        return [column[:0] for column in columns], weights[:0]
    codes = [factorize(column)[1] for column in columns] if codes is None else codes
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


def aligned(columns: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Put columns into one order, where their indexes say which one; columns without an index are left as they are.

    Args:
        columns: by the name that messages have for each.

    Returns:
        The columns, and what was done, in sentences.

    Raises:
        InputError: if indexes differ, and nothing says for sure which rows belong together.
    """
    indexes = {name: values.index for name, values in columns.items() if _indexed(values)}
    lengths = {len(index) for index in indexes.values()}
    first = next(iter(indexes), "")
    odd = [name for name, index in indexes.items() if not indexes[first].equals(index)]
    if not odd or len(lengths) > 1:  # of lengths that differ somebody else speaks
        return dict(columns), ()
    unlabelled = [name for name, index in indexes.items() if _counted(index)]
    labelled = [indexes[name] for name in indexes if name not in unlabelled]
    of_one_order = all(labelled[0].equals(index) for index in labelled)
    if unlabelled and of_one_order and not labelled[0].isin(indexes[unlabelled[0]]).all():
        # Numbers that the labels of the others are not: they are the places in which the rows came, as after a split of the data.
        note = f"the rows of {', '.join(unlabelled)} were paired with the others by position: their index is just 0, 1, 2, ..."
        return dict(columns), (note,)
    why = _doubt(columns, indexes, first, odd)
    if why:
        order = "" if unlabelled else f"put them into one order, as {odd[0]}.loc[{first}.index] does, or "
        unclear = (
            f"the rows of {first} and {odd[0]} have different indexes, {why}, so it is unclear which belong together"
        )
        raise InputError(unclear, remedy=f"{order}pass .to_numpy() of each to pair them by position")
    moved = {name: columns[name].reindex(indexes[first]) for name in odd}
    note = f"the rows of {', '.join(odd)} were put into the order of {first}, whose index has the same labels in another order"
    return {**columns, **moved}, (note,)


def _indexed(values: Any) -> bool:
    return hasattr(values, "iloc") and hasattr(getattr(values, "index", None), "equals") and hasattr(values, "reindex")


def _doubt(columns: Mapping[str, Any], indexes: Mapping[str, Any], first: str, odd: list[str]) -> str:
    """Say why labels do not tell which rows belong together; nothing where they do."""
    if not all(index.is_unique for index in indexes.values()):
        return "in which labels repeat"
    if not all(indexes[first].isin(indexes[name]).all() for name in odd):
        return "which do not hold the same labels"
    # What a model predicts is often numbered 0, 1, 2, ... in the order in which it was asked, whatever the labels were.
    counted = next((name for name in (first, *odd) if _counted(indexes[name])), None)
    if counted is not None:
        return f"and that of {counted} may be no more than the places 0, 1, 2, ..."
    bare = next((name for name in columns if name not in indexes), None)
    return "" if bare is None else f"and {bare} has none"


def _counted(index: Any) -> bool:
    """Say whether an index is the one that rows get when nobody gives them one."""
    return type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1)


def frame_of(columns: Mapping[str, Sequence[Any]], backend: Any = None) -> Any:
    """Make a dataframe.

    Args:
        columns: name to values.
        backend: "pandas", "polars" or "pyarrow", or a module that narwhals knows; the first that is installed if left out.

    Raises:
        OptionError: if there is no such library, with the commands that install one.
    """
    import narwhals as nw

    if backend is None:
        backend = next((library for library in LIBRARIES if find_spec(library) is not None), None)
    if backend is None:
        several = ", or ".join(f"pip install {library}" for library in LIBRARIES)
        remedy = f"install one: {several}; to_dict() and to_json() need none"
        raise PackageMissing("a dataframe needs a library that makes it", argument="backend", remedy=remedy)
    if backend in LIBRARIES and find_spec(backend) is None:
        about = {"argument": "backend", "value": backend, "remedy": f"install it: pip install {backend}"}
        raise PackageMissing(Argument("backend", backend), " needs a library that is not installed", **about)
    try:
        return nw.from_dict(columns, backend=backend).to_native()
    except (ImportError, ValueError, nw.exceptions.NarwhalsError) as error:
        one_of("backend", backend, LIBRARIES)
        raise InputError(f"{backend} cannot hold these columns: {error}", argument="backend", value=backend) from error
