"""The law of the largest of many statistics: against every sign by brute force, and its laws."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

import referee
from referee.data.counts import Counts
from referee.data.roles import MORE
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance.distributions import student_p
from referee.significance.max_t import MaxT, unit_moves

PAIRS = np.array(list(combinations(range(4), 2)))


def units(n=9, systems=4, seed=0):
    moves = np.random.default_rng(seed).normal(size=(n, systems))
    return moves - moves.mean(axis=0)


def every_sign(moves, shares=None):
    """Return the smallest p of all pairs for each of the 2^n signs, written out."""
    out = []
    h = np.zeros(len(moves)) if shares is None else shares
    df = np.inf if shares is None else 1 / (h**2).sum() - 1
    for signs in product((-1.0, 1.0), repeat=len(moves)):
        p = 1.0
        for i, j in PAIRS:
            psi = np.array(signs) * (moves[:, j] - moves[:, i])
            d = psi.sum()
            rest = psi - h * d
            p = min(p, float(student_p(abs(d) / np.sqrt((rest**2 / (1 - h)).sum()), 1.0, df, "two-sided")))
        out.append(p)
    return np.sort(out)


@pytest.mark.parametrize("shares", [None, np.full(9, 1 / 9), np.arange(1, 10) / 45], ids=["null", "equal", "unequal"])
def test_draws_are_those_of_every_sign(shares):
    moves = units()
    law = MaxT(moves, np.ones(9, np.int64), PAIRS, Streams.of(1), shares)
    whole = every_sign(moves, shares)
    for p in (0.01, 0.03, 0.1, 0.3):
        exact = np.searchsorted(whole, p * (1 + 1e-9), side="right") / len(whole)
        drawn = np.searchsorted(law.smallest, p * (1 + 1e-9), side="right") / law.draws
        assert abs(drawn - exact) < 4 * np.sqrt(max(exact, 1e-3) / law.draws), p


def test_units_may_be_counted_by_kind():
    moves, weights = units(6), np.array([3, 1, 2, 5, 1, 4])
    moves -= weights @ moves / weights.sum()
    law = MaxT(moves, weights, PAIRS, Streams.of(0))
    apart = MaxT(np.repeat(moves, weights, axis=0), np.ones(16, np.int64), PAIRS, Streams.of(0))
    for q in (0.01, 0.05, 0.5):
        place = int(q * law.draws)
        assert abs(np.searchsorted(apart.smallest, law.smallest[place]) - place) < 5 * np.sqrt(place + 1)


def test_one_comparison_is_left_as_it_is():
    law = MaxT(units()[:, :2], np.ones(9, np.int64), np.array([[0, 1]]), Streams.of(0))
    p = np.array([1e-9, 0.003, 0.05, 0.7, 1.0])
    assert [float(law.adjust(p[i : i + 1])[0]) for i in range(5)] == p.tolist()
    assert law.level(0.05) == 0.05


def test_adjusted_p_values_lie_between_their_own_and_bonferronis_and_the_level_divides_them():
    law = MaxT(units(60), np.ones(60, np.int64), PAIRS, Streams.of(0))
    p = np.array([1e-7, 0.004, 0.0101, 0.02, 0.3, 0.9])
    adjusted = law.adjust(p)
    assert (adjusted >= p).all() and (adjusted <= np.minimum(1, 6 * p)).all() and (np.diff(adjusted) >= 0).all()
    for alpha in (0.01, 0.05, 0.2):
        level = law.level(alpha)
        assert alpha / 6 <= level <= alpha
        for own in (level, level * (1 + 1e-6), level * (1 - 1e-6)):
            assert (float(law.adjust(np.full(6, own))[0]) <= alpha) == (own <= level)


def test_steps_down_are_those_of_the_smaller_families():
    moves = units(80, seed=3)
    law = MaxT(moves, np.ones(80, np.int64), PAIRS, Streams.of(2))
    p = np.array([0.2, 0.001, 0.04, 0.012, np.nan, 0.6])
    stepped, single = law.step_down(p), law.adjust(p)
    known = ~np.isnan(p)
    assert np.isnan(stepped[4]) and (stepped[known] <= single[known] + 1e-12).all()
    order = np.argsort(np.where(known, p, 2.0))
    last = 0.0
    for place, one in enumerate(order[:5]):
        rest = MaxT(moves, np.ones(80, np.int64), PAIRS[order[place:]], Streams.of(2))
        hits = np.searchsorted(rest.smallest, p[one] * (1 + 1e-9), side="right")
        last = max(last, float(np.clip((hits + 1) / 10_000, p[one], min(1.0, (6 - place) * p[one]))))
        assert stepped[one] == pytest.approx(last)


def test_systems_that_do_not_differ_are_never_told_apart():
    moves = np.repeat(units(30)[:, :1], 4, axis=1)
    law = MaxT(moves, np.ones(30, np.int64), PAIRS, Streams.of(0))
    assert law.adjust(np.ones(6)).tolist() == [1.0] * 6


@pytest.mark.parametrize("metric", ["accuracy", "f1", "mcc", "recall"])
def test_moves_are_the_change_by_one_more_example(metric):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 40)
    columns = {f"{MORE}{i}": np.where(rng.random(40) < 0.7, truth, 1 - truth) for i in (1, 2, 3)}
    counts, own = Counts.of({"truth": truth, **columns}), resolve(metric)
    moves, weights, shares = unit_moves(counts, own)
    assert weights @ shares == pytest.approx(1)
    bound, more = own.bind(counts), 1e-6
    for k, role in enumerate(counts.systems):
        statistics = bound.statistics(counts["truth"], counts[role])
        total = counts.multiplicities @ statistics
        moved = [(bound.formula.score(total + more * row) - bound.formula.score(total)) / more for row in statistics]
        centred = np.array(moved) - counts.multiplicities @ np.array(moved) / counts.n
        assert moves[:, k] == pytest.approx(centred, abs=1e-5)


def test_moves_of_areas_give_delongs_variance():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 60)
    columns = {f"{MORE}{i}": np.round(truth + rng.normal(size=60), 1) for i in (1, 2)}
    counts = Counts.of({"truth": truth, **columns})
    moves, weights, _ = unit_moves(counts, resolve("auc"))
    drawn = float(weights @ (moves[:, 1] - moves[:, 0]) ** 2)
    r = referee.compare(counts.pair(*counts.systems), metric="auc", test="delong", audit=False)
    assert drawn == pytest.approx((r.difference / r.statistic) ** 2, rel=0.05)
