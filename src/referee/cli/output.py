"""Where results go: whole to a file, or to standard output; as wide as a terminal, and in colour, only on one."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from referee.cli.spelling import as_options
from referee.errors import InputError

if TYPE_CHECKING:
    from rich.text import Text

FORMS = {"json": "to_json", "markdown": "to_markdown", "latex": "to_latex", "junit": "to_junit"}


def show(result: Any, form: str, output: str | None = None) -> None:
    """Hand a result over in a form: text for a terminal as wide as that is and in colour, all else as it is.

    Args:
        result: what was found.
        form: "text", or one that it has a method for.
        output: a file to write; standard output if left out.
    """
    if form != "text":
        emit(str(getattr(result, FORMS[form])()), output)
    elif output not in (None, "-") or not sys.stdout.isatty():
        emit(str(result), output)
    else:
        from referee.report import terminal

        columns = shutil.get_terminal_size((80, 24)).columns
        if _colourful():
            _paint(terminal.painted(result, columns))
        else:
            emit(terminal.plain(result, columns))


def emit(text: str, output: str | None = None) -> None:
    """Write a text.

    Args:
        text: the text.
        output: a file to write, whole or not at all; standard output if left out.
    """
    text = text if text.endswith("\n") else text + "\n"
    if output is not None and output != "-":
        from referee.writing import write_whole

        try:
            write_whole(output, text)
        except OSError as error:
            raise InputError(f"cannot write {output}: {error.strerror or error}") from error
        return
    try:
        click.echo(text, nl=False)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"cannot write to standard output: {error.strerror or error}") from error


def ready(*outputs: str | None) -> None:
    """Complain of a file that cannot be written before the work and not after it."""
    files = [Path(output).resolve() for output in outputs if output not in (None, "", "-")]
    twice = next((file for file in files if files.count(file) > 1), None)
    if twice is not None:
        raise InputError(f"two outputs cannot be one file: {twice.name}; name two files")
    for output in filter(None, outputs):
        folder = Path(output).parent
        if not folder.is_dir():
            raise InputError(f"cannot write {output}: there is no folder {folder}")
        if Path(output).is_dir():
            raise InputError(f"cannot write {output}: it is a folder")
        if not os.access(folder, os.W_OK):
            raise InputError(f"cannot write {output}: the folder {folder} is not writable")


def talk(message: str, quiet: bool) -> None:
    """Say something that is no result, on stderr."""
    if not quiet:
        click.echo(f"referee: {as_options(message)}", err=True)


def _colourful() -> bool:
    """Say whether a terminal wants colours."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _paint(text: Text) -> None:
    """Print in colours; the lines are broken already."""
    from rich.console import Console

    Console(highlight=False).print(text, soft_wrap=True)
