"""The command line: `referee VERB ...`, one file per verb."""

from referee.cli.main import main

__all__ = ["main"]
