"""compare(): questions people ask, and the bad input they bring."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import referee
from referee.data.counts import Counts, from_events
from referee.errors import InputError, Misfit, NameUnknown, OptionError, RefereeError
from referee.studies.auditing.population import Population

EVENTS = (61, 14, 9, 21, 6, 11, 5, 873)
CLEAR = (60, 40, 5, 20, 10, 2, 30, 833)
"""B finds far more and raises fewer false alarms."""


def table(events=CLEAR, positive="spam", negative="ham"):
    counts = from_events(events)
    raw = {role: np.repeat(values, counts.multiplicities) for role, values in counts.columns.items()}
    return pd.DataFrame({role: np.where(values == 1, positive, negative) for role, values in raw.items()})


def test_arrays_frames_and_counts_agree():
    frame = table()
    by_frame = referee.compare(frame, truth="truth", a="a", b="b", metric="f1", positive="spam")
    arrays = {role: (frame[role] == "spam").astype(int).to_numpy() for role in frame}
    by_array = referee.compare(**arrays, metric="f1")
    by_counts = referee.compare(from_events(CLEAR), metric="f1")
    assert by_frame.p_value == by_array.p_value == by_counts.p_value
    assert by_array.verdict == "b better"
    assert by_array.interval == by_counts.interval


def test_defaults_follow_the_data():
    assert referee.compare(table(), truth="truth", a="a", b="b").metric == "accuracy"
    scores = referee.compare(a=[0.1, 0.4, 0.3], b=[0.2, 0.5, 0.1])
    assert (scores.metric, scores.test) == ("mean", "skew-t")
    right = referee.compare(a=[1, 0, 1, 1], b=[1, 1, 1, 0])
    assert (right.metric, right.test) == ("mean", "score")
    with pytest.raises(Misfit, match="auc"):
        referee.compare(truth=[0, 1, 1], a=[0.2, 0.5, 0.7], b=[0.1, 0.6, 0.8])
    with pytest.raises(Misfit, match="mse"):
        referee.compare(truth=[0.5, 1.5, 1.2], a=[0.2, 0.5, 0.7], b=[0.1, 0.6, 0.8])


@pytest.mark.parametrize(
    "metric",
    [
        "accuracy", "recall", "specificity", "f1:average=micro", "precision", "f1", "mcc", "f1:average=macro", "dcf", "hter",
        "balanced-accuracy",
    ],
)  # fmt: skip
def test_metrics_of_counts_have_one_law(metric):
    r = referee.compare(from_events(EVENTS), metric=metric)
    assert (r.test, r.interval.method, r.p_method) == ("score", "score", "asymptotic")


def test_choice_for_scores_and_groups():
    rng = np.random.default_rng(0)
    truth, a, b = rng.integers(0, 2, 80), rng.random(80), rng.random(80)
    groups = np.arange(80) // 2
    assert referee.compare(truth=truth, a=a, b=b, metric="auc").test == "delong:law=t"
    assert referee.compare(truth=truth, a=a, b=b, metric="auc", group=groups).test == "cluster-t"
    assert referee.compare(truth=truth, a=a, b=b, metric="average-precision").test == "bootstrap:interval=t"
    assert referee.compare(a=a, b=b).test == "skew-t"
    assert referee.compare(a=a, b=b, group=groups).test == "cluster-t"
    labels = (a > 0.5).astype(int), (b > 0.5).astype(int)
    assert referee.compare(truth=truth, a=labels[0], b=labels[1], group=groups).interval.method == "cluster-t"
    grouped = referee.compare(truth=truth, a=labels[0], b=labels[1], group=groups, metric="f1")
    assert grouped.test == "cluster-t"
    assert (grouped.units, grouped.n) == (40, 80)


def test_verdicts_know_the_direction():
    counts = from_events(CLEAR)
    assert referee.compare(counts, metric="error").verdict == "b better"
    assert referee.compare(counts, metric="error").difference < 0
    assert referee.compare(counts.swap(), metric="dcf").verdict == "a better"
    assert referee.compare(counts, metric="accuracy", alternative="less").verdict == "too close to call"
    assert referee.compare(counts, metric="accuracy", alternative="greater").verdict == "b better"
    assert referee.compare(counts, metric="error", alternative="less").verdict == "b better"


def test_margins():
    even = from_events([5000, 40, 40, 500, 300, 30, 30, 4060])
    assert referee.compare(even, margin=0.02).verdict == "practically equal"
    assert referee.compare(even, margin=1e-6).verdict == "too close to call"
    assert referee.compare(from_events(CLEAR), margin=0.2).verdict == "practically equal"
    assert referee.compare(from_events(CLEAR), margin=0.03).verdict == "b better"
    assert referee.compare(from_events([300, 12, 6, 20, 10, 5, 5, 642]), margin=0.01).verdict == "no worse"
    assert [referee.compare(from_events(CLEAR), margin=m).gate for m in (0.2, 0.03)] == [0, 0]
    for bad in (0, -1, float("nan"), True, "x"):
        with pytest.raises(OptionError, match="margin"):
            referee.compare(even, margin=bad)


def test_gate_codes():
    assert referee.compare(from_events(CLEAR)).gate == 0
    assert referee.compare(from_events(CLEAR).swap()).gate == 1
    assert referee.compare(from_events(EVENTS)).gate == 3


def test_detectable_is_what_the_formula_says():
    r = referee.compare(from_events(EVENTS), metric="accuracy", test="mcnemar")
    # n = 1000, 39 disagree, difference -.001
    se = np.sqrt((39 - 1 / 1000) / 1000**2)
    assert r.detectable == pytest.approx((1.959963985 + 0.8416212336) * se, rel=1e-9)


def test_several_metrics_and_slices():
    frame = table()
    frame["lang"] = np.where(np.arange(len(frame)) % 3 == 0, "de", "en")
    several = referee.compare(frame, truth="truth", a="a", b="b", positive="spam", metric=["f1", "accuracy"])
    assert [c.task for c in several] == ["f1", "accuracy"]
    assert several[1].p_adjusted >= several[1].p_value
    sliced = referee.compare(frame, truth="truth", a="a", b="b", positive="spam", metric="f1", by="lang")
    assert {c.task for c in sliced} == {"de", "en"}
    assert sum(c.n for c in sliced) == len(frame)
    alone = referee.compare(frame[frame.lang == "de"], truth="truth", a="a", b="b", positive="spam", metric="f1")
    assert sliced["de"].p_value == alone.p_value
    content = json.loads(sliced.to_json())
    assert content["schema"] == "referee.comparisons/1"
    assert content["adjust"] == "max-t"
    assert {row["task"] for row in content["comparisons"]} == {"de", "en"}
    assert len(sliced.to_frame()) == 2
    with pytest.raises(NameUnknown, match="did you mean"):
        sliced["dee"]


def test_verdicts_of_several_follow_the_adjusted_p():
    weak = from_events([50, 20, 9, 20, 5, 5, 6, 385])
    single = referee.compare(weak, metric="recall")
    assert 0.01 < single.p_value <= 0.05
    many = referee.compare(weak, metric=["recall", "accuracy", "specificity", "precision", "mcc"])
    assert single.verdict == "b better"
    assert many["recall"].p_adjusted > 0.05
    assert many["recall"].verdict == "too close to call"
    assert many.gate == 3


def test_threshold_makes_labels():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 200)
    a, b = rng.random(200), np.clip(truth * 0.3 + rng.random(200) * 0.7, 0, 1)
    by_score = referee.compare(truth=truth, a=a, b=b, metric="f1", threshold=0.5)
    by_label = referee.compare(truth=truth, a=(a >= 0.5).astype(int), b=(b >= 0.5).astype(int), metric="f1")
    assert by_score.p_value == by_label.p_value
    with pytest.raises(Misfit, match="threshold="):
        referee.compare(truth=truth, a=a, b=b, metric="f1")
    with pytest.raises(OptionError, match="threshold must be a number"):
        referee.compare(truth=truth, a=a, b=b, metric="f1", threshold="half")
    with pytest.raises(Misfit, match="3"):
        referee.compare(truth=[0, 1, 2], a=[0.1, 0.2, 0.3], b=[0.1, 0.2, 0.4], metric="f1", threshold=0.5, positive=1)


def scored(n=200):
    """Scores of two systems, in two slices of which one has no negatives."""
    rng = np.random.default_rng(2)
    truth = np.where(np.arange(n) < 30, 1, rng.integers(0, 2, n))
    a, b = (np.round(truth * gap + rng.random(n), 2) for gap in (0.2, 0.4))
    return {"truth": truth, "a": a, "b": b, "by": np.where(np.arange(n) < 30, "few", "rest")}


@pytest.mark.parametrize("metric", ["auc", "average-precision", "mse", "mae"])
def test_a_threshold_is_for_metrics_of_labels_alone(metric, tmp_path):
    data = scored()
    del data["by"]
    alone = referee.compare(**data, metric=metric)
    labels = {"truth": data["truth"], "a": (data["a"] >= 0.7).astype(int), "b": (data["b"] >= 0.7).astype(int)}
    cut = referee.compare(**labels, metric="f1")
    counts = referee.count(**data)
    counts.save(tmp_path / "counts.json")
    for source, columns in ((None, data), (counts, {}), (tmp_path / "counts.json", {})):
        for asked in ([metric, "f1"], ["f1", metric]):
            both = referee.compare(source, **columns, metric=asked, threshold=0.7)
            found = {c.metric: c for c in both}
            assert (found[metric].difference, found[metric].p_value) == (alone.difference, alone.p_value)
            assert (found["f1"].difference, found["f1"].p_value) == (cut.difference, cut.p_value)
            assert "threshold" not in found[metric].signature
            assert "|threshold:0.7|" in found["f1"].signature
            assert not any("threshold" in warning for c in both for warning in c.warnings)
    unused = referee.compare(**data, metric=metric, threshold=0.7)
    assert unused.difference == alone.difference
    assert any("threshold=0.7 has no effect" in warning for warning in unused.warnings)


def test_a_threshold_in_slices():
    data = scored()
    both = referee.compare(**data, metric=["recall", "mse"], threshold=0.7)
    for name in ("few", "rest"):
        inside = data["by"] == name
        part = {role: data[role][inside] for role in ("truth", "a", "b")}
        assert both[f"{name} mse"].difference == referee.compare(**part, metric="mse").difference
        cut = {role: (part[role] >= 0.7).astype(int) for role in ("a", "b")}
        assert (
            both[f"{name} recall"].difference == referee.compare(truth=part["truth"], **cut, metric="recall").difference
        )


def test_a_threshold_in_an_audit():
    data = scored()
    del data["by"]
    asked = {"test": "delong", "sets": 20, "coverage": False}
    assert referee.audit(**data, metric="auc", threshold=0.7, **asked).difference == pytest.approx(
        referee.compare(**data, metric="auc").difference
    )
    labelled = referee.audit(**data, threshold=0.7, test="mcnemar", sets=20, coverage=False)
    assert labelled.metric == "accuracy"
    assert labelled.difference == pytest.approx(referee.compare(**data, threshold=0.7).difference)
    with pytest.raises(OptionError, match="threshold="):
        referee.audit(Population.of(referee.count(**data)), metric="auc", threshold=0.7, **asked)


def test_positive_is_found_or_asked_for():
    for labels in ((0, 1), (-1, 1), (False, True), ("0", "1"), ("False", "True"), ("-1", "1")):
        frame = table(positive=labels[1], negative=labels[0])
        assert referee.compare(frame, truth="truth", a="a", b="b", metric="f1").difference > 0
    with pytest.raises(InputError, match="positive"):
        referee.compare(table(), truth="truth", a="a", b="b", metric="f1")
    with pytest.raises(InputError, match="did you mean 'spam'"):
        referee.compare(table(), truth="truth", a="a", b="b", metric="f1", positive="spamm")
    three = {"truth": ["x", "y", "z"] * 5, "a": ["x", "y", "y"] * 5, "b": ["x", "z", "z"] * 5}
    with pytest.raises(InputError, match="f1:average=macro"):
        referee.compare(**three, metric="f1")
    assert referee.compare(**three, metric="f1", positive="x").difference == 0


def test_groups_change_the_standard_error():
    rng = np.random.default_rng(3)
    lean = np.repeat(rng.random(30) < 0.5, 20)
    truth = np.zeros(600, int)
    a, b = np.where(lean, 0, 1), np.where(lean, 1, 0)
    flip = rng.random(600) < 0.1
    a = np.where(flip, 1 - a, a)
    alone = referee.compare(truth=truth, a=a, b=b)
    grouped = referee.compare(truth=truth, a=a, b=b, group=np.repeat(np.arange(30), 20))
    assert grouped.design_effect > 5
    assert alone.design_effect == 1.0
    assert grouped.p_value > alone.p_value
    assert grouped.detectable > alone.detectable


@pytest.mark.parametrize("groups", [1, 2, 5, 6, 12])
def test_few_groups_are_pointed_out(groups):
    counts = Counts.of({"truth": [1] * 60, "a": [0] * 60, "b": [1] * 60, "group": np.arange(60) % groups})
    unvarying = referee.compare(counts)
    assert (unvarying.test, unvarying.p_value, unvarying.verdict) == ("cluster-t", None, "too close to call")
    assert groups == 1 or any("test='randomization' needs none" in warning for warning in unvarying.warnings)
    r = referee.compare(counts, test="randomization")
    assert r.p_value == pytest.approx(min(1.0, 2.0 ** (1 - groups)))
    assert any("group" in warning for warning in r.warnings)
    assert (r.verdict == "b better") == (groups >= 6)


def test_a_group_a_member():
    frame = table(EVENTS, 1, 0)
    frame["doc"] = np.arange(len(frame))
    own = referee.compare(frame, truth="truth", a="a", b="b", group="doc", metric="accuracy")
    assert own.design_effect == pytest.approx(1.0)
    assert own.units == own.n


def test_strata_are_resampled_within():
    rng = np.random.default_rng(0)
    stratum = np.arange(400) % 2
    truth = np.ones(400, int)
    a = (rng.random(400) < 0.5).astype(int)
    b = np.where(stratum == 1, 1, a)
    plain = referee.compare(truth=truth, a=a, b=b, test="bootstrap")
    within = referee.compare(truth=truth, a=a, b=b, stratum=stratum, test="bootstrap")
    assert within.interval.high - within.interval.low < plain.interval.high - plain.interval.low
    assert within.detectable < plain.detectable
    with pytest.raises(InputError, match="stratum"):
        referee.compare(truth=truth, a=a, b=b, stratum=stratum, group=np.arange(400) // 2)


def test_own_metrics():
    @referee.metric
    def lift(tp, fp, fn, tn):
        """How much more often a found example is positive than any example."""
        return (tp / (tp + fp)) / ((tp + fn) / (tp + fp + fn + tn))

    @referee.metric(per="example", higher_is_better=False)
    def near(truth, prediction):
        """Off by more than one class."""
        return 1.0 if abs(truth - prediction) > 1 else 0.0

    r = referee.compare(from_events(CLEAR), metric=lift)
    assert (r.test, r.interval.method, r.verdict) == ("score", "score", "b better")
    assert referee.compare(from_events(CLEAR), metric=lift, test="randomization:studentized=true").p_method == "exact"
    counts = Counts.of({"truth": [1, 2, 3, 4] * 5, "a": [3, 4, 1, 2] * 5, "b": [1, 2, 3, 3] * 5})
    assert referee.compare(counts, metric=near).test == "score"
    assert referee.compare(counts, metric="near").verdict == "b better"


def test_a_metric_with_abs_has_a_true_gradient():
    from referee.metrics.base import Metric
    from referee.significance.tally import Tally

    def gap(tp, fp, fn):
        return abs(tp - fp) / (tp + fp + fn)

    metric = Metric(name="gap", function=gap, task="binary", totals=("tp", "fp", "fn"), defaults={"average": "binary"})
    tally = Tally.of(from_events(EVENTS), metric)
    assert not tally.bound.formula.has_complex_form
    totals = tally.totals(tally.multiplicities)
    step = np.array([1.0, 0.0, 0.0])
    slope = (tally.bound.formula.score(totals + step) - tally.bound.formula.score(totals - step)) / 2
    assert tally.bound.formula.gradient(totals)[:, 0] == pytest.approx(slope, rel=1e-3)


@pytest.mark.parametrize("test", [None, "randomization", "bootstrap"])
def test_undefined_is_declared(test):
    nothing = Counts.of({"truth": [1, 1, 0, 0], "a": [0, 0, 0, 0], "b": [1, 0, 0, 1]})
    r = referee.compare(nothing, metric="precision", test=test)
    assert r.a.score == 0.0
    assert r.undefined > 0 or test != "bootstrap"
    assert any("0/0" in warning for warning in r.warnings)
    no_positive = Counts.of({"truth": [0, 0, 0], "a": [0, 1, 0], "b": [0, 0, 1]})
    for metric in ("recall", "dcf", "hter"):
        r = referee.compare(no_positive, metric=metric, test=test)
        assert (r.a.score, r.difference, r.p_value, r.verdict) == (None, None, None, "too close to call")
        assert r.gate == 3
        assert any("class" in warning for warning in r.warnings)
        assert "unknown" in str(r)
    ranked = Counts.of({"truth": [0, 0, 0], "a": [0.5, 0.1, 0.2], "b": [0.3, 0.2, 0.1]})
    assert referee.compare(ranked, metric="auc").p_value is None


def test_constant_difference_has_no_standard_error():
    r = referee.compare(a=[0.5] * 40, b=[0.75] * 40)
    assert r.test == "skew-t"
    assert r.p_value is None
    assert r.detectable is None
    assert any("standard error is 0" in warning for warning in r.warnings)
    assert referee.compare(a=[0.5] * 40, b=[0.75] * 40, test="randomization").p_value == pytest.approx(2.0**-39)


def test_all_predictions_equal_and_one_class_only():
    same = Counts.of({"truth": [1] * 10, "a": [1] * 10, "b": [1] * 10})
    for metric in ("accuracy", "f1", "precision", "mcc", "kappa", "recall"):
        r = referee.compare(same, metric=metric)
        assert (r.difference, r.p_value) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"metric": "f2"}, NameUnknown, "did you mean"),
        ({"metric": "f1:beta=2"}, OptionError, "no option 'beta'"),
        ({"metric": "fbeta:beta=x"}, OptionError, "must be a number"),
        ({"metric": "f1:average=micro-macro"}, OptionError, "average"),
        ({"metric": []}, OptionError, "empty"),
        ({"metric": 3}, OptionError, "a metric is"),
        ({"metric": "no_such_module:thing"}, NameUnknown, "no_such_module"),
        ({"test": "mcnemer"}, NameUnknown, "did you mean 'mcnemar'"),
        ({"test": "mcnemar:variant=mid"}, OptionError, "midp"),
        ({"test": "bootstrap:replicates=5"}, OptionError, "at least 99"),
        ({"test": "bootstrap:replicates=1.5"}, OptionError, "whole number"),
        ({"test": "bootstrap:replicates"}, OptionError, "name:key=value"),
        ({"test": "randomization:studentized=perhaps"}, OptionError, "true or false"),
        ({"test": 5}, OptionError, "a test is"),
        ({"metric": "f1", "test": "mcnemar"}, Misfit, "randomization"),
        ({"metric": "auc", "test": "mcnemar"}, Misfit, "delong"),
        ({"metric": "f1", "test": "delong"}, Misfit, "bootstrap"),
        ({"metric": "mean"}, Misfit, "truth"),
        ({"alpha": 0}, OptionError, "alpha"),
        ({"alpha": 1}, OptionError, "alpha"),
        ({"alpha": -0.1}, OptionError, "alpha"),
        ({"alpha": "x"}, OptionError, "alpha"),
        ({"alternative": "bigger"}, OptionError, "alternative"),
        ({"rng": -1}, OptionError, "rng"),
        ({"rng": "zero"}, OptionError, "rng"),
        ({"missing": "maybe"}, OptionError, "missing"),
        ({"repeats": "maybe"}, OptionError, "repeats"),
        ({"unmatched": "maybe"}, OptionError, "unmatched"),
    ],
)
def test_bad_questions(options, error, words):
    with pytest.raises(error, match=words) as caught:
        referee.compare(truth=[0, 1, 1, 0], a=[0, 1, 0, 0], b=[1, 1, 1, 0], **options)
    assert isinstance(caught.value, RefereeError)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"truth": [], "a": [], "b": []}, "no examples"),
        ({"truth": [1, 0], "a": [1, 0, 1], "b": [1, 0]}, "length"),
        ({"truth": [1, 0], "a": [1, None], "b": [1, 0]}, "missing"),
        ({"truth": [1, 0], "a": [1, float("nan")], "b": [1, 0]}, "missing"),
        ({"truth": [1, 0], "a": ["1", "0"], "b": ["1", "1"]}, "not the same label"),
        ({"truth": [True, False], "a": [1, 0], "b": [1, 1]}, "not the same label"),
        ({"truth": [1, 0], "a": [1, "0"], "b": [1, 0]}, "type"),
        ({"truth": [[1], [0]], "a": [1, 0], "b": [1, 0]}, "one value|shape|list"),
        ({"a": [0.1, float("inf")], "b": [0.2, 0.3]}, "infinite"),
    ],
)
def test_bad_data(data, words):
    with pytest.raises(InputError, match=words):
        referee.compare(**data)


def test_labels_that_truth_never_has_are_pointed_out():
    r = referee.compare(truth=["a", "b", "a", "b"], a=["a", "b", "c", "b"], b=["a", "b", "a", "b"])
    assert any("'c'" in warning for warning in r.warnings)
    r = referee.compare(truth=["yes", "no", "yes"], a=[" Yes", "no", "yes"], b=["yes", "no", "no"])
    assert any("Yes" in warning for warning in r.warnings)
    assert r.a.score == pytest.approx(2 / 3)


def test_open_counts_refuse_true_negatives():
    open_counts = from_events([19, 6, 28, 50, 5, 9, 43], open=True)
    for metric in ("accuracy", "mcc", "specificity", "dcf", "f1:average=macro"):
        with pytest.raises(Misfit, match="response sets"):
            referee.compare(open_counts, metric=metric)
    assert referee.compare(open_counts).metric == "f1"


def test_rng_kinds():
    counts = from_events(CLEAR)
    test = "bootstrap:replicates=999"
    zero = referee.compare(counts, metric="f1", test=test)
    assert zero.to_dict() == referee.compare(counts, metric="f1", test=test, rng=0).to_dict()
    assert zero.interval != referee.compare(counts, metric="f1", test=test, rng=1).interval
    sequence = np.random.SeedSequence(5)
    first = referee.compare(counts, metric="f1", test=test, rng=sequence)
    assert first.interval == referee.compare(counts, metric="f1", test=test, rng=np.random.SeedSequence(5)).interval
    fresh = referee.compare(counts, metric="f1", test=test, rng=None)
    seed = int(fresh.signature.rpartition("rng:")[2])
    assert referee.compare(counts, metric="f1", test=test, rng=seed).interval == fresh.interval
    generator = referee.compare(counts, metric="f1", test=test, rng=np.random.default_rng(0))
    assert generator.interval == referee.compare(counts, metric="f1", test=test, rng=np.random.default_rng(0)).interval


def test_workers_change_nothing():
    from joblib import Parallel, delayed

    counts = from_events(CLEAR)
    spellings = ["bootstrap", "randomization:method=monte-carlo", "bootstrap:interval=bca"] * 3
    alone = [referee.compare(counts, metric="f1", test=t).to_dict() for t in spellings]
    threads = Parallel(n_jobs=8, prefer="threads")(
        delayed(referee.compare)(counts, metric="f1", test=t) for t in spellings
    )
    assert alone == [r.to_dict() for r in threads]
    processes = Parallel(n_jobs=2)(delayed(referee.compare)(counts, metric="f1", test=t) for t in spellings[:3])
    assert alone[:3] == [r.to_dict() for r in processes]


def test_contract_fields():
    content = referee.compare(from_events(EVENTS), metric="f1").to_dict()
    assert set(content) >= {
        "schema", "metric", "test", "reason", "alternative", "alpha", "a", "b", "difference", "interval", "statistic",
        "p_value", "p_method", "p_error", "verdict", "detectable", "n", "units", "matched", "discordant", "correlation",
        "inflation", "design_effect", "undefined", "probability_b_better", "audit", "warnings", "signature",
    }  # fmt: skip
    assert content["schema"] == "referee.comparison/1"
    assert content["discordant"] == {"a_only": 20, "b_only": 19}
    assert content["signature"].startswith(f"referee {referee.__version__}|metric:f1|test:score|p:asymptotic|")
    assert referee.compare(from_events(EVENTS), test="bootstrap").to_dict()["probability_b_better"] < 0.5
    assert (
        referee.compare(from_events(EVENTS), test="bootstrap", metric="error").to_dict()["probability_b_better"] < 0.5
    )


def test_huge_counts_cost_nothing():
    huge = from_events([n * 10**6 for n in EVENTS])
    r = referee.compare(huge, metric="f1")
    assert (r.n, r.p_method) == (10**9, "asymptotic")
    assert 0 < r.p_value < 1e-200
    assert r.verdict == "b better"
    exact = referee.compare(huge, metric="f1", test="randomization:studentized=true")
    assert (exact.p_method, exact.verdict) == ("exact", "b better")


def test_a_score_that_rests_on_nothing_is_pointed_out():
    r = referee.compare(
        truth=[1] * 5 + [0] * 195, a=[1] * 5 + [0] * 195, b=[0] * 199 + [1], metric="precision", test="bootstrap"
    )
    assert any("of B is only 1;" in warning for warning in r.warnings)
    assert any("undefined" in warning for warning in r.warnings)
    nothing = referee.compare(
        truth=[1] * 6 + [0] * 194, a=[1] * 6 + [0] * 194, b=[0] * 200, metric="precision", test="bootstrap"
    )
    assert nothing.undefined > 0.5
    assert nothing.interval is None
    assert any("no interval" in warning for warning in nothing.warnings)
    # The score law knows that one more answer could have been right: next to nothing is ruled out.
    known = referee.compare(truth=[1] * 6 + [0] * 194, a=[1] * 6 + [0] * 194, b=[0] * 200, metric="precision")
    assert (known.interval.low, known.verdict) == (-1.0, "too close to call")
    assert known.interval.high > 0.3
    assert any("precision of B is 0/0" in warning for warning in known.warnings)


def test_a_bootstrap_of_four_is_pointed_out():
    r = referee.compare(a=[1, 2, 3, 4.0], b=[2, 3, 4, 5.0], test="bootstrap")
    assert any("4 units" in warning for warning in r.warnings)


def test_rounding_is_no_variance():
    r = referee.compare(a=[0.1, 0.2, 0.3, 0.5], b=[0.2, 0.3, 0.4, 0.6])
    assert r.detectable is None


def test_differences_of_shares_stay_within_one():
    r = referee.compare(truth=[1] * 12, a=[1] * 6 + [0] * 6, b=[0] * 6 + [1] * 5 + [0], group=[0] * 6 + [1] * 6)
    assert (r.interval.low, r.interval.high) == (-1.0, 1.0)


def test_one_group_has_no_design_effect():
    r = referee.compare(truth=[1] * 12, a=[1] * 6 + [0] * 6, b=[0] * 5 + [1] * 7, group=[0] * 12)
    assert r.design_effect is None
    assert json.loads(r.to_json())["design_effect"] is None
    assert "design effect" not in str(r)


@pytest.mark.parametrize(("events", "metrics"), [(10**11, ("f1", "accuracy")), (10**13, ("f1", "mcc", "accuracy"))])
def test_counts_beyond_the_exact_law_are_sampled(events, metrics):
    huge = from_events([e * events // 1000 for e in EVENTS])
    for metric in metrics:
        r = referee.compare(huge, metric=metric, test="randomization", audit=False)
        assert r.p_method in ("exact", "monte-carlo")
        assert r.p_value <= 1e-3


@pytest.mark.parametrize("spelling", ["dcf:p_target=2", "dcf:cost_fn=-1", "fbeta:beta=-1", "fbeta:beta=0"])
def test_options_that_make_no_sense(spelling):
    with pytest.raises(OptionError):
        referee.compare(from_events(EVENTS), metric=spelling)


@pytest.mark.parametrize("options", ["bootstrap:replicates=1000000000000", "randomization:trials=1000000000000"])
def test_endless_work_is_refused(options):
    with pytest.raises(OptionError, match="at most"):
        referee.compare(from_events(EVENTS), metric="f1", test=options)


@pytest.mark.parametrize(
    "body",
    ["tp / no_such_name", "3", "[tp, fp]", "1.0 if tp > fp else 0.0", "'text'"],
    ids=["name", "scalar", "list", "branch", "text"],
)
def test_what_fails_in_a_metric_is_told_as_the_metrics_fault(body):
    scope: dict = {}
    exec(f"def bad(tp, fp):\n    return {body}", scope)
    with pytest.raises(Misfit):
        referee.compare(from_events(EVENTS), metric=referee.metric(scope["bad"]))


def test_scores_too_large_to_square():
    with pytest.raises(InputError, match="scale them"):
        referee.compare(a=[1e308, 1e308], b=[-1e308, 1.5])


def test_very_many_labels():
    labels = [f"l{i}" for i in range(20_000)]
    other = ["x" if i % 3 == 0 else label for i, label in enumerate(labels)]
    r = referee.compare(truth=labels, a=other, b=labels)
    assert (r.b.score, r.verdict) == (1.0, "b better")
    few = {"truth": labels[:60], "a": other[:60], "b": labels[:60]}
    r = referee.compare(**few, metric="f1:average=macro", test="bootstrap", audit=False)
    assert (r.a.score, r.b.score, r.verdict) == (pytest.approx(2 / 3), 1.0, "b better")


def test_the_signature_of_a_sequence_reproduces():
    counts = from_events(CLEAR)
    drawn = referee.compare(counts, metric="f1", rng=np.random.SeedSequence(5))
    seed = int(drawn.signature.rpartition("rng:")[2])
    assert referee.compare(counts, metric="f1", rng=seed).interval == drawn.interval


def test_a_verdict_on_f1_that_hangs_on_few_positives_is_said_to():
    """A answers often and finds one positive more or less: such ties are called differences far too often."""
    thin = from_events((3, 0, 1, 20, 0, 0, 90, 4000))
    result = referee.compare(thin, metric="f1", test="randomization:studentized=true")
    assert result.p_value <= 0.05
    assert any("only 1 positive example was found by just one system" in w for w in result.warnings)
    thick = from_events((30, 9, 4, 20, 5, 0, 90, 4000))
    assert not any("just one system" in w for w in referee.compare(thick, metric="f1", test="bootstrap").warnings)
    assert not any("just one system" in w for w in referee.compare(thin, metric="accuracy", test="bootstrap").warnings)
    assert not any("just one system" in w for w in referee.compare(thin, metric="f1").warnings)
    undecided = referee.compare(from_events((3, 0, 1, 4, 5, 1, 1, 40)), metric="f1", test="bootstrap")
    assert any("just one system; with fewer than 5 an interval of F1 can be too short" in w for w in undecided.warnings)


@pytest.mark.parametrize("alternative", ["two-sided", "less"])
def test_a_test_that_speaks_for_the_other_side_settles_nothing(alternative):
    # A wins on most examples by a little, B on a few by much: the signs favour A, the mean B.
    a = [0.5] * 50
    b = [0.49] * 40 + [0.9] * 10
    for flipped in (False, True):
        first, second = (b, a) if flipped else (a, b)
        side = {"less": "greater"}.get(alternative, alternative) if flipped else alternative
        r = referee.compare(a=first, b=second, test="sign", alternative=side)
        assert (r.difference < 0) == flipped
        assert r.p_value < 0.001
        assert r.verdict == "too close to call"
        assert any("points the opposite way" in warning for warning in r.warnings)
    r = referee.compare(a=a, b=[0.51] * 40 + [0.4] * 10, test="wilcoxon")
    assert not any("speaks for" in warning for warning in r.warnings)


def test_groups_that_weigh_alike_can_speak_for_the_other_side():
    # In twelve small groups B gains one, in a large one it loses thirty: Durkalski's test weighs all groups alike.
    small = [(1, 0, 1, g) for g in range(12)] + [(1, 1, 1, g) for g in range(12)]
    large = [(1, 1, 0, 99)] * 30 + [(1, 1, 1, 99)] * 70
    truth, a, b, group = zip(*small, *large, strict=True)
    given = {"truth": truth, "a": a, "b": b, "group": group, "test": "mcnemar:clustered=durkalski"}
    for alternative in ("two-sided", "greater"):
        r = referee.compare(**given, alternative=alternative)
        assert r.difference < 0
        assert r.p_value < 0.01
        assert r.verdict == "too close to call"
        assert any("points the opposite way" in warning for warning in r.warnings)


@pytest.mark.parametrize("metric", ["f1", "precision", "mcc", "dcf", "balanced-accuracy"])
def test_systems_that_never_differ_are_not_called_practically_equal_by_an_interval_of_no_width(metric):
    same = from_events([3, 0, 0, 7, 0, 0, 0, 1990])
    r = referee.compare(same, metric=metric, margin=0.001, test="bootstrap")
    assert (r.verdict, r.gate) == ("too close to call", 3)
    assert any("cannot be compared with the margin" in warning for warning in r.warnings)
    # The score law's interval has a width even here, and settles what is wide enough.
    own = referee.compare(same, metric=metric, margin=0.001)
    assert (own.verdict, own.gate) == ("too close to call", 3)
    assert own.interval.low < -0.001 < 0.001 < own.interval.high
    assert referee.compare(same, margin=0.01).verdict == "practically equal"


def test_a_score_that_is_0_0_for_both_is_said():
    r = referee.compare(truth=[0] * 50, a=[0] * 50, b=[0] * 50, metric="f1", positive=1)
    assert any("0/0" in warning for warning in r.warnings)


def test_no_share_can_be_said_to_need_more_than_1():
    r = referee.compare(truth=[1, 1, 0, 0], a=[1, 0, 0, 1], b=[1, 1, 1, 0], metric="f1")
    assert r.detectable is None or r.detectable <= 1


@pytest.mark.parametrize("offset", [0, 1000, 10**6, 10**9])
@pytest.mark.parametrize("group", [None, [i % 7 for i in range(50)]])
def test_differences_that_are_equal_on_paper_have_no_variance(offset, group):
    """b is a + 0.1 in decimals; in binary the differences vary by rounding, which is no evidence of anything."""
    hundredths = np.random.default_rng(1).integers(0, 1000, 50)
    a, b = ([float(f"{offset + (h + more) / 100:.2f}") for h in hundredths] for more in (0, 10))
    r = referee.compare(a=a, b=b, group=group, test="paired-t")
    assert (r.p_value, r.interval, r.detectable, r.verdict) == (None, None, None, "too close to call")
    assert any("the standard error is 0" in warning for warning in r.warnings)


@pytest.mark.parametrize("metric", ["accuracy", "f1", "mcc"])
def test_what_next_is_what_a_plan_says(metric):
    close = from_events([61, 24, 19, 21, 6, 9, 11, 264])
    r = referee.compare(close, metric=metric, audit=False)
    assert r.verdict == "too close to call"
    assert r.needed["n"] == r.needed["units"] == pytest.approx(referee.plan(close, metric=metric, sizes=400).n, rel=0.1)
    assert f"instead of {close.n}." in " ".join(str(r).split())


def test_what_next_counts_groups_and_their_degrees_of_freedom():
    draw = np.random.default_rng(7)
    groups = np.repeat(np.arange(40), 5)
    a, b = draw.normal(size=200), draw.normal(size=200) + 0.08
    r = referee.compare(a=a, b=b, group=groups, audit=False)
    assert r.needed["n"] == 5 * r.needed["units"]
    planned = referee.plan(a=a, b=b, group=groups, sizes=200)
    assert r.needed["units"] == pytest.approx(planned.units, rel=0.12)
    assert "groups (" in str(r)


def test_what_next_is_null_where_nobody_knows():
    same = from_events([61, 14, 14, 21, 6, 11, 11, 873])
    for r in (
        referee.compare(same, metric="accuracy"),
        referee.compare(from_events([3, 4, 0, 3, 2, 0, 1, 987]), metric="accuracy"),
        referee.compare(from_events([61, 44, 9, 21, 6, 1, 15, 873]), metric="f1"),
        referee.compare(from_events([61, 14, 9, 21, 6, 11, 5, 873]), metric="accuracy", alternative="greater"),
        referee.compare(from_events(EVENTS), metric="f1", question="no-worse", margin=0.01),
    ):
        assert r.needed is None
        assert "To confirm" not in str(r)
    tiny = from_events([6100, 1401, 1400, 2100, 600, 1100, 1100, 87300])
    r = referee.compare(tiny, metric="accuracy")
    assert r.needed["n"] > 1000 * tiny.n
    assert "more than 1,000 times as many examples" in " ".join(str(r).split())


def test_an_exchange_of_three_classes_is_audited():
    draw = np.random.default_rng(1)
    truth, a = draw.integers(0, 3, (2, 60))
    r = referee.compare(truth=truth, a=a, b=truth, metric="accuracy", test="randomization", audit=True)
    assert r.audit["false_alarm"] < 0.1


def test_what_next_of_one_of_several_says_that_it_is_of_one():
    close = from_events([61, 24, 19, 21, 6, 9, 11, 264])
    page = " ".join(referee.compare(close, metric=["f1", "mcc"], audit=False).to_html().split())
    assert "instead of 415, if it were the only comparison." in page
