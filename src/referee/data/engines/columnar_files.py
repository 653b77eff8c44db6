"""Parquet and Arrow (Feather): columns have types, and are known by their places, since SQL takes `OLD` and `old` for one name.

Tables that are read together are given one type for each column where nothing is lost by it, else they are refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from referee.data.columns import EXACT
from referee.data.engines.duckdb_sql import INTEGERS, TEXT, Scan, as_typed, ask, decode_typed, listed
from referee.data.engines.files import check_names, kind_of
from referee.errors import InputError, OptionError

HALVES = ("Float16", "halffloat")
"""What Parquet and Arrow call numbers of 16 bits, which DuckDB has no type for."""
WIDTHS = {"FLOAT": 2**24, "DOUBLE": EXACT}
"""From where on whole numbers are no longer told apart."""


@dataclass(frozen=True)
class Layout:
    """The columns of a file, in their order, and how their values are stored."""

    path: Path
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    arrow: Any = None
    """The table of an Arrow file, mapped into memory."""

    def kind(self, name: str) -> str:
        """Return how the values of a column are stored."""
        return self.kinds[self.names.index(name)]


@dataclass(frozen=True)
class Shard:
    """One table, or several that are alike."""

    where: Path
    """Where it is; the first of several."""
    sql: str
    """A query that yields the wanted columns under the names w0, w1 and so on, and maybe the texts."""
    types: Sequence[str]
    """DuckDB's types of these."""


def layouts(connection: Any, paths: Sequence[Path]) -> list[Layout]:
    """Read what columns files have: of Parquet from their ends, Arrow files are mapped into memory."""
    if kind_of(paths[0]) == "arrow":
        tables = [_open_arrow(path) for path in paths]
        return [
            Layout(path, tuple(table.schema.names), tuple(map(str, table.schema.types)), table)
            for path, table in zip(paths, tables, strict=True)
        ]
    stored = "concat_ws(' ', type, type_length, converted_type, logical_type, precision, scale)"
    rows = connection.execute(
        f"SELECT file_name, name, coalesce(num_children, 0), {stored} FROM parquet_schema({listed(paths)})"
    ).fetchall()
    # DuckDB may write a path in a shorter way than it was given.
    fields = {os.path.abspath(where): [row[1:] for row in own] for where, own in groupby(rows, key=itemgetter(0))}  # noqa: PTH100
    return [Layout(path, *_columns(fields[os.path.abspath(path)])) for path in paths]  # noqa: PTH100 - a Path keeps its dots


def _columns(fields: Sequence[tuple[str, int, str]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names and kinds of columns; the first field is the whole, and the parts of a column follow it."""
    names, kinds, inside = list[str](), list[str](), 0
    for name, children, kind in fields[1:]:
        if not inside:
            names.append(name)
            kinds.append(kind)
        inside += children - (1 if inside else 0)
    return tuple(names), tuple(kinds)


def _open_arrow(path: Path) -> Any:
    """Map a file into memory; its texts are checked.

    Raises:
        InputError: where it is no such file, or damaged.
        OptionError: where pyarrow is not installed.
    """
    try:
        import pyarrow
        from pyarrow import ipc
    except ImportError as error:
        raise OptionError(f"{path} is an Arrow file, which needs pyarrow; install it: pip install pyarrow") from error
    try:
        mapped = pyarrow.memory_map(str(path))
        try:
            table = ipc.open_file(mapped).read_all()
        except pyarrow.ArrowInvalid:
            mapped.seek(0)
            table = ipc.open_stream(mapped).read_all()
        list(table.schema.names)  # which raises where one is no text
        # Texts are places in the file: of a damaged one they may lie anywhere in memory, or outside.
        table.validate(full=True)
    except UnicodeDecodeError as error:
        raise InputError(f"{path} has a column whose name is not UTF-8 text; rename it") from error
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"cannot read {path}: {str(error).splitlines()[0]}") from error
    return table


def rows_of(connection: Any, files: Sequence[Layout], places: Iterable[int]) -> str:
    """Return the SQL of the rows of files that are alike (of Arrow: one), whose columns are called c0, c1 and so on.

    Args:
        connection: the database.
        files: what `layouts` found.
        places: those of the columns that are wanted.
    """
    if files[0].arrow is None:
        names = ", ".join(f"c{place}" for place in range(len(files[0].names)))
        return f"read_parquet({listed(file.path for file in files)}, hive_partitioning = false) AS given({names})"
    view = f"arrow_{len(connection.sql('SELECT 1 FROM duckdb_views() WHERE NOT internal').fetchall())}"
    places = list(dict.fromkeys(places))
    chosen = files[0].arrow.select(places).rename_columns([f"c{place}" for place in places])
    for place, kind in enumerate(chosen.schema.types):
        if str(kind) in HALVES:
            chosen = chosen.set_column(place, chosen.schema.names[place], _widened(chosen.column(place)))
    connection.register(view, chosen)
    return view


def _widened(column: Any) -> Any:
    """Return numbers of 16 bits with 32, by way of numpy: pyarrow casts them only in later versions."""
    import pyarrow

    numbers = column.to_numpy().astype(np.float32)
    return pyarrow.chunked_array([pyarrow.array(numbers, mask=column.is_null().to_numpy())])


def scan(connection: Any, paths: list[Path], names: Sequence[str], text: str | None = None) -> Scan:
    """Return how Parquet or Arrow files are read.

    Raises:
        InputError: where a column is of different kinds, or would lose digits.
    """
    names = list(dict.fromkeys(names))
    wanted = [*names, *([] if text is None else [text])]
    files = layouts(connection, paths)
    check_names(wanted, {file.path: file.names for file in files})
    shards: list[Shard] = []
    types: dict[Any, list[str]] = {}
    alike = groupby(
        files, key=lambda file: (file.names, [file.kind(name) for name in wanted], file.arrow and file.path)
    )
    for _, group in alike:
        some = list(group)
        sql = _query(connection, some, names, text)
        key = (some[0].names, *map(some[0].kind, wanted))
        if key not in types:
            types[key] = [str(kind) for kind in connection.sql(sql).types][: len(names)]
        shards.append(Shard(some[0].path, sql, types[key]))
    halves = frozenset(name for file in files for name in names if any(half in file.kind(name) for half in HALVES))
    return _unite(connection, shards, names, text, halves)


def _query(connection: Any, files: Sequence[Layout], names: Sequence[str], text: str | None) -> str:
    """Return the SQL of the wanted columns of files that are alike."""
    places = {name: files[0].names.index(name) for name in (*names, *([] if text is None else [text]))}
    chosen = [f"c{places[name]} AS w{number}" for number, name in enumerate(names)]
    chosen += [] if text is None else [f'CAST(c{places[text]} AS VARCHAR) AS "{TEXT}"']
    return f"SELECT {', '.join(chosen)} FROM {rows_of(connection, files, places.values())}"


def _unite(
    connection: Any, shards: Sequence[Shard], names: Sequence[str], text: str | None, halves: frozenset[str]
) -> Scan:
    """Return how shards are read, one after the other."""
    terms = {name: f"w{place}" for place, name in enumerate(names)}
    types, notes, sql = dict(zip(names, shards[0].types, strict=True)), list[str](), shards[0].sql
    if len(shards) > 1:
        for place, name in enumerate(names):
            types[name], note = _common(connection, shards, place, name)
            notes += note
        chosen = [f"CAST({terms[name]} AS {types[name]}) AS {terms[name]}" for name in names]
        chosen += [] if text is None else [f'"{TEXT}"']
        sql = _chained([f"SELECT {', '.join(chosen)} FROM ({shard.sql})" for shard in shards])
    typed = {name: as_typed(terms[name], types[name], name) for name in names}
    if text is not None:
        typed[TEXT] = f'"{TEXT}"'
    return Scan(sql, typed, decode_typed, "typed", tuple(notes), halves)


def _chained(queries: list[str]) -> str:
    """Return the SQL of one query after the other; in halves, since DuckDB does not nest a thousand deep."""
    if len(queries) == 1:
        return queries[0]
    middle = len(queries) // 2
    return f"({_chained(queries[:middle])}) UNION ALL ({_chained(queries[middle:])})"


def sort_of(kind: str) -> str:
    """Say what a type of DuckDB holds; nothing of the type of a column that is empty.

    >>> sort_of("TINYINT"), sort_of("DECIMAL(38,0)"), sort_of("DECIMAL(5,2)"), sort_of("DATE")
    ('whole numbers', 'whole numbers', 'numbers', 'DATE')
    """
    if kind in INTEGERS or (kind.startswith("DECIMAL") and kind.endswith(",0)")):
        return "whole numbers"
    if kind in WIDTHS or kind.startswith("DECIMAL"):
        return "numbers"
    if kind in ("VARCHAR", "UUID", "JSON") or kind.startswith("ENUM"):
        return "text"
    return {"BOOLEAN": "true/false", '"NULL"': "", "NULL": ""}.get(kind, kind)


def _common(connection: Any, shards: Sequence[Shard], place: int, name: str) -> tuple[str, list[str]]:
    """Return the type that a column has in all shards, and what has to be said of it."""
    given: dict[str, Shard] = {}
    for shard in shards:
        given.setdefault(shard.types[place], shard)
    if len({sort_of(kind) for kind in given} - {""}) > 1:
        # A shard without a single value may say anything about its type.
        given = {kind: shard for kind, shard in given.items() if _holds_any(connection, shards, place, kind)} or given
    kinds = {kind: shard.where for kind, shard in given.items() if sort_of(kind)}
    sorts = {sort_of(kind): where for kind, where in kinds.items()}
    if len(kinds) < 2:
        return next(iter(kinds), "INTEGER"), []
    if len(sorts) == 1 and "numbers" not in sorts:
        return {"whole numbers": "HUGEINT", "text": "VARCHAR"}.get(next(iter(sorts)), "") or _refuse(name, kinds), []
    if not set(sorts) <= {"whole numbers", "numbers"}:
        return _refuse(name, sorts), []
    wanted = "FLOAT" if "FLOAT" in kinds else "DOUBLE"
    for shard in shards:
        if sort_of(shard.types[place]) == "whole numbers":
            _check_digits(connection, shard, place, name, wanted)
    fine = [kind for kind in kinds if sort_of(kind) == "numbers" and kind != "FLOAT"]
    if wanted == "DOUBLE" or not fine:
        return wanted, []
    note = (
        f"the numbers of {name} are stored with 32 bits in {kinds['FLOAT'].name} and with 64 in {kinds[fine[0]].name}; all were "
        f"rounded to 32 bits, so that only real differences count"
    )
    return wanted, [note]


def _refuse(name: str, found: Mapping[str, Path]) -> str:
    (first, here), (second, there), *_ = found.items()
    raise InputError(
        f"{name} holds {first} in {here} and {second} in {there}; tables that are read together must have columns of one "
        f"type: convert one to the type of the other"
    )


def _holds_any(connection: Any, shards: Sequence[Shard], place: int, kind: str) -> bool:
    return any(
        connection.sql(f"SELECT 1 FROM ({shard.sql}) WHERE w{place} IS NOT NULL LIMIT 1").fetchall()
        for shard in shards
        if shard.types[place] == kind
    )


def _check_digits(connection: Any, shard: Shard, place: int, name: str, wanted: str) -> None:
    largest = ask(connection, f"SELECT max(abs(CAST(w{place} AS HUGEINT))) FROM ({shard.sql})")[0]
    if largest is not None and largest > WIDTHS[wanted]:
        raise InputError(
            f"{name} holds whole numbers as large as {largest} in {shard.where}, and numbers with a point in the files "
            f"beside it, which have not so many digits; store the column as integers everywhere, or as text"
        )
