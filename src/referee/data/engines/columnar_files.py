"""Parquet and Arrow (Feather): columns have types, and are addressed by position, since SQL treats `OLD` and `old` as one name.

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
from referee.data.engines.duckdb_sql import INTEGERS, Scan, as_typed, ask, decode_typed, listed
from referee.data.engines.files import check_names, kind_of
from referee.errors import InputError, NotReady, not_installed

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
        schemas = [(path, table, table.schema) for path, table in zip(paths, map(_open_arrow, paths), strict=True)]
        return [Layout(path, tuple(own.names), tuple(map(str, own.types)), table) for path, table, own in schemas]
    stored = "concat_ws(' ', type, type_length, converted_type, logical_type, precision, scale)"
    columns = f"file_name, name, coalesce(num_children, 0), {stored}"
    rows = connection.execute(f"SELECT {columns} FROM parquet_schema({listed(paths)})").fetchall()
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
        InputError: if it is no such file, or damaged.
        OptionError: if pyarrow is not installed.
    """
    try:
        import pyarrow
        from pyarrow import ipc
    except ImportError as error:
        raise not_installed(f"{path} is an Arrow file, which needs pyarrow", install="pyarrow") from error
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
        raise NotReady(f"cannot read {path}: {str(error).splitlines()[0]}") from error
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


def scan(connection: Any, paths: list[Path], roles: Mapping[str, str]) -> Scan:
    """Return how Parquet or Arrow files are read: those that are alike at once, and one such shard after the other.

    Raises:
        InputError: if a column is of different kinds, or would lose digits.
    """
    names = list(roles.values())
    files = layouts(connection, paths)
    check_names(roles, {file.path: file.names for file in files})
    shards: list[Shard] = []
    layout = {file.path: (file.names, *map(file.kind, names)) for file in files}
    for _, group in groupby(files, key=lambda file: (layout[file.path], file.arrow and file.path)):
        alike = list(group)
        sql = _query(connection, alike, roles)
        shards.append(Shard(alike[0].path, sql, list(map(str, connection.sql(sql).types))))
    types, notes, sql = shards[0].types, list[str](), shards[0].sql
    if len(shards) > 1:
        common = [_common(connection, shards, place, name) for place, name in enumerate(names)]
        types, notes = [kind for kind, _ in common], list(dict.fromkeys(note for _, note in common if note))
        chosen = ", ".join(f"CAST(w{place} AS {kind}) AS w{place}" for place, kind in enumerate(types))
        sql = _chained([f"SELECT {chosen} FROM ({shard.sql})" for shard in shards])
    terms = {role: as_typed(f"w{place}", types[place], roles[role]) for place, role in enumerate(roles)}
    halves = {role for file in files for role, name in roles.items() if any(half in file.kind(name) for half in HALVES)}
    return Scan(sql, terms, decode_typed, "typed", tuple(notes), frozenset(halves))


def _query(connection: Any, files: Sequence[Layout], roles: Mapping[str, str]) -> str:
    """Return the SQL of the wanted columns of files that are alike; what is only shown may be of any type."""
    places = {role: files[0].names.index(name) for role, name in roles.items()}
    terms = {role: f"CAST(c{place} AS VARCHAR)" if role == "text" else f"c{place}" for role, place in places.items()}
    chosen = ", ".join(f"{term} AS w{number}" for number, term in enumerate(terms.values()))
    return f"SELECT {chosen} FROM {rows_of(connection, files, places.values())}"


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


def _common(connection: Any, shards: Sequence[Shard], place: int, name: str) -> tuple[str, str]:
    """Return the type that a column has in all shards, and what has to be said of it.

    Raises:
        InputError: if there is none, or whole numbers would lose digits.
    """
    given: dict[str, Shard] = {}
    for shard in shards:
        given.setdefault(shard.types[place], shard)
    if len({sort_of(kind) for kind in given} - {""}) > 1:
        # A shard without a single value may say anything about its type.
        first = "SELECT 1 FROM ({}) WHERE w{} IS NOT NULL LIMIT 1"
        filled = {shard.types[place] for shard in shards if connection.sql(first.format(shard.sql, place)).fetchall()}
        given = {kind: shard for kind, shard in given.items() if kind in filled} or given
    kinds = {kind: shard.where for kind, shard in given.items() if sort_of(kind)}
    sorts = {sort_of(kind): where for kind, where in kinds.items()}
    if len(kinds) < 2:
        return next(iter(kinds), "INTEGER"), ""
    if set(sorts) in ({"whole numbers"}, {"text"}):
        return "VARCHAR" if "text" in sorts else "HUGEINT", ""
    if not set(sorts) <= {"whole numbers", "numbers"}:
        (first, here), (second, there), *_ = (sorts if len(sorts) > 1 else kinds).items()
        sides = f"{name} holds {first} in {here} and {second} in {there}; tables read together need columns of one type"
        raise InputError(f"{sides}: convert one to the type of the other")
    wanted = "FLOAT" if "FLOAT" in kinds else "DOUBLE"
    for shard in shards:
        if sort_of(shard.types[place]) == "whole numbers":
            largest = ask(connection, f"SELECT max(abs(CAST(w{place} AS HUGEINT))) FROM ({shard.sql})")[0]
            if largest is not None and largest > WIDTHS[wanted]:
                held = f"{name} holds whole numbers as large as {largest} in {shard.where} and decimal numbers in other files"
                remedy = "store the column as integers everywhere, or as text"
                raise InputError(f"{held}, which have fewer digits", remedy=remedy)
    fine = next((kind for kind in kinds if sort_of(kind) == "numbers" and kind != "FLOAT"), None)
    if wanted == "DOUBLE" or fine is None:
        return wanted, ""
    stored = f"the numbers of {name} are stored with 32 bits in {kinds['FLOAT'].name} and with 64 in {kinds[fine].name}"
    return wanted, f"{stored}; all were rounded to 32 bits, so that only real differences count"
