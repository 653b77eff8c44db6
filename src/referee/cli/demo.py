"""`referee demo`: the main job on a small made-up data set, in seconds and with no network."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path

import click

from referee.cli.options import Verb, option
from referee.cli.output import emit, ready
from referee.data.demo_table import MESSAGES, SENDERS, table
from referee.errors import Argument, InputError

COMMAND = "referee compare demo.csv --truth label --a old --b new --positive spam --metric f1"


@click.command("demo", cls=Verb)
@option("--save", metavar="FILE", help="Keep the data in this file (a CSV), to try commands on.")
def verb(save: str | None) -> None:
    """Show the main job on a small made-up data set."""
    ready(save)
    if save is not None:
        if not save.endswith(".csv") or Path(save).exists():
            why = "already exists" if Path(save).exists() else "does not end with .csv"
            raise InputError(Argument("save"), f" writes a new CSV; {save} {why}")
        emit(table(), save)
    with tempfile.TemporaryDirectory(prefix="referee-") as folder:
        path = Path(folder) / "demo.csv"
        path.write_text(table(), encoding="utf-8")
        emit(f"{SENDERS * MESSAGES} made-up messages from {SENDERS} senders; two spam filters, old and new.")
        named = COMMAND.replace("demo.csv", shlex.quote(save)) if save is not None else COMMAND
        run(named, COMMAND, path)
        fewer = "Messages from one sender resemble each other, so they carry less information than they seem to."
        emit(f"\n\n{fewer} With the senders as groups:")
        run(f"{named} --group sender", f"{COMMAND} --group sender", path)
    emit(
        f"\n\nNext: try it on {save or 'your own table'}. `--html report.html` writes a page to look at; `referee audit` "
        "in place of `compare` measures how often the test itself raises a false alarm on such data. `--help` lists the "
        "options, `referee list` the metrics and tests."
    )


def run(shown: str, command: str, path: Path) -> None:
    """Print a command, as it can be run where the data were kept, and run it on the data in their temporary place."""
    from referee.cli.compare import verb as compare

    emit(f"\n$ {shown}\n\n")
    words = [str(path) if word == "demo.csv" else word for word in shlex.split(command)[2:]]
    with compare.make_context("referee compare", words) as context:
        compare.invoke(context)
