"""Scores that are 0/0: what next to nothing could make anything is left open, and only that."""

from __future__ import annotations

import numpy as np
import pytest

import referee
from referee.data.counts import Counts, from_events

ALPHA = 0.05


def compare(rows, metric):
    truth, a, b = (
        np.repeat(values, [count for *_, count in rows]) for values in zip(*(row[:3] for row in rows), strict=True)
    )
    return referee.compare(Counts.of({"truth": truth, "a": a, "b": b}), metric=metric, audit=False)


def test_a_system_that_never_answers_leaves_the_others_interval():
    """B finds nothing, so its precision can be anything: b - a lies between 0 - high(A) and 1 - low(A)."""
    r = referee.compare(from_events([0, 0, 6, 0, 0, 0, 4, 190]), metric="precision", audit=False)
    assert r.p_value == 1.0
    assert r.verdict == "too close to call"
    assert r.interval.low == pytest.approx(-r.a.interval.high, abs=1e-6)
    assert r.interval.high == pytest.approx(1 - r.a.interval.low, abs=1e-6)
    assert (r.b.interval.low, r.b.interval.high) == (0.0, 1.0)
    flipped = referee.compare(from_events([0, 0, 6, 0, 0, 0, 4, 190]).swap(), metric="precision", audit=False)
    assert flipped.interval.low == pytest.approx(-r.interval.high, abs=1e-6)


def test_a_class_that_nobody_answers_leaves_its_share_of_the_average():
    """Three classes, the third never answered: macro-averaged precision is open by a third, on top of what the others leave."""
    both = compare([(0, 0, 0, 500), (1, 0, 1, 50), (2, 0, 0, 30), (1, 1, 0, 30)], "precision:average=macro")
    two = compare([(0, 0, 0, 500), (1, 0, 1, 50), (0, 1, 1, 0), (1, 1, 0, 30)], "precision:average=macro")
    assert both.p_value == 1.0
    assert -1 / 3 - 0.06 < both.interval.low < -1 / 3 < 1 / 3 < both.interval.high < 1 / 3 + 0.06
    assert two.interval.high - two.interval.low < 0.1


def test_what_one_system_leaves_open_does_not_hide_a_clear_difference():
    """A never answers with the third class; even if it were right whenever it did, B would be better on the other two."""
    rows = [(0, 0, 0, 300), (1, 0, 1, 200), (0, 1, 0, 200), (1, 1, 1, 10), (2, 0, 2, 60)]
    r = compare(rows, "precision:average=macro")
    assert r.verdict == "b better"
    assert r.p_value <= ALPHA
    assert 0 < r.interval.low < r.difference < r.interval.high


@pytest.mark.parametrize("metric", ["f1:average=macro", "mcc", "kappa", "accuracy"])
def test_one_possible_outcome_rules_nothing_out_at_once(metric):
    r = compare([("x", "x", "x", 40)], metric)
    assert (r.difference, r.p_value, r.verdict) == (0.0, 1.0, "too close to call")
    assert r.interval.low < 0 < r.interval.high


def test_a_system_that_always_says_the_same_has_an_mcc_that_grows_from_0():
    """The slope of MCC is infinite there, and yet its interval ends where that of kappa about does."""
    events = [0, 0, 6, 0, 0, 0, 0, 194]
    mcc, kappa = (referee.compare(from_events(events), metric=m, audit=False) for m in ("mcc", "kappa"))
    assert mcc.p_value == pytest.approx(kappa.p_value, abs=2e-3)
    assert mcc.verdict == kappa.verdict == "a better"
    assert mcc.interval.high == pytest.approx(-0.1576, abs=2e-3)
    assert mcc.b.interval.high == pytest.approx(0.617, abs=5e-3)
