"""Training for the shipped populations: the models of the papers on a part of a corpus, and what they predict of the rest."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress, product
from typing import Any

import joblib
import numpy as np
from scripts.population_corpus import Corpus, deal_folds, split, vectorize
from scripts.population_predictions import Predictions

from referee.data.columns import Ints, Mask
from referee.errors import InputError, OptionError, one_of
from referee.runtime.randomness import Rng, Streams
from referee_papers.training import models as models_module
from referee_papers.training.models import Learned, Task, squared_distances, train_gaussian, tune_gaussian
from referee_papers.training.train import FOLDS, MODELS, require_sklearn


@dataclass(frozen=True, eq=False)
class ParallelTask(Task):
    """What a model is given, and how many workers it has."""

    jobs: int = 1

    def map(
        self, function: Callable[..., Any], calls: Iterable[tuple[Any, ...]], threads: bool = False
    ) -> Iterator[Any]:
        """Yield function(*arguments) of each call, in order, several at a time."""
        parallel = joblib.Parallel(self.jobs, return_as="generator", prefer="threads" if threads else "processes")
        results: Iterator[Any] = parallel(joblib.delayed(function)(*arguments) for arguments in calls)
        return results


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
    task = ParallelTask(
        train=rows[inside],
        labels=corpus.labels[inside][:, kept],
        rest=rows[rest],
        folds=deal_folds(families, len(inside), FOLDS, streams.child(1)),
        seed=int(streams.child(2).at(0).integers(2**31)),
        jobs=jobs,
    )
    predicted: dict[str, Mask] = {}
    settings: dict[str, Any] = {}
    for model in models:
        start = time.perf_counter()
        learned = shared_gaussian_svm(task, sample) if sample and model == "rbf-svm" else MODELS[model](task)
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


def shared_gaussian_svm(task: Task, count: int) -> Learned:
    """Train Gaussian SVMs that all share the C and gamma that are best on average for so many categories."""
    distances = squared_distances(task.train, task.train)
    tuned = sample_categories(task.labels, count)
    means = tune_gaussian(replace(task, labels=task.labels[:, tuned]), distances).mean(axis=1)
    grid = list(product(models_module.GAMMAS, models_module.CS))
    shown = {f"gamma {g:g}, C {c:g}": round(float(m), 4) for (g, c), m in zip(grid, means, strict=True)}
    chosen = [grid[int(np.argmax(means))]] * task.labels.shape[1]
    return train_gaussian(task, distances, chosen, tuned_on=len(tuned), cv_mean_f1=shown)


def sample_categories(labels: Mask, count: int) -> Ints:
    """Choose categories evenly by the rank of their prevalence.

    >>> sample_categories(np.array([[True, True, False], [True, False, False]]), 2).tolist()
    [0, 2]
    """
    order = np.argsort(-labels.sum(axis=0), kind="stable")
    return order[np.unique(np.linspace(0, len(order) - 1, min(count, len(order))).round().astype(np.int64))]
