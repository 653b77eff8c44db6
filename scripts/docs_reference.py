"""The pages of the reference, written from the code each time the site is built: they cannot be stale."""

from __future__ import annotations

import inspect
import json
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import click
import griffe

import referee
from referee.cli.main import VERBS
from referee.cli.main import referee as command
from referee.data.demo_table import table
from referee.metrics import METRICS
from referee.registry import spell
from referee.significance import TESTS
from referee.significance.fold_tests import FOLD_TESTS
from referee.studies.algorithms.designs import DESIGNS

TASKS = {
    "binary": "two classes",
    "labels": "labels",
    "multiclass": "labels",
    "ranking": "two classes, and scores",
    "scores": "scores, no truth",
    "numbers": "numbers",
    "probabilities": "two classes, and probabilities",
    "sums": "texts, numbers or lists",
    "preferences": "judgements of which is better",
}
"""What the data are for each task of a metric."""
ROOT = Path(__file__).resolve().parents[1]
RESULTS = (
    "Audit", "Comparison", "Comparisons", "DatasetRanking", "Interval", "Measurement", "Measurements", "Plan", "Score",
    "Standings", "Trials", "Watch",
)  # fmt: skip
"""The public classes that functions return."""
CONTRACTS = {
    "Comparison": "The JSON contract",
    "Measurement": "One system",
    "Counts": "Counts files",
    "Audit": "Audits",
    "Plan": "Plans",
    "Standings": "Algorithms",
    "DatasetRanking": "Datasets",
    "Watch": "Watching",
}
"""The sections of docs/cli.md that say what the fields of a class mean."""
LONGEST = 3
"""How many entries of a list an example of JSON shows."""


def functions() -> str:
    """Write the page of the public functions."""
    return _page("Functions", "", *(f"::: referee.{name}" for name in _public(inspect.isroutine)))


def classes() -> str:
    """Write the page of the public classes."""
    names = _public(inspect.isclass)
    return _page(
        "Classes",
        "",
        "## Results",
        "What functions return. They are frozen: nothing changes them, and all that a report or a repetition needs is in them.",
        *(part for name in names if name in RESULTS for part in _class(name)),
        "## Data, metrics and errors",
        *(part for name in names if name not in RESULTS for part in _class(name)),
    )


def metrics() -> str:
    """Write the table of the metrics."""
    rows = [
        (f"`{name}`", metric.summary, TASKS[metric.task], _better(metric), _options(name, metric.defaults))
        for name, metric in METRICS.items()
    ]
    return _table(("metric", "what it is", "data", "better", "options and their defaults"), rows)


def tests() -> str:
    """Write the table of the tests of two systems on one test set; each has a section of its name."""
    rows = [
        (
            f"[`{name}`](#{name})",
            test.summary,
            test.fits,
            _options(name, _defaults(test)),
            "yes" if test.takes_groups else "no",
            test.reference,
        )
        for name, test in TESTS.items()
    ]
    return _table(("test", "what it does", "fits", "options and their defaults", "groups", "reference"), rows)


def designs() -> str:
    """Write the list of the designs and of the tests of fold scores."""
    rows = [
        (
            f"`{name}`",
            design.summary,
            f"`{design.test_of_scores}`" if design.test_of_scores else "that of one test set",
            _options(name, _defaults(design)),
        )
        for name, design in DESIGNS.items()
    ]
    parts = [
        part
        for name, test in FOLD_TESTS.items()
        for part in (f"### `{name}`", test.summary, _facts(test, sides="two" if test.two_sided else "one or two"))
    ]
    return _page(
        "All designs and fold tests",
        "How algorithms are trained and tested again and again, and the tests of the scores that come out. When to take which is in "
        "[Algorithms](../algorithms.md).",
        "## Designs",
        _table(("design", "what it is", "its test", "options and their defaults"), rows),
        "## Tests of fold scores",
        *parts,
    )


def options() -> str:
    """Write the options of every verb, as `--help` has them."""
    with click.Context(command, info_name="referee") as context:
        verbs = [_verb(name, context) for name in VERBS]
    return _page(
        "Options of every verb",
        "What `--help` prints. What the options mean together is in [The command line](../cli.md).",
        *verbs,
    )


def contracts() -> str:
    """Write the JSON of every kind of result, from results that are made here."""
    parts = []
    for title, told, meanings, results in _results():
        # What all results have is told where comparisons are.
        told_of = {**_meanings()[CONTRACTS["Comparison"]], **_meanings().get(meanings, {})}
        rows = [(f"`{field}`", kinds, told_of.get(field, "")) for field, kinds in _kinds(results)]
        parts += [f"## {title}", told, _table(("field", "kind", "what it is"), rows), _example(results[0])]
    return _page(
        "JSON",
        "What `--format json` prints and `to_dict()` returns, from results that were made while this page was built. Fields may be "
        "added within a schema's version, never taken away; what cannot be known is null. An interval is an object with `low`, `high`, "
        "`level` and `method`. [The command line](../cli.md#the-json-contract) has the same in context.",
        *parts,
    )


PAGES: dict[str, Callable[[], str]] = {
    "reference/functions.md": functions,
    "reference/classes.md": classes,
    "reference/designs.md": designs,
    "reference/options.md": options,
    "reference/json.md": contracts,
}
TABLES: dict[str, Callable[[], str]] = {"metrics": metrics, "tests": tests}
"""What stands where a page says <!-- from the code: NAME -->."""


def _page(title: str, told: str, *parts: str) -> str:
    return "\n\n".join([f"# {title}", *([told] if told else []), *parts]) + "\n"


def _public(kind: Callable[[Any], bool]) -> list[str]:
    return [name for name in referee.__all__ if kind(getattr(referee, name))]


def _class(name: str) -> Iterable[str]:
    """Write a class: what it is, its fields as a table, and its methods."""
    cls = getattr(referee, name)
    yield f"::: referee.{name}\n    options:\n      heading_level: 3\n      members: false"
    rows = _fields(name, cls)
    if rows:
        yield _table(("field", "type", "what it is"), rows)
    for member in dict.fromkeys(name for base in cls.__mro__ if base is not object for name in vars(base)):
        value = inspect.getattr_static(cls, member)
        if not member.startswith("_") and isinstance(value, FunctionType | classmethod | property):
            yield f"::: referee.{name}.{member}\n    options:\n      heading_level: 4"


def _fields(name: str, cls: type) -> list[tuple[str, str, str]]:
    """List the fields of a class that has some; their meaning is that of the JSON, or what stands below them in the code."""
    if not is_dataclass(cls):
        return []
    said, told = _code().get_member(name).final_target.members, _meanings().get(CONTRACTS.get(name, ""), {})
    return [
        (
            f"`{field.name}`",
            f"`{field.type}`",
            getattr(said[field.name].docstring, "value", "") or told.get(field.name, ""),
        )
        for field in fields(cls)
        if not field.name.startswith("_")
    ]


@cache
def _code() -> Any:
    """Return the package as it is written, without importing it."""
    return griffe.load("referee", search_paths=[str(ROOT / "src")], resolve_aliases=True)


@cache
def _meanings() -> dict[str, dict[str, str]]:
    """Read what docs/cli.md says of the fields of JSON, by its sections."""
    found: dict[str, dict[str, str]] = {}
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for section in page.split("\n## ")[1:]:
        rows = re.findall(r"^\| (`.*?`) \|(.*)\|$", section.partition("| field | |")[2], re.M)
        found[section.splitlines()[0]] = {name: text for row in rows for name, text in _told(*row)}
    return found


def _told(names: str, text: str) -> Iterable[tuple[str, str]]:
    """Yield the names of a row, each with its part of the text if there are as many parts as names."""
    listed = re.findall(r"`(\w+)`", names)
    # Links are left out: they are relative to the page that they stand on.
    bare = re.sub(r"\[(.*?)\]\(.*?\)", r"\1", text).strip()
    parts = bare.split("; ")
    return zip(listed, parts if len(parts) == len(listed) else [bare] * len(listed), strict=True)


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = tuple(head)
    lines = [head, ("---",) * len(head), *(tuple(_cell(cell) for cell in row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    # A bar ends a cell even inside of code; this one looks like it and does not.
    return " ".join(text.split()).replace("|", "&#124;" if "`" not in text else "∣")


def _better(metric: Any) -> str:
    return "higher" if metric.higher_is_better else "lower"


def _options(name: str, defaults: Mapping[str, Any]) -> str:
    shown = {key: round(value, 4) if isinstance(value, float) else value for key, value in defaults.items()}
    return f"`{spell(name, shown)}`" if shown else ""


def _defaults(kind: Any) -> dict[str, Any]:
    return {field.name: field.default for field in fields(kind) if field.default is not MISSING}


def _facts(test: Any, **more: str) -> str:
    """Write what is registered of a test, a line each."""
    fits = test.fits if isinstance(test.fits, str) else "scores of " + ", ".join(f"`{name}`" for name in test.fits)
    assumes = getattr(test, "assumes", "")
    said = {
        "fits": fits,
        "options": _options(test.name, _defaults(test)) or "none",
        "assumes": "; ".join(assumes) if isinstance(assumes, tuple | list) else assumes,
        "warns": getattr(test, "caution", ""),
        **more,
        "reference": test.reference,
    }
    return _table(("", ""), [(key, value) for key, value in said.items() if value])


def _verb(name: str, parent: click.Context) -> str:
    verb = command.get_command(parent, name)
    assert verb is not None
    with click.Context(verb, info_name=name, parent=parent) as context:
        usage = " ".join(verb.collect_usage_pieces(context))
        rows = [_option(parameter, context) for parameter in verb.params if isinstance(parameter, click.Option)]
        told = inspect.cleandoc(verb.help or "").replace("\b\n", "")
        examples = inspect.cleandoc(verb.epilog or "").replace("\b", "").strip()
    parts = [f"## `referee {name}`", f"`{context.command_path} {usage}`", told]
    parts.append(_table(("option", "default", "what it does"), rows))
    if examples:
        parts.append(f"```sh\n{examples}\n```")
    return "\n\n".join(parts)


def _option(option: click.Option, context: click.Context) -> tuple[str, str, str]:
    names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    if isinstance(option.type, click.Choice):
        names += " " + " or ".join(f"`{choice}`" for choice in option.type.choices)
    elif not option.is_flag:
        names += f" {option.metavar or option.type.name.upper()}"
    default = option.get_default(context, call=False)
    known = default is not None and not option.is_flag and not option.multiple and not callable(default)
    return names, f"`{default}`" if known and _plain(default) else "", option.help or ""


def _plain(default: Any) -> bool:
    return isinstance(default, str | int | float)


def _results() -> list[tuple[str, str, str, list[dict[str, Any]]]]:
    """Make results of every kind, several where fields can be null: title, where from, the section that explains it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "demo.csv"
        path.write_text(table(), encoding="utf-8")
        columns: dict[str, Any] = {"truth": "label", "a": "old", "b": "new", "positive": "spam"}
        counts = referee.count(str(path), **columns)
        grouped = referee.compare(str(path), **columns, metric="f1", group="sender", margin=0.02)
    one = referee.compare(counts, metric="f1")
    resampled = referee.compare(counts, metric="f1", test="bootstrap")
    unknown = referee.compare(truth=[0, 0, 0], a=[0, 1, 0], b=[0, 0, 0], metric="recall")
    means = referee.compare(a=[0.2, 0.5, 1.0, 0.0], b=[0.4, 0.5, 1.0, 0.3])
    several = referee.compare(counts, metric=["accuracy", "f1"])
    audited = referee.audit(counts, metric="f1", sets=50, test=["bootstrap", "randomization:studentized=true"])
    board = {
        "truth": [1, 0, 1, 1, 0, 1],
        "systems": {"x": [1, 0, 1, 0, 0, 1], "y": [1, 1, 0, 0, 0, 1], "z": [0, 1, 0, 1, 1, 0]},
    }
    rankings = [referee.rank(**board), referee.rank(**board, baseline="x", adjust="holm")]
    plans = [
        referee.plan(counts, metric="f1", n=1000),
        referee.plan(difference=0.1),
        referee.plan(difference=0.1, between=0.1, within=0.2),
    ]
    standings = referee.compare_scores({"x": [0.71, 0.80, 0.75, 0.79], "y": [0.90, 0.88, 0.95, 0.91]})
    by_dataset = {"x": [0.71, 0.80, 0.75, 0.79], "y": [0.90, 0.88, 0.95, 0.91], "z": [0.70, 0.81, 0.75, 0.70]}
    over, bayesian = referee.rank_datasets(by_dataset, test="nemenyi"), referee.rank_datasets(by_dataset, test="bayes")
    watched = [referee.watch(counts, margin=0.02), referee.watch(a=[0] * 20, b=[1] * 20)]
    return [
        (
            "A comparison",
            "`referee compare`, `referee.compare()`.",
            "The JSON contract",
            [r.to_dict() for r in (one, grouped, resampled, unknown, means)],
        ),
        (
            "Several comparisons",
            "`referee compare` of several metrics, slices or tasks; each has the fields of a comparison, and `task` and `p_adjusted`.",
            "The JSON contract",
            [{**several.to_dict(), "comparisons": [_brief(one) for one in several.to_dict()["comparisons"]]}],
        ),
        ("Counts", "`referee count`, `Counts.save()`.", "Counts files", [counts.to_dict()]),
        ("A watch", "`referee watch`, `referee.watch()`.", "Watching", [_bare(one.to_dict()) for one in watched]),
        ("An audit", "`referee audit`, `referee.audit()`.", "Audits", [audited.to_dict()]),
        ("A ranking", "`referee rank`, `referee.rank()`.", "Rankings", [one.to_dict() for one in rankings]),
        ("A plan", "`referee plan`, `referee.plan()`.", "Plans", [one.to_dict() for one in plans]),
        (
            "Algorithms",
            "`referee algorithms`, `referee.compare_algorithms()`.",
            "Algorithms",
            [standings.to_dict()],
        ),
        (
            "Systems over datasets",
            "`referee rank-datasets`, `referee.rank_datasets()`.",
            "Datasets",
            [over.to_dict(), bayesian.to_dict()],
        ),
    ]


def _kinds(results: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """List the fields of some results, and what was seen in them."""
    return [(field, " or ".join(sorted(kinds, key=lambda kind: kind == "null"))) for field, kinds in _seen(results)]


def _seen(objects: list[dict[str, Any]], above: str = "") -> Iterable[tuple[str, set[str]]]:
    """Yield the fields, each followed by those inside of it, with the kinds of their values."""
    for key in dict.fromkeys(key for one in objects for key in one):
        values = [one[key] for one in objects if key in one]
        yield f"{above}{key}", {_kind(value) for value in values}
        inside = [value for value in values if isinstance(value, dict) and not _is_interval(value)]
        listed = [entry for value in values if isinstance(value, list) for entry in value if isinstance(entry, dict)]
        yield from _seen(inside, f"{above}{key}.")
        yield from _seen(listed, f"{above}{key}[].")


def _is_interval(value: dict[str, Any]) -> bool:
    return list(value) == ["low", "high", "level", "method"]


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, dict) and _is_interval(value):
        return "interval"
    names = {bool: "true or false", str: "text", int: "number", float: "number", dict: "object", list: "list"}
    return names[type(value)]


def _bare(watched: dict[str, Any]) -> dict[str, Any]:
    """Leave of a watch's comparison what tells it apart."""
    kept = ("schema", "metric", "p_value", "verdict")
    return {**watched, "comparison": {key: watched["comparison"][key] for key in kept}}


def _brief(comparison: dict[str, Any]) -> dict[str, Any]:
    """Leave of one comparison of several what tells it apart."""
    return {key: comparison[key] for key in ("task", "p_adjusted", "schema", "metric", "p_value", "verdict")}


def _example(result: dict[str, Any]) -> str:
    """Write an example that opens when it is asked for; long lists are cut."""
    written = json.dumps(_shortened(result), ensure_ascii=False, indent=1).replace("\n", "\n    ")
    return f'??? example "An example"\n\n    ```json\n    {written}\n    ```'


def _shortened(value: Any) -> Any:
    """Cut long lists, so that an example stays one."""
    if isinstance(value, Mapping):
        return {key: _shortened(inner) for key, inner in value.items()}
    if isinstance(value, list) and len(value) > LONGEST:
        return [*(_shortened(inner) for inner in value[:LONGEST]), "..."]
    return [_shortened(inner) for inner in value] if isinstance(value, list) else value
