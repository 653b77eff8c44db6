"""The null distribution, whose tail is the p-value: its points with their probabilities, and its histogram."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from referee.data.columns import Floats
from referee.results.plot_data import Bar
from referee.significance.laws.binomial_grid import Axis, points
from referee.significance.laws.exchange import reached
from referee.significance.laws.swap import RankSwap, StudentSwap, Swap

POINTS = 200_000
"""How many points of a law are listed; finer ones are drawn."""
DRAWS, WORK = 9999, 100_000_000
"""How many draws stand for a law, and how many numbers they may take; a picture needs no more."""
FEWEST = 500
BARS = 48
REACH = 12.0
"""Points further out than so many standard deviations are not listed."""
TAIL = 2e-4
"""So much of either tail may share the last bar."""


@dataclass(frozen=True, eq=False)
class Luck:
    """The points of a law with their chances, and what part of each a p-value counts."""

    values: Floats
    chances: Floats
    counted: Floats
    """Between 0 and 1: mid-p counts half of a tie."""
    observed: float
    edge: float
    """Beyond it, or beyond it either way, lies what p counts: the value observed, or 0 if test sets are drawn again."""
    scale: str = "difference"
    """What the values are: differences b - a; "studentized" ones times the observed standard error; "wins" of b less
    those of a; "ranks", signed and summed; or "z"."""
    how: str = "exact"
    """Whether the points are all there are ("exact"), were "drawn", stand for a "normal" or "student" curve, or are of
    test sets drawn again: as they are ("redrawn"), moved to 0 ("centred"), "mirrored" about the difference seen, or the
    same each by its own standard error ("pivoted")."""
    redrawn: bool = False
    """Whether this is what other test sets would give, around the value observed, and not luck alone, around 0."""
    times: int = 1
    """How often the counted share makes p: twice if p doubles the smaller tail."""
    corrected: bool = False
    """Whether p is that share after a further correction (BCa)."""

    @property
    def p(self) -> float:
        """What the counted part adds up to."""
        return min(1.0, self.times * float(self.chances @ self.counted))


def fewer(draws: int, width: int) -> int:
    """Return how many draws a picture takes, if each costs so many numbers.

    >>> fewer(9999, 10), fewer(9999, 1_000_000)
    (9999, 500)
    """
    return min(draws, DRAWS, max(FEWEST, WORK // max(1, width)))


def listed(law: Swap | StudentSwap | RankSwap) -> tuple[Floats, Floats] | None:
    """Return every point of a swap law and its probability, or None if there are too many."""
    axes = [Axis(size, REACH) if size > 60 else Axis(size, np.inf) for size in law.sizes[:20].tolist()]
    room = POINTS if not isinstance(law, RankSwap) else max(1, POINTS * 50 // (8 * len(law.tally.values)))
    if len(law.sizes) > len(axes) or math.prod(map(len, axes)) > room:
        return None
    kept, chances = points(axes)
    if isinstance(law, RankSwap):
        return law.differences(law.sizes - kept), chances
    counts = kept.astype(np.float64)
    return law.statistic(counts) if isinstance(law, StudentSwap) else law.at(*counts.T), chances


def curve(
    observed: float,
    error: float,
    alternative: str,
    *,
    df: float | None = None,
    edge: float | None = None,
    scale: str = "difference",
) -> Luck | None:
    """Return a normal law, or Student's, as narrow cells; None without a standard error to scale it by.

    Args:
        observed: the value on it.
        error: its standard error.
        alternative: which tails p counts.
        df: degrees of freedom of Student's t.
        edge: from where on p counts; the value observed unless a correction moves it.
        scale: what the values are.
    """
    from scipy.special import ndtr, stdtr

    if not (np.isfinite(error) and error > 0 and np.isfinite(observed) and (df is None or df > 0)):
        return None
    edge = observed if edge is None else edge
    steps = np.linspace(-7.0, 7.0, 1401) * error
    cuts = np.unique(np.concatenate([steps, [edge, -edge], [-np.inf, np.inf]]))
    below, above = (ndtr(z) if df is None else stdtr(df, z) for z in (cuts / error, -cuts / error))
    # Each half is counted from its own end, so that small tails are not rounded away.
    chances = np.where(cuts[:-1] < 0, np.diff(below), -np.diff(above))
    middle = (cuts[:-1] + cuts[1:]) / 2
    middle[0], middle[-1] = cuts[1], cuts[-2]
    low, high = (-abs(edge), abs(edge)) if alternative == "two-sided" else (edge, edge)
    up, down = cuts[:-1] >= high, cuts[1:] <= low
    counted = {"two-sided": up | down, "greater": up, "less": down}[alternative].astype(np.float64)
    how = "normal" if df is None else "student"
    return Luck(middle, chances, counted, observed, edge, scale=scale, how=how)


def of_halves(wins: float, losses: float, size: float, alternative: str, *, mid: bool, scale: str) -> Luck | None:
    """Return the law of wins minus losses if both are equally likely, each worth `size`."""
    total = int(wins + losses)
    if total == 0:
        return None
    axis = Axis(total, REACH) if total > 60 else Axis(total, np.inf)
    gaps, observed = (2 * axis.values - total).astype(np.float64), wins - losses
    counted = reached(gaps, observed, 0.0, alternative).astype(np.float64)
    if mid:
        ties = np.abs(gaps) == abs(observed) if alternative == "two-sided" else gaps == observed
        counted = np.where(ties, 0.5, counted)
    return Luck(gaps * size, axis.probabilities, counted, observed * size, observed * size, scale=scale)


def bars(luck: Luck) -> tuple[Bar, ...]:
    """Return the law as at most 60 bars, without empty ones."""
    values = np.nan_to_num(luck.values, nan=0.0, posinf=np.inf, neginf=-np.inf)
    order = np.argsort(values, kind="stable")
    values, chances, counted = values[order], luck.chances[order], luck.counted[order]
    low, high = _ends(values, chances, symmetric=not luck.redrawn)
    values = np.clip(values, low, high)
    start, width = _cuts(values, low, high, luck.edge)
    steps = (values - start) / width
    # A value on a cut goes outwards, so that what is as extreme as the value observed stands with what is more so.
    place = np.where(values < 0, np.ceil(steps - 1e-6) - 1, np.floor(steps + 1e-6)).astype(np.int64)
    place -= (first := int(place.min()))
    start += first * width
    share, tail = (np.bincount(place, part).tolist() for part in (chances, chances * counted))
    shown = [i for i, part in enumerate(share) if part > 0]
    return tuple(Bar(start + i * width, start + (i + 1) * width, share[i], min(tail[i], share[i])) for i in shown)


def _ends(values: Floats, chances: Floats, *, symmetric: bool) -> tuple[float, float]:
    """Return where the law as good as ends; what lies further out joins the last bars."""
    total = np.cumsum(chances)
    low = float(values[np.searchsorted(total, TAIL)])
    high = float(values[min(np.searchsorted(total, total[-1] - TAIL), len(values) - 1)])
    finite = values[np.isfinite(values)]
    low, high = max(low, float(finite[0])), min(high, float(finite[-1]))
    half = max(abs(low), abs(high))
    return (-half, half) if symmetric else (low, high)


def _cuts(values: Floats, low: float, high: float, edge: float) -> tuple[float, float]:
    """Return where a bar starts, and how wide bars are: whole steps of a lattice, or so that the edge is a cut."""
    span = high - low
    if span <= 0:
        width = abs(edge - low) / 10 or abs(low) / 10 or 1.0
        return low - width / 2, width
    step = _step(values, span)
    if step is not None:
        together = int(np.ceil(span / step / BARS))
        nearest = float(values[np.argmin(np.abs(values))])
        together += (together + 1) % 2 if abs(nearest) < step / 4 else 0
        middle = nearest - together * step / 2 if abs(nearest) < step / 4 else nearest - np.sign(nearest) * step / 2
        return middle, together * step
    width = span / BARS
    if abs(edge) > width:
        width = 2 * abs(edge) / round(2 * abs(edge) / width)
    return edge, width


def _step(values: Floats, span: float) -> float | None:
    """Return the step of the lattice that all values lie on, if there is one."""
    gaps = np.diff(np.unique(values))
    gaps = gaps[gaps > 1e-9 * span]
    if not len(gaps) or len(gaps) > POINTS:
        return None
    step = float(gaps.min())
    # The ends are cut, so the first and the last gap may be any.
    inner = gaps[1:-1] / step
    return step if bool((np.abs(inner - np.rint(inner)) < 1e-4).all()) and step > 1e-6 * span else None
