"""The score law: its anchors, what changes nothing, and what p and interval owe each other."""

from __future__ import annotations

import math

import numpy as np
import pytest

import referee
from referee.data.counts import Counts, from_events
from referee.errors import Misfit, OptionError
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance.laws.score import ScoreLaw
from referee.significance.laws.score_ends import ends_of
from referee.significance.rank_tally import tally_of
from referee.significance.score_test import Score
from tests import second_score as second
from tests.significance.laws.tables import CELLS, defined, drawn, seen

STANDARD = [61, 14, 9, 21, 6, 11, 5, 873]
YEH = [19, 6, 28, 50, 5, 9, 43]
ALIKE = [20, 0, 0, 5, 3, 0, 0, 172]
RARE = [3, 4, 0, 3, 2, 0, 1, 987]
METRICS = ("f1", "precision", "mcc", "kappa", "dcf", "accuracy")
STREAMS = Streams.of(0)


def compare(events, metric, *, open=False, **options):  # noqa: A002
    return referee.compare(from_events(events, open=open), metric=metric, audit=False, **options)


def seen_through(events, metric):
    return tally_of(from_events(events), resolve(metric))


def printed(text):
    """Return a number as it is printed, to within one unit of its last digit: some were cut there, not rounded."""
    return pytest.approx(float(text), abs=1.001 * 10.0 ** -len(text.partition(".")[2]))


# --- Anchors


@pytest.mark.parametrize(
    ("metric", "root", "low", "high"),
    [
        ("accuracy", "-.1601282", "-.013818", ".011740"),
        ("precision", "-1.2329314", "-.132327", ".031696"),
        ("f1", ".2505784", "-.060938", ".080921"),
        ("jaccard", ".2505784", "-.078308", ".103278"),
        ("mcc", ".0595762", "-.072357", ".077764"),
        ("kappa", ".2018571", "-.068520", ".086140"),
        ("dcf", ".2966243", "-.010722", ".015061"),
    ],
)
def test_standard_table(metric, root, low, high):
    r = compare(STANDARD, metric)
    assert (r.test, r.interval.method, r.p_method) == ("score", "score", "asymptotic")
    assert r.statistic == printed(root)
    assert r.p_value == pytest.approx(math.erfc(abs(float(root)) / math.sqrt(2)), abs=1e-7)
    assert (r.interval.low, r.interval.high) == (printed(low), printed(high))
    assert r.solver["converged"]


@pytest.mark.parametrize(
    ("metric", "root", "p", "low", "high"),
    [
        ("precision", "1.8534721", ".0638", "-.00854", ".28620"),
        ("f1", "-2.2069790", ".0273", "-.23283", "-.01397"),
        ("jaccard", "-2.2069790", ".0273", None, None),
    ],
)
def test_yehs_table(metric, root, p, low, high):
    r = compare(YEH, metric, open=True)
    assert (r.statistic, r.p_value) == (printed(root), printed(p))
    if low is not None:
        assert (r.interval.low, r.interval.high) == (printed(low), printed(high))


@pytest.mark.parametrize(
    ("metric", "half"), [("f1", ".08477"), ("precision", ".12451"), ("mcc", ".08927"), ("accuracy", ".018845")]
)
def test_systems_that_never_differ_have_an_interval_with_width(metric, half):
    r = compare(ALIKE, metric)
    assert (r.difference, r.statistic, r.p_value) == (0.0, 0.0, 1.0)
    assert (-r.interval.low, r.interval.high) == (printed(half), printed(half))


@pytest.mark.parametrize(
    ("metric", "root", "low", "high"),
    [("f1", "2.1036", ".0351", ".6327"), ("mcc", "2.1418", None, None), ("precision", "1.9579", None, None)],
)
def test_few_positives(metric, root, low, high):
    """The interval is that of the second implementation, both ways: .035101 to .632725."""
    r = compare(RARE, metric)
    assert r.statistic == printed(root)
    assert r.p_value == pytest.approx(math.erfc(r.statistic / math.sqrt(2)), rel=1e-9)
    if low is not None:
        assert (r.interval.low, r.interval.high) == (printed(low), printed(high))
        for end in (r.interval.low, r.interval.high):
            world = second.nearest_by_profile(RARE, metric, end)
            assert math.sqrt(second.distance(RARE, world)) == pytest.approx(second.Z, abs=2e-6)


@pytest.mark.parametrize("metric", ["f1", "precision", "jaccard", "balanced-accuracy"])
def test_where_nothing_was_asked_nothing_is_ruled_out(metric):
    r = compare([0, 0, 0, 0, 0, 0, 0, 100], metric)
    assert (r.difference, r.p_value, r.interval.low, r.interval.high) == (0.0, 1.0, -1.0, 1.0)


# --- What changes nothing


@pytest.mark.parametrize("metric", ["f1", "precision", "recall", "jaccard", "fbeta:beta=2"])
@pytest.mark.parametrize("events", [STANDARD, RARE, [12, 8, 2, 4, 2, 3, 6, 63], [2, 0, 3, 1, 0, 4, 0, 1]])
def test_true_negatives_change_nothing_for_metrics_blind_to_them(metric, events):
    first, *others = (seen_through([*events[:7], count], metric) for count in (events[7], 0, 40, 100_000))
    root, (low, high) = law_of(first)
    for other in others:
        again = law_of(other)
        assert again[0] == pytest.approx(root, abs=1e-6)
        assert again[1] == pytest.approx((low, high), abs=1e-6)


def law_of(tally):
    law = ScoreLaw(tally)
    root = float(law.distances(tally.multiplicities[None, :], 0.0).root[0])
    return root, ends_of([law], tally.multiplicities, second.Z, 0.0)[0][:2]


def test_true_negatives_do_change_what_sees_them():
    more = [*STANDARD[:7], 5000]
    for metric in ("accuracy", "mcc", "kappa", "dcf"):
        assert law_of(seen_through(more, metric))[1] != pytest.approx(
            law_of(seen_through(STANDARD, metric))[1], rel=1e-3
        )


@pytest.mark.parametrize("metric", METRICS)
def test_order_of_the_rows_changes_nothing(metric):
    rng = np.random.default_rng(0)
    events = np.array([12, 8, 2, 4, 0, 3, 6, 63])
    truth, a, b = np.repeat(CELLS, events, axis=0).T
    plain = compare(events, metric)
    for _ in range(3):
        order = rng.permutation(len(truth))
        mixed = referee.compare(
            Counts.of({"truth": truth[order], "a": a[order], "b": b[order]}), metric=metric, audit=False
        )
        assert (mixed.p_value, mixed.statistic, mixed.interval) == (plain.p_value, plain.statistic, plain.interval)


@pytest.mark.parametrize("metric", METRICS)
def test_exchanging_the_systems_turns_the_sign(metric):
    for events in defined(drawn(25, 21)):
        counts = from_events(events)
        (root, (low, high)), (turned, ends) = (law_of(tally_of(c, resolve(metric))) for c in (counts, counts.swap()))
        assert turned == pytest.approx(-root, abs=1e-6)
        assert ends == pytest.approx((-high, -low), abs=1e-6)


# --- One law


def leaves_out(tally, alpha, value=0.0):
    interval = Score().interval_of(tally, 1 - alpha, STREAMS)
    return not interval.low <= value <= interval.high


def p_of(tally, alternative="two-sided"):
    return float(Score().evaluate(tally, tally.multiplicities[None, :], alternative, STREAMS).p[0])


def test_p_is_at_most_alpha_exactly_when_the_interval_leaves_out_0():
    tables = np.concatenate([drawn(150, 31), drawn(150, 32, 5, 60)])
    wrong, significant, asked = [], 0, 0
    for place, events in enumerate(tables):
        metric = METRICS[place % len(METRICS)]
        tally = seen_through(events, metric)
        if not np.isfinite(tally.observed()).all():
            continue
        p = p_of(tally)
        assert np.isfinite(p)
        for alpha in (0.01, 0.05, 0.1):
            asked, significant = asked + 1, significant + (p <= alpha)
            if (p <= alpha) != leaves_out(tally, alpha):
                wrong.append((metric, events.tolist(), p, alpha))
    assert not wrong
    assert asked > 850
    assert 0.2 < significant / asked < 0.8


def test_p_is_the_level_at_which_the_interval_meets_0():
    """Next to p itself the two have nowhere to hide: the interval holds 0 a millionth below, and leaves it out above."""
    asked = 0
    for place, events in enumerate(np.concatenate([drawn(60, 41), drawn(60, 42, 5, 60)])):
        tally = seen_through(events, METRICS[place % len(METRICS)])
        if np.isfinite(tally.observed()).all() and 1e-6 < p_of(tally) < 0.999:
            asked += 1
            assert not leaves_out(tally, p_of(tally) * (1 - 1e-6))
            assert leaves_out(tally, p_of(tally) * (1 + 1e-6))
    assert asked > 60


@pytest.mark.parametrize(
    ("metric", "events"),
    [("precision", [0, 0, 0, 15, 0, 493, 2, 9]), ("balanced-accuracy", [0, 1, 0, 0, 0, 0, 0, 24]), ("f1", RARE)],
)
def test_an_interval_ends_where_the_distance_is_reached_and_not_nearly_there(metric, events):
    tally = seen_through(events, metric)
    ends = [end for end in law_of(tally)[1] if abs(end) < 1]
    assert ends
    assert ScoreLaw(tally).worlds_at(tally.multiplicities, np.array(ends)).root == pytest.approx(second.Z, abs=1e-5)


@pytest.mark.parametrize("metric", METRICS)
def test_sides_are_halves_of_one_law(metric):
    for events in defined(drawn(10, 51)):
        tally = seen_through(events, metric)
        both, greater, less = (p_of(tally, side) for side in ("two-sided", "greater", "less"))
        assert greater + less == pytest.approx(1)
        assert both == pytest.approx(2 * min(greater, less))
        assert (greater < less) == (law_of(tally)[0] > 0) or greater == less


def test_coverage_asks_the_law_what_the_interval_says():
    tally, batch = seen(drawn(40, 61), "f1")
    levels, value = (0.8, 0.95), 0.05
    held = Score().covers(tally, batch, value, levels, STREAMS)
    for row, found in zip(batch, held, strict=True):
        own = tally.with_multiplicities(row)
        assert [not leaves_out(own, 1 - level, value) for level in levels] == found.astype(bool).tolist()
    assert 0.1 < held.mean() < 0.9


def test_p_is_that_of_the_farthest_value_on_the_way_to_0():
    """The distance of this table rises to 13.3 near -.03 and falls to 12.98 at 0. It is looked for in a few places, to 1%."""
    events = [1, 0, 0, 1, 2, 79, 0, 380]
    tally = seen_through(events, "f1")
    root = law_of(tally)[0]
    centre = float(ScoreLaw(tally).centres(tally.multiplicities[None, :])[0])
    way = [second.distance(events, second.nearest_by_profile(events, "f1", part * centre)) for part in (0, 0.05, 0.08)]
    assert way[0] == pytest.approx(12.98265, abs=1e-4)
    assert way[0] < way[1] < way[2]
    assert way[1] * (1 - 1e-6) <= root**2
    assert 0.985 * way[2] < root**2 <= way[2] * (1 + 1e-6)
    assert p_of(tally) == pytest.approx(math.erfc(abs(root) / math.sqrt(2)))


# --- What it refuses


def test_what_does_not_fit_is_refused_with_a_reason():
    truth, a, b = np.repeat(CELLS, [5] * 8, axis=0).T
    grouped = Counts.of({"truth": truth, "a": a, "b": b, "group": np.arange(40) % 8})
    with pytest.raises(Misfit, match=r"no form for groups of examples; the clustered t test \(cluster-t\) has"):
        referee.compare(grouped, metric="f1", test="score")
    with pytest.raises(Misfit, match="declare the scale"):
        referee.compare(a=[0.1, 0.4, 0.3, 2.2], b=[0.2, 0.5, 0.1, 1.7], metric="mean", test="score")
    with pytest.raises(OptionError, match="law"):
        compare(STANDARD, "f1", test="score:law=exact")
    with pytest.raises(OptionError, match="at least 99"):
        compare(STANDARD, "f1", test="score:law=sampled,trials=50")
