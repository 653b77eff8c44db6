"""Where results go: a file, written completely, or standard output; terminal width and colour only on a terminal.

Every file is checked before the work: it can be written, is not read, and is no other output.
"""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from referee.cli.streams import is_terminal, number, placed, progress, reserved, results, why
from referee.errors import Argument, InputError, OptionError, spelled
from referee.runtime.safe_text import escaped

if TYPE_CHECKING:
    from referee.results.base import Reported

STAND_INS: dict[str, str] = {}
"""What the user calls files, by the paths that stand in for them: standard input is spooled to a file."""
Identity = tuple[int, int]
"""Device and number: what a file is, whatever it is called."""


@dataclass(frozen=True)
class Outputs:
    """Where the options of a verb send its result, and in what form."""

    form: str
    output: str | None
    html: str | None = None
    chart: str | None = None
    quiet: bool = False
    verbose: bool = False
    examples: bool = False
    """Whether a page shows examples of the data."""

    @classmethod
    def of(cls, options: dict[str, Any]) -> Outputs:
        """Take the options about outputs out of those of a verb."""
        return cls(**{field.name: options.pop(field.name) for field in fields(cls) if field.name in options})

    def check(self, *others: str | None, inputs: Sequence[str] = (), options: Mapping[str, Any] | None = None) -> None:
        """Complain about what cannot be written or drawn before the work and not after it.

        Args:
            others: more outputs that options name.
            inputs: what is read, as in `ready`.
            options: what else the verb was given, as in `ready`.

        Raises:
            InputError: as in `ready`.
            OptionError: if the extra `report` is missing, or the name of a file is no name.
        """
        ready(self.output, self.html, self.chart, *others, inputs=inputs, options=options)
        if self.html == "-":
            needed = " needs the name of a file; the result itself goes to standard output"
            raise OptionError(Argument("html", bare=True), needed, value=self.html)
        if self.html is not None or self.form == "html":
            from referee.report.render.html import check as check_report

            check_report()
        if self.chart is not None:
            from referee.report.charts import check

            check(self.chart)

    @contextmanager
    def working(self) -> Iterator[None]:
        """Keep standard output for the result during the work, and show how far it is."""
        with reserved(), progress(self.quiet):
            yield

    def draw(self, result: Reported, examples: bool = True) -> None:
        """Write the page and the chart that were asked for; the page lists examples if asked to."""
        if self.html is not None:
            result.to_html(placed(self.html), examples=examples, command=given_command())
            self.tell(f"the report is in {self.html}")
        if self.chart is not None:
            from referee.report.charts import save
            from referee.report.slide import for_file

            save(for_file(result, self.chart), self.chart)

    def show(self, result: Reported) -> None:
        """Print the result or write it to its file; on a terminal, text is as wide as that is, and in colour; in a pipe, as COLUMNS says."""
        from referee.report.documents import document_of
        from referee.report.render.text import painted, plain_text

        result = with_options_named(result) if self.form == "text" else result
        if self.form != "text" or self.output not in (None, "-") or not is_terminal():
            asked = os.environ.get("COLUMNS", "") if self.output in (None, "-") else ""
            if self.form == "text" and asked.isdecimal() and int(asked):
                text = plain_text(document_of(result), int(asked), self.verbose)
            elif self.form == "text":
                text = result.to_text(self.verbose)
            else:
                text = result.to(self.form, **({"command": given_command()} if self.form == "html" else {}))
            emit(text, self.output)
            return
        document, columns = document_of(result), shutil.get_terminal_size((80, 24)).columns
        if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
            emit(plain_text(document, columns, self.verbose))
        else:
            from rich.console import Console

            # The lines are broken already.
            Console(file=results(), highlight=False).print(painted(document, columns, self.verbose), soft_wrap=True)

    def tell(self, message: str) -> None:
        """Say something that is not a result, unless asked to be quiet."""
        if not self.quiet:
            say(message)


def given_command() -> str:
    """Return the command that was given, for those who look at its page."""
    from referee.cli.options import command

    return command(click.get_current_context())


def emit(text: str, output: str | None = None) -> None:
    """Write a text; a terminal gets no character that it would obey.

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
    """Say something that is not a result, on one line of stderr; arguments that it names are spelt as options."""
    line = " ".join(as_options(message).split())
    click.echo(f"referee: {escaped(line)}", err=True)


def as_options(message: str) -> str:
    """Return a message as a user of the command line would write it.

    >>> from referee.errors import Message
    >>> as_options(Message("give ", Argument("positive"), ", or ", Argument("missing", "drop")))
    'give --positive, or --missing drop'
    """
    return spelled(message, option, STAND_INS)


def with_options_named(result: Any) -> Any:
    """Return a result whose warnings, and those of the comparisons or rankings in it, name options of the command line."""
    changes = {
        "warnings": as_options,
        "comparisons": with_options_named,
        "rankings": with_options_named,
        "scores": with_options_named,
    }
    own = {name: spell for name, spell in changes.items() if getattr(result, name, None)}
    spelt = {name: tuple(map(spell, getattr(result, name))) for name, spell in own.items()}
    return replace(result, **spelt) if spelt else result


CALLED = {"peeks": "peek", "n": "sizes"}
"""Options that are not called as the argument is."""


def option(argument: Argument) -> str:
    """Return an argument as the option of the command line.

    >>> [option(Argument(*given)) for given in (("positive",), ("missing", "drop"), ("by_line", True), ("stratify", False))]
    ['--positive', '--missing drop', '--by-line', '--no-stratify']
    >>> option(Argument("lower_is_better", False))
    '--higher-is-better'
    """
    name, value = argument.name, argument.value
    verb = click.get_current_context(silent=True)
    if verb is None or name not in (one.name for one in verb.command.params):
        name = CALLED.get(name, name)
    name = name.replace("_", "-")
    if value is False:
        return "--higher-is-better" if name == "lower-is-better" else f"--no-{name}"
    return f"--{name}" if value is None or value is True else f"--{name} {shlex.quote(str(value))}"


def ready(*outputs: str | None, inputs: Sequence[str] = (), options: Mapping[str, Any] | None = None) -> None:
    """Complain about a file that cannot be written before the work and not after it.

    Args:
        outputs: what the options name; None and "-" are no files.
        inputs: what is read: files, folders, patterns, and "-" for standard input.
        options: those of the verb, of which some name files, and some say what a file of `inputs` is.

    Raises:
        InputError: if an output is an input or another output, or its folder does not take it.
    """
    named = [output for output in outputs if output is not None and output != "-"]
    regular = [output for output in named if not _is_device(output)]
    for output in regular:
        _check_place(output)
    places = [_identity(output) or Path(output).resolve() for output in regular]
    twice = next((output for output, place in zip(regular, places, strict=True) if places.count(place) > 1), None)
    if twice is not None:
        raise InputError(f"two outputs cannot be one file: {Path(twice).name}; name two files")
    present = {identity: output for output in named if (identity := _identity(output)) is not None}
    for source, files in _read(inputs, options or {}) if present else ():
        written = next((present[file] for file in files if file in present), None)
        if written is not None:
            name = "" if source == written else f" ({'standard input' if source == '-' else source})"
            raise InputError(f"cannot write {written}: it is read as an input{name}; name another file for the output")


def _check_place(output: str) -> None:
    if not output:
        raise InputError("cannot write to a file without a name; name one, or leave the option out")
    # The place of a link is where it leads.
    target = Path(os.path.realpath(output) if Path(output).is_symlink() else output)
    if not target.parent.is_dir():
        raise InputError(f"cannot write {output}: there is no folder {target.parent}; make it first")
    if target.is_dir():
        raise InputError(f"cannot write {output}: it is a folder; name a file in it")
    if target.exists() and not os.access(target, os.W_OK):
        raise InputError(f"cannot write {output}: it already exists and is read-only; name another file")
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"cannot write {output}: the folder {target.parent} is not writable")


def _read(inputs: Sequence[str], options: Mapping[str, Any]) -> Iterator[tuple[str, list[Identity | None]]]:
    """Yield what is read, as the user named it, and which files that is."""
    from referee.data.formats.base import files_beside, files_of

    given = {name for name, value in options.items() if value is not None}
    for source in inputs:
        files = files_of(source, given) if source != "-" else [number(sys.stdin)]
        yield source, [_identity(file) for file in files]
    for file in files_beside(options):
        yield file, [_identity(file)]


def _identity(file: str | Path | int | None) -> Identity | None:
    """Return which file a path or an open stream is; None if it is none that can be overwritten."""
    state = _state(file)
    return (state.st_dev, state.st_ino) if state is not None and stat.S_ISREG(state.st_mode) else None


def _is_device(path: str) -> bool:
    """Say whether a path exists and is neither a file nor a folder."""
    state = _state(path)
    return state is not None and not stat.S_ISREG(state.st_mode) and not stat.S_ISDIR(state.st_mode)


def _state(file: str | Path | int | None) -> os.stat_result | None:
    try:
        return None if file is None else os.fstat(file) if isinstance(file, int) else Path(file).stat()
    except (OSError, ValueError):
        return None
