"""RankTally: the one operation of a Tally, for metrics that need sorted scores instead of totals; and the choice between the two."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias, cast

import numpy as np

from referee.data.columns import Floats, Ints, Mask, Values
from referee.data.counts import Counts
from referee.errors import InputError, Misfit
from referee.metrics.base import Metric
from referee.metrics.formula import Range
from referee.metrics.labels import Labels
from referee.metrics.matrices import distinct, first_difference, first_signs, halves, places
from referee.metrics.score_steps import Ladder, steps_of
from referee.significance.cells import Crossing, crossing_of
from referee.significance.strata import merge_lonely, strata_of
from referee.significance.tally import AT_ONCE, Tally, Units, chunks, spread

NOT_A_MEAN = "it needs a metric that is a mean over examples (accuracy, error, recall, specificity, mean, mse, mae)"
NOT_BINARY = (
    "it needs examples that are simply right or wrong (accuracy, error, recall, specificity, a mean of 0/1 scores)"
)


@dataclass(frozen=True, eq=False)
class RankTally(Units):
    """Distinct rows (positive?, score of A, score of B), each belonging to a unit: itself, or its group."""

    metric: Metric
    positive: Mask
    values: Floats
    """[row, system]"""
    inside: Ints
    """How often the row occurs in one unit of its kind."""
    unit: Ints
    multiplicities: Ints
    strata: Ints
    grouped: bool = False
    place: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """Which unit each row of the counts (each group, if there are groups) became."""
    lonely: int = 0
    """How many strata had one unit only, and were merged."""
    weighted: bool = False
    """Never: metrics of ranks take no weights (Metric.check)."""
    unpaired: bool = False
    """Whether the systems answered different examples: units of even strata are A's, those of odd ones B's."""
    crossing: Crossing | None = None
    """Where there are two crossed groups: how their cells, which are then the units, lie in them."""
    memory: dict[Any, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, counts: Counts, metric: Metric) -> RankTally:
        """See counts through a ranking metric."""
        metric.check(counts)
        labels = Labels.of_truth(counts)
        positive = np.asarray(counts["truth"] == labels.find_positive(counts.positive, str(metric)), dtype=np.bool_)
        values = np.stack([counts[role].astype(np.float64) for role in ("a", "b")], axis=1)
        strata, inside, unit = strata_of(counts), np.ones(len(counts), np.int64), np.arange(len(counts))
        weights, grouped = counts.multiplicities, "group" in counts
        crossing = None
        if grouped:
            (unit, crossing), inside = crossing_of(counts), weights
            weights = np.ones(int(unit.max(initial=-1)) + 1, np.int64)
            of_row, strata = strata, np.zeros(len(weights), np.int64)
            strata[unit] = of_row
        unpaired = not counts.paired
        strata, lonely = merge_lonely(strata, weights, unpaired=unpaired)
        place = np.arange(len(weights))
        made = cls(
            metric,
            positive,
            values,
            inside,
            unit,
            weights,
            strata,
            grouped,
            place,
            lonely,
            unpaired=unpaired,
            crossing=crossing,
        )
        # The rows of counts are distinct and in order already; only merging labels or forgetting a column makes equals.
        return made if set(counts.columns) == {"truth", "a", "b"} and len(labels.all) <= 2 else made._sorted()

    def _sorted(self) -> RankTally:
        if self.grouped:
            order = np.lexsort([self.values[:, 1], self.values[:, 0], self.positive, self.unit])
            rows = {name: getattr(self, name)[order] for name in ("positive", "values", "inside", "unit")}
            return replace(self, **rows)
        order, starts = distinct(np.column_stack([self.strata, self.positive, self.values]))
        first = order[starts]
        counted = np.add.reduceat(self.multiplicities[order], starts)
        rows = {name: getattr(self, name)[first] for name in ("positive", "values", "strata")}
        ones, own, place = np.ones(len(first), np.int64), np.arange(len(first)), places(order, starts)
        return replace(self, **rows, inside=ones, unit=own, multiplicities=counted, place=place, memory={})

    @cached_property
    def _places(self) -> list[tuple[Ints, int]]:
        """For each system: the place of each row's score among its distinct scores, and how many those are."""
        every = [np.unique(self.values[:, system], return_inverse=True) for system in (0, 1)]
        return [(place, len(scores)) for scores, place in every]

    def _ladder(self, system: int, *, exchanged: bool) -> Ladder:
        """Return the steps of a system's own scores, or of its own and the other's together; they are kept."""
        key = ("ladder", system, exchanged)
        if key not in self.memory:
            systems = [system, 1 - system] if exchanged else [system]
            own, positive = self.values[:, systems].T.ravel(), np.tile(self.positive, len(systems))
            self.memory[key] = Ladder.of(own, positive, merged=self.metric.at_positives)
        return cast("Ladder", self.memory[key])

    @property
    def uneven(self) -> bool:
        """Whether units are of different sizes."""
        return self.grouped

    def answered(self, system: int) -> Mask:
        """Say which rows a system answered."""
        there = np.ones(len(self.values), dtype=np.bool_)
        return self.strata[self.unit] % 2 == system if self.unpaired else there

    def members_of(self, alone: int | None) -> Floats:
        """Return the members, those that one system answered if it is named."""
        return self.members if alone is None else self.members * (self.strata % 2 == alone)[:, None]

    @cached_property
    def _is_plain(self) -> bool:
        """Whether each row is a unit of its own, in order."""
        return not self.grouped and bool((self.inside == 1).all())

    @cached_property
    def members(self) -> Floats:
        """[unit, class]: how many negatives and positives a unit has."""
        rows = np.zeros((len(self.multiplicities), 2))
        np.add.at(rows, (self.unit, self.positive.astype(np.int64)), self.inside)
        return rows

    def _by_score(self, system: int, weights: Floats) -> tuple[Floats, Floats]:
        """Return how many positives and negatives have each distinct score of a system."""
        place, size = self._places[system]
        weights = weights * self.answered(system) if self.unpaired else weights
        positives = np.bincount(place, weights * self.positive, size).astype(np.float64)
        return positives, np.bincount(place, weights, size) - positives

    def scores(self, keep: Any, flip: Any = None) -> Floats:
        """Return the scores [..., system] of the units under these weights."""
        keep = np.asarray(keep)
        if keep.ndim == 1 and flip is None:
            weights = keep[self.unit] * self.inside.astype(np.float64)
            return self._finish(np.array([self.metric.call(**steps_of(*self._by_score(s, weights))) for s in (0, 1)]))
        flat = [np.asarray(part).reshape(-1, keep.shape[-1]) for part in (keep, flip) if part is not None]
        out = np.empty((len(flat[0]), 2))
        for rows in chunks(len(out), len(self.values), AT_ONCE):
            own = [part[rows] if self._is_plain else part[rows][:, self.unit] * self.inside for part in flat]
            weights = own[0] if len(own) == 1 else np.concatenate(own, axis=1)
            for system in (0, 1):
                ladder = self._ladder(system, exchanged=len(own) > 1)
                there = weights * self.answered(system) if self.unpaired else weights
                out[rows, system] = self.metric.call(**ladder.climb(there, self.metric.totals))
        return self._finish(out.reshape(*keep.shape[:-1], 2))

    def _finish(self, scores: Floats) -> Floats:
        return np.where(np.isfinite(scores), scores, self.metric.undefined)

    def assess(self, keep: Any) -> tuple[Floats, Mask]:
        """Return the scores under these weights, and where one of the two classes is empty."""
        return self.scores(keep), self.vague(keep)

    def vague(self, keep: Any) -> Mask:
        """Say where one of the two classes is empty."""
        own = (0, 1) if self.unpaired else (None,)
        weights = np.asarray(keep, dtype=np.float64)
        return cast("Mask", np.any([((weights @ self.members_of(one)) == 0).any(axis=-1) for one in own], axis=0))

    blank = vague

    @property
    def range(self) -> Range | None:
        """The least and the greatest score, as the metric says."""
        return self.metric.range

    @property
    def reach(self) -> float | None:
        """The most that two scores differ by."""
        return self.metric.reach

    def tolerance(self, scores: Floats) -> Floats:
        """Return within what two differences tie."""
        return cast("Floats", 1e-12 * np.abs(scores).max(axis=-1) + 1e-15)

    @cached_property
    def placements(self) -> Floats:
        """[row, system]: for a positive the share of negatives below it, for a negative of positives above it."""
        return np.stack([self._placed(system, self.multiplicities)[0] for system in (0, 1)], axis=1)

    def _placed(self, system: int, shares: Floats | Ints) -> tuple[Floats, float, Floats]:
        """Return the placement of each row where units have these shares, the area, and the size of each row's class."""
        positive, negative = self._by_score(system, shares[self.unit].astype(np.float64) * self.inside)
        sizes, place = (positive.sum(), negative.sum()), self._places[system][0]
        below = (np.cumsum(negative) - negative / 2) / sizes[1]
        above = (sizes[0] - np.cumsum(positive) + positive / 2) / sizes[0]
        placed = np.where(self.positive, below[place], above[place])
        return placed, float((positive * below).sum() / sizes[0]), np.where(self.positive, *sizes)

    def auc_slope(self, shares: Floats) -> Floats:
        """Return how a little more of each unit would move the difference of the AUCs, where units have these shares."""
        first, second = self.auc_slopes(shares).sum(axis=0)
        return cast("Floats", second - first)

    def auc_slopes(self, shares: Floats) -> Floats:
        """Return [class, system, unit]: how a little more of a unit's positives, and of its negatives, would move an AUC.

        Args:
            shares: [unit] how much there is of each.
        """
        out = np.empty((2, 2, len(self.multiplicities)))
        for system in (0, 1):
            placed, area, size = self._placed(system, shares)
            own = (placed - area) / size * self.answered(system)
            for side, of_class in enumerate((~self.positive, self.positive)):
                out[side, system] = np.bincount(self.unit, own * self.inside * of_class, len(self.multiplicities))
        return out

    def mirror(self) -> RankTally:
        """Return the tally with A and B exchanged."""
        return replace(self, values=self.values[:, ::-1], strata=self.strata ^ int(self.unpaired), memory={})._sorted()

    def sides(self) -> tuple[Values, ...]:
        """Return the arrays that tell a tally from its mirror image."""
        return self.values, self.inside, self.multiplicities

    def auc_error(self) -> float:
        """Return the standard error of an AUC difference from placements summed over each group."""
        summed = self.auc_slope(self.multiplicities.astype(np.float64))
        return float(spread(summed, self.multiplicities.astype(np.float64), self.strata))


AnyTally: TypeAlias = Tally | RankTally


def canonical(tally: AnyTally) -> tuple[AnyTally, bool]:
    """Return a tally or its mirror image, whichever comes first, and whether it was mirrored.

    Drawing in this orientation makes Monte Carlo answers the same for (A, B) and (B, A).
    """
    mirror = tally.mirror()
    return (mirror, True) if first_side(tally, mirror) > 0 else (tally, False)


def first_side(tally: AnyTally, mirror: AnyTally) -> int:
    """Return -1 if the tally comes before its mirror image, 1 if after, 0 if they are the same."""
    signs = (int(first_difference(*pair)) for pair in zip(tally.sides(), mirror.sides(), strict=True))
    return next((sign for sign in signs if sign), 0)


def tally_of(counts: Counts, metric: Metric) -> AnyTally:
    """See counts through a metric, by totals or by ranks."""
    if not {"a", "b"} <= set(counts.columns):
        raise InputError(f"a comparison needs two systems, a and b; the counts have only {', '.join(counts.columns)}")
    return RankTally.of(counts, metric) if metric.task == "ranking" else Tally.of(counts, metric)


def differing(tally: AnyTally) -> Mask:
    """Say which units the two systems differ on."""
    if isinstance(tally, Tally):
        left, right = halves(tally.both)
        return cast("Mask", first_signs(left - right) != 0)
    if tally.unpaired:
        return np.ones(len(tally.multiplicities), dtype=np.bool_)
    apart = (tally.values[:, 0] != tally.values[:, 1]).astype(np.int64)
    return np.bincount(tally.unit, apart, len(tally.multiplicities)) > 0


def movable(tally: AnyTally) -> int:
    """Return how many units the systems could differ on: those that the metric is about."""
    means = tally.means() if isinstance(tally, Tally) else None
    return tally.units if means is None else int(tally.multiplicities[means[2] > 0].sum())


@dataclass(frozen=True, eq=False)
class Means:
    """Each unit's values under A and B and its weight: the score is Σ value / Σ weight."""

    a: Floats
    b: Floats
    weight: Floats
    both: Floats
    """How often both are right in a group."""
    strata: Ints

    @classmethod
    def of(cls, tally: AnyTally) -> Means:
        """Read the means of a tally.

        Raises:
            Misfit: if the score is not a mean.
        """
        if "means" not in tally.memory:
            values = tally.means() if isinstance(tally, Tally) else None
            if values is None or not isinstance(tally, Tally):
                raise Misfit(NOT_A_MEAN, argument="metric", value=str(tally.metric))
            tally.memory["means"] = cls(*values, tally.joint, tally.strata)
        means: Means = tally.memory["means"]
        return means

    @cached_property
    def change(self) -> Floats:
        """The difference b - a of each unit."""
        return self.b - self.a

    @cached_property
    def is_binary(self) -> bool:
        """Whether each unit is one example that is right or wrong (or carries no weight)."""
        unit = self.weight[self.weight > 0]
        same = len(unit) == 0 or np.allclose(unit, unit[0])
        return bool(same and all(np.isin(v[self.weight > 0] / unit, (0.0, 1.0)).all() for v in (self.a, self.b)))

    def counts(self, batch: Ints) -> tuple[Floats, Floats, Floats]:
        """Return for each row of a batch: units where b > a, units where b < a, units that carry weight."""
        up, down, some = ((batch @ part.astype(float)) for part in (self.change > 0, self.change < 0, self.weight > 0))
        return up, down, some

    def scores(self, batch: Ints) -> tuple[Floats, Floats]:
        """Return the scores of A and B for each row of a batch."""
        total = np.maximum(batch @ self.weight, 1e-300)
        return batch @ self.a / total, batch @ self.b / total

    def error(self, batch: Ints, values: Floats) -> tuple[Floats, Floats]:
        """Return the standard error of Σ values / Σ weights over units, and its degrees of freedom.

        Robust to whatever happens inside a unit: with one example a unit it is the usual s/√n.
        """
        weights = batch.astype(np.float64)
        total = np.maximum(weights @ self.weight, 1e-300)
        mean = weights @ values / total
        variance, df = np.zeros(len(batch)), np.zeros(len(batch))
        inside = self.weight > 0
        for stratum in np.unique(self.strata):
            part = inside & (self.strata == stratum)
            w = weights[:, part]
            size = w.sum(axis=1)
            rest = values[part] - mean[:, None] * self.weight[part]
            centre = (w * rest).sum(axis=1) / np.maximum(size, 1.0)
            squares = (w * (rest - centre[:, None]) ** 2).sum(axis=1)
            with np.errstate(divide="ignore", invalid="ignore"):
                variance += np.where(size > 1, size / (size - 1) * squares, np.where(size > 0, np.nan, 0.0))
            df += np.maximum(size - 1, 0)
        # Differences that are equal on paper differ by the rounding of what was subtracted: that is no variance.
        size = max(1e-14 * np.abs(values).max(initial=0.0), 1e-15 * np.abs([self.a, self.b]).max(initial=0.0))
        variance = np.where(variance <= size**2 * weights.sum(axis=1), 0.0, variance)
        return np.sqrt(variance) / total, df


def mean_misfit(tally: AnyTally, *, binary: bool = False) -> str | None:
    """Return why a test of means does not fit, or None."""
    try:
        means = Means.of(tally)
    except Misfit as reason:
        return str(reason)
    return NOT_BINARY if binary and not tally.grouped and not means.is_binary else None
