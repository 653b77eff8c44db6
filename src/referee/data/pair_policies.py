"""Policies for tables that DuckDB joins: repeated ids, and examples that not every system has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from referee.data.engines.base import PLACE, RESPONSE, SHOWN, Joined, Side, runs_of
from referee.data.engines.duckdb_sql import ask, quote, types_of
from referee.data.engines.tables import FILE_NAME
from referee.data.engines.text_files import shown
from referee.data.policies import GROUP, MEAN, Policies, missing_predictions, occur
from referee.data.policy_values import MISSING
from referee.data.roles import OPTIONS
from referee.data.value_text import listed
from referee.errors import Argument, InputError, Message, NotReady

EXAMPLES = 3
"""How many ids a message shows."""
UNMET = "unmet"
"""The table of the ids that not every side has."""


def settle_repeats(connection: Any, joined: Joined, policies: Policies) -> list[str]:
    """Make the ids of each table unique, or refuse them; return what was done.

    Args:
        connection: the database that has the rows of the sides, in their tables.
        joined: the sides.
        policies: "mean": the values of an id are averaged; "group": its rows meet in order, and are a group.

    Raises:
        InputError: if ids repeat, and nothing says what that means.
    """
    repeat, sides = False, list(zip(joined.tables, joined.sides, strict=True))
    for table, side in sides:
        several = f"SELECT id FROM {table} GROUP BY id HAVING count(*) > 1"
        many, example = ask(connection, f"SELECT count(*), min(id) FROM ({several})")
        if many and policies.repeats == "error":
            how = (MEAN, " averages the scores of an id, and ", GROUP, " keeps its rows together as a group")
            several = f"{occur(many)} in more than one row of {side.where}, such as {shown(example)}"
            seeds = ""
            if len(side.files) > 1 and "id" in side.columns:
                crossed = Argument("group", side.columns["id"]), " ", Argument("group", FILE_NAME)
                seeds = Message(
                    "; if each file is a training with another seed, give ", *crossed, " in place of ", Argument("id")
                )
            remedy = Message("if these are repeats, ", *how, seeds)
            raise InputError(several, argument="repeats", remedy=remedy)
        repeat = repeat or many > 0
    if not repeat:
        return []
    if policies.repeats == "group":
        return [_number(connection, joined)]
    return [note for table, side in sides if (note := _average_side(connection, table, side, policies.missing))]


def runs_to_average(connection: Any, joined: Joined, policies: Policies) -> int:
    """Return of how many runs, each right or wrong, the scores of all sides are going to be the means; 0 where they are not."""
    if policies.repeats != "mean":
        return 0
    own = "count(value)" if MISSING[policies.missing].counts is None else "count(*)"
    marks = "coalesce(bool_and(value IS NULL OR coalesce(TRY_CAST(value AS DOUBLE) IN (0, 1), false)), true)"
    each = " UNION ".join(
        f"(SELECT {own} AS many, {marks} AS marks FROM {table} GROUP BY id)" for table in joined.tables
    )
    times = connection.sql(each).fetchall()
    return runs_of({int(many) for many, _ in times} - {0}) if all(right for _, right in times) else 0


def _number(connection: Any, joined: Joined) -> str:
    """Give the rows of an id numbers, by which they meet; the id becomes the group."""
    for table in joined.tables:
        columns = connection.table(table).columns
        number = "repeat" if "repeat" in columns else "row_number() OVER (PARTITION BY id ORDER BY rowid)"
        # The rows of two crossed groups have theirs.
        own = () if "crossed" in columns else ("group",)
        others = ", ".join(quote(name) for name in columns if name not in ("id", *own, "repeat"))
        numbered = f"id || ' #' || {number} AS id" + "".join(f", id AS {quote(name)}" for name in own)
        connection.execute(f"CREATE OR REPLACE TABLE {table} AS SELECT {numbered}, {others} FROM {table}")
    how = "by their numbers" if "repeat" in joined.left.columns else "in their order"
    paired = f"the rows of an id were paired {how} and are one group ("
    return Message("ids occur in more than one row; ", paired, GROUP, ")")


def _average_side(connection: Any, table: str, side: Side, missing: str) -> str:
    """Average the values of each id of one side; return what was done.

    Raises:
        InputError: if they are not numbers, or one is missing and nothing says what it counts.
    """
    types = types_of(connection.table(table))
    texts = "count(value) FILTER (TRY_CAST(value AS DOUBLE) IS NULL)"
    odd, gone, total = ask(connection, f"SELECT {texts}, count(*) - count(value), count(*) FROM {table}")
    if odd:
        raise InputError(MEAN, f" averages numbers, and {side.where} has text; use ", GROUP, argument="repeats")
    score = MISSING[missing].counts
    if gone and score is None and not MISSING[missing].drops:
        raise missing_predictions(f"{gone} of {side.name}", averaged=True)
    others = [name for name in types if name not in ("id", "value", "repeat")]
    for name in (one for one in others if one not in ("likeness", PLACE, *SHOWN)):
        several = f"SELECT id FROM {table} GROUP BY id HAVING count(DISTINCT {quote(name)}) > 1"
        (wrong,) = ask(connection, f"SELECT min(id) FROM ({several})")
        if wrong is not None:
            raise InputError(f"the {name} of id {shown(wrong)} differs between its rows in {side.where}")
    value = "CAST(value AS DOUBLE)" if score is None else f"coalesce(CAST(value AS DOUBLE), {score})"
    kept = "".join(
        f", CASE WHEN count(*) = 1 OR {name != RESPONSE} THEN min({quote(name)}) END AS {quote(name)}"
        for name in others
    )  # no response is that of a mean
    kind_of_mean = "VARCHAR" if types["value"] == "VARCHAR" else "DOUBLE"
    # In the order of the values, so that the order of the rows does not change the last bit.
    mean = f"CAST(list_sum(list_sort(list({value}))) / count({value}) AS {kind_of_mean})"
    averaged = f"SELECT id, {mean} AS value{kept} FROM {table} GROUP BY id"
    connection.execute(f"CREATE OR REPLACE TABLE {table} AS {averaged}")
    ids = ask(connection, f"SELECT count(*) FROM {table}")[0]
    if total == ids and not gone:
        return ""
    became = "left out" if score is None else f"counted as {OPTIONS['missing'].values[missing].label}"
    left = f"; {gone:,} without a value were {became}" if gone else ""
    return Message(f"{total:,} rows of {side.name} were averaged to {ids:,} ids (", MEAN, f"){left}")


def settle_unmatched(
    connection: Any, joined: Joined, policies: Policies, *, both: int, total: int, rows: Sequence[int]
) -> list[str]:
    """Refuse sides of which one lacks examples, or say what of those that are left out looks odd.

    Args:
        connection: the database that has the rows of the sides, in their tables.
        joined: the sides.
        policies: whether examples that one side lacks are an error, or left out.
        both: how many examples all sides have.
        total: how many at least one has.
        rows: how many each has.

    Raises:
        InputError: if no id is in all, or one side lacks some and they are not to be left out.
    """
    if both == total:
        return []
    each = " UNION ALL ".join(f"SELECT id FROM {table}" for table in joined.tables)
    several = f"SELECT id FROM ({each}) GROUP BY id HAVING count(*) < {len(rows)}"
    connection.execute(f"CREATE TABLE {UNMET} AS {several}")
    (left, right, *others), drop = joined.sides, Argument("unmatched", "drop")
    lacking = [place for place, own in enumerate(rows) if own < total]
    if not both:
        place = next((place for place in lacking if place and _are_strangers(connection, joined, place)), None)
        if place is None:
            raise NotReady(f"no id is in all {len(rows)} systems: {_lacks(connection, joined, rows, total)}")
        ours, theirs = (shown(ask(connection, f"SELECT min(id) FROM {joined.tables[one]}")[0]) for one in (0, place))
        look = f"their ids look like {ours} and {theirs}{_same_look(connection, joined, [place])}{_renumber(joined)}"
        raise NotReady(f"{left.where} and {joined.sides[place].where} have no id in common; {look}")
    refused = policies.unmatched == "error"
    if refused and joined.ordered:
        odd = next((place for place, own in enumerate(rows) if own != rows[0]), 1)
        many = f"{left.where} has {rows[0]:,} rows and {joined.sides[odd].where} {rows[odd]:,}"
        raise NotReady(f"{many}; files that are paired by line must be equally long")
    if refused and others:
        told = f"not every system has every example: {_lacks(connection, joined, rows, total)}"
        alike = _same_look(connection, joined, lacking)
        raise NotReady(told, alike, argument="unmatched", remedy=Message(drop, " leaves such examples out"))
    if refused:
        a_only, b_only = (own - both for own in rows)
        ids = f"{a_only:,} id{' is' if a_only == 1 else 's are'} only in {left.where}{_examples(connection, joined, 1)}"
        more = f" and {b_only:,} only in {right.where}{_examples(connection, joined, 0)}"
        same = _same_look(connection, joined, [1])
        raise NotReady(
            ids, more, same, _renumber(joined), argument="unmatched", remedy=Message(drop, " leaves them out")
        )
    alike = _same_look(connection, joined, lacking) if len(lacking) > 1 else ""
    if others:
        left_out = "1 example that not every system has was" if total - both == 1 else ""
        left_out = left_out or f"{total - both:,} examples that not every system has were"
        return [Message(f"{left_out} left out (", drop, f"){alike}")]
    return [Message("ids were left out (", drop, f"){alike}")] if alike else []


def _renumber(joined: Joined) -> str:
    """Say how runs meet that are known by two crossed groups, such as the question and the seed."""
    if not joined.left.has_pairs:
        return ""
    second = joined.left.columns["crossed"]
    return f"; rows meet by both groups, so give the runs of all systems the same values of {second}, such as 1, 2, 3"


def _lacks(connection: Any, joined: Joined, rows: Sequence[int], total: int) -> str:
    """Say how many ids each side lacks, of those that one has, and which."""
    lacking = [(place, total - own) for place, own in enumerate(rows) if own < total]
    parts = [
        f"{joined.sides[place].where} lacks {'1 id' if many == 1 else f'{many:,} ids'}{_examples(connection, joined, place)}"
        for place, many in lacking[:EXAMPLES]
    ]
    return listed([*parts, *("" for _ in lacking[EXAMPLES:])], EXAMPLES)


def _are_strangers(connection: Any, joined: Joined, place: int) -> bool:
    """Say whether a side has no id in common with the first."""
    common = f"SELECT 1 FROM {joined.tables[0]} WHERE id IN (SELECT id FROM {joined.tables[place]}) LIMIT 1"
    return not connection.sql(common).fetchall()


def _lacked(joined: Joined, place: int, has: str = "NOT IN") -> str:
    """Return the SQL of the ids that a side lacks; with `IN`, of those that it has and another lacks."""
    return f"SELECT id FROM {UNMET} WHERE id {has} (SELECT id FROM {joined.tables[place]})"


def _examples(connection: Any, joined: Joined, place: int) -> str:
    """Return the first ids that a side lacks, in brackets."""
    ids = connection.sql(f"{_lacked(joined, place)} ORDER BY id LIMIT {EXAMPLES}").fetchall()
    return f" ({', '.join(shown(one) for (one,) in ids)}{', ...' if len(ids) == EXAMPLES else ''})" if ids else ""


def _same_look(connection: Any, joined: Joined, places: Sequence[int]) -> str:
    """Say how many ids that a side lacks look like one that it has and another lacks."""
    if any(types_of(connection.table(table))["id"] != "VARCHAR" for table in joined.tables):
        return ""
    for place in places:
        one, other = (
            f"(SELECT nfc_normalize(id) AS id FROM ({_lacked(joined, place, has)}))" for has in ("NOT IN", "IN")
        )
        (many,) = ask(connection, f"SELECT count(*) FROM {one} l JOIN {other} r ON l.id = r.id")
        if many:
            sides = "on both sides" if len(joined.sides) == 2 else f"as ids of {joined.sides[place].name}"
            characters = "but are written with different characters (Unicode NFC and NFD)"
            return f"; {many:,} of them look the same {sides}, {characters}"
    return ""
