"""The command line: `referee VERB ...`, one file a verb."""

from referee.cli.entry import main

__all__ = ["main"]
