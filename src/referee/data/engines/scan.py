"""Scan: the rows of files as DuckDB sees them, before and after they are grouped."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from referee.data.columns import PRECISIONS
from referee.data.engines.base import Column
from referee.data.engines.files import kind_of

TEXT = "the text"
"""What the column of texts is called in a scan, whose other columns have the names of the file."""


class Decoder(Protocol):
    """How a format's values are read, once there are few of them."""

    def __call__(self, connection: Any, rows: Any, names: Mapping[str, str]) -> dict[str, Column]:
        """Return the typed columns of grouped rows.

        Args:
            connection: the database.
            rows: a relation with a column for each role, and how often each row occurred.
            names: what the roles are called in messages.
        """


@dataclass(frozen=True)
class Scan:
    """Rows to be read: a query, and the SQL of each column that is wanted of it."""

    sql: str
    terms: Mapping[str, str]
    """Column name to the SQL of its value: text as the format writes it, or a type of its own."""
    decode: Decoder
    family: str
    """Formats of one family write equal values alike, so that their ids can be compared."""
    notes: tuple[str, ...] = ()
    """What was done to make the files fit each other, in sentences."""
    halves: frozenset[str] = frozenset()
    """The names of columns that were stored with 16 bits, which DuckDB widens."""


def scan(connection: Any, paths: list[Path], names: Sequence[str], text: str | None = None) -> Scan:
    """Return how the files are read; all are of one kind.

    Args:
        connection: the database.
        paths: the files.
        names: the wanted columns.
        text: a column of texts, which may hold anything; it is the column `TEXT`.

    Raises:
        InputError: where they lack a header, or their columns do not fit each other.
        NameUnknown: where there is no such column.
    """
    from referee.data.engines import arrow_files, columnar_files, csv_files, json_files

    kind = kind_of(paths[0])
    if kind == "parquet":
        return columnar_files.scan(connection, paths, names, text)
    if kind == "arrow":
        return arrow_files.scan(connection, paths, names, text)
    written = csv_files.scan if kind in ("csv", "tsv") else json_files.scan
    found = written(connection, paths, [*names, *([] if text is None else [text])])
    return found if text is None else replace(found, terms={**found.terms, TEXT: found.terms[text]})


def narrowed(columns: Mapping[str, Column], halves: Container[str]) -> dict[str, Column]:
    """Give columns back the 16 bits that they were stored with.

    Args:
        columns: by role.
        halves: the roles that have them.
    """
    return {
        role: (values.astype(PRECISIONS[16]), gone)
        if role in halves and values.dtype == PRECISIONS[32]
        else (values, gone)
        for role, (values, gone) in columns.items()
    }
