"""Populations: worlds to draw test sets from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from referee import Counts, Population
from referee.data.counts import from_events
from referee.errors import InputError, Misfit, OptionError
from referee.metrics import resolve
from referee.significance.rank_tally import tally_of
from referee.studies.auditing.population import shipped

EVENTS = (61, 14, 9, 21, 6, 11, 5, 873)


def test_draws_have_the_population_shares():
    world = Population.of(from_events(EVENTS))
    drawn = world.multiplicities(1000, 500, rng=3)
    assert (drawn.sum(axis=1) == 1000).all()
    assert drawn.mean(axis=0) == pytest.approx(world.probabilities * 1000, rel=0.1)
    assert np.array_equal(world.multiplicities(1000, 300, rng=3), drawn[:300])
    assert world.draw(50, rng=1) == world.draw(50, rng=1)
    assert world.draw(50).n == 50


def test_swap_makes_the_systems_exchangeable():
    world = Population.of(from_events(EVENTS)).swap()
    shares = dict(
        zip(
            zip(*(world.counts[c].tolist() for c in ("truth", "a", "b")), strict=True), world.probabilities, strict=True
        )
    )
    assert shares[1, 0, 1] == pytest.approx(shares[1, 1, 0])
    assert shares[0, 0, 1] == pytest.approx((11 + 5) / 2000)
    assert sum(shares.values()) == pytest.approx(1.0)


def test_weights():
    world = Population.from_weights({"truth": [1, 1, 0], "a": [1, 1, 0], "b": [0, 0, 1]}, [0.5, 1.5, 2.0])
    assert world.probabilities.tolist() == [0.5, 0.5]
    for bad in ([0, 0, 0], [1, -1, 1], [1, float("nan"), 1]):
        with pytest.raises(InputError):
            Population.from_weights({"truth": [1, 1, 0], "a": [1, 1, 0], "b": [0, 0, 1]}, bad)
    with pytest.raises(InputError):
        Population.of(Counts.of({"truth": [], "a": [], "b": []}))
    with pytest.raises(OptionError):
        world.draw(0)
    assert np.isfinite(world.probabilities).all()


MADE = [(61, 14, 9, 21, 6, 11, 5, 873), (300, 200, 20, 100, 50, 10, 90, 500), (5, 30, 1, 4, 2, 1, 40, 1000)]


@pytest.mark.parametrize("events", MADE)
@pytest.mark.parametrize("metric", ["f1", "precision", "recall", "accuracy", "mcc", "dcf", "hter", "f1:average=macro"])
def test_the_tilt_is_the_nearest_tie(events, metric):
    """It keeps the conditions of the least divergence, and a general optimiser finds no nearer tie."""
    world, chosen = Population.of(from_events(events)), resolve(metric)
    p, q = world.probabilities, world.tilt(chosen).probabilities
    assert q.sum() == pytest.approx(1.0)
    assert abs(gap(world, chosen, q)) < 1e-12
    # At the least divergence ln(q/p) is a constant plus a multiple of the slopes of the difference, here by differences.
    steps = 1e-5 * np.diag(q)
    slopes = np.array([(gap(world, chosen, q + step) - gap(world, chosen, q - step)) for step in steps]) / (2e-5 * q)
    design = np.column_stack([np.ones(len(q)), slopes / np.abs(slopes).max()])
    log = np.log(q / p)
    left = log - design @ np.linalg.lstsq(design, log, rcond=None)[0]
    assert np.abs(left).max() < 1e-6 * np.abs(log).max()
    # Such an optimiser may stop early, and no two machines stop at the same digit: it must only not do better.
    for start in (p, q, (p + q) / 2, np.full(len(p), 1 / len(p))):
        found = minimize(
            lambda x: divergence(x, p),
            start,
            jac=lambda x: np.log(x / p) + 1,
            constraints=[
                {"type": "eq", "fun": lambda x: x.sum() - 1},
                {"type": "eq", "fun": lambda x: gap(world, chosen, x)},
            ],
            bounds=[(1e-12, 1)] * len(p),
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        if abs(gap(world, chosen, found.x)) < 1e-9 and abs(found.x.sum() - 1) < 1e-9:
            assert divergence(q, p) <= divergence(found.x, p) + 1e-7


def gap(world, metric, shares):
    return replace(world, probabilities=shares).difference(metric)


def divergence(q, p):
    return float((q * np.log(q / p)).sum())


@pytest.mark.parametrize("events", [[4, 0, 0, 151, 14, 0, 8, 109500], [30, 0, 6, 20, 5, 9, 0, 900]])
def test_the_tilt_knows_outcomes_without_a_share(events):
    """An outcome that cannot occur pulls hardest on some ties, and still does not occur."""
    cells = [(1, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 1, 1), (0, 0, 1), (0, 1, 0), (0, 0, 0)]
    full, only = from_events([1] * 8), from_events(events)
    rows = list(zip(*(full[role].tolist() for role in ("truth", "a", "b")), strict=True))
    shares = np.array([events[cells.index(row)] for row in rows]) / sum(events)
    with_all, without = Population(full, shares).tilt(resolve("f1")), Population.of(only).tilt(resolve("f1"))
    assert (with_all is None) == (without is None)
    if with_all is not None:
        assert (with_all.probabilities[shares == 0] == 0).all()
        kept = without.probabilities[only.multiplicities > 0]
        assert np.sort(with_all.probabilities[shares > 0]) == pytest.approx(np.sort(kept), abs=1e-9)


def test_the_tilt_of_a_ratio_has_the_papers_form():
    """q ∝ p·exp(λ₁g_A + λ₂g_B) with g = 2tp − f·(2tp + fp + fn) at the common score f."""
    world = Population.of(from_events(MADE[0]))
    tied = world.tilt(resolve("f1"))
    truth, a, b = (world.counts[role] for role in ("truth", "a", "b"))
    score = tally_of(world.counts, resolve("f1")).scores(tied.shares(tally_of(world.counts, resolve("f1"))))[0]
    g = [2.0 * (truth & x) - score * (2 * (truth & x) + (truth ^ x)) for x in (a, b)]
    log = np.log(tied.probabilities / world.probabilities)
    design = np.column_stack([np.ones(len(log)), *g])
    left = log - design @ np.linalg.lstsq(design, log, rcond=None)[0]
    assert np.abs(left).max() < 1e-9


def test_empty_cells_stay_empty_and_a_tie_that_needs_one_is_none():
    one_sided = Population.of(from_events([50, 10, 0, 5, 0, 0, 0, 100]))
    assert one_sided.tilt(resolve("f1")) is None
    assert one_sided.tilt(resolve("accuracy")) is None
    assert len(one_sided.counts) == 4
    same = Population.of(from_events([50, 0, 0, 5, 3, 0, 0, 100]))
    assert np.array_equal(same.tilt(resolve("f1")).probabilities, same.probabilities)


@pytest.mark.parametrize(
    ("name", "category", "metric"), [("rcv1-linear-mlp", "C42", "mcc"), ("wordnet-linear-mlp", "n04916342", "kappa")]
)
def test_a_tie_whose_last_digits_are_rounding_is_found(name, category, metric):
    counts = dict(shipped(name).slices())[category]
    tied = Population.of(counts).tilt(resolve(metric))
    assert abs(tied.difference(resolve(metric))) < 1e-12


def test_tilt_of_means_and_areas():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 80)
    a, b = (truth + rng.normal(size=80)).round(2), (truth + 0.5 * rng.normal(size=80)).round(2)
    world = Population.of(Counts.of({"truth": truth, "a": a, "b": b}))
    assert abs(world.tilt(resolve("auc")).difference(resolve("auc"))) < 1e-12
    scores = Population.of(Counts.of({"a": a, "b": b}))
    assert abs(scores.tilt(resolve("mean")).difference(resolve("mean"))) < 1e-12
    with pytest.raises(Misfit, match="swap"):
        world.tilt(resolve("average-precision"))


def grouped(n=60, groups=12):
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, n)
    a, b = (np.where(rng.random(n) < 0.8, truth, 1 - truth) for _ in range(2))
    return Counts.of({"truth": truth, "a": a, "b": b, "group": rng.integers(0, groups, n)})


def test_groups_are_drawn_whole():
    counts = grouped()
    world = Population.of(counts)
    assert len(world.probabilities) == len(set(counts["group"].tolist()))
    drawn = world.draw(30, rng=2)
    assert len(set(drawn["group"].tolist())) == 30
    whole = {tuple(sorted(group_rows(counts, g))) for g in set(counts["group"].tolist())}
    assert {tuple(sorted(group_rows(drawn, g))) for g in set(drawn["group"].tolist())} <= whole
    tied = world.tilt(resolve("f1"))
    assert abs(tied.difference(resolve("f1"))) < 1e-12
    assert abs(world.swap().difference(resolve("f1"))) < 1e-12
    with pytest.raises(InputError, match=r"Population\.of"):
        Population.from_weights({"a": [1], "b": [1], "group": [1]}, [1.0])


def group_rows(counts, group):
    inside = counts["group"] == group
    rows = zip(*(counts[role][inside].tolist() for role in ("truth", "a", "b")), strict=True)
    return [row for row, m in zip(rows, counts.multiplicities[inside].tolist(), strict=True) for _ in range(m)]


def test_clustered_examples_have_the_correlation_that_is_asked_for():
    world = Population.of(from_events(MADE[0]))
    made = world.clustered(5, 0.36, groups=20000, rng=1)
    right = (made.counts["truth"] == made.counts["a"]).astype(float)
    sums = np.bincount(made.counts["group"], right * made.counts.multiplicities)
    p = sums.sum() / made.counts.n
    assert p == pytest.approx((61 + 9 + 11 + 873) / 1000, abs=0.005)
    # Var(sum of m) = m·p·(1 − p)·(1 + (m − 1)·ρ)
    assert sums.var() / (5 * p * (1 - p)) == pytest.approx(1 + 4 * 0.36, rel=0.08)
    for bad in ({"size": 0}, {"correlation": 1.5}, {"groups": 1}):
        with pytest.raises(OptionError):
            world.clustered(**{"size": 5, "correlation": 0.1, **bad})
