"""The swap law of many data sets at once: each exact where it has few points, else drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.metrics.matrices import below, chosen, distinct_units, first_signs, halves, places, turned
from referee.runtime.randomness import Streams
from referee.significance.distributions import half_at_least
from referee.significance.laws.signed_sums import halved
from referee.significance.rank_tally import AnyTally
from referee.significance.tally import CHUNK, Tally, studentize

Number = TypeVar("Number", float, Floats)
POINTS, ALONG = 300, 5000
"""Laws of at most so many points are summed whole; of one kind of units, which is a single line, so many."""
LINES, WIDTH = 250, 5.0
"""Larger ones of two kinds are summed along so many lines at most, within so many standard deviations: 1e-6 is left out."""


@dataclass(frozen=True, eq=False)
class Exchange:
    """The units of a tally and beside them their mirror images, so that an exchange is a weight like any other."""

    tally: Tally
    """The kinds that a swap leaves alone, then those that it moves, then the mirror images of these."""
    still: Ints
    """The units of the first."""
    kind: Ints
    """For each other unit: of which moving kind it is."""
    own: Mask
    """Whether it stands as its kind does; otherwise it is the mirror image."""
    moved: Ints

    @classmethod
    def of(cls, tally: Tally) -> Exchange:
        """Pair each unit with its mirror image."""
        left, right = halves(tally.both)
        sign = first_signs(left - right)
        still, moved = np.flatnonzero(sign == 0), np.flatnonzero(sign != 0)
        own = sign[moved] > 0
        oriented = chosen(own, tally.both[moved], turned(tally.both[moved]))
        order, starts = distinct_units(oriented, tally.strata[moved], tally.joint[moved])
        first = order[starts]
        kinds = below([tally.both[still], oriented[first], turned(oriented[first])])
        strata = np.concatenate([tally.strata[still], *[tally.strata[moved][first]] * 2])
        joint = np.concatenate([tally.joint[still], *[tally.joint[moved][first]] * 2])
        doubled = replace(
            tally,
            both=kinds,
            multiplicities=np.zeros(len(strata), np.int64),
            strata=strata,
            joint=joint,
            memory={},
        )
        return cls(doubled, still, places(order, starts), own, moved)

    @property
    def kinds(self) -> int:
        """How many kinds of units a swap moves."""
        return (len(self.tally.multiplicities) - len(self.still)) // 2

    def sizes(self, batch: Ints) -> Ints:
        """Return [row, kind]: how many units of each moving kind there are."""
        return self._summed(batch, np.ones(len(self.moved), dtype=np.bool_))

    def standing(self, batch: Ints) -> Ints:
        """Return [row, kind]: how many of them stand as their kind does."""
        return self._summed(batch, self.own)

    def _summed(self, batch: Ints, which: Mask) -> Ints:
        out = np.zeros((len(batch), self.kinds), dtype=np.int64)
        np.add.at(out.T, self.kind[which], batch[:, self.moved[which]].T)
        return out

    def weights(self, alone: Ints, kept: Floats | Ints, sizes: Ints) -> Floats:
        """Return the weights [..., kind] where `kept` of each moving kind stand as their kind does."""
        shape = np.broadcast_shapes(alone.shape[:-1], kept.shape[:-1])
        parts = [np.broadcast_to(part, (*shape, part.shape[-1])) for part in (alone, kept, sizes - kept)]
        return np.concatenate(parts, axis=-1).astype(np.float64)

    def statistic(self, weights: Floats | Ints, studentized: bool) -> tuple[Floats, Floats]:
        """Return the difference under these weights, or difference / standard error, and within what it ties."""
        if not studentized:
            return self.tally.differences_and_ties(weights)
        scores, error = self.tally.scores_and_errors(weights)
        return studentize(scores[..., 1] - scores[..., 0], self.tally.tolerance(scores), error)

    def observed(self, batch: Ints, studentized: bool) -> tuple[Floats, Floats]:
        """Return the statistic of each row, and within what it ties."""
        return self.statistic(self.weights(batch[:, self.still], self.standing(batch), self.sizes(batch)), studentized)

    def exact(self, batch: Ints, studentized: bool, alternative: str, value: Floats, tie: Floats) -> Floats:
        """Return the exact p-value of a value of each row whose law has few points or few lines, else NaN."""
        sizes, out = self.sizes(batch), np.full(len(batch), np.nan)
        # By logarithms: many kinds have more points than a float can count.
        points = np.log1p(sizes).sum(axis=1)
        few = points <= np.log(ALONG if self.kinds == 1 else POINTS) + 1e-9
        rows = np.flatnonzero(few)
        # Rows are taken together until their points fill the memory that is allowed.
        width = len(self.tally.multiplicities)
        bins = np.cumsum(np.exp(points[rows])).astype(np.int64) * width * 4 // CHUNK
        for part in np.split(rows, np.flatnonzero(np.diff(bins)) + 1) if len(rows) else []:
            out[part] = self._summed_up(batch[part], sizes[part], value[part], tie[part], studentized, alternative)
        rest = np.flatnonzero(~few)
        if self.kinds == 2 and len(rest):
            out[rest] = self._along_edges(batch[rest], sizes[rest], value[rest], tie[rest], studentized, alternative)
        return out

    def _along_edges(
        self, batch: Ints, sizes: Ints, value: Floats, tie: Floats, studentized: bool, alternative: str
    ) -> Floats:
        """Return the p-value of rows with two moving kinds, by finding along each line where the value is reached.

        NaN where the statistic is seen not to rise or fall along a line, or where there would be too many lines.
        """
        out = np.full(len(batch), np.nan)
        narrow = np.argmin(sizes, axis=1)
        spans = np.ceil(WIDTH * np.sqrt(np.take_along_axis(sizes, narrow[:, None], 1)[:, 0])).astype(np.int64) + 1
        for place in (0, 1):
            rows = np.flatnonzero((narrow == place) & (spans <= LINES))
            for part in np.array_split(rows, max(1, len(rows) * LINES * len(self.tally.multiplicities) // CHUNK)):
                if len(part):
                    aim = toward(value[part], alternative) - tie[part]
                    lines = Lines(self, batch[part], sizes[part], place, aim, studentized)
                    found = lines.upper()
                    out[part] = np.minimum(1.0, 2 * found) if alternative == "two-sided" else found
        # At no difference every exchange is as extreme.
        return np.where((np.abs(value) <= tie) & (alternative == "two-sided"), 1.0, out)

    def _summed_up(
        self, batch: Ints, sizes: Ints, value: Floats, tie: Floats, studentized: bool, alternative: str
    ) -> Floats:
        row, kept = _points(sizes)
        drawn, own = self.statistic(self.weights(batch[row][:, self.still], kept, sizes[row]), studentized)
        probability = np.exp(_log_half(kept, sizes[row]).sum(axis=1))
        hit = reached(drawn, value[row], np.maximum(tie[row], own), alternative)
        total = np.bincount(row, probability * hit, len(batch))
        return np.asarray(np.minimum(total, 1.0))

    def draws(self, row: Ints, streams: Streams) -> Swapping:
        """Return the exchanges of one row."""
        return Swapping(row[self.still], self.sizes(row[None, :])[0], streams.at(0))


class Lines:
    """The grid of two moving kinds, line by line: of the fewer kind each value is a line, along it the other varies."""

    def __init__(
        self, law: Exchange, batch: Ints, sizes: Ints, place: int, threshold: Floats, studentized: bool
    ) -> None:
        self.law, self.batch, self.place, self.studentized = law, batch, place, studentized
        self.few, self.many = sizes[:, place], sizes[:, 1 - place]
        reach = np.ceil(WIDTH * np.sqrt(self.few) / 2).astype(np.int64)
        low, high = np.maximum(0, self.few // 2 - reach), np.minimum(self.few, (self.few + 1) // 2 + reach)
        count = high - low + 1
        self.row = np.repeat(np.arange(len(batch)), count)
        self.line = low[self.row] + np.arange(len(self.row)) - np.repeat(np.cumsum(count) - count, count)
        self.threshold = threshold[self.row]

    def reached(self, lines: Ints, at: Ints) -> Mask:
        """Say whether the threshold is reached on these lines at these places."""
        return np.asarray(self.values(self.row[lines], self.line[lines], at) >= self.threshold[lines])

    def values(self, rows: Ints, line: Ints, at: Ints) -> Floats:
        """Return the statistic of these rows on these lines at these places."""
        kept = np.empty((len(rows), 2), dtype=np.int64)
        kept[:, self.place], kept[:, 1 - self.place] = line, at
        sizes = np.empty_like(kept)
        sizes[:, self.place], sizes[:, 1 - self.place] = self.few[rows], self.many[rows]
        weights = self.law.weights(self.batch[rows][:, self.law.still], kept, sizes)
        return self.law.statistic(weights, self.studentized)[0]

    def upper(self) -> Floats:
        """Return P(statistic >= threshold) of each row; NaN where it is not monotone along the lines."""
        every, most = np.arange(len(self.row)), self.many[self.row]
        rising = self._rising()[self.row]
        # Along a rising line the places from the edge on reach it, along a falling one those before it.
        fails, holds = np.full(len(every), -1), most + 1
        while (open_ := np.flatnonzero(holds - fails > 1)).size:
            middle = (fails[open_] + holds[open_]) // 2
            there = self.reached(open_, np.where(rising[open_], middle, most[open_] - middle))
            holds[open_[there]], fails[open_[~there]] = middle[there], middle[~there]
        odd = self._odd(every, rising, holds)
        # P(K >= edge) of one Binomial(many, 1/2), whichever end it is counted from.
        beyond = half_at_least(holds, most)
        chance = np.exp(_log_half(self.line[:, None], self.few[self.row][:, None])[:, 0])
        total = np.bincount(self.row, chance * beyond, len(self.batch))
        return np.where(np.bincount(self.row[odd], minlength=len(self.batch)) > 0, np.nan, total)

    def _rising(self) -> Mask:
        """Say for each row whether the statistic rises along its middle line."""
        rows = np.arange(len(self.batch))
        ends = [self.values(rows, self.few // 2, at) for at in (self.many, np.zeros_like(self.many))]
        return np.asarray(ends[0] >= ends[1])

    def _odd(self, every: Ints, rising: Mask, holds: Ints) -> Ints:
        """Return the lines on which some place off the edge contradicts it."""
        most, odd = self.many[self.row], np.zeros(len(every), dtype=np.bool_)
        spread = WIDTH * np.sqrt(most) / 2
        for step in (-0.7, 0.0, 0.7):
            at = np.clip(np.rint(most / 2 + step * spread).astype(np.int64), 0, most)
            there = self.reached(every, np.where(rising, at, most - at))
            odd |= there != (at >= holds)
        return np.flatnonzero(odd)


class Swapping:
    """The random exchanges of one row, taken a few at a time: weights of what stays alone, then kept ones, then exchanged ones."""

    def __init__(self, alone: Ints, sizes: Ints, generator: np.random.Generator) -> None:
        self.alone, self.sizes, self.generator = alone, sizes, generator

    def take(self, count: int) -> Ints:
        """Return the weights of the next exchanges."""
        kept = halved(self.generator, self.sizes, count)
        return np.concatenate([np.broadcast_to(self.alone, (count, len(self.alone))), kept, self.sizes - kept], axis=1)


def exchanged(tally: AnyTally, weights: Ints) -> Floats:
    """Return the difference b - a under the weights of exchanges in which every unit can move: those kept, then those exchanged."""
    half = weights.shape[-1] // 2
    return tally.differences(weights[..., :half], weights[..., half:])


def toward(value: Number, alternative: str) -> Number:
    """Return how far a value on a symmetric law lies toward an alternative, each of which then is an upper tail."""
    return abs(value) if alternative == "two-sided" else value if alternative == "greater" else -value


def reached(drawn: Floats, value: Floats | float, tie: Floats | float, alternative: str) -> Mask:
    """Say which draws are at least as extreme as the value."""
    if alternative == "two-sided":
        return np.abs(drawn) >= np.abs(value) - tie
    return drawn >= value - tie if alternative == "greater" else drawn <= value + tie


def _points(sizes: Ints) -> tuple[Ints, Ints]:
    """Return every point of every row's grid: the row, and [point, kind] counts."""
    number = np.prod(sizes + 1, axis=1)
    row = np.repeat(np.arange(len(sizes)), number)
    rest = np.arange(len(row)) - np.repeat(np.cumsum(number) - number, number)
    kept = np.empty((len(row), sizes.shape[1]), dtype=np.int64)
    for kind in range(sizes.shape[1]):
        rest, kept[:, kind] = np.divmod(rest, sizes[row, kind] + 1)
    return row, kept


def _log_half(kept: Ints, sizes: Ints) -> Floats:
    """Return log P(K = kept) for K ~ Binomial(size, 1/2)."""
    from scipy.special import gammaln

    result: Floats = gammaln(sizes + 1) - gammaln(kept + 1) - gammaln(sizes - kept + 1) - sizes * np.log(2.0)
    return result
