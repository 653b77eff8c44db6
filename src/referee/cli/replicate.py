"""`referee replicate`: the numbers of a paper again, ours beside theirs."""

from __future__ import annotations

import importlib
import json
import pkgutil
from typing import Any

import click

from referee.cli.options import OUTPUT, formats, with_options


@click.command("replicate")
@with_options(click.argument("name", required=False), formats(), OUTPUT)
def verb(name: str | None, form: str, output: str | None) -> None:
    """Repeat the numbers of a paper, ours beside theirs.

    Without NAME it lists the papers.
    """
    from referee.cli.output import emit

    if name is None:
        emit("\n".join(f"{paper:<16}{about}" for paper, about in papers().items()) or "there are none yet", output)
        return
    from referee.errors import unknown

    if name not in papers():
        raise unknown("replication", name, papers())
    from referee.cli.bar import progress

    with progress():
        result = importlib.import_module(f"referee.replicate.{name}").run()
    emit(render(result, form), output)


def papers() -> dict[str, str]:
    """Return the replications there are, with a line on each."""
    import referee.replicate as package

    names = [module.name for module in pkgutil.iter_modules(package.__path__) if not module.name.startswith("_")]
    modules = {name: importlib.import_module(f"referee.replicate.{name}") for name in names}
    return {
        name: (module.__doc__ or "").strip().partition("\n")[0]
        for name, module in modules.items()
        if hasattr(module, "run")
    }


def render(result: Any, form: str) -> str:
    """Write a replication in a form."""
    if form == "json":
        return json.dumps(result.to_dict(), ensure_ascii=False, indent=1, allow_nan=False)
    from referee.report import replication

    written: str = getattr(replication, form)(result)
    return written
