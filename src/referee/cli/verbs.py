"""The verbs by name. A verb's module is imported when it is called, so that help is quick."""

from __future__ import annotations

import importlib

import click

from referee.errors import did_you_mean
from referee.version import __version__

VERBS = {
    "algorithms": "Say which learning algorithm is better, when the training set varies too.",
    "audit": "Say how often tests raise a false alarm, and what they see, on data like yours.",
    "compare": "Say whether system B is really better than system A.",
    "count": "Count the joint outcomes of two systems: all that a comparison needs.",
    "demo": "Show the main job on a small made-up data set.",
    "list": "List the metrics, the tests, the designs and the populations.",
    "replicate": "Repeat the numbers of a paper, ours beside theirs.",
    "serve": "Open a page where files are dropped and reports are seen.",
}


class Verbs(click.Group):
    """A group that knows its verbs by name and imports only the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the verbs."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a verb, if there is one of that name."""
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(f"referee.cli.{cmd_name}")
        found: click.Command = module.verb
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
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
