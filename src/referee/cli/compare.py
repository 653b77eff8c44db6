"""`referee compare`: is system B really better than system A?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from referee.cli import options as opt
from referee.cli.inputs import measures, open_all, outcomes
from referee.cli.output import Outputs, emit
from referee.errors import InputError

METRIC = "f1, f1:average=macro, dcf:cost_fn=10, module:function; may be repeated."
GATE = "Exit with 0 if B is better, equal or no worse; 1 if it is worse; 3 if the data can't tell."
AUDIT = "Measure how often this test errs on data like yours; by default if that takes under 0.1 s."
ADJUST = "How to adjust for several comparisons: max-t, bonferroni, holm, hochberg, bh, by, none."
TASKS = "With --by: whether the average is about these tasks, or takes them for a sample of tasks."
UNPAIRED = "The systems answered different examples: two samples, not pairs."
QUESTION = "better (default); with --margin: no-worse (non-inferiority) or equal (equivalence)."
OPTIONS = (
    opt.NAMES,
    opt.question("--metric", multiple=True, metavar="NAME", help=METRIC),
    opt.question("--test", metavar="NAME", help="mcnemar, bootstrap:replicates=20000, ...; chosen for you by default."),
    opt.LOWER,
    opt.THRESHOLD,
    opt.ALTERNATIVE,
    opt.ALPHA,
    opt.question("--question", type=click.Choice(["better", "no-worse", "equal"]), help=QUESTION),
    opt.MARGIN,
    opt.question("--adjust", metavar="NAME", default="max-t", show_default=True, help=ADJUST),
    opt.question("--tasks", type=click.Choice(["fixed", "random"]), default="fixed", show_default=True, help=TASKS),
    opt.option("--unpaired", is_flag=True, section="Data", help=UNPAIRED),
    opt.question("--audit/--no-audit", default=None, help=AUDIT),
    opt.RNG,
    *opt.RESULT,
    opt.result("--no-examples", is_flag=True, help="With --html: don't list examples on which the systems disagree."),
    opt.result("--gate", is_flag=True, help=GATE),
    opt.COUNTS,
)
EXAMPLES = """\
referee compare preds.csv --truth label --a old --b new --metric f1 --positive spam
referee compare scores.csv --a old --b new --group document
referee compare old/samples_arc_easy_2026-01-01.jsonl new/samples_arc_easy_2026-01-02.jsonl
referee compare old.csv new.csv --id question --truth label --prediction answer
referee compare may.csv june.csv --unpaired --truth label --prediction answer
referee compare prefs.csv --winner winner --a old --b new --first first
"""


@click.command("compare", cls=opt.Verb, epilog=EXAMPLES)
@opt.with_options(opt.DATA, *opt.declared("compare"), *OPTIONS)
@click.pass_context
def verb(
    context: click.Context, /, data: tuple[str, ...], no_examples: bool, gate: bool, save_counts: str, **options: Any
) -> None:
    """Say whether system B is really better than system A.

    DATA is a table with one row per example (CSV, TSV, JSON lines or Parquet; text formats also with .gz), a pattern that
    matches several, counts files, which are added up, or - for standard input. Two DATA are two runs, one per system, paired
    by id: tables (with --id), or logs of lm-evaluation-harness, inspect, promptfoo and others, which are recognised.
    """
    from referee.data.samples import SharedExamples

    outputs = replace(Outputs.of(options), examples=not no_examples)
    outputs.check(save_counts, inputs=data, options=options)
    with outputs.working(), open_all(data) as paths:
        try:
            answer = run(paths, options, save_counts, outputs)
        except SharedExamples as error:
            pairs = opt.command(context, unpaired=None)
            raise InputError(
                str(error).partition(": the systems")[0], argument="unpaired", remedy=f"pair them: {pairs}"
            ) from None
        outputs.draw(answer, examples=not no_examples)
    outputs.show(answer)
    if gate:
        context.exit(answer.gate)


def run(paths: list[str], options: dict[str, Any], save_counts: str | None, outputs: Outputs) -> Any:
    """Compare what is in files, and keep the counts if asked."""
    from referee.data.counts import Counts
    from referee.data.naming import renamed
    from referee.data.samples import Samples
    from referee.studies.comparison import compare

    metrics, missing = measures(options.pop("metric"), options), options["missing"]
    metric = metrics if len(metrics) > 1 else next(iter(metrics), None)
    unpaired = options.pop("unpaired")
    data = outcomes(paths, options, outputs, paired=not unpaired)
    data = data.count() if isinstance(data, Samples) else data
    if isinstance(data, Counts):
        counts = data
        answer = compare(data, metric=metric, missing=missing, paired=not unpaired, **options)
    else:
        counts = data.count()
        answer = compare(replace(data, counted=counts), metric=metric, **options)
    if save_counts is not None:
        emit(renamed(counts, options["names"]).to_json(), save_counts)
        outputs.tell(f"the counts are in {save_counts}")
    return answer
