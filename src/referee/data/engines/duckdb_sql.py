"""DuckDB: opening and querying it, and counting the rows of a relation, or of a scan of files, by one GROUP BY."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from referee.data.columns import PRECISIONS
from referee.data.engines.base import Column, Grouped, Repeats, column, refuse_inexact
from referee.data.roles import check_columns, labels_among
from referee.errors import InputError, NotReady, refusal
from referee.runtime.progress import following

INTEGERS = {*(f"{u}{size}INT" for u in ("", "U") for size in ("TINY", "SMALL", "BIG", "HUGE")), "INTEGER", "UINTEGER"}
AS_IS = {"BOOLEAN", "VARCHAR", "FLOAT", "DOUBLE", *INTEGERS}
NOTHING = ('"NULL"', "NULL")
"""What DuckDB calls the type of a column that has no value."""
DIGITS = {"FLOAT": 24, "DOUBLE": 53}
"""How many binary digits a float has."""
AS_TEXT = ("ENUM", "DATE", "TIME", "UUID", "JSON", "INTERVAL")
TEXT_LISTS = re.compile(r"VARCHAR\[\d*\]")
"""The types of lists of texts, such as labels, which are counted as JSON."""
TIMES = "referee_times"
STEP, MOST = 1_000, 1_000_000
"""How many rows are fetched at a time where it is not known how many are needed: at first, and at last."""
MEMORY = "REFEREE_DUCKDB_MEMORY"
"""The environment variable that says how much memory DuckDB may take, such as 2GB; by default, what DuckDB thinks right."""

Decoder: TypeAlias = Callable[[Any, Any, Mapping[str, str]], "dict[str, Column]"]
"""Makes typed columns of grouped rows: of the connection, a relation with a column for each role and `TIMES`, and what the
roles are called in messages."""


@dataclass(frozen=True)
class Scan:
    """Rows of files to be read: a query, and the SQL of each column that is wanted of it."""

    sql: str
    terms: Mapping[str, str]
    """Role to the SQL of its value: text as the format writes it, or a type of its own."""
    decode: Decoder
    family: str
    """Formats of one family write equal values alike, so that their ids can be compared."""
    notes: tuple[str, ...] = ()
    """What was done to make the files fit each other, in sentences."""
    halves: frozenset[str] = frozenset()
    """The roles whose values were stored with 16 bits, which DuckDB widens."""


def quote(name: str) -> str:
    """Return a column name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def named(terms: Mapping[str, str]) -> str:
    """Return what SELECT is to yield: terms under the names of their roles."""
    return ", ".join(f"{term} AS {quote(role)}" for role, term in terms.items())


def listed(paths: Iterable[Path]) -> str:
    """Return the paths as an SQL list, each taken as it is."""
    return "[" + ", ".join(literal(escaped(path)) for path in paths) + "]"


def spelt(path: Path) -> str:
    """Return a path as DuckDB takes it for a file: a ~ at its beginning would be the home of the user."""
    name = os.fspath(path)
    return os.path.join(os.curdir, name) if name.startswith("~") else name  # noqa: PTH118 - a Path drops the dot


def escaped(path: Path) -> str:
    """Return a path as a pattern that matches it alone: a * in a file's name is none."""
    return re.sub(r"[*?\[]", r"[\g<0>]", spelt(path))


@contextmanager
def connected(paths: Iterable[Path] = (), memory: str | None = None) -> Iterator[Any]:
    """Give a database of its own, which writes to a folder what memory does not hold, and leaves nothing there.

    Args:
        paths: the files that it may read; no others, and nothing over a network.
        memory: how much memory it may take, such as "1GB"; if left out, what the environment says (`REFEREE_DUCKDB_MEMORY`).

    Raises:
        OptionError: if the environment says something else than an amount of memory.
    """
    import duckdb

    with tempfile.TemporaryDirectory(prefix="referee-") as folder, duckdb.connect() as connection:
        connection.execute(f"SET temp_directory = {literal(folder)}")
        # DuckDB knows how far it is only where its own bar is on, which then must not print.
        connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
        most = memory or os.environ.get(MEMORY)
        try:
            if most:
                connection.execute(f"SET memory_limit = {literal(most)}")
        except duckdb.Error as error:
            raise refusal(MEMORY, "must be an amount of memory, such as 2GB", most, MEMORY) from error
        # All doors but those to the files are closed: a file may not say which others are read, nor load code. A name with
        # a sign of patterns in it is asked for by a pattern that only it matches, and both have to be allowed.
        allowed = dict.fromkeys(name for path in paths for name in (spelt(path), escaped(path)))
        connection.execute("SET autoinstall_known_extensions = false; SET autoload_known_extensions = false")
        connection.execute(f"SET allowed_paths = [{', '.join(map(literal, allowed))}]")
        connection.execute("SET enable_external_access = false; SET lock_configuration = true")
        with following("counting", connection.query_progress):
            yield connection


QUOTES = """a cell that begins with " must end with ", and a " inside it is written twice, as programs that write tables do"""


@contextmanager
def explained(where: str) -> Iterator[None]:
    """Turn what DuckDB raises into an InputError of one line."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise NotReady(_brief(str(error), where)) from error


def _brief(message: str, where: str) -> str:
    file = re.search(r"file = (.+)", message)
    where = file[1].strip() if file else where
    line = re.search(r"CSV Error on Line: (\d+)\n(.*?)\n\s*Possible", message, re.DOTALL)
    if line:
        # The line itself may have line breaks in it; the trouble is told last.
        *original, what = [text for text in line[2].splitlines() if text.strip()]
        shown = f" ({original[0].removeprefix('Original Line: ')[:60]!r})" if original else ""
        counts = r"Expected Number of Columns: (\d+) Found: (\d+)"
        what = re.sub(counts, r"\1 columns expected, \2 found", what.rstrip("."))
        hint = f"; {QUOTES}" if "quote" in what else ""
        return f"cannot read {where}: line {line[1]}{shown}: {what}{hint}"
    first = next((text.strip() for text in message.splitlines() if text.strip()), "unknown trouble")
    first = re.sub(r"^[A-Z][\w ]*Error: ", "", first)[:300].rstrip(". ")
    hint = "; are its line ends all of one sort?" if "state machine" in message else ""
    return f"cannot read {where}: {first}{hint}"


def ask(connection: Any, sql: str) -> tuple[Any, ...]:
    """Return the first row that a query yields."""
    row: tuple[Any, ...] = connection.sql(sql).fetchall()[0]
    return row


def types_of(relation: Any) -> dict[str, str]:
    """Return DuckDB's type of each column of a relation."""
    return dict(zip(relation.columns, map(str, relation.types), strict=True))


def typed(relation: Any, roles: Mapping[str, str]) -> dict[str, str]:
    """Return for each role the SQL of its column, as a type that can be counted.

    Raises:
        InputError: if a column holds lists or structures.
    """
    types = types_of(relation)
    check_columns(roles, types)
    return {role: as_typed(quote(name), types[name], name) for role, name in roles.items()}


def as_typed(term: str, kind: str, name: str) -> str:
    """Return the SQL of a column as a type that can be counted, without loss.

    Args:
        term: the SQL of the column.
        kind: its type.
        name: what it is called.

    Raises:
        InputError: if it holds lists or structures.
    """
    upper = kind.upper()
    if upper == "UHUGEINT" or (upper.startswith("DECIMAL") and upper.endswith(",0)")):
        return f"CAST({term} AS HUGEINT)"
    if upper in AS_IS or (upper.startswith("DECIMAL") and not upper.endswith("]")):
        return term
    if upper.startswith(AS_TEXT) and not upper.endswith("]"):
        return f"CAST({term} AS VARCHAR)"
    if upper in NOTHING:
        return f"CAST({term} AS INTEGER)"
    if TEXT_LISTS.fullmatch(upper):
        return f"CAST(to_json({term}) AS VARCHAR)"
    raise InputError(f"{name} holds {kind}; a label or a number is needed")


def decode_typed(_: Any, rows: Any, names: Mapping[str, str]) -> dict[str, Column]:
    """Return the columns as they are; what numpy has no type for becomes one that holds it: in a system's column, if need be, a float."""
    types = types_of(rows)
    wide = {name: kind for name, kind in types.items() if kind == "HUGEINT" or kind.startswith("DECIMAL")}
    if wide:
        narrow = {name: "BIGINT" if kind == "HUGEINT" else "DOUBLE" for name, kind in wide.items()}
        there = {name: f"TRY_CAST(TRY_CAST({quote(name)} AS {narrow[name]}) AS {wide[name]})" for name in wide}
        fits = ", ".join(f"bool_and(coalesce({there[name]} = {quote(name)}, {quote(name)} IS NULL))" for name in wide)
        for name, answer in zip(wide, rows.aggregate(fits).fetchall()[0], strict=True):
            if answer is False:
                narrow[name] = "DOUBLE" if name in labels_among(types) else "VARCHAR"
        rows = rows.project(named({name: f"CAST({quote(name)} AS {narrow.get(name, types[name])})" for name in types}))
    return {role: column(values, names.get(role, role)) for role, values in rows.fetchnumpy().items()}


def read(relation: Any, roles: Mapping[str, str], keep_ids: bool) -> Grouped:
    """Count the rows of a DuckDB relation, in the connection that it belongs to.

    Raises:
        InputError: if the query fails or a column holds lists or structures.
    """
    with explained("the relation"):
        rows, repeats = tabulate(relation, typed(relation, roles), keep_ids)
        return assemble(decode_typed(None, rows, {}), repeats)


def differing(relation: Any, roles: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a DuckDB relation on which a and b differ, in their order.

    Raises:
        InputError: if the query fails.
    """
    terms = typed(relation, {role: name for role, name in roles.items() if role != "text"})
    if "text" in roles:
        terms["text"] = f"CAST({quote(roles['text'])} AS VARCHAR)"
    found = relation.filter(f"{terms['a']} IS DISTINCT FROM {terms['b']}").project(named(terms))
    start, size = 0, STEP
    while True:
        with explained("the relation"):
            rows = found.limit(size, start).fetchall()
        yield from (dict(zip(terms, row, strict=True)) for row in rows)
        if len(rows) < size:
            return
        start, size = start + size, min(size * 10, MOST)


def check_text(relation: Any, name: str, _: str) -> None:
    """Raise unless a relation has a column of texts.

    Raises:
        NameUnknown: if there is no such column.
    """
    check_columns({"text": name}, relation.columns)


def assemble(columns: dict[str, Column], repeats: Repeats, halves: Container[str] = ()) -> Grouped:
    """Put together what `tabulate` yielded, once its columns are typed.

    Args:
        columns: by role, and `TIMES`.
        repeats: what is known of the ids.
        halves: the roles whose values were stored with 16 bits, which they get back.
    """
    counts = columns.pop(TIMES)[0].astype(np.int64)
    for role, (values, missing) in columns.items():
        if role in halves and values.dtype == PRECISIONS[32]:
            columns[role] = values.astype(PRECISIONS[16]), missing
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
    repeats = _repeats(rows) if "id" in terms else Repeats()
    if "id" not in terms or (keep_ids and repeats.ids):
        return rows, repeats
    return _grouped(rows, {role: quote(role) for role in terms if role != "id"}, f"sum({TIMES})"), repeats


def _grouped(relation: Any, terms: Mapping[str, str], times: str) -> Any:
    keys = ", ".join(dict.fromkeys(terms.values()))
    return relation.aggregate(f"{named(terms)}, CAST({times} AS BIGINT) AS {TIMES}", keys)


def _repeats(rows: Any) -> Repeats:
    lacking = rows.filter('"id" IS NULL').aggregate(f"CAST(coalesce(sum({TIMES}), 0) AS BIGINT)").fetchall()[0][0]
    check_exact_ids(rows, "id")
    ids = rows.filter('"id" IS NOT NULL').aggregate(f'"id", sum({TIMES}) AS many', '"id"').filter("many > 1")
    number, example = ids.aggregate('count(*), min("id")').fetchall()[0]
    return Repeats(int(number), str(example) if number else "", int(lacking))


def check_exact_ids(rows: Any, what: str) -> None:
    """Refuse ids that are floats too large to tell whole numbers apart.

    Args:
        rows: a relation with the column "id".
        what: what the ids are called in messages.

    Raises:
        InputError: if there is one.
    """
    kind = types_of(rows)["id"]
    if kind in DIGITS:
        refuse_inexact(what, rows.aggregate('max(abs("id"))').fetchall()[0][0], DIGITS[kind])
