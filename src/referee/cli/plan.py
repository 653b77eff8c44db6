"""`referee plan`: how many examples does it take to detect a difference?"""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from referee.cli import options as opt
from referee.cli.inputs import measure, open_all, outcomes
from referee.cli.output import Outputs, emit
from referee.errors import Argument, OptionError

stated = partial(opt.option, section="Without a pilot")
METRIC = "f1, accuracy, module:function; all but accuracy, error and mean need DATA."
QUESTION = "better (default); with --margin: no-worse (non-inferiority) or equal (equivalence)."
DIFFERENCE = "The true difference B - A to detect: 0.02, or 2pp; by default that of DATA."
PILOT = click.argument("data", metavar="[DATA]", nargs=-1)
OPTIONS = (
    opt.NAMES,
    opt.question("--metric", metavar="NAME", help=METRIC),
    opt.question("--test", metavar="NAME", help="mcnemar, bootstrap, ...; by default what compare would choose."),
    opt.question("--difference", metavar="NUMBER", help=DIFFERENCE),
    opt.question("-n", "--n", "n", type=int, help="How many examples there will be: what would they detect?"),
    opt.question("--power", type=float, default=0.8, show_default=True, help="How often it is to be detected."),
    opt.question("--runs", type=int, help="How often each example is answered (repeats)."),
    opt.LOWER,
    opt.THRESHOLD,
    opt.ALTERNATIVE,
    opt.ALPHA,
    opt.question("--question", type=click.Choice(["better", "no-worse", "equal"]), help=QUESTION),
    opt.MARGIN,
    opt.question("--sizes", type=opt.listed(int), metavar="N,N", help="The sizes of the power curve; ten by default."),
    opt.RNG,
    stated("--scores", type=opt.listed(float), metavar="A,B", help="The scores of A and B, or that of A: 0.80,0.83."),
    stated("--agreement", type=float, help="The share of examples on which both are right or both wrong: 0.9."),
    stated("--between", type=float, help="The variance of the difference from example to example."),
    stated(
        "--within",
        type=opt.listed(float),
        metavar="V",
        help="The variance of a score from run to run; V,V if they differ.",
    ),
    *opt.RESULT,
    opt.COUNTS,
)
EXAMPLES = """\
referee plan pilot.csv --truth label --a old --b new --metric f1 --positive spam --difference 2pp
referee plan pilot.csv --truth label --a old --b new --metric f1 --positive spam --n 5000
referee plan --scores 0.80,0.83 --agreement 0.9
referee plan --difference 3pp
referee plan --difference 0.03 --between 0.111 --within 0.167 --runs 10
"""


@click.command("plan", cls=opt.Verb, epilog=EXAMPLES)
@opt.with_options(PILOT, *opt.declared("plan"), *OPTIONS)
@click.pass_context
def verb(context: click.Context, /, data: tuple[str, ...], save_counts: str | None, **options: Any) -> None:
    """Say how many examples it takes to detect a difference, and what so many would detect.

    DATA is a pilot: a small test set, in any form that compare takes. Without one, the plan is for accuracy (--scores,
    --agreement, or --difference alone) or for a mean (--between, --within). With --n it says what so many examples would
    detect; with --n and --difference, how often.
    """
    outputs = Outputs.of(options)
    outputs.check(save_counts, inputs=data, options=options)
    with outputs.working():
        if data:
            with open_all(data) as paths:
                answer = with_pilot(paths, options, save_counts, outputs)
        else:
            answer = without_pilot(context, options, save_counts)
        outputs.draw(answer)
    outputs.show(answer)


def with_pilot(paths: list[str], options: dict[str, Any], save_counts: str | None, outputs: Outputs) -> Any:
    """Plan from what is in files, and keep the counts if asked."""
    from referee.data.counts import Counts
    from referee.data.naming import renamed
    from referee.studies.planning.plan import plan

    options["metric"] = measure(options["metric"], options)
    data = outcomes(paths, options, outputs)
    counts = renamed(data if isinstance(data, Counts) else data.count(), options.pop("names"))
    if save_counts is not None:
        emit(counts.to_json(), save_counts)
        outputs.tell(f"the counts are in {save_counts}")
    return plan(counts, **options)


def without_pilot(context: click.Context, options: dict[str, Any], save_counts: str | None) -> Any:
    """Plan from what was stated; complain about an option that describes data."""
    from referee.data.roles import every_option
    from referee.studies.planning.plan import plan

    described = [
        name for name in opt.given(context) if name in every_option() or name in ("names", "threshold", "save_counts")
    ]
    if described:
        raise OptionError(
            Argument(described[0]),
            " is about a pilot, and there is none",
            argument=described[0],
            remedy="name its file",
        )
    return plan(**{name: value for name, value in options.items() if name not in every_option()})
