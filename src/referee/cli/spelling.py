"""Messages speak of arguments, as Python has them; on the command line these are options."""

from __future__ import annotations

import re

OPTIONS = (
    "truth|group|stratum|positive|threshold|missing|repeats|unmatched|margin|null|sizes|id|prediction|system|score|"
    "filter|scorer|universe|unit|by_line|stratify|design"
)


def as_options(message: str) -> str:
    """Turn the arguments that a message names into the options of the command line.

    >>> as_options("give positive=, or missing='drop'")
    'give --positive, or --missing drop'
    """

    def option(found: re.Match[str]) -> str:
        return f"--{found[1].replace('_', '-')}" + (f" {found[2]}" if found[2] else "")

    said = re.sub(rf"\b({OPTIONS})=(?:'([^']*)'|True\b)?", option, message)
    return re.sub(r"\b([ab])=(?=\s|$|[,;])", r"--\1", said)
