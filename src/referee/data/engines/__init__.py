"""Engines: from arrays, frames and files to grouped rows of outcomes. No engine knows a metric or a policy."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from referee.data.engines.base import Grouped
from referee.errors import InputError, unknown


def group(source: Any, roles: Mapping[str, str], keep_ids: bool = False) -> Grouped:
    """Count the rows of whatever holds them.

    Args:
        source: a mapping of arrays, a dataframe, a DuckDB relation, or the path of a file.
        roles: role ("truth", "a", "b", "group", "stratum", "slice", "multiplicity", "id") to column name.
        keep_ids: whether repeated ids are handed on (else they are only counted).

    Raises:
        InputError: where the source is nothing of these, or cannot be read.
    """
    if isinstance(source, str | os.PathLike):
        from referee.data.engines import tables

        return tables.read(source, roles, keep_ids)
    if isinstance(source, Mapping):
        from referee.data.engines import arrays

        return arrays.read(source, roles, keep_ids)
    if type(source).__name__ == "DuckDBPyRelation":
        from referee.data.engines import duckdb_sql

        return duckdb_sql.read(source, roles, keep_ids)
    from referee.data.engines import frames

    frame = frames.wrap(source)
    if frame is None:
        raise InputError(
            f"data must be a dataframe, a mapping of columns, counts, or the path of a file; it is {type(source).__name__}"
        )
    return frames.read(frame, roles, keep_ids)


def differing(source: Any, roles: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the rows, by role, on which a and b differ as they are written; in the order of the source where it has one.

    Args:
        source: as in `group`.
        roles: as in `group`, and "text": a column that may hold anything.

    Raises:
        InputError: where the source cannot be read.
    """
    if isinstance(source, str | os.PathLike):
        from referee.data.engines import tables

        return tables.differing(source, roles)
    if isinstance(source, Mapping):
        from referee.data.engines import arrays

        return arrays.differing(source, roles)
    if type(source).__name__ == "DuckDBPyRelation":
        from referee.data.engines import duckdb_sql

        return duckdb_sql.differing(source, roles)
    from referee.data.engines import frames

    frame = frames.wrap(source)
    return iter(()) if frame is None else frames.differing(frame, roles)


def check_text(source: Any, name: str, beside: str) -> None:
    """Raise unless a source has a column of texts.

    Args:
        source: as in `group`.
        name: the column.
        beside: a column that it must be as long as.

    Raises:
        NameUnknown: where there is no such column.
        InputError: where it is not one value an example.
    """
    if isinstance(source, str | os.PathLike):
        from referee.data.engines import tables

        tables.check_column(source, name)
        return
    from referee.data.engines import frames

    frame = None if isinstance(source, Mapping) else frames.wrap(source)
    known = source if isinstance(source, Mapping) else source.columns if frame is None else frame.collect_schema()
    if name not in known:
        raise unknown("column", name, known)
    if isinstance(source, Mapping) and beside in source:
        from referee.data.engines import arrays

        arrays.check_length(source[name], source[beside])
