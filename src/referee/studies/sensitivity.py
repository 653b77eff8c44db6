"""Sensitivity: how small a difference a comparison could have detected, and how many units would confirm the one it saw."""

from __future__ import annotations

import math
from collections.abc import Sequence

from referee.significance import Test
from referee.significance.base import ENOUGH, Finding
from referee.significance.rank_tally import AnyTally, differing
from referee.significance.tally import Tally

POWER = 0.8
"""The power of what is called detectable."""
FAR = 1e6
"""Beyond so many times the data nobody asks for the last digit."""


def detectable(
    tally: AnyTally, test: Test, finding: Finding | None, alternative: str, alpha: float, error: float
) -> float | None:
    """Return the smallest true difference that the test detects with power .8; None where that cannot be known.

    Where so few units as differ here cannot reach alpha, whoever wins them, a standard error says nothing of power; and from
    fewer than ENOUGH of them, or in effect as few, it claims too much. Two-sided it is one on the side of what is observed.

    Args:
        tally: the units.
        test: the test.
        finding: what it found.
        alternative: that of the tally's own b - a.
        alpha: the false-alarm rate.
        error: the standard error of the difference.
    """
    if finding is None or finding.p is None or not error > 0:
        return None
    apart = int(tally.multiplicities @ differing(tally))
    if apart < ENOUGH or test.smallest(apart, alternative, finding.evidence.method) > alpha:
        return None
    scores, two = tally.observed(), alternative == "two-sided"
    below = scores[1] < scores[0] if two else alternative == "less"
    tail, side = 1 - alpha / 2 if two else 1 - alpha, -1.0 if below else 1.0
    # Systems that tie are on neither side: what would be detected on both.
    tie = two and abs(scores[1] - scores[0]) <= tally.tolerance(scores)
    sides = [test.detects(tally, error, tail, POWER, one) for one in ((side, -side) if tie else (side,))]
    known = [one for one in sides if one is not None and math.isfinite(one)]
    if len(known) < len(sides):
        return None
    found = max(known)
    return None if tally.reach is not None and found > tally.reach else found


def needed(
    tally: AnyTally,
    test: Test,
    least: float | None,
    scores: Sequence[float],
    flipped: bool,
    alternative: str,
    alpha: float,
    error: float,
) -> int | None:
    """Return how many units would detect a difference as large as the observed one with power .8; None if unknown.

    The detectable difference shrinks with the root of the size. On more units a t test has more degrees of freedom too, so what
    it would detect there is asked once more.

    Args:
        tally: the units.
        test: the test.
        least: the difference that is detectable now.
        scores: those of A and B.
        flipped: whether A and B were exchanged for the tally.
        alternative: that of b - a.
        alpha: the false-alarm rate.
        error: the standard error of the difference.
    """
    difference = scores[1] - scores[0]
    wrong_side = (alternative == "greater" and difference < 0) or (alternative == "less" and difference > 0)
    if least is None or not difference or wrong_side:
        return None
    times = (least / abs(difference)) ** 2
    if isinstance(tally, Tally) and times <= FAR:
        whole = math.ceil(times)
        larger = tally.with_multiplicities(tally.multiplicities * whole)
        tail, side = (
            1 - alpha / 2 if alternative == "two-sided" else 1 - alpha,
            1.0 if (difference > 0) != flipped else -1.0,
        )
        again = test.detects(larger, error / math.sqrt(whole), tail, POWER, side)
        times = times if again is None else whole * (again / abs(difference)) ** 2
    units = math.ceil(tally.units * times)
    return units if units > tally.units else None
