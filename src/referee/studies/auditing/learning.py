"""What learning needs: scikit-learn, the training data of a model, and what comes of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.errors import OptionError
from referee.studies.auditing.corpus import Corpus


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


@dataclass(frozen=True, eq=False)
class Learned:
    """What a model predicts, and the settings that tuning chose."""

    predicted: Mask
    """[document of the rest, category]."""
    settings: dict[str, Any] = field(default_factory=dict)


def require() -> None:
    """Raise unless scikit-learn is installed."""
    try:
        import sklearn  # noqa: F401
    except ImportError as error:
        raise OptionError(
            "training models needs scikit-learn, which is not installed; install it: pip install 'referee[learn]'"
        ) from error


def vectors(corpus: Corpus, train: Ints) -> Any:
    """Return all documents as rows of length 1, with the dictionary and the weights of the training documents only."""
    require()
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    if corpus.texts is None:
        rows = corpus.features.tocsr().astype(np.float64)
        seen = np.unique(rows[train].indices)
        return normalize(rows[:, seen])
    coding = TfidfVectorizer(stop_words="english", sublinear_tf=True)
    try:
        coding.fit([corpus.texts[i] for i in train.tolist()])
    except ValueError as error:
        raise OptionError(
            f"the texts of {len(train)} training documents have no word besides stop words; give more or longer texts"
        ) from error
    return coding.transform(corpus.texts)


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
