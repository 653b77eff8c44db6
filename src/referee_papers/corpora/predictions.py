"""Predictions: what models say of documents that none of them was trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.data.columns import Floats, Ints, Mask
from referee.data.counts import Counts
from referee.errors import InputError, unknown
from referee_papers.corpora.corpus import prevalence_of

EVENTS = ((1, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 1, 1), (0, 0, 1), (0, 1, 0), (0, 0, 0))
"""Truth, A, B: the eight joint outcomes, in the order of the papers."""


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
        return _count_events(self._codes(a, b), axis=0)

    def counts(self, a: str, b: str) -> Counts:
        """Count the joint outcomes of two models, a slice for each category."""
        events = self.events(a, b)
        slices = np.repeat(np.array(self.categories, dtype=object), 8)
        outcomes = dict(zip(("truth", "a", "b"), np.tile(EVENTS, (len(events), 1)).T, strict=True))
        return Counts.of({"slice": slices, **outcomes}, events.ravel(), names={"a": a, "b": b}, positive=1)

    def documents(self, categories: Sequence[str], a: str, b: str) -> tuple[Ints, Ints]:
        """Count the joint outcomes of each document over some categories, and how many documents are alike.

        Returns:
            [kind, event] how often each of the eight outcomes occurs in a document of the kind; [kind] documents.
        """
        for name in categories:
            if name not in self.categories:
                raise unknown("category", name, self.categories)
        code = self._codes(a, b)[:, [self.categories.index(name) for name in categories]]
        kinds, times = np.unique(_count_events(code, axis=1), axis=0, return_counts=True)
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
        truth, first, second = (mask.astype(np.int8) for mask in (self.truth, self.predicted[a], self.predicted[b]))
        code = 7 - (4 * truth + 2 * second + first)
        return code if self.known is None else np.where(self.known, code, np.int8(8))


def _count_events(code: NDArray[np.int8], axis: int) -> Ints:
    """Count each of the eight events along an axis."""
    return np.stack([(code == event).sum(axis=axis) for event in range(8)], axis=1)
