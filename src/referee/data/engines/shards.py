"""Shards: typed tables that are read together. Their columns are given one type where nothing is lost by it, else refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.data.columns import EXACT
from referee.data.engines.base import Column, column
from referee.data.engines.duckdb_sql import INTEGERS, as_typed, fetched
from referee.data.engines.scan import TEXT, Scan
from referee.errors import InputError, did_you_mean, unknown

WIDTHS = {"FLOAT": 2**24, "DOUBLE": EXACT}
"""From where on whole numbers are no longer told apart."""


@dataclass(frozen=True)
class Shard:
    """One table, or several that are alike."""

    where: Path
    """Where it is; the first of several."""
    sql: str
    """A query that yields the wanted columns under the names w0, w1 and so on, and maybe the texts."""
    types: Sequence[str]
    """DuckDB's types of these."""
    halves: frozenset[str] = frozenset()
    """The names of columns that were stored with 16 bits, which DuckDB has no type for."""


def check_names(wanted: Sequence[str], known: Mapping[Path, Sequence[str]]) -> None:
    """Refuse tables in which a wanted column is not there once.

    Args:
        wanted: the names of the columns.
        known: of each file, the names that it has.

    Raises:
        NameUnknown: where the first file has no column of that name.
        InputError: where another has none, or one has several.
    """
    first = next(iter(known))
    for path, names in known.items():
        for name in wanted:
            if name not in names and path == first:
                raise unknown("column", name, names)
            if name not in names:
                raise InputError(
                    f"{path} has no column {name!r}{did_you_mean(name, names)}, which {first} has; tables that are read "
                    f"together must have the same columns"
                )
            if names.count(name) > 1:
                raise InputError(f"{path} has {names.count(name)} columns called {name!r}; rename all but one")


def decode(connection: Any, rows: Any, names: Mapping[str, str]) -> dict[str, Column]:
    """Return the columns as they are."""
    return {role: column(values, names.get(role, role)) for role, values in fetched(rows).items()}


def unite(connection: Any, shards: Sequence[Shard], names: Sequence[str], text: str | None) -> Scan:
    """Return how shards are read, one after the other.

    Args:
        connection: the database.
        shards: at least one.
        names: the wanted columns.
        text: a column of texts, which each shard has turned into text.

    Raises:
        InputError: where a column is of different kinds, or would lose digits.
    """
    terms = {name: f"w{place}" for place, name in enumerate(names)}
    types, notes, sql = dict(zip(names, shards[0].types, strict=True)), list[str](), shards[0].sql
    if len(shards) > 1:
        for place, name in enumerate(names):
            types[name], note = _common(connection, shards, place, name)
            notes += note
        chosen = [f"CAST({terms[name]} AS {types[name]}) AS {terms[name]}" for name in names]
        chosen += [] if text is None else [f'"{TEXT}"']
        sql = _chained([f"SELECT {', '.join(chosen)} FROM ({shard.sql})" for shard in shards])
    found = {name: as_typed(terms[name], types[name], name) for name in names}
    if text is not None:
        found[TEXT] = f'"{TEXT}"'
    return Scan(sql, found, decode, "typed", tuple(notes), frozenset().union(*(shard.halves for shard in shards)))


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
    said = (
        f"the numbers of {name} are stored with 32 bits in {kinds['FLOAT'].name} and with 64 in {kinds[fine[0]].name}; all were "
        f"rounded to 32 bits, so that only real differences count"
    )
    return wanted, [said]


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
    largest = connection.sql(f"SELECT max(abs(CAST(w{place} AS HUGEINT))) FROM ({shard.sql})").fetchall()[0][0]
    if largest is not None and largest > WIDTHS[wanted]:
        raise InputError(
            f"{name} holds whole numbers as large as {largest} in {shard.where}, and numbers with a point in the files "
            f"beside it, which have not so many digits; store the column as integers everywhere, or as text"
        )
