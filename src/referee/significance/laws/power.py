"""Power of the score law: how large a true difference has to be for test sets to be far from a tie often enough."""

from __future__ import annotations

from typing import cast

import numpy as np

from referee.data.columns import Floats, Ints
from referee.metrics.matrices import first_signs, halves
from referee.significance.laws.score import ScoreLaw

STEPS = (0.6, 0.9, 1.2, 1.8, 3.0)
"""At which multiples of what the standard error suggests the power is looked at."""


def detectable(law: ScoreLaw, row: Ints, tail: float, power: float, side: float, guess: float) -> float | None:
    """Return the size of the difference at which the mean distance from a tie is as great as a power asks for.

    The world of each difference is the one nearest to the data.

    Args:
        law: the law of the difference.
        row: [unit] multiplicities.
        tail: the distance at which a tie is rejected.
        power: the normal quantile of the power.
        side: 1 for differences above 0, -1 for those below.
        guess: about how large it is.
    """
    room = law.range[1] if side > 0 else -law.range[0]
    sizes = np.array([step * guess for step in STEPS if step * guess < 0.999 * room])
    if not len(sizes):
        return None
    worlds = law.worlds_at(row, side * sizes)
    excess = np.where(worlds.found, _excess(law, worlds.expected, tail, power, side), np.nan)
    known = np.flatnonzero(np.isfinite(excess))
    above = known[excess[known] >= 0]
    if not len(above) or above[0] == known[0]:
        return None
    last = known[known < above[0]][-1]
    part = -excess[last] / (excess[above[0]] - excess[last])
    return float(sizes[last] + part * (sizes[above[0]] - sizes[last]))


def _excess(law: ScoreLaw, expected: Floats, tail: float, power: float, side: float) -> Floats:
    """Return by how much worlds are farther from a tie than they must be.

    Test sets are spread about the mean distance r by √(1 - ¾r²/m), m of their examples being decisive: that of
    (b - c)/√(b + c), where b - c is r√m.
    """
    whole, batch = law.whole(), cast("Ints", expected)  # parts of examples do as well
    root = side * ScoreLaw(whole, law.signs).distances(batch, 0.0).root
    left, right = halves(whole.both)
    deciding = np.maximum(expected @ (first_signs(left - right) != 0), 1.0)
    spread = np.sqrt(np.maximum(1 - 0.75 * root**2 / deciding, 0.25))
    result: Floats = root - tail - power * spread
    return result
