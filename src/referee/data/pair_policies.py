"""Policies for two tables that DuckDB joins: repeated ids, and examples that only one system has."""

from __future__ import annotations

from typing import Any

from referee.data.counts import Matched
from referee.data.engines.base import PLACE, SHOWN, TABLES, Joined, Side, runs_of
from referee.data.engines.duckdb_sql import ask, quote, types_of
from referee.data.engines.text_files import shown
from referee.data.policies import GROUP, MEAN, MISSING, Policies, missing_predictions, occur
from referee.data.roles import OPTIONS
from referee.errors import Argument, InputError, Message

EXAMPLES = 3
"""How many ids a message shows."""


def settle_repeats(connection: Any, joined: Joined, policies: Policies) -> list[str]:
    """Make the ids of two tables unique, or refuse them; return what was done.

    Args:
        connection: the database that has the rows of both sides, in `TABLES`.
        joined: the two sides.
        policies: "mean": the values of an id are averaged; "group": its rows meet in order, and are a group.

    Raises:
        InputError: if ids repeat, and nothing says what that means.
    """
    repeat, sides = False, list(zip(TABLES, joined.sides, strict=True))
    for table, side in sides:
        several = f"SELECT id FROM {table} GROUP BY id HAVING count(*) > 1"
        many, example = ask(connection, f"SELECT count(*), min(id) FROM ({several})")
        if many and policies.repeats == "error":
            how = (MEAN, " averages the scores of an id, and ", GROUP, " keeps its rows together as a group")
            several = f"{occur(many)} in more than one row of {side.where}, such as {shown(example)}"
            raise InputError(several, argument="repeats", remedy=Message("if these are repeats, ", *how))
        repeat = repeat or many > 0
    if not repeat:
        return []
    if policies.repeats == "group":
        return [_number(connection, joined)]
    return [note for table, side in sides if (note := _average_side(connection, table, side, policies.missing))]


def runs_to_average(connection: Any, policies: Policies) -> int:
    """Return of how many runs, each right or wrong, the scores of both sides are going to be the means; 0 where they are not."""
    if policies.repeats != "mean":
        return 0
    own = "count(value)" if MISSING[policies.missing].score is None else "count(*)"
    marks = "coalesce(bool_and(value IS NULL OR coalesce(TRY_CAST(value AS DOUBLE) IN (0, 1), false)), true)"
    each = " UNION ".join(f"(SELECT {own} AS many, {marks} AS marks FROM {table} GROUP BY id)" for table in TABLES)
    times = connection.sql(each).fetchall()
    return runs_of({int(many) for many, _ in times} - {0}) if all(right for _, right in times) else 0


def _number(connection: Any, joined: Joined) -> str:
    """Give the rows of an id numbers, by which they meet; the id becomes the group."""
    for table in TABLES:
        columns = connection.table(table).columns
        number = "repeat" if "repeat" in columns else "row_number() OVER (PARTITION BY id ORDER BY rowid)"
        others = ", ".join(quote(name) for name in columns if name not in ("id", "group", "repeat"))
        numbered = f"id || ' #' || {number} AS id, id AS {quote('group')}"
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
    score = MISSING[missing].score
    if gone and score is None and not MISSING[missing].drops:
        raise missing_predictions(f"{gone} of {side.name}", averaged=True)
    others = [name for name in types if name not in ("id", "value", "repeat")]
    for name in (one for one in others if one not in ("likeness", PLACE, *SHOWN)):
        several = f"SELECT id FROM {table} GROUP BY id HAVING count(DISTINCT {quote(name)}) > 1"
        (wrong,) = ask(connection, f"SELECT min(id) FROM ({several})")
        if wrong is not None:
            raise InputError(f"the {name} of id {shown(wrong)} differs between its rows in {side.where}")
    value = "CAST(value AS DOUBLE)" if score is None else f"coalesce(CAST(value AS DOUBLE), {score})"
    kept = "".join(f", min({quote(name)}) AS {quote(name)}" for name in others)
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


def settle_unmatched(connection: Any, joined: Joined, policies: Policies, matched: Matched) -> list[str]:
    """Refuse two sides of which one lacks examples, or say what of those that are left out looks odd.

    Args:
        connection: the database that has the rows of both sides, in `TABLES`.
        joined: the two sides.
        policies: whether examples that one side lacks are an error, or left out.
        matched: how many examples both sides have, and each alone.

    Raises:
        InputError: if no id is in both, or one side lacks some and they are not to be left out.
    """
    left, right = (side.where for side in joined.sides)
    both, a_only, b_only = matched.both, matched.a_only, matched.b_only
    if not both:
        ours, theirs = (shown(ask(connection, f"SELECT min(id) FROM {table}")[0]) for table in TABLES)
        look = f"their ids look like {ours} and {theirs}{_same_look(connection)}"
        raise InputError(f"{left} and {right} have no id in common; {look}")
    refused, unmatched = (a_only or b_only) and policies.unmatched == "error", Argument("unmatched", "drop")
    if refused and joined.ordered:
        rows = f"{left} has {both + a_only:,} rows and {right} {both + b_only:,}"
        raise InputError(f"{rows}; files that are paired by line must be equally long")
    if refused:
        ids = f"{a_only:,} id{' is' if a_only == 1 else 's are'} only in {left}{_examples(connection, 0)}"
        others = f" and {b_only:,} only in {right}{_examples(connection, 1)}{_same_look(connection)}"
        raise InputError(ids, others, argument="unmatched", remedy=Message(unmatched, " leaves them out"))
    alike = _same_look(connection) if a_only and b_only else ""
    return [Message("ids were left out (", unmatched, f"){alike}")] if alike else []


def _alone(side: int) -> str:
    """Return the SQL of the ids that only one side has."""
    return f"SELECT id FROM {TABLES[side]} WHERE id NOT IN (SELECT id FROM {TABLES[1 - side]})"


def _examples(connection: Any, side: int) -> str:
    """Return the first ids that only one side has, in brackets."""
    ids = connection.sql(f"{_alone(side)} ORDER BY id LIMIT {EXAMPLES}").fetchall()
    return f" ({', '.join(shown(one) for (one,) in ids)}{', ...' if len(ids) == EXAMPLES else ''})" if ids else ""


def _same_look(connection: Any) -> str:
    """Say how many ids that met nothing look like one that met nothing on the other side."""
    if any(types_of(connection.table(table))["id"] != "VARCHAR" for table in TABLES):
        return ""
    left, right = (f"(SELECT nfc_normalize(id) AS id FROM ({_alone(side)}))" for side in (0, 1))
    (many,) = ask(connection, f"SELECT count(*) FROM {left} l JOIN {right} r ON l.id = r.id")
    if not many:
        return ""
    return f"; {many:,} of them look the same on both sides, but are written with different characters (Unicode NFC and NFD)"
