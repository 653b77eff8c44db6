"""The options that verbs share; they have the names of the arguments of `referee.compare` and `referee.count`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, TypeVar

import click

from referee.data.roles import Option as Role
from referee.data.roles import Section, options_of
from referee.report.render import FORMATS

F = TypeVar("F", bound=Callable[..., Any])
Option = Callable[[Any], Any]


def declared(verb: str, *sections: Section) -> list[Option]:
    """Return the options that say what the data are, as `referee.data.roles` declares them for a verb."""
    return [_click(option) for option in options_of(verb, *sections)]


def _click(option: Role) -> Option:
    if not option.metavar:
        return click.option(option.flag, is_flag=True, help=option.help)
    return click.option(option.flag, metavar=option.metavar, default=option.default, help=option.help)


DATA = click.argument("data", metavar="DATA", nargs=-1, required=True)
THRESHOLD = click.option("--threshold", type=float, help="Scores at or above it are positive, for metrics of labels.")
ALTERNATIVE = click.option(
    "--alternative",
    type=click.Choice(["two-sided", "greater", "less"]),
    default="two-sided",
    show_default=True,
    help="greater: is score(b) above score(a)?",
)
MARGIN = click.option("--margin", metavar="NUMBER", help="The largest difference that does not matter: 0.01, or 1pp.")
RUNNING = (
    click.option("--jobs", type=int, help="Processes; the cores of this machine if left out. No number depends on it."),
    click.option("--dask", metavar="ADDRESS", help="Run on a Dask cluster: tcp://host:8786."),
    click.option("--store", metavar="FILE", help="Keep each finished cell there; a run that was stopped goes on."),
)
OUTPUT = click.option("--output", "-o", metavar="FILE", help="Write the result there, whole or not at all.")
QUIET = click.option("--quiet", "-q", is_flag=True, help="Nothing on stderr but errors.")


TWICE = {"group": "crossed groups are not supported yet, so name the one column whose examples depend on each other"}
"""What to do where an option is given twice, if it is not plain."""


class Verb(click.Command):
    """A command that refuses an option given twice, of which the last would win in silence."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words after the verb.

        Raises:
            UsageError: where an option that takes one value stands there twice.
        """
        parser = self.make_parser(ctx)
        if not ctx.resilient_parsing:
            _, _, order = parser.parse_args(args=list(args))
            found = Counter(option for option in order if isinstance(option, click.Option) and _takes_one(option))
            twice = next((option for option, times in found.items() if times > 1), None)
            if twice is not None:
                raise click.UsageError(_said_twice(twice), ctx)
        return super().parse_args(ctx, args)


def _takes_one(option: click.Option) -> bool:
    """Say whether an option has one value, and not always the same one, as a plain flag has."""
    several = option.multiple or option.count
    return not several and (not option.is_flag or bool(option.secondary_opts))


def _said_twice(option: click.Option) -> str:
    spelt = " or ".join([*option.opts[:1], *option.secondary_opts])
    several = "separate its values by commas" if "," in (option.metavar or "") else "give it once"
    return f"{spelt} is given more than once; {TWICE.get(option.name or '', several)}"


def formats(*names: str, default: str = "text") -> Option:
    """Return the option that chooses the form of the result, one of all output formats if none are named."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(names or sorted(FORMATS)),
        default=default,
        show_default=True,
        help="The form of the result.",
    )


def with_options(*options: Option) -> Callable[[F], F]:
    """Give a verb these options, listed in this order."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def listed(kind: Callable[[str], Any]) -> Callable[[str | None], list[Any] | None]:
    """Return what reads numbers separated by commas."""

    def read(text: str | None) -> list[Any] | None:
        if text is None:
            return None
        try:
            return [kind(part) for part in text.split(",")]
        except ValueError as error:
            raise click.BadParameter(f"it is a list of numbers separated by commas; it is {text!r}") from error

    return read


class Seed(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A whole number, or "none" for a seed from the system."""

    name = "seed"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | None:
        """Read the seed."""
        if isinstance(value, int):
            return value
        if str(value).strip().lower() == "none":
            return None
        try:
            return int(str(value), 10)
        except ValueError:
            self.fail(f"a seed is a whole number, or none; it is {value!r}", param, ctx)
