"""Made-up data that the tests of this folder share."""

from __future__ import annotations

import numpy as np

from referee.data.counts import from_events
from referee.studies.auditing.population import Population
from referee_papers import bizarre
from referee_papers.bizarre.whole_documents import Plan as Drawing

TINY = bizarre.Plan(
    Drawing(size=300, replicates=400, subsets=200, others=10, other_replicates=200, tied=20), sizes=(100, 400), sets=20
)


def given():
    rng = np.random.default_rng(5)
    sets = {}
    for name, tilt in (("X", 2.0), ("Y", 1.0), ("Z", 0.5)):
        shares = np.array([4, 1.0 * tilt, 1.0, 1, 0.5, 0.5, 0.5 * tilt, 12])
        kinds = np.unique(rng.multinomial(21, shares / shares.sum(), size=40), axis=0)
        parts = {
            part: {"events": kinds.tolist(), "times": rng.integers(5, 30, len(kinds)).tolist()}
            for part in ("test", "truth")
        }
        sets[name] = {"categories": [f"c{i}" for i in range(21)], **parts}
    return {"schema": "referee.documents/1", "corpus": "made", "a": "linear", "b": "rbf", "sets": sets}


def worlds():
    return {"x": Population.of(from_events([300, 60, 60, 40, 30, 50, 50, 410]))}
