"""Looking after each of several batches: rates against enumeration, whole groups, and what is asked for wrongly."""

from __future__ import annotations

from dataclasses import replace
from math import factorial, prod

import numpy as np
import pytest

import referee
from referee import Counts, Population
from referee.data.counts import from_events
from referee.errors import OptionError
from referee.metrics import resolve
from referee.report.methods import paragraph
from referee.runtime.randomness import Streams
from referee.significance import resolve as resolve_test
from referee.studies.auditing.grid import AuditPlan, binomial_error, run_cell
from referee.studies.auditing.population import World

EVENTS = from_events((30, 14, 5, 21, 6, 11, 8, 100))
WORLD = Population.of(EVENTS)
PLAN = AuditPlan(
    metric="error", tests=("mcnemar", "anytime"), alphas=(0.1, 0.3), sets=3000, nulls=("swap",), coverage=True, peeks=3
)
GROUPS = Counts.of(
    {
        "truth": [1, 0, 1, 1, 0, 1] * 20,
        "a": [1, 0, 0, 1, 0, 1] * 20,
        "b": [0, 0, 1, 1, 1, 1] * 10 + [1, 0, 1, 1, 0, 1] * 10,
        "group": np.repeat(np.arange(30), 4),
    }
)


def enumerated(test, n, peeks, alpha):
    """Sum the probability of every way to be rejected at some look: by what each batch adds to wins, losses and ties."""
    world = World.of(WORLD.swap(), resolve("error"))
    gap = world.tally.statistics[:, 1, 0] - world.tally.statistics[:, 0, 0]
    kinds = [np.flatnonzero(gap > 0), np.flatnonzero(gap < 0), np.flatnonzero(gap == 0)]
    shares = world.population.shares(world.tally)
    up, down, same = (shares[kind].sum() for kind in kinds)

    def rejects(u, d, size):
        row = np.zeros((1, len(gap)), np.int64)
        for kind, count in zip(kinds, (u, d, size - u - d), strict=True):
            row[0, kind[0]] = count
        return resolve_test(test).evaluate(world.tally, row, "two-sided", Streams.of(0)).p[0] <= alpha

    step, never = n // peeks, {(0, 0): 1.0}
    for look in range(1, peeks + 1):
        after = {}
        for (u, d), chance in never.items():
            for x in range(step + 1):
                for y in range(step + 1 - x):
                    ways = factorial(step) / prod(map(factorial, (x, y, step - x - y)))
                    key = u + x, d + y
                    after[key] = after.get(key, 0.0) + chance * ways * up**x * down**y * same ** (step - x - y)
        never = {key: chance for key, chance in after.items() if not rejects(*key, look * step)}
    return 1 - sum(never.values())


@pytest.mark.parametrize("test", PLAN.tests)
def test_rates_are_those_of_enumerating_every_way(test):
    found = run_cell(PLAN, WORLD, None, 24)["tests"][test]["rejected"]["swap"]
    for hits, alpha in zip(found, PLAN.alphas, strict=True):
        exact = enumerated(test, 24, 3, alpha)
        assert hits / PLAN.sets == pytest.approx(exact, abs=4 * binomial_error(exact, PLAN.sets))
    assert exact > 0.02


def test_one_look_is_no_other_audit_than_before():
    world = World.of(WORLD, resolve("error"))
    (only,) = world.looks(40, 7, 1, Streams.of(3))
    assert (only == world.batch(40, 7, Streams.of(3))).all()
    assert "peeks" not in replace(PLAN, peeks=1).describe()
    assert PLAN.describe()["peeks"] == 3


def test_batches_are_nearly_equal_and_add_up():
    seen = np.array(list(World.of(WORLD, resolve("error")).looks(50, 5, 8, Streams.of(1))))
    sizes = np.diff(seen.sum(axis=2), axis=0, prepend=0)
    assert (np.diff(seen, axis=0) >= 0).all()
    assert set(sizes.ravel().tolist()) == {6, 7}
    assert (seen[-1].sum(axis=1) == 50).all()
    assert not (seen[0] == seen[1] - seen[0]).all()  # no two batches have the same draws


@pytest.mark.parametrize("ignore", [False, True])
def test_groups_arrive_whole(ignore):
    world = World.of(Population.of(GROUPS), resolve("accuracy"), ignore_groups=ignore)
    seen = np.array(list(world.looks(80, 4, 5, Streams.of(1))))
    assert (seen.sum(axis=2) == (4 * (4 if ignore else 1) * np.arange(1, 6))[:, None]).all()


def test_more_looks_more_false_alarms_and_fewer_intervals_that_hold():
    once, often = (run_cell(replace(PLAN, peeks=peeks, sets=800), WORLD, None, 120)["tests"] for peeks in (1, 12))
    assert often["mcnemar"]["rejected"]["swap"][0] > 2 * once["mcnemar"]["rejected"]["swap"][0]
    assert often["mcnemar"]["covered"][0] < once["mcnemar"]["covered"][0] - 30
    assert often["anytime"]["rejected"]["swap"][0] <= 0.1 * 800
    assert often["anytime"]["covered"][0] >= 0.9 * often["anytime"]["intervals"][0] > 0


def test_the_audit_tells_that_it_looked():
    r = referee.audit(EVENTS, metric="error", sets=60, peeks=20)
    assert {row["test"] for row in r.rows} == {"score", "anytime", "mcnemar"}
    assert {row["peeks"] for row in r.rows} == {20}
    assert "|peeks:20|" in r.signature
    for text in (str(r), r.to_markdown(), r.to_latex(), paragraph.paragraph(r)):
        assert "looking after each of 20 batches" in " ".join(text.split())
    assert "looking after each of 20 batches" in r.plot().to_json()
    assert "at any look" in paragraph.paragraph(r)
    assert r.to_frame()["peeks"].to_list() == [20] * 3
    plain = referee.audit(EVENTS, metric="error", sets=60, test="mcnemar")
    assert plain.rows[0]["peeks"] == 1
    assert "look" not in str(plain)
    assert "anytime" not in {row["test"] for row in referee.audit(EVENTS, metric="error", sets=20).rows}


def test_of_groups_too():
    r = referee.audit(GROUPS, metric="accuracy", sets=40, peeks=6)
    assert {(row["test"], row["groups"]) for row in r.rows} >= {("cluster-t", "whole"), ("anytime", "ignored")}


@pytest.mark.parametrize("peeks", [0, -1, 2.0, True, "3"])
def test_looks_are_a_whole_number(peeks):
    with pytest.raises(OptionError, match="peeks must be a whole number"):
        referee.audit(EVENTS, metric="error", peeks=peeks)


def test_more_looks_than_examples():
    with pytest.raises(OptionError, match="only 10 examples, too few to arrive in 11 batches"):
        referee.audit(EVENTS, metric="error", sizes=[10, 100], peeks=11)
    with pytest.raises(OptionError, match="only 10 groups"):
        referee.audit(GROUPS, metric="accuracy", sizes=40, peeks=11)
