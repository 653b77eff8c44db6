"""The linear SVM: one for each category against the others, with a C of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from referee.data.columns import Mask
from referee.runtime.parallel import each
from referee.runtime.progress import track
from referee.studies.auditing.learning import Learned, Task, best, f1

GRID = (0.3, 1.0, 3.0, 10.0, 30.0)


def linear_svm(task: Task) -> Learned:
    """Tune C by cross-validation for each category, then train on all training documents."""
    categories = task.labels.shape[1]
    # Not threads: liblinear keeps its random numbers in a global that they would share.
    parts = [(task.folds != fold, task.folds == fold) for fold in np.unique(task.folds).tolist()]
    pieces = [(task.train[fitting], task.train[held], fitting, held) for fitting, held in parts]
    tuned = each(_out_of_fold, ((pieces, task.labels[:, c]) for c in range(categories)), jobs=task.jobs)
    scores = np.stack(
        [_scores(task.labels[:, c], p) for c, p in enumerate(track(tuned, categories, "tuning linear SVM"))]
    )
    chosen = [GRID[i] for i in best(scores.T)]
    calls = ((task.train, task.labels[:, c], task.rest, chosen[c]) for c in range(categories))
    fitted = each(fit, calls, jobs=task.jobs)
    predicted = np.stack(list(track(fitted, categories, "training linear SVM")), axis=1)
    return Learned(predicted, {"C": chosen, "cv_f1": scores.max(axis=1).round(4).tolist()})


def fit(train: Any, labels: Mask, rest: Any, c: float) -> Mask:
    """Train one SVM and predict the rest; constant where the training documents have one class only."""
    from sklearn.svm import LinearSVC

    if labels.all() or not labels.any():
        return np.full(rest.shape[0], bool(labels.all()))
    model = LinearSVC(C=c, dual=True, max_iter=10_000, random_state=0).fit(train, labels)
    return np.asarray(model.decision_function(rest) > 0)


def _out_of_fold(pieces: list[tuple[Any, Any, Mask, Mask]], labels: Mask) -> Mask:
    """Predict each training document by a model that has not seen its fold: [document, setting]."""
    found = np.zeros((len(labels), len(GRID)), dtype=np.bool_)
    for train, rest, fitting, held in pieces:
        for i, c in enumerate(GRID):
            found[held, i] = fit(train, labels[fitting], rest, c)
    return found


def _scores(labels: Mask, predicted: Mask) -> Any:
    return f1(np.repeat(labels[:, None], predicted.shape[1], axis=1), predicted)
