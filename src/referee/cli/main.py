"""The way in and the ways out: every one has an exit code, and says at most one line on stderr."""

from __future__ import annotations

import contextlib
import errno
import os
import shlex
import sys
from collections.abc import Sequence

import click

from referee.cli.output import say
from referee.cli.signals import Stops, heeding
from referee.cli.streams import stand_in, why
from referee.cli.verbs import referee
from referee.errors import ChoiceNeeded, Message, RefereeError

USAGE, OURS, CLOSED = 2, 70, 141
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO, errno.EBADF, errno.EMFILE, errno.ENFILE}
"""What the system refuses whoever asks: no fault of referee's, nor of the data."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Args:
        arguments: the words after `referee`; those of the process if left out.

    Returns:
        0 done; 2 usage or bad input; 70 an error of ours; 130 interrupted; 128 and its number after another signal; with
        --gate 0, 1 or 3.
    """
    stand_in()
    _speak_utf8()
    words = sys.argv[1:] if arguments is None else list(arguments)
    if "_REFEREE_COMPLETE" in os.environ:
        referee.main(prog_name="referee")
    with heeding() as stops:
        code = _ended(words, stops)
    try:
        sys.stdout.flush()
    except (OSError, ValueError):  # it was said already that nothing can be written there
        _silence(sys.stdout)
    return code


def _ended(words: list[str], stops: Stops) -> int:
    """Run a command and say how it ended."""
    try:
        return _run(words)
    except click.exceptions.Exit as done:
        return done.exit_code
    except (KeyboardInterrupt, click.Abort):
        return _fail(stops.said, stops.code)
    except BrokenPipeError:  # whoever read the output has had enough, as head does
        _silence(sys.stdout)
        return CLOSED
    except click.ClickException as error:
        return _fail(f"{error.format_message()}{_see(error)}", USAGE)
    except RefereeError as error:
        return _fail(Message(error.message, _to_paste(words, error)), USAGE)
    except Exception as error:
        if "Query interrupted" in str(error):  # the database heard Ctrl-C before Python did
            return _fail(stops.said, stops.code)
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            return _fail(f"cannot write {error.filename or 'to standard output'}: {why(error)}", USAGE)
        return _our_fault(error)


def _run(arguments: list[str]) -> int:
    with referee.make_context("referee", arguments) as context:
        referee.invoke(context)
    sys.stdout.flush()
    return 0


def _fail(message: str, code: int) -> int:
    with contextlib.suppress(OSError):
        say(message)
    return code


def _see(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    return f" (see {context.command_path} --help)" if context else ""


def _to_paste(words: list[str], error: RefereeError) -> str:
    """Return the command once more, with the choices that it lacks."""
    chosen = error.arguments if isinstance(error, ChoiceNeeded) else {}
    more = [word for name, value in chosen.items() for word in (f"--{name.replace('_', '-')}", value)]
    return f"; for example: {shlex.join(['referee', *words, *more])}" if more else ""


def _our_fault(error: Exception) -> int:
    if os.environ.get("REFEREE_TRACEBACK"):
        import traceback

        traceback.print_exception(error)
    kind = type(error).__name__
    return _fail(
        f"this is a fault of referee, not of your data: {kind}: {error} (REFEREE_TRACEBACK=1 shows where; please report it)",
        OURS,
    )


def _speak_utf8() -> None:
    """Write UTF-8 whatever the locale says: names from data may be in any script."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")


def _silence(stream: object) -> None:
    """Point a closed stream nowhere, so that Python does not complain at the end."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # type: ignore[attr-defined]
