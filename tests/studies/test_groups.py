"""Groups as nobody would wish them: one, two, of one example each; and data that say nothing."""

from __future__ import annotations

import json

import numpy as np
import pytest

import referee
from referee.data.counts import Counts
from referee.errors import InputError
from referee.metrics import resolve
from referee.significance.laws import signed_sums
from referee.significance.rank_tally import tally_of
from referee.studies.auditing.audit_line import Asked, seconds

N = 30
METRICS = ["accuracy", "f1", "mean", "auc", "average-precision"]
BY_NAME = [
    ("mean", "paired-t"),
    *(
        (metric, test)
        for metric in ("mean", "f1")
        for test in ("bootstrap", "bootstrap:interval=bca", "bootstrap:interval=t")
    ),
]


def data(metric, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, N)
    truth[:2] = 0, 1
    scores = {"a": rng.normal(size=N), "b": rng.normal(size=N)}
    if metric == "mean":
        return scores
    if resolve(metric).task == "ranking":
        return {"truth": truth, **scores}
    return {"truth": truth, **{name: truth ^ (rng.random(N) < 0.3) for name in ("a", "b")}}


def compared(metric, test=None, **columns):
    r = referee.compare(Counts.of({**data(metric), **columns}), metric=metric, test=test, audit=False)
    json.loads(json.dumps(r.to_dict(), allow_nan=False))
    return r


@pytest.mark.parametrize(("metric", "test"), [*((metric, None) for metric in METRICS), *BY_NAME])
def test_one_group_shows_nothing(metric, test):
    r = compared(metric, test, group=np.zeros(N))
    assert (r.p_value, r.interval, r.detectable, r.probability_b_better) == (None, None, None, None)
    assert r.verdict == "too close to call"
    assert r.warnings
    assert not any("1 groups" in w or "1 units" in w for w in r.warnings)


@pytest.mark.parametrize("test", ["randomization", "randomization:studentized=true"])
@pytest.mark.parametrize("metric", ["mean", "f1"])
def test_one_group_is_as_extreme_as_its_mirror_image(metric, test):
    r = compared(metric, test, group=np.zeros(N))
    assert (r.p_value, r.verdict) == (1.0, "too close to call")
    assert r.interval is None or 0.0 in r.interval


@pytest.mark.parametrize("metric", METRICS)
def test_two_groups_are_answered_with_a_warning(metric):
    r = compared(metric, group=np.arange(N) % 2)
    assert r.p_value is not None
    assert (r.p_value <= 0.05) == (0.0 not in r.interval)
    assert "there are only 2 groups; they say next to nothing about other groups" in r.warnings


@pytest.mark.parametrize("metric", ["accuracy", "f1", "mean"])
def test_groups_of_one_are_examples(metric):
    r = compared(metric, group=np.arange(N))
    alone = compared(metric, "cluster-t")
    assert r.test == "cluster-t"
    assert (r.p_value, r.interval.low, r.interval.high) == pytest.approx(
        (alone.p_value, alone.interval.low, alone.interval.high)
    )
    assert r.design_effect == pytest.approx(1.0)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("group", [None, 1, 6])
def test_identical_systems_make_no_noise(metric, group):
    own = data(metric)
    more = {} if group is None else {"group": np.arange(N) % group}
    r = compared(metric, **{**own, "b": own["a"]}, **more)
    assert (r.difference, r.p_value, r.verdict, r.detectable) == (0.0, 1.0, "too close to call", None)
    assert r.interval is None or 0.0 in r.interval
    assert r.warnings == ()


def test_what_all_groups_agree_on_has_no_error():
    r = referee.compare(a=np.full(N, 0.5), b=np.full(N, 0.75), group=np.arange(N) % 6, audit=False)
    assert (r.p_value, r.interval) == (None, None)
    assert any("the standard error is 0 although the systems differ" in w for w in r.warnings)


def test_multiplicities_of_nothing_count_nothing():
    weights = np.where(np.arange(N) < 5, 0, 2)
    for metric in METRICS:
        some = referee.compare(Counts.of(data(metric), weights), metric=metric, audit=False)
        kept = {role: values[5:] for role, values in data(metric).items()}
        same = referee.compare(Counts.of(kept, weights[5:]), metric=metric, audit=False)
        assert (some.n, some.p_value, some.interval) == (same.n, same.p_value, same.interval)
    with pytest.raises(InputError, match="no examples"):
        referee.compare(Counts.of(data("f1"), np.zeros(N, np.int64)), metric="f1")
    with pytest.raises(InputError, match="cannot be negative"):
        Counts.of(data("f1"), np.full(N, -1))


def test_the_design_effect_is_that_of_forgetting_groups():
    rng = np.random.default_rng(4)
    group = np.repeat(np.arange(20), 10)
    own = {"a": rng.normal(size=200), "b": rng.normal(size=200) + rng.normal(size=20)[group]}
    r = referee.compare(Counts.of({**own, "group": group}), audit=False)
    grouped, alone = (tally_of(Counts.of(columns), resolve("mean")) for columns in ({**own, "group": group}, own))
    errors = [float(tally.standard_errors(tally.multiplicities)) for tally in (grouped, alone)]
    assert r.design_effect == pytest.approx((errors[0] / errors[1]) ** 2)


def test_a_line_over_very_many_groups_is_known_to_take_long():
    """Groups that are alike are one kind, but each is drawn."""
    group = np.repeat(np.arange(50_000), 2)
    marks = np.random.default_rng(0).integers(0, 2, (2, 100_000)).astype(float)
    counts = Counts.of({"a": marks[0], "b": marks[1], "group": group})
    r = referee.compare(counts)
    assert r.test == "cluster-t"
    assert r.audit is None or "false_alarm" not in r.audit
    assert seconds(Asked.of(r, None), tally_of(counts, resolve("mean"))) > 0.5


def test_an_interval_of_exchanged_groups_lays_out_its_law_once(monkeypatch):
    walks = []
    plain = signed_sums.Lattice.walk
    monkeypatch.setattr(signed_sums.Lattice, "walk", lambda self: (walks.append(self), plain(self))[1])
    rng = np.random.default_rng(1)
    group = np.repeat(np.arange(150), 3)
    truth = rng.integers(0, 2, 450)
    a, b = (truth ^ (rng.random(450) < 0.2) for _ in range(2))
    r = referee.compare(truth=truth, a=a * 1, b=b * 1, group=group, metric="f1", test="randomization", audit=False)
    assert (r.p_method, r.interval.method) == ("exact", "randomization")
    assert len(walks) == 1


def items_and_repeats(items=40, times=5):
    draw = np.random.default_rng(1)
    group = np.repeat(np.arange(items), times)
    a = (draw.random(items * times) < 0.5).astype(int)
    b = (draw.random(items * times) < 0.4 + 0.3 * draw.random(items)[group]).astype(int)
    return {"item": group, "old": a, "new": b}


def test_a_design_of_items_and_repeats_shows_where_the_variance_is():
    table = items_and_repeats()
    r = referee.compare(table, a="old", b="new", group="item", audit=False)
    told = " ".join(r.to("text").split())
    assert "between items" in told and "twice as many examples of each" in told
    assert "intraclass correlation" not in r.to("text")
    assert f"{r.variance.icc:.3f}" in r.to("text", verbose=True) and "intraclass correlation" in r.to("html")
    uneven = {name: values[1:] for name, values in table.items()}
    assert "between items" not in referee.compare(uneven, a="old", b="new", group="item", audit=False).to("text")


def test_rows_of_a_group_are_repeats_if_somebody_says_so():
    table = items_and_repeats()
    by_group = referee.compare(table, a="old", b="new", group="item", repeats="group", audit=False)
    by_id = referee.compare(table, a="old", b="new", id="item", repeats="group", audit=False)
    assert by_group.to_json() == by_id.to_json() and by_group.variance.repeats


def test_a_plan_by_groups_says_what_is_better_to_have_more_of():
    r = referee.plan(items_and_repeats(), a="old", b="new", group="item", difference=0.1)
    assert [one["name"] for one in r.gains] == ["item", ""]
    told = " ".join(r.to("text").split())
    assert "Twice as many items would cut the standard error by" in told
    assert referee.plan(items_and_repeats(), a="old", b="new", group="item", repeats="group", difference=0.1).repeats
