"""The command line: `referee VERB ...`, one file a verb."""

from referee.cli.main import main

__all__ = ["main"]
