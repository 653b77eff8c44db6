"""`referee serve`: a page on this machine, for those who would rather drop files than type options."""

from __future__ import annotations

import sys

import click

from referee.cli.options import Verb


@click.command("serve", cls=Verb)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="The port; 0: one that is free."
)
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="The address to listen at.")
@click.option("--limit", type=click.IntRange(1), default=200, show_default=True, metavar="MB", help="The largest file.")
@click.option(
    "--browser/--no-browser", default=None, help="Open the page in a browser; if left out, where there is a terminal."
)
@click.option(
    "--allow-others",
    is_flag=True,
    help="Allow a --host that other machines reach. Whoever has the address then sees your files, and nothing is encrypted.",
)
def verb(port: int, host: str, limit: int, browser: bool | None, allow_others: bool) -> None:
    """Open a page where files are dropped and reports are seen.

    The page is served on this machine alone, at an address with a random token, which is printed. Nothing leaves the machine,
    and what was uploaded is removed when the server stops. Ctrl-C stops it.
    """
    from referee.cli.output import emit, talk
    from referee.web.server import serving, until_told

    with until_told() as stopped, serving(host, port, limit=limit, others=allow_others) as server:
        emit(server.address)
        talk("Ctrl-C stops it, and removes what was uploaded", False)
        if browser if browser is not None else sys.stdout.isatty():
            import webbrowser

            webbrowser.open(server.opening)
        server.wait(stopped)
    talk("stopped; what was uploaded is removed", False)
