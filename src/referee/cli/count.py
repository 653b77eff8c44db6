"""`referee count`: how often each joint outcome occurred."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from referee.cli.options import DATA, OUTPUT, QUIET, Verb, declared, formats, with_options

if TYPE_CHECKING:
    from referee.data.counts import Counts

SHOWN = 50


@click.command("count", cls=Verb)
@with_options(
    DATA,
    *declared("count"),
    formats("json", "text", default="json"),
    OUTPUT,
    QUIET,
)
def verb(data: tuple[str, ...], form: str, output: str | None, quiet: bool, **options: Any) -> None:
    """Count the joint outcomes of two systems: all that a comparison needs.

    The counts are a few lines of JSON, whatever the size of the test set; `referee compare` reads them as data.
    """
    from referee.cli.inputs import counted, opened_all
    from referee.cli.output import emit
    from referee.cli.places import ready

    ready(output, inputs=(*data, options["universe"]))
    with opened_all(data) as paths:
        counts = counted(paths, options, quiet)
    emit(counts.to_json() if form == "json" else describe(counts), output)


def describe(counts: Counts) -> str:
    """Write counts as a table for people, the most frequent rows first."""
    from referee.report.numbers import whole
    from referee.report.phrases import clean, full
    from referee.report.render.text_layout import align

    order = sorted(range(len(counts)), key=lambda row: -int(counts.multiplicities[row]))[:SHOWN]
    head = [*(clean(counts.names.get(role, role)) for role in counts.columns), "times"]
    body = [
        [*(clean(values[row], 20) for values in counts.columns.values()), whole(int(counts.multiplicities[row]))]
        for row in order
    ]
    said = f"{whole(counts.n)} examples are {whole(len(counts))} distinct outcomes."
    more = [f"  and {whole(len(counts) - SHOWN)} more"] if len(counts) > SHOWN else []
    lines = [f"  {line}" for line in align([head, *body], right=(len(head) - 1,))]
    return "\n".join([said, "", *lines, *more, *(f"Warning: {full(note)}" for note in counts.remarks)])
