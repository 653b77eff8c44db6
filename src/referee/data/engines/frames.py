"""Dataframes of any library, Spark included: numbers are counted through numpy, the rest by the frame's own group-by."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np

from referee.data.columns import clean
from referee.data.engines import arrays
from referee.data.engines.base import Blocks, Column, Grouped, Repeats, refuse_inexact
from referee.data.roles import SYSTEMS, check_columns
from referee.errors import InputError, RefereeError, not_installed

Frame: TypeAlias = "nw.DataFrame[Any] | nw.LazyFrame[Any]"
TIMES = "referee_times"
STEPS = (1_000, 30_000, 1_000_000)
"""How many rows of a lazy frame are fetched, one after the other, until there are enough."""


def wrap(source: Any) -> Frame:
    """Return a frame as narwhals has it.

    Raises:
        InputError: if it is no frame.
    """
    try:
        frame = nw.from_native(source, pass_through=True)
    except nw.exceptions.NarwhalsError as error:
        raise _uncountable(error) from error
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame):
        allowed = "a dataframe, a mapping of columns, counts, or the path of a file"
        raise InputError(f"data must be {allowed}; it is {type(source).__name__}", argument="data")
    return frame


def read(source: Any, roles: Mapping[str, str], keep_ids: bool) -> Grouped:
    """Count the rows of a frame.

    Args:
        source: a frame, eager or lazy.
        roles: role to column name.
        keep_ids: whether repeated ids are handed on (else they are only counted).

    Raises:
        InputError: if it is no frame, a column holds lists or mixes types, or the frame has two columns of one name.
    """
    frame = wrap(source)
    with explained(frame):
        types = frame.collect_schema()
        check_columns(roles, types)
        wanted = [types[name] for name in roles.values()]
        # Grouping helps where some column is text; a column of loose objects must be checked value by value instead.
        text = any(dtype in (nw.String, nw.Categorical, nw.Enum) for dtype in wanted)
        loose = any(dtype in (nw.Object, nw.Unknown) or _is_list(dtype) for dtype in wanted)
        if isinstance(frame, nw.DataFrame) and (loose or not text):
            ready = {name: values_of(frame.get_column(name), name) for name in dict.fromkeys(roles.values())}
            return arrays.tabulate({role: ready[name] for role, name in roles.items()}, keep_ids)
        for role, name in roles.items():
            _check_type(types[name], role, lists=False)
        return _group(_chosen(frame, roles), keep_ids)


def read_blocks(source: Any, roles: Mapping[str, str], blocks: Blocks) -> Grouped | None:
    """Count the rows of each block of a frame; None of a lazy one, whose rows have no order."""
    frame = wrap(source)
    if not isinstance(frame, nw.DataFrame):
        return None
    with explained(frame):
        ready = {name: values_of(frame.get_column(name), name) for name in dict.fromkeys(roles.values())}
        return arrays.in_blocks({role: ready[name] for role, name in roles.items()}, blocks)


def differing(source: Any, roles: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a frame on which a and b may differ, in their order; of a lazy one the first million.

    Args:
        source: a frame, eager or lazy.
        roles: role to column name.

    Raises:
        InputError: if the frame cannot be read.
    """
    frame = wrap(source)
    with explained(frame):
        types = frame.collect_schema()
        # As texts where they are classes: two columns of classes need not have the same ones.
        classes = [role for role in SYSTEMS if types[roles[role]] in (nw.Categorical, nw.Enum)]
        a, b = (nw.col(role).cast(nw.String) if role in classes else nw.col(role) for role in SYSTEMS)
        differ = (a != b).fill_null(value=False) | (a.is_null() & ~b.is_null()) | (~a.is_null() & b.is_null())
        rows = _chosen(frame, roles).filter(differ)
        for known, most in pairwise((0, *STEPS)):
            some = rows if isinstance(rows, nw.DataFrame) else rows.head(most).collect()
            yield from some[known:].iter_rows(named=True)
            if some is rows or len(some) < most:
                return


def check_text(source: Any, name: str, _: str) -> None:
    """Raise unless a frame has a column of texts.

    Raises:
        NameUnknown: if there is no such column.
    """
    check_columns({"text": name}, wrap(source).collect_schema())


def _chosen(frame: Any, roles: Mapping[str, str]) -> Any:
    """Return the wanted columns under the names of their roles."""
    if _is_spark(frame):
        frame, roles = _by_place(frame, roles)
    return frame.select(*(nw.col(name).alias(role) for role, name in roles.items()))


def _uncountable(error: Exception) -> InputError:
    return InputError(f"the frame cannot be counted: {' '.join(str(error).split())[:300]}")


def _group(frame: Any, keep_ids: bool) -> Grouped:
    roles = frame.collect_schema()
    repeats = _repeats(frame, roles["id"]) if "id" in roles else Repeats()
    keys = [role for role in roles if role != "id" or (keep_ids and repeats.ids)]
    table = frame.select(*keys).group_by(keys, drop_null_keys=False).agg(nw.len().alias(TIMES)).lazy().collect()
    columns = {role: values_of(table.get_column(role), role) for role in keys}
    return Grouped.of(columns, table.get_column(TIMES).to_numpy().astype(np.int64), repeats)


def _repeats(frame: Any, dtype: Any) -> Repeats:
    gone = nw.col("id").is_null()
    if dtype.is_float():
        gone = gone | nw.col("id").is_nan()
        largest = frame.select(nw.col("id").abs().max().alias("id")).lazy().collect()
        refuse_inexact("id", largest.get_column("id").item(), 24 if dtype == nw.Float32 else 53)
    ids = frame.select("id").group_by("id", drop_null_keys=False).agg(nw.len().alias(TIMES))
    ids = ids.filter((nw.col(TIMES) > 1) | gone)
    if isinstance(ids, nw.LazyFrame):  # summed up where they are: there may be more of them than memory holds
        lacking = nw.when(gone).then(nw.col(TIMES)).otherwise(nw.lit(0)).sum()
        ids = ids.select(nw.col("id").min(), nw.len().alias("ids"), lacking.alias("lacking")).collect()
        number, without = (int(ids.get_column(name).fill_null(0).item()) for name in ("ids", "lacking"))
        example = values_of(ids.get_column("id"), "id")[0]
        return Repeats(number, str(example[0]) if number else "", without)
    values, missing = values_of(ids.get_column("id"), "id")
    without = 0 if missing is None else int(ids.get_column(TIMES).to_numpy()[missing].sum())
    return Repeats(len(values), str(min(values.tolist())) if len(values) else "", without)


def values_of(series: nw.Series[Any], what: str) -> Column:
    """Turn a series into typed values and a mask of its nulls and NaNs (None: none)."""
    dtype = series.dtype
    _check_type(dtype, what)
    if _is_list(dtype):
        values, missing = clean(series.to_list(), what)
        return values, missing if missing.any() else None
    gone = series.is_null().to_numpy().astype(np.bool_) if series.null_count() else None
    if gone is not None and dtype.is_numeric() and dtype != nw.Decimal:
        series = series.fill_null(0)  # a null would make floats of whole numbers, and lose digits
    array = series.to_numpy()
    if gone is not None and array.dtype.kind == "O":
        array = np.where(gone, None, array)  # type: ignore[call-overload]
    values, holes = clean(array, what)
    missing = holes if gone is None else holes | gone
    return values, missing if missing.any() else None


def _is_list(dtype: Any) -> bool:
    """Say whether a type is one of lists of texts, such as labels."""
    return isinstance(dtype, nw.List | nw.Array) and dtype.inner == nw.String


def _check_type(dtype: Any, what: str, *, lists: bool = True) -> None:
    if lists and _is_list(dtype):
        return
    if dtype.is_nested() or dtype == nw.Binary:
        raise InputError(f"{what} holds {dtype}; a label or a number is needed")


def _is_spark(frame: Any) -> bool:
    """Say whether a frame is Spark's, here or behind Spark Connect."""
    return bool(frame.implementation.is_pyspark() or frame.implementation.is_pyspark_connect())


def _by_place(frame: Any, roles: Mapping[str, str]) -> tuple[nw.LazyFrame[Any], dict[str, str]]:
    """Name the columns of a Spark frame by their places: Spark takes `v1.2` for a field of `v1`, and `ID` for `id`.

    Raises:
        InputError: if two columns have a name that is needed, as they do after a join.
    """
    native = frame.to_native()
    names = list(native.columns)
    for role, name in roles.items():
        if names.count(name) > 1:
            raise InputError(f"{role}: the frame has {names.count(name)} columns called {name!r}; rename all but one")
    places = [f"referee_{place}" for place in range(len(names))]
    return nw.from_native(native.toDF(*places)), {role: places[names.index(name)] for role, name in roles.items()}


@contextmanager
def explained(frame: Frame) -> Iterator[None]:
    """Turn what narwhals or Spark raise into an error of ours."""
    try:
        yield
    except RefereeError:
        raise
    except Exception as error:
        if _is_spark(frame):
            raise _spark_error(error) from error
        if isinstance(error, nw.exceptions.NarwhalsError):
            raise _uncountable(error) from error
        raise


def _spark_error(error: Exception) -> RefereeError:
    """Return in a sentence what Spark raised, which comes in many types and with pages of Java."""
    if isinstance(error, ImportError):
        return not_installed(f"Spark needs pyarrow to return counts: {error}", install="'referee[spark]'")
    message = str(error).partition("JVM stacktrace:")[0]
    causes = re.findall(r"^Caused by: (.*)$", message, re.MULTILINE)
    cause = " ".join((causes[-1] if causes else message).split())[:300]
    if isinstance(error, AssertionError | AttributeError):  # what pyspark makes of a context that is gone
        cause = "its session seems to have been stopped"
    return InputError(f"Spark cannot count the frame: {cause}")
