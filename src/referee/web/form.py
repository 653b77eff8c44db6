"""Form: the fields of the page and how messages spell them; from a filled-in form to a report."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from filecmp import cmp
from functools import partial, reduce
from itertools import combinations
from math import isfinite, nan
from operator import add
from pathlib import Path
from typing import Any

from referee.data import column_guesses
from referee.data.column_guesses import Column
from referee.data.counts import Counts
from referee.data.engines.tables import counts_of
from referee.data.formats.base import recognise
from referee.data.formats.pairing import read
from referee.data.outcomes import Outcomes
from referee.data.roles import every_option, names_of
from referee.errors import Argument, InputError, Message, NumbersNeeded, OptionError, spelled
from referee.metrics import METRICS, Metric
from referee.registry import convert
from referee.web.preview import bare

OPTIONS = every_option()
FIELDS: Mapping[str, str] = {
    **{name: option.label for name, option in OPTIONS.items() if option.label is not None},
    "metric": "Metric",
    "average": "average",
    "threshold": "Threshold",
    "alpha": "Accepted false alarms",
    "question": "Question",
    "margin": "Margin",
    "name_a": "Name of A",
    "name_b": "Name of B",
}
"""What the page calls the arguments of `referee.compare` and `referee.read`."""
QUESTIONS: Mapping[str, str] = {
    "better": "Is B better than A?",
    "no-worse": "Is B no worse than A?",
    "equal": "Are A and B practically equal?",
}
"""What the page calls the questions."""
LONGEST = 1_000
"""The longest text that a field may have."""


def layout(looks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Say what is to be chosen for one file or two, with guesses.

    Args:
        looks: what `look` found, with "name": what the user calls the file.

    Returns:
        "layout": table (both systems in one), pair (two tables), runs (logs) or counts; "columns" to choose from; "fields":
        guesses by field; "names": what the two systems are called; "positive": guesses of the positive label by column.

    Raises:
        InputError: if the files cannot be compared with each other.
    """
    first, last = looks[0], looks[-1]
    alike = "what" if first["kind"] == "log" else "kind"
    if first[alike] != last[alike]:
        different = f"{first['name']} is {first['what']} and {last['name']} is {last['what']}"
        raise InputError(different, remedy="give two files of one kind")
    found: dict[str, Any] = {"columns": [], "fields": {}, "names": []}
    if first["kind"] == "counts":
        labels = {"": column_guesses.positive(first["labels"])}
        return {**found, "layout": "counts", "names": first["names"], "positive": labels}
    if first["kind"] == "log":
        return {**found, "layout": "runs", "systems": [], "chooses": list(first["chooses"]), **_runs(looks)}
    tables = [[Column(name, values) for name, values in look["columns"].items()] for look in looks]
    found["positive"] = {column.name: column_guesses.positive(column.distinct) for column in tables[0]}
    if len(tables) == 1:
        if len(tables[0]) < 2:
            one_column = f"{first['name']} has one column, {tables[0][0].name!r}; the answers of two systems are needed"
            raise InputError(one_column, remedy="add the file of the other system, or a table that has both")
        fields = column_guesses.one_table(tables[0])
        return {**found, "layout": "table", "columns": list(first["columns"]), "fields": fields}
    shared = [name for name in first["columns"] if name in last["columns"]]
    fields = column_guesses.two_tables(*tables)
    which = f"{_few(first['columns'])} and {_few(last['columns'])}"
    if not shared:
        raise InputError(f"{first['name']} and {last['name']} have no column in common; the columns are {which}")
    if "prediction" not in fields and not set(shared) - set(fields.values()):
        apart = f"{first['name']} and {last['name']} have no column of predictions in common"
        raise InputError(apart, remedy=f"give it one name in both; the columns are {which}")
    return {**found, "layout": "pair", "columns": shared, "fields": fields, "names": file_names(looks)}


def _runs(looks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    systems = list(looks[0]["systems"])
    if len(looks) == 2:
        own = [look["systems"][0] if len(look["systems"]) == 1 else "" for look in looks]
        return {"names": own if all(own) and own[0] != own[1] else file_names(looks)}
    if len(systems) == 1:
        raise InputError(f"{looks[0]['name']} has one system, {systems[0]}; add the run of the other")
    return {"systems": systems, "fields": dict(zip("ab", systems, strict=False))}


def _few(columns: Mapping[str, Any]) -> str:
    names = list(columns)
    return ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")


def file_names(looks: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what two systems are called after their files.

    >>> file_names([{"name": "old.csv"}, {"name": "new.csv.gz"}]), file_names([{"name": "results.csv"}] * 2)
    (['old', 'new'], ['results (A)', 'results (B)'])
    """
    first, second = (bare(str(look["name"])) for look in looks)
    return [first, second] if first != second else [f"{first} (A)", f"{second} (B)"]


def answer(*paths: Path, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Compare, and write the report.

    Args:
        paths: the files, one or two.
        fields: what the page's fields say, by the names of the arguments; empty texts are nothing.

    Returns:
        "report": the page; "numbers": the JSON; "remarks": what the files were taken for, each as the parts of a message.

    Raises:
        RefereeError: if the question or the data cannot be understood.
    """
    from referee.studies.comparison import compare

    given = {name: value for name, value in fields.items() if value not in (None, "")}
    for name, value in given.items():
        if isinstance(value, str) and len(value) > LONGEST:
            raise OptionError(Argument(name, bare=True), f" is longer than {LONGEST} characters", value=value)
    method: dict[str, Any] = {
        "metric": metric_of(given),
        "alpha": _number(given, "alpha", 0.05),
        "margin": _decimal(given, "margin"),
        "threshold": _number(given, "threshold", None),
        "audit": True if given.get("audit") is True else None,
        **_texts(given, ["question"]),
    }
    data, roles = _data(list(paths), given)
    try:
        result = compare(data, **roles, **method)
    except NumbersNeeded as error:
        if "truth" in given or not _is_table(paths[0]):
            raise
        hint = Message("if these are labels, choose the column of the ", Argument("truth"))
        raise NumbersNeeded(error.message, argument="truth", remedy=hint) from error
    remarks = list(data.remarks) if isinstance(data, Outcomes) else []
    if isinstance(data, Counts) and len(paths) == 2:
        remarks.append(f"the counts of both files were added: {data.n:,} examples")
    return {"report": result.to_html(), "numbers": result.to_json(), "remarks": list(map(to_parts, remarks))}


def metric_of(given: Mapping[str, Any]) -> Metric | None:
    """Return the metric that is meant; one of the registry, for a name of elsewhere would import what it names.

    Raises:
        NameUnknown: if there is none of that name.
        OptionError: if it has no such option.
    """
    if "metric" not in given:
        return None
    metric = METRICS[_texts(given, ["metric"])["metric"]]
    options = given.get("options") or {}
    if not isinstance(options, Mapping):
        raise OptionError("the options of a metric must be texts by name", argument="metric", value=options)
    chosen = {str(key): value for key, value in options.items() if value not in (None, "")}
    return metric(**convert("metric", metric.name, chosen, metric.defaults))


def _data(paths: list[Path], given: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return what is compared, and the columns that `compare` has still to be told."""
    roles: dict[str, Any] = _texts(given, names_of("column", "label", "policy"))
    counted = [counts for path in paths if (counts := counts_of(path)) is not None]
    if len(counted) == len(paths):
        if len(paths) == 2 and cmp(paths[0], paths[1], shallow=False):
            same = f"{paths[0]} and {paths[1]} are the same file"
            raise InputError(same, remedy="the counts of two files are added, so remove one of them")
        total: Counts = reduce(add, counted)
        return total, {name: roles[name] for name in ("positive",) if name in roles}
    _check_roles(given, two=len(paths) == 2, tables=_is_table(paths[0]))
    if len(paths) == 1 and recognise(paths[0])[0] is None:
        return str(paths[0]), roles
    more: dict[str, Any] = _texts(given, names_of("reader"))
    if given.get("by_line") is True:
        roles.pop("id", None)
        more["by_line"] = True
    names = {name[-1]: text for name, text in _texts(given, ["name_a", "name_b"]).items()}
    if len(paths) == 2:
        if len(set(names.values())) != 2:
            raise OptionError("the two systems need two different names", argument="name_b", value=names.get("b"))
        roles |= names
    outcomes = read(*paths, **roles, **more)
    assert isinstance(outcomes, Outcomes)  # the page asks for pairs
    return replace(outcomes, names={**outcomes.names, **names}), {}


def _is_table(path: Path) -> bool:
    reader = recognise(path)[0]
    return counts_of(path) is None and (reader is None or reader.table is not None)


def _check_roles(given: Mapping[str, Any], two: bool, tables: bool) -> None:
    """Refuse a column that is chosen twice where that can only be a mistake: answers that are also the truth are all right.

    Raises:
        OptionError: if there is one.
    """
    layout = "systems" if not tables else "pair" if two else "table"
    shown = [option for option in OPTIONS.values() if any(layout in field.layouts for field in option.page)]
    own = [option.name for option in shown if option.use in ("truth", "system", "answers")]
    others = [option.name for option in shown if option.use in ("id", "side")]
    for first, second in combinations([name for name in (*own, *others) if name in given], 2):
        if first in own and given[first] == given[second] and first != OPTIONS[second].may_be:
            what, remedy = (" column", "another for one of them") if tables else ("", "two")
            same = f" are the same{what}, {given[first]}"
            pair = Argument(first), " and ", Argument(second)
            raise OptionError(*pair, same, argument=second, remedy=f"choose {remedy}")


def _texts(given: Mapping[str, Any], names: Sequence[str]) -> dict[str, str]:
    """Return what those of the fields say that are on the page and filled in."""
    texts = {name: given[name] for name in names if name in FIELDS and name in given}
    for name, value in texts.items():
        if not isinstance(value, str):
            raise OptionError(Argument(name, bare=True), f" must be a text; it is {type(value).__name__}", value=value)
    return texts


def _decimal(given: Mapping[str, Any], name: str) -> str | None:
    """Return what a field of numbers says, with a point before the decimals; None where it says nothing."""
    if given.get(name) is None:
        return None
    written = str(given[name]).strip()
    if re.fullmatch(r"[+-]?[1-9]\d{0,2}(,\d{3})+", written):
        remedy = "write it without commas, with a point before the decimals"
        raise OptionError(Argument(name, bare=True), f" is {written}", value=written, remedy=remedy)
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
        raise OptionError(Argument(name, bare=True), f" must be a number; it is {written[:40]!r}", value=written)
    return number


def in_page(message: str, files: int = 1) -> str:
    """Return a message with its arguments spelt as fields of the page.

    Args:
        message: any text; only a `Message` knows its arguments.
        files: how many files are compared.

    >>> in_page(Message("give ", Argument("positive"), ", or ", Argument("missing", "drop")))
    'give “Positive label”, or “Missing answers”: “leave them out”'
    """
    return spelled(message, partial(field, files=files))


def field(argument: Argument, files: int = 1) -> str:
    """Return an argument as the field of the page; one that the page does not have, as the option of the command line.

    >>> field(Argument("question", "no-worse")), field(Argument("by_line", True)), field(Argument("a"), files=2)
    ('“Is B no worse than A?”', '“Example id”: none', '“Name of A”')
    >>> field(Argument("universe"))
    '--universe on the command line'
    """
    name, value = argument.name, argument.value
    if name == "by_line":
        return f"“{FIELDS['id']}”: none"
    if value in QUESTIONS:
        return f"“{QUESTIONS[str(value)]}”"
    if name in ("a", "b") and files == 2:  # each file is a system: which of those in it is said by the name
        name = f"name_{name}"
    if name in FIELDS:
        known = OPTIONS[name].values.get(str(value)) if name in OPTIONS else None
        return f"“{FIELDS[name]}”" + ("" if value is None else f": “{known.words if known else value}”")
    return " ".join(filter(None, (f"--{name.replace('_', '-')}", str(value or ""), "on the command line")))


def to_parts(message: str) -> list[Any]:
    """Return the parts of a message as JSON can have them, for another process.

    >>> to_parts(Message("give ", Argument("positive")))
    ['give ', {'name': 'positive', 'value': None, 'bare': False}]
    """
    return [vars(part) if isinstance(part, Argument) else part for part in Message(message).parts]


def from_parts(parts: Sequence[Any]) -> Message:
    """Return the message that `to_parts` took apart."""
    return Message(*(part if isinstance(part, str) else Argument(**part) for part in parts))
