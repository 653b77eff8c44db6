"""Training for the shipped populations: the models of the papers on a part of a corpus, and what they predict of the rest."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import compress
from typing import Any

from scripts.population_corpus import Corpus, deal_folds, split, vectorize
from scripts.population_predictions import Predictions

from referee.data.columns import Mask
from referee.errors import InputError, OptionError, one_of
from referee.runtime.randomness import Rng, Streams
from referee_papers.training.models import Task
from referee_papers.training.train import FOLDS, MODELS, require_sklearn


def train(
    corpus: Corpus,
    train_size: int = 7982,
    rng: Rng | Streams = 0,
    models: Sequence[str] = tuple(MODELS),
    *,
    fewest: int = 0,
    jobs: int = 1,
    sample: int = 0,
) -> Predictions:
    """Train models on a part of a corpus and predict the rest.

    Args:
        corpus: the documents.
        train_size: how many documents to train on; 7,982 in the papers.
        rng: the seed.
        models: of "linear-svm", "rbf-svm", "mlp".
        fewest: categories with fewer positive training documents than this are left out; with none of them,
            a model predicts that no document belongs.
        jobs: how many models are trained at once.
        sample: how many categories the Gaussian SVM is tuned on, for all to share; 0: each has settings of its own.

    Raises:
        OptionError: where scikit-learn is missing, a model is not known or a size is impossible.
        InputError: where no category has enough training documents.
    """
    require_sklearn()
    for model in models:
        one_of("a model", model, MODELS)
    if len(set(models)) < len(models) or not models:
        raise OptionError(f"models must be different ones, at least one; they are {', '.join(models) or 'none'}")
    streams = Streams.of(rng)
    inside, rest = split(corpus, train_size, streams.child(0))
    positives = corpus.labels[inside].sum(axis=0)
    kept = positives >= fewest
    if not kept.any():
        raise InputError(
            f"a category needs {fewest} positive documents among the {len(inside)} to train on; the most frequent has {int(positives.max())}; train on more"
        )
    rows = vectorize(corpus, inside)
    families = None if corpus.families is None else corpus.families[inside]
    task = Task(
        train=rows[inside],
        labels=corpus.labels[inside][:, kept],
        rest=rows[rest],
        folds=deal_folds(families, len(inside), FOLDS, streams.child(1)),
        seed=int(streams.child(2).at(0).integers(2**31)),
        jobs=jobs,
        sample=sample,
    )
    predicted: dict[str, Mask] = {}
    settings: dict[str, Any] = {}
    for model in models:
        start = time.perf_counter()
        learned = MODELS[model](task)
        predicted[model] = learned.predicted
        settings[model] = {**learned.settings, "seconds": round(time.perf_counter() - start, 1)}
    return Predictions(
        corpus=corpus.name,
        categories=tuple(compress(corpus.categories, kept)),
        truth=corpus.labels[rest][:, kept],
        predicted=predicted,
        known=None if corpus.known is None else corpus.known[rest][:, kept],
        train_size=len(inside),
        train_positives=positives[kept],
        settings=settings,
    )
