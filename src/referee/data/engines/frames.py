"""Counting dataframes of any make: numbers through numpy, the rest by the frame's own group-by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.data.columns import clean
from referee.data.engines import arrays, spark
from referee.data.engines.base import Column, Grouped, Repeats, no_id, refuse_inexact
from referee.errors import InputError, unknown

if TYPE_CHECKING:
    import narwhals as nw

TIMES = "referee_times"
STEPS = (1_000, 30_000, 1_000_000)
"""How many rows of a lazy frame are fetched, one after the other, until there are enough."""


def wrap(source: Any) -> nw.DataFrame[Any] | nw.LazyFrame[Any] | None:
    """Return a frame that narwhals knows, or None for anything else."""
    import narwhals as nw

    try:
        found = nw.from_native(source, pass_through=True)
    except nw.exceptions.NarwhalsError as error:
        raise _uncountable(error) from error
    return found if isinstance(found, nw.DataFrame | nw.LazyFrame) else None


def read(frame: nw.DataFrame[Any] | nw.LazyFrame[Any], roles: Mapping[str, str], keep_ids: bool) -> Grouped:
    """Count the rows of a frame.

    Args:
        frame: eager or lazy.
        roles: role to column name.
        keep_ids: whether repeated ids are handed on (else they are only counted).

    Raises:
        InputError: where a column holds lists or mixes types, or the frame has two columns of one name.
    """
    import narwhals as nw

    try:
        with spark.explained() if spark.is_spark(frame) else nullcontext():
            return _count(frame, roles, keep_ids)
    except nw.exceptions.NarwhalsError as error:
        raise _uncountable(error) from error


def _count(frame: Any, roles: Mapping[str, str], keep_ids: bool) -> Grouped:
    import narwhals as nw

    known = frame.collect_schema()
    for name in roles.values():
        if name not in known:
            raise unknown("column", name, known)
    if isinstance(frame, nw.DataFrame) and not _grouping_helps(frame, roles):
        ready = {name: values_of(frame.get_column(name), name) for name in dict.fromkeys(roles.values())}
        return arrays.tabulate({role: ready[name] for role, name in roles.items()}, keep_ids)
    for role, name in roles.items():
        _check_type(known[name], role)
    if spark.is_spark(frame):
        frame, roles = spark.by_place(frame, roles)
    return _group(frame.select(*(nw.col(name).alias(role) for role, name in roles.items())), keep_ids)


def differing(frame: nw.DataFrame[Any] | nw.LazyFrame[Any], roles: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a frame on which a and b may differ, in their order; of a lazy one the first million.

    Args:
        frame: eager or lazy.
        roles: role to column name.

    Raises:
        InputError: where the frame cannot be read.
    """
    import narwhals as nw

    try:
        with spark.explained() if spark.is_spark(frame) else nullcontext():
            yield from _differing(frame, roles)
    except nw.exceptions.NarwhalsError as error:
        raise _uncountable(error) from error


def _differing(frame: Any, roles: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    import narwhals as nw

    if spark.is_spark(frame):
        frame, roles = spark.by_place(frame, roles)
    types = frame.collect_schema()
    chosen = frame.select(*(nw.col(name).alias(role) for role, name in roles.items()))
    # As texts where they are classes: two columns of classes need not have the same ones.
    a, b = (
        nw.col(role).cast(nw.String) if types[roles[role]] in (nw.Categorical, nw.Enum) else nw.col(role)
        for role in ("a", "b")
    )
    differ = (a != b).fill_null(value=False) | (a.is_null() & ~b.is_null()) | (~a.is_null() & b.is_null())
    chosen = chosen.filter(differ)
    if isinstance(chosen, nw.DataFrame):
        yield from chosen.iter_rows(named=True)
        return
    seen = 0
    for most in STEPS:
        found = chosen.head(most).collect()
        yield from found[seen:].iter_rows(named=True)
        if len(found) < most:
            return
        seen = most


def _uncountable(error: Exception) -> InputError:
    return InputError(f"the frame cannot be counted: {' '.join(str(error).split())[:300]}")


def _grouping_helps(frame: nw.DataFrame[Any], roles: Mapping[str, str]) -> bool:
    """Say whether some column is text; a column of loose objects must be checked value by value instead."""
    import narwhals as nw

    types = [frame.schema[name] for name in roles.values()]
    text = any(dtype in (nw.String, nw.Categorical, nw.Enum) for dtype in types)
    return text and not any(dtype in (nw.Object, nw.Unknown) for dtype in types)


def _group(frame: Any, keep_ids: bool) -> Grouped:
    repeats = _repeats(frame) if "id" in frame.collect_schema() else Repeats()
    keys = [role for role in frame.collect_schema() if role != "id" or (keep_ids and repeats.ids)]
    table = _grouped(frame, keys)
    columns = {role: values_of(table.get_column(role), role) for role in keys}
    return Grouped.of(columns, table.get_column(TIMES).to_numpy().astype(np.int64), repeats)


def _grouped(frame: Any, keys: list[str]) -> nw.DataFrame[Any]:
    import narwhals as nw

    found = frame.select(*keys).group_by(keys, drop_null_keys=False).agg(nw.len().alias(TIMES))
    table: nw.DataFrame[Any] = found.collect() if isinstance(found, nw.LazyFrame) else found
    return table


def _repeats(frame: Any) -> Repeats:
    import narwhals as nw

    gone = nw.col("id").is_null()
    if frame.collect_schema()["id"].is_float():
        gone = gone | nw.col("id").is_nan()
        digits = 24 if frame.collect_schema()["id"] == nw.Float32 else 53
        largest = frame.select(nw.col("id").abs().max().alias("id"))
        largest = largest.collect() if isinstance(largest, nw.LazyFrame) else largest
        refuse_inexact("id", largest.get_column("id").item(), digits)
    ids = frame.select("id").group_by("id", drop_null_keys=False).agg(nw.len().alias(TIMES))
    ids = ids.filter((nw.col(TIMES) > 1) | gone)
    if isinstance(ids, nw.LazyFrame):
        return _told(ids, gone)
    values, missing = values_of(ids.get_column("id"), "id")
    if missing is not None:
        raise no_id(int(ids.get_column(TIMES).to_numpy()[missing].sum()))
    return Repeats(len(values), str(min(values.tolist()))) if len(values) else Repeats()


def _told(ids: nw.LazyFrame[Any], gone: nw.Expr) -> Repeats:
    """Sum up the ids that repeat where they are: there may be more of them than memory holds."""
    import narwhals as nw

    lacking = nw.when(gone).then(nw.col(TIMES)).otherwise(nw.lit(0)).sum()
    table = ids.select(nw.col("id").min(), nw.len().alias("ids"), lacking.alias("lacking")).collect()
    number, without = (int(table.get_column(name).fill_null(0).item()) for name in ("ids", "lacking"))
    if without:
        raise no_id(without)
    example = values_of(table.get_column("id"), "id")[0]
    return Repeats(number, str(example[0])) if number else Repeats()


def values_of(series: nw.Series[Any], what: str) -> Column:
    """Turn a series into typed values and a mask of its nulls and NaNs (None: none)."""
    import narwhals as nw

    dtype = series.dtype
    _check_type(dtype, what)
    gone = series.is_null().to_numpy().astype(np.bool_) if series.null_count() else None
    if gone is not None and dtype.is_numeric() and dtype != nw.Decimal:
        series = series.fill_null(0)  # a null would make floats of whole numbers, and lose digits
    array = series.to_numpy()
    if gone is not None and array.dtype.kind == "O":
        array = np.where(gone, None, array)  # type: ignore[call-overload]
    values, holes = clean(array, what)
    missing = holes if gone is None else holes | gone
    return values, missing if missing.any() else None


def _check_type(dtype: Any, what: str) -> None:
    import narwhals as nw

    if dtype.is_nested() or dtype == nw.Binary:
        raise InputError(f"{what} holds {dtype}; a label or a number is needed")
