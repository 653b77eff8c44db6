"""Carriers: how few units may carry most of what varies, and so the result."""

from __future__ import annotations

import numpy as np

from referee.data.columns import Floats, Ints
from referee.significance.tally import Tally

HANDFUL = 5
"""So many units are a handful."""
FEWEST = 20
"""Of fewer units some always carry much."""


def heavy_tails(name: str, tally: Tally) -> tuple[str, ...]:
    """Warn where a handful of units carry half of the variance."""
    few, size = carriers(tally)
    if few is None:
        return ()
    what, carry = "groups" if tally.grouped else "examples", "carries" if few == 1 else "carry"
    return (
        f"{name}: {few} of {size:,} {what} {carry} half of the variance, so the result rests on {'it' if few == 1 else 'them'}; with "
        f"tails this heavy no test of a mean is reliable",
    )


def carriers(tally: Tally) -> tuple[int | None, int]:
    """Return how few units carry half of the sum of squares, if that is a handful of many; and how many there are.

    A handful is at most 5 units, and at most 2% of them or one. Of normal differences so few never carry half, of exponential
    ones hardly ever from 50 on; of log-normal ones (σ = 1.5) mostly, and of squared errors with 2% outliers nearly always.
    """
    weights, pulls, dust = (part[0] for part in unit_pulls(tally, tally.multiplicities[None, :]))
    size = int(weights.sum())
    squares = np.where(weights > 0, (pulls - float(weights @ pulls) / max(size, 1)) ** 2, 0.0)
    if size < FEWEST or weights @ squares <= dust:
        return None, size
    largest = np.argsort(-squares, kind="stable")[:HANDFUL]
    top = np.cumsum(np.repeat(squares[largest], weights[largest].astype(np.int64))[:HANDFUL])
    few = 1 + int(np.searchsorted(top, float(weights @ squares) / 2))
    return (few if few <= min(len(top), max(1, size // 50)) else None), size


def unit_pulls(tally: Tally, batch: Ints) -> tuple[Floats, Floats, Floats]:
    """Return [row, unit] how often units occur that the metric is about, how far each moves the difference; and [row] dust."""
    weights = batch.astype(np.float64)
    totals = tally.totals(weights)
    slope = tally.bound.formula.gradient(totals)
    first, second = tally.bulks(slope)
    return weights * (first + second > 0), tally.influence(slope), tally.dust(slope, weights, totals).sum(axis=-1)
