"""Bets against a value of a difference, whose winnings are evidence that holds whenever one looks (Ville 1939).

Who holds that the mean of differences that arrive one by one is m loses nothing on average by a bet on each of them. A stake
multiplies by 1 - s + s·(x - low)/(m - low) with every difference x, s being the share of it that is at risk; if the mean is m,
that has expectation 1 whatever came before. So the winnings are at least 1/p with probability p or less, whenever one stops
(Waudby-Smith and Ramdas 2023). Spread over many shares s (Cover 1991), they depend on how often each difference occurred,
and not on their order: counts are enough. On pairs of right and wrong answers and m = 0 that is a mixture of binomials over
the discordant pairs (Robbins 1970).
"""

from __future__ import annotations

import numpy as np

from referee.data.columns import Floats
from referee.significance.tally import AT_ONCE, chunks

SHARES: Floats = np.exp(np.linspace(np.log(1e-4), np.log(0.995), 192))
"""The shares at risk. That they are finitely many makes the winnings no less exact: any mixture of bets that was chosen
beforehand is one. They are so dense that one of them is near the best wherever the best lies."""
WEIGHTS: Floats = SHARES**0.5 / (SHARES**0.5).sum()
"""How much is staked on each: the density falls as 1/√share. Small differences then take at most 1.3 times as many examples
to be detected as an exact test planned for them; with an even density 1.6 times (docs/anytime.md)."""
LOG_WEIGHTS = np.log(WEIGHTS)


def log_winnings(counts: Floats, above: Floats, mean: float) -> Floats:
    """Return the logarithm of what bets have won that the mean is larger, for each row of counts.

    It falls as the mean grows, so that the means it speaks against are all those below some value.

    Args:
        counts: [row, kind] how often each difference occurred.
        above: [kind] how far each difference is above the least that is possible.
        mean: the mean that is bet against, by how far it is above the least; more than 0.
    """
    out = np.zeros((len(counts), len(SHARES)))
    # Kinds first: of many, not all logarithms are held at once.
    for kinds in chunks(len(above), len(SHARES), AT_ONCE):
        grown = np.log1p(SHARES * (above[kinds, None] / mean - 1.0))
        out += counts[:, kinds] @ grown
    return log_mixed(out)


def log_normal_winnings(z: Floats, size: Floats) -> Floats:
    """Return the logarithm of what the same bets win on a normal statistic, in the limit of many examples.

    Args:
        z: the statistic, with the sign of the difference.
        size: how many units it rests on that carry information.
    """
    z, size = np.broadcast_arrays(np.asarray(z, dtype=np.float64), np.asarray(size, dtype=np.float64))
    out = np.empty(z.size)
    for rows in chunks(z.size, len(SHARES), AT_ONCE):
        drift = np.sqrt(size.ravel()[rows])[:, None] * SHARES
        out[rows] = log_mixed(z.ravel()[rows][:, None] * drift - drift**2 / 2)
    return out.reshape(z.shape)


def log_mixed(logs: Floats) -> Floats:
    """Return the logarithm of the weighted sum over shares, of which the logarithms are the last axis."""
    weighted = logs + LOG_WEIGHTS
    most = weighted.max(axis=-1, keepdims=True)
    result: Floats = np.log(np.exp(weighted - most).sum(axis=-1)) + most[..., 0]
    return result


def least_mean(counts: Floats, above: Floats, reach: float, log_target: float) -> float:
    """Return the least mean that is not spoken against, above the least that is possible.

    Args:
        counts: [kind] how often each difference occurred.
        above: [kind] how far each is above the least that is possible.
        reach: how far the largest possible one is.
        log_target: the winnings from which on a mean is ruled out.
    """
    from scipy.optimize import brentq

    total = float(counts.sum())
    centre = float(counts @ above) / total if total else 0.0

    def excess(mean: float) -> float:
        return float(log_winnings(counts[None, :], above, mean)[0]) - log_target

    # At the mean of the data no bet has won; near the least that is possible any other outcome wins without limit.
    near = reach * 1e-12
    if centre <= near or excess(near) < 0:
        return 0.0
    return float(brentq(excess, near, centre, xtol=1e-15 * reach, rtol=1e-14))


def normal_bound(size: float, log_target: float) -> float:
    """Return how large a normal statistic on so many units must be for the bets to win so much."""
    from scipy.optimize import brentq

    def excess(z: float) -> float:
        return float(log_normal_winnings(np.array([z]), np.array([size]))[0]) - log_target

    high = 1.0
    while excess(high) < 0:
        high *= 2
    return float(brentq(excess, 0.0, high, xtol=1e-14, rtol=1e-14)) if excess(0.0) < 0 else 0.0
