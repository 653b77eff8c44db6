"""The law of groups: how far whole groups pull a score, and what that says of its error (CR2, on the effective number of groups)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from referee.metrics.formula import EXACT
from referee.ranks import RankTally
from referee.strata import stratum_sums
from referee.units import AnyTally
from referee.values import Floats, Ints


@dataclass(frozen=True, eq=False)
class Pulls:
    """What groups do to a number that is computed from all of them: [row, unit] for each row of a batch."""

    moves: Floats
    """How far the group moves it."""
    bulks: Floats
    """How much of what it is made of lies in the group; only shares of this count."""
    dust: Floats
    """[row]: the sum of squared moves that rounding alone can leave."""

    def over(self, weights: Floats, strata: Ints) -> tuple[Floats, Floats]:
        """Return the standard error and the degrees of freedom for each row of weights.

        Each squared move is divided by 1 less the group's share, which is what fitting the total took from it (CR2); the
        degrees of freedom are the effective number of groups less one. Within strata both are taken stratum by stratum.
        NaN where a stratum has one group only.
        """
        place = np.unique(strata, return_inverse=True)[1]
        bulk, move = (stratum_sums(weights * part, place) for part in (self.bulks, self.moves))
        bulks = self._shared(bulk, weights, place)
        whole, total = bulk[:, place], bulk.sum(axis=1)
        some = np.where(whole > 0, whole, 1.0)
        share, others = bulks / some, np.where(whole > 0, (whole - bulks) / some, 1.0)
        squares = weights * (self.moves - share * move[:, place]) ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = np.where(squares > 0, squares / others, 0.0).sum(axis=1)
            # 1/Σshare² - 1, without subtracting nearly equal numbers
            free = stratum_sums(weights * share * others, place) / stratum_sums(weights * share**2, place)
            part = (bulk / total[:, None]) ** 2 / free
            df = 1 / np.where(bulk > 0, part, 0.0).sum(axis=1)
        single = ((bulk > 0) & ~(free > 0)).any(axis=1)
        variance = np.where(squares.sum(axis=1) > self.dust, variance, 0.0)
        return np.where(single, np.nan, np.sqrt(variance)), np.where(single | ~np.isfinite(df), np.nan, df)

    def _shared(self, bulk: Floats, weights: Floats, place: Ints) -> Floats:
        """Return the bulks, shared out evenly in a stratum of which one group alone has any: the others might have had it."""
        if not place.any():
            return self.bulks
        size, having = stratum_sums(weights, place), stratum_sums(weights * (self.bulks > 0), place)
        even = bulk / np.maximum(size, 1.0)
        return np.where(((having <= 1) & (size > 1))[:, place], even[:, place], self.bulks)


def difference_pulls(tally: AnyTally, batch: Ints) -> Pulls:
    """Return what groups do to the difference b - a, for each row of a batch."""
    if isinstance(tally, RankTally):
        moves = np.array([tally.auc_slope(row.astype(np.float64)) for row in batch])
        return _of_areas(tally, batch, moves)
    weights = batch.astype(np.float64)
    totals = tally.totals(weights)
    slope = tally.bound.formula.gradient(totals)
    first, second = tally.bulks(slope)
    return Pulls(tally.influence(slope), first + second, tally.dust(slope, weights, totals).sum(axis=-1))


def system_pulls(tally: AnyTally, system: int) -> Pulls:
    """Return what groups do to one system's own score."""
    own = tally.multiplicities[None, :]
    if isinstance(tally, RankTally):
        return _of_areas(tally, own, tally.auc_slopes(own[0].astype(np.float64))[system][None, :])
    weights = own.astype(np.float64)
    totals = tally.totals(weights)
    slope = tally.bound.formula.gradient(totals)
    dust = tally.dust(slope, weights, totals)[:, system]
    return Pulls(tally.pulls(slope)[system], tally.bulks(slope)[system], dust)


def area_bulks(tally: RankTally, batch: Ints) -> Floats:
    """Return [row, unit]: the mean of a unit's share of the positives and of the negatives."""
    members = tally.members
    result: Floats = (members / np.maximum(batch @ members, 1.0)[:, None, :]).mean(axis=2)
    return result


def _of_areas(tally: RankTally, batch: Ints, moves: Floats) -> Pulls:
    """Return pulls on areas under the curve."""
    bulks = area_bulks(tally, batch)
    # No placement is further than 1 from an area.
    return Pulls(moves, bulks, EXACT**2 * (batch * (2 * bulks) ** 2).sum(axis=1))


def effective_groups(tally: AnyTally) -> float:
    """Return how many groups of one size would say as much as these: 1/Σ share²; strata are not looked at."""
    weights = tally.multiplicities.astype(np.float64)
    own = tally.multiplicities[None, :]
    bulks = area_bulks(tally, own) if isinstance(tally, RankTally) else difference_pulls(tally, own).bulks
    total = float(weights @ bulks[0])
    return total**2 / float(weights @ bulks[0] ** 2) if total > 0 else 0.0
