"""The score law by draws from the nearest tie, against all tables that can be drawn from it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import gammaln

import referee
from referee.data.counts import from_events
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance.laws.score import ScoreLaw
from referee.significance.rank_tally import tally_of
from referee.significance.score_test import Score
from tests import second_score as second
from tests.significance.laws.tables import seen


def tables_of(n, kinds):
    """Return every way to put n examples into so many kinds."""
    if kinds == 1:
        return np.array([[n]])
    return np.concatenate(
        [np.insert(rest, 0, first, axis=1) for first in range(n + 1) for rest in [tables_of(n - first, kinds - 1)]]
    )


@pytest.mark.parametrize(
    ("metric", "events"),
    [
        ("accuracy", [2, 3, 0, 1, 0, 0, 1, 1]),
        ("f1", [2, 3, 0, 1, 0, 1, 0, 1]),
        ("precision", [2, 2, 0, 0, 0, 1, 2, 0]),
        ("mcc", [2, 2, 0, 0, 0, 1, 1, 1]),
    ],
)
def test_draws_agree_with_all_tables_of_the_nearest_tie(metric, events):
    """The tie is the second implementation's, and every table that can be drawn from it is weighed by its probability."""
    tie = second.nearest(events, second.difference_of(metric), 0.0)
    every = tables_of(sum(events), 8)
    weight = np.exp(gammaln(sum(events) + 1) - gammaln(every + 1).sum(axis=1) + every @ np.log(tie))
    assert weight.sum() == pytest.approx(1)
    tally, batch = seen(every, metric)
    root = ScoreLaw(tally).distances(batch, 0.0).root
    if metric == "accuracy":
        only_a, only_b = every[:, [2, 5]].sum(axis=1), every[:, [1, 6]].sum(axis=1)
        assert root == pytest.approx((only_b - only_a) / np.sqrt(np.maximum(only_a + only_b, 1)), abs=1e-6)
    own = tally_of(from_events(events), resolve(metric))
    observed = float(ScoreLaw(own).distances(own.multiplicities[None, :], 0.0).root[0])
    for side, reached in (
        ("two-sided", np.abs(root) >= abs(observed) - 1e-6),
        ("greater", root >= observed - 1e-6),
        ("less", root <= observed + 1e-6),
    ):
        made = Score(law="sampled").evaluate(own, own.multiplicities[None, :], side, Streams.of(7))
        assert made.method == "monte-carlo"
        p, error = float(made.p[0]), float(made.error[0])
        assert error == pytest.approx(math.sqrt(p * (1 - p) / 1999))
        assert abs(p - weight[reached].sum()) <= 4 * error


def test_draws_and_normal_law_meet_in_large_samples():
    counts = from_events([61, 14, 9, 21, 6, 11, 5, 873])
    sampled, normal = (
        referee.compare(counts, metric="precision", test=test, audit=False) for test in ("score:law=sampled", "score")
    )
    assert sampled.statistic == normal.statistic
    assert sampled.p_value == pytest.approx(normal.p_value, abs=4 * sampled.p_error)
    ends = normal.interval.low, normal.interval.high
    assert (sampled.interval.low, sampled.interval.high) == pytest.approx(ends, abs=0.02)
