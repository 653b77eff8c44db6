"""What is called detectable is detected four times in five, in worlds like the data; or it is not given."""

from __future__ import annotations

import numpy as np
import pytest

import referee
from referee.data.counts import Counts, from_events
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance.laws.score import ScoreLaw
from referee.significance.rank_tally import tally_of
from referee.significance.test_choice import choose

SETS = 2000
TABLES = {
    "rare": [61, 14, 9, 21, 6, 11, 5, 873],
    "balanced": [100, 12, 14, 20, 18, 11, 13, 112],
    "unlike": [20, 6, 60, 15, 5, 5, 120, 769],
}


def found_in_four_of_five(power):
    assert 0.75 <= power <= 0.85


def in_nearest_world(counts, metric, r, alternative="two-sided"):
    """Draw test sets from the world with that difference that makes the data likeliest; return how often the default rejects."""
    tally = tally_of(counts, resolve(metric))
    side = -1 if alternative == "less" or (alternative == "two-sided" and r.difference < 0) else 1
    law = ScoreLaw(tally)
    made = law.distances(tally.multiplicities[None, :], side * r.detectable)
    assert made.found.all()
    expected = made.worlds.expected[0]
    batch = np.random.default_rng(1).multinomial(counts.n, expected / expected.sum(), size=SETS)
    return choose(tally)[0].decide(law.whole(), batch, (r.alpha,), alternative, Streams.of(0)).mean()


@pytest.mark.parametrize("name", list(TABLES))
@pytest.mark.parametrize("metric", ["accuracy", "f1", "precision", "mcc", "dcf"])
def test_of_counts(name, metric):
    counts = from_events(TABLES[name])
    r = referee.compare(counts, metric=metric, audit=False)
    found_in_four_of_five(in_nearest_world(counts, metric, r))
    assert referee.compare(counts.swap(), metric=metric, audit=False).detectable == pytest.approx(
        r.detectable, rel=1e-6
    )


@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_of_one_side(alternative, alpha):
    counts = from_events(TABLES["rare"])
    r = referee.compare(counts, metric="f1", alternative=alternative, alpha=alpha, audit=False)
    found_in_four_of_five(in_nearest_world(counts, "f1", r, alternative))
    swapped = referee.compare(
        counts.swap(), metric="f1", alternative={"greater": "less", "less": "greater"}[alternative], alpha=alpha
    )
    assert swapped.detectable == pytest.approx(r.detectable, rel=1e-6)


def test_of_several_classes():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 400)
    a, b = (np.where(rng.random(400) < 0.75, truth, rng.integers(0, 3, 400)) for _ in range(2))
    counts = Counts.of({"truth": truth, "a": a, "b": b})
    r = referee.compare(counts, metric="f1:average=macro", audit=False)
    found_in_four_of_five(in_nearest_world(counts, "f1:average=macro", r))


def test_of_ratings():
    rng = np.random.default_rng(2)
    a, b = (np.clip(np.rint(rng.normal(4, 1, 200)), 1, 5) for _ in range(2))
    counts = Counts.of({"a": a, "b": b})
    metric = "mean:low=1,high=5,step=1"
    r = referee.compare(counts, metric=metric, audit=False)
    assert r.test == "score"
    found_in_four_of_five(in_nearest_world(counts, metric, r))


def among_shifted(data, r, alternative="two-sided"):
    """Draw units again after all scores of B were moved so that the means differ by as much."""
    side = 1 if r.difference >= 0 else -1
    shifted = {**data, "b": data["b"] + side * r.detectable - r.difference}
    tally = tally_of(Counts.of(shifted), resolve("mean"))
    batch = np.random.default_rng(1).multinomial(tally.units, tally.multiplicities / tally.units, size=SETS)
    return choose(tally)[0].decide(tally, batch, (r.alpha,), alternative, Streams.of(0)).mean()


@pytest.mark.parametrize("n", [60, 200])
@pytest.mark.parametrize("seed", [1, 2])
def test_of_a_mean(n, seed):
    rng = np.random.default_rng(seed)
    data = {"a": rng.normal(size=n), "b": rng.normal(size=n)}
    r = referee.compare(Counts.of(data), audit=False)
    assert r.test == "skew-t"
    found_in_four_of_five(among_shifted(data, r))


@pytest.mark.parametrize("sizes", [[6] * 40, list(range(1, 101))])
def test_of_a_mean_over_groups(sizes):
    rng = np.random.default_rng(4)
    group = np.repeat(np.arange(len(sizes)), sizes)
    own = rng.normal(scale=0.7, size=len(sizes))[group]
    data = {"a": rng.normal(size=len(group)), "b": own + rng.normal(size=len(group)), "group": group}
    r = referee.compare(Counts.of(data), audit=False)
    assert r.test == "cluster-t"
    found_in_four_of_five(among_shifted(data, r))


@pytest.mark.parametrize("metric", ["accuracy", "f1"])
def test_of_labels_over_groups(metric):
    """Groups are drawn again with chances that are tilted until the difference is as large."""
    rng = np.random.default_rng(3)
    group = np.repeat(np.arange(100), 10)
    truth = rng.random(1000) < 0.5
    a, b = (truth ^ (rng.random(1000) < rng.beta(2, 6, 100)[group]) for _ in range(2))
    counts = Counts.of({"truth": truth * 1, "a": a * 1, "b": b * 1, "group": group})
    tally = tally_of(counts, resolve(metric))
    r = referee.compare(counts, metric=metric, audit=False)
    aim = r.detectable if r.difference >= 0 else -r.detectable
    weights = tally.multiplicities.astype(float)
    pulls = tally.influence(tally.bound.formula.gradient(tally.totals(weights)))
    low, high = -10.0 / np.abs(pulls).max(), 10.0 / np.abs(pulls).max()
    for _ in range(60):
        middle = (low + high) / 2
        shares = weights * np.exp(middle * pulls)
        scores = tally.scores(shares)
        low, high = (middle, high) if scores[1] - scores[0] < aim else (low, middle)
    assert scores[1] - scores[0] == pytest.approx(aim, rel=1e-6)
    batch = np.random.default_rng(1).multinomial(tally.units, shares / shares.sum(), size=SETS)
    found_in_four_of_five(choose(tally)[0].decide(tally, batch, (0.05,), "two-sided", Streams.of(0)).mean())


def test_too_few_that_decide_say_nothing():
    few = referee.compare(from_events([50, 10, 9, 0, 0, 0, 0, 500]), metric="accuracy", audit=False)
    assert few.detectable is None
    more = referee.compare(from_events([50, 10, 10, 0, 0, 0, 0, 500]), metric="accuracy", audit=False)
    assert more.detectable is not None


@pytest.mark.parametrize("sizes", [[10] * 15, [300] + [5] * 30])
def test_few_groups_in_effect_say_nothing(sizes):
    rng = np.random.default_rng(4)
    group = np.repeat(np.arange(len(sizes)), sizes)
    data = {"a": rng.normal(size=len(group)), "b": rng.normal(size=len(group)), "group": group}
    assert referee.compare(Counts.of(data), audit=False).detectable is None


def test_skewed_means_say_nothing():
    rng = np.random.default_rng(4)
    data = {"a": np.zeros(60), "b": np.exp(1.5 * rng.normal(size=60))}
    assert referee.compare(Counts.of(data), audit=False).detectable is None


@pytest.mark.parametrize("question", ["no-worse", "equal"])
def test_a_question_about_a_margin_has_none(question):
    """What it detects is that there is no difference of the margin: no difference is the smallest that it detects."""
    r = referee.compare(from_events(TABLES["rare"]), metric="f1", question=question, margin=0.05, audit=False)
    assert r.detectable is None
