"""`referee compare`: is system B really better than system A?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from referee.cli.options import (
    ALTERNATIVE,
    DATA,
    MARGIN,
    OUTPUT,
    QUIET,
    THRESHOLD,
    Seed,
    Verb,
    declared,
    formats,
    with_options,
)
from referee.cli.pictures import PICTURES

METHOD = (
    click.option(
        "--metric",
        multiple=True,
        metavar="NAME",
        help="f1, f1:average=macro, dcf:cost_fn=10, module:function; may be repeated.",
    ),
    click.option(
        "--test", metavar="NAME", help="mcnemar, bootstrap:replicates=20000, ...; chosen by the data if left out."
    ),
    THRESHOLD,
    ALTERNATIVE,
    click.option(
        "--alpha", type=float, default=0.05, show_default=True, help="The share of false alarms that is accepted."
    ),
    click.option(
        "--question",
        type=click.Choice(["better", "no-worse", "equal"]),
        help="better (default); with --margin: no-worse (non-inferiority) or equal (equivalence).",
    ),
    MARGIN,
    click.option(
        "--audit/--no-audit",
        default=None,
        help="Measure how often this test errs on data like these; by default if that takes under 0.1 s.",
    ),
    click.option("--rng", type=Seed(), default=0, show_default=True, help="The seed: a whole number, or none."),
)
RESULT = (
    formats(),
    OUTPUT,
    *PICTURES,
    click.option("--no-examples", is_flag=True, help="With --html: do not list the examples on which they differ."),
    click.option(
        "--gate", is_flag=True, help="Exit with 0: b better, equal or no worse; 1: b worse; 3: the data cannot tell."
    ),
    click.option("--save-counts", metavar="FILE", help="Keep the counts: all that another comparison needs."),
    QUIET,
)
EXAMPLES = """\b
referee compare preds.csv --truth label --a old --b new --metric f1 --positive spam
referee compare scores.csv --a old --b new --group document
referee compare old/samples_arc_easy_2026-01-01.jsonl new/samples_arc_easy_2026-01-02.jsonl
referee compare old.csv new.csv --id question --truth label --prediction answer
"""


@click.command("compare", cls=Verb, epilog=EXAMPLES)
@with_options(
    DATA,
    *declared("compare", "Data", "Logs"),
    *METHOD,
    *declared("compare", "Question", "Dirty data"),
    *RESULT,
)
@click.pass_context
def verb(
    context: click.Context,
    /,
    data: tuple[str, ...],
    form: str,
    output: str | None,
    html: str | None,
    chart: str | None,
    no_examples: bool,
    gate: bool,
    save_counts: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Say whether system B is really better than system A.

    DATA is a table (CSV, TSV, JSON lines or Parquet, the text ones also with .gz), a pattern of several, counts files, which
    are added, or - for standard input. Two are two runs, one a system, paired by id: tables (with --id), or logs of
    lm-evaluation-harness, inspect, promptfoo and others, which are recognised.
    """
    from referee.cli.inputs import opened_all
    from referee.cli.output import show
    from referee.cli.pictures import draw, possible
    from referee.cli.places import ready
    from referee.cli.progress_bar import progress
    from referee.cli.streams import reserved

    ready(output, save_counts, html, chart, inputs=(*data, options["universe"]))
    possible(form, html, chart)
    with reserved(), opened_all(data) as paths, progress(quiet):
        result = run(paths, options, save_counts, quiet)
        draw(result, html, chart, quiet, examples=not no_examples)
    show(result, form, output)
    if gate:
        context.exit(result.gate)


def run(paths: list[str], options: dict[str, Any], save_counts: str | None, quiet: bool) -> Any:
    """Compare what is in files, and keep the counts if asked."""
    from referee.cli.inputs import found
    from referee.cli.output import emit, talk
    from referee.data.counts import Counts
    from referee.studies.comparison import compare

    chosen = list(options.pop("metric"))
    metric = None if not chosen else chosen[0] if len(chosen) == 1 else chosen
    missing = options["missing"]
    data = found(paths, options, quiet)
    if isinstance(data, Counts):
        counts = data
        result = compare(data, metric=metric, missing=missing, **options)
    else:
        counts = data.count()
        result = compare(replace(data, counted=counts), metric=metric, **options)
    if save_counts is not None:
        emit(counts.to_json(), save_counts)
        talk(f"the counts are in {save_counts}", quiet)
    return result
