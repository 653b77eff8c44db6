"""rank(): two systems are a comparison, ranks follow from pairs, intervals from verdicts; and false claims stay rare."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import referee
from referee.errors import RefereeError
from referee.studies.ranking import ADJUST


def table(systems=5, n=120, seed=0, gap=0.05, base=0.6):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    own = {f"m{i}": np.where(rng.random(n) < base + gap * i, truth, 1 - truth) for i in range(systems)}
    return {"label": truth, "doc": rng.integers(0, 15, n), "part": np.array(["x", "y"])[rng.integers(0, 2, n)], **own}


def ranked(data, **options):
    return referee.rank(data, truth="label", systems="m*", **options)


@pytest.mark.parametrize("group", [None, "doc"])
@pytest.mark.parametrize("metric", ["accuracy", "f1", "precision", "mcc", "balanced-accuracy"])
@pytest.mark.parametrize("adjust", ["max-t", "bonferroni", "holm", "romano-wolf"])
def test_two_systems_are_a_comparison(metric, group, adjust):
    data = table(2)
    pair = ranked(data, metric=metric, group=group, adjust=adjust).pairs[0]
    r = referee.compare(data, truth="label", a=pair.a, b=pair.b, metric=metric, group=group)
    assert (pair.p_value, pair.p_adjusted) == pytest.approx((r.p_value, r.p_value), rel=1e-9)
    assert pair.difference == pytest.approx(r.difference) and pair.verdict == r.verdict
    if pair.interval is not None:
        assert (pair.interval.low, pair.interval.high) == pytest.approx((r.interval.low, r.interval.high), abs=1e-9)


def test_scores_and_their_intervals_are_those_of_comparisons():
    data = table(3)
    for system in ranked(data, metric="f1").systems:
        other = next(name for name in ("m0", "m1", "m2") if name != system.name)
        own = referee.compare(data, truth="label", a=system.name, b=other, metric="f1").a
        assert system.score == pytest.approx(own.score) and system.interval.low == pytest.approx(
            own.interval.low, abs=1e-8
        )


@pytest.mark.parametrize("options", [{}, {"group": "doc"}, {"metric": "f1"}, {"baseline": "m2"}])
@pytest.mark.parametrize("adjust", ADJUST)
def test_ranks_and_intervals_follow_from_the_pairs(adjust, options):
    r = ranked(table(), adjust=adjust, **options)
    assert len(r.pairs) == (4 if r.baseline else 10)
    for pair in r.pairs:
        assert pair.p_adjusted >= pair.p_value - 1e-15
        assert (pair.verdict != "too close to call") == (pair.p_adjusted <= r.alpha and pair.difference != 0)
        assert (pair.interval is None) == (r.adjust not in ("max-t", "bonferroni", "none"))
        if pair.interval is not None:
            assert (0.0 not in pair.interval) == (pair.p_adjusted <= r.alpha), pair
    if r.baseline:
        assert r.best == () and all(one.rank_low is None for one in r.systems)
        return
    for one in r.systems:
        better = [
            p
            for p in r.pairs
            if (p.a == one.name and p.verdict == "b better") or (p.b == one.name and p.verdict == "a better")
        ]
        worse = [
            p
            for p in r.pairs
            if (p.a == one.name and p.verdict == "a better") or (p.b == one.name and p.verdict == "b better")
        ]
        assert (one.rank_low, one.rank_high) == (1 + len(better), 5 - len(worse))
        assert one.rank_low <= one.rank <= one.rank_high
        assert (one.name in r.best) == (not better) == (one.standing in ("top scorer", "not ruled out"))
    for run in r.together:
        assert all(r.pair(a, b).verdict == "too close to call" for a, b in combinations(run, 2))


def test_fewer_comparisons_are_adjusted_less():
    data = table()
    whole, few = ranked(data), ranked(data, baseline="m0")
    for pair in few.pairs:
        assert pair.a == "m0"
        assert pair.p_adjusted <= whole.pair(pair.a, pair.b).p_adjusted + 0.01
    assert few.level > whole.level


def test_neither_the_order_of_systems_nor_of_rows_changes_a_number():
    data = table()
    turned = {name: values[::-1] for name, values in reversed(data.items())}
    assert ranked(data).to_dict()["pairs"] == ranked(turned).to_dict()["pairs"]
    assert ranked(data, rng=1).level != ranked(data).level


def test_slices_are_rankings_of_their_own():
    data = table()
    both = ranked(data, by="part")
    inside = data["part"] == "x"
    alone = ranked({name: values[inside] for name, values in data.items()})
    assert [one.slice for one in both] == ["x", "y"]
    assert both["x"].to_dict()["pairs"] == alone.to_dict()["pairs"]


def test_cochrans_q_of_two_systems_is_mcnemars_chi_squared():
    data = table(2)
    q = ranked(data).overall
    chi2 = referee.compare(data, truth="label", a="m0", b="m1", test="mcnemar:variant=uncorrected")
    assert q["df"] == 1 and q["p_value"] == pytest.approx(chi2.p_value)


def test_cochrans_q_by_its_definition():
    data = table(4)
    right = np.stack([data[f"m{i}"] == data["label"] for i in range(4)], axis=1).astype(float)
    columns, rows, k = right.sum(axis=0), right.sum(axis=1), 4
    q = k * (k - 1) * ((columns - columns.mean()) ** 2).sum() / (rows * (k - rows)).sum()
    assert ranked(data).overall["statistic"] == pytest.approx(q)
    assert ranked(data, group="doc").overall is None and ranked(data, metric="f1").overall is None


def test_few_groups_are_held_to_bonferroni():
    data = table() | {"doc": np.arange(120) % 6}
    r = ranked(data, group="doc")
    assert r.adjust == "bonferroni" and any("too few groups" in warning for warning in r.warnings)
    assert ranked(data, group="doc", adjust="romano-wolf").adjust == "holm"


@pytest.mark.parametrize("metric", ["accuracy", "f1"])
def test_all_equal_systems_are_told_apart_about_as_often_as_alpha_says(metric):
    false = 0
    for seed in range(150):
        r = ranked(table(4, 60, seed, gap=0.0, base=0.75), metric=metric, rng=seed)
        false += any(pair.verdict != "too close to call" for pair in r.pairs)
    assert false <= 150 * 0.05 + 3 * np.sqrt(150 * 0.05 * 0.95)


def test_all_metrics_of_ranks_and_numbers_can_be_ranked_by():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 80)
    scores = {f"m{i}": truth * (0.5 + i / 4) + rng.normal(size=80) for i in range(3)}
    assert referee.rank({"label": truth, **scores}, truth="label", systems="m*", metric="auc").adjust == "max-t"
    assert (
        referee.rank({"label": truth, **scores}, truth="label", systems="m*", metric="average-precision").adjust
        == "bonferroni"
    )
    assert referee.rank(scores, systems="m*").metric == "mean"
    assert (
        referee.rank({"label": truth, **scores}, truth="label", systems="m*", metric="f1", threshold=0.5).test
        == "score"
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"systems": ["m0"]}, "two systems or more"),
        ({"systems": ["m0", "m0"]}, "'m0' is named twice"),
        ({"systems": ["m0", "m9"]}, "m9"),
        ({"systems": "z*"}, "z"),
        ({"systems": ["m0", "label"]}, "something else"),
        ({"baseline": "m9"}, "m9"),
        ({"adjust": "holms"}, "holm"),
        ({"metric": ["f1", "accuracy"]}, "one metric"),
        ({"alpha": 1.5}, "alpha"),
        ({"test": "skew", "metric": "f1"}, "skew"),
    ],
)
def test_bad_input_is_told_in_a_line(arguments, told):
    with pytest.raises(RefereeError, match=told):
        referee.rank(table(), **{"truth": "label", "systems": "m*", **arguments})


def test_missing_predictions_are_refused_dropped_or_wrong():
    data = {name: values.tolist() for name, values in table(3).items()}
    data["m1"][5] = data["m1"][9] = None
    with pytest.raises(RefereeError, match="2 of m1"):
        ranked(data)
    assert ranked(data, missing="drop").dropped == 2
    wrong = ranked(data, missing="wrong")
    assert wrong.n == 120 and wrong["m1"].score <= ranked(table(3))["m1"].score


def test_odd_tables_get_a_declared_answer():
    same = {"label": [0, 1] * 10, **{f"m{i}": [0, 1] * 10 for i in range(4)}}
    r = ranked(same)
    assert len(r.best) == 4 and {pair.p_adjusted for pair in r.pairs} == {1.0} and r.overall is None
    assert [one.rank for one in r.systems] == [1] * 4 and r.together == (("m0", "m1", "m2", "m3"),)
    few = table(12, 5)
    assert all(one.rank_low == 1 for one in ranked(few).systems)
    constant = table(3) | {"m3": np.zeros(120, np.int64)}
    assert ranked(constant, metric="f1")["m3"].score == 0
    with pytest.raises(RefereeError):
        ranked({name: [] for name in same})
