"""Intervals: of one proportion, of a difference of paired proportions, of bootstrap draws."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from referee.data.columns import Floats, Ints
from referee.results.comparison import Interval
from referee.significance.distributions import t_quantile, z_quantile
from referee.significance.strata import stratum_sums


def wilson(right: float, n: float, level: float) -> Interval:
    """Return Wilson's score interval of a proportion.

    >>> i = wilson(17, 20, 0.95)
    >>> round(i.low, 5), round(i.high, 5)
    (0.63958, 0.94763)
    """
    z2 = z_quantile((1 + level) / 2) ** 2
    centre = (right + z2 / 2) / (n + z2)
    half = math.sqrt(z2 * (right * (n - right) / n + z2 / 4)) / (n + z2)
    low = 0.0 if right == 0 else max(0.0, centre - half)
    high = 1.0 if right == n else min(1.0, centre + half)
    return Interval(low=low, high=high, level=level, method="wilson")


def student(estimate: float, error: float, df: float, level: float, method: str = "t") -> Interval | None:
    """Return estimate ± t·error; its ends are infinite if t is, on a small part of a degree of freedom."""
    if not df > 0 or not math.isfinite(error):
        return None
    half = t_quantile((1 + level) / 2, df) * error if error else 0.0
    return Interval(low=estimate - half, high=estimate + half, level=level, method=method)


def normal(estimate: float, error: float, level: float, method: str = "normal") -> Interval | None:
    """Return estimate ± z·error."""
    return student(estimate, error, math.inf, level, method)


def tango(up: float, down: float, n: float, level: float) -> Interval:
    """Return Tango's score interval of (up − down)/n, the difference of two paired proportions (Tango 1998).

    >>> i = tango(0, 0, 1000, 0.95)
    >>> round(i.high, 10)
    0.0038267585
    """
    z = z_quantile((1 + level) / 2)
    # The lower end is the upper end of the opposite difference, to the last bit.
    return Interval(low=-_tango_end(down, up, n, z), high=_tango_end(up, down, n, z), level=level, method="tango")


def _tango_end(up: float, down: float, n: float, z: float) -> float:
    """Return the difference at which the score statistic of (up − down)/n has fallen to −z."""

    def score(delta: float) -> float:
        linear = -up - down + (2 * n - up + down) * delta
        root = math.sqrt(max(0.0, linear**2 + 8 * n * down * delta * (1 - delta)))
        other = (root - linear) / (4 * n)
        variance = n * (2 * other + delta * (1 - delta))
        gap = up - down - n * delta
        return gap / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, gap) if gap else 0.0

    low, high = (up - down) / n, 1.0
    for _ in range(56):
        middle = (low + high) / 2
        low, high = (middle, high) if score(middle) + z > 0 else (low, middle)
    return (low + high) / 2


def plus_minus(up: float, down: float, n: float, level: float, *, cell: float, size: float, method: str) -> Interval:
    """Return p − q ± z·error, the shares p and q those of up and down after some examples are added to their cells and to all."""
    p, q = (up + cell) / (n + size), (down + cell) / (n + size)
    half = z_quantile((1 + level) / 2) * math.sqrt(max(0.0, p + q - (p - q) ** 2) / (n + size))
    return Interval(low=max(-1.0, p - q - half), high=min(1.0, p - q + half), level=level, method=method)


def newcombe(up: float, down: float, n: float, level: float, both: float) -> Interval:
    """Return Newcombe's interval of (up − down)/n: two Wilson intervals put together (Newcombe 1998, method 10).

    Unlike the others it needs the number of examples that both systems get right: how closely the two shares move
    together is told by φ of the table, here with the continuity correction.

    >>> i = newcombe(2, 25, 102, 0.95, both=7)
    >>> round(i.low, 6), round(i.high, 6)
    (-0.318475, -0.132949)
    """
    a, b = both + down, both + up
    first, second = wilson(a, n, level), wilson(b, n, level)
    agreement = both * (n - both - up - down) - up * down
    if agreement > 0:
        agreement = max(agreement - n / 2, 0.0)
    margins = a * (n - a) * b * (n - b)
    phi = agreement / math.sqrt(margins) if margins > 0 else 0.0

    def reach(one: float, other: float) -> float:
        return math.sqrt(max(0.0, one**2 - 2 * phi * one * other + other**2))

    centre = (up - down) / n
    low = centre - reach(b / n - second.low, first.high - a / n)
    high = centre + reach(second.high - b / n, a / n - first.low)
    return Interval(low=low, high=high, level=level, method="newcombe")


paired_wald = partial(plus_minus, cell=0.0, size=0.0, method="wald")
"""Wald's interval of (up − down)/n."""
PAIRED: dict[str, Callable[[float, float, float, float], Interval]] = {
    "tango": tango,
    "wald": paired_wald,
    # Agresti and Min: half an example added to each cell; Bonett and Price: one to each discordant cell.
    "agresti-min": partial(plus_minus, cell=0.5, size=2.0, method="agresti-min"),
    "bonett-price": partial(plus_minus, cell=1.0, size=2.0, method="bonett-price"),
}


def order_quantile(draws: Floats, q: float) -> float:
    """Return the (R+1)q-th order statistic of sorted draws, interpolated on the normal scale as R's boot does."""
    size, place = len(draws), (len(draws) + 1) * q
    lower = math.floor(place + 1e-9)
    if not 1 <= lower < size:
        return float(draws[0 if lower < 1 else -1])
    if abs(place - lower) < 1e-9 or draws[lower - 1] == draws[lower]:
        return float(draws[lower - 1])
    below, above = z_quantile(lower / (size + 1)), z_quantile((lower + 1) / (size + 1))
    part = (z_quantile(q) - below) / (above - below)
    return float(draws[lower - 1] + part * (draws[lower] - draws[lower - 1]))


def percentile(draws: Floats, level: float) -> Interval:
    """Return the percentile interval of bootstrap draws."""
    ordered, tail = np.sort(draws), (1 - level) / 2
    low, high = order_quantile(ordered, tail), order_quantile(ordered, 1 - tail)
    return Interval(low=low, high=high, level=level, method="bootstrap-percentile")


def basic(draws: Floats, estimate: float, level: float) -> Interval:
    """Return the basic interval: the percentile interval reflected about the estimate."""
    mirror = percentile(draws, level)
    low, high = 2 * estimate - mirror.high, 2 * estimate - mirror.low
    return Interval(low=low, high=high, level=level, method="bootstrap-basic")


def middle(draws: Floats) -> float:
    """Return the mean of draws, 0 if it differs from 0 by rounding alone."""
    mean = float(draws.mean())
    return mean if abs(mean) > 1e-13 * float(np.abs(draws).max(initial=0.0)) else 0.0


def centered(draws: Floats, level: float) -> Interval:
    """Return m ± h: m the mean of the draws, h the quantile of their distance from it."""
    centre = middle(draws)
    half = order_quantile(np.sort(np.abs(draws - centre)), level)
    return Interval(low=centre - half, high=centre + half, level=level, method="bootstrap-centered")


def bias(draws: Floats, estimate: float) -> float:
    """Return z0 of BCa: how far the estimate lies from the median of the draws, ties counting half."""
    below = (draws < estimate - 1e-14).sum() + 0.5 * (np.abs(draws - estimate) <= 1e-14).sum()
    return z_quantile(float(below) / len(draws))


def acceleration(left_out: Floats, multiplicities: Floats, strata: Ints) -> float | None:
    """Return a of BCa from the jackknife over units, each held against its stratum; None if no unit has any influence."""
    place = np.unique(strata, return_inverse=True)[1]
    mean = stratum_sums(left_out * multiplicities, place) / stratum_sums(multiplicities, place)
    influence = mean[place] - left_out
    second = float(multiplicities @ influence**2)
    return float(multiplicities @ influence**3) / (6 * second**1.5) if second > 1e-300 else None


def bca(draws: Floats, z0: float, a: float, level: float) -> Interval:
    """Return the bias-corrected and accelerated interval (Efron 1987)."""
    from scipy.special import ndtr

    shifts = [z0 + z_quantile(q) for q in ((1 - level) / 2, (1 + level) / 2)]
    low, high = (order_quantile(np.sort(draws), float(ndtr(z0 + z / (1 - a * z)))) for z in shifts)
    return Interval(low=low, high=high, level=level, method="bootstrap-bca")
