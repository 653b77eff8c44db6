"""Early stopping: drawing ends once the remaining draws could hardly change the decision.

A test of R draws decides by how many of them are hits: at most c, or more. Given that K of all R are hits, the hits
among the first m are hypergeometric, whatever the law of the draws. So "at most c" may be said after m draws when so few
hits would be unlikely even at K = c + 1, and "more" when so many would be unlikely even at K = c; what is unlikely is
shared out so that over all looks the decision differs from that of all R draws with a probability of at most RISK.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np

from referee.data.columns import Floats, Ints, Mask, Values
from referee.significance.distributions import log_choose
from referee.significance.tally import chunks

RISK = 1e-4
"""How likely a decision may differ from that of all draws."""
FIRST = 64
"""After how many draws the first look is taken; each look doubles them."""

Allowed: TypeAlias = Sequence[int]
Take: TypeAlias = Callable[[int], Values]
"""How many -> the next draws of one row: weights of units."""
Reached: TypeAlias = Callable[[Ints, Values], Mask]
"""(rows, draws [row, draw, ...]) -> [row, draw, side]: which draws are hits."""
Hits: TypeAlias = Callable[[Ints, int, int], Ints]
"""(rows, start, stop) -> [row, side]: how many of the draws start ... stop - 1 of these rows are hits."""


class Look(NamedTuple):
    """After `drawn` draws: at most `few` hits settle that there are few in all, at least `many` that there are more."""

    drawn: int
    few: int
    many: int


@lru_cache(maxsize=256)
def looks(total: int, allowed: int, sides: int) -> tuple[Look, ...]:
    """Return when to look and what settles the question whether more than `allowed` of `total` draws are hits.

    >>> looks(9999, 249, 2)[0]
    Look(drawn=64, few=-1, many=10)
    """
    drawn = [FIRST * 2**i for i in range(64) if FIRST * 2**i < total]
    share = RISK / sides / max(1, len(drawn))
    plan = []
    for m in drawn:
        below = np.cumsum(_hypergeometric(total, min(allowed + 1, total), m))
        above = np.cumsum(_hypergeometric(total, max(allowed, 0), m)[::-1])[::-1]
        # What is certain needs no probability: more hits than allowed, or too few draws left to exceed it.
        few = max(int((below <= share).sum()) - 1, allowed - (total - m))
        many = min(int((above > share).sum()), allowed + 1)
        plan.append(Look(m, few, max(many, few + 1)))
    return (*plan, Look(total, allowed, allowed + 1))


def _hypergeometric(total: int, hits: int, drawn: int) -> Floats:
    """Return P(k hits among the drawn) for k = 0 ... drawn, where `hits` of `total` are hits."""
    k = np.arange(drawn + 1, dtype=np.float64)
    log = log_choose(hits, k) + log_choose(total - hits, drawn - k)
    weights = np.exp(log - log.max())
    return np.asarray(weights / weights.sum())


def settle(hits: Hits, rows: int, sides: int, total: int, allowed: Allowed) -> Mask:
    """Decide for each row, side and entry of `allowed` whether at most so many of `total` draws are hits.

    Args:
        hits: draws, and counts the hits; a row's draws must not depend on which other rows are asked for.
        rows: how many rows there are.
        sides: how many kinds of hits each draw is asked for (two tails: 2).
        total: how many draws decide.
        allowed: how many hits are still few; below 0 nothing is.

    Returns:
        [row, side, entry] booleans.
    """
    plans = [looks(total, c, sides) for c in allowed]
    few = np.zeros((rows, sides, len(plans)), dtype=np.bool_)
    known = np.broadcast_to(np.array(allowed) < 0, few.shape).copy()
    counted, start = np.zeros((rows, sides), dtype=np.int64), 0
    for step in zip(*plans, strict=True):
        stop = step[0].drawn
        active = np.flatnonzero(~known.all(axis=(1, 2)))
        if not len(active):
            break
        counted[active] += hits(active, start, stop)
        so_far = counted[active]
        for i, look in enumerate(step):
            few[active, :, i] = np.where(known[active, :, i], few[active, :, i], so_far <= look.few)
            known[active, :, i] |= (so_far <= look.few) | (so_far >= look.many)
        start = stop
    return few


def settle_draws(
    draws: Callable[[int], Take], reached: Reached, rows: int, width: int, sides: int, total: int, allowed: Allowed
) -> Mask:
    """Settle where the hits are among weights drawn for each row, with bounded memory.

    Args:
        draws: row -> what takes its draws.
        reached: (rows, weights [row, draw, unit]) -> [row, draw, side]: which draws are hits.
        rows: how many rows there are.
        width: how many units.
        sides: as in `settle`.
        total: as in `settle`.
        allowed: as in `settle`.
    """
    opened: dict[int, Take] = {}

    def hits(active: Ints, start: int, stop: int) -> Ints:
        nonlocal opened
        opened = {place: opened.get(place) or draws(place) for place in active.tolist()}
        counted = np.zeros((len(active), sides), dtype=np.int64)
        for turn in chunks(stop - start, width):
            count = turn.stop - turn.start
            for part in chunks(len(active), count * width):
                weights = np.stack([opened[place](count) for place in active[part].tolist()])
                counted[part] += reached(active[part], weights).sum(axis=1)
        return counted

    return settle(hits, rows, sides, total, allowed)


def allowed_hits(alpha: float, total: int, tails: int) -> int:
    """Return the most hits h with tails·(h + 1)/(total + 1) <= alpha; -1 if even none are too many.

    >>> allowed_hits(0.05, 9999, 2), allowed_hits(0.05, 9999, 1), allowed_hits(0.001, 999, 2)
    (249, 499, -1)
    """
    most = int(np.floor(alpha * (total + 1) / tails))
    while most > 0 and tails * (most / (total + 1)) > alpha:
        most -= 1
    while tails * ((most + 1) / (total + 1)) <= alpha:
        most += 1
    return min(most, total + 1) - 1
