"""One law: the p-value and the interval of a default come from the same law, and so cannot contradict each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import referee
from referee.data.counts import Counts, from_events
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance.base import interval_at
from referee.significance.bootstrap import Bootstrap
from referee.significance.rank_tally import tally_of
from referee.significance.test_choice import choose
from tests.conformance.cases import counts, metric_names

ALPHAS = (0.01, 0.05, 0.1, 0.32)
SIDES = {"greater": lambda i, null: i.low > null, "less": lambda i, null: i.high < null}


def agree(tally, test, alpha, null=0.0):
    """Hold the p-values of all sides at a value against the intervals of the levels that go with them."""
    streams = Streams.of(0)
    wide, narrow = (interval_at(test, tally, level, streams) for level in (1 - alpha, 1 - 2 * alpha))
    if null == 0.0:
        own = tally.multiplicities[None, :]
        p = {side: float(test.evaluate(tally, own, side, streams).p[0]) for side in ("two-sided", *SIDES)}
    else:
        p = {side: test.p_at(tally, null, side, streams) for side in ("two-sided", *SIDES)}
    if wide is not None and p["two-sided"] is not None and np.isfinite(p["two-sided"]):
        assert (p["two-sided"] <= alpha) == (null not in wide)
    if narrow is not None:
        for side, leaves_out in SIDES.items():
            if p[side] is not None and np.isfinite(p[side]):
                assert (p[side] <= alpha) == leaves_out(narrow, null)


def quick(tally):
    chosen = choose(tally)[0]
    return Bootstrap(interval="t", replicates=199) if isinstance(chosen, Bootstrap) else chosen


@pytest.mark.parametrize("metric", metric_names())
@pytest.mark.parametrize("design", [{}, {"group": 8}, {"stratum": 3}, {"group": 12, "stratum": 2}])
def test_a_default_never_contradicts_itself(metric, design):
    for seed in range(4):
        n, similar = (30, 80, 200, 45)[seed], (0.5, 0.9, 0.8, 0.2)[seed]
        data = counts(metric, n, seed=seed, similar=similar) if not design else counts(metric, n, seed=seed)
        if design:
            rng = np.random.default_rng(seed)
            columns = {role: np.repeat(values, data.multiplicities) for role, values in data.columns.items()}
            groups = rng.integers(0, design.get("group", n), data.n)
            if "group" in design:
                columns["group"] = groups
            if "stratum" in design:
                columns["stratum"] = (groups if "group" in design else np.arange(data.n)) % design["stratum"]
            data = Counts.of(columns)
        tally = tally_of(data, resolve(metric))
        if not np.isfinite(tally.observed()).all():
            continue
        test = quick(tally)
        test.check(tally)
        for alpha in ALPHAS:
            agree(tally, test, alpha)
        agree(tally, test, 0.05, null=0.03)
        agree(tally, test, 0.05, null=-0.2)


@settings(max_examples=80, deadline=None)
@given(
    cells=st.lists(st.one_of(st.integers(0, 6), st.integers(0, 400)), min_size=8, max_size=8),
    metric=st.sampled_from(
        ["accuracy", "f1", "precision", "recall", "mcc", "kappa", "dcf", "jaccard", "balanced-accuracy"]
    ),
    alpha=st.sampled_from([0.01, 0.05, 0.1, 0.2]),
    null=st.sampled_from([0.0, 0.0, 0.02, -0.1]),
)
def test_two_classes_never_contradict_themselves(cells, metric, alpha, null):
    if not sum(cells):
        return
    tally = tally_of(from_events(cells), resolve(metric))
    if np.isfinite(tally.observed()).all():
        agree(tally, choose(tally)[0], alpha, null)


@settings(max_examples=40, deadline=None)
@given(
    data=st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2), st.integers(0, 4), st.integers(0, 2)),
        min_size=8,
        max_size=60,
    ),
    metric=st.sampled_from(["accuracy", "f1:average=macro", "kappa", "mcc", "balanced-accuracy"]),
    design=st.sampled_from([(), ("stratum",), ("group",)]),
    alpha=st.sampled_from([0.05, 0.1]),
)
def test_three_classes_never_contradict_themselves(data, metric, design, alpha):
    truth, a, b, group, stratum = map(np.array, zip(*data, strict=True))
    columns = {"truth": truth, "a": a, "b": b, "group": group, "stratum": stratum}
    kept = {role: columns[role] for role in ("truth", "a", "b", *design)}
    tally = tally_of(Counts.of(kept), resolve(metric))
    if np.isfinite(tally.observed()).all():
        agree(tally, choose(tally)[0], alpha)


@pytest.mark.parametrize("question", ["no-worse", "equal"])
@pytest.mark.parametrize("metric", ["accuracy", "error", "f1", "mcc", "dcf", "mean", "mse", "auc"])
@pytest.mark.parametrize("group", [None, 10])
def test_a_question_about_a_margin_is_answered_by_the_interval_of_its_level(metric, question, group):
    for seed in range(3):
        data = (
            counts(metric, (60, 150, 400)[seed], seed=seed, group=group, similar=(0.6, 0.85, 0.97)[seed])
            if resolve(metric).of_labels
            else counts(metric, (60, 150, 400)[seed], seed=seed, group=group)
        )
        for margin in (0.02, 0.1, 0.3):
            r = referee.compare(data, metric=metric, question=question, margin=margin, audit=False)
            assert r.interval.level == pytest.approx(0.9)
            worst = r.interval.low > -margin if r.higher_is_better else r.interval.high < margin
            inside = -margin < r.interval.low and r.interval.high < margin
            shown = worst if question == "no-worse" else inside
            assert (r.p_value <= r.alpha) == shown == (r.verdict in ("no worse", "practically equal"))
            s = referee.compare(data.swap(), metric=metric, question=question, margin=margin, audit=False)
            if question == "equal":
                assert s.p_value == pytest.approx(r.p_value, rel=1e-6)
