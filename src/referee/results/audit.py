"""Audits: how tests behave on data like these, and whether they keep their false-alarm rate. Frozen and complete."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from referee.errors import OptionError, unknown
from referee.results.base import Reported, transposed
from referee.results.settings import EXAMPLE, Settings
from referee.results.test_info import MetricInfo, TestInfo

SLACK = 2.0
"""How many Monte Carlo errors above alpha a false-alarm rate may lie."""
SHARE = 0.1
"""By what share of alpha a rate may exceed it and still be called kept: 5.5 % for 5 %."""
PRECISE = 0.25
"""With a Monte Carlo error of more than this share of alpha, a test that seems to keep its false alarms may not."""
AlarmVerdict = Literal["keeps", "too many", "cautious", "too few sets", "unknown"]


def alarm_verdict(row: Mapping[str, Any]) -> AlarmVerdict:
    """Say in a word whether a test kept its false alarms: at most a tenth above alpha, or not beyond two Monte Carlo errors of it.

    An error of more than a quarter of alpha (of 5%: from fewer than about 300 test sets) tells neither, unless the rate lies two
    errors on one side.

    >>> alarm_verdict({"alpha": 0.05, "false_alarm": 0.08, "false_alarm_error": 0.01})
    'too many'
    >>> alarm_verdict({"alpha": 0.05, "false_alarm": 0.095, "false_alarm_error": 0.021})
    'too few sets'
    """
    rate, alpha = row["false_alarm"], row["alpha"]
    if rate is None or not math.isfinite(rate):
        return "unknown"
    error = row["false_alarm_error"] or 0.0
    slack, most = SLACK * error, alpha * (1 + SHARE)
    if rate > most + slack:
        return "too many"
    if rate < alpha / 2 - slack:
        return "cautious"
    return "keeps" if rate + slack <= most or error <= PRECISE * alpha else "too few sets"


@dataclass(frozen=True, kw_only=True)
class Audit(Reported):
    """How tests behave on test sets drawn from a population: false alarms, power and coverage, with their standard errors."""

    SCHEMA: ClassVar[str] = "referee.audit/1"
    metric: str
    rows: tuple[dict[str, Any], ...]
    """A row for each test, size and alpha."""
    each: tuple[dict[str, Any], ...] = ()
    """The same for each category, if there are several."""
    advice: str
    chosen: str
    """The test that `compare` would take."""
    preferred: str | None
    """The test to prefer; None if no test keeps its false-alarm rate."""
    alpha: float = 0.05
    """The alpha that the advice is for."""
    null: str
    categories: int = 1
    difference: float | None
    """The difference b - a in the population; None if there are several categories."""
    names: tuple[str, str] = field(default=("A", "B"), metadata={"names": ("a", "b")})
    population: str = ""
    n: int | None = None
    """How many examples the population was made of; None of one that was made up."""
    noun: str = EXAMPLE
    """What one of the examples is called."""
    warnings: tuple[str, ...] = ()
    signature: str = ""
    settings: Settings | None = field(default=None, repr=False, compare=False)
    test_info: Mapping[str, TestInfo] = field(default_factory=dict, repr=False, compare=False)
    """What is told of the tests, by their spelling."""
    metric_info: MetricInfo | None = field(default=None, repr=False, compare=False)

    @property
    def peeks(self) -> int:
        """After how many batches of examples the tests looked; 1 where a test set came at once."""
        return max((row.get("peeks", 1) for row in self.rows), default=1)

    def row(self, test: str | None = None, n: int | None = None, alpha: float | None = None) -> dict[str, Any]:
        """Return the row of a test at a size and an alpha; the defaults are the chosen test (else the first), the first size and the first alpha.

        Raises:
            RefereeError: if there is no such row.
        """
        known = list(dict.fromkeys(row["test"] for row in self.rows))
        wanted = test or (self.chosen if self.chosen in known else known[0])
        if wanted not in known:
            raise unknown("test", wanted, known)
        for row in self.rows:
            is_of_test = row["test"] == wanted and row["groups"] != "ignored"
            if is_of_test and n in (None, row["n"]) and alpha in (None, row["alpha"]):
                return row
        sizes, alphas = (sorted({row[key] for row in self.rows}) for key in ("n", "alpha"))
        there = f"sizes: {sizes}, alphas: {alphas}"
        lacking = f"there is no row of {wanted} at n = {n} and alpha = {alpha}"
        raise OptionError(lacking, argument="n" if n not in (None, *sizes) else "alpha", remedy=there)

    def _columns(self) -> dict[str, list[Any]]:
        rows = [
            {**row, **{f"{k}_categories": v for k, v in row["categories"].items()}} for row in self.rows + self.each
        ]
        return {key: cells for key, cells in transposed(rows).items() if key != "categories"}
