"""Pulls (influence): how far each unit moves a score; its standard error over groups (CR2, effective number of groups), and how few units carry it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.metrics.formula import EXACT
from referee.significance.rank_tally import AnyTally, RankTally
from referee.significance.strata import stratum_sums
from referee.significance.tally import Tally


@dataclass(frozen=True, eq=False)
class Pulls:
    """What groups do to a number that is computed from all of them: [row, unit] for each row of a batch."""

    moves: Floats
    """How far the group moves it."""
    bulks: Floats
    """How much of what it is made of lies in the group; only shares of this count."""
    dust: Floats
    """[row]: the sum of squared moves that rounding alone can leave."""
    parts: tuple[Pulls, ...] = ()
    """What it is the sum of, where each part has a denominator of its own: the two classes of an area under the curve."""

    def over(self, weights: Floats, strata: Ints) -> tuple[Floats, Floats]:
        """Return the standard error and the degrees of freedom for each row of weights; NaN if a stratum has one group only.

        A sum is known no better than the parts that it varies with (Satterthwaite 1946), each of which fitted a total of its
        own: if the positives are in three groups, forty groups of negatives do not help. A part that is in one group alone
        shows nothing of how it varies: then nothing is known of a sum of two, while of more parts the others have to do.
        """
        place = np.unique(strata, return_inverse=True)[1]
        moved, df, unknown = self._fitted(weights, place)
        if self.parts:
            every = [part._fitted(weights, place) for part in self.parts]
            moves, dfs, unknowns = map(np.array, zip(*every, strict=True))
            moved, variances = moves.sum(axis=0), (weights * moves**2).sum(axis=2)
            with np.errstate(divide="ignore", invalid="ignore"):
                doubt = np.where(variances > 0, variances**2 / dfs, 0.0).sum(axis=0)
                df = np.where(doubt > 0, np.fmin(df, variances.sum(axis=0) ** 2 / doubt), df)
            unknown = unknown | (unknowns.any(axis=0) & (len(self.parts) == 2))
        variance = (weights * moved**2).sum(axis=1)
        variance = np.where(variance > self.dust, variance, 0.0)
        return np.where(unknown, np.nan, np.sqrt(variance)), np.where(unknown, np.nan, df)

    def _fitted(self, weights: Floats, place: Ints) -> tuple[Floats, Floats, Mask]:
        """Return the moves, the degrees of freedom of each row, and which rows are unknown, having one group in a stratum.

        Each move is divided by √(1 - the group's share), which is what fitting the total took from it (CR2); the degrees of
        freedom are the effective number of groups less one. Within strata both are taken stratum by stratum.
        """
        bulk, move = (stratum_sums(weights * part, place) for part in (self.bulks, self.moves))
        bulks = self.bulks
        if place.any():
            # In a stratum of which one group alone has any they are shared out evenly: the others might have had it.
            size, having = stratum_sums(weights, place), stratum_sums(weights * (bulks > 0), place)
            even = bulk / np.maximum(size, 1.0)
            bulks = np.where(((having <= 1) & (size > 1))[:, place], even[:, place], bulks)
        whole, total = bulk[:, place], bulk.sum(axis=1)
        some = np.where(whole > 0, whole, 1.0)
        share, others = bulks / some, np.where(whole > 0, (whole - bulks) / some, 1.0)
        moved = self.moves - share * move[:, place]
        with np.errstate(divide="ignore", invalid="ignore"):
            moved = np.where((others > 0) & (weights > 0), moved / np.sqrt(others), 0.0)
            # 1/Σshare² - 1, without subtracting nearly equal numbers
            free = stratum_sums(weights * share * others, place) / stratum_sums(weights * share**2, place)
            part = (bulk / total[:, None]) ** 2 / free
            df = 1 / np.where(bulk > 0, part, 0.0).sum(axis=1)
        single = ((bulk > 0) & ~(free > 0)).any(axis=1) | ~np.isfinite(df)
        return moved, np.where(single, np.nan, df), single


def difference_pulls(tally: AnyTally, batch: Ints) -> Pulls:
    """Return what groups do to the difference b - a, for each row of a batch."""
    return _pulls(tally, batch, [0, 1])


def system_pulls(tally: AnyTally, system: int, batch: Ints | None = None) -> Pulls:
    """Return what groups do to one system's own score, for each row of a batch or as they are."""
    return _pulls(tally, tally.multiplicities[None, :] if batch is None else batch, [system])


def _pulls(tally: AnyTally, batch: Ints, systems: list[int]) -> Pulls:
    """Return what groups do to one system's score, or to the difference b - a; and to each term, where that is a sum of ratios."""

    def moves_of(both: Any) -> Floats:
        return cast("Floats", both[1] - both[0] if len(systems) == 2 else both[systems[0]])

    def bulks_of(both: Any) -> Floats:
        return cast("Floats", sum(both[system] for system in systems))

    if isinstance(tally, RankTally):
        slopes = np.array([tally.auc_slopes(row.astype(np.float64)) for row in batch])
        alone = systems[0] if tally.unpaired and len(systems) == 1 else None
        return _of_areas(tally, batch, moves_of(slopes.transpose(2, 0, 1, 3)), alone)
    weights, formula = batch.astype(np.float64), tally.bound.formula
    totals = tally.totals(weights)
    slope = formula.gradient(totals)
    dust = tally.dust(slope, weights, totals)[:, systems].sum(axis=-1)
    whole = Pulls(moves_of(tally.pulls(slope)), bulks_of(tally.bulks(slope)), dust)
    terms, parts = list(formula.terms(totals)), []
    for own, denominator in terms if len(terms) > 1 else []:
        bulks = np.broadcast_to(bulks_of(tally.shares_of(denominator)), whole.moves.shape)
        parts.append(Pulls(moves_of(tally.pulls(own)), bulks, dust))
    return replace(whole, parts=tuple(parts))


def area_bulks(tally: RankTally, batch: Ints, alone: int | None = None) -> Floats:
    """Return [row, unit]: the mean of a unit's share of the positives and of the negatives; of one sample if it is named."""
    members = tally.members_of(alone)
    return np.asarray((members / np.maximum(batch @ members, 1.0)[:, None, :]).mean(axis=2))


def _of_areas(tally: RankTally, batch: Ints, moves: Floats, alone: int | None = None) -> Pulls:
    """Return pulls on areas under the curve, of moves [row, class, unit]."""
    bulks = area_bulks(tally, batch, alone)
    # No placement is further than 1 from an area.
    dust = EXACT**2 * (batch * (2 * bulks) ** 2).sum(axis=1)
    parts = [
        Pulls(moves[:, i], np.broadcast_to(side, bulks.shape), dust) for i, side in enumerate(tally.members_of(alone).T)
    ]
    return Pulls(moves.sum(axis=1), bulks, dust, tuple(parts))


def effective_groups(tally: AnyTally) -> float:
    """Return how many groups of one size would say as much as these: 1/Σ share²; strata are not looked at."""
    weights, own = tally.multiplicities.astype(np.float64), tally.multiplicities[None, :]
    bulks = area_bulks(tally, own) if isinstance(tally, RankTally) else difference_pulls(tally, own).bulks
    total = float(weights @ bulks[0])
    return total**2 / float(weights @ bulks[0] ** 2) if total > 0 else 0.0


HANDFUL = 5
"""How many units are a handful."""
FEWEST = 20
"""With fewer units some always carry much of the variance."""


def heavy_tails(tally: Tally, system: int | None = None) -> tuple[str, ...]:
    """Warn if a handful of units carry half of the variance: of the difference, or of one system's score."""
    few, size = carriers(tally, system)
    if few is None:
        return ()
    what = "groups" if tally.grouped else "examples"
    carry, them = ("carries", "it") if few == 1 else ("carry", "them")
    carried = f"{few} of {size:,} {what} {carry} half of the variance, so the result rests on {them}"
    return (f"{carried}; with tails this heavy no test of a mean is reliable",)


def carriers(tally: Tally, system: int | None = None) -> tuple[int | None, int]:
    """Return how few units carry half of the sum of squares, if that is a handful of many; and how many there are.

    A handful is at most 5 units, and at most 2% of them or one. Of normal differences so few never carry half, of exponential
    ones hardly ever from 50 on; of log-normal ones (σ = 1.5) mostly, and of squared errors with 2% outliers nearly always.
    """
    weights, pulls, dust = (part[0] for part in unit_pulls(tally, tally.multiplicities[None, :], system))
    size = int(weights.sum())
    squares = np.where(weights > 0, (pulls - float(weights @ pulls) / max(size, 1)) ** 2, 0.0)
    if size < FEWEST or weights @ squares <= dust:
        return None, size
    largest = np.argsort(-squares, kind="stable")[:HANDFUL]
    top = np.cumsum(np.repeat(squares[largest], weights[largest].astype(np.int64))[:HANDFUL])
    few = 1 + int(np.searchsorted(top, float(weights @ squares) / 2))
    return (few if few <= min(len(top), max(1, size // 50)) else None), size


def unit_pulls(tally: Tally, batch: Ints, system: int | None = None) -> tuple[Floats, Floats, Floats]:
    """Return [row, unit] how often units occur that the metric is about, how far each moves the difference; and [row] dust.

    Of one system, how far each moves its score.
    """
    pulls = difference_pulls(tally, batch) if system is None else _pulls(tally, batch, [system])
    return batch.astype(np.float64) * (pulls.bulks > 0), pulls.moves, pulls.dust
