"""Retrieval: false alarms and coverage of the default test on scores per query, whose differences are skewed."""

from __future__ import annotations

import numpy as np

import referee
from benchmarks.evaluations import Figure
from referee.data.counts import Counts

TITLE = "Retrieval: scores per query"
ABOUT = """\
`referee compare --qrels`: two rankers whose score per query lies between 0 and 1, as AP and nDCG do. B is much better on 30% of the
queries ("few gains") or much worse on them ("few losses"), and a little worse or better on the others, so that the two are equal on
average. The default test knows only the range."""
SETS = 500
SHARE, LOW, HIGH = 0.3, 0.1, 0.6
ALPHA, BETA = 1.2, 2.5


def scores(rng: np.random.Generator, queries: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of two rankers with one true mean."""
    mean = ALPHA / (ALPHA + BETA)
    old = rng.beta(ALPHA, BETA, queries)
    leap = rng.uniform(LOW, HIGH, queries) * (rng.random(queries) < SHARE)
    loss = SHARE * (LOW + HIGH) / 2 * (1 - mean) / mean  # what is gained on average, as a share of the old score
    return old, old * (1 - loss) + leap * (1 - old)


def measure() -> list[Figure]:
    """Return the figures: under a tie the two rates are one law seen from two sides, so each is measured on its own."""
    figures = []
    for scene, turned in (("few gains", False), ("few losses", True)):
        for queries in (25, 50, 200):
            rng = np.random.default_rng([7, queries, turned])
            alarms = covered = 0
            for _ in range(SETS):
                a, b = scores(rng, queries)[:: -1 if turned else 1]
                counts = Counts.of({"a": a, "b": b}, about={"scale": "low=0,high=1", "noun": "query"})
                r = referee.compare(counts, audit=False)
                assert r.p_value is not None
                assert r.interval is not None
                alarms += r.p_value <= 0.05
                covered += 0.0 in r.interval
            where = f"{queries} queries, {scene}"
            figures.append(Figure.share(alarms, SETS, scene=where, what="false alarms at α = 5%", most=0.075))
            figures.append(Figure.share(covered, SETS, scene=where, what="coverage of the 95% interval", least=0.925))
    return figures
