"""Question: what the page asks, as its fields have it; and the answer, a report."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from filecmp import cmp
from functools import reduce
from math import isfinite, nan
from operator import add
from pathlib import Path
from typing import Any

from referee.data import column_guesses
from referee.data.column_guesses import Column
from referee.data.counts import Counts
from referee.data.engines.tables import counts_of
from referee.data.formats.detect import recognise
from referee.data.formats.pairing import read
from referee.data.outcomes import Outcomes
from referee.data.roles import names_of
from referee.errors import InputError, Misfit, OptionError, unknown
from referee.metrics import METRICS, Metric
from referee.web.preview import bare
from referee.web.wording import FIELDS

LONGEST = 1_000
"""The longest text that a field may have."""


def layout(looks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Say what is to be chosen for these files, with guesses.

    Args:
        looks: what `look` found, with "name": what the user calls the file.

    Returns:
        "layout": table (both systems in one), pair (two tables), runs (logs) or counts; "columns" to choose from; "fields":
        guesses by field; "names": what the two systems are called; "positive": guesses of the positive label by column.

    Raises:
        InputError: where the files cannot be compared with each other.
    """
    if not 1 <= len(looks) <= 2:
        raise InputError(f"one file or two are compared; {len(looks)} are given")
    kinds = [str(found["kind"]) for found in looks]
    if len(set(kinds)) > 1:
        raise InputError(
            f"{looks[0]['name']} is {looks[0]['what']} and {looks[1]['name']} is {looks[1]['what']}; two of one kind are compared"
        )
    if kinds[0] == "counts":
        found = {"": column_guesses.positive(looks[0]["labels"])}
        return {"layout": "counts", "columns": [], "fields": {}, "names": looks[0]["names"], "positive": found}
    if kinds[0] == "log":
        return _runs(looks)
    tables = [[Column(name, values) for name, values in found["columns"].items()] for found in looks]
    labels = {column.name: column_guesses.positive(column.distinct) for column in tables[0]}
    if len(tables) == 1:
        if len(tables[0]) < 2:
            raise InputError(
                f"{looks[0]['name']} has one column, {tables[0][0].name!r}; the answers of two systems are needed: add the file "
                f"of the other, or a table that has both"
            )
        return {
            "layout": "table",
            "columns": list(looks[0]["columns"]),
            "fields": column_guesses.one_table(tables[0]),
            "names": [],
            "positive": labels,
        }
    shared = [name for name in looks[0]["columns"] if name in looks[1]["columns"]]
    if not shared:
        raise InputError(
            f"{looks[0]['name']} and {looks[1]['name']} have no column in common, so nothing pairs their rows; the columns "
            f"are {_few(looks[0]['columns'])} and {_few(looks[1]['columns'])}"
        )
    fields = column_guesses.two_tables(*tables)
    if "prediction" not in fields and not set(shared) - set(fields.values()):
        raise InputError(
            f"{looks[0]['name']} and {looks[1]['name']} have no column of predictions in common; give it one name in both. "
            f"The columns are {_few(looks[0]['columns'])} and {_few(looks[1]['columns'])}"
        )
    return {
        "layout": "pair",
        "columns": shared,
        "fields": fields,
        "names": file_names([str(found["name"]) for found in looks]),
        "positive": labels,
    }


def _runs(looks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    chooses = list(looks[0]["chooses"])
    systems = list(looks[0]["systems"])
    if len(looks) == 1:
        if len(systems) == 1:
            raise InputError(f"{looks[0]['name']} has one system, {systems[0]}; add the run of the other")
        fields = dict(zip("ab", systems, strict=False))
        return {"layout": "runs", "columns": [], "systems": systems, "chooses": chooses, "fields": fields, "names": []}
    if looks[0]["what"] != looks[1]["what"]:
        raise InputError(
            f"{looks[0]['name']} is {looks[0]['what']} and {looks[1]['name']} is {looks[1]['what']}; two runs of one kind are compared"
        )
    own = [found["systems"][0] if len(found["systems"]) == 1 else "" for found in looks]
    names = own if all(own) and own[0] != own[1] else file_names([str(found["name"]) for found in looks])
    return {"layout": "runs", "columns": [], "systems": [], "chooses": chooses, "fields": {}, "names": names}


def _few(columns: Mapping[str, Any]) -> str:
    names = list(columns)
    return ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")


def file_names(names: Sequence[str]) -> list[str]:
    """Return what two systems are called after their files.

    >>> file_names(["old.csv", "new.csv.gz"]), file_names(["results.csv", "results.csv"])
    (['old', 'new'], ['results (A)', 'results (B)'])
    """
    stems = [bare(name) for name in names]
    return stems if stems[0] != stems[1] else [f"{stems[0]} (A)", f"{stems[1]} (B)"]


def answer(paths: Sequence[Path], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Compare, and write the report.

    Args:
        paths: the files, one or two.
        fields: what the page's fields say, by the names of the arguments; empty texts are nothing.

    Returns:
        "report": the page; "numbers": the JSON; "remarks": what the files were taken for.

    Raises:
        RefereeError: where the question or the data cannot be understood.
    """
    from referee.studies.comparison import compare

    given = {name: value for name, value in fields.items() if value not in (None, "")}
    for name, value in given.items():
        if isinstance(value, str) and len(value) > LONGEST:
            raise OptionError(f"{name}= is longer than {LONGEST} characters")
    method: dict[str, Any] = {
        "metric": metric_of(given),
        "alpha": _number(given, "alpha", 0.05),
        "question": _text(given, "question") if "question" in given else None,
        "margin": _decimal(given, "margin"),
        "threshold": _number(given, "threshold", None),
        "audit": True if given.get("audit") is True else None,
    }
    data, roles = _data(list(paths), given)
    try:
        result = compare(data, **roles, **method)
    except Misfit as error:
        if "truth" in given or not _is_table(paths[0]) or not re.search("needs numbers, and .* holds text", str(error)):
            raise
        raise Misfit(f"{error}; if these are labels, choose the column of the “{FIELDS['truth']}”") from error
    remarks = list(data.remarks) if isinstance(data, Outcomes) else []
    if isinstance(data, Counts) and len(paths) == 2:
        remarks.append(f"the counts of both files were added: {data.n:,} examples")
    return {"report": result.to_html(), "numbers": result.to_json(), "remarks": remarks}


def metric_of(given: Mapping[str, Any]) -> Metric | None:
    """Return the metric that is meant; one of the registry, for a name of elsewhere would import what it names.

    Raises:
        NameUnknown: where there is none of that name.
    """
    if "metric" not in given:
        return None
    name = _text(given, "metric")
    if name not in METRICS:
        raise unknown("metric", name, METRICS)
    options = given.get("options") or {}
    if not isinstance(options, Mapping):
        raise OptionError("the options of a metric are texts by name")
    for key in options:
        if key not in METRICS[name].defaults:
            raise unknown(f"option of {name}", key, METRICS[name].defaults)
    return METRICS[name](**{str(key): value for key, value in options.items() if value not in (None, "")})


def _data(paths: list[Path], given: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return what is compared, and the columns that `compare` has still to be told."""
    roles: dict[str, Any] = {
        name: _text(given, name) for name in names_of("column", "label", "policy") if name in FIELDS and name in given
    }
    counted = [counts for path in paths if (counts := counts_of(path)) is not None]
    if len(counted) == len(paths):
        if len(paths) == 2 and cmp(paths[0], paths[1], shallow=False):
            raise InputError(
                f"{paths[0]} and {paths[1]} are the same file; the counts of two files are added, and each example may be "
                f"counted once: remove one"
            )
        total: Counts = reduce(add, counted)
        return total, {name: roles[name] for name in ("positive",) if name in roles}
    _check_roles(given, two=len(paths) == 2, tables=_is_table(paths[0]))
    if len(paths) == 1 and recognise(paths[0])[0] is None:
        return str(paths[0]), roles
    more: dict[str, Any] = {name: _text(given, name) for name in names_of("reader") if name in FIELDS and name in given}
    if given.get("by_line") is True:
        roles.pop("id", None)
        more["by_line"] = True
    names = {side: _text(given, f"name_{side}") for side in "ab" if f"name_{side}" in given}
    if len(paths) == 2:
        if len(set(names.values())) != 2:
            raise OptionError("the two systems need names, and different ones")
        roles |= names
    outcomes: Outcomes = read(*paths, **roles, **more)
    return replace(outcomes, names={**outcomes.names, **names}), {}


def _is_table(path: Path) -> bool:
    reader = recognise(path)[0]
    return counts_of(path) is None and (reader is None or reader.table is not None)


def _check_roles(given: Mapping[str, Any], two: bool, tables: bool) -> None:
    """Refuse a column that is chosen twice where that can only be a mistake: answers that are also the truth are all right.

    Raises:
        OptionError: where there is one.
    """
    if not tables:
        if "a" in given and given["a"] == given.get("b"):
            raise OptionError(f"“{FIELDS['a']}” and “{FIELDS['b']}” are the same, {given['a']}; choose two")
        return
    own = ("truth", "prediction") if two else ("truth", "a", "b")
    roles = [name for name in (*own, "id", "group", "by") if name in given]
    for place, first in enumerate(roles):
        for second in roles[place + 1 :]:
            if first in own and given[first] == given[second] and (first, second) != ("truth", "by"):
                raise OptionError(
                    f"“{FIELDS[first]}” and “{FIELDS[second]}” are the same column, {given[first]}; choose another for one of them"
                )


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given[name]
    if not isinstance(value, str):
        raise OptionError(f"{name}= must be a text; it is {type(value).__name__}")
    return value


def _decimal(given: Mapping[str, Any], name: str) -> str | None:
    """Return what a field of numbers says, with a point before the decimals; None where it says nothing."""
    if given.get(name) is None:
        return None
    written = str(given[name]).strip()
    if re.fullmatch(r"[+-]?[1-9]\d{0,2}(,\d{3})+", written):
        raise OptionError(f"{name}= is {written}; write it without commas, with a point before the decimals")
    return re.sub(r",(?=\d+\D*$)", ".", written)  # 0,05 is how many people write it


def _number(given: Mapping[str, Any], name: str, default: float | None) -> float | None:
    written = _decimal(given, name)
    if written is None:
        return default
    try:
        number = float(written)
    except ValueError:
        number = nan
    if not isfinite(number):
        raise OptionError(f"{name}= must be a number; it is {written[:40]!r}")
    return number
