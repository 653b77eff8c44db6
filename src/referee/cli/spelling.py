"""Messages name arguments, as Python has them; on the command line these are options."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

from referee.errors import Argument, Message, spelled

OPTIONS = (
    "truth|group|stratum|positive|threshold|missing|repeats|unmatched|margin|null|sizes|id|prediction|system|score|"
    "filter|scorer|universe|unit|by_line|stratify|design|metric|question|alternative"
)


def option(argument: Argument) -> str:
    """Return an argument as the option of the command line.

    >>> [option(Argument(*given)) for given in (("positive",), ("missing", "drop"), ("by_line", True), ("stratify", False))]
    ['--positive', '--missing drop', '--by-line', '--no-stratify']
    >>> option(Argument("higher_is_better", False))
    '--lower-is-better'
    """
    name, value = argument.name.replace("_", "-"), argument.value
    if value is False:
        return "--lower-is-better" if name == "higher-is-better" else f"--no-{name}"
    return f"--{name}" if value in (None, True) else f"--{name} {shlex.quote(str(value))}"


def as_options(message: str, files: Mapping[str, str] | None = None) -> str:
    """Turn the arguments that a message names into the options of the command line.

    >>> as_options("give positive=, or missing='drop'")
    'give --positive, or --missing drop'
    >>> as_options("give design='repeated-kfold:folds=10,repeats=10'")
    'give --design repeated-kfold:folds=10,repeats=10'
    """

    def found_option(found: re.Match[str]) -> str:
        return f"--{found[1].replace('_', '-')}" + (f" {found[2]}" if found[2] else "")

    parts = message.parts if isinstance(message, Message) else (message,)
    message = spelled(Message(*parts), option, files)
    for value, flag in (("False", "--lower-is-better"), ("True", "--higher-is-better")):
        message = message.replace(f"higher_is_better={value}", flag)
    # What stands in a spelling, as in repeated-kfold:folds=10,repeats=10, is an option of the name there.
    said = re.sub(rf"(?<![\w:,.-])({OPTIONS})=(?:'([^']*)'|True\b)?", found_option, message)
    return re.sub(r"\b([ab])=(?=\s|$|[,;])", r"--\1", said)
