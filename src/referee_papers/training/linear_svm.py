"""The linear SVM: one for each category against the others, with a C of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from referee.data.columns import Floats, Mask
from referee_papers.training.task import Learned, Task, best, f1

GRID = (0.3, 1.0, 3.0, 10.0, 30.0)


def linear_svm(task: Task) -> Learned:
    """Tune C by cross-validation for each category, then train on all training documents."""
    # Not threads: liblinear keeps its random numbers in a global that they would share.
    pieces = [(task.train[~held], task.train[held], held) for held in task.holdouts()]
    tuned = task.each(_tune, [(pieces, labels) for labels in task.labels.T], "tuning linear SVM")
    scores = np.stack(list(tuned), axis=1)
    chosen = [GRID[i] for i in best(scores)]
    calls = [(task.train, labels, task.rest, c) for labels, c in zip(task.labels.T, chosen, strict=True)]
    predicted = np.stack(list(task.each(fit, calls, "training linear SVM")), axis=1)
    return Learned(predicted, {"C": chosen, "cv_f1": scores.max(axis=0).round(4).tolist()})


def fit(train: Any, labels: Mask, rest: Any, c: float) -> Mask:
    """Train one SVM and predict the rest; constant where the training documents have one class only."""
    from sklearn.svm import LinearSVC

    if labels.all() or not labels.any():
        return np.full(rest.shape[0], bool(labels.all()))
    model = LinearSVC(C=c, dual=True, max_iter=10_000, random_state=0).fit(train, labels)
    return np.asarray(model.decision_function(rest) > 0)


def _tune(pieces: list[tuple[Any, Any, Mask]], labels: Mask) -> Floats:
    """Return the F1 of each setting, where each training document is predicted by a model that has not seen its fold."""
    predicted = np.zeros((len(labels), len(GRID)), dtype=np.bool_)
    for train, rest, held in pieces:
        for i, c in enumerate(GRID):
            predicted[held, i] = fit(train, labels[~held], rest, c)
    return f1(labels[:, None], predicted)
