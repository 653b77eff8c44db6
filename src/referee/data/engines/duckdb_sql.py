"""Counting by SQL: one GROUP BY in DuckDB, whatever the rows come from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from referee.data.engines.base import LABELS, Column, Grouped, Repeats, column, no_id, refuse_inexact
from referee.errors import InputError, unknown

INTEGERS = {*(f"{u}{size}INT" for u in ("", "U") for size in ("TINY", "SMALL", "BIG", "HUGE")), "INTEGER", "UINTEGER"}
AS_IS = {"BOOLEAN", "VARCHAR", "FLOAT", "DOUBLE", "HUGEINT", *INTEGERS} - {"UHUGEINT"}
DIGITS = {"FLOAT": 24, "DOUBLE": 53}
"""How many binary digits a float has."""
AS_TEXT = ("ENUM", "DATE", "TIME", "UUID", "JSON", "INTERVAL")
TIMES = "referee_times"
STEP, MOST = 1_000, 1_000_000
"""How many rows are fetched at a time where it is not known how many are needed: at first, and at last."""


def quote(name: str) -> str:
    """Return a column name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


@contextmanager
def explained(where: str) -> Iterator[None]:
    """Turn what DuckDB raises into an InputError of one line."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise InputError(_brief(str(error), where)) from error


def _brief(message: str, where: str) -> str:
    found = re.search(r"file = (.+)", message)
    line = re.search(r"CSV Error on Line: (\d+)\n(.*?)\n\s*Possible", message, re.DOTALL)
    if line:
        # The line itself may have line breaks in it; the trouble is told last.
        *original, what = [text for text in line[2].splitlines() if text.strip()]
        shown = f" ({original[0].removeprefix('Original Line: ')[:60]!r})" if original else ""
        what = re.sub(
            r"Expected Number of Columns: (\d+) Found: (\d+)", r"\1 columns expected, \2 found", what.rstrip(".")
        )
        return f"cannot read {found[1].strip() if found else where}: line {line[1]}{shown}: {what}"
    first = next((text.strip() for text in message.splitlines() if text.strip()), "unknown trouble")
    first = re.sub(r"^[A-Z][\w ]*Error: ", "", first)[:300].rstrip(". ")
    hint = "; are its line ends all of one sort?" if "state machine" in message else ""
    return f"cannot read {found[1].strip() if found else where}: {first}{hint}"


def typed(relation: Any, roles: Mapping[str, str]) -> dict[str, str]:
    """Return for each role the SQL of its column, as a type that can be counted.

    Raises:
        InputError: where a column holds lists or structures.
    """
    types = dict(zip(relation.columns, map(str, relation.types), strict=True))
    for name in roles.values():
        if name not in types:
            raise unknown("column", name, types)
    return {role: as_typed(quote(name), types[name], name) for role, name in roles.items()}


def as_typed(term: str, kind: str, name: str) -> str:
    """Return the SQL of a column as a type that can be counted, without loss.

    Args:
        term: the SQL of the column.
        kind: its type.
        name: what it is called.

    Raises:
        InputError: where it holds lists or structures.
    """
    upper = kind.upper()
    if upper in AS_IS:
        return term
    if upper == "UHUGEINT" or (upper.startswith("DECIMAL") and upper.endswith(",0)")):
        return f"CAST({term} AS HUGEINT)"
    if upper.startswith("DECIMAL") and not upper.endswith("]"):
        return term
    if upper.startswith(AS_TEXT) and not upper.endswith("]"):
        return f"CAST({term} AS VARCHAR)"
    if upper in ('"NULL"', "NULL"):
        return f"CAST({term} AS INTEGER)"
    raise InputError(f"{name} holds {kind}; a label or a number is needed")


def fetched(rows: Any) -> dict[str, Any]:
    """Fetch rows by role. What numpy has no type for becomes one that holds it: in a system's column, if need be, a float.

    Args:
        rows: a relation with a column for each role.
    """
    types = dict(zip(rows.columns, map(str, rows.types), strict=True))
    wide = {name: kind for name, kind in types.items() if kind == "HUGEINT" or kind.startswith("DECIMAL")}
    if not wide:
        found: dict[str, Any] = rows.fetchnumpy()
        return found
    narrow = {name: "BIGINT" if kind == "HUGEINT" else "DOUBLE" for name, kind in wide.items()}
    terms = {
        name: (quote(name), f"TRY_CAST(TRY_CAST({quote(name)} AS {narrow[name]}) AS {wide[name]})") for name in wide
    }
    fits = ", ".join(f"bool_and(coalesce({there} = {term}, {term} IS NULL))" for term, there in terms.values())
    for name, answer in zip(wide, rows.aggregate(fits).fetchall()[0], strict=True):
        if answer is False:
            narrow[name] = "DOUBLE" if name in LABELS else "VARCHAR"
    chosen = [
        f"CAST({quote(name)} AS {narrow[name]}) AS {quote(name)}" if name in wide else quote(name) for name in types
    ]
    fitted: dict[str, Any] = rows.project(", ".join(chosen)).fetchnumpy()
    return fitted


def read(relation: Any, roles: Mapping[str, str], keep_ids: bool) -> Grouped:
    """Count the rows of a DuckDB relation, in the connection that it belongs to.

    Raises:
        InputError: where the query fails or a column holds lists or structures.
    """
    with explained("the relation"):
        rows, repeats = tabulate(relation, typed(relation, roles), keep_ids)
        raw = fetched(rows)
    return assemble({role: column(values, role) for role, values in raw.items()}, repeats)


def differing(relation: Any, roles: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a DuckDB relation on which a and b differ, in their order.

    Raises:
        InputError: where the query fails.
    """
    terms = typed(relation, {role: name for role, name in roles.items() if role != "text"})
    if "text" in roles:
        terms["text"] = f"CAST({quote(roles['text'])} AS VARCHAR)"
    chosen = ", ".join(f"{term} AS {quote(role)}" for role, term in terms.items())
    found = relation.filter(f"{terms['a']} IS DISTINCT FROM {terms['b']}").project(chosen)
    start, size = 0, STEP
    while True:
        with explained("the relation"):
            rows = found.limit(size, start).fetchall()
        yield from (dict(zip(terms, row, strict=True)) for row in rows)
        if len(rows) < size:
            return
        start, size = start + size, min(size * 10, MOST)


def assemble(columns: dict[str, Column], repeats: Repeats) -> Grouped:
    """Put together what `tabulate` found, once its columns are typed."""
    counts = columns.pop(TIMES)[0].astype(np.int64)
    return Grouped.of(columns, counts, repeats)


def tabulate(relation: Any, terms: Mapping[str, str], keep_ids: bool) -> tuple[Any, Repeats]:
    """Group a relation by terms.

    Args:
        relation: a DuckDB relation.
        terms: role to the SQL of its value.
        keep_ids: whether repeated ids are handed on (else they are only counted).

    Returns:
        a relation with the columns by role and their `TIMES`, and what is known of the ids.
    """
    rows = _grouped(relation, terms, "count(*)")
    if "id" not in terms:
        return rows, Repeats()
    repeats = _repeats(rows)
    if keep_ids and repeats.ids:
        return rows, repeats
    return _grouped(rows, {role: quote(role) for role in terms if role != "id"}, f"sum({TIMES})"), repeats


def _grouped(relation: Any, terms: Mapping[str, str], times: str) -> Any:
    shown = ", ".join(f"{term} AS {quote(role)}" for role, term in terms.items())
    return relation.aggregate(f"{shown}, CAST({times} AS BIGINT) AS {TIMES}", ", ".join(dict.fromkeys(terms.values())))


def _repeats(rows: Any) -> Repeats:
    missing = rows.filter('"id" IS NULL').aggregate(f"CAST(coalesce(sum({TIMES}), 0) AS BIGINT)").fetchall()[0][0]
    if missing:
        raise no_id(int(missing))
    check_exact_ids(rows, "id")
    ids = rows.aggregate(f'"id", sum({TIMES}) AS many', '"id"').filter("many > 1")
    number, example = ids.aggregate('count(*), min("id")').fetchall()[0]
    return Repeats(int(number), str(example)) if number else Repeats()


def check_exact_ids(rows: Any, what: str) -> None:
    """Refuse ids that are floats too large to tell whole numbers apart.

    Args:
        rows: a relation with the column "id".
        what: what the ids are called in messages.

    Raises:
        InputError: where there is one.
    """
    kind = str(dict(zip(rows.columns, rows.types, strict=True))["id"])
    if kind in DIGITS:
        refuse_inexact(what, rows.aggregate('max(abs("id"))').fetchall()[0][0], DIGITS[kind])
