"""The laws of the house, for every metric x test."""

from __future__ import annotations

import json

import numpy as np
import pytest

import referee
from referee.data.counts import Counts
from referee.results.comparison import Comparison
from tests.conformance.cases import EVERY, PAIRS, columns, counts, each

FLIP = {"two-sided": "two-sided", "greater": "less", "less": "greater"}


def run(data, metric, test, **options):
    return referee.compare(data, metric=metric, test=test, audit=False, **options)


def same(x, y):
    return (x is None and y is None) or x == pytest.approx(y, rel=1e-9, abs=1e-12)


@each(EVERY)
def test_p_is_a_probability_and_swapping_only_turns_signs(metric, test, group):
    data = counts(metric, 30, seed=3, group=group)
    for alternative in ("two-sided", "greater"):  # the swapped data are asked "less"
        r = run(data, metric, test, alternative=alternative)
        s = run(data.swap(), metric, test, alternative=FLIP[alternative])
        if r.p_value is None:
            assert r.warnings
        else:
            assert 0 < r.p_value <= 1
        assert same(r.p_value, s.p_value)
        assert same(r.difference, -s.difference)
        assert same(r.a.score, s.b.score)
        assert same(r.detectable, s.detectable)
        if r.interval is not None:
            assert r.interval.low <= r.interval.high
            assert same(r.interval.low, -s.interval.high)
            assert same(r.interval.high, -s.interval.low)
        assert {r.verdict, s.verdict} in ({"a better", "b better"}, {"too close to call"})


@each(EVERY)
def test_identical_systems_are_never_different(metric, test, group):
    data = counts(metric, 30, seed=4, group=group)
    data = data.put(b=data["a"])
    if data.judged:  # as good as each other: all ties, whoever was shown first
        even, unknown = np.full(len(data), 0.5), np.full(len(data), "unknown", dtype=object)
        data = data.put(a=even, b=even, first=unknown)
    for alternative in ("two-sided", "greater", "less"):
        r = run(data, metric, test, alternative=alternative)
        assert (r.difference, r.p_value, r.verdict, r.warnings) == (0.0, 1.0, "too close to call", ())
        assert r.interval is None or 0.0 in r.interval
    # Nine tenths of the range, which is 100 of these two.
    r = run(data, metric, test, margin=90 if metric in ("bleu", "chrf", "ter") else 0.9)
    assert (r.difference, r.p_value) == (0.0, 1.0)
    # A margin lets identical systems pass, unless nothing says how far they could be apart; either is told, and no more.
    alike = "all 30 judgements are ties" if data.judged else "the same answer on all 30 examples"
    told = alike if r.gate == 0 else "cannot be compared with the margin"
    about_margins = ("chance", "range of the scores", "the worst score")
    assert [w for w in r.warnings if told in w]
    assert len([w for w in r.warnings if not any(word in w for word in about_margins)]) == 1


@each(EVERY)
def test_row_order_does_not_matter_and_results_round_trip(metric, test, group):
    data = counts(metric, 30, seed=5, group=group)
    raw = {role: np.repeat(values, data.multiplicities) for role, values in data.columns.items()}
    if data.judged:
        raw["winner"] = np.where(raw.pop("a") > raw["b"], "a", np.where(raw.pop("b") == 0.5, "tie", "b"))
    order = np.random.default_rng(0).permutation(data.n)
    r = run(data, metric, test)
    shuffled = run(None, metric, test, **{role: values[order] for role, values in raw.items()})
    a, b = r.to_dict(), shuffled.to_dict()
    assert a == b
    text = r.to_json()
    back = Comparison.from_dict(json.loads(text))
    assert back.to_dict() == r.to_dict()
    assert Counts.from_json(data.to_json()) == data


@each(PAIRS)
def test_multiplicities_are_repetitions(metric, test):
    data = counts(metric, 20, seed=6)
    thrice = data + data + data
    tripled = Counts.of(dict(data.columns), data.multiplicities * 3, about=data.about)
    assert thrice == tripled
    assert run(thrice, metric, test).to_dict() == run(tripled, metric, test).to_dict()


@each(PAIRS)
def test_strata_are_accepted_everywhere(metric, test):
    r = run(counts(metric, 40, seed=7, stratum=2), metric, test)
    assert r.p_value is None or 0 < r.p_value <= 1


@pytest.mark.parametrize("metric", sorted({m for m, _ in PAIRS}))
def test_each_metric_chooses_a_test_and_says_why(metric):
    for group in (None, 8):
        r = referee.compare(counts(metric, 40, seed=8, group=group), metric=metric)
        assert r.reason
        assert r.reason != "asked for"
        assert (r.units == 40) == (group is None)


@each(PAIRS)
def test_batches_equal_single_runs(metric, test):
    from referee.metrics import resolve
    from referee.runtime.randomness import Streams
    from referee.significance import resolve as resolve_test
    from referee.significance.rank_tally import tally_of

    tally = tally_of(counts(metric, 40, seed=9), resolve(metric))
    chosen, streams = resolve_test(test), Streams.of(0)
    rng = np.random.default_rng(1)
    batch = rng.multinomial(40, tally.multiplicities / tally.units, size=4)
    together = chosen.evaluate(tally, batch, "two-sided", streams).p
    assert together.shape == (4,)
    for place, row in enumerate(batch):
        alone = chosen.evaluate(tally, row[None, :], "two-sided", streams.child(place)).p
        assert together[place] == pytest.approx(alone[0], nan_ok=True)


def test_one_example():
    for metric in sorted({m for m, _ in PAIRS}):
        for test in sorted({t for m, t in PAIRS if m == metric}):
            data = {role: values[:1] for role, values in columns(metric, 10, seed=2).items()}
            r = referee.compare(Counts.of(data), metric=metric, test=test)
            assert r.p_value is None or 0 < r.p_value <= 1, (metric, test)
            json.dumps(r.to_dict(), allow_nan=False)
