"""The score law where an answer was known before: McNemar, Tango and Wilson; and what follows from ties being the same."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

import referee
from referee.data.counts import from_events
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance.distributions import normal_p
from referee.significance.laws.score import ScoreLaw
from referee.significance.laws.score_ends import ends_of
from referee.significance.rank_tally import tally_of
from referee.significance.score_test import Score
from tests.second_score import Z, tango, wilson
from tests.significance.laws.tables import drawn, seen

TABLES = drawn(1000, 1)
ONLY_A = {"accuracy": [2, 5], "recall": [2], "specificity": [5]}
ONLY_B = {"accuracy": [1, 6], "recall": [1], "specificity": [6]}
OF = {"accuracy": slice(0, 8), "recall": slice(0, 4), "specificity": slice(4, 8)}
"""The events on which only one system is right, and those that the metric is about."""
STREAMS = Streams.of(0)


def p_values(events, metric):
    tally, batch = seen(events, metric)
    return Score().measure(tally, batch, "two-sided", STREAMS).p


def pairs(events, metric):
    """Return how often only A is right, only B, and among how many."""
    return (
        events[:, ONLY_A[metric]].sum(axis=1),
        events[:, ONLY_B[metric]].sum(axis=1),
        events[:, OF[metric]].sum(axis=1),
    )


def test_tables_are_sparse_and_dense():
    sizes = TABLES.sum(axis=1)
    assert sizes.min() == 5
    assert sizes.max() > 4500
    assert 0.2 < (TABLES == 0).mean() < 0.4
    assert (TABLES > 0).all(axis=1).mean() > 0.2


@pytest.mark.parametrize("metric", ["accuracy", "recall", "specificity"])
def test_p_is_that_of_mcnemars_uncorrected_chi_squared(metric):
    only_a, only_b, size = pairs(TABLES, metric)
    apart = np.maximum(only_a + only_b, 1)
    mcnemar = normal_p((only_b - only_a) / np.sqrt(apart), np.ones(len(TABLES)), "two-sided")
    some = size > 0
    assert p_values(TABLES[some], metric) == pytest.approx(mcnemar[some], abs=1e-8)


@pytest.mark.parametrize(
    ("metric", "tables"), [("accuracy", TABLES), ("recall", TABLES[:200]), ("specificity", TABLES[:200])]
)
def test_interval_is_tangos_over_the_examples_that_the_metric_is_about(metric, tables):
    """To 1e-8. Where one kind of disagreement was never seen, the world of an end may be on the brink of needing it, and there
    the thousand-millionth of an example that stands for it shows: by up to 1e-7, in a few tables of a thousand."""
    tally, batch = seen(tables, metric)
    law, off, brink = ScoreLaw(tally), [], []
    for row, only_a, only_b, size in zip(batch, *pairs(tables, metric), strict=True):
        if size:
            low, high, certain, _ = ends_of([law], row, Z, 0.0)[0]
            assert certain
            ends = tango(int(only_a), int(only_b), int(size))
            off.append(max(abs(low - ends[0]), abs(high - ends[1])))
            brink.append(0 in (only_a, only_b))
    off, brink = np.array(off), np.array(brink)
    assert off[~brink].max() <= 1e-8
    assert off.max() <= 1e-7
    assert (off > 1e-8).mean() <= 0.01


@pytest.mark.parametrize("level", [0.8, 0.99])
def test_interval_is_tangos_at_other_levels_and_with_units_of_its_own(level):
    z = NormalDist().inv_cdf((1 + level) / 2)
    for events, only_a, only_b, size in zip(TABLES[:60], *pairs(TABLES[:60], "accuracy"), strict=True):
        tally = tally_of(from_events(events), resolve("accuracy"))
        found = Score().interval_of(tally, level, STREAMS)
        assert (found.low, found.high) == pytest.approx(tango(int(only_a), int(only_b), int(size), z), abs=1e-8)


@pytest.mark.parametrize(("hits", "n", "low", "high"), [(17, 20, 0.63958, 0.94763), (5, 5, 0.56552, 1.0)])
def test_one_systems_own_accuracy_is_wilsons(hits, n, low, high):
    events = [hits, 0, 0, n - hits, 0, 0, 0, 0]
    tally = tally_of(from_events(events), resolve("accuracy"))
    for signs in ((1.0, 0.0), (0.0, 1.0)):
        found = ends_of([ScoreLaw(tally, signs)], tally.multiplicities, Z)[0][:2]
        assert found == pytest.approx((low, high), abs=5.1e-6)
        assert found == pytest.approx(wilson(hits, n), abs=1e-8)
    shown = referee.compare(from_events(events), metric="accuracy", audit=False).a.interval
    assert (shown.low, shown.high) == pytest.approx(wilson(hits, n), abs=1e-8)


def test_one_systems_own_accuracy_is_wilsons_on_random_tables():
    tally, batch = seen(TABLES[:150], "accuracy")
    for row, events in zip(batch, TABLES[:150], strict=True):
        found = ends_of([ScoreLaw(tally, (1.0, 0.0))], row, Z)[0][:2]
        assert found == pytest.approx(wilson(int(events[[0, 2, 5, 7]].sum()), int(events.sum())), abs=1e-8)


def test_f1_and_jaccard_are_as_far_from_a_tie():
    """They tie in the same worlds. On the way to a tie they pass different ones: where one of these is farther off, p is its."""
    laws = [(ScoreLaw(tally), batch) for tally, batch in (seen(TABLES, name) for name in ("f1", "jaccard"))]
    first, second = (law.distances(batch, 0.0) for law, batch in laws)
    assert first.worlds.root == pytest.approx(second.worlds.root, abs=1e-8)
    falls = [np.abs(found.root) > found.worlds.root + 1e-8 for found in (first, second)]
    straight = ~(falls[0] | falls[1])
    assert straight.mean() > 0.995
    f1, jaccard = (p_values(TABLES, name) for name in ("f1", "jaccard"))
    assert f1[straight] == pytest.approx(jaccard[straight], abs=1e-8)
    assert len(np.unique(f1.round(6))) > 500


def test_the_way_to_a_tie_tells_f1_from_jaccard_where_the_distance_falls_again():
    """Both are 3.6031 off at 0, and farther before: there p may differ, and the intervals say why."""
    tallies = [tally_of(from_events([1, 0, 0, 1, 2, 79, 0, 380]), resolve(name)) for name in ("f1", "jaccard")]
    found = [ScoreLaw(tally).distances(tally.multiplicities[None, :], 0.0) for tally in tallies]
    assert [float(one.worlds.root[0]) for one in found] == pytest.approx([3.6031446] * 2, abs=1e-6)
    assert 3.6031446 < abs(found[0].root[0]) < abs(found[1].root[0])
