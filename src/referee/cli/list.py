"""`referee list`: what there is, read from the registries."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from typing import Any

import click

from referee.cli.options import OUTPUT, Verb, formats, with_options
from referee.cli.output import Outputs, emit

KINDS = ("metrics", "tests", "designs", "populations")
EXAMPLES = """\
referee list tests
referee list populations
"""


@click.command("list", cls=Verb, epilog=EXAMPLES)
@with_options(click.argument("kind", type=click.Choice(KINDS), required=False), formats("text", "json"), OUTPUT)
def verb(kind: str | None, **options: Any) -> None:
    """List metrics, tests, designs and populations.

    The populations that are shipped for audits are listed only if you ask for them: `referee list populations`.
    """
    outputs = Outputs.of(options)
    outputs.check()
    entries = {name: rows for name, rows in registered().items() if kind in (None, name)}
    if outputs.form == "json":
        emit(json.dumps({"schema": "referee.list/1", **entries}, ensure_ascii=False, indent=1), outputs.output)
        return
    hidden = len(entries.pop("populations")) if kind is None else 0
    blocks = [f"{name}\n{_table(rows)}" for name, rows in entries.items() if rows]
    blocks += (
        [f"populations\n  {hidden} populations are shipped for audits: referee list populations"] if hidden else []
    )
    emit("\n\n".join(blocks) or "there are none yet", outputs.output)


def registered() -> dict[str, list[dict[str, Any]]]:
    """Read the registries."""
    from referee.metrics import METRICS
    from referee.significance import TESTS
    from referee.significance.fold_tests import FOLD_TESTS
    from referee.studies.algorithms.designs import DESIGNS
    from referee.studies.auditing.population import SHIPPED, summary

    return {
        "metrics": [_entry(name, one, one.defaults, task=one.task) for name, one in METRICS.items()],
        "tests": [
            *(_entry(name, one, fits=one.fits) for name, one in TESTS.items()),
            *(_entry(name, one, fits=f"fold scores of {', '.join(one.fits)}") for name, one in FOLD_TESTS.items()),
        ],
        "designs": [_entry(name, one) for name, one in DESIGNS.items()],
        "populations": [{"name": name, "summary": summary(name), "options": {}} for name in SHIPPED],
    }


def _entry(name: str, kind: Any, options: Mapping[str, Any] | None = None, **more: str) -> dict[str, Any]:
    """Return what is said of one; its options are its fields if left out."""
    from dataclasses import fields

    options = {field.name: field.default for field in fields(kind)} if options is None else dict(options)
    return {"name": name, "summary": kind.summary, **more, "options": options}


def _table(entries: list[dict[str, Any]]) -> str:
    from referee.registry import spell

    width = max(len(entry["name"]) for entry in entries) + 4
    lines = []
    for entry in entries:
        name, options, use = entry["name"], entry["options"], entry.get("task") or entry.get("fits")
        given = {key: value for key, value in options.items() if value is not None}
        shown = {key: round(value, 4) if isinstance(value, float) else value for key, value in given.items()}
        text = entry["summary"] + (f" [{use}]" if use else "") + (f" {spell(name, shown)}" if shown else "")
        start = f"  {name}".ljust(width)
        lines.append(
            textwrap.fill(text, 100, initial_indent=start, subsequent_indent=" " * width, break_on_hyphens=False)
        )
    return "\n".join(lines)
