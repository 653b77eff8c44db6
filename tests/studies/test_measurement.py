"""score(): one system, its interval, and whether it meets a target."""

import json

import numpy as np
import pandas as pd
import pytest

import referee
from referee.data.counts import Counts, from_events
from referee.errors import ChoiceNeeded, InputError, NameUnknown, OptionError
from referee.studies.targets import Target

TRUTH = [1] * 30 + [0] * 70
GUESS = [1] * 24 + [0] * 6 + [1] * 8 + [0] * 62
E1 = [61, 14, 9, 21, 6, 11, 5, 873]


def shares(right, n, **options):
    return referee.score(truth=[1] * n, prediction=[1] * right + [0] * (n - right), metric="accuracy", **options)


@pytest.mark.parametrize(("right", "n", "low", "high"), [(17, 20, 0.63958, 0.94763), (5, 5, 0.56552, 1.0)])
def test_accuracy_has_wilsons_interval(right, n, low, high):
    r = shares(right, n)
    assert (r.interval.low, r.interval.high) == pytest.approx((low, high), abs=5e-6)
    assert (r.interval.level, r.interval.method, r.verdict, r.p_value) == (0.95, "wilson", None, None)


@pytest.mark.parametrize("metric", ["accuracy", "f1", "precision", "mcc", "error", "dcf", "auc", "average-precision"])
@pytest.mark.parametrize("grouped", [False, True])
def test_it_equals_what_compare_shows_of_the_same_system(metric, grouped):
    generator = np.random.default_rng(1)
    truth = generator.integers(0, 2, 120)
    a, b = (generator.random(120) + 0.5 * truth for _ in "ab")
    if metric not in ("auc", "average-precision"):
        a, b = (a > 0.7).astype(int), (b > 0.7).astype(int)
    more = {"group": np.arange(120) // 5} if grouped else {}
    both = referee.compare(truth=truth, a=a, b=b, metric=metric, audit=False, **more)
    for own, guess in ((both.a, a), (both.b, b)):
        one = referee.score(truth=truth, prediction=guess, metric=metric, **more)
        assert one.score == own.score
        # Draws of two systems are keyed in their canonical order, and so are those of one.
        near = 0.02 if metric == "average-precision" else 1e-6
        assert (one.interval.low, one.interval.high) == pytest.approx((own.interval.low, own.interval.high), abs=near)


@pytest.mark.parametrize(
    ("right", "target", "verdict", "gate"),
    [(97, 0.9, "meets it", 0), (93, 0.9, "can't tell", 3), (80, 0.9, "falls short", 1), (90, 0.9, "can't tell", 3)],
)
def test_verdicts(right, target, verdict, gate):
    r = shares(right, 100, at_least=target)
    assert (r.verdict, r.gate, r.at_least, r.at_most, r.target) == (verdict, gate, target, None, target)
    assert r.interval.level == pytest.approx(0.9)
    error = referee.score(
        truth=[1] * 100,
        prediction=[1] * right + [0] * (100 - right),
        metric="error",
        at_most=f"{100 - 100 * target:.0f}%",
    )
    assert (error.verdict, error.gate) == (verdict, gate)
    assert error.p_value == pytest.approx(r.p_value, rel=1e-9)


@pytest.mark.parametrize("metric", ["accuracy", "f1", "mcc", "balanced-accuracy"])
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2])
def test_the_verdict_is_read_off_the_interval(metric, alpha):
    for target in np.linspace(0.5, 0.95, 19):
        r = referee.score(truth=TRUTH, prediction=GUESS, metric=metric, at_least=float(target), alpha=alpha)
        assert (r.verdict == "meets it") == (r.p_value <= alpha) == (r.interval.low >= target)
        assert (r.verdict == "falls short") == (r.interval.high <= target)


def test_false_passes():
    """A system just at the target is said to meet it no more often than alpha, about."""
    generator, n, target = np.random.default_rng(0), 200, 0.8
    right = np.bincount(generator.binomial(n, target, 4000), minlength=n + 1)
    passed = sum(
        times * (shares(k, n, at_least=target).verdict == "meets it") for k, times in enumerate(right) if times
    )
    assert 0.03 < passed / 4000 < 0.065


def test_sources_agree(tmp_path):
    frame = pd.DataFrame({"label": TRUTH, "new": GUESS})
    frame.to_csv(tmp_path / "t.csv", index=False)
    counts = referee.count(frame, truth="label", a="new", b="new")
    counts.save(tmp_path / "c.json")
    arrays = referee.score(truth=TRUTH, prediction=frame["new"], metric="f1")
    others = [
        referee.score(frame, truth="label", prediction="new", metric="f1"),
        referee.score(tmp_path / "t.csv", truth="label", prediction="new", metric="f1"),
        referee.score(tmp_path / "c.json", metric="f1"),
        referee.score(counts, metric="f1"),
        referee.score(referee.read(tmp_path / "t.csv", truth="label", prediction="new"), metric="f1"),
    ]
    for other in others:
        assert (other.name, other.n, other.score, other.interval) == ("new", 100, arrays.score, arrays.interval)


def test_one_of_two_systems_of_counts():
    counts = from_events(E1, a="old", b="new")
    for name in ("old", "new"):
        assert referee.score(counts, prediction=name, metric="f1").name == name
    with pytest.raises(ChoiceNeeded, match="two systems, old and new; name one with prediction="):
        referee.score(counts, metric="f1")
    with pytest.raises(NameUnknown, match=r"there is no system 'nww' .did you mean 'new'"):
        referee.score(counts, prediction="nww")


def test_slices_and_metrics():
    r = referee.score(
        truth=TRUTH, prediction=GUESS, by=["x", "y"] * 50, metric=["f1", "accuracy"], at_least=0.5, positive=1
    )
    assert [one.task for one in r] == ["x f1", "x accuracy", "y f1", "y accuracy"]
    assert r["y f1"].n == 50
    assert r.gate == min((one.gate for one in r if one.gate), default=0)
    assert list(r.to_frame()["metric"]) == ["f1", "accuracy"] * 2
    content = json.loads(r.to_json())
    assert content["schema"] == "referee.scores/1"
    assert {one["schema"] for one in content["scores"]} == {"referee.score/1"}


def test_the_json_says_all():
    r = shares(17, 20, at_least=0.9)
    content = r.to_dict()
    assert content["schema"] == "referee.score/1"
    assert {"metric", "name", "n", "units", "score", "interval", "at_least", "at_most", "p_value", "verdict", "warnings",
            "signature"} <= set(content)  # fmt: skip
    assert "at_least:0.9" in r.signature
    assert "system:system" in r.signature


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"at_least": 0.9, "at_most": 0.1}, "at_least and at_most are both given"),
        ({"at_least": 90}, "must lie between 0 and 1, the ends of accuracy; it is 90; for 90% give at_least='90%'"),
        ({"at_least": 1}, "no data can show"),
        ({"at_least": -0.1}, "must lie between 0 and 1"),
        ({"at_least": "many"}, "must be a number"),
        ({"at_least": True}, "must be a number"),
        ({"at_least": float("nan")}, "must be a number"),
        ({"at_most": 0.9}, "higher accuracy is better.*give at_least='0.9'"),
        ({"at_least": 0.9, "metric": "error"}, "lower error is better.*give at_most='0.9'"),
        ({"at_least": 0.9, "alpha": 0.5}, "needs alpha below 0.5"),
        ({"alpha": 0}, "alpha must lie between 0 and 1"),
        ({"metric": "f2x"}, "there is no metric"),
        ({"metric": []}, "empty list"),
    ],
)
def test_bad_questions(options, words):
    with pytest.raises(referee.RefereeError, match=words):
        referee.score(truth=TRUTH, prediction=GUESS, **{"metric": "accuracy", **options})


def test_percent_of_what_is_no_share():
    with pytest.raises(OptionError, match="not a share"):
        referee.score(prediction=[1.0, 7.5, 3.25], metric="mean", at_least="90%")
    assert referee.score(prediction=[1.0, 7.5, 3.25], metric="mean", at_least=90).verdict == "falls short"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"truth": [], "prediction": []}, "no examples"),
        ({"truth": [1, 0]}, "give the answers of the system, an array, with prediction="),
        ({"truth": [1, 0, 1], "prediction": [1, 0]}, "same length|lengths|3.*2"),
        ({"truth": [1, 0], "prediction": [1, None]}, "predictions are missing: 1 of system; use missing='wrong'"),
        ({"truth": [1, 0], "prediction": [1, 0], "id": ["x", "x"]}, "1 id occurs in more than one row"),
    ],
)
def test_bad_data(data, words):
    with pytest.raises(InputError, match=words):
        referee.score(**data)


def test_policies():
    data = {"truth": [1, 0, 1, 0], "prediction": [1, None, 1, 0]}
    wrong, dropped = (referee.score(**data, missing=policy) for policy in ("wrong", "drop"))
    assert (wrong.score, wrong.n, dropped.score, dropped.n, dropped.matched.dropped) == (0.75, 4, 1.0, 3, 1)
    assert "1 missing prediction of system was counted as wrong" in wrong.warnings[0]
    repeated = referee.score(truth=[1, 0, 1, 0], prediction=[1, 1, 1, 0], id=["x", "x", "y", "y"], repeats="group")
    assert (repeated.units, repeated.interval.method) == (2, "cluster-t")


def test_a_class_that_is_missing():
    r = referee.score(truth=[0, 0, 0], prediction=[0, 1, 0], metric="recall", at_least=0.5)
    assert (r.score, r.interval, r.p_value, r.verdict, r.gate) == (None, None, None, "can't tell", 3)
    assert "can't be computed" in " ".join(r.warnings)
    r = referee.score(truth=[1, 0, 1], prediction=[0, 0, 0], metric="precision")
    assert r.undefined
    assert "is 0/0" in " ".join(r.warnings)


def test_few_groups_and_one():
    columns = {"truth": TRUTH, "prediction": GUESS}
    one = referee.score(**columns, group=["g"] * 100, at_least=0.5)
    assert (one.interval, one.verdict) == (None, "can't tell")
    assert "no interval" in " ".join(one.warnings)
    few = referee.score(**columns, group=np.arange(100) // 10)
    assert "only 10 groups" in " ".join(few.warnings)


def test_open_counts_are_those_of_one_system():
    counts = from_events([19, 6, 28, 50, 5, 9, 43], open=True)
    r = referee.score(counts, prediction="A", metric="f1")
    assert r.n == sum([19, 6, 28, 50, 5, 43])
    both = referee.compare(counts, metric="f1", audit=False)
    assert (r.interval.low, r.interval.high) == pytest.approx((both.a.interval.low, both.a.interval.high), abs=1e-7)


def test_counts_of_one_system_are_not_compared():
    counts = Counts.of({"truth": [1, 0], "a": [1, 0], "b": [1, 0]}, names={"a": "m", "b": "m"})
    with pytest.raises(InputError, match="the counts of one system, m"):
        referee.compare(counts)


def test_a_target_is_a_number_or_a_percentage():
    assert Target.of(" 90 % ", None, 0.05) == Target("at_least", 90.0, True)
    assert Target.of(None, None, 0.7) is None


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html", "junit", "json"])
def test_every_form(form):
    one, several = shares(97, 100, at_least=0.9), shares(80, 100, by=["x", "y"] * 50, at_most=None, at_least=0.9)
    for r in (one, several):
        told = r.to(form)
        assert told
        if form != "json":
            assert "target" in told or form == "junit"
    assert "meets the target of at least 90%" in str(one)
    assert "<" in one._repr_html_()


def test_words():
    assert str(shares(97, 100)).startswith('"system" has accuracy 97.0% (95% interval 91.5% to 99.0%).')
    told = " ".join(str(shares(93, 100, at_least=0.9)).split())
    assert 'The data can\'t tell whether "system" meets the target of at least 90%: accuracy 93.0%' in told
    assert "the true score may be on either side of it" in told
    missed = referee.score(truth=[1] * 100, prediction=[1] * 70 + [0] * 30, metric="error", at_most=0.1)
    assert '"system" exceeds the target of at most 10%: error 30.0%' in str(missed)


def test_a_picture_has_the_target():
    chart = json.dumps(shares(93, 100, at_least=0.9).plot().to_dict())
    assert "at least 90%" in chart
    assert "93.0%" in chart


def test_scores_of_slices_have_one_signature():
    slices = ["one"] * 40 + ["two"] * 60
    rs = referee.score(truth=TRUTH, prediction=GUESS, metric="accuracy", by=slices)
    (line,) = rs.signatures
    assert "|slices:2|" in line and "|n:100|" in line and line.count("data:") == 1
    assert rs.to("text").count("referee 0") == 1
