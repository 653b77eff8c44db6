"""Messages speak of arguments, as Python has them; on the command line these are options."""

from __future__ import annotations

import re

OPTIONS = (
    "truth|group|stratum|positive|threshold|missing|repeats|unmatched|margin|null|sizes|id|prediction|system|score|"
    "filter|scorer|universe|unit|by_line|stratify|design|metric|question|alternative"
)


def as_options(message: str) -> str:
    """Turn the arguments that a message names into the options of the command line.

    >>> as_options("give positive=, or missing='drop'")
    'give --positive, or --missing drop'
    >>> as_options("give design='repeated-kfold:folds=10,repeats=10'")
    'give --design repeated-kfold:folds=10,repeats=10'
    """

    def option(found: re.Match[str]) -> str:
        return f"--{found[1].replace('_', '-')}" + (f" {found[2]}" if found[2] else "")

    for value, flag in (("False", "--lower-is-better"), ("True", "--higher-is-better")):
        message = message.replace(f"higher_is_better={value}", flag)
    # What stands in a spelling, as in repeated-kfold:folds=10,repeats=10, is an option of the name there.
    said = re.sub(rf"(?<![\w:,.-])({OPTIONS})=(?:'([^']*)'|True\b)?", option, message)
    return re.sub(r"\b([ab])=(?=\s|$|[,;])", r"--\1", said)
