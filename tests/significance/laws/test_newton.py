"""Nearest worlds: none nearer is found by a second, slow implementation; batches are rows; a failed search says so."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import referee
from referee.data.counts import Counts, from_events
from referee.metrics import resolve
from referee.significance.laws import newton as searches
from referee.significance.laws.newton import Newton
from referee.significance.laws.newton_many import Many
from referee.significance.laws.score import ScoreLaw
from referee.significance.laws.score_ends import ends_of
from referee.significance.rank_tally import tally_of
from referee.significance.score_test import NOT_FOUND, NOT_SURE, WIDER
from tests import second_score as second
from tests.golden.figures import rows
from tests.golden.worlds import MACRO, METRICS, NAMES, TABLES, brute, difference_of, law_of, lost
from tests.significance.laws.tables import cells_of, defined, drawn, seen

FIGURES = rows("worlds.csv")
NEARER = 2e-6
"""By what part of the likelihood lost another world may be likelier: both searches stop somewhere."""
ALL = (*METRICS, "f1:average=macro")


def figures_of(metric):
    """Return the events, values, X² and likelihoods lost of each table that the second implementation was asked about."""
    return [
        (
            np.array(row["events"].split(), dtype=int),
            *(np.array([float(row[kind + name]) for name in NAMES]) for kind in ("", "x2_", "lost_")),
        )
        for row in FIGURES
        if row["metric"] == metric
    ]


def by_event(law, expected, events):
    """Return expected counts of the events themselves: those that a metric cannot tell apart share theirs as they were seen."""
    cells, statistics = cells_of(len(events)), law.tally.bound.statistics
    both = np.concatenate([np.asarray(statistics(cells[:, 0], cells[:, role])) for role in (1, 2)], axis=1)
    kind = np.array([np.flatnonzero((np.asarray(law.space.both) == row).all(axis=1))[0] for row in both])
    filled = second.weights(events, law.space.unseen)
    return expected[:, kind] * filled / np.bincount(kind, filled)[kind]


def checked(metric, events, values, x2, missing):
    """Hold our worlds against those of another search; return which of them are the same.

    Where ours is likelier, the other one is not the nearest, and its distance says nothing.
    """
    law = law_of(metric, events)
    found = law.worlds_at(law.tally.multiplicities, values)
    assert found.found.all()
    same = np.zeros(len(values), dtype=bool)
    for place, expected in enumerate(by_event(law, found.expected, events)):
        own = lost(events, expected, law.space.unseen)
        slack = NEARER * max(own, 1.0)
        assert difference_of(metric)(expected) == pytest.approx(values[place], abs=1e-7)
        assert not own > missing[place] + slack
        same[place] = abs(own - missing[place]) <= slack
        if same[place]:
            assert found.root[place] ** 2 == pytest.approx(x2[place], rel=3e-6, abs=3e-6)
    return same


def test_figures_are_of_540_tables():
    assert len(FIGURES) == TABLES + MACRO == sum(len(figures_of(metric)) for metric in ALL)


@pytest.mark.parametrize("metric", ALL)
def test_no_nearer_world_is_found_by_brute_force(metric):
    same = [checked(metric, *figures) for figures in figures_of(metric)]
    assert np.mean(same) > 0.99


@pytest.mark.parametrize("metric", ALL)
def test_intervals_end_where_brute_force_says_that_the_distance_is_reached(metric):
    asked = 0
    for events, values, x2, _ in figures_of(metric):
        law = law_of(metric, events)
        low, high, certain, _ = ends_of([law], law.tally.multiplicities, second.Z, 0.0)[0]
        assert certain
        for end, value, far in zip((low, high), values[1:], x2[1:], strict=True):
            if end in law.range:
                assert not far > second.Z**2
            else:
                asked += 1
                assert end == pytest.approx(value, abs=2e-6)
                assert far == pytest.approx(second.Z**2, abs=1e-5)
    assert asked > len(figures_of(metric))


@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 10**6), metric=st.sampled_from(METRICS), part=st.floats(0.05, 0.9), side=st.integers(0, 1))
def test_no_nearer_world_is_found_by_brute_force_at_any_time(seed, metric, part, side):
    tables = defined(drawn(3, seed, 8, 500))
    if len(tables):
        law = law_of(metric, tables[0])
        centre = float(law.centres(law.tally.multiplicities[None, :])[0])
        value = centre + part * (law.range[side] - centre)
        x2, missing = brute(metric, tables[0], value, law.space.unseen, starts=3)
        checked(metric, tables[0], np.array([value]), [x2], [missing])


@pytest.mark.parametrize("metric", [*METRICS, "accuracy", "jaccard"])
def test_a_batch_has_the_distances_of_its_rows(metric):
    tally, batch = seen(drawn(80, 71), metric)
    known = np.isfinite(tally.scores(batch)).all(axis=-1)
    batch, law = batch[known], ScoreLaw(tally)
    values = np.clip(law.centres(batch) + np.random.default_rng(1).normal(0, 0.1, len(batch)), -0.95, 0.95)
    for value in (0.0, values):
        together = law.distances(batch, value)
        each = np.broadcast_to(value, len(batch))
        alone = [law.distances(row[None, :], float(v)).root[0] for row, v in zip(batch, each, strict=True)]
        assert together.found.all()
        assert together.root == pytest.approx(alone, abs=1e-7)


def test_rows_that_repeat_and_batches_in_parts_change_nothing(monkeypatch):
    tally, batch = seen(drawn(40, 72), "f1")
    law = ScoreLaw(tally)
    plain = law.distances(batch, 0.0).root
    again = np.random.default_rng(0).permutation(np.repeat(np.arange(len(batch)), 3))
    assert law.distances(batch[again], 0.0).root == pytest.approx(plain[again], abs=1e-7)
    monkeypatch.setattr("referee.significance.laws.score.AT_ONCE", 7 * 4 * law.space.both.shape[0])
    assert law.distances(batch, 0.0).root == pytest.approx(plain, abs=1e-7)


@pytest.mark.parametrize("metric", ["f1", "precision", "mcc", "kappa", "balanced-accuracy"])
def test_a_tally_that_lacks_outcomes_has_the_distances_of_one_that_has_them(metric):
    tables = defined(drawn(60, 73))
    tally, batch = seen(tables, metric)
    together = ScoreLaw(tally).distances(batch, 0.0).root
    for events, root in zip(tables, together, strict=True):
        own = tally_of(from_events(events), resolve(metric))
        assert ScoreLaw(own).distances(own.multiplicities[None, :], 0.0).root[0] == pytest.approx(root, abs=1e-6)


@pytest.fixture
def hurried(monkeypatch):
    """Let every search end after two rounds."""
    for search in (Newton, Many):
        monkeypatch.setattr(search, "rounds", (2, 2))
    monkeypatch.setattr(searches, "SPHERE_AIMED", (1, 1, 2))
    monkeypatch.setattr(searches, "SPHERE", (1, 1, 2))


@pytest.mark.parametrize("metric", ["f1", "precision", "mcc", "dcf"])
def test_one_search_that_fails_is_replaced_by_another(metric, monkeypatch):
    counts = from_events([12, 8, 2, 4, 2, 3, 6, 63])
    plain = referee.compare(counts, metric=metric, audit=False)
    monkeypatch.setattr(Newton, "rounds", (2, 2))
    slow = referee.compare(counts, metric=metric, audit=False)
    assert slow.p_value == pytest.approx(plain.p_value, abs=1e-6)
    assert (slow.interval.low, slow.interval.high) == pytest.approx((plain.interval.low, plain.interval.high), abs=1e-6)
    assert slow.solver["rounds"] > plain.solver["rounds"]


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(("metric", "reach"), [("f1", 1), ("precision", 1), ("mcc", 2), ("kappa", 2), ("dcf", 1.09)])
@pytest.mark.parametrize(
    "events", [[12, 8, 2, 4, 2, 3, 6, 63], [61, 14, 9, 21, 6, 11, 5, 873], [3, 4, 0, 3, 2, 0, 1, 987]]
)
def test_a_search_without_an_end_gives_a_warning_and_no_number(metric, reach, events):
    r = referee.compare(from_events(events), metric=metric, audit=False)
    assert (r.p_value, r.statistic, r.verdict) == (None, None, "too close to call")
    assert (r.interval.low, r.interval.high) == pytest.approx((-reach, reach))
    assert not r.solver["converged"]
    assert {NOT_FOUND, WIDER} <= set(r.warnings)


@pytest.mark.parametrize("rounds", [3, 4, 6, 9])
@pytest.mark.parametrize("metric", ["f1", "precision", "mcc", "dcf"])
def test_a_search_cut_short_never_gives_a_wrong_number(metric, rounds, monkeypatch):
    tally, batch = seen(defined(drawn(120, 75)), metric)
    right = ScoreLaw(tally).distances(batch, 0.0)
    monkeypatch.setattr(Newton, "rounds", (rounds, Newton.rounds[1]))
    monkeypatch.setattr(searches, "SPHERE", (rounds, rounds, rounds))
    short = ScoreLaw(tally).distances(batch, 0.0)
    sure = short.found & short.worlds.sure
    assert short.root[sure] == pytest.approx(right.root[sure], rel=1e-4, abs=1e-4)
    assert short.root[short.found] == pytest.approx(right.root[short.found], rel=0.02, abs=0.02)
    assert 0 < sure.sum() < len(batch)


@pytest.mark.usefixtures("hurried")
def test_many_classes_say_it_too_when_the_search_ends_early():
    rng = np.random.default_rng(0)
    truth = np.tile(np.arange(40), 10)
    a, b = (np.where(rng.random(400) < right, truth, rng.integers(0, 40, 400)) for right in (0.6, 0.75))
    r = referee.compare(
        Counts.of({"truth": truth, "a": a, "b": b}), metric="f1:average=macro", test="score", audit=False
    )
    assert r.p_value is None
    assert {NOT_FOUND, WIDER} <= set(r.warnings)
    assert NOT_SURE not in r.warnings
