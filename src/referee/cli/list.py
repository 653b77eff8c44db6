"""`referee list`: what there is, read from the registries."""

from __future__ import annotations

import json
from typing import Any

import click

from referee.cli.options import OUTPUT, Verb, formats, with_options

KINDS = ("metrics", "tests", "designs", "populations")


@click.command("list", cls=Verb)
@with_options(click.argument("kind", type=click.Choice(KINDS), required=False), formats("text", "json"), OUTPUT)
def verb(kind: str | None, form: str, output: str | None) -> None:
    """List the metrics, the tests, the designs and the populations."""
    from referee.cli.output import emit
    from referee.cli.places import ready

    ready(output)
    found = {name: entries for name, entries in registered().items() if kind in (None, name)}
    emit(as_json(found) if form == "json" else as_text(found), output)


def registered() -> dict[str, list[dict[str, Any]]]:
    """Read the registries."""
    from referee.metrics import METRICS
    from referee.significance import TESTS
    from referee.significance.fold_tests import FOLD_TESTS
    from referee.studies.algorithms.designs import DESIGNS

    metrics = [
        {"name": name, "summary": metric.summary, "task": metric.task, "options": dict(metric.defaults)}
        for name, metric in METRICS.items()
    ]
    tests = [
        {"name": name, "summary": test.summary, "fits": test.fits, "options": _options(test)}
        for name, test in TESTS.items()
    ]
    folds = [
        {
            "name": name,
            "summary": test.summary,
            "fits": f"fold scores of {', '.join(test.fits)}",
            "options": _options(test),
        }
        for name, test in FOLD_TESTS.items()
    ]
    designs = [
        {"name": name, "summary": design.summary, "options": _options(design)} for name, design in DESIGNS.items()
    ]
    return {"metrics": metrics, "tests": tests + folds, "designs": designs, "populations": _populations()}


def _options(kind: Any) -> dict[str, Any]:
    from dataclasses import fields

    return {f.name: f.default for f in fields(kind)}


def _populations() -> list[dict[str, Any]]:
    from referee.studies.auditing.shipped import SHIPPED, summary

    return [{"name": name, "summary": summary(name), "options": {}} for name in SHIPPED]


def as_json(found: dict[str, Any]) -> str:
    """Write the list as the contract `referee.list/1` has it."""
    return json.dumps({"schema": "referee.list/1", **found}, ensure_ascii=False, indent=1)


def as_text(found: dict[str, list[dict[str, Any]]]) -> str:
    """Write the list as a table."""
    blocks = [f"{kind}\n{_table(entries)}" for kind, entries in found.items() if entries]
    return "\n\n".join(blocks) or "there are none yet"


def _table(entries: list[dict[str, Any]]) -> str:
    import textwrap

    from referee.registry import spell

    name = max(len(entry["name"]) for entry in entries) + 4
    lines = []
    for entry in entries:
        of = entry.get("task") or entry.get("fits")
        said = entry["summary"] + (f" [{of}]" if of else "")
        if entry["options"]:
            shown = {
                key: round(value, 4) if isinstance(value, float) else value for key, value in entry["options"].items()
            }
            said += f" {spell(entry['name'], shown)}"
        start = f"  {entry['name']}".ljust(name)
        lines.append(
            textwrap.fill(said, 100, initial_indent=start, subsequent_indent=" " * name, break_on_hyphens=False)
        )
    return "\n".join(lines)
