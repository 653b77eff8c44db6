"""The options that verbs share, each in a section of the help, and which of them were given.

They have the names of the arguments of `referee.compare` and `referee.count`.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from referee.data.roles import Option as Role
from referee.data.roles import options_of
from referee.report.render import FORMATS

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[Any], Any]
SECTIONS = (
    "Data",
    "Question",
    "Without a pilot",
    "Training",
    "Fold scores",
    "Dirty data",
    "Logs",
    "Running",
    "Output",
    "Options",
)
"""The sections of the help, in their order; the last is for verbs with few options."""


class Option(click.Option):
    """An option in a section of the help."""

    def __init__(self, *names: Any, section: str = "Options", **about: Any) -> None:
        super().__init__(*names, **about)
        self.section = section


option = partial(click.option, cls=Option)
question = partial(option, section="Question")
running = partial(option, section="Running")
result = partial(option, section="Output")


def declared(verb: str) -> list[Decorator]:
    """Return the options that describe the data, as `referee.data.roles` declares them for a verb."""
    return [_declared(role, verb) for role in options_of(verb)]


def _declared(role: Role, verb: str) -> Decorator:
    about: dict[str, Any] = {"section": role.section, "help": _help(role, verb)}
    if not role.metavar:
        return option(role.flag, is_flag=True, **about)
    if role.twice:
        return option(role.flag, metavar=role.metavar, multiple=True, callback=_one_or_several, **about)
    return option(role.flag, metavar=role.metavar, default=_default(role), **about)


def _one_or_several(_context: click.Context, _option: click.Parameter, values: tuple[str, ...]) -> Any:
    """Return the one value that was given, all of several, or None."""
    return values if len(values) > 1 else next(iter(values), None)


def _help(role: Role, verb: str) -> str:
    return role.helps.get(verb, role.help)


def _default(role: Role) -> Any:
    """Return what an option is if left out; `read` decides for reader options, as most files have no use for them."""
    return None if role.kind == "reader" else role.default


def formats(*names: str, default: str = "text") -> Decorator:
    """Return the option that chooses the form of the result: one of these, or of all output formats."""
    choice = click.Choice(names or sorted(FORMATS))
    return result("--format", "form", type=choice, default=default, show_default=True, help="The form of the result.")


def listed(kind: Callable[[str], Any]) -> Callable[[str | None], list[Any] | None]:
    """Return a function that reads numbers separated by commas."""

    def read(text: str | None) -> list[Any] | None:
        try:
            return None if text is None else [kind(part) for part in text.split(",")]
        except ValueError as error:
            raise click.BadParameter(f"it must be a list of numbers separated by commas; it is {text!r}") from error

    return read


def names(text: str | None) -> list[str] | None:
    """Read names separated by commas."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def seed(value: object) -> int | None:
    """Read a whole number, or "none" for a seed from the system."""
    try:
        return None if str(value).strip().lower() == "none" else int(str(value), 10)
    except ValueError as error:
        raise click.BadParameter(f"a seed is a whole number, or none; it is {value!r}") from error


NAMES = option(
    "--names",
    type=names,
    metavar="A,B",
    section="Data",
    help="What the two systems are called: A, then B. With --winner: their names there.",
)
DATA = click.argument("data", metavar="DATA", nargs=-1, required=True)
ALPHA = question("--alpha", type=float, default=0.05, show_default=True, help="The false-alarm rate that you accept.")
THRESHOLD = question("--threshold", type=float, help="Scores at or above it count as positive, for metrics of labels.")
ALTERNATIVE = question(
    "--alternative",
    type=click.Choice(["two-sided", "greater", "less"]),
    default="two-sided",
    show_default=True,
    help="greater: does B score higher than A? less: lower?",
)
LOWER = question(
    "--lower-is-better/--higher-is-better",
    default=None,
    help="Which way is up, for scores and for metrics that don't say it.",
)
MARGIN = question("--margin", metavar="NUMBER", help="The largest difference that doesn't matter: 0.01, or 1pp.")
RNG = question("--rng", type=seed, default=0, show_default=True, help="The random seed: a whole number, or none.")
RUNNING = (
    running("--jobs", type=int, help="Number of processes; all cores by default. Results don't depend on it."),
    running("--dask", metavar="ADDRESS", help="Run on a Dask cluster: tcp://host:8786."),
    running("--store", metavar="FILE", help="Keep finished work in this file; an interrupted run resumes from it."),
)
OUTPUT = result("--output", "-o", metavar="FILE", help="Write the result to a file, whole or not at all.")
HTML = result("--html", metavar="FILE", help="Also write a report: one HTML page that needs no network.")
CHART = result(
    "--chart",
    metavar="FILE",
    help="Also draw it: FILE.svg, .png or .pdf; all.svg has all of its figures, luck.svg that one; .html, .json.",
)
COUNTS = result("--save-counts", metavar="FILE", help="Save the counts: all that another comparison needs.")
QUIET = result("--quiet", "-q", is_flag=True, help="Print nothing but errors to standard error.")
VERBOSE = result("--verbose", "-v", is_flag=True, help="Also print what rarely changes, such as the reason.")
RESULT = (formats(), OUTPUT, HTML, CHART, VERBOSE, QUIET)
TWICE = {"group": "name the one column whose examples depend on each other"}
"""What to do about an option that is given twice, if that isn't plain."""


class Verb(click.Command):
    """A command with its options in sections and examples at the end; it refuses an option that is given twice.

    Otherwise the last one would win in silence.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words after the verb.

        Raises:
            UsageError: if an option that takes one value is given twice.
        """
        parser = self.make_parser(ctx)
        if not ctx.resilient_parsing:
            _, _, order = parser.parse_args(args=list(args))
            times = Counter(given for given in order if isinstance(given, click.Option) and _takes_one(given))
            twice = next((given for given, count in times.items() if count > 1), None)
            if twice is not None:
                spelt = " or ".join([*twice.opts[:1], *twice.secondary_opts])
                remedy = "separate its values by commas" if "," in (twice.metavar or "") else "give it once"
                raise click.UsageError(f"{spelt} is given more than once; {TWICE.get(twice.name or '', remedy)}", ctx)
        return super().parse_args(ctx, args)

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        """Return what shows the help, whoever calls the verb: click keeps the answer to its first question."""
        return ["-h", "--help"]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options section by section; --help is in the last one."""
        sections: dict[str, list[tuple[str, str]]] = {name: [] for name in SECTIONS}
        own = [parameter.section for parameter in self.params if isinstance(parameter, Option)]
        last = max(own, key=SECTIONS.index, default=SECTIONS[-1])
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                sections[getattr(parameter, "section", last)].append(record)
        for name, records in sections.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples as they are."""
        if self.epilog:
            with formatter.section("Examples"):
                for line in self.epilog.splitlines():
                    formatter.write(f"  {line}\n")


def _takes_one(given: click.Option) -> bool:
    """Say whether an option has one value, and not always the same one, as a plain flag has."""
    return not given.multiple and not given.count and (not given.is_flag or bool(given.secondary_opts))


def with_options(*options: Decorator) -> Callable[[F], F]:
    """Give a verb these options, listed in this order."""

    def decorate(function: F) -> F:
        for one in reversed(options):
            function = one(function)
        return function

    return decorate


def given(context: click.Context) -> list[str]:
    """Return the names of the parameters that were given on the command line."""
    return [name for name in context.params if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]


def command(context: click.Context, **other: Any) -> str:
    """Return the command that was given, with other values of some options, ready to paste."""
    words = context.command_path.split()
    values = {name: context.params[name] for name in given(context)} | other
    for parameter in context.command.params:
        value = values.get(str(parameter.name))
        several = [one for one in (value if isinstance(value, tuple) else (value,)) if one is not None]
        if isinstance(parameter, click.Argument):
            words += map(str, several)
        elif isinstance(value, bool):
            words.append((parameter.opts if value else parameter.secondary_opts)[0])
        else:
            for one in several:  # a list is names separated by commas
                words += [parameter.opts[0], ",".join(map(str, one)) if isinstance(one, list) else str(one)]
    return shlex.join(words)
