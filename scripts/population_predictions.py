"""Predictions for the shipped populations: what models say of documents that none of them was trained on, by category or by union of categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scripts.population_corpus import prevalence_of

from referee.data.columns import Floats, Ints, Mask
from referee.data.counts import Counts
from referee.errors import InputError, OptionError, unknown
from referee.runtime.randomness import Rng, Streams
from referee_papers.training.train import count_events, count_slices, joint_outcomes

TRIES = 50
"""How many draws a union may take before there seems to be no other."""


@dataclass(frozen=True, eq=False)
class Predictions:
    """The truth and what each model predicts, for every document and category."""

    corpus: str
    categories: tuple[str, ...]
    truth: Mask
    """[document, category]."""
    predicted: Mapping[str, Mask]
    """Model to [document, category]."""
    known: Mask | None = None
    """[document, category]: where the truth is known; everywhere if None."""
    train_size: int = 0
    train_positives: Ints | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Model to what tuning chose."""
    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of unions: the categories in each."""

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def prevalence(self) -> Floats:
        """The share of each category among the documents where it is known."""
        return prevalence_of(self.truth, self.known)

    def events(self, a: str, b: str) -> Ints:
        """Return [category, event]: how often each joint outcome occurs."""
        return count_events(self._codes(a, b), axis=0)

    def counts(self, a: str, b: str) -> Counts:
        """Count the joint outcomes of two models, a slice for each category."""
        return count_slices(self.categories, self._codes(a, b), a, b)

    def documents(self, categories: Sequence[str], a: str, b: str) -> tuple[Ints, Ints]:
        """Count the joint outcomes of each document over some categories, and how many documents are alike.

        Returns:
            [kind, event] how often each of the eight outcomes occurs in a document of the kind; [kind] documents.
        """
        for name in categories:
            if name not in self.categories:
                raise unknown("category", name, self.categories)
        code = self._codes(a, b)[:, [self.categories.index(name) for name in categories]]
        kinds, times = np.unique(count_events(code, axis=1), axis=0, return_counts=True)
        return kinds.astype(np.int64), times.astype(np.int64)

    def at(self, documents: Ints) -> Predictions:
        """Keep some documents."""
        return replace(
            self,
            truth=self.truth[documents],
            predicted={model: answers[documents] for model, answers in self.predicted.items()},
            known=None if self.known is None else self.known[documents],
        )

    def _codes(self, a: str, b: str) -> NDArray[np.int8]:
        """Return the event of [document, category], from 0; 8 where the truth is not known."""
        for model in (a, b):
            if model not in self.predicted:
                raise unknown("model", model, self.predicted)
        if a == b:
            raise InputError(f"two models are compared; both are {a}")
        code = joint_outcomes(self.truth, self.predicted[a], self.predicted[b])
        return code if self.known is None else np.where(self.known, code, np.int8(8))


def unite(
    predictions: Predictions, count: int = 100, rng: Rng | Streams = 0, balance: tuple[float, float] = (0.4, 0.6)
) -> Predictions:
    """Return random unions in place of the categories: true, or predicted, where any member is.

    Each union has a share drawn from the balance to reach, and takes categories in random order until it has; one
    that would lead beyond the balance is left out. A union is of two categories at least, and none comes twice.

    Args:
        predictions: of single categories.
        count: how many unions.
        rng: the seed.
        balance: the prevalences between which a union may lie.
    """
    low, high = balance
    if not 0 < low < high < 1:
        raise OptionError(f"balance must be two shares, the lower first, between 0 and 1; it is {balance}")
    if count < 1:
        raise OptionError(f"count must be at least 1; it is {count}")
    streams, unions = Streams.of(rng), dict[tuple[int, ...], None]()
    for attempt in range(TRIES * count):
        if members := _grow(predictions, streams.at(attempt), low, high):
            unions[members] = None
        if len(unions) == count:
            break
    else:
        raise InputError(
            f"{count} different unions with a prevalence from {low:g} to {high:g} are needed; "
            f"{len(predictions.categories)} categories gave {len(unions)}; ask for fewer, or widen the balance"
        )
    members_of = {f"union-{i:03d}": list(members) for i, members in enumerate(unions, 1)}

    def join(values: Mask) -> Mask:
        return np.stack([values[:, members].any(axis=1) for members in members_of.values()], axis=1)

    return replace(
        predictions,
        categories=tuple(members_of),
        truth=join(predictions.truth),
        predicted={model: join(answers) for model, answers in predictions.predicted.items()},
        known=None if predictions.known is None else ~join(~predictions.known),
        train_positives=None,
        members={name: tuple(predictions.categories[k] for k in members) for name, members in members_of.items()},
    )


def _grow(predictions: Predictions, draw: np.random.Generator, low: float, high: float) -> tuple[int, ...]:
    goal = draw.uniform(low, high)
    union, known = np.zeros(len(predictions), dtype=np.bool_), np.ones(len(predictions), dtype=np.bool_)
    members: list[int] = []
    for k in draw.permutation(len(predictions.categories)).tolist():
        both = known if predictions.known is None else known & predictions.known[:, k]
        larger = union | predictions.truth[:, k]
        if both.any() and larger[both].mean() <= high:
            union, known = larger, both
            members.append(k)
            if len(members) > 1 and union[known].mean() >= goal:
                break
    return tuple(sorted(members)) if len(members) > 1 and union[known].mean() >= low else ()
