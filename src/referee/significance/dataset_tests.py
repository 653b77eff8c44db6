"""Tests of systems over many datasets: Friedman's ranks, the critical differences of Nemenyi and Dunn, and Bayesian signed ranks.

They work on a table of scores, [dataset, system], in which more is better.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from referee.data.columns import Floats
from referee.runtime.randomness import Streams, blocks

SAME = 1e-12
"""Scores of a dataset that differ by less than this share of its largest are equal on paper, and differ by rounding."""
STEP, FAR = 0.02, 12.0
"""The grid on which the law of the range is integrated; at this fineness the sum is exact to the last digits."""
DRAWS = 50_000
"""How many draws a posterior has, as in the paper."""
BLOCK = 250_000
"""About so many weights are drawn at once."""
PRIOR = 0.5
"""The weight of the pseudo-observation 0, with which the Dirichlet process starts."""


class Omnibus(NamedTuple):
    """A test that all systems rank alike: its statistic, degrees of freedom, and p-value."""

    statistic: float
    df: tuple[float, ...]
    p: float


def tied(scores: Floats) -> Floats:
    """Return the scores with those equal that differ by rounding only.

    >>> tied(np.array([[0.3, 0.1 + 0.2, 0.5]])).tolist()
    [[0.3, 0.3, 0.5]]
    """
    order = np.argsort(scores, axis=1, kind="stable")
    ordered = np.take_along_axis(scores, order, axis=1)
    grain = SAME * np.abs(scores).max(axis=1, keepdims=True, initial=0.0)
    new = np.diff(ordered, axis=1, prepend=-np.inf) > grain
    first = np.maximum.accumulate(np.where(new, np.arange(scores.shape[1]), 0), axis=1)
    out = np.empty_like(ordered)
    np.put_along_axis(out, order, np.take_along_axis(ordered, first, axis=1), axis=1)
    return out


def ranks_of(scores: Floats) -> Floats:
    """Return the rank of each system on each dataset, 1 for the highest score; those that tie share the mean of their ranks.

    >>> ranks_of(np.array([[0.9, 0.8, 0.8, 0.1]])).tolist()
    [[1.0, 2.5, 2.5, 4.0]]
    """
    above = (scores[:, None, :] > scores[:, :, None]).sum(axis=2)
    same = (scores[:, None, :] == scores[:, :, None]).sum(axis=2)
    return np.asarray(above + (same + 1) / 2, dtype=np.float64)


def _ties(ranks: Floats) -> float:
    """Return the sum of t³ − t over all ties of t ranks."""
    same = (ranks[:, None, :] == ranks[:, :, None]).sum(axis=2)
    return float((same.astype(np.float64) ** 2 - 1).sum())


def friedman(ranks: Floats, correct_ties: bool = True) -> Omnibus:
    """Return Friedman's χ² test that all systems rank alike; NaN and p = 1 if all tie everywhere.

    Args:
        ranks: as `ranks_of` returns them.
        correct_ties: whether the statistic allows for ties, as it should; Demšar's example does not.
    """
    from scipy.special import chdtrc

    n, k = ranks.shape
    spread = ((ranks.mean(axis=0) - (k + 1) / 2) ** 2).sum()
    share = 1 - _ties(ranks) / (n * k * (k**2 - 1)) if correct_ties else 1.0
    if share <= 1e-12:
        return Omnibus(math.nan, (k - 1.0,), 1.0)
    statistic = min(12 * n / (k * (k + 1)) * float(spread) / share, n * (k - 1.0))
    return Omnibus(statistic, (k - 1.0,), float(chdtrc(k - 1, statistic)))


def iman_davenport(ranks: Floats, correct_ties: bool = True) -> Omnibus:
    """Return Iman and Davenport's F test, which is less conservative than Friedman's χ².

    If every dataset ranks the systems in the same way, F is infinite, and p is the share of rankings that agree so.
    """
    from scipy.special import fdtrc

    n, k = ranks.shape
    chi2 = friedman(ranks, correct_ties).statistic
    df = (k - 1.0, (k - 1.0) * (n - 1.0))
    if math.isnan(chi2):
        return Omnibus(math.nan, df, 1.0)
    left = n * (k - 1) - chi2
    if left <= 1e-9 * n * (k - 1):
        _, times = np.unique(ranks[0], return_counts=True)
        orders = math.lgamma(k + 1) - sum(math.lgamma(time + 1) for time in times.tolist())
        return Omnibus(math.inf, df, math.exp(max(-(n - 1) * orders, -700.0)))
    statistic = (n - 1) * chi2 / left
    return Omnibus(statistic, df, float(fdtrc(*df, statistic)))


def range_beyond(q: Floats, k: int) -> Floats:
    """Return P(range of k standard normals > q), accurate far out.

    It is k ∫ φ(z) (Φ(z)^(k−1) − (Φ(z) − Φ(z − q))^(k−1)) dz; the sum over an even grid converges exponentially.

    >>> [f"{p:.6f}" for p in range_beyond(np.array([3.6331596, 0.0]), 4)]
    ['0.050000', '1.000000']
    """
    from scipy.special import log_ndtr

    q = np.atleast_1d(np.asarray(q, dtype=np.float64))
    z = np.arange(-FAR, FAR + float(q.max(initial=0.0)), STEP)
    below = log_ndtr(z)
    with np.errstate(divide="ignore"):
        lost = np.log1p(-np.minimum(np.exp(log_ndtr(z - q[:, None]) - below), 1.0))
    weight = k * STEP * np.exp(-(z**2) / 2 + (k - 1) * below) / math.sqrt(2 * math.pi)
    return np.asarray(np.clip((weight * -np.expm1((k - 1) * lost)).sum(axis=1), 0.0, 1.0))


def range_quantile(alpha: float, k: int) -> float:
    """Return the q that the range of k standard normals exceeds with probability alpha.

    >>> round(range_quantile(0.05, 2), 4), round(range_quantile(0.05, 10) / 2**0.5, 3)
    (2.7718, 3.164)
    """
    low, high = 0.0, 80.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if float(range_beyond(np.array([middle]), k)[0]) > alpha else (low, middle)
    return (low + high) / 2


def rank_error(n: int, k: int) -> float:
    """Return the standard error of a difference of two average ranks, if all rankings are equally likely."""
    return math.sqrt(k * (k + 1) / (6 * n))


def nemenyi_p(gaps: Floats, n: int, k: int) -> Floats:
    """Return Nemenyi's p-values of differences of average ranks, adjusted for all pairs."""
    return range_beyond(np.abs(gaps) / rank_error(n, k) * math.sqrt(2), k)


def rank_p(gaps: Floats, n: int, k: int) -> Floats:
    """Return the normal p-values of differences of average ranks, each alone."""
    from scipy.special import ndtr

    return np.asarray(2 * ndtr(-np.abs(gaps) / rank_error(n, k)))


def critical_difference(alpha: float, n: int, k: int, against_one: bool = False) -> float:
    """Return the difference of average ranks that is significant: Nemenyi's of all pairs, or Dunn's against one system.

    >>> round(critical_difference(0.05, 14, 4), 2), round(critical_difference(0.05, 14, 4, against_one=True), 2)
    (1.25, 1.17)
    """
    from scipy.special import ndtri

    q = -float(ndtri(alpha / (2 * (k - 1)))) if against_one else range_quantile(alpha, k) / math.sqrt(2)
    return q * rank_error(n, k)


def signed_rank_posterior(gains: Floats, rope: float, streams: Streams, draws: int = DRAWS) -> Floats:
    """Return how probable it is that the first is better, that they are practically equal, and that the second is better.

    The gains have a Dirichlet process, with a pseudo-observation of 0 and weight ½, as prior. Of each draw the most probable
    of three counts: that the mean of two random gains lies below −rope, within it, or above. If the rope is 0, gains of 0
    count half for either side.

    Args:
        gains: [pair, dataset], how much better the second is.
        rope: gains within ± rope are practically nothing.
        streams: the source of the draws, which all pairs share.
        draws: how many.

    Returns:
        [pair, 3]
    """
    pairs, n = gains.shape
    z = np.concatenate([np.zeros((pairs, 1)), gains], axis=1)
    edge = 2 * rope + 1e-9 * max(rope, SAME * float(np.abs(gains).max(initial=0.0)))
    orders = np.argsort(z, axis=1, kind="stable")
    ordered = np.take_along_axis(z, orders, axis=1)
    starts = [np.searchsorted(row, -edge - row, side="left") for row in ordered]
    ends = [np.searchsorted(row, edge - row, side="right") for row in ordered]
    shape, counted = np.array([PRIOR, *[1.0] * n]), np.zeros((pairs, 3))
    for block, size in blocks(draws, max(1, BLOCK // (n + 1)), "posterior"):
        weights = streams.at(block).standard_gamma(shape, (size, n + 1))
        total = weights.sum(axis=1)
        for pair in range(pairs):
            own = weights[:, orders[pair]]
            below = np.concatenate([np.zeros((size, 1)), np.cumsum(own, axis=1)], axis=1)
            worse = (own * below[:, starts[pair]]).sum(axis=1)
            better = (own * (total[:, None] - below[:, ends[pair]])).sum(axis=1)
            counted[pair] += _most(worse, total**2 - worse - better, better, rope > 0, total)
    return counted / draws


def _most(worse: Floats, same: Floats, better: Floats, has_rope: bool, total: Floats) -> Floats:
    """Count in how many draws each of three is the largest; without a region, in how many either of two is."""
    close = np.abs(worse - better) <= 1e-9 * total**2
    if not has_rope:
        return np.array(
            [
                (~close & (worse > better)).sum() + close.sum() / 2,
                0.0,
                (~close & (better > worse)).sum() + close.sum() / 2,
            ]
        )
    middle = same >= np.maximum(worse, better)
    halves = (close & ~middle).sum() / 2
    sides = ((~close & ~middle & (one > other)).sum() + halves for one, other in ((worse, better), (better, worse)))
    left, right = sides
    return np.array([left, middle.sum(), right])
