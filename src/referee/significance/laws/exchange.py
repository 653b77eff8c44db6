"""The swap law of many data sets at once: exact if it has few points, otherwise drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from referee.data.columns import Floats, Ints, Mask, Values
from referee.metrics.matrices import below, chosen, distinct_units, first_signs, halves, places, turned
from referee.runtime.randomness import Streams
from referee.significance.distributions import half_at_least, log_choose, toward
from referee.significance.laws.resample import SWAP, Take, allowed_hits, settle_draws
from referee.significance.laws.signed_sums import halved
from referee.significance.rank_tally import AnyTally, differing
from referee.significance.tally import Tally, chunks, studentize

POINTS, ALONG = 300, 5000
"""Laws of at most so many points are summed whole; of one kind of units, which is a single line, so many."""
LINES, WIDTH = 250, 5.0
"""Larger ones of two kinds are summed along so many lines at most, within so many standard deviations: 1e-6 is left out."""


@dataclass(frozen=True, eq=False)
class Exchange:
    """The units of a tally and beside them their mirror images, so that an exchange is a weight like any other."""

    tally: Tally
    """The kinds that a swap leaves alone, then those that it moves, then the mirror images of these."""
    studentized: bool
    """Whether each difference is divided by its own standard error."""
    still: Ints
    """The units of the first."""
    kind: Ints
    """For each other unit: of which moving kind it is."""
    own: Mask
    """Whether it stands as its kind does; otherwise it is the mirror image."""
    moved: Ints

    @classmethod
    def of(cls, tally: Tally, studentized: bool) -> Exchange:
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
        none = np.zeros(len(strata), np.int64)
        doubled = replace(tally, both=kinds, multiplicities=none, strata=strata, joint=joint, memory={})
        return cls(doubled, studentized, still, places(order, starts), own, moved)

    @property
    def kinds(self) -> int:
        """How many kinds of units a swap moves."""
        return (len(self.tally.multiplicities) - len(self.still)) // 2

    def sizes(self, batch: Ints, *, standing: bool = False) -> Ints:
        """Return [row, kind]: how many units of each moving kind there are, or how many of them stand as their kind does."""
        which = self.own if standing else slice(None)
        out = np.zeros((len(batch), self.kinds), dtype=np.int64)
        np.add.at(out.T, self.kind[which], batch[:, self.moved[which]].T)
        return out

    def weights(self, alone: Ints, kept: Floats | Ints, sizes: Ints) -> Floats:
        """Return the weights [..., kind] where `kept` of each moving kind stand as their kind does."""
        shape = np.broadcast_shapes(alone.shape[:-1], kept.shape[:-1])
        parts = [np.broadcast_to(part, (*shape, part.shape[-1])) for part in (alone, kept, sizes - kept)]
        return np.concatenate(parts, axis=-1).astype(np.float64)

    def statistic(self, weights: Floats | Ints) -> tuple[Floats, Floats]:
        """Return the difference under these weights, or difference / standard error, and within what it ties."""
        if not self.studentized:
            return self.tally.differences_and_ties(weights)
        scores, error = self.tally.scores_and_errors(weights)
        return studentize(scores[..., 1] - scores[..., 0], self.tally.tolerance(scores), error)

    def observed(self, batch: Ints) -> tuple[Floats, Floats]:
        """Return the statistic of each row, and within what it ties."""
        return self.statistic(self.weights(batch[:, self.still], self.sizes(batch, standing=True), self.sizes(batch)))

    def exact(self, batch: Ints, alternative: str, value: Floats, tie: Floats) -> Floats:
        """Return the exact p-value of a value of each row whose law has few points or few lines, otherwise NaN."""
        sizes, out = self.sizes(batch), np.full(len(batch), np.nan)
        # By logarithms: many kinds have more points than a float can count.
        most, width = ALONG if self.kinds == 1 else POINTS, len(self.tally.multiplicities)
        few = np.log1p(sizes).sum(axis=1) <= np.log(most) + 1e-9
        rows, rest = np.flatnonzero(few), np.flatnonzero(~few)
        for part in chunks(len(rows), 4 * most * width):
            own = rows[part]
            out[own] = self._summed_up(batch[own], sizes[own], value[own], tie[own], alternative)
        if self.kinds == 2 and len(rest):
            out[rest] = self._along_edges(batch[rest], sizes[rest], value[rest], tie[rest], alternative)
        return out

    def _along_edges(self, batch: Ints, sizes: Ints, value: Floats, tie: Floats, alternative: str) -> Floats:
        """Return the p-value of rows with two moving kinds, by finding along each line where the value is reached.

        NaN if the statistic is seen not to rise or fall along a line, or if there would be too many lines.
        """
        out = np.full(len(batch), np.nan)
        narrow = np.argmin(sizes, axis=1)
        spans = np.ceil(WIDTH * np.sqrt(sizes.min(axis=1))).astype(np.int64) + 1
        for place in (0, 1):
            rows = np.flatnonzero((narrow == place) & (spans <= LINES))
            for part in chunks(len(rows), LINES * len(self.tally.multiplicities)):
                own = rows[part]
                aim = toward(value[own], alternative) - tie[own]
                beyond = _upper_by_lines(self, batch[own], sizes[own], place, aim)
                out[own] = np.minimum(1.0, 2 * beyond) if alternative == "two-sided" else beyond
        # At no difference every exchange is as extreme.
        return np.where((np.abs(value) <= tie) & (alternative == "two-sided"), 1.0, out)

    def _summed_up(self, batch: Ints, sizes: Ints, value: Floats, tie: Floats, alternative: str) -> Floats:
        row, kept = _points(sizes)
        drawn, own = self.statistic(self.weights(batch[row][:, self.still], kept, sizes[row]))
        probability = np.exp((log_choose(sizes[row], kept) - sizes[row] * np.log(2.0)).sum(axis=1))
        hit = reached(drawn, value[row], np.maximum(tie[row], own), alternative)
        return np.asarray(np.minimum(np.bincount(row, probability * hit, len(batch)), 1.0))


def _upper_by_lines(law: Exchange, batch: Ints, sizes: Ints, place: int, threshold: Floats) -> Floats:
    """Return P(statistic >= threshold) of each row with two moving kinds; NaN if it is not monotone along the lines.

    Of the fewer kind, that at `place`, each value is a line; along it the other varies.
    """
    few, many = sizes[:, place], sizes[:, 1 - place]
    reach = np.ceil(WIDTH * np.sqrt(few) / 2).astype(np.int64)
    low, high = np.maximum(0, few // 2 - reach), np.minimum(few, (few + 1) // 2 + reach)
    row, step = numbered(high - low + 1)
    line, most = low[row] + step, many[row]

    def values(rows: Ints, lines: Ints, at: Ints) -> Floats:
        kept = np.stack([at, lines] if place else [lines, at], axis=1)
        return law.statistic(law.weights(batch[rows][:, law.still], kept, sizes[rows]))[0]

    middle = np.arange(len(batch)), few // 2
    rising = (values(*middle, many) >= values(*middle, np.zeros_like(many)))[row]

    def reached_at(lines: Ints, at: Ints) -> Mask:
        own = np.where(rising[lines], at, most[lines] - at)
        return np.asarray(values(row[lines], line[lines], own) >= threshold[row[lines]])

    # Along a rising line the places from the edge on reach it, along a falling one those before it.
    every, fails, holds = np.arange(len(row)), np.full(len(row), -1), most + 1
    while (open_ := np.flatnonzero(holds - fails > 1)).size:
        half = (fails[open_] + holds[open_]) // 2
        there = reached_at(open_, half)
        holds[open_[there]], fails[open_[~there]] = half[there], half[~there]
    # Lines on which some place off the edge contradicts it
    odd = np.zeros(len(row), dtype=np.bool_)
    for off in (-0.7, 0.0, 0.7):
        at = np.clip(np.rint(most / 2 + off * (WIDTH * np.sqrt(most) / 2)).astype(np.int64), 0, most)
        odd |= reached_at(every, at) != (at >= holds)
    # P(K >= edge) of one Binomial(many, 1/2), whichever end it is counted from.
    chance = np.exp(log_choose(few[row], line) - few[row] * np.log(2.0)) * half_at_least(holds, most)
    total = np.bincount(row, chance, len(batch))
    return np.where(np.bincount(row[odd], minlength=len(batch)) > 0, np.nan, total)


def numbered(counts: Ints) -> tuple[Ints, Ints]:
    """Return of each of so many entries of each row: the row, and its number within the row.

    >>> [part.tolist() for part in numbered(np.array([2, 1]))]
    [[0, 0, 1], [0, 1, 0]]
    """
    row = np.repeat(np.arange(len(counts)), counts)
    return row, np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)


def exchanged(alone: Ints, sizes: Ints, generator: np.random.Generator, count: int) -> Ints:
    """Draw exchanges of one row: weights of what stays alone, then of those kept, then of those exchanged."""
    kept = halved(generator, sizes, count)
    return np.concatenate([np.broadcast_to(alone, (count, len(alone))), kept, sizes - kept], axis=1)


def reached(drawn: Floats, value: Floats | float, tie: Floats | float, alternative: str) -> Mask:
    """Say which draws are at least as extreme as the value."""
    if alternative == "two-sided":
        return np.abs(drawn) >= np.abs(value) - tie
    return drawn >= value - tie if alternative == "greater" else drawn <= value + tie


def _points(sizes: Ints) -> tuple[Ints, Ints]:
    """Return every point of every row's grid: the row, and [point, kind] counts."""
    row, rest = numbered(np.prod(sizes + 1, axis=1))
    kept = np.empty((len(row), sizes.shape[1]), dtype=np.int64)
    for kind in range(sizes.shape[1]):
        rest, kept[:, kind] = np.divmod(rest, sizes[row, kind] + 1)
    return row, kept


class Exchanges:
    """The laws of the rows of a batch, and where each lies on its own."""

    def __init__(self, tally: AnyTally, batch: Ints, studentized: bool) -> None:
        self.tally, self.batch = tally, batch
        self.law = Exchange.of(tally, studentized) if isinstance(tally, Tally) else None
        self.value, self.tie = self.law.observed(batch) if self.law else tally.differences_and_ties(batch)
        self.still: Mask = (batch @ differing(tally).astype(np.int64)) == 0

    def exact(self, rows: Ints, value: Floats, alternative: str) -> Floats:
        """Return the exact p-value of a value of each of some rows, NaN if that is not quick."""
        assert self.law is not None
        return self.law.exact(self.batch[rows], alternative, value, self.tie[rows])

    def settled(self, rows: Ints, value: Floats, alphas: Sequence[float], trials: int, streams: list[Streams]) -> Mask:
        """Say for each of some rows and each alpha whether the two-sided p of a value, by draws, is at most alpha."""
        law, batch, tie = self.law, self.batch[rows], self.tie[rows]

        def hits(places: Ints, weights: Values) -> Mask:
            drawn = law.statistic(weights)[0] if law else self.tally.differences(*np.split(weights, 2, axis=-1))
            return reached(drawn, value[places][:, None], tie[places][:, None], "two-sided")[..., None]

        def draws(place: int) -> Take:
            own = np.zeros(0, np.int64), batch[place]
            if law is not None:
                own = batch[place][law.still], law.sizes(batch[place : place + 1])[0]
            return partial(exchanged, *own, streams[place].child(SWAP).at(0))

        width = 2 * batch.shape[1] if law is None else len(law.tally.multiplicities)
        allowed = [allowed_hits(alpha, trials, 1) for alpha in alphas]
        return settle_draws(draws, hits, len(batch), width, 1, trials, allowed)[:, 0]


DUST = 1e-13
"""What is left of squares by rounding alone, relative to them."""


@dataclass(frozen=True, eq=False)
class Shift:
    """Where a difference δ lies on the law of exchanges, for each row of a batch: at u·size/√(r + 2cu + su²), u = d − δ.

    Three laws have this form, and at δ = 0 each is the exchange test itself:

    - *Means.* Take δ off each unit's difference, as much as the unit weighs, and exchange what is left. Its exchanges spread by
      √Σ(x − δw)², where those of the data spread by √Σx²; the shape of the law is taken to be that of the data. Of units that
      weigh the same this is the interval of the studentized exchange: for a mean both order the exchanges alike.
    - *Studentized.* t of d − δ, with the standard error of the data: r = se².
    - *Any other metric.* d − δ itself: the law of no difference is taken for that of d − δ.
    """

    difference: Floats
    size: Floats
    spread: tuple[Floats, Floats, Floats]
    """r, c and s"""

    @classmethod
    def of(cls, tally: AnyTally, batch: Ints, studentized: bool) -> Shift:
        """Return the shift of each row of a batch."""
        difference = tally.differences(batch)
        one, none = np.ones(len(batch)), np.zeros(len(batch))
        if isinstance(tally, Tally) and studentized:
            return cls(difference, one, (tally.standard_errors(batch) ** 2, none, none))
        means = tally.means() if isinstance(tally, Tally) else None
        if means is None:
            return cls(difference, one, (one, none, none))
        apart, weight = means[1] - means[0], means[2]
        squares = batch @ apart**2
        crossed, weights = batch @ (apart * weight), batch @ weight**2
        left = squares - 2 * difference * crossed + difference**2 * weights
        left = np.where(left > DUST * squares, left, 0.0)
        turn = np.where(left > 0, crossed - difference * weights, 0.0)
        return cls(difference, np.sqrt(squares), (left, turn, weights))

    def at(self, null: float) -> Floats:
        """Return where on the law each row lies, seen from a difference; 0/0 is 0, x/0 infinite.

        Far off it may turn back, where one group has most of the weight; it stays at its farthest then.
        """
        r, c, s = self.spread
        u = self.difference - null
        with np.errstate(divide="ignore", invalid="ignore"):
            u = np.where((c * u < 0) & (np.abs(c * u) > r), -r / c, u)
            value = u * self.size / np.sqrt(r + 2 * c * u + s * u**2)
        return np.where(u == 0, 0.0, value)

    def flat(self, tolerance: Floats) -> Mask:
        """Say of which rows all units show one and the same difference, which tells nothing of how far it is off."""
        return np.asarray((self.spread[0] == 0) & (np.abs(self.difference) > tolerance))

    def ends(self, reach: float) -> tuple[float, float]:
        """Return the least and the greatest difference from which the first row lies no farther than `reach` on the law."""
        difference, size = float(self.difference[0]), float(self.size[0])
        if not np.isfinite(reach):
            return -np.inf, np.inf
        r, c, s = (reach**2 * float(part[0]) for part in self.spread)
        # (size² − s)u² − 2cu − r ≤ 0, the part about u = 0.
        lead = size**2 - s
        inside = c**2 + lead * r
        if inside < 0 or (lead <= 0 and r == 0):
            return -np.inf, np.inf
        root = float(np.sqrt(inside))
        if lead > 0:
            return difference - (c + root) / lead, difference - (c - root) / lead
        up, down = root - c, root + c
        return difference - (r / up if up > 0 else np.inf), difference + (r / down if down > 0 else np.inf)
