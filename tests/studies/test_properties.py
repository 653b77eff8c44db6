"""Properties that hold whatever the data: hypothesis looks for data where they do not."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import referee
from referee.data.counts import from_events
from tests.oracles import METRICS as ORACLES
from tests.oracles import averaged, fbeta, precision, recall

EVENTS = st.lists(st.integers(0, 40), min_size=8, max_size=8).filter(sum)
METRICS = st.sampled_from(
    ["accuracy", "error", "precision", "recall", "f1", "mcc", "kappa", "dcf", "hter", "jaccard", "balanced-accuracy"]
)
TESTS = st.sampled_from([None, "randomization", "randomization:studentized=true", "bootstrap:replicates=199"])


@given(EVENTS, METRICS, TESTS)
@settings(max_examples=60, deadline=None)
def test_any_table_has_an_answer(events, metric, test):
    r = referee.compare(from_events(events), metric=metric, test=test)
    s = referee.compare(from_events(events).swap(), metric=metric, test=test, audit=False)
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
    once = referee.compare(from_events(events), metric=metric, test="randomization", audit=False)
    often = referee.compare(from_events([times * e for e in events]), metric=metric, test="randomization", audit=False)
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
    exact = referee.compare(a=np.zeros(len(signs)), b=np.array(signs), test="randomization", audit=False).p_value
    sign = referee.compare(a=a, b=b, test="sign", audit=False).p_value
    assert math.isclose(exact, sign, rel_tol=1e-9)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4), st.integers(0, 4)), min_size=4, max_size=40),
    st.sampled_from([("f1", fbeta), ("precision", precision), ("recall", recall)]),
    st.sampled_from(["macro", "weighted"]),
)
@settings(max_examples=12, deadline=None)
def test_averages_run_over_the_labels_of_the_truth(rows, metric, average):
    truth, a, b = (list(column) for column in zip(*rows, strict=True))
    name, function = metric
    r = referee.compare(
        truth=truth, a=a, b=b, metric=f"{name}:average={average}", test="bootstrap:replicates=99", audit=False
    )
    score = averaged(function, average, sorted(set(truth)))
    for found, system in ((r.a, a), (r.b, b)):
        assert math.isclose(found.score, score(truth, system), abs_tol=1e-12)
        assert found.interval is not None
    # Every bootstrap draw may say the same; the default has an interval with a width even then.
    own = referee.compare(truth=truth, a=a, b=b, metric=r.metric, audit=False).interval
    assert own.low < own.high
    assert own.low - 1e-9 <= r.difference <= own.high + 1e-9
    strays = sum(label not in truth for label in a)
    said = [warning for warning in r.warnings if "of A" in warning and "never occur" in warning]
    assert (said[0].split()[0] == str(strays)) if strays else not said


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 20), st.integers(0, 20)), min_size=6, max_size=40).filter(
        lambda rows: len({row[0] for row in rows}) == 2
    ),
    st.integers(0, 20),
)
@settings(max_examples=30, deadline=None)
def test_a_threshold_leaves_ranks_and_losses_alone(rows, cut):
    truth, a, b = (np.array(column) for column in zip(*rows, strict=True))
    scores = {"truth": truth.astype(int), "a": a / 20 + 0.01, "b": b / 20 + 0.01}
    both = referee.compare(
        **scores, metric=["auc", "accuracy", "average-precision", "mse"], threshold=cut / 20, audit=False
    )
    for name in ("auc", "average-precision"):
        own = [ORACLES[name](scores["truth"].tolist(), scores[system].tolist()) for system in ("a", "b")]
        assert math.isclose(both[name].difference, own[1] - own[0], abs_tol=1e-9)
    squares = [((scores[system] - scores["truth"]) ** 2).mean() for system in ("a", "b")]
    assert math.isclose(both["mse"].difference, squares[1] - squares[0], abs_tol=1e-12)
    right = [((scores[system] >= cut / 20) == truth).mean() for system in ("a", "b")]
    assert math.isclose(both["accuracy"].difference, right[1] - right[0], abs_tol=1e-12)
