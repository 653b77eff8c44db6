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
from referee.runtime.randomness import Rng, Streams

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
        if self.known is None:
            return np.asarray(self.truth.mean(axis=0), dtype=np.float64)
        return np.asarray((self.truth & self.known).sum(axis=0) / np.maximum(self.known.sum(axis=0), 1))

    def events(self, a: str, b: str) -> Ints:
        """Return [category, event]: how often each joint outcome occurs."""
        code = self._codes(a, b)
        rows = [np.bincount(code[:, k], minlength=9)[:8] for k in range(len(self.categories))]
        return np.asarray(rows, dtype=np.int64).reshape(-1, 8)

    def counts(self, a: str, b: str) -> Counts:
        """Count the joint outcomes of two models, a slice for each category."""
        events = self.events(a, b)
        truth, first, second = (np.tile(column, len(events)) for column in np.array(EVENTS).T)
        columns = {
            "slice": np.repeat(np.array(self.categories, dtype=object), 8),
            "truth": truth,
            "a": first,
            "b": second,
        }
        return Counts.of(columns, events.ravel(), names={"a": a, "b": b}, positive=1)

    def documents(self, categories: Sequence[str], a: str, b: str) -> tuple[Ints, Ints]:
        """Count the joint outcomes of each document over some categories, and how many documents are alike.

        Returns:
            [kind, event] how often each of the eight outcomes occurs in a document of the kind; [kind] documents.
        """
        for name in categories:
            if name not in self.categories:
                raise unknown("category", name, self.categories)
        code = self._codes(a, b)[:, [self.categories.index(name) for name in categories]]
        each = np.stack([(code == event).sum(axis=1) for event in range(8)], axis=1)
        kinds, times = np.unique(each, axis=0, return_counts=True)
        return kinds.astype(np.int64), times.astype(np.int64)

    def at(self, documents: Ints) -> Predictions:
        """Keep some documents."""
        return replace(
            self,
            truth=self.truth[documents],
            predicted={model: found[documents] for model, found in self.predicted.items()},
            known=None if self.known is None else self.known[documents],
        )

    def unions(
        self, count: int = 100, rng: Rng | Streams = 0, balance: tuple[float, float] = (0.4, 0.6)
    ) -> Predictions:
        """Return meta-categories: random unions of categories, whose prevalence is near a half.

        Args:
            count: how many.
            rng: the seed.
            balance: the prevalences between which a union may lie.
        """
        from referee.studies.auditing.unions import unite

        return unite(self, count, rng, balance)

    def _codes(self, a: str, b: str) -> NDArray[np.int8]:
        """Return the event of [document, category], from 0; 8 where the truth is not known."""
        for model in (a, b):
            if model not in self.predicted:
                raise unknown("model", model, self.predicted)
        if a == b:
            raise InputError(f"two models are compared; both are {a}")
        place = np.zeros(8, dtype=np.int8)
        for event, (truth, first, second) in enumerate(EVENTS):
            place[4 * truth + 2 * first + second] = event
        code = self.truth.astype(np.int8)
        for model in (a, b):
            code = 2 * code + self.predicted[model]
        found = place[code]
        if self.known is not None:
            found[~self.known] = 8
        return found
