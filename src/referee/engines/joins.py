"""Joins: two tables, one a system, whose rows meet by their ids in DuckDB; nothing is paired by its place."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from referee.counts import Matched
from referee.engines.base import SIDES, Grouped, Repeats
from referee.engines.files import connected, streamed
from referee.engines.objects import decode as decode_json
from referee.engines.relations import TIMES, assemble, explained, literal, quote
from referee.engines.scan import TEXT, Scan, scan_with_text
from referee.engines.wording import short_label
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
DIFFERS = "differs:"
SHOWN = ("text", "called")
"""What is only shown."""
PLACE = "place"
"""Where a row stands in its file."""
EXAMPLES = 3
"""How many ids a message shows."""


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
    def where(self) -> str:
        """Where the rows are from, for messages."""
        if isinstance(self.source, Mapping):
            return self.name
        files = ", ".join(map(str, self.source))
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
    with explained(" and ".join(side.where for side in joined.sides)), connected() as connection:
        scans = [_scan(connection, side, place) for place, side in enumerate(joined.sides)]
        if scans[0].family != scans[1].family:
            raise InputError(
                f"{joined.left.where} and {joined.right.where} are of different kinds, so their ids cannot be compared; "
                f"convert one to the kind of the other"
            )
        notes = [f"{joined.left.name} and {joined.right.name} were paired by line"] if joined.ordered else []
        notes += joined.notes
        for table, side, found in zip(TABLES, joined.sides, scans, strict=True):
            _load(connection, table, side, found)
        _check_kinds(connection, joined, scans[0].family)
        notes += _settle_repeats(connection, joined, repeats, missing)
        _check_asked(connection, joined)
        matched, remarks = _meet(connection, joined, unmatched)
        notes += remarks
        notes += _same_answers(connection, joined)
        roles = [role for role in ("truth", "a", "b", *SIDES) if role in connection.table("met").columns]
        rows = connection.table("met").project(", ".join([*map(quote, roles), TIMES]))
        names = {"a": joined.left.name, "b": joined.right.name}
        columns = scans[0].decode(connection, rows, {role: names.get(role, role) for role in roles})
        return replace(assemble(columns, Repeats()), matched=matched, notes=tuple(notes))


def differing(joined: Joined, *, repeats: str, missing: str) -> Iterator[dict[str, Any]]:
    """Yield the rows by role, as they met, on which a and b differ, in the order of the first side.

    Args:
        joined: the two sides, which have been read and found to fit.
        repeats: as in `read`.
        missing: as in `read`.

    Raises:
        InputError: where they cannot be read.
    """
    with explained(" and ".join(side.where for side in joined.sides)), connected() as connection:
        scans = [_scan(connection, side, place) for place, side in enumerate(joined.sides)]
        for table, side, found in zip(TABLES, joined.sides, scans, strict=True):
            _load(connection, table, side, found, numbered=True)
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


def _scan(connection: Any, side: Side, place: int) -> Scan:
    """Return how a side is read; values that are in memory become JSON, so that types are told apart."""
    names = [*side.columns.values(), *([side.only[0]] if side.only else [])]
    if not isinstance(side.source, Mapping):
        own = [name for role, name in side.columns.items() if role != "text"]
        return scan_with_text(
            connection, list(side.source), [*own, *([side.only[0]] if side.only else [])], side.columns.get("text")
        )
    given = {name: np.array([_text(value) for value in side.source[name]], dtype=object) for name in names}
    connection.register(f"given_{place}", given)
    return Scan(f"SELECT * FROM given_{place}", {name: quote(name) for name in names}, decode_json, "json")


def _text(value: Any) -> str | None:
    # In ASCII, since a text may hold what UTF-8 cannot.
    return None if value is None or value != value else json.dumps(value)


def _load(connection: Any, table: str, side: Side, found: Scan, numbered: bool = False) -> None:
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
        raise unknown(f"system in the column {side.only[0]!r}", side.only[1], sorted(_bare(one) for (one,) in values))
    if not total:
        raise InputError(f"{side.where} has no rows")
    if known < total:
        rows = "1 row" if total - known == 1 else f"{total - known:,} rows"
        raise InputError(f"the id is missing in {rows} of {side.where}; give every row an id")


def _check_kinds(connection: Any, joined: Joined, family: str) -> None:
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
            f"{_shown(theirs)}"
        )
    if (a_only or b_only) and unmatched == "error" and joined.ordered:
        raise InputError(
            f"{joined.left.where} has {both + a_only:,} rows and {joined.right.where} {both + b_only:,}; files that are "
            f"paired by line must be equally long"
        )
    if (a_only or b_only) and unmatched == "error":
        raise InputError(
            f"{a_only:,} id{' is' if a_only == 1 else 's are'} only in {joined.left.where}{_examples(connection, 0)} and {b_only:,} only in "
            f"{joined.right.where}{_examples(connection, 1)}; unmatched='drop' leaves them out"
        )
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


def _bare(text: Any) -> str:
    """Return a value as the user would name it."""
    try:
        return str(json.loads(text)) if str(text).startswith('"') else str(text)
    except ValueError:
        return str(text)


def _shown(text: Any) -> str:
    """Return an id as the user wrote it."""
    try:
        return repr(json.loads(text)) if str(text).startswith(('"', "[")) else repr(text)
    except (ValueError, RecursionError):
        return repr(text)
