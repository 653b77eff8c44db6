"""Engines: from arrays, frames and files to grouped rows of outcomes. No engine knows a metric or a policy."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from referee.data.engines.base import Joined


def engine_of(source: Any) -> ModuleType:
    """Return the module that reads a source, loaded only now: each has a library of its own.

    It has `read(source, roles, keep_ids)`, which counts the rows; `differing(source, roles)`, which yields those on which a
    and b differ, in the order of the source; and `check_text(source, name, beside)`, which refuses a column of texts that is
    not there, or not as long as the column beside it.

    Args:
        source: a mapping of arrays, a dataframe, a DuckDB relation, the path of a file, or two sides to be joined, whose
            `read` and `differing` take the policies in place of the roles, and which have no `check_text`.
    """
    if isinstance(source, Joined):
        engine = "join"
    elif isinstance(source, str | os.PathLike):
        engine = "tables"
    elif type(source).__name__ == "DuckDBPyRelation":
        engine = "duckdb_sql"
    else:
        engine = "arrays" if isinstance(source, Mapping) else "frames"
    return import_module(f"referee.data.engines.{engine}")
