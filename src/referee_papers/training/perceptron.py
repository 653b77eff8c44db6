"""The multi-layer perceptron: one network for all categories."""

from __future__ import annotations

from typing import Any

import numpy as np

from referee.data.columns import Floats, Mask
from referee.runtime.progress import track
from referee_papers.training.task import Learned, Task, f1

GRID = ((32, 1e-4), (64, 1e-4), (64, 1e-2))
"""Hidden units, and the weight of the penalty (alpha)."""
EPOCHS = 40
STEPS = 40
"""About how many steps an epoch has, so that a small training set is learnt from as long as a large one."""
RATE = 0.003


def perceptron(task: Task) -> Learned:
    """Tune the size, the penalty and the number of epochs by cross-validation, then train on all training documents.

    Training stops early: at the epoch that was best on the documents held out, on average over the folds. All
    epochs are tried, as F1 falls before it rises: a network first learns that most documents are in no category.
    """
    train, rest = task.train.astype(np.float32), task.rest.astype(np.float32)
    held = task.holdouts()
    # Not threads: the network is small steps of numpy, in which they would hold each other up.
    calls = [(train, task.labels, fold, *setting, task.seed) for setting in GRID for fold in held]
    curves = np.stack(list(task.each(_curve, calls, "tuning perceptron"))).reshape(len(GRID), len(held), EPOCHS)
    means = curves.mean(axis=1)
    setting, last = np.unravel_index(int(np.argmax(means)), means.shape)
    (hidden, alpha), epochs = GRID[int(setting)], int(last) + 1
    network = _network(hidden, alpha, task.seed, len(task.labels))
    for _ in track(range(epochs), epochs, "training perceptron"):
        _step(network, train, task.labels)
    scores = {f"{h}, {a:g}": round(float(m), 4) for (h, a), m in zip(GRID, means.max(axis=1), strict=True)}
    settings = {"hidden": hidden, "alpha": alpha, "epochs": epochs, "learning_rate": RATE, "cv_micro_f1": scores}
    return Learned(_predict(network, rest, task.labels.shape[1]), settings)


def _network(hidden: int, alpha: float, seed: int, documents: int) -> Any:
    from sklearn.neural_network import MLPClassifier

    batch = max(documents // STEPS, 1)
    return MLPClassifier((hidden,), alpha=alpha, learning_rate_init=RATE, batch_size=batch, random_state=seed)


def _step(network: Any, train: Any, labels: Mask) -> None:
    """Go once through the training documents."""
    single = labels.shape[1] == 1
    answers = labels.astype(np.int64)
    network.partial_fit(
        train, answers[:, 0] if single else answers, classes=np.arange(2 if single else labels.shape[1])
    )


def _predict(network: Any, rows: Any, categories: int) -> Mask:
    return np.asarray(network.predict_proba(rows)[:, -categories:] > 0.5)


def _curve(train: Any, labels: Mask, held: Mask, hidden: int, alpha: float, seed: int) -> Floats:
    """Return the F1 over all categories on the documents held out, after each epoch."""
    network, fitting, rest = _network(hidden, alpha, seed, int((~held).sum())), train[~held], train[held]
    truth = labels[held].reshape(-1, 1)
    curve = np.zeros(EPOCHS)
    for epoch in range(EPOCHS):
        _step(network, fitting, labels[~held])
        curve[epoch] = f1(truth, _predict(network, rest, labels.shape[1]).reshape(-1, 1))[0]
    return curve
