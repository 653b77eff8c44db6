"""Which options were given, and which are as they are by default."""

from __future__ import annotations

import click
from click.core import ParameterSource


def given(context: click.Context) -> list[str]:
    """Return the names of the parameters that stand on the command line."""
    return [name for name in context.params if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
