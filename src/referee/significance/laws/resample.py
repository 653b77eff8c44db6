"""The bootstrap: units drawn with replacement; the jackknife: one unit left out; and early stopping, once more draws could hardly matter.

Within strata one unit fewer is drawn than there are, and each counts n/(n - 1) times (Rao and Wu 1988): a mean of n draws
varies by (n - 1)/n of what a mean of n units does, which is nothing to one large sample and half of it in a stratum of two.

A test of R draws decides by how many of them are hits: at most c, or more. Given that K of all R are hits, the hits
among the first m are hypergeometric, whatever the law of the draws. So "at most c" may be said after m draws when so few
hits would be unlikely even at K = c + 1, and "more" when so many would be unlikely even at K = c; what is unlikely is
shared out so that over all looks the decision differs from that of all R draws with a probability of at most RISK.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias, cast

import numpy as np

from referee.data.columns import Floats, Ints, Mask, Values
from referee.metrics.matrices import full
from referee.runtime.randomness import Streams, blocks
from referee.significance.distributions import log_choose
from referee.significance.rank_tally import AnyTally, first_side
from referee.significance.tally import AT_ONCE, CHUNK, Tally, chunks

RISK = 1e-4
"""How likely a decision may differ from that of all draws."""
FIRST = 64
"""After how many draws the first look is taken; each look doubles them."""

Allowed: TypeAlias = Sequence[int]
Take: TypeAlias = Callable[[int], Values]
"""How many -> the next draws of one row: weights of units."""
Reached: TypeAlias = Callable[[Ints, Values], Mask]
"""(rows, draws [row, draw, ...]) -> [row, draw, side]: which draws are hits."""
Hits: TypeAlias = Callable[[Ints, int, int], Ints]
"""(rows, start, stop) -> [row, side]: how many of the draws start ... stop - 1 of these rows are hits."""


class Look(NamedTuple):
    """After `drawn` draws: at most `few` hits settle that there are few in all, at least `many` that there are more."""

    drawn: int
    few: int
    many: int


@lru_cache(maxsize=256)
def looks(total: int, allowed: int, sides: int) -> tuple[Look, ...]:
    """Return when to look and what settles the question whether more than `allowed` of `total` draws are hits.

    >>> looks(9999, 249, 2)[0]
    Look(drawn=64, few=-1, many=10)
    """
    drawn = [FIRST * 2**i for i in range(64) if FIRST * 2**i < total]
    share = RISK / sides / max(1, len(drawn))
    plan = []
    for m in drawn:
        below = np.cumsum(_hypergeometric(total, min(allowed + 1, total), m))
        above = np.cumsum(_hypergeometric(total, max(allowed, 0), m)[::-1])[::-1]
        # What is certain needs no probability: more hits than allowed, or too few draws left to exceed it.
        few = max(int((below <= share).sum()) - 1, allowed - (total - m))
        many = min(int((above > share).sum()), allowed + 1)
        plan.append(Look(m, few, max(many, few + 1)))
    return (*plan, Look(total, allowed, allowed + 1))


def _hypergeometric(total: int, hits: int, drawn: int) -> Floats:
    """Return P(k hits among the drawn) for k = 0 ... drawn, where `hits` of `total` are hits."""
    k = np.arange(drawn + 1, dtype=np.float64)
    log = log_choose(hits, k) + log_choose(total - hits, drawn - k)
    weights = np.exp(log - log.max())
    return np.asarray(weights / weights.sum())


def settle(hits: Hits, rows: int, sides: int, total: int, allowed: Allowed) -> Mask:
    """Decide for each row, side and entry of `allowed` whether at most so many of `total` draws are hits.

    Args:
        hits: draws, and counts the hits; a row's draws must not depend on which other rows are asked for.
        rows: how many rows there are.
        sides: how many kinds of hits each draw is asked for (two tails: 2).
        total: how many draws decide.
        allowed: how many hits are still few; below 0 nothing is.

    Returns:
        [row, side, entry] booleans.
    """
    plans = [looks(total, c, sides) for c in allowed]
    few = np.zeros((rows, sides, len(plans)), dtype=np.bool_)
    known = np.broadcast_to(np.array(allowed) < 0, few.shape).copy()
    counted, start = np.zeros((rows, sides), dtype=np.int64), 0
    for step in zip(*plans, strict=True):
        stop = step[0].drawn
        active = np.flatnonzero(~known.all(axis=(1, 2)))
        if not len(active):
            break
        counted[active] += hits(active, start, stop)
        so_far = counted[active]
        for i, look in enumerate(step):
            few[active, :, i] = np.where(known[active, :, i], few[active, :, i], so_far <= look.few)
            known[active, :, i] |= (so_far <= look.few) | (so_far >= look.many)
        start = stop
    return few


def settle_draws(
    draws: Callable[[int], Take], reached: Reached, rows: int, width: int, sides: int, total: int, allowed: Allowed
) -> Mask:
    """Settle where the hits are among weights drawn for each row, with bounded memory.

    Args:
        draws: row -> what takes its draws.
        reached: (rows, weights [row, draw, unit]) -> [row, draw, side]: which draws are hits.
        rows: how many rows there are.
        width: how many units.
        sides: as in `settle`.
        total: as in `settle`.
        allowed: as in `settle`.
    """
    opened: dict[int, Take] = {}

    def hits(active: Ints, start: int, stop: int) -> Ints:
        nonlocal opened
        opened = {place: opened.get(place) or draws(place) for place in active.tolist()}
        counted = np.zeros((len(active), sides), dtype=np.int64)
        for turn in chunks(stop - start, width):
            count = turn.stop - turn.start
            for part in chunks(len(active), count * width):
                weights = np.stack([opened[place](count) for place in active[part].tolist()])
                counted[part] += reached(active[part], weights).sum(axis=1)
        return counted

    return settle(hits, rows, sides, total, allowed)


def allowed_hits(alpha: float, total: int, tails: int) -> int:
    """Return the most hits h with tails·(h + 1)/(total + 1) <= alpha; -1 if even none are too many.

    >>> allowed_hits(0.05, 9999, 2), allowed_hits(0.05, 9999, 1), allowed_hits(0.001, 999, 2)
    (249, 499, -1)
    """
    most = int(np.floor(alpha * (total + 1) / tails))
    while most > 0 and tails * (most / (total + 1)) > alpha:
        most -= 1
    while tails * ((most + 1) / (total + 1)) <= alpha:
        most += 1
    return min(most, total + 1) - 1


COVERING = 1999
"""How many draws an interval has where its coverage is measured."""
BOOTSTRAP, SWAP = 1, 2
"""The children of a result's streams: what is drawn for intervals, and what for exchanges."""


@dataclass(frozen=True, eq=False)
class Resamples:
    """Scores [draw, system] of bootstrap draws, their standard errors if asked for, and how many were undefined."""

    scores: Floats
    errors: Floats | None
    undefined: float

    @property
    def differences(self) -> Floats:
        """The difference b - a of each draw."""
        return self.scores[:, 1] - self.scores[:, 0]


def bootstrap(tally: AnyTally, replicates: int, streams: Streams, *, studentized: bool = False) -> Resamples:
    """Draw bootstrap replicates of both scores; parts of one answer that ask for the same draws share them."""
    key = ("bootstrap", replicates, streams.key)
    known = tally.memory.get(key)
    if isinstance(known, Resamples) and (known.errors is not None or not studentized):
        return known
    parts, errors, undefined = [], [], 0
    drawing, width = Drawing(tally.multiplicities, members(tally.strata), streams), len(tally.multiplicities)
    width = max(width, tally.both.shape[1]) if isinstance(tally, Tally) else width
    for _, count in blocks(replicates, drawing.size, "resampling"):
        for part in chunks(count, width, AT_ONCE):
            keep = drawing.take(part.stop - part.start)
            scores, vague = tally.assess(keep)
            parts.append(scores)
            undefined += int(vague.sum())
            if studentized and isinstance(tally, Tally):
                errors.append(resampled_errors(tally, keep))
    scores = tally.scores(tally.multiplicities)
    if scores[0] == scores[1] and first_side(tally, tally.mirror()) == 0:
        # A data set that is its own mirror image must not favour a side by the luck of the draws.
        parts, errors = [*parts, *(part[:, ::-1] for part in parts)], errors * 2
    made = Resamples(np.concatenate(parts), np.concatenate(errors) if errors else None, undefined / replicates)
    tally.memory[key] = made
    return made


def resampled_errors(tally: Tally, keep: Values) -> Floats:
    """Return the standard errors of differences that were drawn again."""
    return tally.standard_errors(keep, spent=1 if keep.dtype.kind == "i" else 2)


def members(strata: Ints) -> list[Ints]:
    """Return the units of each stratum."""
    return [np.flatnonzero(strata == stratum) for stratum in np.unique(strata)]


def resample(weights: Ints, strata: list[Ints], count: int, drawing: list[np.random.Generator]) -> Values:
    """Draw `count` vectors of weights, units with replacement: whole numbers, but for strata."""
    if len(strata) == 1:
        return _multinomial(weights, int(weights.sum()), count, drawing[0])
    out = np.zeros((count, len(weights)))
    for inside, generator in zip(strata, drawing, strict=True):
        size = int(weights[inside].sum())
        out[:, inside] = weights[inside]
        if size > 1:
            out[:, inside] = _multinomial(weights[inside], size - 1, count, generator) * (size / (size - 1))
    return out


class Drawing:
    """The bootstrap draws of one data set, taken a few at a time: one after the other they are those of `bootstrap`."""

    def __init__(self, weights: Ints, strata: list[Ints], streams: Streams) -> None:
        self.weights, self.strata, self.taken = weights, strata, 0
        # How many draws share a stream: it depends on the data alone, so nothing else changes the numbers.
        width = max(len(weights), int(weights.sum()) if _by_index(weights) else 1)
        self.size = int(np.clip(CHUNK // width, 1, 4096))
        # Each stratum has its own, so that more draws of one leave the others' as they are.
        self.streams = [streams] if len(strata) == 1 else [streams.child(number) for number in range(len(strata))]
        self.drawing: list[np.random.Generator] = []

    def take(self, count: int) -> Values:
        """Return the next draws."""
        parts = []
        while count:
            block, used = divmod(self.taken, self.size)
            if used == 0:
                self.drawing = [own.at(block) for own in self.streams]
            part = min(count, self.size - used)
            parts.append(resample(self.weights, self.strata, part, self.drawing))
            self.taken, count = self.taken + part, count - part
        return parts[0] if len(parts) == 1 else np.concatenate(parts)


NEAR = 1 << 17
"""How many indices are drawn at a time."""


def _by_index(weights: Ints) -> bool:
    """With few repeats, drawing examples is cheaper than drawing a binomial for each distinct one."""
    return len(weights) * 8 > int(weights.sum())


def _multinomial(weights: Ints, size: int, count: int, generator: np.random.Generator) -> Ints:
    """Draw `size` units, `count` times, and count how often each came up."""
    total = int(weights.sum())
    if total == 0:
        return np.zeros((count, len(weights)), dtype=np.int64)
    if not _by_index(weights):
        return generator.multinomial(size, weights / total, size=count)
    place = None if (weights == 1).all() else np.repeat(np.arange(len(weights)), weights)
    out = np.empty((count, len(weights)), dtype=np.int64)
    # A few draws at a time stay near the processor; the stream is the same as for all at once.
    for part in chunks(count, size, NEAR):
        many = part.stop - part.start
        drawn = generator.integers(0, total, size=(many, size))
        drawn = drawn if place is None else place[drawn]
        drawn += (np.arange(many) * len(weights))[:, None]
        out[part] = np.bincount(drawn.ravel(), minlength=many * len(weights)).reshape(many, len(weights))
    return out


def percentile_covers(tally: AnyTally, batch: Ints, value: float, levels: Sequence[float], streams: Streams) -> Floats:
    """Say whether the percentile bootstrap's interval holds a value, for each row of a batch: [row, level].

    It is that of COVERING draws: more make an interval finer and do not change how often it holds the truth. Several
    tests carry it, so the answer is kept with the tally.
    """
    key = ("covers", hash(batch.tobytes()), value, tuple(levels), streams.key)

    def hits(_: Ints, drawn: Floats) -> Mask:
        return tail_hits(drawn, value)

    if key not in tally.memory:
        allowed = [allowed_hits(1 - level, COVERING, 2) for level in levels]
        beyond = settle_resamples(tally, batch, streams, hits, COVERING, allowed, studentized=False)
        tally.memory[key] = (~beyond.any(axis=1)).astype(np.float64)
    return cast("Floats", tally.memory[key])


def settle_resamples(
    tally: AnyTally, batch: Ints, streams: Streams, reached: Reached, total: int, allowed: Allowed, studentized: bool
) -> Mask:
    """Settle how many bootstrap draws of each row are hits: [row, side, entry of allowed].

    Args:
        tally: the units.
        batch: [row, unit] multiplicities.
        streams: the source of randomness; a row's draws are those of `bootstrap` with its child of the row's number.
        reached: (rows, differences [row, draw]) -> [row, draw, side]; studentized: [2, row, draw], errors second.
        total: how many draws decide.
        allowed: how many hits are few.
        studentized: whether `reached` needs the standard error of each draw too.
    """
    strata = members(tally.strata)

    def hits(rows: Ints, weights: Values) -> Mask:
        d = tally.differences(weights)
        if studentized and isinstance(tally, Tally):
            d = np.stack([d, resampled_errors(tally, weights)])
        return reached(rows, d)

    def draws(place: int) -> Take:
        return Drawing(batch[place], strata, streams.child(place, BOOTSTRAP)).take

    return settle_draws(draws, hits, len(batch), batch.shape[1], 2, total, allowed)


def tail_hits(drawn: Floats, value: Floats | float) -> Mask:
    """Return [..., side]: draws at or below a value, and at or above it."""
    return np.stack([drawn <= value, drawn >= value], axis=-1)


def jackknife(tally: AnyTally) -> Floats:
    """Return [unit]: the difference b - a with one unit of each kind left out."""
    kinds = len(tally.multiplicities)
    out = np.empty(kinds)
    if isinstance(tally, Tally):
        total = tally.totals(tally.multiplicities)
        for part in chunks(kinds, total.size):
            rows = full(tally.both[part])
            scores = tally.bound.formula.score(total - rows.reshape(len(rows), *total.shape))
            out[part] = scores[:, 1] - scores[:, 0]
        return out
    for part in chunks(kinds, kinds):
        gone = np.arange(kinds) == np.arange(part.start, part.stop)[:, None]
        out[part] = tally.differences(tally.multiplicities - gone)
    return out


DEVIATIONS, STEPS = 9.0, 25.0
"""A sum of n terms of -1, 0 and 1 is beyond 9 sd + 25 with a probability below 1e-15 (Bernstein's inequality)."""
SMALLEST = -45.0
"""Logarithms of what is too small to be added."""


def sides(wins: Ints, losses: Ints, units: Ints) -> Floats:
    """Return [row, 3]: P(W* < L*), P(W* = L*) and P(W* > L*), where W* and L* count wins and losses among redrawn units.

    The law of W* - L* is read off its characteristic function, (1 - w - l + w·e^(it) + l·e^(-it))^n.

    >>> sides(np.array([1, 3]), np.array([1, 0]), np.array([2, 3])).round(3).tolist()
    [[0.25, 0.5, 0.25], [0.0, 0.0, 1.0]]
    """
    units = np.maximum(units, 1)
    up, down = wins / units, losses / units
    mean = np.abs(wins - losses)
    spread = np.sqrt(np.maximum(wins + losses - (wins - losses) ** 2 / units, 0.0))
    reach = DEVIATIONS * spread + STEPS
    clear = mean > reach
    out = np.zeros((len(units), 3))
    out[clear, np.where(wins > losses, 2, 0)[clear]] = 1.0
    # Rows of like spread share a length: that of the widest would be wasted on the others.
    powers = np.ceil(np.log2(2 * np.minimum(mean + reach, units + 1))).astype(np.int64)
    for power in np.unique(powers[~clear]):
        rows = np.flatnonzero(~clear & (powers == power))
        length = 1 << int(power)
        for part in chunks(len(rows), length):
            own = rows[part]
            out[own] = _sides(up[own], down[own], units[own], length)
    return out


def _sides(up: Floats, down: Floats, units: Ints, length: int) -> Floats:
    angle = 2 * np.pi * np.arange(length // 2 + 1) / length
    stay = (1 - up - down)[:, None]
    real = stay + (up + down)[:, None] * np.cos(angle)
    imaginary = (up - down)[:, None] * np.sin(angle)
    with np.errstate(divide="ignore"):
        size = units[:, None] * np.log(real**2 + imaginary**2) / 2
    there = size > SMALLEST
    turn = np.broadcast_to(units[:, None], size.shape)[there] * np.arctan2(imaginary[there], real[there])
    transform = np.zeros(size.shape, dtype=np.complex128)
    transform[there] = np.exp(size[there] - 1j * turn)
    law = np.maximum(np.fft.irfft(transform, length, axis=1), 0.0)
    half = length // 2
    three = np.stack([law[:, half:].sum(axis=1), law[:, 0], law[:, 1:half].sum(axis=1)], axis=1)
    return np.asarray(three / three.sum(axis=1, keepdims=True))
