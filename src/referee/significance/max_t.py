"""Max-T: the law of the largest of many statistics, from draws that all of them share (Westfall and Young 1993)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from referee.data.columns import Floats, Ints, Values, factorize
from referee.data.counts import Counts
from referee.metrics.base import Metric
from referee.metrics.binding import Bound
from referee.metrics.labels import Labels
from referee.metrics.matrices import times
from referee.runtime.randomness import Streams, blocks
from referee.significance.distributions import student_p
from referee.significance.strata import strata_of
from referee.significance.tally import CHUNK, chunks

DRAWS = 9999
BLOCK = 500
"""So many draws have a key of their own."""
KINDS = 4000
"""Of more kinds of units than this, the signs of all together are drawn: their sums are then normal."""
TIE = 1 + 1e-9
"""By what factor p-values may differ that are equal on paper."""
STILL = 1e-12
"""A variance of a difference that is no more than so much of those of its scores is rounding."""


@dataclass(frozen=True, eq=False)
class MaxT:
    """The joint law of many differences of scores, if none of them differed: each unit pulls either way, all scores alike.

    Every unit keeps what it does to all scores and gets one sign, so that whatever the comparisons have in common they have in the
    draws too. A draw's statistic is what the test's own would be: over the error of the null, or over the one of the draw. Only
    how extreme the most extreme one is comes from draws; each comparison's own p-value stays that of its test, and an adjusted one
    is never below it, and never above Bonferroni's. Of a single comparison it is therefore the p-value itself.
    """

    moves: Floats
    """[kind of unit, score]: how far one unit of a kind moves each score."""
    weights: Ints
    """How often each kind occurs."""
    pairs: Ints
    """[comparison, 2]: which score is taken from which."""
    streams: Streams
    shares: Floats | None = None
    """[kind of unit]: the share of the data that one unit of a kind is, if the test divides by an error that it estimates (t, with
    what fitting takes from each unit given back: CR2); None if it divides by that of the null (score)."""
    draws: int = DRAWS

    @cached_property
    def smallest(self) -> Floats:
        """The smallest p-value of each draw, in order."""
        largest = [part.max(axis=1) for part in self._squares()]
        return np.sort(self._p(np.concatenate(largest)))

    @cached_property
    def _covariance(self) -> Floats:
        return np.asarray(self.moves.T @ (self.weights[:, None] * self.moves))

    @cached_property
    def _variances(self) -> Floats:
        """[comparison]: the sum of squares of what units do to the difference."""
        first, second = self.pairs.T
        left = self.moves if self.shares is None else self.moves / (1 - self.shares)[:, None]
        matrix = left.T @ (self.weights[:, None] * self.moves)
        whole = np.diag(matrix)[first] + np.diag(matrix)[second]
        rest = whole - 2 * matrix[first, second]
        return np.where(rest > STILL * whole, rest, 0.0)

    def _squares(self, order: Ints | None = None) -> Iterator[Floats]:
        """Yield [draw, comparison]: the square of a draw's statistic, block by block; 0 of what does not vary."""
        first, second = (self.pairs if order is None else self.pairs[order]).T
        variance = self._variances if order is None else self._variances[order]
        variance = np.where(variance > 0, variance, np.inf)
        for number, size in blocks(self.draws, BLOCK, "comparing all pairs"):
            sums, fitted = self._sums(self.streams.at(number), size)
            for rows in chunks(size, len(self.pairs), CHUNK):
                change = sums[rows][:, second] - sums[rows][:, first]
                if fitted is None:
                    yield change**2 / variance
                    continue
                taken = change * (2 * (fitted[rows][:, second] - fitted[rows][:, first]) - change * self._fitting)
                with np.errstate(divide="ignore", invalid="ignore"):
                    square = change**2 / np.maximum(variance - taken, 0.0)
                yield np.where(np.isnan(square), 0.0, square)

    @property
    def _fitting(self) -> float:
        """What of the square of a total fitting it takes from the sum of squares."""
        shares = np.zeros(1) if self.shares is None else self.shares
        return float((self.weights * shares**2 / (1 - shares)).sum())

    def _sums(self, generator: np.random.Generator, size: int) -> tuple[Floats, Floats | None]:
        """Return [draw, score] what the units do together, each with a sign of its own, and the same weighed by their leverage."""
        leverage = None if self.shares is None else self.shares / (1 - self.shares)
        if len(self.weights) <= KINDS:
            heads = generator.binomial(self.weights, 0.5, size=(size, len(self.weights)))
            signs = 2.0 * heads - self.weights
            return signs @ self.moves, None if leverage is None else signs @ (self.moves * leverage[:, None])
        sums = np.asarray(generator.standard_normal((size, len(self._root))) @ self._root)
        # So many kinds have hardly any leverage each.
        return sums, None if leverage is None else sums * float(self.weights @ leverage / self.weights.sum())

    @cached_property
    def _root(self) -> Floats:
        """A matrix whose square is the covariance."""
        values, vectors = np.linalg.eigh(self._covariance)
        return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))).T)

    def _p(self, squares: Floats) -> Floats:
        """Return the p-value of a test whose statistic has such a square."""
        df = np.inf if self.shares is None else max(1 / float(self.weights @ self.shares**2) - 1, 1e-9)
        return student_p(np.sqrt(squares), np.ones(1), df, "two-sided")

    def adjust(self, p: Floats) -> Floats:
        """Return adjusted p-values, all held against the most extreme of all (single-step)."""
        hits = np.searchsorted(self.smallest, p * TIE, side="right")
        return self._between(p, (hits + 1) / (self.draws + 1), len(self.pairs))

    def _between(self, p: Floats, drawn: Floats, comparisons: Ints | int) -> Floats:
        return np.asarray(np.where(np.isnan(p), np.nan, np.clip(drawn, p, np.minimum(1.0, comparisons * p))))

    def level(self, alpha: float) -> float:
        """Return the p-value at or below which a single comparison is significant among all: adjusted it is at most alpha."""
        place = int(np.floor(alpha * (self.draws + 1) * (1 + 1e-12))) - 1
        drawn = float(np.nextafter(self.smallest[place] / TIE, 0.0)) if 0 <= place < self.draws else 0.0
        return min(alpha, max(drawn, alpha / len(self.pairs)))

    def step_down(self, p: Floats) -> Floats:
        """Return adjusted p-values, each held against those that are no more extreme (Romano and Wolf 2005)."""
        order = np.argsort(-np.where(np.isnan(p), 2.0, p), kind="stable")
        hits = np.zeros(len(p))
        for part in self._squares(order):
            # From the least extreme on: the most extreme so far is that of all which are no more extreme.
            so_far = self._p(np.maximum.accumulate(part, axis=1))
            hits += (so_far <= p[order] * TIE).sum(axis=0)
        adjusted = self._between(p[order], (hits + 1) / (self.draws + 1), np.arange(1, len(p) + 1))
        known = np.where(np.isnan(adjusted), 0.0, adjusted)[::-1]
        out = np.empty(len(p))
        out[order] = np.where(np.isnan(adjusted), np.nan, np.maximum.accumulate(known)[::-1])
        return out


def unit_moves(counts: Counts, metric: Metric) -> tuple[Floats, Ints, Floats] | None:
    """Return [unit, system] how far each unit moves each system's score, how often it occurs, and its share of the examples."""
    moves = row_moves(counts, metric)
    return None if moves is None else gathered(moves, counts)


def row_moves(counts: Counts, metric: Metric) -> Floats | None:
    """Return [row, system] how far an example of each row moves each system's score; None if nothing says so."""
    if "crossed" in counts or (metric.task == "ranking" and metric.name != "auc"):
        return None  # two crossed groups have no one unit that could be drawn
    columns = _area_moves(counts, metric) if metric.task == "ranking" else _total_moves(counts, metric.bind(counts))
    return np.stack(columns, axis=1)


def gathered(moves: Floats, counts: Counts) -> tuple[Floats, Ints, Floats]:
    """Return [unit, score] how far units move scores, of [row, score]; how often each occurs, and its share of the examples.

    Units are the rows of the counts, or whole groups; within strata only what differs from the stratum's mean counts.
    """
    weights, strata = counts.multiplicities, strata_of(counts)
    sizes = np.ones(len(counts)) if counts.weights is None else counts.weights
    shares = sizes / counts.n
    moves = moves.copy()
    if "group" in counts:
        groups = factorize(counts["group"])[1]
        summed = [np.bincount(groups, weights * column) for column in moves.T]
        moves, of_group = np.stack(summed, axis=1), np.zeros(int(groups.max()) + 1, np.int64)
        of_group[groups] = strata
        shares = np.bincount(groups, weights * sizes) / counts.n
        strata, weights = of_group, np.ones(len(moves), np.int64)
    for stratum in np.unique(strata):
        inside = strata == stratum
        even = np.ones(len(moves)) if counts.weights is None or "group" in counts else shares
        moves[inside] -= np.outer(even[inside], weights[inside] @ moves[inside] / (weights[inside] @ even[inside]))
    return moves, weights, np.minimum(shares, 1 - 1e-9)


def _total_moves(counts: Counts, bound: Bound) -> list[Floats]:
    """Return [row] of each system: the slope of its score times the row's statistics."""
    out = []
    for role in counts.systems:
        own = bound.rows(counts, role)
        slope = bound.formula.gradient(times(counts.multiplicities[None, :], own))
        out.append(times(slope, own.T)[0])
    return out


def _area_moves(counts: Counts, metric: Metric) -> list[Floats]:
    """Return [row] of each system: its placement among the other class, less the area, over the size of its own."""
    positive = np.asarray(counts["truth"] == Labels.of_truth(counts).find_positive(counts.positive, str(metric)))
    weights = counts.multiplicities.astype(np.float64)
    return [_placed(counts[role], positive, weights) for role in counts.systems]


def _placed(scores: Values, positive: Ints, weights: Floats) -> Floats:
    place = np.unique(scores.astype(np.float64), return_inverse=True)[1]
    placements = np.zeros(len(weights))
    for own, sign in ((positive, 1.0), (~positive, -1.0)):
        others = np.bincount(place, weights * ~own, place.max() + 1)
        below = (np.cumsum(others) - others / 2)[place] / max(others.sum(), 1.0)
        area = float(weights[own] @ below[own]) / max(weights[own].sum(), 1.0)
        placements[own] = sign * (below[own] - area) / max(weights[own].sum(), 1.0)
    return placements
