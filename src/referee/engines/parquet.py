"""Parquet: values have the types of their columns."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from referee.engines.base import Column, column
from referee.engines.opening import listed
from referee.engines.relations import typed
from referee.engines.scan import Scan


def scan(connection: Any, paths: list[Path], names: list[str]) -> Scan:
    """Return how Parquet files are read."""
    sql = f"SELECT * FROM read_parquet({listed(paths)})"
    return Scan(sql, typed(connection.sql(sql), {name: name for name in names}), decode, "typed")


def decode(connection: Any, rows: Any, names: Mapping[str, str]) -> dict[str, Column]:
    """Return the columns as they are."""
    return {role: column(values, names.get(role, role)) for role, values in rows.fetchnumpy().items()}
