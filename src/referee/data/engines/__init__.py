"""Engines: from arrays, frames and files to grouped rows of outcomes. No engine knows a metric or a policy."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import ModuleType
from typing import Any


def engine_of(source: Any) -> ModuleType:
    """Return the module that reads a source, loaded only now: each has a library of its own.

    It has `read(source, roles, keep_ids)`, which counts the rows; `differing(source, roles)`, which yields those on which a
    and b differ, in the order of the source; and `check_text(source, name, beside)`, which refuses a column of texts that is
    not there, or not as long as the column beside it.

    Args:
        source: a mapping of arrays, a dataframe, a DuckDB relation, or the path of a file.
    """
    if isinstance(source, str | os.PathLike):
        from referee.data.engines import tables

        return tables
    if isinstance(source, Mapping):
        from referee.data.engines import arrays

        return arrays
    if type(source).__name__ == "DuckDBPyRelation":
        from referee.data.engines import duckdb_sql

        return duckdb_sql
    from referee.data.engines import frames

    return frames
