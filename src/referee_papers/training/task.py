"""A task: the training data of a model, what it learns of them, and how tuning scores its settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.runtime.parallel import each
from referee.runtime.progress import track


@dataclass(frozen=True, eq=False)
class Task:
    """What a model is given."""

    train: Any
    """A CSR matrix: the documents to train on."""
    labels: Mask
    """[training document, category]."""
    rest: Any
    """A CSR matrix: the documents to predict."""
    folds: Ints
    """The fold of each training document, for tuning."""
    seed: int = 0
    jobs: int = 1
    sample: int = 0
    """How many categories a model that is slow to tune is tuned on; 0: each category by itself."""

    def holdouts(self) -> list[Mask]:
        """Return for each fold which training documents are in it."""
        return [self.folds == fold for fold in np.unique(self.folds)]

    def each(
        self, function: Callable[..., Any], calls: list[tuple[Any, ...]], what: str, *, threads: bool = False
    ) -> Iterator[Any]:
        """Yield function(*arguments) of each call, several at a time, telling whoever watches how far they are."""
        return track(each(function, calls, jobs=self.jobs, threads=threads), len(calls), what)


@dataclass(frozen=True, eq=False)
class Learned:
    """What a model predicts, and the settings that tuning chose."""

    predicted: Mask
    """[document of the rest, category]."""
    settings: dict[str, Any]


def f1(truth: Mask, predicted: Mask) -> Floats:
    """Return the F1 of each category; 0 where nothing is true and nothing predicted.

    >>> f1(np.array([[True], [True]]), np.array([[True], [False]])).round(3).tolist()
    [0.667]
    """
    hits = (truth & predicted).sum(axis=0)
    return np.asarray(2 * hits / np.maximum(truth.sum(axis=0) + predicted.sum(axis=0), 1), dtype=np.float64)


def best(scores: Floats) -> Ints:
    """Return for each category the best of the settings.

    Ties, as of categories so rare that every setting scores 0, go to the setting that is best on average.

    >>> best(np.array([[0.5, 0.0, 0.1], [0.4, 0.0, 0.9]])).tolist()
    [0, 1, 1]

    Args:
        scores: [setting, category].
    """
    order = np.argsort(-scores.mean(axis=1), kind="stable")
    return np.asarray(order[np.argmax(scores[order], axis=0)], dtype=np.int64)
