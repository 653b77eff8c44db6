"""Two-way clustering: the variance of a number whose parts depend on each other along two crossed groups, both of them samples.

With V₁ and V₂ the variances over the levels of either group, each with what varies from cell to cell in it, and V₀ the latter
alone, V = V₁ + V₂ - V₀ (Cameron, Gelbach and Miller 2011). Here V₁ and V₂ are bias-reduced (CR2), and V₀ comes from what is left of
the cells once both groups' effects are taken out, as in the analysis of variance: of equally many rows in each cell, V is the
unbiased one of crossed random effects.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from referee.data.columns import Floats, Ints
from referee.significance.cells import Crossing
from referee.significance.laws.pulls import Pulls

SWEEPS = 100
SETTLED = 1e-12
"""The effects of the groups are taken out in turns, until nothing is left of them or so many turns are over: with all cells there,
once is enough."""
DOUBT = 0.5
"""So many standard errors more than it is a variance over few levels may be, when the degrees of freedom are reckoned."""


@dataclass(frozen=True, eq=False)
class TwoWay:
    """The variances of each row of a batch, and their degrees of freedom; NaN where a group has one level."""

    over: tuple[Floats, Floats]
    """Over the levels of either group."""
    dfs: tuple[Floats, Floats]
    cells: Floats
    """What is left of the cells without the effects of their groups."""

    @property
    def variance(self) -> Floats:
        """The variance of the number: never less than over the levels of one group alone."""
        first, second = self.over
        # Whichever is least is counted once: a component that would be negative is none.
        return np.asarray(first + second - np.minimum(self.cells, np.minimum(first, second)))

    @property
    def df(self) -> Floats:
        """The degrees of freedom (Satterthwaite 1946), each variance taken for half a standard error larger.

        Over three seeds it may be small by luck, and would then be taken for of no account.
        """
        larger = [v * (1 + DOUBT * np.sqrt(2 / df)) for v, df in zip(self.over, self.dfs, strict=True)]
        once = np.minimum(self.cells, np.minimum(*self.over))
        with np.errstate(divide="ignore", invalid="ignore"):
            doubt = sum(v**2 / df for v, df in zip(larger, self.dfs, strict=True))
            df = (larger[0] + larger[1] - once) ** 2 / doubt
        fewest = np.minimum(*self.dfs)
        # Where nothing varies, no more is known than over the levels of the group that has fewer.
        return np.where(doubt > 0, np.maximum(df, fewest), np.where(np.isnan(doubt), np.nan, fewest))


def two_way(pulls: Pulls, weights: Floats, crossing: Crossing) -> TwoWay:
    """Return the variances of a number over two crossed groups, for each row of a batch.

    Args:
        pulls: what the cells do to it.
        weights: [row, cell] how often each is there.
        crossing: how the cells lie.
    """
    errors, dfs = zip(*(_over_levels(pulls, weights, codes) for codes in crossing.codes), strict=True)
    cells = np.array(
        [_rest(row * own, row * crossing.sizes, crossing.codes) for row, own in zip(weights, pulls.moves, strict=True)]
    )
    return TwoWay((errors[0] ** 2, errors[1] ** 2), (dfs[0], dfs[1]), np.where(cells > pulls.dust, cells, 0.0))


def _over_levels(pulls: Pulls, weights: Floats, codes: Ints) -> tuple[Floats, Floats]:
    """Return the CR2 standard error over the levels of one group, and the effective number of them less one."""
    summed = _summed(pulls, weights, codes)
    return summed.over(np.ones(summed.moves.shape), np.zeros(summed.moves.shape[1], np.int64))


def _summed(pulls: Pulls, weights: Floats, codes: Ints) -> Pulls:
    """Return what whole levels of a group do."""
    levels = int(codes.max(initial=-1)) + 1
    moves, bulks = (
        np.array([np.bincount(codes, row, levels) for row in weights * part]) for part in (pulls.moves, pulls.bulks)
    )
    return Pulls(moves, bulks, pulls.dust, tuple(_summed(part, weights, codes) for part in pulls.parts))


def _rest(moves: Floats, sizes: Floats, codes: tuple[Ints, Ints]) -> float:
    """Return the sum of squares of what is left of the cells, each divided by what taking out the effects left of it."""
    left, wholes = moves.copy(), [np.bincount(own, sizes) for own in codes]
    largest = float(np.abs(moves).max(initial=0.0))
    for _ in range(SWEEPS):
        moved = 0.0
        for own, whole in zip(codes, wholes, strict=True):
            effect = np.bincount(own, left) / np.maximum(whole, 1e-300)
            step = sizes * effect[own]
            left -= step
            moved = float(np.abs(step).max(initial=0.0))
        if moved <= SETTLED * largest:
            break
    kept = np.prod(
        [1 - sizes / np.maximum(whole[own], 1e-300) for own, whole in zip(codes, wholes, strict=True)], axis=0
    )
    # A cell that is all of a level tells nothing of how cells vary.
    return float(np.where(kept > 1e-9, left**2 / np.maximum(kept, 1e-9), 0.0).sum())
