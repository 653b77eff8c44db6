"""Possible outcomes: what a system could have answered, and so what the two could have answered together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from referee.data.columns import Ints, Mask
from referee.metrics.matrices import Matrix

MOST = 1000
"""Up to so many joint outcomes are all taken for possible; of more, those in which one system alone is right."""


@dataclass(frozen=True, eq=False)
class Possible:
    """The answers that a single system can give, each to a truth, with their statistics."""

    statistics: Matrix
    """[answer, statistic]"""
    truth: Ints
    """The truth that it is an answer to; joint outcomes are of one truth."""
    right: Mask
    """Which answers are right, one of each truth; where nothing is right or wrong, the ends of the range."""
    open: bool = False
    """Whether what neither system and not the truth mention is never counted: the last answer, given by both."""

    def joint(self) -> tuple[Ints, Ints]:
        """Return the joint outcomes: the answer of A and the answer of B."""
        sizes = np.bincount(self.truth)
        if int((sizes**2).sum()) <= MOST:
            first, second = np.nonzero(self.truth[:, None] == self.truth[None, :])
        else:
            anchors = np.flatnonzero(self.right)
            by_truth = [np.flatnonzero(self.truth == self.truth[anchor]) for anchor in anchors]
            one = np.concatenate(
                [np.full(len(others), anchor) for anchor, others in zip(anchors, by_truth, strict=True)]
            )
            other = np.concatenate(by_truth)
            first, second = np.concatenate([one, other]), np.concatenate([other, one])
        if self.open:
            last = len(self.truth) - 1
            kept = (first != last) | (second != last)
            first, second = first[kept], second[kept]
        return first, second


def crossed(truths: int, answers: int) -> tuple[Ints, Ints]:
    """Return every truth with every answer, by their numbers."""
    return np.repeat(np.arange(truths), answers), np.tile(np.arange(answers), truths)
