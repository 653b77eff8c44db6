"""Tally: counts seen through a metric, with one operation: the scores under other weights of the units."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, Self, cast

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.data.weights import WEIGHT
from referee.errors import InputError
from referee.metrics.base import Metric
from referee.metrics.binding import Bound, paired
from referee.metrics.formula import Range, Ratios
from referee.metrics.matrices import Matrix, beside, distinct_units, full, halves, places, signed, summed, times, turned
from referee.significance.cells import Crossing, crossing_of
from referee.significance.strata import merge_lonely, strata_of, stratum_sums

if TYPE_CHECKING:
    from referee.data.counts import Counts

CHUNK = 1 << 22
"""How many numbers a temporary array may hold."""
AT_ONCE = 1 << 18
"""How many it holds where a lot is done with each: what stays near the processor is done several times as fast."""
# The C library hands large blocks back to the system, and to be given them anew costs more than what is done in them. One
# of just under 32 MB, freed untouched, teaches it to keep those that are smaller (mallopt(3), M_MMAP_THRESHOLD).
np.empty((1 << 22) - 4096)


class Units(Protocol):
    """What the tally of totals and that of ranks share: units, how often each occurred, and scores under other weights of them."""

    multiplicities: Ints

    def scores(self, keep: Any, flip: Any = None) -> Floats:
        """Return the scores [..., system] under weights `keep` of the units, and `flip` of them with the systems exchanged."""

    def tolerance(self, scores: Floats) -> Floats:
        """Return within what two differences tie."""

    def blank(self, keep: Any) -> Mask:
        """Say where the data cannot have a score, whatever the systems do."""

    @property
    def units(self) -> int:
        """How many units there are, each counted as often as it occurred."""
        return int(self.multiplicities.sum())

    def differences(self, keep: Any, flip: Any = None) -> Floats:
        """Return the difference b - a under these weights."""
        scores = self.scores(keep, flip)
        return scores[..., 1] - scores[..., 0]

    def differences_and_ties(self, keep: Any) -> tuple[Floats, Floats]:
        """Return the difference b - a under these weights, and within what it ties."""
        scores = self.scores(keep)
        return scores[..., 1] - scores[..., 0], self.tolerance(scores)

    def observed(self) -> Floats:
        """Return the scores of A and B, NaN if the data cannot have one (recall without positives, AUC of one class)."""
        return np.full(2, np.nan) if bool(self.blank(self.multiplicities)) else self.scores(self.multiplicities)

    def with_multiplicities(self, multiplicities: Ints) -> Self:
        """Return the same units with other multiplicities."""
        return cast("Self", replace(cast("Any", self), multiplicities=multiplicities, memory={}))


@dataclass(frozen=True, eq=False)
class Tally(Units):
    """The distinct units (examples, or whole groups) with their statistics, multiplicities and strata.

    Units stand in canonical order, so that the order of the rows changes nothing.

    >>> from referee.data.counts import from_events
    >>> from referee.metrics import f1
    >>> t = Tally.of(from_events([61, 14, 9, 21, 6, 11, 5, 873]), f1)
    >>> t.scores(t.multiplicities).round(4).tolist()
    [0.7527, 0.7614]
    """

    bound: Bound
    both: Matrix
    """[unit, statistic]: those of A, then those of B"""
    multiplicities: Ints
    strata: Ints
    grouped: bool = False
    joint: Floats = field(default_factory=lambda: np.zeros(0))
    """For means over groups: the sum over a group of (A's value x B's value), which group sums cannot tell."""
    place: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """Which unit each row of the counts (each group, if there are groups) became."""
    lonely: int = 0
    """How many strata had one unit only, and were merged."""
    unpaired: bool = False
    """Whether the systems answered different examples: even strata are A's, odd ones B's, and each has statistics in its own only."""
    weighted: bool = False
    """Whether some examples count more than others: the statistics of each are then those times its weight."""
    crossing: Crossing | None = None
    """Where there are two crossed groups: how their cells, which are then the units, lie in them."""
    memory: dict[Any, Any] = field(default_factory=dict)
    """Draws that several parts of one answer share."""

    @classmethod
    def of(cls, counts: Counts, metric: Metric) -> Tally:
        """See counts through a metric; with a group column, a group is the unit."""
        bound = metric.bind(counts)
        both, strata = statistics_of(bound, counts), strata_of(counts)
        weights, joint = counts.multiplicities, np.zeros(len(counts))
        crossing = None
        if "group" in counts:
            groups, crossing = crossing_of(counts)
            joint = _joint(bound, both, weights, groups)
            both, strata = sum_groups(both, strata, weights, groups)
            weights = np.ones(len(strata), np.int64)
        strata, lonely = merge_lonely(strata, weights, unpaired=not counts.paired)
        made = cls(
            bound, both, weights, strata, "group" in counts, joint, lonely=lonely, unpaired=not counts.paired,
            weighted=WEIGHT in counts, crossing=crossing, place=np.arange(len(weights)),
        )  # fmt: skip
        return made._merged()

    def _merged(self) -> Tally:
        """Merge the units that no test can tell apart, and put them into order; cells of crossed groups are in theirs."""
        if self.crossing is not None:
            return replace(self, memory={})
        order, starts = distinct_units(self.both, self.strata, self.joint)
        first, place = order[starts], places(order, starts)
        counted = np.add.reduceat(self.multiplicities[order], starts)
        both, strata, joint = self.both[first], self.strata[first], self.joint[first]
        rows = {"both": both, "multiplicities": counted, "strata": strata, "joint": joint, "place": place}
        return replace(self, **rows, memory={})

    @property
    def uneven(self) -> bool:
        """Whether units are of different sizes: whole groups, or examples with weights."""
        return self.grouped or self.weighted

    @property
    def statistics(self) -> Floats:
        """[unit, system, statistic], in full."""
        return paired(full(self.both))

    @property
    def metric(self) -> Metric:
        """The metric that the units are seen through."""
        return self.bound.metric

    @cached_property
    def range(self) -> Range | None:
        """The least and the greatest score: those of the metric, or of what makes of labels only parts of 1."""
        if self.metric.range is None and self.metric.task == "labels" and self._inside_one:
            return 0.0, 1.0
        if self.metric.range is None and self.metric.task == "scores" and self.bound.possible is not None:
            return 0.0, 1.0  # scores that are all 0 or 1 are seen by themselves, and so are means of such runs
        return self.metric.range

    @property
    def reach(self) -> float | None:
        """The most that two scores differ by: as the metric says, or 1 if every score lies between 0 and 1."""
        if self.range is not None:
            return self.range[1] - self.range[0]
        return 1.0 if self.metric.task == "scores" and self._inside_one else None

    @property
    def _inside_one(self) -> bool:
        values, sizes = self.statistics[:, :, 0], self.statistics[:, :, 1]
        return bool((values >= 0).all() and (values <= sizes).all())

    def totals(self, keep: Any, flip: Any = None) -> Floats:
        """Return [..., system, statistic] summed with weights `keep`, and `flip` with the systems exchanged."""
        total = times(keep, self.both)
        return paired(total if flip is None else total + times(flip, turned(self.both)))

    def scores(self, keep: Any, flip: Any = None) -> Floats:
        """Return the scores [..., system] of the units under these weights."""
        formula = self.bound.formula
        if flip is not None or not isinstance(formula, Ratios):
            return formula.score(self.totals(keep, flip))
        return self.bound.scores_at(self._coordinates, keep)

    @cached_property
    def _coordinates(self) -> Floats:
        return self.bound.coordinates(self.both)

    def assess(self, keep: Any) -> tuple[Floats, Mask]:
        """Return the scores under these weights, and where either meets 0/0."""
        totals = self.totals(keep)
        return self.bound.formula.score(totals), np.asarray(self.bound.formula.vague(totals).any(axis=-1))

    def vague(self, keep: Any) -> Mask:
        """Say where the score of either system meets 0/0."""
        return np.asarray(self.bound.formula.vague(self.totals(keep)).any(axis=-1))

    def blank(self, keep: Any) -> Mask:
        """Say where the data cannot have a score, whatever the systems do."""
        return self.vague(keep) if self.bound.needs_examples else np.zeros(np.shape(keep)[:-1], dtype=np.bool_)

    def tolerance(self, scores: Floats) -> Floats:
        """Return within what two differences tie: rounding relative to the scores, and to what was summed for them."""
        return cast("Floats", 1e-12 * np.abs(scores).max(axis=-1) + 1e-15 * self._size)

    _size = cached_property(lambda self: self.bound.size_of(self.both, self.multiplicities))

    def standard_errors(self, weights: Any, spent: int = 1, totals: Floats | None = None) -> Floats:
        """Return the delta-method standard error of the difference, for each row of weights.

        se² = Σ e·g² − (Σ e·g)²/N, g how much one more unit of each kind would move the difference; within strata each times
        n/(n − spent).
        """
        weights, totals = np.asarray(weights, dtype=np.float64), self.totals(weights) if totals is None else totals
        slope = self.bound.formula.gradient(totals)
        dust = self.dust(slope, weights, totals).sum(axis=-1)
        return spread(self.influence(slope), weights, self.strata, dust, spent)

    def scores_and_errors(self, weights: Any) -> tuple[Floats, Floats]:
        """Return the scores and the standard errors of the difference under these weights, summed once for both."""
        totals = self.totals(weights)
        return self.bound.formula.score(totals), self.standard_errors(weights, totals=totals)

    def influence(self, slope: Floats) -> Floats:
        """Return [..., unit]: how far one more unit of each kind moves the difference, by the slopes [..., system, k]."""
        first, second = self.pulls(slope)
        return second - first

    def pulls(self, slope: Floats) -> tuple[Floats, Floats]:
        """Return [..., unit] for A and for B: how far one more unit of each kind moves its score."""
        left, right = self._halves
        return times(slope[..., 0, :], left.T), times(slope[..., 1, :], right.T)

    def bulks(self, slope: Floats) -> tuple[Floats, Floats]:
        """Return [..., unit] for A and for B: how much of what its score is made of lies in a unit of each kind.

        That is the unit's part of the denominator where the score is one ratio, and elsewhere Σ |slope|·|statistic|.
        """
        formula = self.bound.formula
        if isinstance(formula, Ratios) and len(formula.coefficients) == 1:
            left, right = self.shares_of(formula.denominators[0])
            shape = (*slope.shape[:-2], len(self.multiplicities))
            return np.broadcast_to(left, shape), np.broadcast_to(right, shape)
        left, right = (abs(half) for half in self._halves)
        return times(np.abs(slope[..., 0, :]), left.T), times(np.abs(slope[..., 1, :]), right.T)

    def shares_of(self, denominator: Floats) -> tuple[Floats, Floats]:
        """Return [unit] for A and for B: the unit's part of a denominator, the factors of whose totals are given."""
        left, right = self._halves
        return np.abs(left @ denominator), np.abs(right @ denominator)

    @cached_property
    def _halves(self) -> tuple[Matrix, Matrix]:
        return halves(self.both)

    def dust(self, slope: Floats, weights: Floats, totals: Floats) -> Floats:
        """Return [..., system]: the variance that rounding alone can leave where every unit's influence is 0 on paper.

        An influence is a sum of slope x statistic, rounded before its parts cancel; so this is relative to their squares.
        """
        squares = totals if self._squares is None else times(weights, self._squares).reshape(slope.shape)
        return cast("Floats", self.bound.formula.precision**2 * (slope**2 * squares).sum(axis=-1))

    @cached_property
    def _squares(self) -> Matrix | None:
        """The squares of the statistics; None if these are all 0 or 1, and so their own."""
        squares = self.both * self.both
        return squares if (squares != self.both).sum() else None

    @property
    def is_mean(self) -> bool:
        """Whether the score is one mean with fixed weights."""
        formula = self.bound.formula
        return isinstance(formula, Ratios) and formula.fixed and len(formula.coefficients) == 1

    def means(self) -> tuple[Floats, Floats, Floats] | None:
        """Return each unit's (a, b, weight) if the score is one mean with fixed weights over the same units, otherwise None.

        The score is then constant + coefficient · Σ value / Σ weight; the values carry both.
        """
        formula = self.bound.formula
        if self.unpaired or not self.is_mean or not isinstance(formula, Ratios):
            return None
        left, right = self._halves
        weight = left @ formula.denominators[0]
        values, factor, constant = formula.numerators[0], formula.coefficients[0], weight * formula.constant
        return left @ values * factor + constant, right @ values * factor + constant, weight

    def mirror(self) -> Tally:
        """Return the tally with A and B exchanged."""
        return replace(self, both=turned(self.both), strata=self.strata ^ int(self.unpaired))._merged()

    def sides(self) -> tuple[Matrix, ...]:
        """Return the arrays that tell a tally from its mirror image."""
        return self.both, self.multiplicities

    def ungrouped(self, counts: Counts) -> Tally:
        """Return the same data with each row of the counts as its own unit; equal ones are not merged."""
        strata, lonely = merge_lonely(strata_of(counts), counts.multiplicities, unpaired=self.unpaired)
        rows = {"both": statistics_of(self.bound, counts), "multiplicities": counts.multiplicities, "strata": strata}
        alone = replace(self, **rows, grouped=False, crossing=None, lonely=lonely, memory={})
        return replace(alone, joint=np.zeros(0), place=np.zeros(0, np.int64))


def spread(influence: Floats, weights: Floats, strata: Ints, dust: Floats | float = 0.0, spent: int = 1) -> Floats:
    """Return sqrt(Σ w·g² − (Σ w·g)²/Σ w), 0 if no more than dust is left.

    With strata the sum is taken within each, times n/(n − 1): that of one large sample hardly differs from 1, those of many
    small ones do.

    Args:
        influence: [..., unit] g.
        weights: [..., unit] w.
        strata: [unit].
        dust: what rounding alone can leave.
        spent: by how many the units of a stratum exceed those that vary; 2 for weights that were drawn one short.
    """
    pull = weights * influence
    squares = (pull * influence).sum(axis=-1)
    if len(strata) == 0 or strata.min() == strata.max():
        variance = squares - pull.sum(axis=-1) ** 2 / np.maximum(weights.sum(axis=-1), 1.0)
    else:
        place = np.unique(strata, return_inverse=True)[1]
        size = np.maximum(stratum_sums(weights, place), 1.0)
        inside = stratum_sums(pull * influence, place) - stratum_sums(pull, place) ** 2 / size
        variance = (inside * size / np.maximum(size - spent, 1.0)).sum(axis=-1)
    # The subtraction leaves a dust of its own where every unit moves the difference alike.
    return np.sqrt(np.where(variance > np.maximum(dust, 1e-14 * squares), variance, 0.0))


def studentize(difference: Floats, tolerance: Floats, error: Floats) -> tuple[Floats, Floats]:
    """Return difference / standard error, and within what it ties; 0/0 is 0, x/0 infinite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        value, tie = difference / error, tolerance / error
    flat = np.where(np.abs(difference) <= tolerance, 0.0, np.copysign(np.inf, difference))
    return np.where(error > 0, value, flat), np.where(error > 0, tie, 0.0)


def statistics_of(bound: Bound, counts: Counts) -> Matrix:
    """Return [row, statistic] of counts: those of A, then those of B; of an example that one system answered, its own only."""
    parts = {role: bound.rows(counts, role) for role in ("a", "b")}
    if not counts.paired:
        parts = {role: signed(part, (counts["sample"] == role).astype(np.float64)) for role, part in parts.items()}
    return beside(list(parts.values()))


def _joint(bound: Bound, both: Matrix, weights: Ints, groups: Ints) -> Floats:
    """Return for each group how often (how much) both systems are right, if the score is a mean."""
    formula, count = bound.formula, int(groups.max(initial=-1)) + 1
    if not isinstance(formula, Ratios) or not formula.fixed or len(formula.coefficients) != 1:
        return np.zeros(count)
    a, b = (half @ formula.numerators[0] for half in halves(both))
    return np.bincount(groups, a * b * weights, count).astype(np.float64)


def chunks(rows: int, width: int, size: int = CHUNK) -> Iterator[slice]:
    """Yield slices of rows so that rows x width numbers fit into one temporary array."""
    step = max(1, size // max(1, width))
    for start in range(0, rows, step):
        yield slice(start, min(rows, start + step))


def sum_groups(statistics: Matrix, strata: Ints, weights: Ints, groups: Ints) -> tuple[Matrix, Ints]:
    """Sum the rows of each group, so that the group is the row."""
    count = int(groups.max()) + 1 if len(groups) else 0
    low, high = np.full(count, np.iinfo(np.int64).max), np.full(count, -1)
    np.minimum.at(low, groups, strata)
    np.maximum.at(high, groups, strata)
    if (low != high).any():
        raise InputError(
            f"{int((low != high).sum())} groups lie in more than one stratum or sample; a group must lie in one"
        )
    return summed(statistics, weights, groups, count), low
