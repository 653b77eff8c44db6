"""The walk over the lattice and the meeting in the middle, against listing every sign."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.runtime.randomness import Streams
from referee.significance.laws import signed_sums
from referee.significance.laws.signed_sums import sign_sums


def brute(moves, sizes, threshold, score=lambda s: s[..., 0]):
    units = np.repeat(moves, sizes, axis=0)
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=len(units))))
    return float((score(signs @ units) >= threshold).mean())


@given(
    st.lists(st.tuples(st.integers(-4, 4), st.integers(-3, 3), st.integers(1, 4)), min_size=2, max_size=4),
    st.integers(-8, 8),
)
@settings(max_examples=60, deadline=None)
def test_walks_equal_brute_force(rows, aim):
    moves = np.array([(x, y) for x, y, _ in rows if (x, y) != (0, 0)], dtype=float).reshape(-1, 2)
    sizes = np.array([n for x, y, n in rows if (x, y) != (0, 0)], dtype=np.int64)
    if len(moves) < 1 or sizes.sum() > 12:
        return

    def score(shift):
        return shift[..., 0] + 0.5 * np.abs(shift[..., 1])

    expected = brute(moves, sizes, aim - 1e-9, score)
    columns, back = signed_sums._coordinates(moves)
    walked = signed_sums.Lattice(columns, back, sizes, 38.6)
    points = walked.walk()
    assert points[1].sum() == pytest.approx(1.0)
    assert points[1] @ (score(points[0]) >= aim - 1e-9) == pytest.approx(expected, abs=1e-12)
    assert signed_sums.Walk(moves, sizes, score).upper(aim - 1e-9) == pytest.approx(max(expected, 5e-324), abs=1e-12)


def test_a_narrow_box_is_widened_until_nothing_is_missing(monkeypatch):
    rng = np.random.default_rng(0)
    moves = rng.integers(-3, 4, size=(12, 2)).astype(float)
    moves = moves[(moves != 0).any(axis=1)]
    sizes = rng.integers(20, 60, len(moves))
    spread = np.sqrt(sizes @ moves[:, 0] ** 2)
    columns, back = signed_sums._coordinates(moves)
    full = signed_sums.Lattice(columns, back, sizes, 38.6).walk()
    for z in (0.5, 3.0, 7.0, 12.0):
        aim = np.floor(z * spread)
        expected = float(full[1][full[0][:, 0] >= aim - 1e-9].sum())
        found = signed_sums.Walk(moves, sizes, lambda s: s[..., 0]).upper(aim - 1e-9)
        assert found == pytest.approx(expected, rel=1e-9)


@given(st.lists(st.floats(-5, 5).filter(lambda x: abs(x) > 1e-3), min_size=2, max_size=11), st.floats(0, 1))
@settings(max_examples=60, deadline=None)
def test_meeting_in_the_middle_equals_brute_force(values, part):
    moves = np.array(values)
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=len(moves))))
    sums = np.sort(signs @ moves)
    aim = sums[int(part * (len(sums) - 1))]
    tolerance = 1e-9
    expected = float((sums >= aim - tolerance).mean())
    law = signed_sums.Sums(moves, np.ones(len(moves), np.int64))
    law._walk = None
    assert law.upper(aim - tolerance) == pytest.approx(expected, abs=1e-12)
    found = signed_sums.Sums(moves, np.ones(len(moves), np.int64)).upper(aim - tolerance)
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("values", [[0.5, 1.5, 2.0], [1 / 3, 2 / 3, 1.0], [0.01, 0.25], [1e-7, 3e-7], [7.0, 21.0]])
def test_hidden_whole_numbers_are_found(values):
    whole, scale = signed_sums.whole_numbers(np.array(values)[:, None])
    assert whole[:, 0] / scale == pytest.approx(values, rel=1e-9)


def test_irrational_moves_are_not_whole():
    assert signed_sums.whole_numbers(np.array([[1.0], [np.sqrt(2)], [np.pi * 1e-6]])) is None


def test_over_budget_is_none(monkeypatch):
    monkeypatch.setattr(signed_sums, "POINTS", 10)
    monkeypatch.setattr(signed_sums, "PRODUCT", 10)
    monkeypatch.setattr(signed_sums, "SMALL", 10)
    assert signed_sums.Walk(np.array([[1.0], [2.0]]), np.array([50, 50]), lambda s: s[..., 0]).upper(3.0) is None


@pytest.mark.parametrize("sizes", [[1] * 30, [5, 9, 1, 1, 12], [1] * 9 + [3]])
def test_sampled_signs_have_the_right_law(sizes):
    sizes = np.array(sizes)
    moves = np.random.default_rng(0).normal(size=(len(sizes), 2))
    drawn = sign_sums(moves, sizes, 20_000, Streams.of(3))
    expected = (moves * sizes[:, None]).T @ moves
    assert np.cov(drawn.T) == pytest.approx(expected, rel=0.06, abs=0.4)
    assert np.abs(drawn.mean(axis=0)) == pytest.approx(0, abs=5 * np.sqrt(expected.diagonal().max() / 20_000))
    assert np.array_equal(drawn, sign_sums(moves, sizes, 20_000, Streams.of(3)))


def test_a_box_larger_than_any_number_is_out_of_reach_without_a_complaint():
    moves = np.random.default_rng(0).integers(1, 1000, size=(150, 120)).astype(float)
    assert signed_sums.Walk(moves, np.full(150, 9), lambda s: s[..., 0]).upper(3.0) is None
    huge = np.array([[2.0**39], [2.0**39 - 1], [2.0**38 + 1]])
    assert signed_sums.Walk(huge, np.full(3, 10**9), lambda s: s[..., 0]).upper(3.0) is None
