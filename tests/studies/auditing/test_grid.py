"""Cells: rates against enumeration, and numbers that depend on nothing but the cell."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from referee import Counts, Population
from referee.data.counts import from_events
from referee.errors import InputError
from referee.metrics import resolve
from referee.runtime.parallel import run
from referee.runtime.randomness import Streams
from referee.significance import resolve as resolve_test
from referee.studies.auditing.grid import IGNORING, AuditPlan, Grid, binomial_error, fingerprint, run_cell
from referee.studies.auditing.population import World, check

WORLD = Population.of(from_events((30, 14, 5, 21, 6, 11, 8, 100)))
DESIGN = AuditPlan(
    metric="error",
    tests=("mcnemar", "mcnemar:variant=exact", "proportion", "sign"),
    alphas=(0.05, 0.1),
    sets=4000,
    nulls=("tilt", "swap", "observed"),
    coverage=False,
)


def enumerated(test, population, n, alpha):
    """Sum the probability of every test set that the test rejects: all splits into b only, a only, both or neither."""
    world = World.of(population, resolve("error"))
    gap = world.tally.statistics[:, 1, 0] - world.tally.statistics[:, 0, 0]
    shares = population.shares(world.tally)
    up, down = shares[gap > 0].sum(), shares[gap < 0].sum()
    total = 0.0
    for u in range(n + 1):
        for d in range(n + 1 - u):
            row = np.zeros(len(gap), np.int64)
            row[np.flatnonzero(gap > 0)[0]], row[np.flatnonzero(gap < 0)[0]] = u, d
            row[np.flatnonzero(gap == 0)[0]] = n - u - d
            p = resolve_test(test).evaluate(world.tally, row[None, :], "two-sided", Streams.of(0)).p[0]
            ways = math.comb(n, u) * math.comb(n - u, d)
            total += (p <= alpha) * ways * up**u * down**d * (1 - up - down) ** (n - u - d)
    return total


@pytest.mark.parametrize("test", ["mcnemar", "mcnemar:variant=exact"])
@pytest.mark.parametrize("null", ["tilt", "swap", "true"])
def test_rates_are_those_of_enumerating_every_test_set(test, null):
    n = 24
    world = {"tilt": WORLD.tilt(resolve("error")), "swap": WORLD.swap(), "true": WORLD}[null]
    exact = enumerated(test, world, n, 0.1)
    found = run_cell(DESIGN, WORLD, None, n)["tests"][test]["rejected"][null][1] / DESIGN.sets
    assert found == pytest.approx(exact, abs=4 * binomial_error(exact, DESIGN.sets))
    assert 0.01 < exact < 0.9


def test_a_cell_depends_on_itself_alone():
    small = replace(DESIGN, sets=60, tests=("bootstrap:replicates=199", "mcnemar"), metric="error")
    alone = replace(small, tests=("mcnemar",), nulls=("swap",), alphas=(0.1,))
    both, one = run_cell(small, WORLD, "x", 50), run_cell(alone, WORLD, "x", 50)
    assert one["tests"]["mcnemar"]["rejected"]["swap"][0] == both["tests"]["mcnemar"]["rejected"]["swap"][1]
    assert one["tests"]["mcnemar"]["rejected"]["true"][0] == both["tests"]["mcnemar"]["rejected"]["true"][1]
    assert run_cell(small, WORLD, "y", 50) != both
    assert run_cell(replace(small, rng=1), WORLD, "x", 50) != both


def test_workers_change_no_number():
    design = replace(DESIGN, sets=40, metric="f1", tests=("bootstrap:replicates=199", "randomization"))
    grid = Grid(design, {"x": WORLD, "y": WORLD.swap(), None: WORLD}, (30, 60))
    one = run(run_cell, grid.tasks(), jobs=1)
    assert run(run_cell, grid.tasks(), jobs=2) == one
    assert run(run_cell, grid.tasks(), jobs=8) == one
    assert list(one) == [grid.key(c, n) for n in (60, 30) for c in ("x", "y", None)]


def test_ignoring_groups_costs_false_alarms():
    world = WORLD.clustered(10, 0.5, groups=400, rng=1)
    design = replace(DESIGN, tests=("mcnemar", "mcnemar" + IGNORING), sets=400, nulls=("swap",), alphas=(0.05,))
    found = run_cell(design, world, None, 300)
    assert found["units"] == 30
    kept, ignored = (found["tests"][t]["rejected"]["swap"][0] / 400 for t in design.tests)
    assert kept < 0.1
    assert ignored > 0.2


def test_a_world_that_ignores_groups_sees_the_same_examples():
    world = WORLD.clustered(4, 0.3, groups=50, rng=1)
    metric = resolve("f1")
    whole, apart = World.of(world, metric), World.of(world, metric, ignore_groups=True)
    batches = [w.batch(40, 7, Streams.of(2)) for w in (whole, apart)]
    assert (batches[0].sum(axis=1) == 10).all()
    assert (batches[1].sum(axis=1) == 40).all()
    first, second = (w.tally.scores(batch) for w, batch in zip((whole, apart), batches, strict=True))
    assert first == pytest.approx(second)
    assert not apart.tally.grouped


@pytest.mark.parametrize("metric", ["f1", "recall", "auc"])
def test_an_empty_category_is_said_to_be_one(metric):
    if metric == "auc":
        empty = Counts.of({"truth": [0, 0], "a": [0.5, 0.1], "b": [0.5, 0.2]}, positive=1)
    else:
        empty = Counts.of({"truth": [0, 0], "a": [0, 1], "b": [0, 0]}, [90, 10], positive=1)
    with pytest.raises(InputError, match=r"category 'rare' is empty|category 'rare'"):
        check(Population.of(empty), resolve(metric), "rare")


def test_a_fingerprint_tells_populations_apart():
    other = Population.of(from_events((30, 14, 5, 21, 6, 11, 8, 101)))
    assert fingerprint(WORLD) == fingerprint(Population.of(WORLD.counts))
    assert len({fingerprint(w) for w in (WORLD, other, WORLD.swap(), WORLD.tilt(resolve("f1")))}) == 4


def test_coverage_is_near_its_level():
    design = replace(DESIGN, tests=("mcnemar", "bootstrap:replicates=999"), sets=300, coverage=True, alphas=(0.05, 0.2))
    found = run_cell(design, WORLD, None, 400)["tests"]
    for test in design.tests:
        assert found[test]["intervals"] == [300, 300]
        for held, level in zip(found[test]["covered"], (0.95, 0.8), strict=True):
            assert held / 300 == pytest.approx(level, abs=0.06)


def test_sets_without_a_positive_are_not_rejected():
    rare = Population.of(from_events((2, 3, 1, 2, 1, 2, 1, 400)))
    design = replace(
        DESIGN, metric="recall", sets=200, tests=("mcnemar", "two-proportions", "randomization"), coverage=True
    )
    found = run_cell(design, rare, None, 20)["tests"]
    for test in design.tests:
        assert found[test]["intervals"][0] < 200, "sets without a positive have no interval"
        assert max(found[test]["rejected"]["true"]) < 100
