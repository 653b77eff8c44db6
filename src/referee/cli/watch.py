"""`referee watch`: look at a comparison while its examples still arrive, and say whether to stop or to keep going."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from referee.cli import options as opt
from referee.cli.inputs import measure, open_all, outcomes
from referee.cli.output import STAND_INS, Outputs

METRIC = "f1, f1:average=macro, dcf:cost_fn=10, module:function."
TEST = "anytime, or with its burn-in: anytime:burn_in=100."
STATE = "The file that remembers the looks so far; without it this look stands alone."
EVERY = "Look again every so many seconds until there is enough evidence to stop."
GATE = "Exit with 0 if B is better, equal or no worse; 1 if it is worse; 3 to keep going."
QUESTION = "better (default); with --margin: no-worse (non-inferiority) or equal (equivalence)."
UNPAIRED = "The systems answered different examples: two samples, not pairs."
TEXT = (".csv", ".tsv", ".jsonl", ".ndjson")
"""Tables that grow line by line."""
TAIL = 1 << 16
"""How many bytes of the end of a table are looked at together."""
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
    outputs, state = replace(Outputs.of(options), examples=not no_examples), options["state"]
    if every is not None and state is None:
        raise click.UsageError("--every needs --state, the file that remembers the looks so far", context)
    if every is not None and "-" in data:
        raise click.UsageError("--every needs files: standard input is read only once", context)
    if state == "-":
        raise click.UsageError("--state needs the name of a file", context)
    outputs.check(state, inputs=data, options=options)
    talk, looked = outputs, 0
    with outputs.working():
        while True:
            with open_all(data) as sources, finished(sources, talk) as paths:
                answer = run(paths, dict(options), talk)
                outputs.draw(answer, examples=not no_examples)
            if every is None or answer.decision == "stop":
                break
            if answer.looked > looked:
                outputs.tell(told(answer))
            talk, looked = replace(outputs, quiet=True), answer.looked
            time.sleep(every)
    outputs.show(answer)
    if gate:
        context.exit(answer.gate)


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


@contextlib.contextmanager
def finished(paths: Sequence[str], outputs: Outputs) -> Iterator[list[str]]:
    """Give paths of tables whose last lines are complete: a line without its end may still be being written.

    Args:
        paths: of all data.
        outputs: what says what was left out.
    """
    if len(paths) != 1 or Path(paths[0]).suffix.lower() not in TEXT or not (cut := _unfinished(Path(paths[0]))):
        yield list(paths)
        return
    with tempfile.TemporaryDirectory(prefix="referee-") as folder:
        copy = Path(folder) / Path(paths[0]).name
        shutil.copyfile(paths[0], copy)
        with copy.open("r+b") as file:
            file.truncate(cut)
        STAND_INS[str(copy)] = paths[0]
        outputs.tell(f"the last line of {paths[0]} has no line break, so it may be incomplete: it is left out")
        yield [str(copy)]


def _unfinished(path: Path) -> int:
    """Return where the last line of a table begins that has no line break at its end; 0 if it has, or there is no other line."""
    if not path.is_file():
        return 0
    with path.open("rb") as file:
        place = file.seek(0, 2)
        rest = b""
        while place > 0:
            step = min(TAIL, place)
            place -= step
            file.seek(place)
            rest = file.read(step)
            if rest.rfind(b"\n") >= 0 or rest.rfind(b"\r") >= 0:
                last = max(rest.rfind(b"\n"), rest.rfind(b"\r"))
                return 0 if place + last + 1 == file.seek(0, 2) else place + last + 1
    return 0
