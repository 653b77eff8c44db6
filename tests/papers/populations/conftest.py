"""What the tests of this folder share."""

from __future__ import annotations

import pytest
from scripts.population_training import train

from referee.runtime.progress import watching
from referee_papers.training import models
from tests.papers.populations.synthetic import synthetic


@pytest.fixture(scope="package")
def trained():
    seen = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(models, "LINEAR_CS", (1.0, 10.0))
        patch.setattr(models, "CS", (3.0, 30.0))
        patch.setattr(models, "GAMMAS", (0.3, 1.0))
        patch.setattr(models, "CHUNK", 50)
        patch.setattr(models, "NETWORKS", ((16, 1e-4), (24, 1e-4)))
        patch.setattr(models, "EPOCHS", 12)
        patch.setattr(models, "STEPS", 12)
        patch.setattr(models, "RATE", 0.03)
        with watching(lambda what, done, total: seen.append(what)):
            found = train(synthetic(), 160, 3)
    assert len(set(seen)) == 8
    return found
