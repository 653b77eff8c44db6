"""A corpus to make populations from: documents with the categories they belong to, how they are split for training, and as vectors."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.errors import InputError, OptionError
from referee.runtime.randomness import Rng, Streams
from referee_papers.training.train import vectorize as vectorize_texts


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents, as texts or as vectors, and their categories.

    >>> import numpy as np
    >>> few = Corpus("few", np.array([[True], [False]]), ("sport",), texts=["a goal", "a vote"])
    >>> len(few), few.prevalence.tolist()
    (2, [0.5])
    """

    name: str
    labels: Mask
    """[document, category]."""
    categories: tuple[str, ...]
    features: Any = None
    """A scipy CSR matrix, a document a row; None where there are texts."""
    texts: Sequence[str] | None = None
    families: Ints | None = None
    """A number for each document: those of one number stay together in a split."""
    known: Mask | None = None
    """[document, category]: where the labels are known; everywhere if None."""

    def __post_init__(self) -> None:
        if (self.features is None) == (self.texts is None):
            raise InputError(f"the corpus {self.name!r} needs either features or texts; give one of them")
        if self.labels.ndim != 2 or self.labels.shape[1] != len(self.categories):
            raise InputError(
                f"labels must be [document, category] for {len(self.categories)} categories; their shape is {self.labels.shape}"
            )
        lengths = {"labels": len(self.labels)}
        lengths |= {"features": self.features.shape[0]} if self.texts is None else {"texts": len(self.texts)}
        if self.families is not None:
            lengths["families"] = len(self.families)
        if len(set(lengths.values())) > 1:
            shown = ", ".join(f"{name} {length}" for name, length in lengths.items())
            raise InputError(f"a corpus needs one entry a document; here: {shown}")
        if self.known is not None and self.known.shape != self.labels.shape:
            raise InputError(f"known must have the shape of labels, {self.labels.shape}; it is {self.known.shape}")
        if not len(self.labels) or not self.categories:
            raise InputError(f"the corpus {self.name!r} has no document or no category; it needs some of both")

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def prevalence(self) -> Floats:
        """The share of each category among the documents where it is known."""
        return prevalence_of(self.labels, self.known)


def prevalence_of(labels: Mask, known: Mask | None) -> Floats:
    """Return the share of each category among the documents where it is known."""
    if known is None:
        return np.asarray(labels.mean(axis=0), dtype=np.float64)
    return np.asarray((labels & known).sum(axis=0) / np.maximum(known.sum(axis=0), 1))


def number_families(keys: Iterable[Hashable]) -> Ints:
    """Number the keys of documents in the order in which they come; equal keys are a family.

    >>> number_families(["x", "y", "x"]).tolist()
    [0, 1, 0]
    """
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)


def split(corpus: Corpus, train_size: int, rng: Rng | Streams = 0) -> tuple[Ints, Ints]:
    """Split the documents at random in those to train on and the rest, keeping families whole.

    Families are taken in random order; one that no longer fits is left, so that single documents fill the
    training set exactly where there are any. Documents with an unknown label are never trained on.

    Args:
        corpus: the documents.
        train_size: how many documents to train on; fewer are taken where families do not allow it.
        rng: the seed.

    Returns:
        the rows to train on and the rest, each in the order of the corpus.

    Raises:
        OptionError: where no document would be left on one of the sides.
    """
    if not 1 <= train_size < len(corpus):
        raise OptionError(
            f"train_size must leave a document on both sides; it is {train_size}, and {corpus.name} has {len(corpus)} documents"
        )
    number, sizes = _sizes(corpus.families, len(corpus))
    # A family with an unknown label fits nowhere.
    room = sizes if corpus.known is None else np.where(np.bincount(number, ~corpus.known.all(axis=1)), np.inf, sizes)
    chosen = np.zeros(len(sizes), dtype=np.bool_)
    left = train_size
    for family in Streams.of(rng).at(0).permutation(len(sizes)).tolist():
        if room[family] <= left:
            chosen[family] = True
            left -= int(sizes[family])
    if not chosen.any():
        raise OptionError(
            f"train_size must have room for a family whose labels are all known; it is {train_size}, ask for more"
        )
    inside = chosen[number]
    return np.flatnonzero(inside), np.flatnonzero(~inside)


def deal_folds(families: Ints | None, size: int, count: int, rng: Rng | Streams = 0) -> Ints:
    """Give each of some documents a fold from 0 to count-1: families whole, folds of nearly equal size.

    >>> np.bincount(deal_folds(None, 7, 3)).tolist()
    [3, 2, 2]
    """
    number, sizes = _sizes(families, size)
    order = Streams.of(rng).at(0).permutation(len(sizes))
    fold = np.zeros(len(sizes), dtype=np.int64)
    filled = [0] * count
    # The large families first, so that the small ones even the folds out; those of one size in random order.
    for family in order[np.argsort(-sizes[order], kind="stable")].tolist():
        fold[family] = filled.index(min(filled))
        filled[fold[family]] += int(sizes[family])
    return fold[number]


def _sizes(families: Ints | None, size: int) -> tuple[Ints, Ints]:
    """Return the family of each document, numbered from 0, and how many documents each has."""
    number = np.arange(size) if families is None else np.unique(families, return_inverse=True)[1]
    return number, np.bincount(number)


def vectorize(corpus: Corpus, train: Ints) -> Any:
    """Return all documents as rows of length 1, with the dictionary and the weights of the training documents only."""
    from sklearn.preprocessing import normalize

    if corpus.texts is not None:
        return vectorize_texts(corpus.texts, train)
    rows = corpus.features.tocsr().astype(np.float64)
    return normalize(rows[:, np.unique(rows[train].indices)])
