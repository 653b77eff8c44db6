"""`referee replicate`: the numbers of a paper, ours beside theirs."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from typing import Any

import click

from referee.cli.options import HTML, OUTPUT, QUIET, RUNNING, Verb, formats, question, result, with_options
from referee.cli.output import Outputs, emit
from referee.errors import Argument, OptionError, unknown

HOW = (
    question("--corpus", metavar="NAME", help="rcv1 (default, the papers' own) or wordnet."),
    question("--fast", is_flag=True, help="Few sizes, categories and test sets: a minute instead of an hour."),
    question("--sets", type=int, help="Test sets per category and size; 500 as in the paper, 100 with --fast."),
    question("--posterior", is_flag=True, help="keller2005: posteriors of F1 beside the bootstrap and the score test."),
    result("--charts", metavar="FOLDER", help="Draw the paper's figures there, with tables as CSV."),
)
EXAMPLES = """\
referee replicate yeh2000
referee replicate keller2005 --fast --charts figures
referee replicate keller2005 --posterior --jobs 2
referee replicate keller2005 --store cells.sqlite --format json -o keller.json
"""


@click.command("replicate", cls=Verb, epilog=EXAMPLES)
@with_options(click.argument("name", required=False), *HOW, *RUNNING, formats(), OUTPUT, HTML, QUIET)
def verb(name: str | None, **options: Any) -> None:
    """Reproduce the numbers of a paper, ours beside theirs.

    Without NAME it lists the papers.
    """
    outputs = Outputs.of(options)
    outputs.check(options["store"])
    if name is None:
        lines = [f"{paper:<16}{about}" for paper, about in papers().items()]
        emit("\n".join(lines) or "there are none yet", outputs.output)
        return
    if name not in papers():
        raise unknown("replication", name, papers(), "name")
    run = importlib.import_module(f"referee_papers.{name}").run
    chosen = {option: value for option, value in options.items() if value is not None and value is not False}
    for option in chosen:
        if option not in inspect.signature(run).parameters:
            raise OptionError(f"{name} has no option ", Argument(option, bare=True), remedy="leave it out")
    with outputs.working():
        answer = run(**chosen)
        outputs.draw(answer)
    outputs.show(answer)


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
