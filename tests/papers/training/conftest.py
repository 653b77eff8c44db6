"""What the tests of this folder share."""

from __future__ import annotations

import pytest

from referee.runtime.progress import watching
from referee_papers.training import gaussian_svm, linear_svm, perceptron
from referee_papers.training.train import train
from tests.papers.training.made_up import synthetic


@pytest.fixture(scope="package")
def trained():
    seen = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear_svm, "GRID", (1.0, 10.0))
        patch.setattr(gaussian_svm, "CS", (3.0, 30.0))
        patch.setattr(gaussian_svm, "GAMMAS", (0.3, 1.0))
        patch.setattr(gaussian_svm, "CHUNK", 50)
        patch.setattr(perceptron, "GRID", ((16, 1e-4), (24, 1e-4)))
        patch.setattr(perceptron, "EPOCHS", 12)
        patch.setattr(perceptron, "STEPS", 12)
        patch.setattr(perceptron, "RATE", 0.03)
        with watching(lambda what, done, total: seen.append(what)):
            found = train(synthetic(), 160, 3)
    assert len(set(seen)) == 8
    return found
