"""`referee watch`: look at a comparison while its examples still arrive, and say whether to stop or to keep going."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click

from referee.cli import options as opt
from referee.cli.growing import complete
from referee.cli.inputs import measure, open_all, outcomes
from referee.cli.output import STAND_INS, Outputs
from referee.errors import Message, NotReady

METRIC = "f1, f1:average=macro, dcf:cost_fn=10, module:function."
TEST = "anytime, or with its burn-in: anytime:burn_in=100."
STATE = "The file that remembers the looks so far; without it this look stands alone."
EVERY = "Look again every so many seconds until there is enough evidence to stop."
GATE = "Exit with 0 if B is better, equal or no worse; 1 if it is worse; 3 if the data can't tell yet, or no longer."
QUESTION = "better (default); with --margin: no-worse (non-inferiority) or equal (equivalence)."
UNPAIRED = "The systems answered different examples: two samples, not pairs."
OPTIONS = (
    opt.NAMES,
    opt.question("--metric", metavar="NAME", help=METRIC),
    opt.question("--test", metavar="NAME", help=TEST),
    opt.LOWER,
    opt.THRESHOLD,
    opt.ALTERNATIVE,
    opt.ALPHA,
    opt.question("--question", type=click.Choice(["better", "no-worse", "equal"]), help=QUESTION),
    opt.MARGIN,
    opt.option("--unpaired", is_flag=True, section="Data", help=UNPAIRED),
    opt.RNG,
    opt.running("--state", metavar="FILE", help=STATE),
    opt.running("--every", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", help=EVERY),
    *opt.RESULT,
    opt.result("--no-examples", is_flag=True, help="With --html: don't list examples on which the systems disagree."),
    opt.result("--gate", is_flag=True, help=GATE),
)
EXAMPLES = """\
referee watch preds.csv --truth label --a old --b new --state watch.json
referee watch preds.csv --truth label --a old --b new --state watch.json --every 30 --html watch.html
referee watch monday.json tuesday.json --metric f1 --margin 1pp --state watch.json --gate
referee watch old.eval new.eval --state watch.json
"""


@click.command("watch", cls=opt.Verb, epilog=EXAMPLES)
@opt.with_options(opt.DATA, *opt.declared("watch"), *OPTIONS)
@click.pass_context
def verb(
    context: click.Context, /, data: tuple[str, ...], no_examples: bool, gate: bool, every: float | None, **options: Any
) -> None:
    """Look at a comparison while its examples still arrive, and say whether to stop or to keep going.

    DATA is what referee compare takes, with all examples so far: a growing table, counts files, which are added up, or two
    logs. Look as often as you like: over all looks together, false alarms are at most alpha.
    """
    outputs, state = replace(Once.of(options), examples=not no_examples), options["state"]
    if every is not None and state is None:
        raise click.UsageError("--every needs --state, the file that remembers the looks so far", context)
    if every is not None and "-" in data:
        raise click.UsageError("--every needs files: standard input is read only once", context)
    if state == "-":
        raise click.UsageError("--state needs the name of a file", context)
    outputs.check(state, inputs=data, options=options)
    looked = 0
    with open_all(data) as sources:
        known = dict(STAND_INS)
        while True:
            with tempfile.TemporaryDirectory(prefix="referee-") as folder:
                with outputs.working():
                    answer = look(sources, Path(folder), options, outputs, again=every is not None)
                    if answer is not None:
                        outputs.draw(answer, examples=not no_examples)
                if answer is not None and (every is None or answer.decision == "stop"):
                    outputs.show(answer)
                    break
            if answer is not None and answer.looked > looked:
                outputs.tell(told(answer))
                looked = answer.looked
            STAND_INS.clear()
            STAND_INS.update(known)
            time.sleep(every or 0)
    if gate:
        context.exit(answer.gate)


@dataclass(frozen=True)
class Once(Outputs):
    """Outputs that say a thing once, however often one looks."""

    said: set[str] = field(default_factory=set)

    def tell(self, message: str) -> None:
        """Say something that is not a result, unless it was said before."""
        if message not in self.said:
            self.said.add(message)
            super().tell(message)


def look(sources: Sequence[str], folder: Path, options: dict[str, Any], outputs: Outputs, again: bool) -> Any:
    """Look once at what is complete in files.

    Args:
        sources: the files.
        folder: where copies of files that are still being written are made.
        options: those of the verb.
        outputs: what says what was left out.
        again: whether the files are looked at again if they cannot be read yet.

    Returns:
        The result; None if there is none yet.
    """
    try:
        # Standard input was read to its end.
        given = [source for source in sources if source not in STAND_INS]
        copies = {source: complete(source, folder / str(place), outputs) for place, source in enumerate(given)}
        return run([copies.get(source, source) for source in sources], dict(options), outputs)
    except NotReady as error:
        if not again:
            raise
        outputs.tell(Message("no look yet: ", error.message))
        return None


def run(paths: list[str], options: dict[str, Any], outputs: Outputs) -> Any:
    """Look once at what is in files."""
    from referee.data.counts import Counts
    from referee.studies.watching import watch

    options["metric"] = measure(options["metric"], options)
    missing, paired = options["missing"], not options.pop("unpaired")
    data = outcomes(paths, options, outputs, paired=paired)
    return watch(data, paired=paired, **({"missing": missing} if isinstance(data, Counts) else {}), **options)


def told(answer: Any) -> str:
    """Return the decision on one line."""
    from referee.report.document import plain
    from referee.report.phrases.watch import headline

    return plain(headline(answer))
