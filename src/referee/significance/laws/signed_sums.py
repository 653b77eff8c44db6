"""Sums of randomly signed moves: Monte-Carlo draws of the swap law, in bounded memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from referee.data.columns import Floats, Ints
from referee.metrics.matrices import Matrix, times
from referee.runtime.progress import track
from referee.runtime.randomness import Streams

BLOCK = 1024
"""How many eights of units share a stream."""
CLASSES = 256


SMALL = 60
"""Up to this size numpy draws a Binomial(size, 1/2) by inversion, from one uniform number."""


def halved(generator: np.random.Generator, sizes: Ints, count: int) -> Ints:
    """Draw K ~ Binomial(size, 1/2) of each size, [draw, size]: the numbers of `generator.binomial`, but quicker.

    Most sizes are 1 where units are many, and numpy sets up each draw anew. Inversion over all draws at once gives what
    its inversion gives one by one.
    """
    if len(sizes) == 0 or sizes.max() > SMALL:
        return generator.binomial(sizes, 0.5, size=(count, len(sizes)))
    some = sizes > 0
    if not some.all():
        kept = np.zeros((count, len(sizes)), np.int64)
        kept[:, some] = halved(generator, sizes[some], count)
        return kept
    uniform = generator.random((count, len(sizes)))
    kept = (uniform > 0.5).astype(np.int64)
    several = np.flatnonzero(sizes > 1)
    if len(several):
        kept[:, several] = _inverted(uniform[:, several], sizes[several])
    return kept


def _inverted(uniform: Floats, sizes: Ints) -> Ints:
    """Return how many chances, from K = 0 on, go into each uniform number."""
    chance, found = np.exp(sizes * np.log(0.5)), np.zeros(uniform.shape, np.int64)
    for k in range(1, int(sizes.max(initial=0)) + 1):
        over = (uniform > chance) & (found == k - 1) & (k <= sizes)
        found += over
        uniform = np.where(over, uniform - chance, uniform)
        chance = (sizes - k + 1) * 0.5 * chance / (k * 0.5)
    return found


def sign_sums(moves: Floats, sizes: Ints, trials: int, streams: Streams) -> Floats:
    """Draw Σ_j (2K_j − D_j)·move_j with K_j ~ Binomial(D_j, 1/2), `trials` times.

    Blocks run along the units, not the draws, so memory is bounded by the number of trials; each has its own stream.
    """
    single = sizes == 1
    out = np.zeros((trials, moves.shape[1]), order="F")
    _add_singles(out, moves[single], streams.child(1))
    shared, shared_sizes = moves[~single], sizes[~single]
    for block, start in enumerate(range(0, len(shared), CLASSES)):
        part = slice(start, start + CLASSES)
        kept = streams.child(2).at(block).binomial(shared_sizes[part], 0.5, size=(trials, len(shared_sizes[part])))
        out += (2.0 * kept - shared_sizes[part]) @ shared[part]
    return out


def sparse_sign_sums(moves: Matrix, sizes: Ints, trials: int, part: slice, streams: Streams) -> Floats:
    """Return some rows of what `sign_sums` draws, for moves that are sparse and so many that all rows would not fit.

    Each call draws all trials again and takes its part, which costs little beside the sums.
    """
    single = sizes == 1
    out = np.zeros((part.stop - part.start, moves.shape[1]))
    alone = moves[single]
    for block, start in enumerate(range(0, -(-alone.shape[0] // 8), BLOCK)):
        own = alone[8 * start : 8 * (start + BLOCK)]
        draws = _random_bytes(streams.child(1).at(block), -(-own.shape[0] // 8), trials)[:, part]
        bits = np.unpackbits(draws[:, None, :], axis=1).reshape(-1, draws.shape[1])[: own.shape[0]]
        out += times(2.0 * bits.T - 1.0, own)
    shared, shared_sizes = moves[~single], sizes[~single]
    for block, start in enumerate(range(0, len(shared_sizes), CLASSES)):
        here = slice(start, start + CLASSES)
        kept = streams.child(2).at(block).binomial(shared_sizes[here], 0.5, size=(trials, len(shared_sizes[here])))
        out += times(2.0 * kept[part] - shared_sizes[here], shared[here])
    return out


def _add_singles(out: Floats, moves: Floats, streams: Streams) -> None:
    """Add ±move for units that occur once: eight at a time through a table of their 256 signed sums."""
    signs = 2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1) - 1.0
    padded = np.zeros((-(-len(moves) // 8) * 8, moves.shape[1]))
    padded[: len(moves)] = moves
    eights = padded.reshape(-1, 8, moves.shape[1])
    moving = np.flatnonzero(moves.any(axis=0)).tolist()
    starts = range(0, len(eights), BLOCK)
    for block, start in track(enumerate(starts), len(starts), "exchanging"):
        part = eights[start : start + BLOCK]
        draws = _random_bytes(streams.at(block), len(part), len(out))
        for column in moving:
            total = out[:, column]
            for table, row in zip(part[:, :, column] @ signs.T, draws, strict=True):
                total += table.take(row)


def _random_bytes(generator: np.random.Generator, rows: int, columns: int) -> NDArray[np.uint8]:
    words = generator.integers(0, 2**64, size=-(-rows * columns // 8), dtype=np.uint64)
    return words.view(np.uint8)[: rows * columns].reshape(rows, columns)
