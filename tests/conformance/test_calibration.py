"""A small Type I check: where A and B are exchangeable, tests that promise alpha keep it."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import lru_cache

import numpy as np
import pytest

from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance import TESTS
from referee.significance import resolve as resolve_test
from referee.significance.rank_tally import tally_of
from referee.studies.auditing.population import Population
from tests.conformance.cases import PAIRS, counts

SETS, SIZE, ALPHA = 200, 150, 0.05
FEWER, FEWEST = 100, 60
"""Sets of tests that walk through a law for each of them, and of those that sort as well."""
DEAR = {"bayes", "randomization", "wilcoxon"}
LARGE = 800
"""The bootstrap promises alpha only as the set grows."""


# Exact laws of these are slow to walk hundreds of times; the sampled form of the same law stands for them here.
WALKED = {"auc", "average-precision", "mean", "mse", "rmse", "mae", "pinball"}
WALKED |= {m for m, _ in PAIRS if resolve(m).task in ("sums", "probabilities")}
SAMPLED = [
    (m, t)
    for m, t in PAIRS
    if not ((m in WALKED or "average" in m) and t in ("randomization", "randomization:studentized=true"))
]


def keeping(tally):
    """Return the tally with sets that remember what was drawn from them: the kinds of bootstrap share their draws."""
    sets = {}

    class Keeping(type(tally)):
        def with_multiplicities(self, multiplicities):
            made = super().with_multiplicities(multiplicities)
            return replace(made, memory=sets.setdefault(multiplicities.tobytes(), made.memory))

    return Keeping(**{one.name: getattr(tally, one.name) for one in fields(tally)})


@lru_cache(maxsize=2)
def drawn(metric, size, sets):
    """Return the units of a world without a difference, and sets that are drawn from it."""
    world = Population.of(counts(metric, 300, seed=21)).swap()
    tally = tally_of(world.counts, resolve(metric))
    return keeping(tally), np.random.default_rng(5).multinomial(size, world_on(tally, world), size=sets)


@pytest.mark.parametrize(("metric", "test"), SAMPLED)
def test_false_alarms_stay_within_alpha(metric, test):
    name = test.partition(":")[0]
    slow = metric in ("auc", "average-precision") and name != "delong"
    sets = FEWEST if slow else FEWER if name in DEAR else SETS
    limit = ALPHA + 3 * np.sqrt(ALPHA * (1 - ALPHA) / sets)
    tally, batch = drawn(metric, LARGE if name == "bootstrap" and not slow else SIZE, sets)
    evidence = resolve_test(test).evaluate(tally, batch, "two-sided", Streams.of(1))
    share = float((evidence.p <= ALPHA).mean())
    if TESTS[name].calibrated:
        assert share <= limit, f"{test} on {metric} rejects {share:.3f} at {ALPHA}"
    assert np.isfinite(evidence.p).mean() > 0.9


def world_on(tally, world):
    """Give the population's probabilities to the units of its tally."""
    scale = 10**9
    weighted = replace(world.counts, multiplicities=np.rint(world.probabilities * scale).astype(np.int64))
    units = tally_of(weighted, tally.metric).multiplicities
    return units / units.sum()
