"""What the text of a CSV means: CSV has no types, so they are read off the distinct rows, for truth and predictions together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.data.engines.duckdb_sql import TIMES, literal, quote

# Numbers as programs write them. "007" and "+1" are text: as numbers they would be one label with "7" and "1".
WHOLE = r"0|-?[1-9][0-9]{0,17}"
NUMBER = r"-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|-?([iI]nf|INF|[iI]nfinity)"
GAPS = ("NA", "NaN", "nan", "null", "NULL", "None")
SQL_TYPES = {"whole": "BIGINT", "number": "DOUBLE"}


def interpret(rows: Any) -> dict[str, str]:
    """Return for each role of grouped text the SQL that gives it its type.

    Truth, a and b are whole numbers where all their values are written so, numbers where all are numbers, else text; a
    and b always together. Truth goes with them, except where it has labels of its own ("yes") and they are numbers, or
    where they are scores. "true" and "false" are text, and so are group, stratum, slice and id: "007" stays "007". Blanks
    are kept. An empty cell is missing; NA, NaN, nan, null, NULL and None are missing only in a column whose other values
    are all numbers, and are labels elsewhere.

    Args:
        rows: a DuckDB relation with a text column for each role.
    """
    roles = [role for role in rows.columns if role != TIMES]
    kinds = {role: _kind(rows, role) for role in roles if role in ("truth", "a", "b", "multiplicity")}
    wanted = settle(kinds, _shares(rows) if kinds.get("truth") == "text" else False)
    return {role: _typed(quote(role), wanted.get(role, "text")) for role in roles}


def settle(kinds: Mapping[str, str], shared: bool) -> dict[str, str]:
    """Decide what the columns are read as, from what each would be alone.

    Args:
        kinds: role to "whole", "number", "text", or "" where the column has no value.
        shared: whether truth and the predictions have a label in common.
    """
    found = {kinds["a"], kinds["b"]}
    together = next((kind for kind in ("text", "number", "whole") if kind in found), "")
    truth = kinds.get("truth", "")
    if truth and together:
        if (together == "text" and truth != "text") or (truth == "text" and together == "whole" and shared):
            truth = together = "text"
        elif "text" not in (truth, together):
            truth = "number" if "number" in (truth, together) else "whole"
    return {**kinds, "truth": truth, "a": together, "b": together}


def _listed() -> str:
    return f"({', '.join(map(literal, GAPS))})"


def _kind(rows: Any, role: str) -> str:
    name = quote(role)
    real = f"FILTER ({name} NOT IN {_listed()})"
    tests = ", ".join(f"bool_and(regexp_full_match({name}, {literal(form)})) {real}" for form in (WHOLE, NUMBER))
    present, whole, number = rows.aggregate(f"count({name}), {tests}").fetchall()[0]
    if not present:
        return ""
    return "whole" if whole else "number" if number else "text"


def _shares(rows: Any) -> bool:
    truth = rows.project("truth AS label")
    predicted = rows.project("a AS label").union(rows.project("b AS label"))
    return len(truth.intersect(predicted).filter("label IS NOT NULL").limit(1).fetchall()) > 0


def _typed(term: str, kind: str) -> str:
    if kind not in SQL_TYPES:
        return term
    return f"CAST(CASE WHEN {term} IN {_listed()} THEN NULL ELSE {term} END AS {SQL_TYPES[kind]})"
