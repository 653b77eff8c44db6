"""The multi-layer perceptron: one network for all categories."""

from __future__ import annotations

from typing import Any

import numpy as np

from referee.data.columns import Floats, Mask
from referee.runtime.parallel import each
from referee.runtime.progress import track
from referee.studies.auditing.learning import Learned, Task, f1

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
    numbers = np.unique(task.folds).tolist()
    cells = [(setting, number) for setting in GRID for number in numbers]
    # Not threads: the network is small steps of numpy, in which they would hold each other up.
    calls = ((train, task.labels, task.folds == number, *setting, task.seed) for setting, number in cells)
    runs = each(_curve, calls, jobs=task.jobs)
    curves = np.stack(list(track(runs, len(cells), "tuning perceptron"))).reshape(len(GRID), len(numbers), EPOCHS)
    means = curves.mean(axis=1)
    setting, last = np.unravel_index(int(np.argmax(means)), means.shape)
    hidden, alpha = GRID[int(setting)]
    network = _network(hidden, alpha, task.seed, len(task.labels))
    for _ in track(range(int(last) + 1), int(last) + 1, "training perceptron"):
        _step(network, train, task.labels)
    settings = {
        "hidden": hidden,
        "alpha": alpha,
        "epochs": int(last) + 1,
        "learning_rate": RATE,
        "cv_micro_f1": {f"{h}, {a:g}": round(float(m), 4) for (h, a), m in zip(GRID, means.max(axis=1), strict=True)},
    }
    return Learned(_answers(network, rest, task.labels.shape[1]), settings)


def _network(hidden: int, alpha: float, seed: int, documents: int) -> Any:
    from sklearn.neural_network import MLPClassifier

    batch = max(documents // STEPS, 1)
    return MLPClassifier((hidden,), alpha=alpha, learning_rate_init=RATE, batch_size=batch, random_state=seed)


def _step(network: Any, train: Any, labels: Mask) -> None:
    """Go once through the training documents."""
    given = labels.astype(np.int64)
    if labels.shape[1] == 1:
        network.partial_fit(train, given[:, 0], classes=[0, 1])
    else:
        network.partial_fit(train, given, classes=np.arange(labels.shape[1]))


def _answers(network: Any, rows: Any, categories: int) -> Mask:
    found = network.predict_proba(rows)
    return np.asarray((found if categories > 1 else found[:, 1:]) > 0.5)


def _curve(train: Any, labels: Mask, held: Mask, hidden: int, alpha: float, seed: int) -> Floats:
    """Return the F1 over all categories on the documents held out, after each epoch."""
    network, fitting, rest = _network(hidden, alpha, seed, int((~held).sum())), train[~held], train[held]
    truth = labels[held].reshape(-1, 1)
    curve = np.zeros(EPOCHS)
    for epoch in range(EPOCHS):
        _step(network, fitting, labels[~held])
        curve[epoch] = f1(truth, _answers(network, rest, labels.shape[1]).reshape(-1, 1))[0]
    return curve
