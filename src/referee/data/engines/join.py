"""Joins: tables, one per system, whose rows are joined by id in DuckDB; nothing is paired by position."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import combinations
from typing import Any

from referee.data.columns import PRECISIONS
from referee.data.counts import Matched
from referee.data.engines import duckdb_sql as db
from referee.data.engines.base import ABOUT, PLACE, RESPONSE, SHOWN, Grouped, Joined, Repeats, Side
from referee.data.engines.columnar_files import sort_of
from referee.data.engines.long_tables import LONG, scan_side, taken_apart
from referee.data.engines.tables import streamed
from referee.data.engines.text_files import shown
from referee.data.label_checks import uneven
from referee.data.pair_policies import runs_to_average, settle_repeats, settle_unmatched
from referee.data.policies import Policies, refuse_lacking_ids
from referee.data.roles import SHARED, SIDES, labels_among
from referee.data.value_text import listed, short_label
from referee.errors import Argument, InputError, NotReady

DIFFERS = "differs:"
SAME_DATA = "are these runs on the same data?"
HELD = "held"
"""How many sides have an example."""
AT_ONCE = 8
"""So many tables are joined at once: planning a chain of a hundred joins takes a database seconds."""


def read(joined: Joined, policies: Policies) -> Grouped:
    """Join the rows by id, and count how often each joint outcome occurred.

    Args:
        joined: the sides, one per system.
        policies: what to do with rows whose id another side lacks, with ids that repeat, and with missing values where the
            values of an id are averaged.

    Raises:
        InputError: if ids are missing, repeat, do not meet, or the sides contradict each other.
    """
    single = len(joined.sides) == 2 and joined.left is joined.right
    joined = replace(joined, sides=tuple(side.counted for side in joined.sides))
    with _loaded(joined) as (connection, joined, scans):
        names = {role: side.name for role, side in zip(joined.roles, joined.sides, strict=True)}
        notes = [f"{joined.names} were paired by line"] if joined.ordered and not single else []
        notes += [*joined.notes, *dict.fromkeys(note for rows in scans for note in rows.notes)]
        _check_kinds(connection, joined, scans[0].family)
        notes += _settle_types(connection, joined, scans)
        runs = runs_to_average(connection, joined, policies)
        notes += settle_repeats(connection, joined, policies)
        matched, remarks = _meet(connection, joined, policies)
        notes += [*remarks, *([] if single else _copies(connection, names))]
        met = connection.table("met").columns
        roles = [*labels_among(met), *(role for role in SIDES if role in met)]
        rows = connection.table("met").project(", ".join([*map(db.quote, roles), db.TIMES]))
        columns = scans[0].decode(connection, rows, names)
        halves = _halves_of(joined, scans)
        if len(halves) < len(names) and any(columns[role][0].dtype == PRECISIONS[64] for role in halves):
            coarse = listed([names[role] for role in halves])
            stored = f"the scores of {coarse} are stored with 16 bits and the others with more, so that their means ("
            every = "both" if len(names) == 2 else "all"
            raise InputError(stored, Argument("repeats", "mean"), f") would differ by that alone; store {every} alike")
        grouped = db.assemble(columns, Repeats(), halves)
        return replace(
            grouped, matched=matched, notes=tuple(notes), runs=runs, names=names, unanswered=joined.unanswered
        )


def _copies(connection: Any, names: Mapping[str, str]) -> list[str]:
    """Say which systems gave the same answers: a file that was copied, or named by mistake, looks like a tie."""
    types = db.types_of(connection.table("met"))
    alike = len({types[role] for role in names}) == 1
    terms = [db.quote(role) if alike else f"TRY_CAST({db.quote(role)} AS DOUBLE)" for role in names]
    marks = db.ask(connection, f"SELECT {', '.join(f'sum(hash(rowid, {term}))' for term in terms)} FROM met")
    same: dict[Any, list[str]] = {}
    for mark, name in zip(marks, names.values(), strict=True):
        same.setdefault(mark, []).append(name)
    return [
        f"{listed(several)} give the same answer to every example; "
        f"is one a copy of {'the other' if len(several) == 2 else 'another'}?"
        for several in same.values()
        if len(several) > 1
    ]


def differing(joined: Joined, policies: Policies) -> Iterator[dict[str, Any]]:
    """Yield the rows by role, as they met, on which a and b differ, in the order of the first side.

    Args:
        joined: the two sides, which have been read and found to fit.
        policies: as in `read`.

    Raises:
        InputError: if they cannot be read.
    """
    with _loaded(_without_agreement(joined), numbered=True) as (connection, joined, scans):
        _settle_types(connection, joined, scans)
        numbered = bool(settle_repeats(connection, joined, policies)) and policies.repeats == "group"
        common = [role for role in SHOWN if role != RESPONSE]
        chain, every = _chained(connection, joined, common, "FULL JOIN" if joined.sparse else "JOIN")
        terms = {"id": "id", **{role: every[role] for role in (*SHARED, *common, *joined.roles) if role in every}}
        for role, table, side in zip(joined.roles, joined.tables, joined.sides, strict=True):
            terms |= {f"{RESPONSE}_{role}": f"{table}.{RESPONSE}"} if RESPONSE in side.columns else {}
        left, right = joined.tables
        sql = (
            f"SELECT {db.named(terms)} FROM {chain} WHERE {terms['a']} IS DISTINCT FROM {terms['b']} "
            f"ORDER BY {left}.{PLACE} NULLS LAST, {right}.{PLACE}"
        )
        for row in streamed(connection, sql, list(terms), scans[0].family):
            row["id"] = row.pop("called", None) or _called(row, joined.ordered, numbered)
            yield row


def _without_agreement(joined: Joined) -> Joined:
    """Return sides in memory without the rows on which they plainly do not differ: those need not be joined."""
    sources = [side.source for side in joined.sides if isinstance(side.source, Mapping) and "id" in side.columns]
    if len(sources) < len(joined.sides):
        return joined
    tables = list(zip(joined.sides, sources, strict=True))
    ids = [list(map(repr, source[side.columns["id"]])) for side, source in tables]
    left, right = (
        dict(zip(own, source[side.columns["value"]], strict=True))
        for own, (side, source) in zip(ids, tables, strict=True)
    )
    if len(left) < len(ids[0]) or len(right) < len(ids[1]):
        return joined  # the rows of an id may be averaged
    alike = {one for one, value in left.items() if one in right and right[one] == value}
    kept = [[place for place, one in enumerate(own) if one not in alike] for own in ids]
    if not all(kept):
        return joined
    fewer = (
        replace(side, source={name: [column[place] for place in places] for name, column in source.items()})
        for (side, source), places in zip(tables, kept, strict=True)
    )
    return replace(joined, sides=tuple(fewer))


def _called(row: Mapping[str, Any], ordered: bool, numbered: bool) -> Any:
    """Return an id as people know it: without the task that it is told apart by, with the number of the repetition."""
    name, task = row["id"], row.get("slice")
    if numbered:
        name = f"{short_label(row['group'])} #{str(name).rpartition(' #')[2]}"
    elif task is not None and isinstance(name, list) and len(name) == 2 and name[0] == task:
        name = name[1]
    return f"row {name}" if ordered else name


@contextmanager
def _loaded(joined: Joined, numbered: bool = False) -> Iterator[tuple[Any, Joined, list[db.Scan]]]:
    """Give a database with the rows of the sides in their tables, maybe with where each stands; the sides; and how they were read.

    Raises:
        InputError: if they are of different kinds, or a row has no id.
    """
    with db.explained(joined.where), db.connected(joined.files) as connection:
        if joined.left.only is None:
            scans = [scan_side(connection, side, place) for place, side in enumerate(joined.sides)]
        else:
            joined, scans = taken_apart(connection, joined)
        odd = next((place for place, rows in enumerate(scans) if rows.family != scans[0].family), None)
        if odd is not None:
            remedy = "convert one to the format of the other"
            both = f"{joined.left.where} and {joined.sides[odd].where}"
            raise InputError(f"{both} have different formats, so their ids cannot be compared", remedy=remedy)
        for table, side, rows in zip(joined.tables, joined.sides, scans, strict=True):
            _load(connection, table, side, rows, numbered, ordered=joined.ordered)
        connection.execute(f"DROP TABLE IF EXISTS {LONG}")
        yield connection, joined, scans


def _load(connection: Any, table: str, side: Side, rows: db.Scan, numbered: bool, *, ordered: bool) -> None:
    """Read the wanted columns of a side into a table, and maybe where each row stands.

    Raises:
        InputError: if a row has no id.
    """
    terms = {role: rows.terms[role] for role in side.columns}
    if numbered:
        terms[PLACE] = "row_number() OVER ()"
    if side.has_pairs and not ordered:
        terms["id"] = _pair(terms["group"], terms["crossed"], rows.family)
    # DuckDB keeps the order of a file's rows.
    terms.setdefault("id", "CAST(row_number() OVER () AS VARCHAR)")
    connection.execute(f"CREATE TABLE {table} AS SELECT {db.named(terms)} FROM ({rows.sql})")
    total, known = db.ask(connection, f"SELECT count(*), count(id) FROM {table}")
    if not total:
        raise NotReady(f"{side.where} has no rows")
    if side.has_pairs and not ordered and known < total:
        where = f"{total - known:,} row{'' if total - known == 1 else 's'} of {side.where}"
        lacking = f"{side.columns['group']} or {side.columns['crossed']} is missing in {where}"
        raise InputError(lacking, argument="group", remedy="give every row both")
    refuse_lacking_ids(total - known, side.where)
    db.check_exact_ids(connection.table(table), f"the id of {side.where}")


def _pair(first: str, second: str, family: str) -> str:
    """Return the SQL of an id that is two groups: a list of both, as JSON; nothing where one is missing."""
    if family == "json":
        return f"'[' || {first} || ', ' || {second} || ']'"
    return " || ".join(
        ["'['", f"to_json(CAST({first} AS VARCHAR))", "', '", f"to_json(CAST({second} AS VARCHAR))", "']'"]
    )


def _halves_of(joined: Joined, scans: Sequence[db.Scan]) -> list[str]:
    """Return the roles of the systems whose values were stored with 16 bits."""
    return [role for role, rows in zip(joined.roles, scans, strict=True) if "value" in rows.halves]


def _settle_types(connection: Any, joined: Joined, scans: Sequence[db.Scan]) -> list[str]:
    """Refuse what is of one kind on one side and of another on another, and round what is of two precisions to the coarser.

    Before values are averaged or compared: else each would differ from the other's in its last digits.

    Returns:
        What was done, in sentences.

    Raises:
        InputError: if the sides do not fit each other.
    """
    if scans[0].family != "typed":
        return []
    notes = []
    tables = [connection.table(table) for table in joined.tables]
    types = [db.types_of(table) for table in tables]
    for role in ("value", "id", *ABOUT):
        kinds = [own.get(role, db.NOTHING[0]) for own in types]
        sorts: dict[str, str] = {}
        for kind, side in zip(kinds, joined.sides, strict=True):
            if sort := sort_of(kind):
                sorts.setdefault(sort.removeprefix("whole "), f"{sort} in {side.where}")
        if role != "value" and len(sorts) > 1:
            here, there, *_ = sorts.values()
            stored = f"{ABOUT.get(role, 'the id')} is stored as {here} and as {there}"
            raise InputError(stored, remedy="convert one to the type of the other")
        if role == "value" and _halves_of(joined, scans):
            continue  # DuckDB has no type of 16 bits to round to; they are rounded once they are counted
        coarse, fine = ([place for place, kind in enumerate(kinds) if kind == one] for one in ("FLOAT", "DOUBLE"))
        if not coarse or not fine:
            continue
        if role != "id":
            for place in fine:
                connection.execute(f"ALTER TABLE {joined.tables[place]} ALTER {db.quote(role)} TYPE FLOAT")
            few, many = (listed([joined.sides[place].name for place in places]) for places in (coarse, fine))
            notes += [uneven(few, 32, many, 64)] if role == "value" else []
        elif any(table.filter("id <> trunc(id)").limit(1).fetchall() for table in tables):
            kinds_of_ids = f"the ids of {joined.where} are decimal numbers of 32 and 64 bits, which cannot be matched"
            raise InputError(kinds_of_ids, remedy="store them as text")
    return notes


def _check_kinds(connection: Any, joined: Joined, family: str) -> None:
    """Refuse ids that are texts here and numbers there."""
    kinds: dict[str, Side] = {}
    for table, side in zip(joined.tables, joined.sides, strict=True):
        is_text = "starts_with(id, '\"')" if family == "json" else "typeof(id) = 'VARCHAR'"
        several = connection.sql(f"SELECT DISTINCT {is_text} FROM {table}").fetchall()
        if len(several) > 1:
            raise InputError(f'the ids of {side.where} are texts and numbers; 1 and "1" are not the same id')
        kinds.setdefault("texts" if several[0][0] else "numbers", side)
    if len(kinds) > 1:
        (one, first), (other, second) = kinds.items()
        are = f"the ids of {first.where} are {one} and those of {second.where} are {other}"
        raise InputError(f'{are}; 1 and "1" are not the same id: convert one to the type of the other')


def _disagreements(connection: Any, joined: Joined, roles: Sequence[str]) -> list[str]:
    """Refuse sides that say different things about one example; return what is only to be told.

    Args:
        connection: with the table `met_or_not`, which says of each of these roles whether the sides differ.
        joined: the sides.
        roles: what several of them have.
    """
    notes = []
    columns = {table: connection.table(table).columns for table in joined.tables}
    for role in roles:
        (any_differ,) = db.ask(connection, f"SELECT bool_or({db.quote(DIFFERS + role)}) FROM met_or_not")
        if not any_differ:
            continue
        own = [(table, side) for table, side in zip(joined.tables, joined.sides, strict=True) if role in columns[table]]
        pairs = ((one, other, *_unlike(connection, role, one[0], other[0])) for one, other in combinations(own, 2))
        (_, left), (_, right), many, example = next(pair for pair in pairs if pair[2])
        examples = "1 example" if many == 1 else f"{many:,} examples"
        differ = f"{left.name} and {right.name} disagree about {ABOUT[role]} of {examples}"
        note = f"{differ}, such as id {shown(example)}; {SAME_DATA}"
        if role != "likeness":
            raise InputError(note)
        notes.append(note)
    return notes


def _unlike(connection: Any, role: str, one: str, other: str) -> tuple[int, Any]:
    """Return of how many examples two tables say different things, and the id of one of them."""
    differ = f"l.{db.quote(role)} <> r.{db.quote(role)}"
    many, example = db.ask(
        connection, f"SELECT count(*), min(l.id) FROM {one} l JOIN {other} r USING (id) WHERE {differ}"
    )
    return many, example


def _meet(connection: Any, joined: Joined, policies: Policies) -> tuple[Matched, list[str]]:
    """Join the sides once, and count the joint outcomes of the ids that all have, into the table `met`."""
    known = [connection.table(table).columns for table in joined.tables]
    if joined.sparse and all("check" in columns for columns in known):
        # What was asked is one thing for all, and two sides may share no response.
        asked = [
            connection.sql(f'SELECT DISTINCT "check" FROM {table} ORDER BY 1').fetchall() for table in joined.tables
        ]
        for side, own in zip(joined.sides, asked, strict=True):
            if own != asked[0]:
                where = f"{joined.left.where} and {side.where}"
                raise InputError(f"the texts or the right answers in {where} are not the same; {SAME_DATA}")
    chain, every = _chained(connection, joined)
    terms = {role: term for role, term in every.items() if role in (*SHARED, *joined.roles) or role.startswith(DIFFERS)}
    connection.execute(
        f"CREATE TABLE met_or_not AS SELECT {every[HELD]} = {len(joined.sides)} AS in_all, {db.named(terms)}, "
        f"CAST(count(*) AS BIGINT) AS {db.TIMES} FROM {chain} GROUP BY ALL"
    )
    notes = _disagreements(connection, joined, [role for role in ABOUT if DIFFERS + role in terms])
    times = f"coalesce(sum({db.TIMES}) FILTER (in_all), 0), coalesce(sum({db.TIMES}), 0)"
    both, total = map(int, db.ask(connection, f"SELECT {times} FROM met_or_not"))
    if joined.sparse:
        _check_gold(connection, joined)
        connection.execute("ALTER TABLE met_or_not RENAME TO met")
        return Matched(both=total), notes
    rows = [db.ask(connection, f"SELECT count(*) FROM {table}")[0] for table in joined.tables]
    notes += settle_unmatched(connection, joined, policies, both=both, total=total, rows=rows)
    connection.execute("CREATE TABLE met AS SELECT * FROM met_or_not WHERE in_all")
    return Matched(both, *(own - both for own in rows)) if len(rows) == 2 else Matched(both), notes


def _chained(
    connection: Any, joined: Joined, more: Sequence[str] = (), how: str = "FULL JOIN"
) -> tuple[str, dict[str, str]]:
    """Return the SQL of the joint rows of all sides, and of what they say of an example.

    Of many sides some are joined at a time, and put into a table; the rest of the chain goes on from there.

    Args:
        connection: the database that has the tables of the sides.
        joined: the sides.
        more: the roles that are only shown.
        how: whether examples that a side lacks are left out (`JOIN`).

    Returns:
        The chain of joins, and its terms: the values of the systems; what any side says, by role; whether two sides differ in
        it; and how many sides have the example. A response that a side lacks was not found by it.
    """
    columns = {table: connection.table(table).columns for table in joined.tables}
    systems = dict(zip(joined.tables, joined.roles, strict=True))
    first, *others = joined.tables
    terms = {systems[first]: f"{first}.value", HELD: f"CAST({first}.id IS NOT NULL AS INTEGER)"}
    # What is only shown is text; a side without a text has no type, which DuckDB 1.3 does not mix with another.
    said_by = {
        table: {role: f"{table}.{db.quote(role)}" for role in ABOUT if role in names}
        | {role: f"CAST({table}.{db.quote(role)} AS VARCHAR)" for role in more if role in names}
        for table, names in columns.items()
    }
    terms |= said_by[first]
    while True:
        some, others = others[:AT_ONCE], others[AT_ONCE:]
        joint = {role: term for role, term in terms.items() if role in joined.roles}
        joint |= {systems[table]: f"{table}.value" for table in some}
        joint[HELD] = f"coalesce({terms[HELD]}, 0)"
        joint[HELD] += "".join(f" + CAST({table}.id IS NOT NULL AS INTEGER)" for table in some)
        for role in (*ABOUT, *more):
            said = [own[role] for own in (terms, *(said_by[table] for table in some)) if role in own]
            differ = [f"coalesce({terms[DIFFERS + role]}, false)"] if DIFFERS + role in terms else []
            if role in ABOUT and len(said) > 1:
                every = ", ".join(said)
                unlike = " <> ".join(said) if len(said) == 2 else f"least({every}) <> greatest({every})"
                differ.append(f"coalesce({unlike}, false)")
            joint |= {role: f"coalesce({', '.join(said)})"} if said else {}
            joint |= {DIFFERS + role: " OR ".join(differ)} if differ else {}
        chain = " ".join([first, *(f"{how} {table} USING (id)" for table in some)])
        if not others:
            break
        first, before = f"chained_{len(others)}", first
        connection.execute(f"CREATE TABLE {first} AS SELECT id, {db.named(joint)} FROM {chain}")
        if before not in joined.tables:
            connection.execute(f"DROP TABLE {before}")
        terms = {role: f"{first}.{db.quote(role)}" for role in joint}
    return chain, joint | (
        {role: f"coalesce({joint[role]}, 'false')" for role in joined.roles} if joined.sparse else {}
    )


def _check_gold(connection: Any, joined: Joined) -> None:
    """Refuse responses that the truth of one side has and another's lacks."""
    first, *others = zip(joined.tables, joined.sides, strict=True)
    for (own, side), (other, lacks) in (pair for one in others for pair in ((first, one), (one, first))):
        alone = f"{own} WHERE truth = 'true' AND id NOT IN (SELECT id FROM {other})"
        many, example = db.ask(connection, f"SELECT count(*), min(id) FROM {alone}")
        if many:
            whose = "the other side's" if len(joined.sides) == 2 else f"that of {lacks.where}"
            lacking = f"the truth of {side.where} has {many:,} responses that {whose} lacks"
            raise InputError(f"{lacking}, such as {shown(example)}; {SAME_DATA}")
