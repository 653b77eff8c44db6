"""The database: the one place where DuckDB is opened. It reads the files that it is given, and nothing else."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from referee.data.engines.duckdb_sql import literal
from referee.data.engines.files import escaped, spelt
from referee.errors import OptionError
from referee.runtime.progress import following

MEMORY = "REFEREE_DUCKDB_MEMORY"
"""The environment variable that says how much memory DuckDB may take, such as 2GB; by default, what DuckDB thinks right."""


@contextmanager
def connected(paths: Iterable[Path] = (), memory: str | None = None) -> Iterator[Any]:
    """Give a database of its own, which writes to a folder what memory does not hold, and leaves nothing there.

    Args:
        paths: the files that it may read; no others, and nothing over a network.
        memory: how much memory it may take, such as "1GB"; if left out, what the environment says (`REFEREE_DUCKDB_MEMORY`).

    Raises:
        OptionError: where the environment says something else than an amount of memory.
    """
    import duckdb

    with tempfile.TemporaryDirectory(prefix="referee-") as folder, duckdb.connect() as connection:
        connection.execute(f"SET temp_directory = {literal(folder)}")
        # DuckDB knows how far it is only where its own bar is on, which then must not print.
        connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
        _bound_memory(connection, memory)
        _shut(connection, paths)
        with following("counting", connection.query_progress):
            yield connection


def _bound_memory(connection: Any, memory: str | None) -> None:
    import duckdb

    most = memory or os.environ.get(MEMORY)
    if not most:
        return
    try:
        connection.execute(f"SET memory_limit = {literal(most)}")
    except duckdb.Error as error:
        raise OptionError(f"{MEMORY} must be an amount of memory, such as 2GB; it is {most!r}") from error


def _shut(connection: Any, paths: Iterable[Path]) -> None:
    """Close all doors but those to the files; a file may not say which others are read, nor load code."""
    # A name with a sign of patterns in it is asked for by a pattern that only it matches, and both have to be allowed.
    allowed = dict.fromkeys(name for path in paths for name in (spelt(path), escaped(path)))
    connection.execute("SET autoinstall_known_extensions = false; SET autoload_known_extensions = false")
    connection.execute(f"SET allowed_paths = [{', '.join(map(literal, allowed))}]")
    connection.execute("SET enable_external_access = false; SET lock_configuration = true")
