"""Sides: the rows of two systems, before they meet: where they are, how they are loaded, and whether they fit each other."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from referee.data.engines.base import uneven
from referee.data.engines.duckdb_sql import check_exact_ids, literal, quote
from referee.data.engines.json_files import decode as decode_json
from referee.data.engines.scan import TEXT, Scan, scan
from referee.data.engines.shards import sort_of
from referee.errors import InputError, unknown

TABLES = ("left_rows", "right_rows")
ABOUT = {
    "truth": "the truth",
    "check": "what was asked (its hash)",
    "group": "the group",
    "stratum": "the stratum",
    "slice": "the task",
    "likeness": "what was asked",
}
"""What two sides may both say of an example, and how it is told that they differ."""
SHOWN = ("text", "called")
"""What is only shown."""
PLACE = "place"
"""Where a row stands in its file."""


@dataclass(frozen=True)
class Side:
    """The rows of one system: files of one kind, or columns of values as JSON has them."""

    name: str
    """What the system is called."""
    source: Sequence[Path] | Mapping[str, Sequence[Any]]
    columns: Mapping[str, str] = field(default_factory=dict)
    """Role to column name: "value", and "id" unless rows meet by their places; maybe "truth", "group", "stratum", "slice",
    "check" and "repeat"; and "text" and "called" (an id in words), which are read only where examples are shown."""
    only: tuple[str, str] | None = None
    """A column and its value: the rows that are this system's, where a table has several."""

    @property
    def counted(self) -> Side:
        """The side without what counting does not look at."""
        return replace(self, columns={role: name for role, name in self.columns.items() if role not in SHOWN})

    @property
    def files(self) -> Sequence[Path]:
        """The files that are read; none of what is in memory."""
        return () if isinstance(self.source, Mapping) else self.source

    @property
    def where(self) -> str:
        """Where the rows are from, for messages."""
        if isinstance(self.source, Mapping):
            return self.name
        files = ", ".join(map(str, self.files))
        return f"{self.only[1]} in {files}" if self.only is not None else files


@dataclass(frozen=True)
class Joined:
    """Two systems' rows, to be met by their ids."""

    left: Side
    right: Side
    ordered: bool = False
    """Whether the ids are places in the files, which is then said aloud."""
    notes: tuple[str, ...] = ()
    """What the result has to say of the pairing."""
    sparse: bool = False
    """Whether rows are responses (spans that were found): an id that one side lacks was not found by it."""

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both sides."""
        return self.left, self.right

    @property
    def files(self) -> list[Path]:
        """All files that are read."""
        return [path for side in self.sides for path in side.files]


def scan_side(connection: Any, side: Side, place: int) -> Scan:
    """Return how a side is read; values that are in memory become JSON, so that types are told apart."""
    names = [*side.columns.values(), *([side.only[0]] if side.only else [])]
    if not isinstance(side.source, Mapping):
        own = [name for role, name in side.columns.items() if role != "text"]
        own += [side.only[0]] if side.only else []
        return scan(connection, list(side.source), own, side.columns.get("text"))
    given = {name: np.array([_text(value) for value in side.source[name]], dtype=object) for name in names}
    connection.register(f"given_{place}", given)
    return Scan(f"SELECT * FROM given_{place}", {name: quote(name) for name in names}, decode_json, "json")


def _text(value: Any) -> str | None:
    # In ASCII, since a text may hold what UTF-8 cannot.
    return None if value is None or value != value else json.dumps(value)


def load(connection: Any, table: str, side: Side, found: Scan, numbered: bool = False) -> None:
    """Read the wanted columns of a side into a table, and maybe where each row stands.

    Raises:
        InputError: where a row has no id.
    """
    terms = {
        role: found.terms.get(TEXT if role == "text" else name, quote(name)) for role, name in side.columns.items()
    }
    if numbered:
        terms[PLACE] = "row_number() OVER ()"
    # DuckDB keeps the order of a file's rows.
    terms.setdefault("id", "CAST(row_number() OVER () AS VARCHAR)")
    which = ""
    if side.only is not None:
        wanted = json.dumps(side.only[1], ensure_ascii=False) if found.family == "json" else side.only[1]
        which = f" WHERE CAST({found.terms[side.only[0]]} AS VARCHAR) = {literal(wanted)}"
    chosen = ", ".join(f"{term} AS {quote(role)}" for role, term in terms.items())
    connection.execute(f"CREATE TABLE {table} AS SELECT {chosen} FROM ({found.sql}){which}")
    total, known = connection.sql(f"SELECT count(*), count(id) FROM {table}").fetchall()[0]
    if not total and side.only is not None:
        values = connection.sql(f"SELECT DISTINCT {found.terms[side.only[0]]} FROM ({found.sql}) LIMIT 40").fetchall()
        raise unknown(f"system in the column {side.only[0]!r}", side.only[1], sorted(bare(one) for (one,) in values))
    if not total:
        raise InputError(f"{side.where} has no rows")
    if known < total:
        rows = "1 row" if total - known == 1 else f"{total - known:,} rows"
        raise InputError(f"the id is missing in {rows} of {side.where}; give every row an id")
    check_exact_ids(connection.table(table), f"the id of {side.where}")


def halves_of(joined: Joined, scans: Sequence[Scan]) -> set[str]:
    """Return the roles of the systems whose values were stored with 16 bits."""
    return {
        role
        for role, side, found in zip("ab", joined.sides, scans, strict=True)
        if side.columns["value"] in found.halves
    }


def settle_types(connection: Any, joined: Joined, scans: Sequence[Scan]) -> list[str]:
    """Refuse what is of one kind on one side and of another on the other, and round what is of two precisions to the coarser.

    Before values are averaged or compared: else each would differ from the other's in its last digits.

    Returns:
        What was done, in sentences.

    Raises:
        InputError: where the two sides do not fit each other.
    """
    if scans[0].family != "typed":
        return []
    notes = []
    tables = [connection.table(table) for table in TABLES]
    types = [dict(zip(table.columns, map(str, table.types), strict=True)) for table in tables]
    for role in ("value", "id", *ABOUT):
        kinds = [own.get(role, '"NULL"') for own in types]
        sorts = [sort_of(kind) for kind in kinds]
        if role != "value" and len({*sorts, ""}) > 2 and set(sorts) != {"whole numbers", "numbers"}:
            raise InputError(
                f"{ABOUT.get(role, 'the id')} is stored as {sorts[0]} in {joined.left.where} and as {sorts[1]} in "
                f"{joined.right.where}; convert one to the type of the other"
            )
        if role == "value" and halves_of(joined, scans):
            continue  # DuckDB has no type of 16 bits to round to; they are rounded once they are counted
        if set(kinds) == {"FLOAT", "DOUBLE"} and role == "id":
            _check_fractions(joined, tables)
        elif set(kinds) == {"FLOAT", "DOUBLE"}:
            connection.execute(f"ALTER TABLE {TABLES[kinds.index('DOUBLE')]} ALTER {quote(role)} TYPE FLOAT")
            coarse, fine = joined.sides if kinds[0] == "FLOAT" else joined.sides[::-1]
            notes += [uneven(coarse.name, 32, fine.name, 64)] if role == "value" else []
    return notes


def _check_fractions(joined: Joined, tables: Sequence[Any]) -> None:
    """Refuse ids with fractions that have two precisions; whole ones are the same in both."""
    if any(table.filter("id <> trunc(id)").limit(1).fetchall() for table in tables):
        raise InputError(
            f"the ids of {joined.left.where} and {joined.right.where} are numbers with a point, of 32 bits here and 64 there, "
            f"so that the same id is two numbers; store them as text"
        )


def check_kinds(connection: Any, joined: Joined, family: str) -> None:
    """Refuse ids that are texts here and numbers there."""
    kinds = []
    for table, side in zip(TABLES, joined.sides, strict=True):
        asked = "starts_with(id, '\"')" if family == "json" else "typeof(id) = 'VARCHAR'"
        found = connection.sql(f"SELECT DISTINCT {asked} FROM {table}").fetchall()
        if len(found) > 1:
            raise InputError(f'the ids of {side.where} are texts and numbers; 1 and "1" are not the same id')
        kinds.append("texts" if found[0][0] else "numbers")
    if kinds[0] != kinds[1]:
        raise InputError(
            f"the ids of {joined.left.where} are {kinds[0]} and those of {joined.right.where} are {kinds[1]}; "
            f'1 and "1" are not the same id: convert one to the type of the other'
        )


def bare(text: Any) -> str:
    """Return a value as the user would name it."""
    try:
        return str(json.loads(text)) if str(text).startswith('"') else str(text)
    except ValueError:
        return str(text)
