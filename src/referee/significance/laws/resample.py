"""The bootstrap: units drawn with replacement; and the jackknife: one unit left out.

Within strata one unit fewer is drawn than there are, and each counts n/(n - 1) times (Rao and Wu 1988): a mean of n draws
varies by (n - 1)/n of what a mean of n units does, which is nothing to one large sample and half of it in a stratum of two.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from referee.data.columns import Floats, Ints, Values
from referee.metrics.matrices import full
from referee.runtime.randomness import Streams, blocks
from referee.significance.tally import AT_ONCE, CHUNK, Tally, chunks, first_side
from referee.significance.units import AnyTally


@dataclass(frozen=True, eq=False)
class Resamples:
    """Scores [draw, system] of bootstrap draws, their standard errors where asked for, and how many were undefined."""

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
    weights, strata = tally.multiplicities, members(tally.strata)
    width = max(len(weights), tally.both.shape[1]) if isinstance(tally, Tally) else len(weights)
    for block, count in blocks(replicates, block_size(weights), "resampling"):
        drawing = generators(streams, strata, block)
        for part in chunks(count, width, AT_ONCE):
            keep = resample(weights, strata, part.stop - part.start, drawing)
            scores, vague = tally.assess(keep)
            parts.append(scores)
            undefined += int(vague.sum())
            if studentized and isinstance(tally, Tally):
                errors.append(resampled_errors(tally, keep))
    if _is_symmetric(tally):
        # A data set that is its own mirror image must not favour a side by the luck of the draws.
        parts, errors = [*parts, *(part[:, ::-1] for part in parts)], errors * 2
    made = Resamples(np.concatenate(parts), np.concatenate(errors) if errors else None, undefined / replicates)
    tally.memory[key] = made
    return made


def resampled_errors(tally: Tally, keep: Values) -> Floats:
    """Return the standard errors of differences that were drawn again."""
    return tally.standard_errors(keep, spent=1 if keep.dtype.kind == "i" else 2)


def _is_symmetric(tally: AnyTally) -> bool:
    scores = tally.scores(tally.multiplicities)
    return bool(scores[0] == scores[1]) and first_side(tally, tally.mirror()) == 0


def block_size(weights: Ints) -> int:
    """Return how many draws share a stream: it depends on the data alone, so nothing else changes the numbers."""
    width = max(len(weights), int(weights.sum()) if _by_index(weights) else 1)
    return int(np.clip(CHUNK // width, 1, 4096))


def members(strata: Ints) -> list[Ints]:
    """Return the units of each stratum."""
    return [np.flatnonzero(strata == stratum) for stratum in np.unique(strata)]


def generators(streams: Streams, strata: list[Ints], block: int) -> list[np.random.Generator]:
    """Return the generators of a block: one a stratum, so that more draws of one leave the others' as they are."""
    if len(strata) == 1:
        return [streams.at(block)]
    return [streams.child(number).at(block) for number in range(len(strata))]


def resample(weights: Ints, strata: list[Ints], count: int, drawing: list[np.random.Generator]) -> Values:
    """Draw `count` vectors of weights, units with replacement: whole numbers, but for strata."""
    if len(strata) == 1:
        return _multinomial(weights, int(weights.sum()), count, drawing[0])
    out = np.zeros((count, len(weights)))
    for inside, generator in zip(strata, drawing, strict=True):
        size = int(weights[inside].sum())
        if size > 1:
            out[:, inside] = _multinomial(weights[inside], size - 1, count, generator) * (size / (size - 1))
        else:
            out[:, inside] = weights[inside]
    return out


class Drawing:
    """The bootstrap draws of one data set, taken a few at a time: one after the other they are those of `bootstrap`."""

    def __init__(self, weights: Ints, strata: list[Ints], streams: Streams) -> None:
        self.weights, self.strata, self.streams = weights, strata, streams
        self.size, self.taken = block_size(weights), 0
        self.drawing: list[np.random.Generator] = []

    def take(self, count: int) -> Values:
        """Return the next draws."""
        parts = []
        while count:
            block, used = divmod(self.taken, self.size)
            if used == 0:
                self.drawing = generators(self.streams, self.strata, block)
            part = min(count, self.size - used)
            parts.append(resample(self.weights, self.strata, part, self.drawing))
            self.taken, count = self.taken + part, count - part
        return parts[0] if len(parts) == 1 else np.concatenate(parts)


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
    drawn = generator.integers(0, total, size=(count, size))
    if (weights != 1).any():
        drawn = np.repeat(np.arange(len(weights)), weights)[drawn]
    drawn += (np.arange(count) * len(weights))[:, None]
    return np.bincount(drawn.ravel(), minlength=count * len(weights)).reshape(count, len(weights))


def jackknife(tally: AnyTally) -> Floats:
    """Return [unit]: the difference b - a with one unit of each kind left out."""
    if isinstance(tally, Tally):
        total, kinds = tally.totals(tally.multiplicities), len(tally.multiplicities)
        out = np.empty(kinds)
        for part in chunks(kinds, total.size):
            rows = full(tally.both[part])
            scores = tally.bound.formula.score(total - rows.reshape(len(rows), *total.shape))
            out[part] = scores[:, 1] - scores[:, 0]
        return out
    kinds = len(tally.multiplicities)
    out = np.empty(kinds)
    for part in chunks(kinds, kinds):
        left = np.repeat(tally.multiplicities[None, :], part.stop - part.start, axis=0)
        left[np.arange(part.stop - part.start), np.arange(part.start, part.stop)] -= 1
        scores = tally.scores(left)
        out[part] = scores[:, 1] - scores[:, 0]
    return out
