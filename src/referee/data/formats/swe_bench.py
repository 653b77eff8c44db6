"""Resolved lists: a report, in the form of SWE-bench, of the ids that were solved, and maybe of all that were tried."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from referee.data.engines.files import KINDS, suffix
from referee.data.formats.base import Choices, Opening, Run, reader, stem
from referee.data.formats.json_fields import Item, decoded, load_json, text_lines, typed
from referee.data.roles import FILE, LOG
from referee.errors import Argument, InputError, Message, OptionError

RESOLVED = ("resolved_ids", "resolved")
"""Where the solved ids are; of newer reports `resolved` may be their number."""
STATES = ("submitted", "incomplete", "completed", "resolved", "unresolved", "empty_patch", "error")
LISTS = tuple(f"{state}_ids" for state in STATES)
"""The lists of a report that together name all ids, where it is complete."""
COUNTS = ("total_instances", "resolved_instances")
COLUMN = "instance_id"
NONDESCRIPT = ("results", "report")
"""File names that do not tell one system from another, as the folder does."""
UNIVERSE = LOG("universe", "All ids, for a report that lists only the resolved ones.", metavar=FILE)


def is_resolved(opening: Opening) -> bool:
    """Say whether a file is a JSON object with a list of resolved ids, or with the numbers that come before it."""
    start = opening.json
    return isinstance(start, dict) and (
        any(isinstance(start.get(name), list) for name in RESOLVED)
        or all(isinstance(start.get(name), int) for name in COUNTS)
    )


@reader("a resolved list", recognises=is_resolved, options=(UNIVERSE,))
def read(path: Path, choices: Choices) -> list[Run]:
    """Read which ids were resolved; of all the others the score is 0.

    Raises:
        OptionError: if nothing says which ids there are besides the resolved ones.
        InputError: if the lists contradict each other, or are none.
    """
    report = Item(load_json(path), str(path))
    solved = _solved(report)
    total, universe = report.get("total_instances"), choices.get("universe")
    notes, warnings = list[str](), list[str]()
    if universe is None:
        every = _own_ids(report, solved, total)
        notes.append(f"{path} names all {total:,} ids itself")
    else:
        every = _universe(Path(universe))
        if isinstance(total, int) and total != len(every):
            warnings.append(f"{path} counts {total:,} ids, but {universe} names {len(every):,}")
    strange = sorted(set(solved) - set(every))
    if strange:
        some = f"{len(strange):,} of the resolved ids of {path}, such as {strange[0]!r}"
        raise InputError(f"{some}, are not in {universe}; it must name all ids")
    failed = report.get("error_ids")
    if isinstance(failed, list) and failed:
        ids = "1 id" if len(failed) == 1 else f"{len(failed):,} ids"
        warnings.append(f"{ids} of {path} ended in an error (error_ids), which counts as not resolved")
    resolved = set(solved)
    rows: dict[str, list[Any]] = {"id": every, "value": [int(one in resolved) for one in every]}
    return [Run(system=_system(path), rows=rows, notes=tuple(notes), warnings=tuple(warnings))]


def _solved(report: Item) -> list[str]:
    """Return the resolved ids, of which a report may have two lists and two numbers, which must agree."""
    listed = [name for name in RESOLVED if isinstance(report.get(name), list)]
    lists = [_ids(report[name], f"{name!r} of {report.where}") for name in listed]
    if not lists:
        raise InputError(f"{report.where} has no list of resolved ids, under 'resolved' or 'resolved_ids'")
    if set(lists[0]) != set(lists[-1]):
        raise InputError(f"the lists 'resolved' and 'resolved_ids' of {report.where} are not the same")
    size = len(lists[0])
    for name in ("resolved_instances", "resolved"):
        number = report.get(name)
        if isinstance(number, int) and number != size:
            raise InputError(f"{report.where} lists {size} resolved ids, but {name!r} is {number}; is it cut off?")
    return lists[0]


def _ids(given: Any, where: str) -> list[str]:
    """Return a list of ids, each a text of its own.

    Raises:
        InputError: if it is something else.
    """
    ids: list[str] = typed(given, where, "a list")
    for place, one in enumerate(ids, 1):
        if not typed(one, f"item {place} of {where}", "a text").strip():
            raise InputError(f"item {place} of {where} is blank; an id is a text")
    twice = next((one for one, times in Counter(ids).items() if times > 1), None)
    if twice is not None:
        raise InputError(f"{where} has the id {twice!r} twice")
    return ids


def _own_ids(report: Item, solved: list[str], total: Any) -> list[str]:
    """Return all ids, where the lists of a report name as many as it speaks of."""
    lists = [_ids(report[name], f"{name!r} of {report.where}") for name in LISTS if name in report]
    ids = sorted({one for ids in (solved, *lists) for one in ids})
    if isinstance(total, int) and total == len(ids):
        return ids
    known = f" (it counts {total:,} and names {len(ids):,})" if isinstance(total, int) else ""
    forms = f": one id per line, a JSON list, or a table with the column {COLUMN!r}"
    remedy = Message("give a file that does with ", Argument(UNIVERSE.name), forms)
    some = f"{report.where} names the resolved ids, but not all ids{known}"
    raise OptionError(some, argument=UNIVERSE.name, remedy=remedy)


def _universe(path: Path) -> list[str]:
    """Read all ids from a text file, a JSON list or a table."""
    if not path.is_file():
        raise InputError(f"there is no file {path}; ", Argument(UNIVERSE.name), " is a file with all ids")
    kind = KINDS.get(suffix(path))
    if kind is None:
        ids: list[Any] = [text for _, line in text_lines(path) if (text := decoded(line, path).strip())]
    elif kind == "json":
        listed = typed(load_json(path), str(path), "a list")
        ids = [one.get(COLUMN) if isinstance(one, dict) else one for one in listed]
    else:
        ids = _of_table(path)
    if not ids:
        raise InputError(f"{path} has no ids")
    return _ids(ids, str(path))


def _of_table(path: Path) -> list[Any]:
    from referee.data.engines.duckdb_sql import connected, explained
    from referee.data.engines.tables import scan

    with explained(str(path)), connected([path]) as connection:
        table = scan(connection, [path], {COLUMN: COLUMN})
        values = [one for (one,) in connection.sql(f"SELECT {table.terms[COLUMN]} FROM ({table.sql})").fetchall()]
    return [json.loads(one) if one else None for one in values] if table.family == "json" else values


def _system(path: Path) -> str:
    """Return the name of the file, or of the folder where the file's own says nothing."""
    names = [stem(path), *(folder.name for folder in path.resolve().parents)]
    return next((name for name in names if name and name not in NONDESCRIPT), stem(path))
