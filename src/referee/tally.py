"""Tally: counts seen through a metric, with one operation: the scores under other weights of the units."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from referee.errors import InputError
from referee.metrics.base import Bound, Metric
from referee.metrics.formula import Range, Ratios
from referee.values import Floats, Ints, Mask, Values, factorize

if TYPE_CHECKING:
    from referee.counts import Counts

AnySided = TypeVar("AnySided", bound="Sided")


class Sided(Protocol):
    """What has two sides that can be exchanged."""

    def mirror(self) -> Any:
        """Return it with A and B exchanged."""

    def sides(self) -> tuple[Any, ...]:
        """Return the arrays that tell it from its mirror image."""


MANY = 1000
"""From so many rows on it pays to look for columns that never change."""
CHUNK = 1 << 22
"""How many numbers a temporary array may hold."""


@dataclass(frozen=True, eq=False)
class Tally:
    """The distinct units (examples, or whole groups) with their statistics, multiplicities and strata.

    Units stand in canonical order, so that the order of the rows changes nothing.

    >>> from referee.counts import from_events
    >>> from referee.metrics import f1
    >>> t = Tally.of(from_events([61, 14, 9, 21, 6, 11, 5, 873]), f1)
    >>> t.scores(t.multiplicities).round(4).tolist()
    [0.7527, 0.7614]
    """

    bound: Bound
    statistics: Floats
    """[unit, system, statistic]"""
    multiplicities: Ints
    strata: Ints
    grouped: bool = False
    joint: Floats = field(default_factory=lambda: np.zeros(0))
    """For means over groups: the sum over a group of (A's value x B's value), which group sums cannot tell."""
    place: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """Which unit each row of the counts (each group, where there are groups) became."""
    memory: dict[Any, Any] = field(default_factory=dict)
    """Draws that several parts of one answer share."""

    @classmethod
    def of(cls, counts: Counts, metric: Metric) -> Tally:
        """See counts through a metric; where there is a group column, a group is the unit."""
        bound = metric.bind(counts)
        truth = counts.get("truth")
        statistics = np.stack([bound.statistics(truth, counts[role]) for role in ("a", "b")], axis=1)
        strata = factorize(counts["stratum"])[1] if "stratum" in counts else np.zeros(len(counts), np.int64)
        weights = counts.multiplicities
        joint = np.zeros(len(counts))
        if "group" in counts:
            groups = factorize(counts["group"])[1]
            joint = _joint(bound, statistics, weights, groups)
            statistics, strata = sum_groups(statistics, strata, weights, groups)
            weights = np.ones(len(statistics), np.int64)
        return cls._merged(bound, statistics, weights, strata, joint, "group" in counts)

    @classmethod
    def _merged(
        cls, bound: Bound, statistics: Floats, weights: Ints, strata: Ints, joint: Floats, grouped: bool
    ) -> Tally:
        """Merge the units that no test can tell apart, and put them into order."""
        order, starts = distinct(np.column_stack([strata, statistics.reshape(len(statistics), -1), joint]))
        first = order[starts]
        counted = np.add.reduceat(weights[order], starts)
        place = places(order, starts)
        return cls(bound, statistics[first], counted, strata[first], grouped, joint[first], place)

    @property
    def metric(self) -> Metric:
        """The metric that the units are seen through."""
        return self.bound.metric

    @property
    def range(self) -> Range | None:
        """The least and the greatest score: those of the metric, or of what makes of labels only parts of 1."""
        if self.metric.range is None and self.metric.task == "labels" and self._inside_one:
            return 0.0, 1.0
        return self.metric.range

    @property
    def reach(self) -> float | None:
        """The most that two scores differ by: as the metric says, or 1 where every score lies between 0 and 1."""
        if self.range is not None:
            return self.range[1] - self.range[0]
        return 1.0 if self.metric.task == "scores" and self._inside_one else None

    @property
    def _inside_one(self) -> bool:
        values, sizes = self.statistics[:, :, 0], self.statistics[:, :, 1]
        return bool((values >= 0).all() and (values <= sizes).all())

    @property
    def units(self) -> int:
        """How many units there are, each counted as often as it occurred."""
        return int(self.multiplicities.sum())

    def totals(self, keep: Any, flip: Any = None) -> Floats:
        """Return [..., system, statistic] summed with weights `keep`, and `flip` with the systems exchanged."""
        both = self.statistics.reshape(len(self.statistics), -1)
        size = self.statistics.shape[2]
        summed = np.asarray(keep, dtype=np.float64) @ both
        if flip is not None:
            other = self.statistics[:, ::-1].reshape(len(self.statistics), -1)
            summed = summed + np.asarray(flip, dtype=np.float64) @ other
        result: Floats = summed.reshape(*summed.shape[:-1], 2, size)
        return result

    def scores(self, keep: Any, flip: Any = None) -> Floats:
        """Return the scores [..., system] of the units under these weights."""
        formula = self.bound.formula
        if flip is not None or not isinstance(formula, Ratios):
            return formula.score(self.totals(keep, flip))
        # What the score depends on is summed at once, and not what that is made of first.
        summed = np.asarray(keep, dtype=np.float64) @ self._coordinates
        return formula.score_at(summed.reshape(*summed.shape[:-1], 2, summed.shape[-1] // 2))

    @cached_property
    def _coordinates(self) -> Floats:
        placed = self.bound.formula.place(self.statistics)
        return placed.reshape(len(placed), -1)

    def assess(self, keep: Any) -> tuple[Floats, Mask]:
        """Return the scores under these weights, and where either meets 0/0."""
        totals = self.totals(keep)
        return self.bound.formula.score(totals), np.asarray(self.bound.formula.vague(totals).any(axis=-1))

    def vague(self, keep: Any, flip: Any = None) -> Mask:
        """Say where the score of either system meets 0/0."""
        return np.asarray(self.bound.formula.vague(self.totals(keep, flip)).any(axis=-1))

    def nowhere(self) -> bool:
        """Say whether the score of both systems is 0/0."""
        return bool(self.bound.formula.vague(self.totals(self.multiplicities)).all())

    def observed(self) -> Floats:
        """Return the scores of A and B, NaN where the data cannot have one (recall without positives)."""
        return np.full(2, np.nan) if bool(self.blank(self.multiplicities)) else self.scores(self.multiplicities)

    def blank(self, keep: Any) -> Mask:
        """Say where the data cannot have a score, whatever the systems do."""
        if self.bound.formula.fixed and not self.metric.by_class:
            return self.vague(keep)
        return np.zeros(np.shape(keep)[:-1], dtype=np.bool_)

    def tolerance(self, scores: Floats) -> Floats:
        """Return within what two differences tie: rounding relative to the scores, and to what was summed for them."""
        size = 1.0
        if self.metric.task in ("scores", "numbers"):
            total = np.maximum(self.multiplicities.sum(), 1)
            size = float((self.multiplicities @ np.abs(self.statistics[:, :, 0])).max() / total)
        result: Floats = 1e-12 * np.abs(scores).max(axis=-1) + 1e-15 * size
        return result

    def standard_errors(self, weights: Any) -> Floats:
        """Return the delta-method standard error of the difference, for each row of weights.

        se² = Σ e·g² − (Σ e·g)²/N within each stratum, g how much one more unit of each kind would move the difference.
        """
        weights = np.asarray(weights, dtype=np.float64)
        slope = self.bound.formula.gradient(self.totals(weights))
        influence = slope[..., 1, :] @ self.statistics[:, 1].T - slope[..., 0, :] @ self.statistics[:, 0].T
        return spread(influence, weights, self.strata, self._dust(slope, weights).sum(axis=-1))

    def system_errors(self) -> Floats:
        """Return the delta-method standard error of each system's own score."""
        weights = self.multiplicities.astype(np.float64)
        slope = self.bound.formula.gradient(self.totals(weights))
        dust = self._dust(slope, weights)
        own = [spread(self.statistics[:, s] @ slope[s], weights, self.strata, dust[s]) for s in (0, 1)]
        return np.array(own)

    def _dust(self, slope: Floats, weights: Floats) -> Floats:
        """Return [..., system]: the variance that rounding alone can leave where every unit's influence is 0 on paper.

        An influence is a sum of slope x statistic, rounded before its parts cancel; so this is relative to their squares.
        """
        squares = (weights @ self._squares).reshape(slope.shape)
        result: Floats = self.bound.formula.precision**2 * (slope**2 * squares).sum(axis=-1)
        return result

    @cached_property
    def _squares(self) -> Floats:
        return self.statistics.reshape(len(self.statistics), -1) ** 2

    def means(self) -> tuple[Floats, Floats, Floats] | None:
        """Return each unit's (a, b, weight) where the score is one mean with fixed weights, else None.

        The score is then constant + coefficient · Σ value / Σ weight; the values carry both.
        """
        formula = self.bound.formula
        if not isinstance(formula, Ratios) or not formula.fixed or len(formula.coefficients) != 1:
            return None
        weight = self.statistics[:, 0] @ formula.denominators[0]
        values = self.statistics @ formula.numerators[0] * formula.coefficients[0] + weight[:, None] * formula.constant
        return values[:, 0], values[:, 1], weight

    def mirror(self) -> Tally:
        """Return the tally with A and B exchanged."""
        turned = self.statistics[:, ::-1]
        return self._merged(self.bound, turned, self.multiplicities, self.strata, self.joint, self.grouped)

    def sides(self) -> tuple[Values, ...]:
        """Return the arrays that tell a tally from its mirror image."""
        return self.statistics, self.multiplicities

    def with_multiplicities(self, multiplicities: Ints) -> Tally:
        """Return the same units with other multiplicities."""
        return replace(self, multiplicities=multiplicities, memory={})


def spread(influence: Floats, weights: Floats, strata: Ints, dust: Floats | float = 0.0) -> Floats:
    """Return sqrt(Σ w·g² − Σ over strata (Σ w·g)²/Σ w), 0 where no more than dust is left."""
    squares = (weights * influence**2).sum(axis=-1)
    variance = squares
    for stratum in np.unique(strata):
        inside = strata == stratum
        size = weights[..., inside].sum(axis=-1)
        variance = variance - (weights[..., inside] * influence[..., inside]).sum(axis=-1) ** 2 / np.maximum(size, 1.0)
    # The subtraction leaves a dust of its own where every unit moves the difference alike.
    result: Floats = np.sqrt(np.where(variance > np.maximum(dust, 1e-14 * squares), variance, 0.0))
    return result


def studentize(difference: Floats, tolerance: Floats, error: Floats) -> tuple[Floats, Floats]:
    """Return difference / standard error, and within what it ties; 0/0 is 0, x/0 infinite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        value, tie = difference / error, tolerance / error
    flat = np.where(np.abs(difference) <= tolerance, 0.0, np.copysign(np.inf, difference))
    return np.where(error > 0, value, flat), np.where(error > 0, tie, 0.0)


def _joint(bound: Bound, statistics: Floats, weights: Ints, groups: Ints) -> Floats:
    """Return for each group how often (how much) both systems are right, where the score is a mean."""
    formula, count = bound.formula, int(groups.max(initial=-1)) + 1
    if not isinstance(formula, Ratios) or not formula.fixed or len(formula.coefficients) != 1:
        return np.zeros(count)
    values = statistics @ formula.numerators[0]
    return np.bincount(groups, values[:, 0] * values[:, 1] * weights, count).astype(np.float64)


def sum_groups(statistics: Floats, strata: Ints, weights: Ints, groups: Ints) -> tuple[Floats, Ints]:
    """Sum the rows of each group, so that the group is the row."""
    count = int(groups.max()) + 1 if len(groups) else 0
    flat = statistics.reshape(len(statistics), -1)
    summed: Floats = np.stack([np.bincount(groups, flat[:, k] * weights, count) for k in range(flat.shape[1])], axis=1)
    low, high = np.full(count, np.iinfo(np.int64).max), np.full(count, -1)
    np.minimum.at(low, groups, strata)
    np.maximum.at(high, groups, strata)
    if (low != high).any():
        raise InputError(f"{int((low != high).sum())} groups lie in more than one stratum; a group must lie in one")
    return summed.reshape(count, *statistics.shape[1:]), low


def distinct(rows: Floats | Ints) -> tuple[Ints, Ints]:
    """Return the order that sorts the rows, and where in it each distinct row starts."""
    if len(rows) > MANY:
        # Sorting by a column that never changes costs as much as by one that does.
        rows = rows[:, (rows != rows[:1]).any(axis=0)]
    order = np.lexsort(rows.T[::-1]) if rows.size else np.arange(len(rows))
    ordered = rows[order]
    changed = np.ones(len(rows), dtype=np.bool_)
    changed[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return order, np.flatnonzero(changed)


def places(order: Ints, starts: Ints) -> Ints:
    """Return which distinct row each row is, from what `distinct` returns."""
    place = np.empty(len(order), np.int64)
    place[order] = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(order))))
    return place


def chunks(rows: int, width: int) -> Iterator[slice]:
    """Yield slices of rows so that rows x width numbers fit into one temporary array."""
    step = max(1, CHUNK // max(1, width))
    for start in range(0, rows, step):
        yield slice(start, min(rows, start + step))


def canonical(tally: AnySided) -> tuple[AnySided, bool]:
    """Return a tally or its mirror image, whichever comes first, and whether it was mirrored.

    Drawing in this orientation makes Monte-Carlo answers the same for (A, B) and (B, A).
    """
    mirror: AnySided = tally.mirror()
    return (mirror, True) if first_side(tally, mirror) > 0 else (tally, False)


def first_side(tally: AnySided, mirror: AnySided) -> int:
    """Return -1 where the tally comes before its mirror image, 1 where after, 0 where they are the same."""
    for mine, other in zip(tally.sides(), mirror.sides(), strict=True):
        where = np.flatnonzero((mine != other).ravel())
        if len(where):
            return 1 if mine.ravel()[where[0]] > other.ravel()[where[0]] else -1
    return 0
