"""`referee serve`: a page on this machine, for those who prefer a browser to a command line."""

from __future__ import annotations

import sys

import click

from referee.cli.options import Verb, option
from referee.cli.output import emit, say

OTHERS = "Allow a --host that other machines can reach. Anyone with the address can then see your files, and nothing is encrypted."


@click.command("serve", cls=Verb)
@option("--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="The port; 0 picks a free one.")
@option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="The address to listen on.")
@option("--limit", type=click.IntRange(1), default=200, show_default=True, metavar="MB", help="The largest upload.")
@option("--browser/--no-browser", default=None, help="Open the page in a browser; by default if there is a terminal.")
@option("--allow-others", is_flag=True, help=OTHERS)
def verb(port: int, host: str, limit: int, browser: bool | None, allow_others: bool) -> None:
    """Open a page in the browser where you drop files and read reports.

    The page is served on this machine only, at an address with a random token, which is printed. Nothing leaves the machine,
    and uploads are removed when the server stops. Ctrl-C stops it.
    """
    from referee.web.server import serving, until_told

    with until_told() as stopped, serving(host, port, limit=limit, allow_others=allow_others) as server:
        emit(server.address)
        say("Ctrl-C stops it and removes the uploads")
        if browser if browser is not None else sys.stdout.isatty():
            import webbrowser

            webbrowser.open(server.opening)
        server.wait(stopped)
    say("stopped; the uploads are removed")
