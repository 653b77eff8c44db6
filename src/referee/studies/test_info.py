"""Credentials: what is said of a test wherever it is named, whether it is of one test set or of fold scores."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from referee.errors import RefereeError
from referee.registry import parse
from referee.significance import TESTS, Test
from referee.significance import resolve as resolve_test
from referee.significance.fold_tests import FOLD_TESTS, FoldTest
from referee.significance.fold_tests import resolve as resolve_fold_test
from referee.significance.randomization import YEH


@dataclass(frozen=True, kw_only=True)
class Credentials:
    """Where a test comes from, what it does, and what it takes for granted."""

    name: str
    options: dict[str, Any]
    """All its options, given or default."""
    summary: str
    reference: str
    assumes: str
    of_folds: bool
    """Whether it is of fold scores, and not of one test set."""

    @property
    def draws(self) -> int | None:
        """How many random draws it takes where it draws at all."""
        if self.options.get("method") == "yeh":
            return YEH
        found = self.options.get("trials", self.options.get("replicates"))
        return found if isinstance(found, int) else None


def credentials(spelling: str) -> Credentials | None:
    """Look up a test by its spelling; None where no such test is registered here.

    >>> found = credentials("mcnemar:variant=exact")
    >>> found.name, found.options["variant"], found.of_folds
    ('mcnemar', 'exact', False)
    >>> credentials("5x2cv-f").of_folds, credentials("mine")
    (True, None)
    """
    try:
        name = parse(spelling)[0]
        if name in TESTS:
            return _of(resolve_test(spelling), of_folds=False)
        if name in FOLD_TESTS:
            return _of(resolve_fold_test(spelling), of_folds=True)
    except RefereeError:  # a result of elsewhere may be spelt as nothing is here
        return None
    return None


def _of(test: Test | FoldTest, of_folds: bool) -> Credentials:
    return Credentials(
        name=test.name,
        options={field.name: getattr(test, field.name) for field in fields(test)},
        summary=test.summary,
        reference=test.reference,
        assumes=test.assumes,
        of_folds=of_folds,
    )
