"""Parquet: values have the types of their columns, which are known by their places: SQL takes `OLD` and `old` for one name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from referee.engines.opening import escaped, listed
from referee.engines.relations import literal
from referee.engines.scan import TEXT, Scan
from referee.engines.shards import Shard, check_names, unite


@dataclass(frozen=True)
class Schema:
    """The columns of a file, in their order, and how their values are stored."""

    path: Path
    names: tuple[str, ...]
    kinds: tuple[str, ...]

    @classmethod
    def of(cls, connection: Any, path: Path) -> Schema:
        """Read it from the end of a file."""
        stored = "concat_ws(' ', type, type_length, converted_type, logical_type, precision, scale)"
        rows = connection.execute(
            f"SELECT name, coalesce(num_children, 0), {stored} FROM parquet_schema({literal(escaped(path))})"
        ).fetchall()
        found, inside = [], 0
        for name, children, kind in rows[1:]:  # the first is the whole; parts of a column follow it
            if not inside:
                found.append((name, kind))
            inside += children - (1 if inside else 0)
        return cls(path, tuple(name for name, _ in found), tuple(kind for _, kind in found))


def columns(connection: Any, path: Path) -> list[str]:
    """Return the names of the columns of a file."""
    return list(Schema.of(connection, path).names)


def scan(connection: Any, paths: list[Path], names: Sequence[str], text: str | None = None) -> Scan:
    """Return how Parquet files are read."""
    names = list(dict.fromkeys(names))
    wanted = [*names, *([] if text is None else [text])]
    schemas = [Schema.of(connection, path) for path in paths]
    check_names(wanted, {one.path: one.names for one in schemas})
    alike = groupby(schemas, key=lambda one: (one.names, [one.kinds[one.names.index(name)] for name in wanted]))
    return unite(connection, [_shard(connection, list(files), names, text) for _, files in alike], names, text)


def by_place(paths: list[Path], columns: int) -> str:
    """Return the SQL of files whose columns are called c0, c1 and so on."""
    called = ", ".join(f"c{place}" for place in range(columns))
    return f"read_parquet({listed(paths)}, hive_partitioning = false) AS given({called})"


def _shard(connection: Any, files: Sequence[Schema], names: Sequence[str], text: str | None) -> Shard:
    first = files[0]
    chosen = [f"c{first.names.index(name)} AS w{place}" for place, name in enumerate(names)]
    chosen += [] if text is None else [f'CAST(c{first.names.index(text)} AS VARCHAR) AS "{TEXT}"']
    sql = f"SELECT {', '.join(chosen)} FROM {by_place([one.path for one in files], len(first.names))}"
    types = [str(kind) for kind in connection.sql(sql).types][: len(names)]
    halves = frozenset(name for name in names if "Float16" in first.kinds[first.names.index(name)])
    return Shard(first.path, sql, types, halves)
