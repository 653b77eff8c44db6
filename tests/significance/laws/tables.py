"""Random tables of the eight joint outcomes, sparse and dense, and a tally that sees a batch of them at once."""

from __future__ import annotations

import numpy as np

from referee.data.counts import Counts, from_events
from referee.metrics import resolve
from referee.significance.rank_tally import tally_of

CELLS = [(t, a, b) for t in (1, 0) for a, b in ((1, 1), (0, 1), (1, 0), (0, 0))]
"""Truth, A and B of e1 to e8."""


def drawn(count, seed, low=5, high=5000):
    """Return [table, event]: of few and many examples, even and lopsided, about a quarter of the events unseen."""
    rng = np.random.default_rng(seed)
    sizes = np.exp(rng.uniform(np.log(low), np.log(high + 1), count)).astype(int)
    even, easy = np.ones(8), np.array([3.0, 1, 1, 1, 1, 1, 1, 8])
    shares = [rng.dirichlet(rng.choice([0.15, 0.5, 2.0]) * (even if rng.random() < 0.5 else easy)) for _ in sizes]
    return np.array([rng.multinomial(n, share) for n, share in zip(sizes, shares, strict=True)])


def defined(events):
    """Return the tables in which no score is 0/0: both classes occur, and each system says both."""
    cells = np.array(CELLS)
    shares = [(events @ cells[:, i]) / events.sum(axis=1) for i in range(3)]
    return events[np.all([(share > 0) & (share < 1) for share in shares], axis=0)]


def seen(events, metric):
    """Return a tally of all eight outcomes, and the tables as a batch of its multiplicities."""
    counts = from_events([1] * 8)
    tally = tally_of(counts, resolve(metric))
    order = [CELLS.index(cell) for cell in zip(*(counts[role].tolist() for role in ("truth", "a", "b")), strict=True)]
    batch = np.zeros((len(events), len(tally.multiplicities)), dtype=np.int64)
    np.add.at(batch.T, tally.place, np.asarray(events)[:, order].T)
    return tally, batch


def classes_of(events):
    """Return the counts of a table [truth, a, b] of any number of classes, flattened."""
    size = round(len(events) ** (1 / 3))
    truth, a, b = np.unravel_index(np.flatnonzero(events), (size,) * 3)
    return Counts.of({"truth": truth, "a": a, "b": b}, np.asarray(events)[np.flatnonzero(events)])


def cells_of(size):
    """Return truth, A and B of each event of a table: the eight of two classes, or all of more in lexicographic order."""
    return (
        np.array(CELLS) if size == 8 else np.array(np.unravel_index(np.arange(size), (round(size ** (1 / 3)),) * 3)).T
    )
