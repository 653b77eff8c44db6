"""Resolved lists: a report, as SWE-bench writes it, of the ids that were solved, and maybe of all that were tried."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from referee.data.engines.files import KINDS, suffix
from referee.data.formats.base import Choices, Opening, Run, load_json, reader, text_lines
from referee.data.formats.file_start import glimpse, stem
from referee.data.formats.json_fields import identifier, shown
from referee.errors import InputError, OptionError

RESOLVED = ("resolved_ids", "resolved")
"""Where the solved ids are; of newer reports `resolved` may be their number."""
LISTS = (
    "submitted_ids",
    "incomplete_ids",
    "completed_ids",
    "resolved_ids",
    "unresolved_ids",
    "empty_patch_ids",
    "error_ids",
)
"""The lists of a report that together name all ids, where it is complete."""
COUNTS = ("total_instances", "resolved_instances")
COLUMN = "instance_id"
NONDESCRIPT = ("results", "report")
"""File names that do not tell one system from another, as the folder does."""


def is_resolved(opening: Opening) -> bool:
    """Say whether a file is a JSON object with a list of resolved ids, or with the numbers that come before it."""
    found = glimpse(opening.head)
    return isinstance(found, dict) and (
        any(isinstance(found.get(name), list) for name in RESOLVED)
        or all(isinstance(found.get(name), int) for name in COUNTS)
    )


@reader(
    "a resolved list",
    looks_for='{"resolved": [ids]} or {"resolved_ids": [ids]}, as in reports of SWE-bench',
    recognises=is_resolved,
    chooses=("universe",),
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
    every, notes, warnings = _every(report, solved, path, choices.universe)
    strange = sorted(set(solved) - set(every))
    if strange:
        raise InputError(
            f"{len(strange):,} of the resolved ids of {path}, such as {strange[0]!r}, are not in "
            f"{choices.universe}; it must name all ids"
        )
    found = set(solved)
    rows: dict[str, list[Any]] = {"id": every, "value": [int(one in found) for one in every]}
    return [Run(system=_system(path), rows=rows, notes=tuple(notes), warnings=(*warnings, *_errors(report, path)))]


def _solved(report: dict[str, Any], path: Path) -> list[str]:
    lists = {name: _ids(report[name], f"{name!r} of {path}") for name in RESOLVED if isinstance(report.get(name), list)}
    if not lists:
        raise InputError(f"{path} has no list of resolved ids, under 'resolved' or 'resolved_ids'")
    if len({frozenset(ids) for ids in lists.values()}) > 1:
        raise InputError(f"the lists 'resolved' and 'resolved_ids' of {path} are not the same")
    solved = next(iter(lists.values()))
    for name in ("resolved_instances", "resolved"):
        said = report.get(name)
        if isinstance(said, int) and said != len(solved):
            raise InputError(f"{path} lists {len(solved)} resolved ids, and says that {name!r} is {said}; is it cut?")
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


def _every(
    report: dict[str, Any], solved: list[str], path: Path, universe: str | None
) -> tuple[list[str], list[str], list[str]]:
    """Return all ids, what is to be said about where they are from, and what is odd about them."""
    total = report.get("total_instances")
    if universe is not None:
        ids = _universe(Path(universe))
        differs = isinstance(total, int) and total != len(ids)
        return ids, [], [f"{path} speaks of {total:,} ids, and {universe} names {len(ids):,}"] if differs else []
    lists = [_ids(report[name], f"{name!r} of {path}") for name in LISTS if name in report]
    ids = sorted({one for ids in (solved, *lists) for one in ids})
    if isinstance(total, int) and total == len(ids):
        return ids, [f"{path} itself names all of its {total:,} ids"], []
    known = f" (it speaks of {total:,}, and names {len(ids):,})" if isinstance(total, int) else ""
    raise OptionError(
        f"{path} names the resolved ids, but not all ids{known}; give a file that does with --universe: an id a line, "
        f"a JSON list, or a table with the column {COLUMN!r}"
    )


def _errors(report: dict[str, Any], path: Path) -> list[str]:
    """Say how many ids ended in an error, which the benchmark counts as not resolved."""
    failed = report.get("error_ids")
    many = len(failed) if isinstance(failed, list) else 0
    ids = "1 id" if many == 1 else f"{many:,} ids"
    return [f"{ids} of {path} ended in an error (error_ids), which counts as not resolved"] if many else []


def _universe(path: Path) -> list[str]:
    """Read all ids from a text file, a JSON list or a table."""
    if not path.is_file():
        raise InputError(f"there is no file {path}; --universe is a file with all ids")
    kind = KINDS.get(suffix(path))
    if kind == "json":
        ids = _of_json(load_json(path), path)
    elif kind is None:
        ids = _of_text(path)
    else:
        ids = _of_table(path)
    if not ids:
        raise InputError(f"{path} has no ids")
    return _ids(ids, str(path))


def _of_json(data: Any, path: Path) -> list[Any]:
    if not isinstance(data, list):
        raise InputError(f"{path} is not a JSON list, of ids or of objects with {COLUMN!r}")
    return [one.get(COLUMN) if isinstance(one, dict) else one for one in data]


def _of_text(path: Path) -> list[str]:
    try:
        return [text for _, line in text_lines(path) if (text := line.decode().strip())]
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text; save it as UTF-8") from error


def _of_table(path: Path) -> list[Any]:
    from referee.data.engines.duckdb_sql import connected, explained
    from referee.data.engines.tables import scan

    with explained(str(path)), connected([path]) as connection:
        found = scan(connection, [path], [COLUMN])
        values = [one for (one,) in connection.sql(f"SELECT {found.terms[COLUMN]} FROM ({found.sql})").fetchall()]
    return [json.loads(one) if one else None for one in values] if found.family == "json" else values


def _system(path: Path) -> str:
    """Return the name of the file, or of the folder where the file's own says nothing."""
    names = [stem(path), *(folder.name for folder in path.resolve().parents)]
    return next((name for name in names if name and name not in NONDESCRIPT), stem(path))
