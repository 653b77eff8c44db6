"""Averages over classes: which labels they run over, and what becomes of an answer that is none of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import sklearn.metrics as sk

import referee
from referee.data.counts import Counts
from referee.errors import OptionError
from referee.metrics import METRICS, resolve
from referee.significance.tally import Tally
from tests.oracles import METRICS as ORACLES
from tests.oracles import averaged, confusion, p_value, recall

ANIMALS = np.array(["bird", "cat", "dog"], dtype=object)


def animals(n=292, seed=0, strays=1):
    """Return truth and two systems; the second has some answers that the truth never has."""
    rng = np.random.default_rng(seed)
    truth = ANIMALS[rng.integers(0, 3, n)]
    a, b = (np.where(rng.random(n) < right, truth, ANIMALS[rng.integers(0, 3, n)]) for right in (0.6, 0.65))
    b[rng.choice(n, strays, replace=False)] = "fish"
    return {"truth": truth, "a": a, "b": b}


def intervals(r):
    return [(i.low, i.high) for i in (r.interval, r.a.interval, r.b.interval)]


@pytest.mark.parametrize("metric", ["f1", "precision", "recall", "jaccard"])
@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
@pytest.mark.parametrize("strays", [1, 40])
def test_strays_are_wrong_and_no_class(metric, average, strays):
    peer = getattr(sk, f"{metric}_score")
    data = animals(strays=strays)
    known = [*ANIMALS, "fish"]
    for spelt, labels in (("", known if average == "micro" else list(ANIMALS)), (",labels=all", known)):
        r = referee.compare(**data, metric=f"{metric}:average={average}{spelt}")
        for score, system in ((r.a.score, "a"), (r.b.score, "b")):
            wanted = peer(data["truth"], data[system], labels=labels, average=average, zero_division=0)
            assert score == pytest.approx(wanted, abs=1e-12)
        assert all(high > low for low, high in intervals(r))


def test_one_stray_label_hardly_moves_an_average():
    data = animals()
    clean = {**data, "b": np.where(data["b"] == "fish", "cat", data["b"])}
    for metric in [m for m in METRICS if resolve(m).task == "binary"]:
        for average in ("macro", "weighted", "micro"):
            with_it, without = (
                referee.compare(**x, metric=f"{metric}:average={average}", test="cluster-t", audit=False)
                for x in (data, clean)
            )
            assert with_it.b.score == pytest.approx(without.b.score, abs=0.012), metric
            assert with_it.a.score == without.a.score


def test_macro_recall_is_balanced_accuracy():
    data = animals(strays=9)
    data["group"] = np.arange(len(data["truth"])) % 30
    for roles in (("truth", "a", "b"), ("truth", "a", "b", "group")):
        given = {role: data[role] for role in roles}
        one, other = (referee.compare(**given, metric=m) for m in ("recall:average=macro", "balanced-accuracy"))
        assert (one.difference, one.p_value, one.test) == (other.difference, other.p_value, other.test)
        assert intervals(one) == intervals(other)
    few = {"metric": "recall:average=macro", "sets": 50, "sizes": [12], "test": "randomization"}
    rows = [
        referee.audit(Counts.of(data).without("group"), **{**few, "metric": m}).rows
        for m in (few["metric"], "balanced-accuracy")
    ]
    assert [row["false_alarm"] for row in rows[0]] == [row["false_alarm"] for row in rows[1]]


@pytest.mark.parametrize(
    "metric", ["recall:average=macro", "f1:average=macro", "f1:average=macro,labels=all", "f1:average=micro"]
)
def test_exact_randomization_with_strays(metric):
    rng = np.random.default_rng(3)
    truth = [*range(3), *rng.integers(0, 3, 8)]
    a, b = ([int(x) for x in np.where(rng.random(11) < right, truth, rng.integers(0, 4, 11))] for right in (0.4, 0.7))
    a[0] = 3
    r = referee.compare(truth=truth, a=a, b=b, metric=metric, test="randomization:method=exact")
    assert r.b.score == pytest.approx(ORACLES[metric](truth, b), abs=1e-14)
    assert r.p_value == pytest.approx(p_value(metric, truth, a, b), abs=1e-12)


def test_specificity_in_cells():
    data = animals(strays=20)
    for metric, cell in (("specificity", lambda t, p, c: confusion(t, p, c)), ("recall", None)):
        r = referee.compare(**data, metric=f"{metric}:average=macro")
        if cell is None:
            wanted = averaged(recall, "macro", ANIMALS)(list(data["truth"]), list(data["b"]))
        else:
            cells = [cell(data["truth"], data["b"], c) for c in ANIMALS]
            wanted = np.mean([tn / (tn + fp) for _, fp, _, tn in cells])
        assert r.b.score == pytest.approx(wanted, abs=1e-12)


def test_micro_averages_count_every_answer():
    data = animals(strays=25)
    accuracy = referee.compare(**data, metric="accuracy")
    for metric in ("f1", "precision", "recall", "fbeta:beta=2"):
        r = referee.compare(**data, metric=f"{metric}{',' if ':' in metric else ':'}average=micro")
        assert r.b.score == pytest.approx(accuracy.b.score, abs=1e-14)
        assert r.test == accuracy.test
        assert r.p_value == pytest.approx(accuracy.p_value, rel=1e-6)
    # Of specificity, strays are false alarms of no class: tn over the classes of the truth.
    cells = [confusion(data["truth"], data["b"], c) for c in ANIMALS]
    fp, tn = sum(cell[1] for cell in cells) + 25, sum(cell[3] for cell in cells)
    r = referee.compare(**data, metric="specificity:average=micro")
    assert r.b.score == pytest.approx(tn / (tn + fp), abs=1e-14)


def test_a_missing_answer_is_none_and_a_stray_one_is_one():
    data = animals(strays=10)
    data["a"][:20] = None
    r = referee.compare(**data, metric="precision:average=micro", missing="wrong")
    right = (data["truth"] == data["a"]).sum()
    assert r.a.score == pytest.approx(right / (292 - 20))
    assert r.b.score == pytest.approx((data["truth"] == data["b"]).mean())


def test_strays_are_counted_and_named():
    data = animals(strays=3)
    data["b"][0] = "cow"
    r = referee.compare(**data, metric="f1:average=macro")
    assert "4 predictions of B are labels that never occur in the truth: 'cow', 'fish'" in r.warnings
    assert any("any other answer counts as wrong; add labels=all" in warning for warning in r.warnings)
    data["a"][1] = "fish"
    r = referee.compare(Counts.of(data, names={"a": "old", "b": "new"}), metric="accuracy")
    assert r.warnings[0] == "1 prediction of old is a label that never occurs in the truth: 'fish'"
    few, many = np.arange(20), np.arange(50)
    off = referee.compare(truth=few, a=few, b=few + 1, metric="f1:average=macro")
    assert "1 prediction of B is a label that never occurs in the truth: 20" in off.warnings
    # Free answers that are numbers, such as results of sums, need not be among those of the truth.
    assert referee.compare(truth=many, a=many, b=many + 1).warnings == ()
    letters = [f"label {i}" for i in range(9)]
    wild = referee.compare(truth=["x", "y", "x"] * 3, a=letters, b=["x", "y", "x"] * 3)
    assert wild.warnings[0].endswith("'label 0', 'label 1', 'label 2', 'label 3', 'label 4' and 4 more")
    scores = {"truth": [0, 1, 0, 1], "a": [3, 5, 2, 9], "b": [4, 7, 3, 8]}
    assert not any("never occur" in warning for warning in referee.compare(**scores, metric="auc").warnings)


def test_slices_average_over_their_own_labels():
    data = animals(strays=4)
    by = np.where(np.arange(292) % 2, "odd", "even")
    by[data["truth"] == "dog"] = "odd"
    sliced = referee.compare(**data, by=by, metric="f1:average=macro")
    for name in ("odd", "even"):
        inside = {role: values[by == name] for role, values in data.items()}
        alone = referee.compare(**inside, metric="f1:average=macro")
        assert (sliced[name].difference, sliced[name].p_value) == (alone.difference, alone.p_value)
        labels = sorted(set(inside["truth"]))
        wanted = sk.f1_score(inside["truth"], inside["b"], labels=labels, average="macro")
        assert sliced[name].b.score == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(
    "metric", ["f1:average=macro", "recall:average=macro", "balanced-accuracy", "f1:average=weighted"]
)
def test_there_is_an_interval_with_many_rare_classes(metric):
    truth = np.arange(300) // 2
    rng = np.random.default_rng(0)
    a, b = (np.where(rng.random(300) < right, truth, rng.integers(0, 150, 300)) for right in (0.5, 0.6))
    for test in (None, "bootstrap:replicates=199"):
        r = referee.compare(truth=truth, a=a, b=b, metric=metric, test=test, audit=False)
        assert r.undefined == 1 or "weighted" in metric or test is None
        assert all(high > low for low, high in intervals(r))
        assert not any("no interval" in warning for warning in r.warnings)


def test_which_labels_is_an_option():
    assert str(resolve("f1:average=macro,labels=all")) == "f1:average=macro,labels=all"
    assert str(resolve("f1:average=macro,labels=truth")) == "f1:average=macro"
    assert str(referee.metrics.fbeta(beta=2, average="macro", labels="all")) == "fbeta:average=macro,labels=all,beta=2"
    with pytest.raises(OptionError, match="f1:average=macro,labels=all"):
        resolve("f1:labels=all")
    with pytest.raises(OptionError, match="labels"):
        resolve("f1:average=macro,labels=some")
    with pytest.raises(OptionError, match="something else"):
        referee.metric(lambda tp, fp, *, labels=3: tp)


@pytest.mark.parametrize(
    "metric",
    [
        f"{m}:average={average}"
        for m, average in itertools.product(("f1", "specificity", "hter", "dcf", "recall"), ("macro", "weighted"))
    ],
)
def test_gradients_of_averages(metric):
    tally = Tally.of(Counts.of(animals(strays=9)), resolve(metric))
    formula, totals = tally.bound.formula, tally.totals(tally.multiplicities)
    step = 1e-3 * np.eye(totals.shape[-1])
    slope = [(formula.score(totals + move) - formula.score(totals - move)) / 2e-3 for move in step]
    assert formula.gradient(totals) == pytest.approx(np.array(slope).T, rel=1e-5, abs=1e-9)
