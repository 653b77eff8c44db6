"""Arrow files (also called Feather): mapped into memory by pyarrow, and read there by DuckDB."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from referee.engines.parquet import decode
from referee.engines.relations import typed
from referee.engines.scan import Scan
from referee.errors import InputError, OptionError


def scan(connection: Any, paths: list[Path], names: list[str]) -> Scan:
    """Return how Arrow files are read."""
    sql = f"SELECT * FROM {register(connection, paths)}"
    return Scan(sql, typed(connection.sql(sql), {name: name for name in names}), decode, "typed")


def register(connection: Any, paths: list[Path]) -> str:
    """Make the files known to DuckDB; return the name of the table.

    Raises:
        InputError: where a file is none of these, or their columns differ.
        OptionError: where pyarrow is not installed.
    """
    try:
        import pyarrow
        from pyarrow import ipc
    except ImportError as error:
        raise OptionError(
            f"{paths[0]} is an Arrow file, which needs pyarrow; install it: pip install pyarrow"
        ) from error
    tables = []
    for path in paths:
        try:
            mapped = pyarrow.memory_map(str(path))
            try:
                tables.append(ipc.open_file(mapped).read_all())
            except pyarrow.ArrowInvalid:
                mapped.seek(0)
                tables.append(ipc.open_stream(mapped).read_all())
            # Texts are places in the file: of a damaged one they may lie anywhere in memory, or outside.
            tables[-1].validate(full=True)
        except (pyarrow.ArrowException, OSError) as error:
            raise InputError(f"cannot read {path}: {str(error).splitlines()[0]}") from error
    try:
        whole = pyarrow.concat_tables(tables)
    except pyarrow.ArrowInvalid as error:
        raise InputError(
            f"{paths[0]} and the files beside it have different columns; tables that are read together must have the same"
        ) from error
    name = f"arrow_{len(connection.sql('SELECT 1 FROM duckdb_views() WHERE NOT internal').fetchall())}"
    connection.register(name, whole)
    return name
