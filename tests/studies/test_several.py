"""Several comparisons adjusted together, and one answer over all tasks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import referee
from referee.errors import RefereeError


def table(n=240, tasks=4, seed=0, gain=0.1, groups=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    a, b = (np.where(rng.random(n) < right, truth, 1 - truth) for right in (0.7, 0.7 + gain))
    data = {
        "label": truth,
        "old": a,
        "new": b,
        "task": np.array([f"t{i}" for i in range(tasks)])[rng.integers(0, tasks, n)],
    }
    return data | ({"doc": rng.integers(0, groups, n)} if groups else {})


def compared(data, **options):
    return referee.compare(data, truth="label", a="old", b="new", by="task", audit=False, **options)


@pytest.mark.parametrize("adjust", ["max-t", "bonferroni", "holm", "bh", "none"])
@pytest.mark.parametrize("options", [{}, {"metric": "f1"}, {"metric": ["accuracy", "f1", "mcc"]}, {"group": "doc"}])
def test_no_interval_contradicts_its_verdict(adjust, options):
    rs = compared(table(groups=80, gain=0.15), adjust=adjust, **options)
    assert len({r.verdict for r in rs}) == 2 or options
    for r in rs:
        assert r.p_adjusted >= r.p_value - 1e-15
        assert (r.verdict != "too close to call") == (r.p_adjusted <= 0.05)
        if adjust in ("max-t", "bonferroni"):
            assert (0.0 not in r.interval_adjusted) == (r.p_adjusted <= 0.05)
            assert r.interval_adjusted.low <= r.interval.low and r.interval.high <= r.interval_adjusted.high
        else:
            assert r.interval_adjusted is None


def test_slices_share_no_example_so_that_the_largest_of_them_is_sidaks():
    rs = compared(table(2000))
    sidak = [1 - (1 - r.p_value) ** 4 for r in rs]
    assert [r.p_adjusted for r in rs] == pytest.approx(sidak, abs=0.02)


def test_metrics_that_say_the_same_are_hardly_adjusted():
    rs = referee.compare(table(gain=0.05), truth="label", a="old", b="new", metric=["accuracy", "error"], audit=False)
    assert [r.p_adjusted for r in rs] == pytest.approx([r.p_value for r in rs], rel=0.1)


def test_one_sided_comparisons_are_held_to_bonferroni():
    rs = compared(table(), alternative="greater")
    assert rs.adjust == "bonferroni"
    for r in rs:
        assert (r.interval_adjusted.low > 0) == (r.p_adjusted <= 0.05)


def test_pooled_is_the_comparison_of_all_examples_with_tasks_as_strata():
    data = table()
    pooled, average = compared(data, metric="f1").overall
    r = referee.compare(data, truth="label", a="old", b="new", metric="f1", stratum="task")
    assert (pooled.kind, average.kind) == ("pooled", "average")
    assert (pooled.difference, pooled.p_value) == pytest.approx((r.difference, r.p_value))
    assert pooled.interval == r.interval


def test_the_average_over_tasks_by_hand():
    data = table()
    rs = compared(data)
    average = rs.overall[1]
    gains, errors = [], []
    for name in np.unique(data["task"]):
        inside = data["task"] == name
        d = (data["new"][inside] == data["label"][inside]) * 1.0 - (data["old"][inside] == data["label"][inside])
        gains.append(d.mean())
        errors.append(d.var(ddof=1) / len(d))
    assert average.difference == pytest.approx(np.mean(gains))
    se = np.sqrt(np.sum(errors)) / 4
    sizes = [(data["task"] == name).sum() for name in np.unique(data["task"])]
    df = np.sum(errors) ** 2 / np.sum([v**2 / (n - 1) for v, n in zip(errors, sizes, strict=True)])
    assert average.p_value == pytest.approx(2 * stats.t.sf(abs(np.mean(gains)) / se, df))
    assert average.interval.high == pytest.approx(np.mean(gains) + stats.t.ppf(0.975, df) * se)


def test_tasks_as_a_sample_of_tasks():
    data = table(tasks=8)
    rs = compared(data, tasks="random")
    gains = [r.difference for r in rs]
    average = rs.overall[1]
    assert average.sampled and average.p_value == pytest.approx(stats.ttest_1samp(gains, 0).pvalue)


def test_groups_that_are_in_one_example_each_are_no_groups():
    data = table() | {"doc": np.arange(240)}
    plain, grouped = compared(data).overall[1], compared(data, group="doc").overall[1]
    assert grouped.difference == pytest.approx(plain.difference)
    assert grouped.interval.high == pytest.approx(plain.interval.high, abs=0.005)


@pytest.mark.parametrize("groups", [0, 60])
def test_the_average_keeps_its_level(groups):
    false = sum(
        compared(table(200, 3, seed, 0.0, groups), **({"group": "doc"} if groups else {})).overall[1].p_value <= 0.05
        for seed in range(60)
    )
    assert false <= 60 * 0.05 + 3 * np.sqrt(60 * 0.05 * 0.95)


def test_one_task_needs_no_answer_over_all_and_questions_of_margins_have_none():
    data = table()
    assert referee.compare(data, truth="label", a="old", b="new", metric=["f1", "mcc"], audit=False).overall == ()
    assert compared(data, question="no-worse", margin=0.1).overall == ()
    assert compared(table(tasks=1)).overall == ()


@pytest.mark.parametrize(("options", "told"), [({"adjust": "holms"}, "holm"), ({"tasks": "some"}, "fixed")])
def test_bad_choices_are_told(options, told):
    with pytest.raises(RefereeError, match=told):
        compared(table(), **options)
