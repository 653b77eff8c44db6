"""Layouts: what is to be chosen for the files that were added, with guesses, and what their systems are called."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from referee.data import column_guesses
from referee.data.column_doubts import in_doubt
from referee.data.column_guesses import Column
from referee.errors import InputError
from referee.web.preview import bare

COPY = re.compile(r"\s*\(\d+\)$|[\s_-]+copy$", re.IGNORECASE)
"""What browsers and people put behind the name of a second file of one name."""


def layout(looks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Say what is to be chosen for the files, with guesses.

    Args:
        looks: what `look` found, with "name": what the user calls the file.

    Returns:
        "layout": table (all systems in one), pair (a table for each), runs (logs) or counts; "verbs": what can be done with
        them, and "verb": what is proposed; "columns" to choose from; "fields": guesses by field; "doubts": what could not be
        guessed, and why, by field; "names": what the systems are called; "systems": what can be ranked, and "likely": which of
        it; "positive": guesses of the positive label by column.

    Raises:
        InputError: if the files cannot be compared with each other.
    """
    first = looks[0]
    alike = "what" if first["kind"] == "log" else "kind"
    for other in looks[1:]:
        if other[alike] != first[alike]:
            different = f"{first['name']} is {first['what']} and {other['name']} is {other['what']}"
            raise InputError(different, remedy=f"give {'two files' if len(looks) == 2 else 'files'} of one kind")
    verbs = ["compare", "rank", "audit"] if len(looks) < 3 else ["rank"]
    found: dict[str, Any] = {
        "verbs": verbs,
        "columns": [],
        "fields": {},
        "doubts": {},
        "names": [],
        "systems": [],
        "likely": [],
    }
    if first["kind"] == "counts":
        found |= _counts(looks)
    elif first["kind"] == "log":
        found |= {"layout": "runs", "chooses": list(first["chooses"]), **_runs(looks)}
    else:
        found |= _tables(looks)
    return {**found, "verb": found.get("verb", found["verbs"][0])}


def _counts(looks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    first = looks[0]
    names = list(first["names"])
    found: dict[str, Any] = {"layout": "counts", "positive": {"": column_guesses.positive(first["labels"])}}
    if len(names) > 2:
        return {**found, "verbs": ["rank"], "systems": names, "likely": names}
    return {**found, "verbs": ["compare", "audit"], "names": names}


def _tables(looks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    first = looks[0]
    tables = [[Column(name, values) for name, values in look["columns"].items()] for look in looks]
    positive = {column.name: column_guesses.positive(column.distinct) for column in tables[0]}
    if len(tables) == 1:
        return {
            "layout": "table",
            "positive": positive,
            "columns": list(first["columns"]),
            **_one_table(first, tables[0]),
        }
    shared = [name for name in first["columns"] if all(name in other["columns"] for other in looks[1:])]
    which = " and ".join(_few(look["columns"]) for look in looks[:2])
    names = " and ".join(str(look["name"]) for look in looks[:2])
    if not shared:
        raise InputError(f"{names} have no column in common; the columns are {which}")
    fields = column_guesses.two_tables(*tables[:2])
    fields = {role: name for role, name in fields.items() if name in shared or len(tables) == 2}
    if "prediction" not in fields and not set(shared) - set(fields.values()):
        apart = f"{names} have no column of predictions in common"
        raise InputError(apart, remedy=f"give it one name in both; the columns are {which}")
    doubts = in_doubt([column for column in tables[0] if column.name in shared], fields)
    guessed = {"columns": shared, "fields": fields, "doubts": doubts, "names": file_names(looks)}
    return {"layout": "pair", "positive": positive, **guessed}


def _one_table(look: Mapping[str, Any], columns: Sequence[Column]) -> dict[str, Any]:
    if len(columns) < 2:
        one_column = f"{look['name']} has one column, {columns[0].name!r}; the answers of two systems are needed"
        raise InputError(one_column, remedy="add the file of the other system, or a table that has both")
    fields = column_guesses.one_table(columns)
    own = {name for role, name in fields.items() if role not in ("a", "b")}
    truth = next((column for column in columns if column.name == fields.get("truth")), None)
    free = [column for column in columns if column.name not in own]
    likely = column_guesses.systems(free, truth)
    alone = [column for column in columns if column.name in likely]
    sure = len(column_guesses.families(alone)) == 1 and (truth is not None or all(one.numeric for one in alone))
    found: dict[str, Any] = {"fields": fields, "doubts": in_doubt(columns, fields)}
    found |= {"systems": [column.name for column in free], "likely": likely}
    return {**found, "verb": "rank" if "a" not in fields and len(likely) > 2 and sure else "compare"}


def _runs(looks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    systems = list(looks[0]["systems"])
    if len(looks) > 1:
        own = [look["systems"][0] if len(look["systems"]) == 1 else "" for look in looks]
        return {"names": own if all(own) and len(set(own)) == len(own) else file_names(looks)}
    if len(systems) == 1:
        raise InputError(f"{looks[0]['name']} has one system, {systems[0]}; add the run of the other")
    fields: Any = dict(zip("ab", systems, strict=False))
    return {"systems": systems, "likely": systems, "fields": fields, "verb": "rank" if len(systems) > 2 else "compare"}


def _few(columns: Mapping[str, Any]) -> str:
    names = list(columns)
    return ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")


def file_names(looks: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what systems are called after their files: what differs in the names, or A, B, ... where they are the same.

    >>> def names(*files):
    ...     return file_names([{"name": name} for name in files])
    >>> names("old.csv", "new.csv.gz"), names("preds_old.csv", "preds_new.csv"), names("run_1.csv", "run_2.csv")
    (['old', 'new'], ['old', 'new'], ['run_1', 'run_2'])
    >>> names("results.csv", "results.csv"), names("preds.csv", "preds (1).csv"), names("preds.csv", "preds_new.csv")
    (['A', 'B'], ['A', 'B'], ['preds', 'preds_new'])
    """
    stems = [COPY.sub("", bare(str(look["name"]))) or bare(str(look["name"])) for look in looks]
    if len(set(stems)) < len(stems):
        return [chr(ord("A") + place) for place in range(len(stems))]
    words = [re.split(r"([\W_]+)", stem) for stem in stems]
    start = _shared(words)
    end = _shared([own[start:][::-1] for own in words])
    differing = ["".join(own[start : len(own) - end]).strip("_-. ") for own in words]
    telling = len(set(differing)) == len(stems) and all(re.search(r"[^\W\d_]", own) for own in differing)
    return differing if telling else stems


def _shared(words: Sequence[Sequence[str]]) -> int:
    """Return with how many of the same words all begin."""
    return len(list(takewhile(lambda place: len(set(place)) == 1, zip(*words, strict=False))))
