"""Training: the models of the papers on a small part of a table of texts, and counts of what they predict on the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.data.columns import Ints, Mask
from referee.data.counts import Counts
from referee.errors import Argument, OptionError, one_of
from referee.runtime.randomness import Streams
from referee_papers.training.models import Task, gaussian_svm, linear_svm, perceptron
from referee_papers.training.texts import read_texts

FOLDS = 3
MODELS = {"linear-svm": linear_svm, "rbf-svm": gaussian_svm, "mlp": perceptron}
EVENTS = ((1, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 1, 1), (0, 0, 1), (0, 1, 0), (0, 0, 0))
"""Truth, A, B: the eight joint outcomes, in the order of the papers."""


def train(path: str, text: str, labels: str, models: Sequence[str], train_size: int | None = None) -> Counts:
    """Train two models on some of the texts in a table, and count what they predict on the others.

    Args:
        path: the table.
        text: the column of texts.
        labels: the column of labels, separated by blanks.
        models: two of "linear-svm", "rbf-svm", "mlp".
        train_size: how many texts to train on; a tenth if left out.

    Raises:
        OptionError: if scikit-learn is missing, a model is unknown or a size is impossible.
        InputError: if the table has no labels that can be learnt.
    """
    categories, truth, texts = read_texts(path, text, labels)
    require_sklearn()
    for model in models:
        one_of("a model", model, MODELS)
    size = train_size or max(2, len(texts) // 10)
    if not 1 <= size < len(texts):
        name, given = Argument("train_size", bare=True), f"it is {size}, and there are {len(texts)} texts"
        raise OptionError(name, f" must leave a text on both sides; {given}", argument="train_size", value=size)
    streams = Streams.of(0)
    inside = np.zeros(len(texts), dtype=np.bool_)
    inside[streams.child(0).at(0).permutation(len(texts))[:size]] = True
    folds = np.zeros(size, dtype=np.int64)
    folds[streams.child(1).at(0).permutation(size)] = np.arange(size) % FOLDS
    rows, seed = vectorize(texts, np.flatnonzero(inside)), int(streams.child(2).at(0).integers(2**31))
    task = Task(rows[inside], truth[inside], rows[~inside], folds, seed)
    a, b = (MODELS[model](task).predicted for model in models)
    return count_slices(categories, joint_outcomes(truth[~inside], a, b), *models)


def require_sklearn() -> None:
    """Raise unless scikit-learn is installed."""
    try:
        import sklearn  # noqa: F401
    except ImportError as error:
        raise OptionError(
            "training models needs scikit-learn, which is not installed; install it: pip install 'referee[learn]'"
        ) from error


def vectorize(texts: Sequence[str], train: Ints) -> Any:
    """Return all texts as rows of length 1, with the dictionary and the weights of the training texts only."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    coding = TfidfVectorizer(stop_words="english", sublinear_tf=True)
    try:
        coding.fit([texts[i] for i in train.tolist()])
    except ValueError as error:
        raise OptionError(
            f"the texts of {len(train)} training documents have no word besides stop words; give more or longer texts"
        ) from error
    return coding.transform(texts)


def joint_outcomes(truth: Mask, a: Mask, b: Mask) -> NDArray[np.int8]:
    """Return the place of each joint outcome in `EVENTS`."""
    return 7 - (4 * truth.astype(np.int8) + 2 * b.astype(np.int8) + a.astype(np.int8))


def count_events(outcomes: NDArray[np.int8], axis: int = 0) -> Ints:
    """Count each of the eight events of [document, category] along an axis."""
    return np.stack([(outcomes == event).sum(axis=axis) for event in range(8)], axis=1)


def count_slices(categories: Sequence[str], outcomes: NDArray[np.int8], a: str, b: str) -> Counts:
    """Return counts with a slice for each category."""
    slices = np.repeat(np.array(categories, dtype=object), 8)
    columns = dict(zip(("truth", "a", "b"), np.tile(EVENTS, (len(categories), 1)).T, strict=True))
    return Counts.of({"slice": slices, **columns}, count_events(outcomes).ravel(), names={"a": a, "b": b}, positive=1)
