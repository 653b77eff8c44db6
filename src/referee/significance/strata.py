"""Strata: which stratum each row is of, what is done with those of a single unit, and sums within each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.data.columns import Floats, Ints, factorize

if TYPE_CHECKING:
    from referee.data.counts import Counts


def strata_of(counts: Counts) -> Ints:
    """Return the stratum of each row, numbered from 0 on; one for all if the counts have none.

    Where the systems answered different examples, even ones are A's and odd ones B's.
    """
    strata = factorize(counts["stratum"])[1] if "stratum" in counts else np.zeros(len(counts), np.int64)
    return strata if counts.paired else 2 * strata + (counts["sample"] == "b")


def merge_lonely(strata: Ints, weights: Ints, unpaired: bool = False) -> tuple[Ints, int]:
    """Return the strata with those of one unit put together, and how many these were.

    One unit shows nothing of how the units of its stratum vary. Several such strata become one; a single one joins the
    smallest of the others. What the strata have in common is then no longer taken out, so errors are rather too large.

    Args:
        strata: [unit kind] the stratum of each, from 0 on.
        weights: how often each occurs.
        unpaired: whether even strata are one sample and odd ones another, which are never mixed.

    >>> merge_lonely(np.array([0, 1, 2, 2, 3, 3, 3]), np.ones(7, np.int64))[0].tolist()
    [0, 0, 2, 2, 3, 3, 3]
    """
    if unpaired:
        out, many = strata.copy(), 0
        for side in (0, 1):
            inside = strata % 2 == side
            merged, own = merge_lonely(strata[inside] // 2, weights[inside])
            out[inside], many = 2 * merged + side, many + own
        return out, many
    sizes = np.bincount(strata, weights).astype(np.int64)
    lonely, others = np.flatnonzero(sizes == 1), np.flatnonzero(sizes > 1)
    if not len(lonely) or len(lonely) + len(others) == 1:
        return strata, 0
    into = lonely[0] if len(lonely) > 1 else others[np.argmin(sizes[others])]
    return np.where(np.isin(strata, lonely), into, strata), len(lonely)


def stratum_sums(values: Floats, place: Ints) -> Floats:
    """Sum [..., unit] over the units of each stratum, which is numbered from 0 on: [..., stratum]."""
    if not place.any():
        result: Floats = values.sum(axis=-1, keepdims=True)
        return result
    order = np.argsort(place, kind="stable")
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    return np.add.reduceat(values[..., order], starts, axis=-1)
