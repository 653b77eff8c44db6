"""Margins: the largest difference that does not matter, as people write it, checked against the range of the metric."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from referee.errors import Argument, Message, OptionError
from referee.report.numbers import Scale
from referee.results.comparison import Score
from referee.results.settings import Alternative, Question
from referee.runtime.randomness import Streams
from referee.significance import Test
from referee.significance.rank_tally import AnyTally

NEEDED = " must be a number above 0 in the metric's unit, such as 0.01, or 1pp for one percentage point"


@dataclass(frozen=True)
class Margin:
    """A margin as it was given: a number, and the unit behind it."""

    number: float
    unit: str = ""
    """Nothing: the metric's own. "pp": percentage points. "%": nobody can say of what."""

    @classmethod
    def of(cls, given: Any, alpha: float) -> Margin | None:
        """Read a margin: a number, or a text such as "0.01" or "1pp".

        Raises:
            OptionError: if it is no positive number, or alpha is too large to hold an interval against it.

        >>> Margin.of("1pp", 0.05), Margin.of(0.01, 0.05)
        (Margin(number=1.0, unit='pp'), Margin(number=0.01, unit=''))
        """
        if given is None:
            return None
        written = re.fullmatch(r"\s*(\S*?)\s*(pp|%)?\s*", given, re.IGNORECASE) if isinstance(given, str) else None
        unit, number = (written[2] or "").lower() if written else "", math.nan
        if written or (isinstance(given, int | float | np.number) and not isinstance(given, bool)):
            with suppress(ValueError):
                number = float(written[1] if written else given)
        if not (number > 0 and math.isfinite(number)):
            raise OptionError(Argument("margin", bare=True), f"{NEEDED}; it is {str(given)[:40]!r}", value=given)
        if alpha >= 0.5:
            below = Argument("margin"), " needs ", Argument("alpha", bare=True), " below 0.5"
            raise OptionError(*below, value=alpha)
        return cls(number, unit)

    def settle(
        self, metric: str, reach: float | None, reference: tuple[str, float] | None = None, shares: bool = True
    ) -> float:
        """Return the margin in the metric's own unit.

        Args:
            metric: what is compared.
            reach: the most that two scores can differ by; None where they have no bounds.
            reference: the name of system A, and its score.
            shares: whether percentage points are hundredths of the scores, as `in_points` says.

        Raises:
            OptionError: if it can mean two things, or nothing could fail it.
        """
        points = Message("for ", _points(self.number), " give ", Argument("margin", f"{self.number:g}pp"))
        value, remedy = self.number / 100 if self.unit == "pp" else self.number, Message("give a smaller one")
        wrong = ""
        if self.unit == "%":
            remedy = self._relative(metric, reference)
            wrong = f"margin {self} can mean two things" if shares else f"margin {self} doesn't say of what"
            remedy = Message(points, "; ", remedy) if shares else remedy
        elif self.unit == "pp" and not shares:
            wrong = f"margin {self} is in percentage points, but {metric} is not measured in percent here"
            remedy = Message("give a plain number in the unit of the scores")
        elif reach is not None and value >= reach:
            wrong = f"margin {self} would let anything pass: two scores of {metric} differ by at most {reach:g}"
            remedy = points if shares and not self.unit and self.number < 100 * reach else remedy
        elif reach is None and shares and value >= 1:
            wrong = f"margin {self} is {100 * value:g} percentage points of {metric}"
            remedy = remedy if self.unit else points
        if wrong:
            raise OptionError(wrong, argument="margin", value=str(self), remedy=remedy)
        return value

    def _relative(self, metric: str, reference: tuple[str, float] | None) -> Message:
        """Say which margin is so many percent of A's score."""
        if reference is None or not reference[1]:
            margin = Argument("margin", f"{self.number / 100 * 0.8:.4g}")
            return Message(f"for {self.number:g}% of A's score give ", margin, " if that is 0.8")
        margin = Argument("margin", f"{abs(reference[1]) * self.number / 100:.4g}")
        return Message(f"for {self.number:g}% of the {metric} of {reference[0]} ({reference[1]:.4g}) give ", margin)

    def __str__(self) -> str:
        return f"{self.number:g}{self.unit}"


def in_points(tally: AnyTally) -> bool:
    """Say whether a percentage point is a hundredth of the scores: they are shares, as error rates are, or end at -1 and 1."""
    if tally.range is not None:
        return tally.range[0] >= -1 and tally.range[1] <= 1
    return tally.reach is not None or tally.metric.info.unit == "share"


def _points(number: float) -> str:
    return "one percentage point" if number == 1 else f"{number:g} percentage points"


def too_wide(margin: float, score: Score, bottom: float, called: str, up: bool, scale: Scale) -> list[str]:
    """Warn of a margin beyond half of what separates a score from chance, or from the worst.

    Args:
        margin: the margin, in the metric's own unit.
        score: that of system A.
        bottom: the score of answering at random, or the worst that there is.
        called: what the bottom is called.
        up: whether a higher score is better.
        scale: how scores are written.
    """
    if score.score is None:
        return []
    ahead, own, least = score.score - bottom, scale.score(score.score), scale.score(bottom)
    ahead = ahead if up else -ahead
    if margin <= ahead / 2:
        return []
    if ahead <= 0:
        return [f"{score.name} scores {own}, no better than {called} ({least}), so being no worse than it means little"]
    return [
        f"the margin of {scale.difference(margin, sign=False)} is more than half the distance from {called} ({least}) to "
        f"{score.name} ({own}): a system that lost half of it would still pass"
    ]


def deciding_side(
    test: Test, tally: AnyTally, flipped: bool, question: Question, margin: float, up: bool, streams: Streams
) -> tuple[float | None, float, Alternative]:
    """Return the p-value of a question about a margin, and of which null and alternative it is: of two, the larger.

    Args:
        test: the test.
        tally: the units; null and alternative are those of its own b - a.
        flipped: whether A and B were exchanged for it.
        question: "no-worse" or "equal".
        margin: the margin.
        up: whether a higher score is better.
        streams: the source of randomness.
    """
    sides: list[tuple[float, Alternative]] = [(-margin, "greater"), (margin, "less")]
    if question == "no-worse":
        sides = sides[:1] if up != flipped else sides[1:]
    answers = [(test.p_at(tally, null, side, streams), null, side) for null, side in sides]
    p, null, side = max(answers, key=lambda answer: answer[0] or 0.0)
    return None if any(answer[0] is None for answer in answers) else p, null, side
