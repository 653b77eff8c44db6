"""Estimators that misbehave, for the tests; in a module, so that other processes find them."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Threshold(ClassifierMixin, BaseEstimator):
    """Cuts one feature at the middle of its class means; quick, and with nothing to seed."""

    def __init__(self, column=0, marks=None):
        self.column, self.marks = column, marks

    def fit(self, X, y):
        if self.marks is not None:
            with (Path(self.marks) / f"{self.column}").open("a") as file:
                file.write("x")
        self.classes_ = np.unique(y)
        values = np.asarray(X, dtype=float)[:, self.column]
        self.means_ = np.array([values[np.asarray(y) == label].mean() for label in self.classes_])
        return self

    def predict(self, X):
        values = np.asarray(X, dtype=float)[:, self.column]
        return self.classes_[np.abs(values[:, None] - self.means_).argmin(axis=1)]


class Failing(Threshold):
    """Fails where the first training example is even."""

    def fit(self, X, y):
        if int(np.asarray(X)[0, -1]) % 2 == 0:
            raise ValueError("no even\nbeginnings")
        return super().fit(X, y)


class Hopeless(Threshold):
    """Always fails."""

    def fit(self, X, y):
        raise RuntimeError("cannot")


class Leaving(Threshold):
    """Ends the program."""

    def fit(self, X, y):
        raise SystemExit(3)


class Noisy(Threshold):
    """Warns at every fit, and guesses by a seed."""

    def __init__(self, random_state=None):
        super().__init__()
        self.random_state = random_state

    def fit(self, X, y):
        warnings.warn("it did not converge", RuntimeWarning, stacklevel=2)
        return super().fit(X, y)

    def predict(self, X):
        return np.random.default_rng(self.random_state).choice(self.classes_, len(X))


class Short(Threshold):
    """Predicts too little."""

    def predict(self, X):
        return super().predict(X)[:-1]


class Mute:
    """Has no predict."""

    def fit(self, X, y):
        return self

    def get_params(self, deep=True):
        return {}
