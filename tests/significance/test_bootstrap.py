"""bootstrap:interval=t: its formula, its degrees of freedom, the error of its p; and p-values of any null by every interval."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import referee
from referee.data.counts import Counts, from_events
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance import resolve as resolve_test
from referee.significance.laws.pulls import effective_groups
from referee.significance.laws.resample import BOOTSTRAP, bootstrap
from referee.significance.rank_tally import tally_of

TEST, STREAMS = resolve_test("bootstrap:interval=t,replicates=999"), Streams.of(0)
EVENTS = from_events([31, 9, 4, 11, 6, 7, 3, 129])


def ranked(seed, positives, negatives, group=None):
    rng = np.random.default_rng(seed)
    truth = np.repeat([1, 0], [positives, negatives])
    base = rng.normal(size=len(truth)) + truth
    data = {"truth": truth, "a": base + rng.normal(size=len(truth)), "b": base + rng.normal(size=len(truth))}
    return Counts.of({**data, **({} if group is None else {"group": group})})


def spread(tally):
    drawn = bootstrap(tally, 999, STREAMS.child(BOOTSTRAP)).differences
    a, b = tally.observed()
    return float(b - a), float(np.std(drawn, ddof=1)), drawn


@pytest.mark.parametrize(
    ("tally", "df"),
    [
        (tally_of(ranked(1, 9, 40), resolve("average-precision")), 8),
        (tally_of(ranked(1, 30, 5), resolve("auc")), 29),
        (tally_of(EVENTS, resolve("f1")), 199),
        (tally_of(ranked(1, 9, 41, np.arange(50) % 5), resolve("average-precision")), None),
    ],
)
def test_by_the_formula(tally, df):
    d, sd, _ = spread(tally)
    df = effective_groups(tally) - 1 if df is None else df
    for alternative, p in (
        ("two-sided", 2 * stats.t.sf(abs(d / sd), df)),
        ("greater", stats.t.sf(d / sd, df)),
        ("less", stats.t.cdf(d / sd, df)),
    ):
        evidence = TEST.evaluate(tally, tally.multiplicities[None, :], alternative, STREAMS)
        assert evidence.p == pytest.approx([p])
        assert (evidence.method, evidence.statistic) == ("monte-carlo", pytest.approx([d / sd]))
        assert TEST.p_at(tally, 0.0, alternative, STREAMS) == pytest.approx(p)
    q = stats.t.ppf(0.95, df) * sd
    made = TEST.interval_of(tally, 0.9, STREAMS)
    assert (made.low, made.high, made.method) == pytest.approx((d - q, d + q, "bootstrap-se-t"))
    assert TEST.p_at(tally, made.low, "greater", STREAMS) == pytest.approx(0.05)
    assert TEST.p_at(tally, made.high, "two-sided", STREAMS) == pytest.approx(0.1)


def test_groups_count_as_many_as_there_are_in_effect():
    groups = np.r_[np.zeros(40, int), np.arange(1, 11)]
    tally = tally_of(ranked(2, 20, 30, groups), resolve("average-precision"))
    share = [np.bincount(groups, np.repeat([1, 0], [20, 30]) == c) / n for c, n in ((1, 20), (0, 30))]
    h = np.mean(share, axis=0)
    assert effective_groups(tally) == pytest.approx(1 / (h**2).sum())


def test_the_error_of_p_is_what_other_draws_differ_by():
    tally = tally_of(EVENTS, resolve("f1"))
    found = [
        TEST.evaluate(
            tally.with_multiplicities(tally.multiplicities),
            tally.multiplicities[None, :],
            "two-sided",
            Streams.of(seed),
        )
        for seed in range(60)
    ]
    seen = np.std([e.p[0] for e in found], ddof=1)
    assert found[0].error[0] == pytest.approx(seen, rel=0.4)
    assert 0 < found[0].error[0] < 0.02


def test_no_answer_from_one_positive():
    r = referee.compare(ranked(1, 1, 20), metric="average-precision", test=TEST)
    assert (r.p_value, r.interval) == (None, None)
    assert [w for w in r.warnings if "one positive" in w]


def test_no_smallest_p():
    assert TEST.smallest(3, "two-sided", "monte-carlo") == 0
    assert resolve_test("bootstrap:replicates=999").smallest(3, "two-sided", "monte-carlo") == 0.002


@pytest.mark.parametrize("kind", ["percentile", "centered", "basic", "bca", "studentized", "t"])
@pytest.mark.parametrize("level", [0.6, 0.9])
def test_any_null_has_the_p_value_that_the_interval_says(kind, level):
    test = resolve_test(f"bootstrap:replicates=1999,interval={kind}")
    tally = tally_of(EVENTS, resolve("f1"))
    interval = test.interval_of(tally, level, STREAMS)
    width = interval.high - interval.low
    for end, inwards in ((interval.low, 1), (interval.high, -1)):
        p = test.p_at(tally, end, "two-sided", STREAMS)
        assert p == pytest.approx(1 - level, abs=0.004)
        assert test.p_at(tally, end + inwards * width / 8, "two-sided", STREAMS) > 1 - level
        assert test.p_at(tally, end - inwards * width / 8, "two-sided", STREAMS) < 1 - level
    for alternative in ("two-sided", "greater", "less"):
        own = test.measure(tally, tally.multiplicities[None, :], alternative, STREAMS).p[0]
        assert test.p_at(tally, 0.0, alternative, STREAMS) == own
