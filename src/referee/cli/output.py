"""Where results go: whole to a file, or to standard output, with colour only on a terminal."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from referee.cli.spelling import as_options
from referee.errors import InputError

COLOURS = {"b better": "green", "practically equal": "green", "no worse": "green", "a better": "red"}


def emit(text: str, output: str | None = None, verdict: str | None = None) -> None:
    """Hand a result over.

    Args:
        text: the result.
        output: a file to write, whole or not at all; standard output if left out.
        verdict: what decides the colour of the first paragraph, where there is a terminal.
    """
    text = text if text.endswith("\n") else text + "\n"
    if output is not None and output != "-":
        from referee.writing import write_whole

        try:
            write_whole(output, text)
        except OSError as error:
            raise InputError(f"cannot write {output}: {error.strerror or error}") from error
        return
    if verdict is not None and _colourful():
        _paint(text, verdict)
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
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _paint(text: str, verdict: str) -> None:
    """Print with the first paragraph in the colour of the verdict."""
    from rich.console import Console
    from rich.text import Text

    first, gap, rest = text.partition("\n\n")
    shown = Text.assemble((first, f"bold {COLOURS.get(verdict, 'yellow')}"), gap + rest)
    Console(highlight=False, soft_wrap=True).print(shown, end="")
