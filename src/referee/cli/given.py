"""Which options were given, and which are as they are by default."""

from __future__ import annotations

import shlex
from typing import Any

import click
from click.core import ParameterSource


def given(context: click.Context) -> list[str]:
    """Return the names of the parameters that stand on the command line."""
    return [name for name in context.params if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]


def command(context: click.Context, **other: Any) -> str:
    """Return the command that was given, with other values of some options, ready to paste."""
    words = context.command_path.split()
    values = {name: context.params[name] for name in given(context)} | other
    for parameter in context.command.params:
        value = values.get(str(parameter.name))
        if isinstance(parameter, click.Argument):
            words += [str(one) for one in (value if isinstance(value, tuple | list) else [value]) if one is not None]
        elif value is not None:
            words += _spelt(parameter, value)
    return shlex.join(words)


def _spelt(option: click.Parameter, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [(option.opts if value else option.secondary_opts)[0]]
    if isinstance(value, list):  # names separated by commas
        return [option.opts[0], ",".join(map(str, value))]
    several = value if isinstance(value, tuple) else (value,)
    return [word for one in several for word in (option.opts[0], str(one))]
