"""The Gaussian SVM: one for each category against the others, all on one matrix of distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.runtime.parallel import each
from referee.runtime.progress import track
from referee.studies.auditing.learning import Learned, Task, best, f1

CS = (3.0, 10.0, 30.0, 100.0)
GAMMAS = (0.1, 0.3, 1.0)
CHUNK = 2048
CACHE = 600
"""Megabytes that one fit may keep of the kernel."""


def gaussian_svm(task: Task) -> Learned:
    """Tune C and gamma by cross-validation, then train on all training documents.

    Each category has settings of its own, unless the task names a sample of them to tune on: then all share what is
    best for these on average.
    """
    distances = squared_distances(task.train, task.train)
    tuned = sample(task.labels, task.sample)
    scores = np.concatenate([_tuned(task, distances, gamma, tuned) for gamma in GAMMAS])
    grid = [(gamma, c) for gamma in GAMMAS for c in CS]
    shared = np.full(task.labels.shape[1], int(np.argmax(scores.mean(axis=1))))
    chosen = shared if task.sample else best(scores)
    machines = [_machines(task, distances, gamma, [grid[i] for i in chosen]) for gamma in GAMMAS]
    settings: dict[str, Any] = {"C": [grid[i][1] for i in chosen], "gamma": [grid[i][0] for i in chosen]}
    if task.sample:
        means = {
            f"gamma {g:g}, C {c:g}": round(float(m), 4) for (g, c), m in zip(grid, scores.mean(axis=1), strict=True)
        }
        settings.update(tuned_on=len(tuned), cv_mean_f1=means)
    else:
        settings["cv_f1"] = scores.max(axis=0).round(4).tolist()
    return Learned(_predict(task, machines), settings)


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
    found: Floats = (first @ second.T).toarray()
    found *= -2
    found += np.asarray(first.multiply(first).sum(axis=1)).reshape(-1, 1)
    found += np.asarray(second.multiply(second).sum(axis=1)).reshape(1, -1)
    return np.maximum(found, 0, out=found)


def kernel_of(distances: Floats, gamma: float) -> Floats:
    """Return the Gaussian kernel."""
    found = distances * -gamma
    return np.exp(found, out=found)


def fit(kernel: Floats, labels: Mask, c: float) -> tuple[Ints, Floats, float]:
    """Train one SVM on a kernel: the support vectors, their weights, and the constant."""
    from sklearn.svm import SVC

    if labels.all() or not labels.any():
        return np.zeros(0, np.int64), np.zeros(0), 1.0 if labels.all() else -1.0
    model = SVC(C=c, kernel="precomputed", cache_size=CACHE).fit(kernel, labels)
    return model.support_.astype(np.int64), model.dual_coef_[0], float(model.intercept_[0])


def _tuned(task: Task, distances: Floats, gamma: float, tuned: Ints) -> Floats:
    """Return the out-of-fold F1 of [C, category] for one gamma and some categories."""
    labels, categories = task.labels[:, tuned], len(tuned)
    found = np.zeros((len(CS), *labels.shape), dtype=np.bool_)
    numbers = np.unique(task.folds).tolist()
    for number in track(numbers, len(numbers), f"tuning Gaussian SVM, gamma {gamma:g}"):
        fitting, held = np.flatnonzero(task.folds != number), np.flatnonzero(task.folds == number)
        kernel = kernel_of(distances[np.ix_(fitting, fitting)], gamma)
        across = kernel_of(distances[np.ix_(held, fitting)], gamma)
        calls = ((kernel, labels[fitting, k], c) for c in CS for k in range(categories))
        machines = each(fit, calls, jobs=task.jobs, threads=True)
        for place, (support, weights, constant) in enumerate(machines):
            i, k = divmod(place, categories)
            found[i, held, k] = across[:, support] @ weights + constant > 0
    return np.stack([f1(labels, predicted) for predicted in found])


def _machines(
    task: Task, distances: Floats, gamma: float, chosen: list[tuple[float, float]]
) -> tuple[float, list[int], Floats, Floats]:
    """Train the categories that chose this gamma: weights [training document, category] and constants."""
    mine = [k for k, (its, _) in enumerate(chosen) if its == gamma]
    weights, constants = np.zeros((len(task.labels), len(mine))), np.zeros(len(mine))
    if mine:
        kernel = kernel_of(distances, gamma)
        calls = ((kernel, task.labels[:, k], chosen[k][1]) for k in mine)
        fitted = each(fit, calls, jobs=task.jobs, threads=True)
        for place, (support, weight, constant) in enumerate(track(fitted, len(mine), "training Gaussian SVM")):
            weights[support, place], constants[place] = weight, constant
    return gamma, mine, weights, constants


def _predict(task: Task, machines: list[tuple[float, list[int], Floats, Floats]]) -> Mask:
    """Predict the rest a chunk at a time, so that memory does not grow with it."""
    starts = range(0, task.rest.shape[0], CHUNK)

    def part(start: int) -> Mask:
        distances = squared_distances(task.rest[start : start + CHUNK], task.train)
        found = np.zeros((len(distances), task.labels.shape[1]), dtype=np.bool_)
        for gamma, mine, weights, constants in machines:
            if mine:
                found[:, mine] = kernel_of(distances, gamma) @ weights + constants > 0
        return found

    parts = each(part, ((start,) for start in starts), jobs=task.jobs, threads=True)
    return np.concatenate(list(track(parts, len(starts), "predicting by Gaussian SVM")))
