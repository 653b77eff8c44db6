"""The entry point, the verbs by name, and the exit codes; an error prints at most one line on stderr."""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import shlex
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import click

from referee.cli.output import say
from referee.cli.streams import silence, speak_utf8, stand_in, why
from referee.errors import Argument, ChoiceNeeded, Message, Part, RefereeError, did_you_mean
from referee.version import __version__

VERBS = {
    "algorithms": "Say which learning algorithm is better, when the training set varies too.",
    "audit": "Measure how often tests raise false alarms on data like yours, and what they detect.",
    "compare": "Say whether system B is really better than system A.",
    "count": "Count the joint outcomes of two systems: all that a comparison needs.",
    "demo": "Show the main job on a small made-up data set.",
    "list": "List metrics, tests, designs and populations.",
    "rank": "Rank any number of systems on the same examples, and say which ranks the data support.",
    "rank-datasets": "Say which systems differ over many datasets, from a table of scores.",
    "plan": "Say how many examples it takes to detect a difference, and what so many would detect.",
    "replicate": "Reproduce the numbers of a paper, ours beside theirs.",
    "score": "Score one system, with intervals, and say whether it meets a target.",
    "serve": "Open a page in the browser where you drop files and read reports.",
    "watch": "Look at a comparison while its examples still arrive, and say whether to stop or to keep going.",
}
USAGE, OURS, CLOSED = 2, 70, 141
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO, errno.EBADF, errno.EMFILE, errno.ENFILE}
"""What the system refuses whoever asks: the fault of neither referee nor the data."""
ASKING = ("SIGTERM", "SIGHUP")
"""By default these end a process on the spot, and whatever it has in temporary folders is left behind."""


class Verbs(click.Group):
    """A group that knows its verbs by name and imports only the one that is called, so that help is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the verbs."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a verb, if there is one of that name."""
        if cmd_name not in VERBS:
            return None
        verb: click.Command = importlib.import_module(f"referee.cli.{cmd_name.replace('-', '_')}").verb
        return verb

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find the verb that the first word names."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            hint = did_you_mean(args[0], VERBS)
            raise click.UsageError(f"there is no verb {args[0]!r}{hint}; the verbs are: {', '.join(VERBS)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the verbs with a line each, without importing them."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


@click.group(
    cls=Verbs,
    invoke_without_command=True,
    subcommand_metavar="VERB ...",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="referee", message="%(prog)s %(version)s")
@click.pass_context
def referee(context: click.Context) -> None:
    """Is model B really better than model A, or is it luck?"""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Args:
        arguments: the words after `referee`; those of the process if left out.

    Returns:
        0 done; 2 usage or bad input; 70 a bug in referee; 130 interrupted; 128 plus its number after another signal; with
        --gate 0, 1 or 3.
    """
    stand_in()
    speak_utf8()
    words = sys.argv[1:] if arguments is None else list(arguments)
    if "_REFEREE_COMPLETE" in os.environ:
        referee.main(prog_name="referee")
    signals = [signal.SIGINT]
    try:
        with heeding(signals):
            code = _ended(words, signals)
        if signals[1:] and code != 128 + signals[-1]:  # a library that was just being imported may swallow an interrupt
            code = _stopped(signals[-1])
    except KeyboardInterrupt:  # in the moment before the command began, or after it ended
        code = _stopped(signals[-1])
    try:
        sys.stdout.flush()
    except (OSError, ValueError):  # the user was told already that nothing can be written there
        silence(sys.stdout)
    return code


def _ended(words: list[str], signals: list[signal.Signals]) -> int:
    """Run a command and say how it ended."""
    try:
        with referee.make_context("referee", words) as context:
            referee.invoke(context)
        sys.stdout.flush()
        return 0
    except click.exceptions.Exit as done:
        return done.exit_code
    except (KeyboardInterrupt, click.Abort):
        return _stopped(signals[-1])
    except BrokenPipeError:  # whoever read the output has had enough, as head does
        silence(sys.stdout)
        return CLOSED
    except click.ClickException as error:
        asked = error.ctx if isinstance(error, click.UsageError) else None
        return _fail(error.format_message() + (f" (see {asked.command_path} --help)" if asked else ""), USAGE)
    except RefereeError as error:
        return _fail(Message(*_as_asked(words, error), _to_paste(words, error)), USAGE)
    except Exception as error:
        if "Query interrupted" in str(error):  # the database heard Ctrl-C before Python did
            return _stopped(signals[-1])
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            return _fail(f"cannot write {error.filename or 'to standard output'}: {why(error)}", USAGE)
        return _our_fault(error)


def _fail(message: str, code: int) -> int:
    with contextlib.suppress(OSError):
        say(message)
    return code


def _stopped(by: signal.Signals) -> int:
    # An interrupt that passed through a text that Python ran, as dataclasses do when they are made, would end the process once
    # more, by SIGINT, when it exits; the next text clears that.
    exec("")
    return _fail("interrupted" if by is signal.SIGINT else f"stopped by {by.name}", 128 + by)


def _as_asked(words: list[str], error: RefereeError) -> list[Part]:
    """Return the parts of a message, with the simpler options that the verb has."""
    found = list(error.message.parts)
    if any(isinstance(part, Argument) and part.option for part in found):
        verb = referee.get_command(click.Context(referee), words[0])
        known = {one.name for one in verb.params} if verb else set()
        for place, part in enumerate(found):
            if isinstance(part, Argument) and part.option in known:
                found[place] = Argument(str(part.option), part.value)
    return found


def _to_paste(words: list[str], error: RefereeError) -> str:
    """Return the command once more, with the choices that it lacks."""
    chosen = error.arguments if isinstance(error, ChoiceNeeded) else {}
    more: list[str] = []
    for name, value in chosen.items():
        more += [f"--{name.replace('_', '-')}", *([] if isinstance(value, bool) else [value])]
    return f"; for example: {shlex.join(['referee', *words, *more])}" if more else ""


def _our_fault(error: Exception) -> int:
    if os.environ.get("REFEREE_TRACEBACK"):
        import traceback

        traceback.print_exception(error)
    return _fail(
        f"this is a bug in referee, not a problem with your data: {type(error).__name__}: {error} (REFEREE_TRACEBACK=1 "
        "shows where; please report it)",
        OURS,
    )


@contextlib.contextmanager
def heeding(signals: list[signal.Signals]) -> Iterator[None]:
    """Turn signals into a KeyboardInterrupt, for which everything that tidies up is prepared.

    A signal that is ignored stays so, as after `nohup`.

    Args:
        signals: to which those are added that came; the last one stopped the command.
    """
    known = [getattr(signal, name) for name in ASKING if hasattr(signal, name)]
    heeded = [number for number in known if signal.getsignal(number) is signal.SIG_DFL]
    if threading.current_thread() is not threading.main_thread():  # which alone may set handlers
        heeded = []

    def handle(action: Any) -> None:
        for number in heeded:
            signal.signal(number, action)

    def stop(number: int, _: Any) -> None:
        handle(signal.SIG_IGN)  # the first is enough: another would break off the tidying
        signals.append(signal.Signals(number))
        raise KeyboardInterrupt

    handle(stop)
    try:
        yield
    finally:
        handle(signal.SIG_DFL)
