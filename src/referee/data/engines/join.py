"""Joins: two tables, one a system, whose rows meet by their ids in DuckDB; nothing is paired by its place."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from referee.data.columns import PRECISIONS
from referee.data.counts import Matched
from referee.data.engines.base import SIDES, Grouped, Repeats, runs_of
from referee.data.engines.database import connected
from referee.data.engines.duckdb_sql import TIMES, assemble, explained, quote
from referee.data.engines.scan import narrowed
from referee.data.engines.sides import (
    ABOUT,
    PLACE,
    SHOWN,
    TABLES,
    Joined,
    Side,
    check_kinds,
    halves_of,
    load,
    scan_side,
    settle_types,
)
from referee.data.engines.tables import streamed
from referee.data.value_text import short_label
from referee.errors import InputError

DIFFERS = "differs:"
EXAMPLES = 3
"""How many ids a message shows."""


def read(joined: Joined, *, unmatched: str, repeats: str, missing: str) -> Grouped:
    """Join the rows by id, and count how often each joint outcome occurred.

    Args:
        joined: the two sides.
        unmatched: "error", or "drop" the rows whose id the other side lacks.
        repeats: "error"; "mean": the values of an id are averaged; "group": its rows meet in order, and are a group.
        missing: what a missing value counts where values are averaged: "error", "wrong" (0) or "drop".

    Raises:
        InputError: where ids are missing, repeat, do not meet, or the two sides contradict each other.
    """
    joined = replace(joined, left=joined.left.counted, right=joined.right.counted)
    with explained(" and ".join(side.where for side in joined.sides)), connected(joined.files) as connection:
        scans = [scan_side(connection, side, place) for place, side in enumerate(joined.sides)]
        if scans[0].family != scans[1].family:
            raise InputError(
                f"{joined.left.where} and {joined.right.where} are of different kinds, so their ids cannot be compared; "
                f"convert one to the kind of the other"
            )
        notes = [f"{joined.left.name} and {joined.right.name} were paired by line"] if joined.ordered else []
        notes += joined.notes
        notes += dict.fromkeys(note for found in scans for note in found.notes)
        for table, side, found in zip(TABLES, joined.sides, scans, strict=True):
            load(connection, table, side, found)
        check_kinds(connection, joined, scans[0].family)
        notes += settle_types(connection, joined, scans)
        runs = _runs(connection, missing) if repeats == "mean" else 0
        notes += _settle_repeats(connection, joined, repeats, missing)
        _check_asked(connection, joined)
        matched, remarks = _meet(connection, joined, unmatched)
        notes += remarks
        notes += _same_answers(connection, joined)
        roles = [role for role in ("truth", "a", "b", *SIDES) if role in connection.table("met").columns]
        rows = connection.table("met").project(", ".join([*map(quote, roles), TIMES]))
        names = {"a": joined.left.name, "b": joined.right.name}
        columns = scans[0].decode(connection, rows, {role: names.get(role, role) for role in roles})
        halves = halves_of(joined, scans)
        columns = narrowed(columns, halves)
        if len(halves) == 1 and any(columns[role][0].dtype == PRECISIONS[64] for role in halves):
            raise InputError(
                f"the scores of {names[next(iter(halves))]} are stored with 16 bits and the others with more, and averaged "
                f"(repeats='mean') they would differ by that alone; store both alike"
            )
        return replace(assemble(columns, Repeats()), matched=matched, notes=tuple(notes), runs=runs)


def differing(joined: Joined, *, repeats: str, missing: str) -> Iterator[dict[str, Any]]:
    """Yield the rows by role, as they met, on which a and b differ, in the order of the first side.

    Args:
        joined: the two sides, which have been read and found to fit.
        repeats: as in `read`.
        missing: as in `read`.

    Raises:
        InputError: where they cannot be read.
    """
    with explained(" and ".join(side.where for side in joined.sides)), connected(joined.files) as connection:
        scans = [scan_side(connection, side, place) for place, side in enumerate(joined.sides)]
        for table, side, found in zip(TABLES, joined.sides, scans, strict=True):
            load(connection, table, side, found, numbered=True)
        settle_types(connection, joined, scans)
        numbered = bool(_settle_repeats(connection, joined, repeats, missing)) and repeats == "group"
        left, right = (connection.table(table).columns for table in TABLES)
        terms = {role: term for role in ("truth", *SIDES, *SHOWN) if (term := _either(role, left, right))}
        terms |= {"id": "coalesce(l.id, r.id)", **_answers(joined)}
        chosen = ", ".join(f"{term} AS {quote(role)}" for role, term in terms.items())
        sql = (
            f"SELECT {chosen} FROM left_rows l {'FULL ' if joined.sparse else ''}JOIN right_rows r ON l.id = r.id "
            f"WHERE {terms['a']} IS DISTINCT FROM {terms['b']} ORDER BY l.{PLACE} NULLS LAST, r.{PLACE}"
        )
        for row in streamed(connection, sql, list(terms), scans[0].family):
            row["id"] = row.pop("called", None) or _called(row, joined.ordered, numbered)
            yield row


def _called(row: Mapping[str, Any], ordered: bool, numbered: bool) -> Any:
    """Return an id as people know it: without the task that it is told apart by, with the number of the repetition."""
    found, own = row["id"], row.get("slice")
    if numbered:
        found, own = f"{short_label(row['group'])} #{str(found).rpartition(' #')[2]}", None
    if own is not None and isinstance(found, list) and len(found) == 2 and found[0] == own:
        found = found[1]
    return f"row {found}" if ordered else found


def _settle_repeats(connection: Any, joined: Joined, repeats: str, missing: str) -> list[str]:
    """Make ids unique on both sides, or refuse them; return what was done."""
    found = []
    for table, side in zip(TABLES, joined.sides, strict=True):
        many, example = connection.sql(
            f"SELECT count(*), min(id) FROM (SELECT id FROM {table} GROUP BY id HAVING count(*) > 1)"
        ).fetchall()[0]
        if many and repeats == "error":
            ids = "1 id occurs" if many == 1 else f"{many:,} ids occur"
            raise InputError(
                f"{ids} in more than one row of {side.where}, such as {_shown(example)}; if these are repeats, "
                f"repeats='mean' averages the scores of an id, and repeats='group' keeps its rows together as a group"
            )
        found.append(int(many))
    if not any(found):
        return []
    if repeats == "group":
        return [_number(connection, joined)]
    said = [_average(connection, table, side, missing) for table, side in zip(TABLES, joined.sides, strict=True)]
    return list(filter(None, said))


def _runs(connection: Any, missing: str) -> int:
    """Return of how many runs, each right or wrong, the scores of both sides are going to be the means; 0 where they are not."""
    times: set[int] = set()
    for table in TABLES:
        own = "count(*)" if missing == "wrong" else "count(value)"
        marks = "coalesce(bool_and(value IS NULL OR coalesce(TRY_CAST(value AS DOUBLE) IN (0, 1), false)), true)"
        found = f"SELECT DISTINCT many, marks FROM (SELECT {own} AS many, {marks} AS marks FROM {table} GROUP BY id)"
        for many, right in connection.sql(found).fetchall():
            if not right:
                return 0
            times.add(int(many))
    return runs_of(times - {0})


def _number(connection: Any, joined: Joined) -> str:
    """Give the rows of an id numbers, by which they meet; the id becomes the group."""
    for table in TABLES:
        columns = connection.table(table).columns
        number = "repeat" if "repeat" in columns else "row_number() OVER (PARTITION BY id ORDER BY rowid)"
        kept = ", ".join(quote(name) for name in columns if name not in ("id", "group", "repeat"))
        connection.execute(
            f"CREATE TABLE numbered AS SELECT id || ' #' || {number} AS id, id AS \"group\", {kept} FROM {table}"
        )
        connection.execute(f"DROP TABLE {table}")
        connection.execute(f"ALTER TABLE numbered RENAME TO {table}")
    how = "by their numbers" if "repeat" in joined.left.columns else "in their order"
    return f"ids occur in more than one row; the rows of an id met {how} and are one group (repeats='group')"


def _average(connection: Any, table: str, side: Side, missing: str) -> str:
    """Average the values of each id.

    Raises:
        InputError: where they are not numbers, or one is missing and nothing says what it counts.
    """
    columns = connection.table(table).columns
    odd, gone, total = connection.sql(
        f"SELECT count(value) FILTER (TRY_CAST(value AS DOUBLE) IS NULL), count(*) - count(value), count(*) FROM {table}"
    ).fetchall()[0]
    if odd:
        raise InputError(f"repeats='mean' averages numbers, and {side.where} has texts; use repeats='group'")
    if gone and missing == "error":
        raise InputError(
            f"predictions are missing: {gone} of {side.name}; missing='wrong' counts them as wrong, missing='drop' leaves them out"
        )
    value = "CAST(value AS DOUBLE)"
    value = f"coalesce({value}, 0)" if missing == "wrong" else value
    others = [name for name in columns if name not in ("id", "value", "repeat")]
    for name in (one for one in others if one not in ("likeness", PLACE, *SHOWN)):
        wrong = connection.sql(
            f"SELECT min(id) FROM (SELECT id FROM {table} GROUP BY id HAVING count(DISTINCT {quote(name)}) > 1)"
        ).fetchall()[0][0]
        if wrong is not None:
            raise InputError(f"the {name} of id {_shown(wrong)} differs between its rows in {side.where}")
    kept = "".join(f", min({quote(name)}) AS {quote(name)}" for name in others)
    types = dict(zip(columns, map(str, connection.table(table).types), strict=True))
    written = "VARCHAR" if types["value"] == "VARCHAR" else "DOUBLE"
    # In the order of the values, so that the order of the rows does not change the last bit.
    connection.execute(
        f"CREATE TABLE averaged AS SELECT id, CAST(list_sum(list_sort(list({value}))) / count({value}) AS {written}) AS value{kept} "
        f"FROM {table} GROUP BY id"
    )
    connection.execute(f"DROP TABLE {table}")
    connection.execute(f"ALTER TABLE averaged RENAME TO {table}")
    ids = connection.sql(f"SELECT count(*) FROM {table}").fetchall()[0][0]
    if total == ids and not gone:
        return ""
    left = f"; {gone:,} without a value were {'counted as wrong' if missing == 'wrong' else 'left out'}" if gone else ""
    return f"{total:,} rows of {side.name} were averaged to {ids:,} ids (repeats='mean'){left}"


def _check_asked(connection: Any, joined: Joined) -> None:
    """Refuse responses to different texts: what was asked is one thing for all, and two sides may share no response."""
    if not joined.sparse or any("check" not in connection.table(table).columns for table in TABLES):
        return
    asked = [connection.sql(f'SELECT DISTINCT "check" FROM {table} ORDER BY 1').fetchall() for table in TABLES]
    if asked[0] != asked[1]:
        raise InputError(
            f"the texts or the right answers in {joined.left.where} and {joined.right.where} are not the same; "
            f"are these runs on the same data?"
        )


def _disagreements(connection: Any, joined: Joined, roles: Sequence[str]) -> list[str]:
    """Refuse two sides that say different things about one example; return what is only to be told.

    Args:
        connection: with the table `met_or_not`, which says of each of these roles whether the sides differ.
        joined: the two sides.
        roles: what both sides have.
    """
    notes = []
    for role in roles:
        many = connection.sql(f"SELECT sum({TIMES}) FROM met_or_not WHERE {quote(DIFFERS + role)}").fetchall()[0][0]
        if not many:
            continue
        name = quote(role)
        example = connection.sql(
            f"SELECT min(l.id) FROM left_rows l JOIN right_rows r ON l.id = r.id WHERE l.{name} <> r.{name}"
        ).fetchall()[0][0]
        examples = "1 example" if many == 1 else f"{many:,} examples"
        said = (
            f"{joined.left.name} and {joined.right.name} disagree about {ABOUT[role]} of {examples}, such as id "
            f"{_shown(example)}; are these runs on the same data?"
        )
        if role != "likeness":
            raise InputError(said)
        notes.append(said)
    return notes


def _meet(connection: Any, joined: Joined, unmatched: str) -> tuple[Matched, list[str]]:
    """Join the sides once, and count the joint outcomes of the ids that both have, into the table `met`."""
    left, right = (connection.table(table).columns for table in TABLES)
    shared = [role for role in ABOUT if role in left and role in right]
    differ = [f"coalesce(l.{quote(role)} <> r.{quote(role)}, false) AS {quote(DIFFERS + role)}" for role in shared]
    terms = {role: term for role in ("truth", *SIDES) if (term := _either(role, left, right))} | _answers(joined)
    chosen = ", ".join([*(f"{term} AS {quote(role)}" for role, term in terms.items()), *differ])
    connection.execute(
        f"CREATE TABLE met_or_not AS SELECT l.id IS NOT NULL AS in_a, r.id IS NOT NULL AS in_b, {chosen}, "
        f"CAST(count(*) AS BIGINT) AS {TIMES} FROM left_rows l FULL JOIN right_rows r ON l.id = r.id GROUP BY ALL"
    )
    notes = _disagreements(connection, joined, shared)
    counted = {
        (a, b): int(times)
        for a, b, times in connection.sql(f"SELECT in_a, in_b, sum({TIMES}) FROM met_or_not GROUP BY ALL").fetchall()
    }
    both, a_only, b_only = (counted.get(key, 0) for key in ((True, True), (True, False), (False, True)))
    if joined.sparse:
        _check_gold(connection, joined)
        connection.execute("ALTER TABLE met_or_not RENAME TO met")
        return Matched(both=both + a_only + b_only), notes
    if not both:
        ours, theirs = (connection.sql(f"SELECT min(id) FROM {table}").fetchall()[0][0] for table in TABLES)
        raise InputError(
            f"{joined.left.where} and {joined.right.where} have no id in common; their ids look like {_shown(ours)} and "
            f"{_shown(theirs)}{_same_look(connection)}"
        )
    if (a_only or b_only) and unmatched == "error" and joined.ordered:
        raise InputError(
            f"{joined.left.where} has {both + a_only:,} rows and {joined.right.where} {both + b_only:,}; files that are "
            f"paired by line must be equally long"
        )
    if (a_only or b_only) and unmatched == "error":
        raise InputError(
            f"{a_only:,} id{' is' if a_only == 1 else 's are'} only in {joined.left.where}{_examples(connection, 0)} and {b_only:,} only in "
            f"{joined.right.where}{_examples(connection, 1)}{_same_look(connection)}; unmatched='drop' leaves them out"
        )
    if a_only and b_only and (alike := _same_look(connection)):
        notes.append(f"ids were left out (unmatched='drop'){alike}")
    connection.execute("CREATE TABLE met AS SELECT * FROM met_or_not WHERE in_a AND in_b")
    return Matched(both=both, a_only=a_only, b_only=b_only), notes


def _same_answers(connection: Any, joined: Joined) -> list[str]:
    """Say so where two runs are one: a file that was copied, or named by mistake, looks like a tie."""
    if connection.sql("SELECT 1 FROM met WHERE a IS DISTINCT FROM b LIMIT 1").fetchall():
        return []
    return [
        f"{joined.left.name} and {joined.right.name} give the same answer to every example; is one a copy of the other?"
    ]


def _either(role: str, left: Sequence[str], right: Sequence[str]) -> str:
    """Return the SQL of what one of the sides says of an example; nothing where neither does."""
    sides = [f"{side}.{quote(role)}" for side, columns in (("l", left), ("r", right)) if role in columns]
    return f"coalesce({sides[0]}, {sides[1]})" if len(sides) == 2 else "".join(sides)


def _answers(joined: Joined) -> dict[str, str]:
    """Return the SQL of the two systems' values; a response that one lacks was not found by it."""
    values = {"a": "l.value", "b": "r.value"}
    return {role: f"coalesce({term}, 'false')" for role, term in values.items()} if joined.sparse else values


def _check_gold(connection: Any, joined: Joined) -> None:
    """Refuse responses that the truth of one side has and the other's lacks."""
    for place, side in enumerate(joined.sides):
        own, other = TABLES[place], TABLES[1 - place]
        many, example = connection.sql(
            f"SELECT count(*), min(id) FROM {own} WHERE truth = 'true' AND id NOT IN (SELECT id FROM {other})"
        ).fetchall()[0]
        if many:
            raise InputError(
                f"the truth of {side.where} has {many:,} responses that the other side's lacks, such as {_shown(example)}; "
                f"are these runs on the same data?"
            )


def _examples(connection: Any, side: int) -> str:
    own, other = TABLES[side], TABLES[1 - side]
    found = connection.sql(
        f"SELECT id FROM {own} WHERE id NOT IN (SELECT id FROM {other}) ORDER BY id LIMIT {EXAMPLES}"
    ).fetchall()
    return (
        f" ({', '.join(_shown(one) for (one,) in found)}{', ...' if len(found) == EXAMPLES else ''})" if found else ""
    )


def _same_look(connection: Any) -> str:
    """Say how many ids that met nothing look like one that met nothing on the other side."""
    if any(str(connection.table(table).project("id").types[0]) != "VARCHAR" for table in TABLES):
        return ""
    left, right = (
        f"(SELECT nfc_normalize(id) AS id FROM {own} WHERE id NOT IN (SELECT id FROM {other}))"
        for own, other in (TABLES, TABLES[::-1])
    )
    (many,) = connection.sql(f"SELECT count(*) FROM {left} l JOIN {right} r ON l.id = r.id").fetchall()[0]
    return (
        f"; {many:,} of them look the same on both sides, but are written with different characters (Unicode NFC and NFD)"
        if many
        else ""
    )


def _shown(text: Any) -> str:
    """Return an id as the user wrote it."""
    try:
        return repr(json.loads(text)) if str(text).startswith(('"', "[")) else repr(text)
    except (ValueError, RecursionError):
        return repr(text)
