"""Answers: from a filled-in form to a report: a comparison, a ranking, or an audit."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from filecmp import cmp
from functools import reduce
from itertools import combinations
from math import isfinite, nan
from operator import add
from pathlib import Path
from typing import Any

from referee.data.counts import Counts
from referee.data.engines.tables import counts_of
from referee.data.formats.base import recognise
from referee.data.formats.pairing import read
from referee.data.outcomes import Outcomes, count
from referee.data.roles import names_of
from referee.errors import Argument, InputError, Message, NumbersNeeded, OptionError
from referee.metrics import METRICS, Metric
from referee.registry import convert
from referee.results.base import Reported
from referee.web.form import DIRECTIONS, FIELDS, OPTIONS, to_parts

LONGEST = 1_000
"""The longest text that a field may have."""
MOST = 2_000
"""The longest list that a field may have."""
Given = Mapping[str, Any]
"""What the page's fields say, by the names of the arguments."""


def answer(*paths: Path, fields: Given) -> dict[str, Any]:
    """Answer the question of a filled-in form, and write the report.

    Args:
        paths: the files.
        fields: what the page's fields say, by the names of the arguments; empty texts are nothing.

    Returns:
        "report": the page; "numbers": the JSON; "remarks": what the files were taken for, each as the parts of a message.

    Raises:
        RefereeError: if the question or the data cannot be understood.
    """
    given = {name: value for name, value in fields.items() if value not in (None, "", [])}
    for name, value in given.items():
        if isinstance(value, str) and len(value) > LONGEST:
            raise OptionError(Argument(name, bare=True), f" is longer than {LONGEST} characters", value=value)
    verb = given.get("verb", "compare")
    if not isinstance(verb, str) or verb not in VERBS:
        raise OptionError(f"there is nothing called {str(verb)[:40]!r} to do", argument="verb", value=verb)
    if verb != "rank" and len(paths) > 2:
        raise OptionError(f"two systems are compared, from one file or two; {len(paths)} were given", argument="files")
    method = {
        "metric": metrics_of(given),
        "alpha": number(given, "alpha", 0.05),
        "threshold": number(given, "threshold", None),
        "lower_is_better": _direction(given),
    }
    try:
        result, remarks = VERBS[verb](list(paths), given, method)
    except NumbersNeeded as error:
        if "truth" in given or not _is_table(paths[0]):
            raise
        hint = Message("if these are labels, choose the column of the ", Argument("truth"))
        raise NumbersNeeded(error.message, argument="truth", remedy=hint) from error
    return {"report": result.to_html(), "numbers": result.to_json(), "remarks": list(map(to_parts, remarks))}


def _compare(paths: list[Path], given: Given, method: dict[str, Any]) -> tuple[Reported, list[str]]:
    from referee.studies.comparison import compare

    margin: dict[str, Any] = {"margin": decimal(given, "margin"), **texts(given, ["question"])}
    data, roles = _data(paths, given)
    result = compare(data, **roles, **method, **margin, audit=True if given.get("audit") is True else None)
    return result, _remarks(data, paths)


def _audit(paths: list[Path], given: Given, method: dict[str, Any]) -> tuple[Reported, list[str]]:
    from referee.studies.auditing.audit import audit

    left_out = ("by", "text")  # an audit draws examples, so that none is shown
    data, roles = _data(paths, {name: value for name, value in given.items() if name not in left_out})
    positive = {name: roles[name] for name in ("positive",) if name in roles}
    counts = data if isinstance(data, Counts) else data.count() if isinstance(data, Outcomes) else count(data, **roles)
    # Processes of its own would outlive the work where that is stopped.
    result = audit(counts, **positive, **method, sizes=_sizes(given), jobs=1)
    return replace(result, population=" and ".join(path.name for path in paths)), _remarks(data, paths)


def _rank(paths: list[Path], given: Given, method: dict[str, Any]) -> tuple[Reported, list[str]]:
    from referee.studies.ranking import rank

    systems, remarks = _names(given, "systems"), list[str]()
    counts = _added(paths)
    roles: dict[str, Any] = _texts_for("rank", given, "column", "label", "policy")
    method |= texts(given, ["baseline"])
    if counts is not None:
        return rank(counts, systems=systems, positive=roles.get("positive"), **method), _remarks(counts, paths)
    if len(paths) == 1 and recognise(paths[0])[0] is None:
        return rank(str(paths[0]), systems=systems, **roles, **method), remarks
    _check_roles(given, "pair" if _is_table(paths[0]) else "systems")
    reading: dict[str, Any] = _texts_for("rank", given, "reader")
    if given.get("by_line") is True:
        roles.pop("id", None)
        reading["by_line"] = True
    called = systems if len(paths) == 1 else _names(given, "names") or systems
    sources = list(map(str, paths))
    return rank(sources, systems=called, **roles, **reading, **method, tell=remarks.append), remarks


VERBS: Mapping[str, Callable[[list[Path], Given, dict[str, Any]], tuple[Reported, list[str]]]] = {
    "compare": _compare,
    "rank": _rank,
    "audit": _audit,
}
"""What can be done."""


def metrics_of(given: Given) -> Metric | list[Metric] | None:
    """Return the metric that is meant, or several; only those of the registry, for a name of elsewhere would import what it names.

    Raises:
        NameUnknown: if there is none of that name.
        OptionError: if it has no such option.
    """
    asked = given.get("metrics") or []
    if not isinstance(asked, list) or len(asked) > MOST or not all(isinstance(one, Mapping) for one in asked):
        raise OptionError("metrics must be a list of names with their options", argument="metric", value=asked)
    found = [_metric(one) for one in asked if one.get("name") not in (None, "")]
    return found if len(found) > 1 else found[0] if found else None


def _metric(asked: Mapping[str, Any]) -> Metric:
    name = asked["name"]
    if not isinstance(name, str):
        raise OptionError(Argument("metric", bare=True), f" must be a text; it is {type(name).__name__}", value=name)
    metric = METRICS[name]
    options = asked.get("options") or {}
    if not isinstance(options, Mapping):
        raise OptionError("the options of a metric must be texts by name", argument="metric", value=options)
    chosen = {str(key): value for key, value in options.items() if value not in (None, "")}
    return metric(**convert("metric", metric.name, chosen, metric.defaults))


def _data(paths: list[Path], given: Given) -> tuple[Any, dict[str, Any]]:
    """Return what is compared, and the columns that `compare` has still to be told."""
    roles: dict[str, Any] = texts(given, names_of("column", "label", "policy"))
    total = _added(paths)
    if total is not None:
        return total, {name: roles[name] for name in ("positive",) if name in roles}
    _check_roles(given, "systems" if not _is_table(paths[0]) else "pair" if len(paths) == 2 else "table")
    if len(paths) == 1 and recognise(paths[0])[0] is None:
        return str(paths[0]), roles
    more: dict[str, Any] = texts(given, names_of("reader"))
    if given.get("by_line") is True:
        roles.pop("id", None)
        more["by_line"] = True
    names = dict(zip("ab", _names(given, "names") or [], strict=False))
    if len(paths) == 2:
        if len(set(names.values())) != 2:
            raise OptionError("the two systems need two different names", argument="name_b", value=names.get("b"))
        roles |= names
    outcomes = read(*paths, **roles, **more, examples=True)
    assert isinstance(outcomes, Outcomes)  # the page asks for pairs
    return replace(outcomes, names={**outcomes.names, **names}), {}


def _added(paths: list[Path]) -> Counts | None:
    """Return the counts of files, added up; None where they hold none.

    Raises:
        InputError: if two of them are the same.
    """
    counted = [counts for path in paths if (counts := counts_of(path)) is not None]
    if len(counted) < len(paths):
        return None
    for one, other in combinations(paths, 2):
        if cmp(one, other, shallow=False):
            same = f"{one} and {other} are the same file"
            raise InputError(same, remedy="the counts of two files are added, so remove one of them")
    return reduce(add, counted)


def _remarks(data: Any, paths: list[Path]) -> list[str]:
    """Say what files were taken for."""
    if isinstance(data, Counts) and len(paths) > 1:
        return [f"the counts of {'both' if len(paths) == 2 else 'all'} files were added: {data.n:,} examples"]
    return list(data.remarks) if isinstance(data, Outcomes) else []


def _is_table(path: Path) -> bool:
    reader = recognise(path)[0]
    return counts_of(path) is None and (reader is None or reader.table is not None)


def _check_roles(given: Given, layout: str) -> None:
    """Refuse a column that is chosen twice where that can only be a mistake: answers that are also the truth are all right.

    Raises:
        OptionError: if there is one.
    """
    shown = [option for option in OPTIONS.values() if any(layout in field.layouts for field in option.page)]
    own = [option.name for option in shown if option.use in ("truth", "system", "answers")]
    others = [option.name for option in shown if option.use in ("id", "side")]
    for first, second in combinations([name for name in (*own, *others) if name in given], 2):
        if first in own and given[first] == given[second] and first != OPTIONS[second].may_be:
            what, remedy = ("", "two") if layout == "systems" else (" column", "another for one of them")
            same = f" are the same{what}, {given[first]}"
            pair = Argument(first), " and ", Argument(second)
            raise OptionError(*pair, same, argument=second, remedy=f"choose {remedy}")


def _texts_for(verb: str, given: Given, *kinds: Any) -> dict[str, str]:
    """Return what the fields of some kinds say that a verb has."""
    return texts(given, [name for name in names_of(*kinds) if verb in OPTIONS[name].verbs])


def texts(given: Given, names: Sequence[str]) -> dict[str, str]:
    """Return what those of the fields say that are on the page and filled in."""
    found = {name: given[name] for name in names if name in FIELDS and name in given}
    for name, value in found.items():
        if not isinstance(value, str):
            raise OptionError(Argument(name, bare=True), f" must be a text; it is {type(value).__name__}", value=value)
    return found


def _names(given: Given, name: str) -> list[str] | None:
    """Return a list of names; None where nothing was chosen."""
    found = given.get(name)
    if found is None:
        return None
    if not isinstance(found, list) or len(found) > MOST or not all(isinstance(one, str) for one in found):
        raise OptionError(Argument(name, bare=True), " must be a list of names", value=found)
    if any(len(one) > LONGEST for one in found):
        raise OptionError(Argument(name, bare=True), f" has a name longer than {LONGEST} characters", value=found)
    return found


def _direction(given: Given) -> bool | None:
    """Return which way is up; None where nothing is said."""
    written = texts(given, ["lower_is_better"]).get("lower_is_better", "")
    if written not in DIRECTIONS:
        wrong = f" must be true or false; it is {written[:40]!r}"
        raise OptionError(Argument("lower_is_better", bare=True), wrong, value=written)
    return {"true": True, "false": False}.get(written)


def _sizes(given: Given) -> list[int] | None:
    """Return how many examples test sets are to have; None where nothing is said."""
    written = texts(given, ["sizes"]).get("sizes", "")
    if not re.fullmatch(r"[\d\s,;]{0,200}", written):
        wrong = f" must be whole numbers, as 100, 500; it is {written[:40]!r}"
        raise OptionError(Argument("sizes", bare=True), wrong, value=written)
    return [int(one) for one in re.findall(r"\d{1,9}", written)] or None


def decimal(given: Given, name: str) -> str | None:
    """Return what a field of numbers says, with a point before the decimals; None where it says nothing."""
    if given.get(name) is None:
        return None
    written = str(given[name]).strip()
    if re.fullmatch(r"[+-]?[1-9]\d{0,2}(,\d{3})+", written):
        remedy = "write it without commas, with a point before the decimals"
        raise OptionError(Argument(name, bare=True), f" is {written}", value=written, remedy=remedy)
    return re.sub(r",(?=\d+\D*$)", ".", written)  # 0,05 is how many people write it


def number(given: Given, name: str, default: float | None) -> float | None:
    """Return the number that a field says.

    Raises:
        OptionError: if it says something else.
    """
    written = decimal(given, name)
    if written is None:
        return default
    try:
        found = float(written)
    except ValueError:
        found = nan
    if not isfinite(found):
        raise OptionError(Argument(name, bare=True), f" must be a number; it is {written[:40]!r}", value=written)
    return found
