"""Possible outcomes: what a system could have answered, and so what the two could have answered together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.data.columns import Floats, Ints, Mask, Values
from referee.metrics.labels import Labels, codes
from referee.metrics.matrices import Matrix

if TYPE_CHECKING:
    from referee.data.counts import Counts

MOST = 1000
"""Up to so many joint outcomes are all taken for possible; of more, those in which one system alone is right."""

PAIRS = 20_000
"""Up to so many pairs of a truth and an answer are all taken for possible; of more, about so many that no system gave."""


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


def answers_of(
    labels: Labels, truths: list[Any], counts: Counts, statistics: Callable[[Values | None, Values], Matrix]
) -> Possible:
    """Return every answer to every truth; of very many labels, the right ones, those that some system gave, and rare ones."""
    answers = [*labels.all, *([None] if labels.gaps else [])]
    if len(truths) * len(answers) <= PAIRS:
        truth, answer = crossed(len(truths), len(answers))
    else:
        given = [
            codes(counts["truth"], truths) * len(answers) + codes(counts[role], answers) for role in counts.systems
        ]
        own = np.arange(len(truths)) * len(answers) + codes(_objects(truths), answers)
        often = np.bincount(codes(counts["truth"], truths), counts.multiplicities, len(truths))
        rare = _rare_pairs(np.argsort(often, kind="stable"), own % len(answers), len(answers))
        pairs = np.unique(np.concatenate([own, *given, rare]))
        truth, answer = pairs // len(answers), pairs % len(answers)
    actual, guess = _objects(truths)[truth], _objects(answers)[answer]
    return Possible(statistics(actual, guess), truth, np.asarray(actual == guess, dtype=np.bool_))


def _rare_pairs(order: Ints, own: Ints, answers: int) -> Ints:
    """Return pairs, as truth x answers + answer, among which a world finds what it needs about as near as among all.

    What changes an average over classes most is a mistake that concerns rare ones: so every truth with the rarest answers, every
    answer with the rarest truths, and each truth with those that are about as rare, lest few classes bear it all.

    Args:
        order: the truths, the rarest first.
        own: the answer that is right for each truth.
        answers: how many there are.
    """
    share = PAIRS // (3 * answers) + 1
    rarest, everyone, away = order[:share], np.arange(len(order)), np.arange(1, share + 1)
    near = own[order[(everyone[:, None] + away) % len(order)]]
    return np.concatenate(
        [
            np.add.outer(everyone * answers, own[rarest]).ravel(),
            np.add.outer(rarest * answers, np.arange(answers)).ravel(),
            (order[:, None] * answers + near).ravel(),
        ]
    )


def scale_answers(values: Floats) -> Possible:
    """Return the answers that are values alone, whatever the truth."""
    ends = np.isin(np.arange(len(values)), (0, len(values) - 1))
    return Possible(np.stack([values, np.ones(len(values))], axis=1), np.zeros(len(values), np.int64), ends)


def _objects(values: list[Any]) -> Values:
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made
