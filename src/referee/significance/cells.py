"""Crossing: which cell of two crossed groups each unit is, as a question answered after training with a seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from referee.data.columns import Floats, Ints
from referee.data.crossed_groups import CROSSED, names_of_groups, pair_codes
from referee.data.weights import WEIGHT

if TYPE_CHECKING:
    from referee.data.counts import Counts


@dataclass(frozen=True, eq=False)
class Crossing:
    """The cells of two crossed groups that have examples: each is a unit, in the order of the first group and then the second."""

    codes: tuple[Ints, Ints]
    """[cell]: its level in either group, numbered from 0 on."""
    sizes: Floats
    """[cell]: how many examples it has, or what they weigh."""
    names: tuple[str, str]
    """What the groups are called."""

    @property
    def levels(self) -> tuple[int, int]:
        """How many levels the groups have."""
        first, second = (int(codes.max(initial=-1)) + 1 for codes in self.codes)
        return first, second

    @property
    def told(self) -> tuple[tuple[str, int], ...]:
        """What the groups are called, and how many levels they have."""
        return tuple(zip(self.names, self.levels, strict=True))


def crossing_of(counts: Counts) -> tuple[Ints, Crossing | None]:
    """Return the group of each row of counts that have groups; of two groups its cell, and how these lie."""
    from referee.data.columns import factorize

    if CROSSED not in counts:
        return factorize(counts["group"])[1], None
    first, second, cells = pair_codes(counts.columns)
    _, rows = np.unique(cells, return_index=True)
    weights = counts[WEIGHT].astype(np.float64) if WEIGHT in counts else 1.0
    sizes = np.bincount(cells, counts.multiplicities * weights).astype(np.float64)
    return cells, Crossing((first[rows], second[rows]), sizes, names_of_groups(counts))
