"""Population: rows of outcomes with real weights, a world from which test sets are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from referee.counts import Counts
from referee.errors import InputError, OptionError
from referee.randomness import Rng, Streams, blocks
from referee.values import Floats, Ints

BLOCK = 256
"""How many test sets share a stream."""


@dataclass(frozen=True, eq=False)
class Population:
    """The rows of counts, each with its probability.

    >>> from referee.counts import from_events
    >>> world = Population.of(from_events([61, 14, 9, 21, 6, 11, 5, 873]))
    >>> world.draw(100, rng=1).n
    100
    """

    counts: Counts
    """The rows; their multiplicities do not matter."""
    probabilities: Floats

    @classmethod
    def of(cls, counts: Counts) -> Population:
        """Take the shares of counts as the truth."""
        if counts.n == 0:
            raise InputError("a population needs at least one example")
        return cls(counts, counts.multiplicities / counts.n)

    @classmethod
    def from_weights(cls, columns: Mapping[str, Any], weights: Any, **about: Any) -> Population:
        """Build a population from columns of values and a weight for each row.

        Args:
            columns: role to values, as in Counts.of.
            weights: non-negative numbers, not all 0; they are scaled to add up to 1.
            about: names, positive, open, as in Counts.of.
        """
        given = np.asarray(weights, dtype=np.float64)
        if given.ndim != 1 or not np.isfinite(given).all() or (given < 0).any() or given.sum() <= 0:
            raise InputError("weights must be finite, not negative and not all 0")
        rows = Counts.of({**columns, "weight": np.arange(len(given))}, **about)
        place = rows["weight"]
        merged = Counts.of({role: rows[role] for role in columns}, **about)
        index = {row: i for i, row in enumerate(zip(*(merged[role].tolist() for role in columns), strict=True))}
        total = np.zeros(len(merged))
        for row, weight in zip(zip(*(rows[role].tolist() for role in columns), strict=True), given[place], strict=True):
            total[index[row]] += weight
        return cls(merged, total / total.sum())

    def multiplicities(self, n: int, sets: int, rng: Rng | Streams = 0) -> Ints:
        """Draw test sets of n examples: [set, row] multiplicities; the first sets do not depend on how many follow."""
        if n < 1 or sets < 1:
            raise OptionError(f"a draw needs at least one example and one set; n is {n}, sets {sets}")
        streams = Streams.of(rng)
        parts = [
            streams.at(b).multinomial(n, self.probabilities, size=count) for b, count in blocks(sets, BLOCK, "drawing")
        ]
        return np.concatenate(parts)

    def draw(self, n: int, rng: Rng | Streams = 0) -> Counts:
        """Draw one test set of n examples."""
        drawn = self.multiplicities(n, 1, rng)[0]
        about = {"names": self.counts.names, "positive": self.counts.positive, "open": self.counts.open}
        return Counts.of(dict(self.counts.columns), drawn, **about)

    def swap(self) -> Population:
        """Return the world in which A and B are exchangeable: the average of this one and its mirror image."""
        mirror = replace(self.counts, columns={**self.counts.columns, "a": self.counts["b"], "b": self.counts["a"]})
        columns = {role: np.concatenate([values, mirror.columns[role]]) for role, values in self.counts.columns.items()}
        weights = np.concatenate([self.probabilities, self.probabilities])
        about = {"names": self.counts.names, "positive": self.counts.positive, "open": self.counts.open}
        return Population.from_weights(columns, weights, **about)
