"""Made-up data that the tests of this folder share."""

from __future__ import annotations

import numpy as np
from scripts.population_corpus import Corpus
from scripts.population_predictions import Predictions


def corpus(size=60, families=None, known=None):
    labels = np.arange(size)[:, None] % np.array([2, 5]) == 0
    return Corpus(
        "few", labels, ("two", "five"), texts=[f"word{i}" for i in range(size)], families=families, known=known
    )


def random_predictions(documents=300, categories=12, known=False, seed=0):
    draw = np.random.default_rng(seed)
    truth = draw.random((documents, categories)) < 0.1
    flips = {m: draw.random(truth.shape) < 0.05 for m in ("linear-svm", "rbf-svm", "mlp")}
    return Predictions(
        "random",
        tuple(f"c{k:02d}" for k in range(categories)),
        truth,
        {m: truth ^ flip for m, flip in flips.items()},
        known=draw.random(truth.shape) < 0.9 if known else None,
    )
