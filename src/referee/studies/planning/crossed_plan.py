"""Plans over two crossed groups, such as questions and training seeds: more of which, and how many of either?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from referee.errors import Argument, InputError, OptionError
from referee.results.plan import Plan, Solved
from referee.results.settings import Alternative, Settings
from referee.results.variance_parts import VarianceSplit
from referee.runtime.randomness import Streams
from referee.significance.base import interval_at
from referee.significance.distributions import t_quantile
from referee.studies.auditing.audit_line import Asked
from referee.studies.planning.basis import Basis
from referee.studies.variance_split import split_of

FEW = 10
"""A pilot with fewer levels of a group tells only roughly how it varies."""
TIMES = (1, 2, 4)
"""How many times the pilot's levels the table has."""
LADDER = (1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128)
"""How many times the pilot's levels of the second group are tried if its own are too few."""
FARTHEST = 4
"""With more times the pilot's levels of the first group than this, more of the second are looked at: at some point more questions do
not help, and before that they help little."""
MOST = 10**9


@dataclass(frozen=True)
class Components:
    """The variances of what one level of either group, and one cell, add to the difference."""

    first: float
    second: float
    cell: float
    levels: tuple[int, int]
    """Those of the pilot."""
    rows: float
    """How many rows a cell has."""

    @classmethod
    def of(cls, split: VarianceSplit, n: int, levels: tuple[int, int], cells: int) -> Components:
        """Read them off the split of the pilot's variance."""
        parts = {part.source: part for part in split.parts}
        rest = sum(part.variance for part in split.parts if part.source in ("cell", "rows"))
        return cls(parts["group"].component, parts["crossed"].component, rest * cells, levels, n / cells)

    def error(self, first: float, second: float) -> tuple[float, float]:
        """Return the standard error with so many levels, and its degrees of freedom."""
        rest = self.cell / (first * second)
        one, two = self.first / first + rest, self.second / second + rest
        variance = one + two - rest
        if variance <= 0:
            return 0.0, math.inf
        doubt = one**2 / max(first - 1, 1e-9) + two**2 / max(second - 1, 1e-9)
        return math.sqrt(variance), max(variance**2 / doubt, min(first, second) - 1)

    def n(self, first: float, second: float) -> int:
        """Return how many examples that is."""
        return round(first * second * self.rows)


def power_of(size: float, error: float, df: float, alpha: float, sided: bool) -> float:
    """Return how often a t test detects a true difference, on its own side."""
    from scipy.special import nctdtr

    if error <= 0:
        return 1.0
    critical = t_quantile(1 - alpha if sided else 1 - alpha / 2, df)
    return min(1.0, max(0.0, 1 - float(nctdtr(df, size / error, critical))))


class CrossedPlanner:
    """A plan over two crossed groups in the making: by Student's t, with the pilot's components of variance."""

    def __init__(self, basis: Basis, asked: Asked, aim: float, streams: Streams) -> None:
        self.basis, self.asked, self.aim, self.streams = basis, asked, aim, streams
        assert basis.counts is not None and basis.tally is not None and basis.tally.crossing is not None
        if asked.question != "better":
            only = "a plan over two crossed groups answers which system is better"
            raise OptionError(
                only, argument="question", value=asked.question, remedy="name one group for other questions"
            )
        split = split_of(basis.counts, basis.tally)
        if split is None:
            none = f"how the variance of {basis.metric} splits between two crossed groups is not known"
            raise OptionError(none, argument="metric", remedy="name one group, or a metric of totals, such as accuracy")
        if split.variance <= 0:
            raise InputError(
                "the pilot shows no variance between the groups, so nothing can be planned", argument="data"
            )
        crossing = basis.tally.crossing
        self.names, self.split = crossing.names, split
        self.parts = Components.of(split, basis.counts.n, crossing.levels, len(crossing.sizes))

    def plan(self, difference: float | None, n: int | None, sizes: Sequence[int] | None, settings: Settings) -> Plan:
        """Look for what was not given."""
        basis, asked, parts = self.basis, self.asked, self.parts
        solved: Solved = "n" if n is None else "power" if difference is not None else "difference"
        first, second = float(parts.levels[0]), float(parts.levels[1])
        if n is not None:
            first = max(2.0, n / (second * parts.rows))
        true = self._detected(first, second) if solved == "difference" else self._true(difference)
        if n is None:
            first, second = self._levels(true)
        total = n if n is not None else parts.n(first, second)
        times = (
            [one / (second * parts.rows) for one in sizes]
            if sizes
            else [first * t for t in (0.25, 0.5, 0.75, 1, 1.5, 2)]
        )
        curve = {parts.n(at, second): self.power(true, at, second) for at in times if at >= 2}
        own, counts = self.power(true, *map(float, parts.levels)), basis.counts
        assert counts is not None and basis.tally is not None
        interval = interval_at(basis.test, basis.tally, asked.level, self.streams)
        pilot = {
            "n": counts.n, "units": counts.n, "runs": None, "difference": basis.difference,
            "interval": None if interval is None else interval.to_dict(), "power": own, "error": None,
        }  # fmt: skip
        unit: Literal["example"] = "example"
        return Plan(
            metric=str(basis.metric), test=str(basis.test), reason=basis.reason, alternative=cast(Alternative, asked.alternative),
            alpha=asked.alpha, higher_is_better=asked.higher_is_better, solved=solved, n=total, units=total, unit=unit,
            power=self.power(true, first, second) if solved == "power" else self.aim, difference=true,
            curve=tuple({"n": at, "units": at, "power": power, "error": None} for at, power in sorted(curve.items())),
            method="normal", source="pilot", pilot=pilot, names=(counts.name("a"), counts.name("b")),
            levels=tuple({"name": name, "count": round(many)} for name, many in zip(self.names, (first, second), strict=True)),
            trade=self._trade(true), gains=self._gains(), assumptions=self._assumptions(solved),
            warnings=(*basis.warnings, *self._warnings()), settings=settings,
            test_info=basis.test.info(True, basis.metric.task), metric_info=basis.metric.info_on(counts),
        )  # fmt: skip

    def power(self, true: float, first: float, second: float) -> float:
        """Return how often a difference is detected with so many levels."""
        error, df = self.parts.error(first, second)
        return power_of(abs(true), error, df, self.asked.alpha, self.asked.alternative != "two-sided")

    def _true(self, difference: float | None) -> float:
        basis, asked = self.basis, self.asked
        true = basis.difference if difference is None else difference
        if not true:
            needs = "a plan needs a difference to detect that is not 0"
            raise OptionError(needs, argument="difference", remedy="give one, such as 0.02 or 2pp")
        if (asked.alternative == "greater" and true < 0) or (asked.alternative == "less" and true > 0):
            against = Argument("alternative", asked.alternative), f" does not look for a difference of {true:g}"
            raise OptionError(*against, argument="alternative", value=asked.alternative, remedy="turn the sign of one")
        return true

    def _levels(self, true: float) -> tuple[float, float]:
        """Return how many levels reach the power: the fewest of the second group, unless that takes far too many of the first.

        Raises:
            OptionError: if no number does.
        """
        start, second = self.parts.levels
        found = [(many, size) for t in LADDER if (many := self._first(true, size := math.ceil(second * t))) is not None]
        if not found:
            never = f"no number of {self.names[0]} and {self.names[1]} like those of the pilot detects a difference of {true:g}"
            raise OptionError(never, argument="difference", value=true, remedy="give a larger one")
        near = next((pair for pair in found if pair[0] <= FARTHEST * start), None)
        return near or min(found, key=lambda pair: pair[0] * pair[1])

    def _first(self, true: float, second: float) -> float | None:
        """Return how many levels of the first group reach the power with so many of the second; None if none do."""
        if self.power(true, MOST, second) < self.aim:
            return None
        low, high = 1, 2
        while self.power(true, high, second) < self.aim:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.power(true, middle, second) >= self.aim else (middle, high)
        return float(high)

    def _detected(self, first: float, second: float) -> float:
        """Return which difference is detected with the power asked for."""
        low, high = 0.0, self.parts.error(first, second)[0]
        while self.power(high, first, second) < self.aim:
            low, high = high, 2 * high
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if self.power(middle, first, second) >= self.aim else (middle, high)
        sign = {"greater": 1.0, "less": -1.0}.get(self.asked.alternative, self.basis.side)
        if self.basis.reach is not None and high >= self.basis.reach:
            few = "so few can't detect any difference with this power"
            raise OptionError(few, argument="n", remedy="give more")
        return sign * high

    def _trade(self, true: float) -> tuple[dict[str, Any], ...]:
        """Return the power with one, two and four times the pilot's levels of either group."""
        (one, two), parts = self.parts.levels, self.parts
        return tuple(
            {
                "group": i * one,
                "crossed": s * two,
                "n": parts.n(i * one, s * two),
                "power": self.power(true, i * one, s * two),
            }
            for s in TIMES
            for i in TIMES
        )

    def _gains(self) -> tuple[dict[str, Any], ...]:
        """Return by what share twice as many of each would cut the standard error."""
        sources: tuple[Literal["group", "crossed"], ...] = ("group", "crossed")
        return tuple(
            {"name": name, "saved": self.split.saved(source)} for name, source in zip(self.names, sources, strict=True)
        )

    def _assumptions(self, solved: Solved) -> tuple[str, ...]:
        told = [
            "Variances between the groups, and of what is left from cell to cell, are those of the pilot.",
            "Every level of one group meets every level of the other.",
        ]
        if solved == "n":
            first, second = self.names
            told.append(
                f"The plan has as few values of {second} as will do with up to four times the pilot's values of {first}."
            )
        return tuple(told)

    def _warnings(self) -> list[str]:
        few = [(many, name) for many, name in zip(self.parts.levels, self.names, strict=True) if many < FEW]
        return [
            f"the pilot has only {many} values of {name}: the plan is rough in how much {name} matters"
            for many, name in few
        ]
