"""The grid of an audit: categories x sizes, run cell by cell and gathered into rows."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee.studies.auditing.cells import IGNORING, Design, fingerprint
from referee.studies.auditing.null_worlds import TIE
from referee.studies.auditing.population import Population

Values = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Grid:
    """A design, the populations it is asked of, by category, and the sizes of their test sets."""

    design: Design
    populations: Mapping[str | None, Population]
    sizes: tuple[int, ...]
    tie: float = TIE
    """Within what difference systems tie in a population; no cell depends on it."""
    name: str = ""
    """What tells the cells of this grid from those of others in one store."""

    def describe(self) -> dict[str, Any]:
        """Return what tells this grid from another, for a store."""
        prints = [f"{category}:{fingerprint(population)}" for category, population in self.populations.items()]
        digest = hashlib.sha256("\n".join(prints).encode()).hexdigest()[:16]
        told = {"population": digest, "categories": len(self.populations), "sizes": list(self.sizes)}
        return {**self.design.describe(), **told}

    def key(self, category: str | None, n: int) -> str:
        """Return the name of a cell."""
        return "/".join(filter(None, [self.name, category or "all", str(n)]))

    def tasks(self) -> dict[str, tuple[Any, ...]]:
        """Return the arguments of each cell, the large sizes first: they last longest."""
        return {
            self.key(category, n): (self.design, population, category, n)
            for n in sorted(self.sizes, reverse=True)
            for category, population in self.populations.items()
        }

    def rows(self, values: Values) -> list[dict[str, Any]]:
        """Return a row for each test, null, size and alpha, over all categories."""
        only = next(iter(self.populations)) if len(self.populations) == 1 else None
        return self._rows(values, list(self.populations), only)

    def rows_of(self, values: Values, category: str | None) -> list[dict[str, Any]]:
        """Return the same of one category."""
        return self._rows(values, [category], category)

    def _rows(self, values: Values, categories: Sequence[str | None], shown: str | None) -> list[dict[str, Any]]:
        return [
            self._row(values, test, null, n, i, categories, shown)
            for test in self.design.tests
            for null in self.design.nulls
            for n in self.sizes
            for i in range(len(self.design.alphas))
        ]

    def ties(self, cell: Mapping[str, Any]) -> bool:
        """Say whether the systems tie in the population of a cell."""
        return bool(abs(cell["difference"]) <= self.tie)

    def alarms(self, cell: Mapping[str, Any], test: str, null: str) -> list[int] | None:
        """Return the sets that a test rejected at each alpha although the null held; None where it does not hold."""
        rejected = cell["tests"][test]["rejected"]
        found: list[int] | None = (
            (rejected["true"] if self.ties(cell) else None) if null == "observed" else rejected[null]
        )
        return found

    def _row(
        self,
        values: Values,
        test: str,
        null: str,
        n: int,
        i: int,
        categories: Sequence[str | None],
        shown: str | None,
    ) -> dict[str, Any]:
        sets = self.design.sets
        cells = [values[self.key(one, n)] for one in categories]
        false = [alarms[i] / sets for cell in cells if (alarms := self.alarms(cell, test, null)) is not None]
        seen = [cell["tests"][test]["rejected"]["true"][i] / sets for cell in cells if not self.ties(cell)]
        found = [cell["tests"][test] for cell in cells] if self.design.coverage else []
        intervals = [(one["covered"][i], one["intervals"][i]) for one in found if one["intervals"][i]]
        held, looked = sum(covered for covered, _ in intervals), sum(known for _, known in intervals)
        coverage = held / looked if looked else None
        return {
            "test": test.removesuffix(IGNORING),
            "groups": None if not self.grouped else "ignored" if test.endswith(IGNORING) else "whole",
            "null": null,
            "category": shown,
            "n": n,
            "alpha": self.design.alphas[i],
            "false_alarm": mean(false),
            "false_alarm_error": mean_error(false, sets),
            "spread": deviation(false),
            "power": mean(seen),
            "power_error": mean_error(seen, sets),
            "power_spread": deviation(seen),
            "coverage": coverage,
            "coverage_error": None if coverage is None else binomial_error(coverage, looked),
            "coverage_spread": deviation([covered / known for covered, known in intervals]),
            "sets": sets,
            "categories": {"null": len(false), "different": len(seen)},
        }

    @property
    def grouped(self) -> bool:
        """Whether examples come in groups."""
        return any("group" in population.counts for population in self.populations.values())


def binomial_error(share: float, trials: int) -> float:
    """Return the standard error of a share; where it is 0 or 1, that of a share half a set away from it.

    >>> round(binomial_error(0.05, 500), 5), round(binomial_error(0.0, 500), 5)
    (0.00975, 0.00141)
    """
    shrunk = min(max(share, 0.5 / trials), 1 - 0.5 / trials)
    return math.sqrt(shrunk * (1 - shrunk) / trials)


def mean(shares: Sequence[float]) -> float | None:
    """Return the mean, None of nothing."""
    return math.fsum(shares) / len(shares) if shares else None


def mean_error(shares: Sequence[float], sets: int) -> float | None:
    """Return the Monte-Carlo error of the mean of shares of `sets` sets each."""
    return math.sqrt(math.fsum(binomial_error(s, sets) ** 2 for s in shares)) / len(shares) if shares else None


def deviation(shares: Sequence[float]) -> float | None:
    """Return the standard deviation over categories; None of fewer than two."""
    if len(shares) < 2:
        return None
    centre = math.fsum(shares) / len(shares)
    return math.sqrt(math.fsum((s - centre) ** 2 for s in shares) / (len(shares) - 1))
