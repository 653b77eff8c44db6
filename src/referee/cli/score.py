"""`referee score`: how good is one system, and does it meet a target?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from referee.cli import options as opt
from referee.cli.inputs import measures, one_system, open_all
from referee.cli.output import Outputs, emit

METRIC = "f1, f1:average=macro, dcf:cost_fn=10, module:function; may be repeated."
PREDICTION = "The system: its column of predictions or scores; in a log of several, its name."
GATE = "Exit with 0 if the target is met, 1 if it is not, 3 if the data can't tell."
OPTIONS = (
    opt.option(
        "--names", type=opt.names, metavar="NAME", section="Data", help="What to call the system in the result."
    ),
    opt.question("--metric", multiple=True, metavar="NAME", help=METRIC),
    opt.question("--at-least", metavar="NUMBER", help="The score to reach, if higher is better: 0.9, or 90%."),
    opt.question("--at-most", metavar="NUMBER", help="The score not to exceed, if lower is better."),
    opt.LOWER,
    opt.THRESHOLD,
    opt.question(
        "--alpha",
        type=float,
        default=0.05,
        show_default=True,
        help="How often a system just at the target may pass by luck.",
    ),
    opt.RNG,
    *opt.RESULT,
    opt.result("--gate", is_flag=True, help=GATE),
    opt.COUNTS,
)
EXAMPLES = """\
referee score preds.csv --truth label --prediction new --metric f1 --positive spam
referee score preds.csv --truth label --prediction new --metric f1 --at-least 0.9 --gate
referee score run.eval --at-least 80%
referee score preds.csv --truth label --prediction new --group document --by language
"""


@click.command("score", cls=opt.Verb, epilog=EXAMPLES)
@opt.with_options(
    opt.DATA,
    opt.option("--prediction", section="Data", metavar="COLUMN", help=PREDICTION),
    *opt.declared("score"),
    *OPTIONS,
)
@click.pass_context
def verb(context: click.Context, /, data: tuple[str, ...], gate: bool, save_counts: str | None, **options: Any) -> None:
    """Score one system, with intervals, and say whether it meets a target.

    DATA is a table with one row per example (CSV, TSV, JSON lines or Parquet; text formats also with .gz), a pattern that
    matches several, counts files, which are added up, - for standard input, or the log of one run (lm-evaluation-harness,
    inspect, promptfoo and others, which are recognised).
    """
    outputs = Outputs.of(options)
    if gate and options["at_least"] is None and options["at_most"] is None:
        raise click.UsageError("--gate needs a target: --at-least, or --at-most if lower is better", context)
    outputs.check(save_counts, inputs=data, options=options)
    with outputs.working(), open_all(data) as paths:
        answer = run(paths, options, save_counts, outputs)
        outputs.draw(answer)
    outputs.show(answer)
    if gate:
        context.exit(answer.gate)


def run(paths: list[str], options: dict[str, Any], save_counts: str | None, outputs: Outputs) -> Any:
    """Score what is in files, and keep the counts if asked."""
    from referee.data.counts import Counts
    from referee.studies.measurement import score

    metrics, missing = measures(options.pop("metric"), options), options["missing"]
    metric = metrics if len(metrics) > 1 else next(iter(metrics), None)
    data = one_system(paths, options, outputs)
    counts = data if isinstance(data, Counts) else data.count()
    data = data if isinstance(data, Counts) else replace(data, counted=counts)
    answer = score(data, metric=metric, **({"missing": missing} if isinstance(data, Counts) else {}), **options)
    if save_counts is not None:
        emit(counts.to_json(), save_counts)
        outputs.tell(f"the counts are in {save_counts}")
    return answer
