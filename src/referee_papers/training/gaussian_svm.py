"""The Gaussian SVM: one for each category against the others, all on one matrix of distances."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.runtime.parallel import each
from referee.runtime.progress import track
from referee_papers.training.task import Learned, Task, best, f1

CS = (3.0, 10.0, 30.0, 100.0)
GAMMAS = (0.1, 0.3, 1.0)
CHUNK = 2048
CACHE = 600
"""Megabytes that one fit may keep of the kernel."""
Machines = tuple[float, list[int], Floats, Floats]
"""A gamma, the categories that chose it, and their weights [training document, category] and constants."""


def gaussian_svm(task: Task) -> Learned:
    """Tune C and gamma by cross-validation, then train on all training documents.

    Each category has settings of its own, unless the task names a sample of them to tune on: then all share what is
    best for these on average.
    """
    distances = squared_distances(task.train, task.train)
    tuned = sample(task.labels, task.sample)
    scores = np.concatenate([_tune(task, distances, gamma, tuned) for gamma in GAMMAS])
    grid, means = list(product(GAMMAS, CS)), scores.mean(axis=1)
    shared = [int(np.argmax(means))] * task.labels.shape[1]
    chosen = [grid[i] for i in (shared if task.sample else best(scores))]
    settings: dict[str, Any] = {"C": [c for _, c in chosen], "gamma": [gamma for gamma, _ in chosen]}
    if task.sample:
        shown = {f"gamma {g:g}, C {c:g}": round(float(m), 4) for (g, c), m in zip(grid, means, strict=True)}
        settings.update(tuned_on=len(tuned), cv_mean_f1=shown)
    else:
        settings["cv_f1"] = scores.max(axis=0).round(4).tolist()
    return Learned(_predict(task, [_train(task, distances, gamma, chosen) for gamma in GAMMAS]), settings)


def sample(labels: Mask, count: int) -> Ints:
    """Choose categories evenly by the rank of their prevalence; all where count is 0.

    >>> sample(np.array([[True, True, False], [True, False, False]]), 2).tolist()
    [0, 2]
    """
    order = np.argsort(-labels.sum(axis=0), kind="stable")
    if not count:
        return np.arange(labels.shape[1])
    return order[np.unique(np.linspace(0, len(order) - 1, min(count, len(order))).round().astype(np.int64))]


def squared_distances(first: Any, second: Any) -> Floats:
    """Return ||x-y||^2 of the rows of two sparse matrices, from their products."""
    squares: Floats = (first @ second.T).toarray()
    squares *= -2
    squares += np.asarray(first.multiply(first).sum(axis=1)).reshape(-1, 1)
    squares += np.asarray(second.multiply(second).sum(axis=1)).reshape(1, -1)
    return np.maximum(squares, 0, out=squares)


def kernel_of(distances: Floats, gamma: float) -> Floats:
    """Return the Gaussian kernel."""
    scaled = distances * -gamma
    return np.exp(scaled, out=scaled)


def fit(kernel: Floats, labels: Mask, c: float) -> tuple[Ints, Floats, float]:
    """Train one SVM on a kernel: the support vectors, their weights, and the constant."""
    from sklearn.svm import SVC

    if labels.all() or not labels.any():
        return np.zeros(0, np.int64), np.zeros(0), 1.0 if labels.all() else -1.0
    model = SVC(C=c, kernel="precomputed", cache_size=CACHE).fit(kernel, labels)
    return model.support_.astype(np.int64), model.dual_coef_[0], float(model.intercept_[0])


def _tune(task: Task, distances: Floats, gamma: float, tuned: Ints) -> Floats:
    """Return the out-of-fold F1 of [C, category] for one gamma and some categories."""
    labels, cells = task.labels[:, tuned], list(product(range(len(CS)), range(len(tuned))))
    predicted = np.zeros((len(CS), *labels.shape), dtype=np.bool_)
    folds = task.holdouts()
    for held in track(folds, len(folds), f"tuning Gaussian SVM, gamma {gamma:g}"):
        kernel = kernel_of(distances[np.ix_(~held, ~held)], gamma)
        across = kernel_of(distances[np.ix_(held, ~held)], gamma)
        calls = ((kernel, labels[~held, k], CS[i]) for i, k in cells)
        machines = each(fit, calls, jobs=task.jobs, threads=True)
        for (i, k), (support, weights, constant) in zip(cells, machines, strict=True):
            predicted[i, held, k] = across[:, support] @ weights + constant > 0
    return np.stack([f1(labels, answers) for answers in predicted])


def _train(task: Task, distances: Floats, gamma: float, chosen: list[tuple[float, float]]) -> Machines:
    """Train the categories that chose this gamma."""
    mine = [k for k, (own, _) in enumerate(chosen) if own == gamma]
    weights, constants = np.zeros((len(task.labels), len(mine))), np.zeros(len(mine))
    if mine:
        kernel = kernel_of(distances, gamma)
        calls = [(kernel, task.labels[:, k], chosen[k][1]) for k in mine]
        machines = task.each(fit, calls, "training Gaussian SVM", threads=True)
        for place, (support, weight, constant) in enumerate(machines):
            weights[support, place], constants[place] = weight, constant
    return gamma, mine, weights, constants


def _predict(task: Task, machines: list[Machines]) -> Mask:
    """Predict the rest a chunk at a time, so that memory does not grow with it."""

    def part(start: int) -> Mask:
        distances = squared_distances(task.rest[start : start + CHUNK], task.train)
        predicted = np.zeros((len(distances), task.labels.shape[1]), dtype=np.bool_)
        for gamma, mine, weights, constants in machines:
            if mine:
                predicted[:, mine] = kernel_of(distances, gamma) @ weights + constants > 0
        return predicted

    starts = [(start,) for start in range(0, task.rest.shape[0], CHUNK)]
    return np.concatenate(list(task.each(part, starts, "predicting by Gaussian SVM", threads=True)))
