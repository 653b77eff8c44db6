"""Where results go: whole to a file, or to standard output; as wide as a terminal, and in colour, only on one."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import click

from referee.cli.spelling import as_options
from referee.cli.streams import is_terminal, placed, results, why
from referee.errors import InputError
from referee.runtime.safe_text import escaped

if TYPE_CHECKING:
    from rich.text import Text

    from referee.results.base import Reported


STAND_INS: dict[str, str] = {}
"""What the user calls files, by the paths that stand in for them: standard input is spooled to a file."""


def show(result: Reported, form: str, output: str | None = None) -> None:
    """Hand a result over in a form: text for a terminal as wide as that is and in colour, all else as it is.

    Args:
        result: what was found.
        form: one of the output formats.
        output: a file to write; standard output if left out.
    """
    if form != "text" or output not in (None, "-") or not is_terminal():
        emit(result.to(form), output)
        return
    from referee.report.documents import document_of
    from referee.report.render.text import painted, plain_text

    document, columns = document_of(result), shutil.get_terminal_size((80, 24)).columns
    if _colourful():
        _paint(painted(document, columns))
    else:
        emit(plain_text(document, columns))


def emit(text: str, output: str | None = None) -> None:
    """Write a text; a terminal is given no sign that it would obey.

    Args:
        text: the text.
        output: a file to write, whole or not at all; standard output if left out.
    """
    text = text if text.endswith("\n") else text + "\n"
    if output is not None and output != "-":
        from referee.runtime.atomic import write_whole

        write_whole(placed(output), text)
        return
    try:
        click.echo(escaped(text) if is_terminal() else text, results(), nl=False)
        results().flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"cannot write to standard output: {why(error)}") from error


def say(message: str) -> None:
    """Say something that is no result, on one line of stderr."""
    written = as_options(message, STAND_INS)
    click.echo(f"referee: {escaped(' '.join(written.split()))}", err=True)


def talk(message: str, quiet: bool) -> None:
    """Say something that is no result, unless asked to be quiet."""
    if not quiet:
        say(message)


def _colourful() -> bool:
    """Say whether a terminal wants colours."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _paint(text: Text) -> None:
    """Print in colours; the lines are broken already."""
    from rich.console import Console

    Console(file=results(), highlight=False).print(text, soft_wrap=True)
