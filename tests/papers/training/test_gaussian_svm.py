"""The Gaussian SVM is that of scikit-learn, however it is run."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scripts.population_training import train

from referee_papers.training import models
from tests.papers.populations.synthetic import synthetic


def test_training_again_and_by_two_at_once_gives_the_same():
    first, second = (train(synthetic(150), 80, 1, ["rbf-svm"], jobs=jobs) for jobs in (1, 2))
    assert np.array_equal(first.predicted["rbf-svm"], second.predicted["rbf-svm"])


def test_the_gaussian_svms_may_share_their_settings():
    found = train(synthetic(150), 80, 1, ["rbf-svm"], sample=2).settings["rbf-svm"]
    assert len(set(found["C"])) == len(set(found["gamma"])) == 1 and found["tuned_on"] == 2
    assert max(found["cv_mean_f1"].values()) == found["cv_mean_f1"][f"gamma {found['gamma'][0]:g}, C {found['C'][0]:g}"]


def test_the_gaussian_svm_is_that_of_scikit_learn():
    from sklearn.svm import SVC

    draw = np.random.default_rng(0)
    rows = sparse.random(150, 30, 0.3, format="csr", rng=draw)
    labels = np.asarray(rows[:, :5].sum(axis=1)).ravel() > 0.7
    kernel = models.kernel_of(models.squared_distances(rows[:90], rows[:90]), 0.3)
    support, weights, constant = models.fit_gaussian(kernel, labels[:90], 3.0)
    across = models.kernel_of(models.squared_distances(rows[90:], rows[:90]), 0.3)
    plain = SVC(C=3.0, gamma=0.3).fit(rows[:90].toarray(), labels[:90])
    assert across[:, support] @ weights + constant == pytest.approx(
        plain.decision_function(rows[90:].toarray()), abs=1e-2
    )
