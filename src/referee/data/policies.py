"""Policies: what is done with missing values, repeated ids and examples that only one system has. Decided here only.

`settle` treats the rows of one table, once they are grouped; the functions below it treat two tables that DuckDB joins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from referee.data.columns import Ints, Mask, Values, factorize, is_missing, kind, plain
from referee.data.counts import Counts, Matched
from referee.data.engines.base import PLACE, SHOWN, TABLES, Grouped, Joined, Side, check_exact, runs_of
from referee.data.engines.duckdb_sql import ask, quote, types_of
from referee.data.engines.text_files import shown
from referee.data.label_checks import check_kinds, distinct, even_precision, name_remarks, remarks
from referee.data.roles import COUNTED, LABELS, OPTIONS, SIDES, SYSTEMS
from referee.errors import Argument, InputError, Message, one_of

EXAMPLES = 3
"""How many ids a message shows."""
DROP, WRONG = Argument("missing", "drop"), Argument("missing", "wrong")
MEAN, GROUP = Argument("repeats", "mean"), Argument("repeats", "group")


@dataclass(frozen=True, kw_only=True)
class Policies:
    """What to do with what is not as it should be; by default all of it is an error."""

    missing: str = "error"
    repeats: str = "error"
    unmatched: str = "error"

    def __post_init__(self) -> None:
        for field in fields(self):
            one_of(field.name, getattr(self, field.name), OPTIONS[field.name].values)

    @property
    def chosen(self) -> dict[str, str]:
        """The policies that are not as usual."""
        return {name: policy for name, policy in asdict(self).items() if policy != "error"}


def settle(grouped: Grouped, policies: Policies, *, names: Mapping[str, str], positive: Any = None) -> Counts:
    """Apply the policies to grouped rows and make counts of them.

    Args:
        grouped: what an engine found.
        policies: what to do with missing values and repeated ids.
        names: what the systems are called.
        positive: the positive label, where it was named.

    Raises:
        InputError: if the rows are none, or hold what the policies refuse.
    """
    refuse_lacking_ids(grouped.repeats.lacking)
    rows = _weigh(grouped)
    whole = _total(rows.counts)
    if not whole:
        raise InputError("there are no examples: the table has no rows")
    check_kinds(rows, names)
    for role in (*SIDES, "id"):
        if role in rows.columns:
            check_exact(role, rows.columns[role])
    rows, bits, rounding = even_precision(rows, names)
    _check_repeats(rows, policies.repeats)
    rows, filling = _fill(rows, names, policies.missing)
    dropped = whole - _total(rows.counts)
    if not len(rows.counts):
        raise InputError(f"there are no examples left: all {whole} have a missing value and were dropped (", DROP, ")")
    notes = [*grouped.notes, *rounding, *filling, *remarks(rows, names), *name_remarks(rows, names)]
    if rows.repeats.ids:
        rows, note = (_average if policies.repeats == "mean" else _by_id)(rows)
        notes.append(note)
        bits = 64 if policies.repeats == "mean" else bits  # a mean is none of the numbers that were stored
    ordered = {role: rows.columns[role] for role in COUNTED if role in rows.columns}
    matched = replace(grouped.matched, both=_total(rows.counts), dropped=dropped)
    about = {"runs": str(rows.runs)} if rows.runs else {}
    return Counts.of(
        ordered, rows.counts, names=names, positive=positive, matched=matched, notes=notes, about=about, precision=bits
    )


def refuse_lacking_ids(rows: int, where: str = "") -> None:
    """Refuse rows that have no id, in one of two tables or in the only one.

    Raises:
        InputError: if there are any.
    """
    if rows:
        many = f"{rows:,} row{'' if rows == 1 else 's'}"
        of, leave = (f" of {where}", ()) if where else ("", (", or leave ", Argument("id"), " out"))
        raise InputError(
            f"the id is missing in {many}{of}", argument="id", remedy=Message("give every row an id", *leave)
        )


def is_dropped(row: Mapping[str, Any], missing: str) -> bool:
    """Say whether an example is left out for a value that is missing."""
    return missing == "drop" and any(is_missing(plain(value)) for role, value in row.items() if role != "text")


def answer_of_missing(missing: str, with_truth: bool) -> Any:
    """Return what a missing answer counts: a score of 0 where it is wrong and has no truth, else None, which equals no label."""
    return 0 if missing == "wrong" and not with_truth else None


def _total(counts: Ints) -> int:
    return int(counts.sum())


def _weigh(grouped: Grouped) -> Grouped:
    """Multiply the multiplicity column into the counts, and leave out the rows that never occurred."""
    if "multiplicity" not in grouped.columns:
        return grouped
    values = grouped.columns["multiplicity"]
    if "multiplicity" in grouped.missing:
        rows = _total(grouped.counts[grouped.missing["multiplicity"]])
        raise InputError(f"the multiplicity is missing in {rows} rows")
    if len(values) and values.dtype.kind not in "iu":
        raise InputError(f"the multiplicity must be a whole number in every row; the column has {kind(values)}")
    if values.min(initial=0) < 0:
        raise InputError(f"a multiplicity cannot be negative; the smallest is {int(values.min())}")
    if float(values.astype(np.float64) @ grouped.counts) >= 2.0**62:
        raise InputError("the multiplicities add up to more than 64 bits can hold")
    columns = {role: own for role, own in grouped.columns.items() if role != "multiplicity"}
    weighed = replace(grouped, columns=columns, counts=grouped.counts * values.astype(np.int64))
    return _keep(weighed, values > 0)


def _keep(grouped: Grouped, mask: Mask) -> Grouped:
    columns = {role: values[mask] for role, values in grouped.columns.items()}
    missing = {role: gone[mask] for role, gone in grouped.missing.items() if gone[mask].any()}
    return replace(grouped, columns=columns, missing=missing, counts=grouped.counts[mask])


def _check_repeats(rows: Grouped, repeats: str) -> None:
    several = f"{_ids(rows.repeats.ids)} in more than one row, such as {rows.repeats.example!r}"
    if rows.repeats.ids and repeats == "error":
        average = () if "truth" in rows.columns else (", ", MEAN, " averages its scores")
        remedy = Message("if these are repeats, ", GROUP, " keeps the rows of an id together as a group", *average)
        raise InputError(several, argument="repeats", remedy=remedy)
    if rows.repeats.ids and repeats == "mean" and "truth" in rows.columns:
        raise InputError(several, "; labels cannot be averaged", argument="repeats", remedy=Message("use ", GROUP))


def _ids(number: int) -> str:
    return "1 id occurs" if number == 1 else f"{number:,} ids occur"


def _fill(rows: Grouped, names: Mapping[str, str], missing: str) -> tuple[Grouped, list[str]]:
    """Refuse, drop or replace the missing values, and say so."""
    if not rows.missing:
        return rows, []
    times = {role: _total(rows.counts[gone]) for role, gone in rows.missing.items()}
    if missing == "drop":
        gone = np.logical_or.reduce(list(rows.missing.values()))
        number = _total(rows.counts[gone])
        where = ", ".join(f"{names.get(role, role)} {many}" for role, many in times.items())
        has = "1 example with a missing value was" if number == 1 else f"{number} examples with a missing value were"
        return _keep(rows, ~gone), [Message(f"{has} dropped (", DROP, f"): {where}")]
    side = next((role for role in ("truth", *SIDES) if role in times), None)
    if side is not None:
        remedy = Message("fill it in, or leave them out with ", DROP)
        raise InputError(f"{side} is missing in {times[side]} examples", argument=side, remedy=remedy)
    a, b = times.get("a", 0), times.get("b", 0)
    if missing == "error":
        raise _missing_predictions(f"{a} of {names['a']} and {b} of {names['b']}", "these examples")
    replaced = {role: _wrong(rows, role, names) for role in ("a", "b") if role in rows.missing}
    lacking = f"{a} missing predictions of {names['a']} and {b} of {names['b']}"
    note = Message(lacking, " were counted as wrong (", WRONG, ")")
    return replace(rows, columns={**rows.columns, **replaced}, missing={}), [note]


def _missing_predictions(lacking: str, what: str) -> InputError:
    remedy = Message(WRONG, " counts them as wrong, ", DROP, f" leaves {what} out")
    return InputError(f"predictions are missing: {lacking}", argument="missing", remedy=remedy)


def _wrong(rows: Grouped, role: str, names: Mapping[str, str]) -> Values:
    """Return a column of predictions in which the missing ones are wrong."""
    values, gone = rows.columns[role], rows.missing[role]
    truth = rows.columns.get("truth")
    if truth is None:
        if values.dtype.kind == "O":
            reason = f"{names[role]} has text and there is no truth, so a missing prediction cannot be counted as wrong"
            raise InputError(reason, argument="missing", value="wrong", remedy=Message("use ", DROP))
        return np.where(gone, np.zeros(1, values.dtype), values)
    if any(rows.columns[r].dtype.kind == "f" for r in ("a", "b")):
        only = " is only for labels; these are numbers"
        raise InputError(WRONG, only, argument="missing", value="wrong", remedy=Message("use ", DROP))
    labels = [False, True] if truth.dtype.kind == "b" else sorted(set().union(*(distinct(rows, r) for r in LABELS)))
    out = np.where(gone, None, values.astype(object))  # type: ignore[call-overload]
    if len(labels) == 2:
        other = dict(zip(labels, reversed(labels), strict=True))
        out[gone] = [other[label] for label in truth[gone].tolist()]
        out = out.astype(truth.dtype)
    return np.asarray(out)


def _by_id(rows: Grouped) -> tuple[Grouped, str]:
    columns = {("group" if role == "id" else role): values for role, values in rows.columns.items()}
    note = f"{_ids(rows.repeats.ids)} in more than one row; the rows of an id are one group ("
    return replace(rows, columns=columns), Message(note, GROUP, ")")


def _average(rows: Grouped) -> tuple[Grouped, str]:
    """Average the scores of each id, which then is one example."""
    ids, codes = factorize(rows.columns["id"])
    times = np.bincount(codes, weights=rows.counts)
    columns: dict[str, Values] = {}
    for role in SYSTEMS:
        if rows.columns[role].dtype.kind == "O":
            raise InputError(MEAN, " averages numbers; the predictions are text: use ", GROUP, argument="repeats")
        values = rows.columns[role].astype(np.float64) * rows.counts
        # Added in the order of the values, so that neither the order of the rows nor the engine changes the last bit.
        order = np.lexsort((values, codes))
        columns[role] = np.bincount(codes[order], weights=values[order]) / times
    first = np.unique(codes, return_index=True)[1]
    for role in (role for role in SIDES if role in rows.columns):
        columns[role] = rows.columns[role][first]
        odd = columns[role][codes] != rows.columns[role]
        if odd.any():
            example = plain(ids[codes[odd][0]])
            differs = f"the {role} of id {example!r} differs between its rows; "
            raise InputError(differs, MEAN, f" needs one {role} per id", argument="repeats")
    note = Message(f"{_total(rows.counts):,} rows were averaged to {len(ids):,} ids (", MEAN, ")")
    marks = all(np.isin(rows.columns[role], (0, 1)).all() for role in SYSTEMS)
    runs = runs_of(np.unique(times).astype(np.int64).tolist()) if marks else 0
    return Grouped(columns, {}, np.ones(len(ids), np.int64), rows.repeats, runs=runs), note


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
            several = f"{_ids(many)} in more than one row of {side.where}, such as {shown(example)}"
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
    own = "count(*)" if policies.missing == "wrong" else "count(value)"
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
    if gone and missing == "error":
        raise _missing_predictions(f"{gone} of {side.name}", "them")
    others = [name for name in types if name not in ("id", "value", "repeat")]
    for name in (one for one in others if one not in ("likeness", PLACE, *SHOWN)):
        several = f"SELECT id FROM {table} GROUP BY id HAVING count(DISTINCT {quote(name)}) > 1"
        (wrong,) = ask(connection, f"SELECT min(id) FROM ({several})")
        if wrong is not None:
            raise InputError(f"the {name} of id {shown(wrong)} differs between its rows in {side.where}")
    value = "coalesce(CAST(value AS DOUBLE), 0)" if missing == "wrong" else "CAST(value AS DOUBLE)"
    kept = "".join(f", min({quote(name)}) AS {quote(name)}" for name in others)
    kind_of_mean = "VARCHAR" if types["value"] == "VARCHAR" else "DOUBLE"
    # In the order of the values, so that the order of the rows does not change the last bit.
    mean = f"CAST(list_sum(list_sort(list({value}))) / count({value}) AS {kind_of_mean})"
    averaged = f"SELECT id, {mean} AS value{kept} FROM {table} GROUP BY id"
    connection.execute(f"CREATE OR REPLACE TABLE {table} AS {averaged}")
    ids = ask(connection, f"SELECT count(*) FROM {table}")[0]
    if total == ids and not gone:
        return ""
    left = f"; {gone:,} without a value were {'counted as wrong' if missing == 'wrong' else 'left out'}" if gone else ""
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
