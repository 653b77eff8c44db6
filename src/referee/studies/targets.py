"""Targets: the score that one system has to reach, or not to exceed, as people write it, checked against the metric."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from referee.errors import Argument, Message, OptionError
from referee.metrics.base import Metric
from referee.metrics.formula import Range
from referee.results.measurement import Attainment
from referee.significance.own_laws import OwnLaw

NEEDED = " must be a number in the metric's unit, such as 0.9, or 90% of a share"


@dataclass(frozen=True)
class Target:
    """A target as it was given: which side, a number, and whether it is in percent."""

    argument: str
    """"at_least" or "at_most"."""
    number: float
    is_percent: bool = False

    @classmethod
    def of(cls, at_least: Any, at_most: Any, alpha: float) -> Target | None:
        """Read a target: a number, or a text such as "0.9" or "90%".

        Raises:
            OptionError: if there are two, it is no number, or alpha is too large to hold an interval against it.

        >>> Target.of("90%", None, 0.05), Target.of(None, 0.1, 0.05)
        (Target(argument='at_least', number=90.0, is_percent=True), Target(argument='at_most', number=0.1, is_percent=False))
        """
        if at_least is None and at_most is None:
            return None
        if at_least is not None and at_most is not None:
            both = Argument("at_least", bare=True), " and ", Argument("at_most", bare=True), " are both given"
            remedy = Message(
                "give ", Argument("at_least"), " if higher is better, ", Argument("at_most"), " if lower is"
            )
            raise OptionError(*both, argument="at_most", value=at_most, remedy=remedy)
        argument, given = ("at_least", at_least) if at_least is not None else ("at_most", at_most)
        written = re.fullmatch(r"\s*(\S*?)\s*(%)?\s*", given) if isinstance(given, str) else None
        number = math.nan
        if written or (isinstance(given, int | float | np.number) and not isinstance(given, bool)):
            with suppress(ValueError):
                number = float(written[1] if written else given)
        if not math.isfinite(number):
            raise OptionError(Argument(argument, bare=True), f"{NEEDED}; it is {str(given)[:40]!r}", value=given)
        if alpha >= 0.5:
            raise OptionError(Argument(argument), " needs ", Argument("alpha", bare=True), " below 0.5", value=alpha)
        return cls(argument, number, bool(written and written[2]))

    def settle(self, metric: Metric, ends: Range | None) -> float:
        """Return the target in the metric's own unit.

        Args:
            metric: what is measured.
            ends: the least and the greatest score, if it has any.

        Raises:
            OptionError: if it is on the wrong side for the metric, or outside of what scores can be.
        """
        name = metric.info.name
        shares = metric.info.unit == "share" if ends is None else ends[0] >= -1 and ends[1] <= 1
        if (self.argument == "at_least") != metric.higher_is_better:
            other = "at_most" if self.argument == "at_least" else "at_least"
            side = "lower" if self.argument == "at_least" else "higher"
            instead = Message("give ", Argument(other, self._written))
            raise OptionError(f"{side} {name} is better: ", Argument(self.argument, bare=True), " would ask for the opposite",
                              value=self.number, remedy=instead)  # fmt: skip
        if self.is_percent and not shares:
            raise OptionError(f"{name} is not a share, so ", Argument(self.argument, bare=True), " can't be in percent",
                              value=self._written, remedy="give a number in its own unit")  # fmt: skip
        value = self.number / 100 if self.is_percent else self.number
        if ends is not None and not ends[0] < value < ends[1]:
            between = f" must lie between {ends[0]:g} and {ends[1]:g}, the ends of {name}; it is {self._written}"
            remedy: Message | None = None
            if value in ends:
                remedy = Message("no data can show that a score is exactly at its end; give a number inside")
            elif shares and not self.is_percent and ends[0] < value / 100 < ends[1]:
                remedy = Message(f"for {value:g}% give ", Argument(self.argument, f"{value:g}%"))
            raise OptionError(Argument(self.argument, bare=True), between, value=self.number, remedy=remedy)
        if ends is None and shares and not self.is_percent and value >= 1:
            remedy = Message(f"for {value:g}% give ", Argument(self.argument, f"{value:g}%"))
            raise OptionError(
                Argument(self.argument, self._written),
                f" is {100 * value:g}%",
                argument=self.argument,
                value=value,
                remedy=remedy,
            )
        return value

    @property
    def _written(self) -> str:
        return f"{self.number:g}{'%' if self.is_percent else ''}"

    def judge(self, law: OwnLaw, value: float, alpha: float) -> tuple[float | None, Attainment]:
        """Return the p-value of a score just at the target, against one that meets it, and the verdict.

        The verdict is that of the interval at 1 - 2 alpha: met if all of it meets the target, missed if none of it does.
        """
        ways = ("greater", "less") if self.argument == "at_least" else ("less", "greater")
        meets, misses = (law.p_at(value, way) for way in ways)
        if meets is not None and meets <= alpha:
            return meets, "meets it"
        return meets, "falls short" if misses is not None and misses <= alpha else "can't tell"
