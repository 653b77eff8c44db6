"""Strata and groups: sums over them, and what to do with strata that have one unit only."""

from __future__ import annotations

import numpy as np

from referee.data.columns import Floats, Ints
from referee.errors import InputError
from referee.metrics.matrices import Matrix, summed


def merge_lonely(strata: Ints, weights: Ints) -> tuple[Ints, int]:
    """Return the strata with those of one unit put together, and how many these were.

    One unit shows nothing of how the units of its stratum vary. Several such strata become one; a single one joins the
    smallest of the others. What the strata have in common is then no longer taken out, so errors are rather too large.

    Args:
        strata: [unit kind] the stratum of each, from 0 on.
        weights: how often each occurs.

    >>> merge_lonely(np.array([0, 1, 2, 2, 3, 3, 3]), np.ones(7, np.int64))[0].tolist()
    [0, 0, 2, 2, 3, 3, 3]
    """
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


def sum_groups(statistics: Matrix, strata: Ints, weights: Ints, groups: Ints) -> tuple[Matrix, Ints]:
    """Sum the rows of each group, so that the group is the row."""
    count = int(groups.max()) + 1 if len(groups) else 0
    low, high = np.full(count, np.iinfo(np.int64).max), np.full(count, -1)
    np.minimum.at(low, groups, strata)
    np.maximum.at(high, groups, strata)
    if (low != high).any():
        raise InputError(f"{int((low != high).sum())} groups lie in more than one stratum; a group must lie in one")
    return summed(statistics, weights, groups, count), low
