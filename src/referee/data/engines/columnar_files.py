"""Parquet: values have the types of their columns, which are known by their places: SQL takes `OLD` and `old` for one name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from referee.data.engines.files import listed
from referee.data.engines.scan import TEXT, Scan
from referee.data.engines.shards import Shard, check_names, unite


@dataclass(frozen=True)
class Schema:
    """The columns of a file, in their order, and how their values are stored."""

    path: Path
    names: tuple[str, ...]
    kinds: tuple[str, ...]


def schemas(connection: Any, paths: Sequence[Path]) -> list[Schema]:
    """Read the schemas of files, from their ends."""
    stored = "concat_ws(' ', type, type_length, converted_type, logical_type, precision, scale)"
    rows = connection.execute(
        f"SELECT file_name, name, coalesce(num_children, 0), {stored} FROM parquet_schema({listed(paths)})"
    ).fetchall()
    # DuckDB may write a path in a shorter way than it was given.
    found = {os.path.abspath(where): [row[1:] for row in own] for where, own in groupby(rows, key=itemgetter(0))}  # noqa: PTH100
    return [Schema(path, *_columns(found[os.path.abspath(path)])) for path in paths]  # noqa: PTH100 - a Path keeps its dots


def _columns(fields: Sequence[tuple[str, int, str]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names and kinds of columns; the first field is the whole, and the parts of a column follow it."""
    names, kinds, inside = list[str](), list[str](), 0
    for name, children, kind in fields[1:]:
        if not inside:
            names.append(name)
            kinds.append(kind)
        inside += children - (1 if inside else 0)
    return tuple(names), tuple(kinds)


def columns(connection: Any, path: Path) -> list[str]:
    """Return the names of the columns of a file."""
    return list(schemas(connection, [path])[0].names)


def scan(connection: Any, paths: list[Path], names: Sequence[str], text: str | None = None) -> Scan:
    """Return how Parquet files are read."""
    names = list(dict.fromkeys(names))
    wanted = [*names, *([] if text is None else [text])]
    found = schemas(connection, paths)
    check_names(wanted, {one.path: one.names for one in found})
    alike = groupby(found, key=lambda one: (one.names, tuple(one.kinds[one.names.index(name)] for name in wanted)))
    shards: list[Shard] = []
    known: dict[Any, list[str]] = {}
    for key, files in alike:
        shards.append(_shard(list(files), names, text, known.get(key, [])))
        if key not in known:
            known[key] = [str(kind) for kind in connection.sql(shards[-1].sql).types][: len(names)]
            shards[-1] = replace(shards[-1], types=known[key])
    return unite(connection, shards, names, text)


def by_place(paths: list[Path], columns: int) -> str:
    """Return the SQL of files whose columns are called c0, c1 and so on."""
    called = ", ".join(f"c{place}" for place in range(columns))
    return f"read_parquet({listed(paths)}, hive_partitioning = false) AS given({called})"


def _shard(files: Sequence[Schema], names: Sequence[str], text: str | None, types: Sequence[str]) -> Shard:
    first = files[0]
    chosen = [f"c{first.names.index(name)} AS w{place}" for place, name in enumerate(names)]
    chosen += [] if text is None else [f'CAST(c{first.names.index(text)} AS VARCHAR) AS "{TEXT}"']
    sql = f"SELECT {', '.join(chosen)} FROM {by_place([one.path for one in files], len(first.names))}"
    halves = frozenset(name for name in names if "Float16" in first.kinds[first.names.index(name)])
    return Shard(first.path, sql, types, halves)
