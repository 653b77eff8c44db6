"""Margins: the largest difference that does not matter, as people write it, held against what a metric can differ by."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from referee.errors import OptionError
from referee.results.settings import Alternative, Question
from referee.runtime.randomness import Streams
from referee.significance import Test
from referee.significance.rank_tally import AnyTally

NEEDED = "margin must be a number above 0 in the metric's own unit, such as 0.01, or 1pp for one percentage point"


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
            OptionError: where it is no positive number, or alpha is too large to hold an interval against it.

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
            raise OptionError(f"{NEEDED}; it is {str(given)[:40]!r}")
        if alpha >= 0.5:
            raise OptionError("margin= needs alpha below 0.5")
        return cls(number, unit)

    def settle(
        self, metric: str, reach: float | None, reference: tuple[str, float] | None = None, shares: bool = True
    ) -> float:
        """Return the margin in the metric's own unit.

        Args:
            metric: what is compared.
            reach: the most that two scores can differ by; None where they have no bounds.
            reference: the name of system A, and its score.
            shares: whether scores lie between -1 and 1, so that percentage points are hundredths of them.

        Raises:
            OptionError: where it can mean two things, or nothing could fail it.
        """
        if self.unit == "%":
            raise OptionError(self._two_meanings(metric, reach, reference))
        if self.unit == "pp" and not (reach is not None and shares):
            raise OptionError(
                f"margin {self} is in percentage points, and {metric} has no percentages here; give it in the unit of the "
                f"scores, as a plain number"
            )
        value = self.number / 100 if self.unit == "pp" else self.number
        if reach is not None and value >= reach:
            hint = f"; for {_points(self.number)} give margin='{self.number:g}pp'"
            raise OptionError(
                f"margin {self} would let anything pass: two scores of {metric} differ by at most {reach:g}"
                + (hint if shares and not self.unit and self.number < 100 * reach else "; give a smaller one")
            )
        return value

    def _two_meanings(self, metric: str, reach: float | None, reference: tuple[str, float] | None) -> str:
        own = "A's score"
        relative = f"margin='{self.number / 100 * 0.8:.4g}' if that is 0.8"
        if reference is not None and reference[1]:
            own = f"the {metric} of {reference[0]} ({reference[1]:.4g})"
            relative = f"margin='{abs(reference[1]) * self.number / 100:.4g}'"
        if reach is None:
            return f"margin {self} does not say of what; for {self.number:g}% of {own} give {relative}"
        return (
            f"margin {self} can mean two things; give margin='{self.number:g}pp' for {_points(self.number)}, or, for "
            f"{self.number:g}% of {own}, {relative}"
        )

    def __str__(self) -> str:
        return f"{self.number:g}{self.unit}"


def _points(number: float) -> str:
    return "one percentage point" if number == 1 else f"{number:g} percentage points"


def too_wide(margin: float, name: str, score: float, bottom: float, higher_is_better: bool, called: str) -> list[str]:
    """Warn of a margin beyond half of what separates a score from chance, or from the worst.

    Args:
        margin: the margin, in the metric's own unit.
        name: what system A is called.
        score: its score.
        bottom: the score of answering at random, or the worst that there is.
        higher_is_better: whether a greater score is the better one.
        called: what the bottom is called.
    """
    ahead = score - bottom if higher_is_better else bottom - score
    if margin <= ahead / 2:
        return []
    if ahead <= 0:
        return [
            f"{name} scores {score:.4g}, no better than {called} ({bottom:.4g}), so being no worse than it means little"
        ]
    return [
        f"the margin of {margin:.4g} is more than half of what separates {name} ({score:.4g}) from {called} ({bottom:.4g}): a "
        f"system that has lost half of that would still pass"
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
