"""Joins: two tables, one per system, whose rows are joined by id in DuckDB; nothing is paired by position."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from referee.data.columns import PRECISIONS, is_missing
from referee.data.counts import Matched
from referee.data.engines import duckdb_sql as db
from referee.data.engines.base import ABOUT, PLACE, SHOWN, TABLES, Grouped, Joined, Repeats, Side
from referee.data.engines.columnar_files import sort_of
from referee.data.engines.tables import scan, streamed
from referee.data.engines.text_files import decode_json, meant, shown
from referee.data.label_checks import uneven
from referee.data.pair_policies import runs_to_average, settle_repeats, settle_unmatched
from referee.data.policies import Policies, refuse_lacking_ids
from referee.data.roles import COUNTED, SHARED
from referee.data.value_text import short_label
from referee.errors import Argument, InputError, unknown

DIFFERS = "differs:"
SAME_DATA = "are these runs on the same data?"
ONLY = "only"
"""The role of the column that says whose rows are whose."""
MEETINGS = ("in_a AND in_b", "in_a AND NOT in_b", "in_b AND NOT in_a")
"""Which examples are in both, in the first and in the second only."""


def read(joined: Joined, policies: Policies) -> Grouped:
    """Join the rows by id, and count how often each joint outcome occurred.

    Args:
        joined: the two sides.
        policies: what to do with rows whose id the other side lacks, with ids that repeat, and with missing values where the
            values of an id are averaged.

    Raises:
        InputError: if ids are missing, repeat, do not meet, or the two sides contradict each other.
    """
    joined = replace(joined, left=joined.left.counted, right=joined.right.counted)
    with _loaded(joined) as (connection, scans):
        names = {"a": joined.left.name, "b": joined.right.name}
        both = f"{joined.left.name} and {joined.right.name}"
        notes = [f"{both} were paired by line"] if joined.ordered else []
        notes += [*joined.notes, *dict.fromkeys(note for rows in scans for note in rows.notes)]
        _check_kinds(connection, joined, scans[0].family)
        notes += _settle_types(connection, joined, scans)
        runs = runs_to_average(connection, policies)
        notes += settle_repeats(connection, joined, policies)
        matched, remarks = _meet(connection, joined, policies)
        notes += remarks
        if not connection.sql("SELECT 1 FROM met WHERE a IS DISTINCT FROM b LIMIT 1").fetchall():
            # A file that was copied, or named by mistake, looks like a tie.
            notes.append(f"{both} give the same answer to every example; is one a copy of the other?")
        roles = [role for role in COUNTED if role in connection.table("met").columns]
        rows = connection.table("met").project(", ".join([*map(db.quote, roles), db.TIMES]))
        columns = scans[0].decode(connection, rows, names)
        halves = _halves_of(scans)
        if len(halves) == 1 and columns[halves[0]][0].dtype == PRECISIONS[64]:
            stored = f"the scores of {names[halves[0]]} are stored with 16 bits and the others with more, so that their means ("
            raise InputError(stored, Argument("repeats", "mean"), ") would differ by that alone; store both alike")
        return replace(db.assemble(columns, Repeats(), halves), matched=matched, notes=tuple(notes), runs=runs)


def differing(joined: Joined, policies: Policies) -> Iterator[dict[str, Any]]:
    """Yield the rows by role, as they met, on which a and b differ, in the order of the first side.

    Args:
        joined: the two sides, which have been read and found to fit.
        policies: as in `read`.

    Raises:
        InputError: if they cannot be read.
    """
    with _loaded(joined, numbered=True) as (connection, scans):
        _settle_types(connection, joined, scans)
        numbered = bool(settle_repeats(connection, joined, policies)) and policies.repeats == "group"
        terms = {"id": "coalesce(l.id, r.id)", **_terms(connection, joined, SHOWN)}
        sql = (
            f"SELECT {db.named(terms)} FROM left_rows l {'FULL ' if joined.sparse else ''}JOIN right_rows r ON l.id = r.id "
            f"WHERE {terms['a']} IS DISTINCT FROM {terms['b']} ORDER BY l.{PLACE} NULLS LAST, r.{PLACE}"
        )
        for row in streamed(connection, sql, list(terms), scans[0].family):
            row["id"] = row.pop("called", None) or _called(row, joined.ordered, numbered)
            yield row


def _called(row: Mapping[str, Any], ordered: bool, numbered: bool) -> Any:
    """Return an id as people know it: without the task that it is told apart by, with the number of the repetition."""
    name, task = row["id"], row.get("slice")
    if numbered:
        name = f"{short_label(row['group'])} #{str(name).rpartition(' #')[2]}"
    elif task is not None and isinstance(name, list) and len(name) == 2 and name[0] == task:
        name = name[1]
    return f"row {name}" if ordered else name


@contextmanager
def _loaded(joined: Joined, numbered: bool = False) -> Iterator[tuple[Any, list[db.Scan]]]:
    """Give a database with the rows of both sides in `TABLES`, maybe with where each stands, and how they were read.

    Raises:
        InputError: if the two are of different kinds, or a row has no id.
    """
    with db.explained(joined.where), db.connected(joined.files) as connection:
        scans = [_scan_side(connection, side, place) for place, side in enumerate(joined.sides)]
        if scans[0].family != scans[1].family:
            remedy = "convert one to the format of the other"
            raise InputError(f"{joined.where} have different formats, so their ids cannot be compared", remedy=remedy)
        for table, side, rows in zip(TABLES, joined.sides, scans, strict=True):
            _load(connection, table, side, rows, numbered)
        yield connection, scans


def _scan_side(connection: Any, side: Side, place: int) -> db.Scan:
    """Return how a side is read; values that are in memory become JSON, so that types are told apart."""
    roles = dict(side.columns) | ({} if side.only is None else {ONLY: side.only[0]})
    if not isinstance(side.source, Mapping):
        return scan(connection, list(side.source), roles)
    # In ASCII, since a text may hold what UTF-8 cannot.
    values = {
        role: np.array([None if is_missing(value) else json.dumps(value) for value in side.source[name]], dtype=object)
        for role, name in roles.items()
    }
    connection.register(f"given_{place}", values)
    return db.Scan(f"SELECT * FROM given_{place}", {role: db.quote(role) for role in roles}, decode_json, "json")


def _load(connection: Any, table: str, side: Side, rows: db.Scan, numbered: bool) -> None:
    """Read the wanted columns of a side into a table, and maybe where each row stands.

    Raises:
        InputError: if a row has no id.
    """
    terms = {role: rows.terms[role] for role in side.columns}
    if numbered:
        terms[PLACE] = "row_number() OVER ()"
    # DuckDB keeps the order of a file's rows.
    terms.setdefault("id", "CAST(row_number() OVER () AS VARCHAR)")
    which = ""
    if side.only is not None:
        wanted = json.dumps(side.only[1], ensure_ascii=False) if rows.family == "json" else side.only[1]
        which = f" WHERE CAST({rows.terms[ONLY]} AS VARCHAR) = {db.literal(wanted)}"
    connection.execute(f"CREATE TABLE {table} AS SELECT {db.named(terms)} FROM ({rows.sql}){which}")
    total, known = db.ask(connection, f"SELECT count(*), count(id) FROM {table}")
    if not total and side.only is not None:
        values = connection.sql(f"SELECT DISTINCT {rows.terms[ONLY]} FROM ({rows.sql}) LIMIT 40").fetchall()
        systems = sorted(str(meant(value) if str(value).startswith('"') else value) for (value,) in values)
        raise unknown(f"system in the column {side.only[0]!r}", side.only[1], systems, "ab"[TABLES.index(table)])
    if not total:
        raise InputError(f"{side.where} has no rows")
    refuse_lacking_ids(total - known, side.where)
    db.check_exact_ids(connection.table(table), f"the id of {side.where}")


def _halves_of(scans: Sequence[db.Scan]) -> list[str]:
    """Return the roles of the systems whose values were stored with 16 bits."""
    return [role for role, rows in zip("ab", scans, strict=True) if "value" in rows.halves]


def _settle_types(connection: Any, joined: Joined, scans: Sequence[db.Scan]) -> list[str]:
    """Refuse what is of one kind on one side and of another on the other, and round what is of two precisions to the coarser.

    Before values are averaged or compared: else each would differ from the other's in its last digits.

    Returns:
        What was done, in sentences.

    Raises:
        InputError: if the two sides do not fit each other.
    """
    if scans[0].family != "typed":
        return []
    notes = []
    tables = [connection.table(table) for table in TABLES]
    types = [db.types_of(table) for table in tables]
    for role in ("value", "id", *ABOUT):
        kinds = [own.get(role, db.NOTHING[0]) for own in types]
        sorts = [sort_of(kind) for kind in kinds]
        if role != "value" and len({*sorts, ""}) > 2 and set(sorts) != {"whole numbers", "numbers"}:
            here, there = f"{sorts[0]} in {joined.left.where}", f"{sorts[1]} in {joined.right.where}"
            stored = f"{ABOUT.get(role, 'the id')} is stored as {here} and as {there}"
            raise InputError(stored, remedy="convert one to the type of the other")
        if role == "value" and _halves_of(scans):
            continue  # DuckDB has no type of 16 bits to round to; they are rounded once they are counted
        if set(kinds) != {"FLOAT", "DOUBLE"}:
            continue
        if role != "id":
            connection.execute(f"ALTER TABLE {TABLES[kinds.index('DOUBLE')]} ALTER {db.quote(role)} TYPE FLOAT")
            coarse, fine = joined.sides if kinds[0] == "FLOAT" else joined.sides[::-1]
            notes += [uneven(coarse.name, 32, fine.name, 64)] if role == "value" else []
        elif any(table.filter("id <> trunc(id)").limit(1).fetchall() for table in tables):
            kinds_of_ids = f"the ids of {joined.where} are decimal numbers of 32 and 64 bits, which cannot be matched"
            raise InputError(kinds_of_ids, remedy="store them as text")
    return notes


def _check_kinds(connection: Any, joined: Joined, family: str) -> None:
    """Refuse ids that are texts here and numbers there."""
    kinds = []
    for table, side in zip(TABLES, joined.sides, strict=True):
        is_text = "starts_with(id, '\"')" if family == "json" else "typeof(id) = 'VARCHAR'"
        several = connection.sql(f"SELECT DISTINCT {is_text} FROM {table}").fetchall()
        if len(several) > 1:
            raise InputError(f'the ids of {side.where} are texts and numbers; 1 and "1" are not the same id')
        kinds.append("texts" if several[0][0] else "numbers")
    if kinds[0] != kinds[1]:
        are = f"the ids of {joined.left.where} are {kinds[0]} and those of {joined.right.where} are {kinds[1]}"
        raise InputError(f'{are}; 1 and "1" are not the same id: convert one to the type of the other')


def _disagreements(connection: Any, joined: Joined, roles: Sequence[str]) -> list[str]:
    """Refuse two sides that say different things about one example; return what is only to be told.

    Args:
        connection: with the table `met_or_not`, which says of each of these roles whether the sides differ.
        joined: the two sides.
        roles: what both sides have.
    """
    notes = []
    for role in roles:
        (many,) = db.ask(connection, f"SELECT sum({db.TIMES}) FROM met_or_not WHERE {db.quote(DIFFERS + role)}")
        if not many:
            continue
        differ = f"l.{db.quote(role)} <> r.{db.quote(role)}"
        both = "left_rows l JOIN right_rows r ON l.id = r.id"
        (example,) = db.ask(connection, f"SELECT min(l.id) FROM {both} WHERE {differ}")
        examples = "1 example" if many == 1 else f"{many:,} examples"
        differ = f"{joined.left.name} and {joined.right.name} disagree about {ABOUT[role]} of {examples}"
        note = f"{differ}, such as id {shown(example)}; {SAME_DATA}"
        if role != "likeness":
            raise InputError(note)
        notes.append(note)
    return notes


def _meet(connection: Any, joined: Joined, policies: Policies) -> tuple[Matched, list[str]]:
    """Join the sides once, and count the joint outcomes of the ids that both have, into the table `met`."""
    left, right = (connection.table(table).columns for table in TABLES)
    shared = [role for role in ABOUT if role in left and role in right]
    if joined.sparse and "check" in shared:  # what was asked is one thing for all, and two sides may share no response
        asked = [connection.sql(f'SELECT DISTINCT "check" FROM {table} ORDER BY 1').fetchall() for table in TABLES]
        if asked[0] != asked[1]:
            raise InputError(f"the texts or the right answers in {joined.where} are not the same; {SAME_DATA}")
    terms = _terms(connection, joined)
    terms |= {DIFFERS + role: f"coalesce(l.{db.quote(role)} <> r.{db.quote(role)}, false)" for role in shared}
    connection.execute(
        f"CREATE TABLE met_or_not AS SELECT l.id IS NOT NULL AS in_a, r.id IS NOT NULL AS in_b, {db.named(terms)}, "
        f"CAST(count(*) AS BIGINT) AS {db.TIMES} FROM left_rows l FULL JOIN right_rows r ON l.id = r.id GROUP BY ALL"
    )
    notes = _disagreements(connection, joined, shared)
    times = ", ".join(f"coalesce(sum({db.TIMES}) FILTER ({which}), 0)" for which in MEETINGS)
    matched = Matched(*map(int, db.ask(connection, f"SELECT {times} FROM met_or_not")))
    if joined.sparse:
        _check_gold(connection, joined)
        connection.execute("ALTER TABLE met_or_not RENAME TO met")
        return Matched(both=matched.both + matched.a_only + matched.b_only), notes
    notes += settle_unmatched(connection, joined, policies, matched)
    connection.execute("CREATE TABLE met AS SELECT * FROM met_or_not WHERE in_a AND in_b")
    return matched, notes


def _terms(connection: Any, joined: Joined, more: Sequence[str] = ()) -> dict[str, str]:
    """Return the SQL of what the sides say of an example, by role: what either says, and the values of the two systems.

    A response that one side lacks was not found by it.
    """
    columns = {side: connection.table(table).columns for side, table in zip("lr", TABLES, strict=True)}
    terms = {}
    for role in (*SHARED, *more):
        own = [f"{side}.{db.quote(role)}" for side, names in columns.items() if role in names]
        if role in more:  # only shown; a side without a text has no type, which DuckDB 1.3 does not mix with another
            own = [f"CAST({term} AS VARCHAR)" for term in own]
        if own:
            terms[role] = f"coalesce({', '.join(own)})"
    if joined.sparse:
        return terms | {"a": "coalesce(l.value, 'false')", "b": "coalesce(r.value, 'false')"}
    return terms | {"a": "l.value", "b": "r.value"}


def _check_gold(connection: Any, joined: Joined) -> None:
    """Refuse responses that the truth of one side has and the other's lacks."""
    for side, own, other in zip(joined.sides, TABLES, TABLES[::-1], strict=True):
        alone = f"{own} WHERE truth = 'true' AND id NOT IN (SELECT id FROM {other})"
        many, example = db.ask(connection, f"SELECT count(*), min(id) FROM {alone}")
        if many:
            lacking = f"the truth of {side.where} has {many:,} responses that the other side's lacks"
            raise InputError(f"{lacking}, such as {shown(example)}; {SAME_DATA}")
