"""`referee count`: how often each joint outcome occurred."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from referee.cli.inputs import open_all, outcomes
from referee.cli.options import DATA, NAMES, OUTPUT, QUIET, Verb, declared, formats, with_options
from referee.cli.output import Outputs, emit

if TYPE_CHECKING:
    from referee.data.counts import Counts

SHOWN = 50
EXAMPLES = """\
referee count preds.csv --truth label --a old --b new -o week.json
referee compare week.json --metric f1 --positive spam
"""


@click.command("count", cls=Verb, epilog=EXAMPLES)
@with_options(DATA, *declared("count"), NAMES, formats("json", "text", default="json"), OUTPUT, QUIET)
def verb(data: tuple[str, ...], **options: Any) -> None:
    """Count the joint outcomes of two systems: all that a comparison needs.

    The counts are a few lines of JSON, whatever the size of the test set; `referee compare` reads them as data.
    """
    from referee.data.outcomes import count

    outputs = Outputs.of(options)
    outputs.check(inputs=data, options=options)
    with open_all(data) as paths:
        names = options.pop("names")
        counts = count(outcomes(paths, options, outputs), names=names)
    emit(counts.to_json() if outputs.form == "json" else describe(counts), outputs.output)


def describe(counts: Counts) -> str:
    """Write counts as a table for people, the most frequent rows first."""
    from referee.report.numbers import whole
    from referee.report.phrases import clean, full
    from referee.report.render.text_layout import align

    times = counts.multiplicities
    head = [*(clean(counts.names.get(role, role)) for role in counts.columns), "times"]
    body = [
        [*(clean(values[row], 20) for values in counts.columns.values()), whole(int(times[row]))]
        for row in sorted(range(len(counts)), key=lambda row: -int(times[row]))[:SHOWN]
    ]
    lines = [f"  {line}" for line in align([head, *body], right=(len(head) - 1,))]
    more = [f"  and {whole(len(counts) - SHOWN)} more"] if len(counts) > SHOWN else []
    warnings = (f"Warning: {full(note)}" for note in counts.remarks)
    summary = f"{whole(counts.n)} examples are {whole(len(counts))} distinct outcomes."
    return "\n".join([summary, "", *lines, *more, *warnings])
