"""The Dirichlet posterior of the shares of what can happen to an example, and the Bayesian bootstrap: random weights, drawn.

If all joint outcomes are known, their shares have a Dirichlet prior, and so a Dirichlet posterior, of which one draw is one
gamma variate for each outcome: it costs the same whatever the number of examples. Where they are not, units have the weights
that the Bayesian bootstrap gives them (Rubin 1981): the posterior if nothing can happen but what was seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.metrics.matrices import Matrix, below, beside, distinct_units, places
from referee.metrics.possible_answers import MOST, Possible
from referee.results.posterior import Kind
from referee.runtime.randomness import Streams, blocks
from referee.significance.laws.resample import Resamples, Take, members, settle_draws, tail_hits
from referee.significance.laws.worlds import has_space, space_of
from referee.significance.rank_tally import AnyTally, first_side
from referee.significance.tally import AT_ONCE, CHUNK, Tally, chunks

POSTERIOR = 11
"""The child of a result's streams that a posterior is drawn from."""
CROWDED, LAST_DIGIT = 100, 40.0
"""From so many outcomes of one small share on they are drawn together, up to what is e to the minus so much of the whole."""
FEW_DRAWS, ROUNDED = 8, 1e-12
"""So many draws that differ by no more than this are all alike."""


@dataclass(frozen=True, eq=False)
class Support:
    """What can have a share: the units of a tally, and where they are known the outcomes that it might have had besides."""

    tally: AnyTally
    prior: Floats
    """[unit]: how many examples the prior is worth in each outcome; 0 in the Bayesian bootstrap"""
    kind: Kind

    @classmethod
    def of(cls, tally: AnyTally, prior: float) -> Support:
        """Return the support of a tally; the prior is worth so many examples in all."""
        key = ("support", prior)
        if key not in tally.memory:
            tally.memory[key] = _outcomes(tally, prior) if is_known(tally) else _seen(tally)
        return cast("Support", tally.memory[key])

    def counts(self, batch: Ints) -> Ints:
        """Return [row, outcome] of a batch of the tally's own units, which come first."""
        return np.pad(batch, ((0, 0), (0, len(self.prior) - batch.shape[1])))


def is_known(tally: AnyTally) -> bool:
    """Say whether it is known what can happen to an example, and few enough outcomes to give each a share."""
    if not isinstance(tally, Tally) or not has_space(tally) or tally.bound.possible is None:
        return False
    answers = tally.bound.possible()
    strata = np.unique(tally.strata)
    in_all = len(answers.truth) if tally.unpaired or answers.mirrored else int((np.bincount(answers.truth) ** 2).sum())
    return in_all <= MOST and len(strata) <= (2 if tally.unpaired else 1)


def _seen(tally: AnyTally) -> Support:
    return Support(tally, np.zeros(len(tally.multiplicities)), "groups" if tally.grouped else "examples")


def _outcomes(tally: AnyTally, prior: float) -> Support:
    assert isinstance(tally, Tally)
    assert tally.bound.possible is not None
    space, answers = space_of(tally), tally.bound.possible()
    strata = np.unique(tally.strata)[space.strata]
    possible, inside, shares = _shared(answers, tally)
    # Outcomes that a metric cannot tell apart are one row of the space, which has the shares of all of them.
    rows = below([space.both, possible])
    order, starts = distinct_units(rows, np.concatenate([strata, inside]))
    place, own = places(order, starts), len(strata)
    gathered = np.bincount(place[own:], shares, int(place.max()) + 1)
    counts = np.pad(tally.multiplicities, (0, own - len(tally.multiplicities)))
    wide = {"both": space.both, "multiplicities": counts, "strata": strata, "joint": np.zeros(own)}
    whole = replace(tally, **wide, place=np.arange(own), memory={})
    # Shares of thirds sum to what only rounding tells from a quarter; the prior is the same whatever the metric.
    return Support(whole, prior * np.asarray(gathered[place[:own]].round(12), dtype=np.float64), "outcomes")


def _shared(answers: Possible, tally: Tally) -> tuple[Matrix, Ints, Floats]:
    """Return the rows of all joint outcomes, the stratum of each, and its share of the prior."""
    if not tally.unpaired:
        first, second = answers.joint()
        both = beside([answers.statistics[first], answers.statistics[second]])
        return both, np.full(len(first), tally.strata.min()), shares_of(answers, [first, second])
    # Each system has a sample of its own, with half of the prior.
    own = np.arange(len(answers.truth) - answers.open)
    rows, parts = answers.statistics[own], []
    for stratum in np.unique(tally.strata).tolist():
        none = rows * 0.0
        parts.append(beside([none, rows] if stratum % 2 else [rows, none]))
    inside = np.repeat(np.unique(tally.strata), len(own))
    return below(parts), inside, np.tile(shares_of(answers, [own]) / len(parts), len(parts))


def shares_of(answers: Possible, given: Sequence[Ints]) -> Floats:
    """Return the share of the prior that each joint outcome has: the same whatever the metric and however many classes.

    Classes of the truth are equal; inside of each so is who is right (both, only A, only B, neither), and so are the ways of
    being wrong. Where answers are no more than values, all outcomes are equal.

    Args:
        answers: the answers that a system can give.
        given: of each system, the answer in each joint outcome.
    """
    truth = answers.truth[given[0]]
    labels = not answers.mirrored and bool((np.bincount(answers.truth, answers.right) == 1).all())
    if not labels:
        return np.full(len(truth), 1 / len(truth))
    right = sum(answers.right[answer].astype(np.int64) << place for place, answer in enumerate(given))
    cells, cell, ways = np.unique(truth * 4 + right, return_inverse=True, return_counts=True)
    classes, of_class, inside = np.unique(cells // 4, return_inverse=True, return_counts=True)
    each: Floats = 1 / (len(classes) * inside[of_class] * ways)
    return each[cell]


@dataclass(eq=False)
class Crowd:
    """Many unseen outcomes with one small share of the prior each, whose gamma variates are drawn together.

    Their sum is a gamma variate, broken like a stick: each piece goes to one of them at random (Sethuraman 1994). As hardly any of
    them gets more than next to nothing, some dozen pieces do what took a slow variate for each; what is left beyond
    the last digit goes to the last piece.
    """

    places: Ints
    shape: float
    streams: Streams

    def __post_init__(self) -> None:
        """Know how many pieces leave nothing."""
        self.total = self.shape * len(self.places)
        self.pieces = int(np.ceil(LAST_DIGIT / np.log1p(1 / self.total)))
        self.sources: tuple[np.random.Generator, ...] = ()

    @classmethod
    def among(cls, shapes: Floats, streams: Streams) -> list[Crowd]:
        """Return the crowds that are worth it."""
        found, sizes = np.unique(shapes[(shapes > 0) & (shapes < 1)], return_counts=True)
        crowds = [
            cls(np.flatnonzero(shapes == shape), shape, streams.child(place))
            for place, (shape, size) in enumerate(zip(found.tolist(), sizes.tolist(), strict=True))
            if size >= CROWDED
        ]
        return [crowd for crowd in crowds if 2 * crowd.pieces < len(crowd.places)]

    def take(self, block: int, used: int, count: int) -> Floats:
        """Return the next draws of a block: [draw, outcome]; a source for each kind of numbers, however few are taken at a time."""
        if used == 0:
            self.sources = tuple(self.streams.child(kind).at(block) for kind in range(3))
        sums, breaks, owners = self.sources
        left = breaks.random((count, self.pieces)) ** (1 / self.total)
        left[:, -1] = 0.0
        before = np.cumprod(left, axis=1)
        pieces = -np.diff(before, axis=1, prepend=1.0) * sums.standard_gamma(self.total, (count, 1))
        size = len(self.places)
        owner = (owners.random((count, self.pieces)) * size).astype(np.int64) + size * np.arange(count)[:, None]
        drawn = np.bincount(owner.ravel(), pieces.ravel(), count * size).reshape(count, size)
        return np.asarray(drawn, dtype=np.float64)


class Weights:
    """The posterior weights of one data set, taken a few at a time: one after the other they are those of `posterior`.

    They sum to the number of units in each stratum, as counts do.
    """

    def __init__(self, counts: Ints, prior: Floats, strata: list[Ints], streams: Streams) -> None:
        self.streams, self.taken = streams, 0
        self.shapes = counts + prior
        self.crowds = Crowd.among(self.shapes, streams)
        alone = self.shapes > 0
        for crowd in self.crowds:
            alone[crowd.places] = False
        self.there = np.flatnonzero(alone)
        # All of the units at once are a view; a list of them would be copied.
        parts: list[Ints | slice] = [*strata] if len(strata) > 1 else [slice(None)]
        self.strata = [(inside, float(counts[inside].sum())) for inside in parts]
        # How many draws share a stream: it depends on the data alone, so nothing else changes the numbers.
        self.size = int(np.clip(CHUNK // len(counts), 1, 4096))
        self.generator: np.random.Generator

    def take(self, count: int) -> Floats:
        """Return the next draws: [draw, unit]."""
        out = np.zeros((count, len(self.shapes)))
        shapes, filled = self.shapes[self.there], 0
        alike = bool((shapes == 1).all())
        while filled < count:
            block, used = divmod(self.taken, self.size)
            if used == 0:
                self.generator = self.streams.at(block)
            part = min(count - filled, self.size - used)
            many = (part, len(shapes))
            drawn = self.generator.standard_exponential(many) if alike else self.generator.standard_gamma(shapes, many)
            out[filled : filled + part, self.there] = drawn
            for crowd in self.crowds:
                out[filled : filled + part, crowd.places] = crowd.take(block, used, part)
            filled, self.taken = filled + part, self.taken + part
        for inside, size in self.strata:
            total = out[:, inside].sum(axis=1, keepdims=True)
            out[:, inside] *= size / np.where(total > 0, total, 1.0)
        return out


def varies(tally: AnyTally, batch: Ints) -> Mask:
    """Say for which rows the Bayesian bootstrap has any spread: where all units show the same difference, all draws are alike."""
    several = np.asarray(batch.sum(axis=1) > 1)
    if isinstance(tally, Tally):
        # An unknown error, as where a score is 0/0, says nothing of the spread.
        return np.asarray(several & (tally.standard_errors(batch) != 0))
    spreads = np.zeros(len(batch))
    for place in np.flatnonzero(several):
        members_ = members(tally.strata)
        drawn = Weights(batch[place], np.zeros(batch.shape[1]), members_, Streams.of(0)).take(FEW_DRAWS)
        spreads[place] = np.ptp(tally.differences(drawn))
    return np.asarray(spreads > ROUNDED)


def posterior(tally: AnyTally, prior: float, draws: int, streams: Streams) -> Resamples:
    """Draw both scores from the posterior; parts of one answer that ask for the same draws share them."""
    key = ("posterior", prior, draws, streams.key)
    if key in tally.memory:
        return cast("Resamples", tally.memory[key])
    support = Support.of(tally, prior)
    whole, counts = support.tally, support.counts(tally.multiplicities[None, :])[0]
    drawing, parts, undefined = Weights(counts, support.prior, members(whole.strata), streams), [], 0
    for _, count in blocks(draws, drawing.size, "drawing from the posterior"):
        for part in chunks(count, len(counts), AT_ONCE):
            scores, vague = whole.assess(drawing.take(part.stop - part.start))
            parts.append(scores)
            undefined += int(vague.sum())
    made = tally.memory[key] = Resamples(np.concatenate(evened(tally, parts)), None, undefined / draws)
    return made


def evened(tally: AnyTally, parts: list[Floats]) -> list[Floats]:
    """Return draws of both scores, and the same exchanged if the data are their own mirror image: luck must not favour a side."""
    scores = tally.scores(tally.multiplicities)
    alike = scores[0] == scores[1] and first_side(tally, tally.mirror()) == 0
    return [*parts, *(part[:, ::-1] for part in parts)] if alike else parts


def settle_posterior(
    tally: AnyTally, batch: Ints, prior: float, value: float, total: int, allowed: Sequence[int], own: Sequence[Streams]
) -> Mask:
    """Settle for each row how many posterior draws are at or below a value, and at or above: [row, side, entry of allowed].

    Args:
        tally: the units.
        batch: [row, unit] multiplicities.
        prior: how many examples the prior is worth.
        value: of the difference.
        total: how many draws decide.
        allowed: how many hits are few.
        own: the streams of each row.
    """
    support = Support.of(tally, prior)
    whole, counts = support.tally, support.counts(batch)
    strata = members(whole.strata)

    def hits(_: Ints, weights: Floats) -> Mask:
        return tail_hits(whole.differences(weights), value)

    def draws(place: int) -> Take:
        return Weights(counts[place], support.prior, strata, own[place]).take

    return settle_draws(draws, hits, len(batch), counts.shape[1], 2, total, allowed)
