"""The models of the papers: their inputs, how they are tuned by cross-validation, and what they predict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product, starmap
from typing import Any

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.runtime.progress import track

LINEAR_CS = (0.3, 1.0, 3.0, 10.0, 30.0)
CS, GAMMAS = (3.0, 10.0, 30.0, 100.0), (0.1, 0.3, 1.0)
"""What the Gaussian SVM tries, each gamma with each C."""
CHUNK = 2048
"""Documents that the Gaussian SVM predicts at a time, so that memory does not grow with them."""
CACHE = 600
"""Megabytes that one fit may keep of the kernel."""
Machines = tuple[float, list[int], Floats, Floats]
"""A gamma, the categories that chose it, and their weights [training document, category] and constants."""
NETWORKS = ((32, 1e-4), (64, 1e-4), (64, 1e-2))
"""Hidden units, and the weight of the penalty (alpha)."""
EPOCHS = 40
STEPS = 40
"""About how many steps an epoch has, so that a small training set is learnt from as long as a large one."""
RATE = 0.003


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

    def holdouts(self) -> list[Mask]:
        """Return for each fold which training documents are in it."""
        return [self.folds == fold for fold in np.unique(self.folds)]

    def map(
        self, function: Callable[..., Any], calls: Iterable[tuple[Any, ...]], threads: bool = False
    ) -> Iterator[Any]:
        """Yield function(*arguments) of each call, in order: one at a time, unless a subclass has several workers.

        Args:
            function: what to call.
            calls: the arguments of each call.
            threads: whether threads would be enough as workers: for functions that leave Python for long.
        """
        return starmap(function, calls)

    def each(self, function: Callable[..., Any], calls: list[Any], what: str, threads: bool = False) -> Iterator[Any]:
        """Do what `map` does, telling whoever watches how far it is."""
        return track(self.map(function, calls, threads), len(calls), what)


@dataclass(frozen=True, eq=False)
class Learned:
    """What a model predicts, and the settings that tuning chose."""

    predicted: Mask
    """[document of the rest, category]."""
    settings: dict[str, Any]


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


def linear_svm(task: Task) -> Learned:
    """Tune C by cross-validation for each category, then train on all training documents."""
    # Not threads: liblinear keeps its random numbers in a global that they would share.
    pieces = [(task.train[~held], task.train[held], held) for held in task.holdouts()]
    tuned = task.each(_tune_linear, [(pieces, labels) for labels in task.labels.T], "tuning linear SVM")
    scores = np.stack(list(tuned), axis=1)
    chosen = [LINEAR_CS[i] for i in best(scores)]
    calls = [(task.train, labels, task.rest, c) for labels, c in zip(task.labels.T, chosen, strict=True)]
    predicted = np.stack(list(task.each(fit_linear, calls, "training linear SVM")), axis=1)
    return Learned(predicted, {"C": chosen, "cv_f1": scores.max(axis=0).round(4).tolist()})


def fit_linear(train: Any, labels: Mask, rest: Any, c: float) -> Mask:
    """Train one SVM and predict the rest; constant where the training documents have one class only."""
    from sklearn.svm import LinearSVC

    if labels.all() or not labels.any():
        return np.full(rest.shape[0], bool(labels.all()))
    model = LinearSVC(C=c, dual=True, max_iter=10_000, random_state=0).fit(train, labels)
    return np.asarray(model.decision_function(rest) > 0)


def _tune_linear(pieces: list[tuple[Any, Any, Mask]], labels: Mask) -> Floats:
    """Return the F1 of each setting, where each training document is predicted by a model that has not seen its fold."""
    predicted = np.zeros((len(labels), len(LINEAR_CS)), dtype=np.bool_)
    for train, rest, held in pieces:
        for i, c in enumerate(LINEAR_CS):
            predicted[held, i] = fit_linear(train, labels[~held], rest, c)
    return f1(labels[:, None], predicted)


def gaussian_svm(task: Task) -> Learned:
    """Tune C and gamma by cross-validation for each category, then train on all training documents."""
    distances = squared_distances(task.train, task.train)
    scores = tune_gaussian(task, distances)
    grid = list(product(GAMMAS, CS))
    chosen = [grid[i] for i in best(scores)]
    return train_gaussian(task, distances, chosen, cv_f1=scores.max(axis=0).round(4).tolist())


def train_gaussian(task: Task, distances: Floats, chosen: list[tuple[float, float]], **tuned: Any) -> Learned:
    """Train with the gamma and the C of each category, and add them to what is said of the tuning."""
    machines = [_train_gamma(task, distances, gamma, chosen) for gamma in GAMMAS]
    settings = {"C": [c for _, c in chosen], "gamma": [gamma for gamma, _ in chosen], **tuned}
    return Learned(_predict_kernel(task, machines), settings)


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


def fit_gaussian(kernel: Floats, labels: Mask, c: float) -> tuple[Ints, Floats, float]:
    """Train one SVM on a kernel: the support vectors, their weights, and the constant."""
    from sklearn.svm import SVC

    if labels.all() or not labels.any():
        return np.zeros(0, np.int64), np.zeros(0), 1.0 if labels.all() else -1.0
    model = SVC(C=c, kernel="precomputed", cache_size=CACHE).fit(kernel, labels)
    return model.support_.astype(np.int64), model.dual_coef_[0], float(model.intercept_[0])


def tune_gaussian(task: Task, distances: Floats) -> Floats:
    """Return the out-of-fold F1 of [setting, category], the settings being each gamma with each C."""
    labels, folds, scores = task.labels, task.holdouts(), list[Floats]()
    cells = list(product(range(len(CS)), range(labels.shape[1])))
    for gamma in GAMMAS:
        predicted = np.zeros((len(CS), *labels.shape), dtype=np.bool_)
        for held in track(folds, len(folds), f"tuning Gaussian SVM, gamma {gamma:g}"):
            kernel = kernel_of(distances[np.ix_(~held, ~held)], gamma)
            across = kernel_of(distances[np.ix_(held, ~held)], gamma)
            machines = task.map(fit_gaussian, ((kernel, labels[~held, k], CS[i]) for i, k in cells), threads=True)
            for (i, k), (support, weights, constant) in zip(cells, machines, strict=True):
                predicted[i, held, k] = across[:, support] @ weights + constant > 0
        scores += [f1(labels, answers) for answers in predicted]
    return np.stack(scores)


def _train_gamma(task: Task, distances: Floats, gamma: float, chosen: list[tuple[float, float]]) -> Machines:
    """Train the categories that chose this gamma."""
    mine = [k for k, (own, _) in enumerate(chosen) if own == gamma]
    weights, constants = np.zeros((len(task.labels), len(mine))), np.zeros(len(mine))
    if mine:
        kernel = kernel_of(distances, gamma)
        calls = [(kernel, task.labels[:, k], chosen[k][1]) for k in mine]
        machines = task.each(fit_gaussian, calls, "training Gaussian SVM", threads=True)
        for place, (support, weight, constant) in enumerate(machines):
            weights[support, place], constants[place] = weight, constant
    return gamma, mine, weights, constants


def _predict_kernel(task: Task, machines: list[Machines]) -> Mask:
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


def perceptron(task: Task) -> Learned:
    """Tune the size, the penalty and the number of epochs by cross-validation, then train on all training documents.

    Training stops early: at the epoch that was best on the documents held out, on average over the folds. All
    epochs are tried, as F1 falls before it rises: a network first learns that most documents are in no category.
    """
    train, rest = task.train.astype(np.float32), task.rest.astype(np.float32)
    held = task.holdouts()
    # Not threads: the network is small steps of numpy, in which they would hold each other up.
    calls = [(train, task.labels, fold, *setting, task.seed) for setting in NETWORKS for fold in held]
    curves = np.stack(list(task.each(_curve, calls, "tuning perceptron"))).reshape(len(NETWORKS), len(held), EPOCHS)
    means = curves.mean(axis=1)
    setting, last = np.unravel_index(int(np.argmax(means)), means.shape)
    (hidden, alpha), epochs = NETWORKS[int(setting)], int(last) + 1
    network = _network(hidden, alpha, task.seed, len(task.labels))
    for _ in track(range(epochs), epochs, "training perceptron"):
        _step(network, train, task.labels)
    scores = {f"{h}, {a:g}": round(float(m), 4) for (h, a), m in zip(NETWORKS, means.max(axis=1), strict=True)}
    settings = {"hidden": hidden, "alpha": alpha, "epochs": epochs, "learning_rate": RATE, "cv_micro_f1": scores}
    return Learned(_predict_network(network, rest, task.labels.shape[1]), settings)


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


def _predict_network(network: Any, rows: Any, categories: int) -> Mask:
    return np.asarray(network.predict_proba(rows)[:, -categories:] > 0.5)


def _curve(train: Any, labels: Mask, held: Mask, hidden: int, alpha: float, seed: int) -> Floats:
    """Return the F1 over all categories on the documents held out, after each epoch."""
    network, fitting, rest = _network(hidden, alpha, seed, int((~held).sum())), train[~held], train[held]
    truth = labels[held].reshape(-1, 1)
    curve = np.zeros(EPOCHS)
    for epoch in range(EPOCHS):
        _step(network, fitting, labels[~held])
        curve[epoch] = f1(truth, _predict_network(network, rest, labels.shape[1]).reshape(-1, 1))[0]
    return curve
