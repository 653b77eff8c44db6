"""Made-up data that the tests of this folder share."""

from __future__ import annotations


def row(made, what):
    return next(row for row in made.rows if row["what"] == what)
