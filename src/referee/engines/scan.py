"""Scan: the rows of files as DuckDB sees them, before and after they are grouped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from referee.engines.base import Column
from referee.engines.opening import kind_of
from referee.engines.relations import quote
from referee.errors import unknown

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


def scan(connection: Any, paths: list[Path], names: list[str]) -> Scan:
    """Return how the files are read; all are of one kind.

    Raises:
        InputError: where they lack a header, or a column.
    """
    from referee.engines import arrow, delimited, objects, parquet

    scanners = {
        "csv": delimited.scan,
        "tsv": delimited.scan,
        "lines": objects.scan,
        "json": objects.scan,
        "parquet": parquet.scan,
        "arrow": arrow.scan,
    }
    return scanners[kind_of(paths[0])](connection, paths, names)


def scan_with_text(connection: Any, paths: list[Path], names: list[str], text: str | None) -> Scan:
    """Return how the files are read with a column of texts, which may hold anything; it is the column "text".

    Raises:
        NameUnknown: where there is no such column.
    """
    if text is None or kind_of(paths[0]) not in ("parquet", "arrow"):
        found = scan(connection, paths, [*names, *([text] if text is not None else [])])
        return found if text is None else replace(found, terms={**found.terms, TEXT: found.terms[text]})
    found = scan(connection, paths, names)
    known = connection.sql(found.sql).columns
    if text not in known:
        raise unknown("column", text, known)
    return replace(found, terms={**found.terms, TEXT: f"CAST({quote(text)} AS VARCHAR)"})
