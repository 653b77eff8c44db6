"""Resolved lists: a report, as SWE-bench writes it, of the ids that were solved, and maybe of all that were tried."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from referee.data.engines.files import KINDS, suffix
from referee.data.formats.base import Choices, Run, reader
from referee.data.formats.detect import Opening, stem
from referee.data.formats.json_fields import decoded, identifier, load_json, shown, text_lines
from referee.data.roles import LOG
from referee.errors import Argument, InputError, OptionError

RESOLVED = ("resolved_ids", "resolved")
"""Where the solved ids are; of newer reports `resolved` may be their number."""
STATES = ("submitted", "incomplete", "completed", "resolved", "unresolved", "empty_patch", "error")
LISTS = tuple(f"{state}_ids" for state in STATES)
"""The lists of a report that together name all ids, where it is complete."""
COUNTS = ("total_instances", "resolved_instances")
COLUMN = "instance_id"
NONDESCRIPT = ("results", "report")
"""File names that do not tell one system from another, as the folder does."""
UNIVERSE = LOG("universe", "All the ids, for a list of those that were solved.", metavar="FILE")


def is_resolved(opening: Opening) -> bool:
    """Say whether a file is a JSON object with a list of resolved ids, or with the numbers that come before it."""
    start = opening.json
    return isinstance(start, dict) and (
        any(isinstance(start.get(name), list) for name in RESOLVED)
        or all(isinstance(start.get(name), int) for name in COUNTS)
    )


@reader(
    "a resolved list",
    looks_for='{"resolved": [ids]} or {"resolved_ids": [ids]}, as in reports of SWE-bench',
    recognises=is_resolved,
    options=(UNIVERSE,),
)
def read(path: Path, choices: Choices) -> list[Run]:
    """Read which ids were resolved; of all the others the score is 0.

    Raises:
        OptionError: where nothing says which ids there are besides the resolved ones.
        InputError: where the lists contradict each other, or are none.
    """
    report = load_json(path)
    if not isinstance(report, dict):
        raise InputError(f"{path} is not a JSON object; a report with a list of resolved ids is needed")
    solved = _solved(report, path)
    total = report.get("total_instances")
    universe = choices.get("universe")
    notes, warnings = list[str](), list[str]()
    if universe is None:
        every = _own_ids(report, solved, total, path)
        notes.append(f"{path} itself names all of its {total:,} ids")
    else:
        every = _universe(Path(universe))
        if isinstance(total, int) and total != len(every):
            warnings.append(f"{path} speaks of {total:,} ids, and {universe} names {len(every):,}")
    strange = sorted(set(solved) - set(every))
    if strange:
        raise InputError(
            f"{len(strange):,} of the resolved ids of {path}, such as {strange[0]!r}, are not in "
            f"{universe}; it must name all ids"
        )
    failed = report.get("error_ids")
    if isinstance(failed, list) and failed:
        ids = "1 id" if len(failed) == 1 else f"{len(failed):,} ids"
        warnings.append(f"{ids} of {path} ended in an error (error_ids), which counts as not resolved")
    resolved = set(solved)
    rows: dict[str, list[Any]] = {"id": every, "value": [int(one in resolved) for one in every]}
    return [Run(system=_system(path), rows=rows, notes=tuple(notes), warnings=tuple(warnings))]


def _solved(report: dict[str, Any], path: Path) -> list[str]:
    lists = {name: _ids(report[name], f"{name!r} of {path}") for name in RESOLVED if isinstance(report.get(name), list)}
    if not lists:
        raise InputError(f"{path} has no list of resolved ids, under 'resolved' or 'resolved_ids'")
    if len({frozenset(ids) for ids in lists.values()}) > 1:
        raise InputError(f"the lists 'resolved' and 'resolved_ids' of {path} are not the same")
    solved = next(iter(lists.values()))
    for name in ("resolved_instances", "resolved"):
        number = report.get(name)
        if isinstance(number, int) and number != len(solved):
            raise InputError(f"{path} lists {len(solved)} resolved ids, and says that {name!r} is {number}; is it cut?")
    return solved


def _ids(given: Any, where: str) -> list[str]:
    """Return a list of ids, each a text of its own.

    Raises:
        InputError: where it is something else.
    """
    if not isinstance(given, list):
        raise InputError(f"{where} is not a list of ids")
    seen: set[str] = set()
    for place, one in enumerate(given, 1):
        if not isinstance(one, str) or not one.strip():
            raise InputError(f"item {place} of {where} is {shown(one)}; an id is a text")
        identifier(one, f"item {place} of {where}")
        if one in seen:
            raise InputError(f"{where} has the id {one!r} twice")
        seen.add(one)
    return list(given)


def _own_ids(report: dict[str, Any], solved: list[str], total: Any, path: Path) -> list[str]:
    """Return all ids, where the lists of a report name as many as it speaks of."""
    lists = [_ids(report[name], f"{name!r} of {path}") for name in LISTS if name in report]
    ids = sorted({one for ids in (solved, *lists) for one in ids})
    if isinstance(total, int) and total == len(ids):
        return ids
    known = f" (it speaks of {total:,}, and names {len(ids):,})" if isinstance(total, int) else ""
    raise OptionError(
        f"{path} names the resolved ids, but not all ids{known}; give a file that does with ",
        Argument(UNIVERSE.name),
        f": an id a line, a JSON list, or a table with the column {COLUMN!r}",
    )


def _universe(path: Path) -> list[str]:
    """Read all ids from a text file, a JSON list or a table."""
    if not path.is_file():
        raise InputError(f"there is no file {path}; ", Argument(UNIVERSE.name), " is a file with all ids")
    kind = KINDS.get(suffix(path))
    ids: list[Any]
    if kind is None:
        ids = [text for _, line in text_lines(path) if (text := decoded(line, path).strip())]
    elif kind == "json":
        data = load_json(path)
        if not isinstance(data, list):
            raise InputError(f"{path} is not a JSON list, of ids or of objects with {COLUMN!r}")
        ids = [one.get(COLUMN) if isinstance(one, dict) else one for one in data]
    else:
        ids = _of_table(path)
    if not ids:
        raise InputError(f"{path} has no ids")
    return _ids(ids, str(path))


def _of_table(path: Path) -> list[Any]:
    from referee.data.engines.duckdb_sql import connected, explained
    from referee.data.engines.tables import scan

    with explained(str(path)), connected([path]) as connection:
        table = scan(connection, [path], [COLUMN])
        values = [one for (one,) in connection.sql(f"SELECT {table.terms[COLUMN]} FROM ({table.sql})").fetchall()]
    return [json.loads(one) if one else None for one in values] if table.family == "json" else values


def _system(path: Path) -> str:
    """Return the name of the file, or of the folder where the file's own says nothing."""
    names = [stem(path), *(folder.name for folder in path.resolve().parents)]
    return next((name for name in names if name and name not in NONDESCRIPT), stem(path))
