"""`referee replicate`: the numbers of a paper again, ours beside theirs."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from typing import Any

import click

from referee.cli.options import OUTPUT, QUIET, RUNNING, Verb, formats, with_options
from referee.cli.pictures import HTML

HOW = (
    click.option("--corpus", metavar="NAME", help="rcv1 (default, that of the papers) or wordnet."),
    click.option("--fast", is_flag=True, help="Few sizes, categories and test sets: a minute in place of an hour."),
    click.option("--sets", type=int, help="Test sets of each category and size; 500 as in the paper, 100 with --fast."),
    click.option("--charts", metavar="FOLDER", help="Draw the paper's figures there, with tables as CSV."),
)
EXAMPLES = """\b
referee replicate yeh2000
referee replicate keller2005 --fast --charts figures
referee replicate keller2005 --store cells.sqlite --format json -o keller.json
"""


@click.command("replicate", cls=Verb, epilog=EXAMPLES)
@with_options(click.argument("name", required=False), *HOW, *RUNNING, formats(), OUTPUT, HTML, QUIET)
def verb(name: str | None, form: str, output: str | None, html: str | None, quiet: bool, **options: Any) -> None:
    """Repeat the numbers of a paper, ours beside theirs.

    Without NAME it lists the papers.
    """
    from referee.cli.output import emit, show
    from referee.cli.pictures import draw, possible
    from referee.cli.places import ready
    from referee.cli.progress_bar import progress
    from referee.cli.streams import reserved
    from referee.errors import unknown

    ready(output, html, options["store"])
    possible(form, html)
    if name is None:
        emit("\n".join(f"{paper:<16}{about}" for paper, about in papers().items()) or "there are none yet", output)
        return
    if name not in papers():
        raise unknown("replication", name, papers())
    run = importlib.import_module(f"referee_papers.{name}").run
    chosen = fitting(name, run, options)
    with reserved(), progress(quiet):
        result = run(**chosen)
        draw(result, html, None, quiet)
    show(result, form, output)


def fitting(name: str, run: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were given; complain of one that this replication does not take."""
    from referee.errors import OptionError

    takes = inspect.signature(run).parameters
    given = {option: value for option, value in options.items() if value is not None and value is not False}
    for option in given:
        if option not in takes:
            raise OptionError(f"the replication {name} has no option --{option}; it needs none of that")
    return given


def papers() -> dict[str, str]:
    """Return the replications there are, with a line on each."""
    import referee_papers as package

    names = [module.name for module in pkgutil.iter_modules(package.__path__)]
    modules = {name: importlib.import_module(f"referee_papers.{name}") for name in names}
    return {
        name: (module.__doc__ or "").strip().partition("\n")[0]
        for name, module in modules.items()
        if hasattr(module, "run")
    }
