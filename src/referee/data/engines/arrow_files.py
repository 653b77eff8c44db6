"""Arrow files (also called Feather): mapped into memory by pyarrow, and read there by DuckDB."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from referee.data.engines.scan import TEXT, Scan
from referee.data.engines.shards import Shard, check_names, unite
from referee.errors import InputError, OptionError

HALF = "halffloat"
"""The type of numbers of 16 bits, which DuckDB does not know."""


def scan(connection: Any, paths: list[Path], names: Sequence[str], text: str | None = None) -> Scan:
    """Return how Arrow files are read."""
    names = list(dict.fromkeys(names))
    tables = {path: opened(path) for path in paths}
    known = {path: _names(path, table) for path, table in tables.items()}
    wanted = [*names, *([] if text is None else [text])]
    check_names(wanted, known)
    shards = []
    for path, table in tables.items():
        places = [known[path].index(name) for name in wanted]
        shards.append(_shard(connection, path, table, places, names))
    return unite(connection, shards, names, text)


def columns(path: Path) -> list[str]:
    """Return the names of the columns of a file."""
    return _names(path, opened(path))


def opened(path: Path) -> Any:
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
        _names(path, table)
        # Texts are places in the file: of a damaged one they may lie anywhere in memory, or outside.
        table.validate(full=True)
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"cannot read {path}: {str(error).splitlines()[0]}") from error
    return table


def register(connection: Any, table: Any, places: Sequence[int]) -> str:
    """Make columns known to DuckDB as c0, c1 and so on; return the name of the table. Numbers of 16 bits become wider."""
    name = f"arrow_{len(connection.sql('SELECT 1 FROM duckdb_views() WHERE NOT internal').fetchall())}"
    chosen = table.select(list(places)).rename_columns([f"c{place}" for place in range(len(places))])
    for place, kind in enumerate(chosen.schema.types):
        if str(kind) == HALF:
            chosen = chosen.set_column(place, f"c{place}", _widened(chosen.column(place)))
    connection.register(name, chosen)
    return name


def _widened(column: Any) -> Any:
    """Return numbers of 16 bits with 32, by way of numpy: pyarrow casts them only in later versions."""
    import pyarrow

    numbers = column.to_numpy().astype(np.float32)
    return pyarrow.chunked_array([pyarrow.array(numbers, mask=column.is_null().to_numpy())])


def _names(path: Path, table: Any) -> list[str]:
    try:
        return list(table.schema.names)
    except UnicodeDecodeError as error:
        raise InputError(f"{path} has a column whose name is not UTF-8 text; rename it") from error


def _shard(connection: Any, path: Path, table: Any, places: Sequence[int], names: Sequence[str]) -> Shard:
    """Return a file as a shard; a place more than there are names is that of the texts."""
    chosen = [f"c{number} AS w{number}" for number in range(len(names))]
    chosen += [f'CAST(c{len(names)} AS VARCHAR) AS "{TEXT}"'] if len(places) > len(names) else []
    sql = f"SELECT {', '.join(chosen)} FROM {register(connection, table, places)}"
    halves = {name for name, own in zip(names, places, strict=False) if str(table.schema.types[own]) == HALF}
    return Shard(path, sql, [str(kind) for kind in connection.sql(sql).types][: len(names)], frozenset(halves))
