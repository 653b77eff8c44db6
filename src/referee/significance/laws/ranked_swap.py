"""The swap law of ranking metrics: no totals, so exact only for few units, else drawn."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from referee.data.columns import Floats, Ints
from referee.runtime.randomness import Streams, blocks
from referee.significance.laws.binomial_grid import TINIEST, Axis
from referee.significance.laws.signed_sums import halved
from referee.significance.rank_tally import RankTally
from referee.significance.tally import CHUNK

PRODUCT = 5000


class RankSwap:
    """The law of the difference when the two scores of each unit are exchanged with probability 1/2."""

    def __init__(self, tally: RankTally, multiplicities: Ints) -> None:
        apart = np.bincount(tally.unit, tally.values[:, 0] != tally.values[:, 1], len(multiplicities)) > 0
        self.tally, self.multiplicities = tally, multiplicities
        self.moving = np.flatnonzero(apart & (multiplicities > 0))
        self.sizes: Ints = multiplicities[self.moving]

    def differences(self, flipped: Ints) -> Floats:
        """Return the differences where so many of each unit that can move are exchanged: [draw, moving unit]."""
        flip = np.zeros((len(flipped), len(self.multiplicities)))
        flip[:, self.moving] = flipped
        scores = self.tally.scores(self.multiplicities - flip, flip)
        return scores[:, 1] - scores[:, 0]

    def upper(self, threshold: float, tolerance: float) -> float | None:
        """Return the exact P(d* >= threshold) where there are few combinations, else None."""
        if float(np.log1p(self.sizes).sum()) > np.log(PRODUCT):
            return None
        values, probabilities = self._listed
        return min(1.0, max(float(probabilities[values >= threshold - tolerance].sum()), TINIEST))

    @cached_property
    def _listed(self) -> tuple[Floats, Floats]:
        """The difference of every combination, and its probability."""
        combinations, probabilities = np.zeros((1, 0), dtype=np.int64), np.ones(1)
        for size in self.sizes.tolist():
            axis = Axis(size, np.inf)
            combinations = np.concatenate(
                [np.repeat(combinations, size + 1, axis=0), np.tile(axis.values, len(combinations))[:, None]], axis=1
            )
            probabilities = (probabilities[:, None] * axis.probabilities).ravel()
        return self.differences(combinations), probabilities

    def draws(self, trials: int, streams: Streams) -> Floats:
        """Return differences drawn from the law."""
        size = int(np.clip(CHUNK // max(1, len(self.multiplicities)), 1, 4096))
        found = [
            self.differences(halved(streams.at(block), self.sizes, count))
            for block, count in blocks(trials, size, "exchanging")
        ]
        return np.concatenate(found)
