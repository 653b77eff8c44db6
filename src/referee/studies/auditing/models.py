"""The models of the papers, by name: linear SVM, Gaussian SVM, multi-layer perceptron."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from referee.studies.auditing.gaussian import gaussian_svm
from referee.studies.auditing.learning import Learned, Task
from referee.studies.auditing.linear import linear_svm
from referee.studies.auditing.perceptron import perceptron

MODELS: Mapping[str, Callable[[Task], Learned]] = {
    "linear-svm": linear_svm,
    "rbf-svm": gaussian_svm,
    "mlp": perceptron,
}
