"""Properties that hold whatever the data: hypothesis looks for data where they do not."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import referee
from referee.counts import from_events

EVENTS = st.lists(st.integers(0, 40), min_size=8, max_size=8).filter(sum)
METRICS = st.sampled_from(
    ["accuracy", "error", "precision", "recall", "f1", "mcc", "kappa", "dcf", "hter", "jaccard", "balanced-accuracy"]
)
TESTS = st.sampled_from([None, "randomization", "randomization:studentized=true", "bootstrap:replicates=199"])


@given(EVENTS, METRICS, TESTS)
@settings(max_examples=120, deadline=None)
def test_any_table_has_an_answer(events, metric, test):
    r = referee.compare(from_events(events), metric=metric, test=test)
    s = referee.compare(from_events(events).swap(), metric=metric, test=test)
    content = r.to_dict()
    if r.p_value is None:
        assert r.warnings
        return
    assert 0 < r.p_value <= 1
    assert math.isclose(r.p_value, s.p_value, rel_tol=1e-9)
    assert math.isclose(r.difference, -s.difference, abs_tol=1e-12)
    if r.interval is not None:
        assert r.interval.low <= r.interval.high
    if events[1] == events[2] == events[5] == events[6] == 0:
        assert (r.p_value, r.difference) == (1.0, 0.0)
    assert content["n"] == sum(events)
    assert str(r).endswith(r.signature + "\n") or str(r).endswith(r.signature)


@given(EVENTS, METRICS, st.integers(2, 5))
@settings(max_examples=40, deadline=None)
def test_more_of_the_same_is_more_certain(events, metric, times):
    once = referee.compare(from_events(events), metric=metric, test="randomization")
    often = referee.compare(from_events([times * e for e in events]), metric=metric, test="randomization")
    if once.p_value is None:
        return
    assert math.isclose(once.difference, often.difference, abs_tol=1e-12)
    # Near 1 a discrete law may go up a step; where there is evidence, more of it must count for more.
    if once.p_value <= 0.05:
        assert often.p_value < once.p_value


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=14))
@settings(max_examples=60, deadline=None)
def test_exact_tests_of_means_agree_where_they_must(pairs):
    a, b = (np.array(values, dtype=float) for values in zip(*pairs, strict=True))
    signs = [np.sign(y - x) for x, y in pairs]
    exact = referee.compare(a=np.zeros(len(signs)), b=np.array(signs), test="randomization").p_value
    sign = referee.compare(a=a, b=b, test="sign").p_value
    assert math.isclose(exact, sign, rel_tol=1e-9)
