"""`referee demo`: the main job on a small made-up data set, in seconds and with no network."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path

import click

from referee.cli.options import Verb
from referee.data.demo_table import MESSAGES, SENDERS, table
from referee.errors import InputError

COMMAND = "referee compare demo.csv --truth label --a old --b new --positive spam --metric f1"


@click.command("demo", cls=Verb)
@click.option("--save", metavar="FILE", help="Keep the data there (a CSV), to try the commands on.")
def verb(save: str | None) -> None:
    """Show the main job on a small made-up data set."""
    from referee.cli.output import emit
    from referee.cli.places import ready

    ready(save)
    if save is not None:
        if not save.endswith(".csv") or Path(save).exists():
            raise InputError(
                f"--save writes a new CSV; {save} "
                + ("is there already" if Path(save).exists() else "does not end with .csv")
            )
        emit(table(), save)
    with tempfile.TemporaryDirectory(prefix="referee-") as folder:
        path = Path(folder) / "demo.csv"
        path.write_text(table(), encoding="utf-8")
        emit(f"{SENDERS * MESSAGES} messages of {SENDERS} senders, made up; two spam filters, old and new.")
        run(COMMAND, path)
        emit(
            "\n\nMessages of one sender resemble each other, so they say less than they seem to. "
            "With the senders as groups:"
        )
        run(f"{COMMAND} --group sender", path)
    where = save or "your own table"
    emit(
        f"\n\nNext: do it with {where}; `--html report.html` writes a page to look at; `referee audit` in place of `compare` says how often the test itself raises a false "
        "alarm on such data. `--help` has the options, `referee list` metrics and tests."
    )


def run(command: str, path: Path) -> None:
    """Print a command and run it, on the data in their temporary place."""
    from referee.cli.compare import verb as compare
    from referee.cli.output import emit

    emit(f"\n$ {command}\n\n")
    words = [str(path) if word == "demo.csv" else word for word in shlex.split(command)[2:]]
    with compare.make_context("referee compare", words) as context:
        compare.invoke(context)
