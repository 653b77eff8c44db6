"""Margins: as people write them, held against what a metric can differ by."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import referee
from referee.data.counts import from_events
from referee.errors import OptionError
from referee.metrics import METRICS
from referee.studies.margins import Margin

EVENTS = (61, 14, 9, 21, 6, 11, 5, 873)
REACH = {
    **dict.fromkeys(METRICS, 1.0),
    **dict.fromkeys(["mcc", "kappa"], 2.0),
    "dcf": pytest.approx(1.09),
    **dict.fromkeys(
        ["mean", "mse", "rmse", "mae", "r2", "pinball", "log-loss", "ter", "wer", "cer", "multilabel-errors"]
    ),
    **dict.fromkeys(["bleu", "chrf"], 100.0),
}
OTHER_DATA = ("ranking", "sums", "preferences")
"""The tasks of metrics that don't read labels."""


@pytest.mark.parametrize("name", [name for name in METRICS if METRICS[name].function.__module__.startswith("referee.")])
def test_every_metric_says_how_far_two_scores_can_be_apart(name):
    assert METRICS[name].reach == REACH[name]


@pytest.mark.parametrize(
    "spelling",
    ["f1:average=macro", "f1:average=micro", "f1:average=weighted", "fbeta:beta=2", "recall:average=weighted", "hter"],
)
def test_variants_and_averages_are_shares_too(spelling):
    assert referee.metrics.resolve(spelling).range == (0.0, 1.0)


@pytest.mark.parametrize(
    ("given", "value"),
    [(0.01, 0.01), ("0.01", 0.01), ("1pp", 0.01), (" 2.5 PP ", 0.025), (np.float32(0.5), 0.5), ("1e-3", 0.001)],
)
def test_margins_are_read(given, value):
    assert Margin.of(given, 0.05).settle("accuracy", 1.0) == pytest.approx(value)


@pytest.mark.parametrize(
    "given", [0, -0.1, "0", "-1pp", "nan", float("inf"), True, "pp", "1 percent", "", "0,01", [0.1]]
)
def test_margins_that_are_none(given):
    with pytest.raises(OptionError, match="margin must be a number above 0"):
        Margin.of(given, 0.05)


@pytest.mark.parametrize(
    "metric", [name for name, reach in REACH.items() if reach is not None and METRICS[name].task not in OTHER_DATA]
)
def test_a_margin_that_nothing_can_fail_is_refused(metric):
    most = METRICS[metric].reach
    low, high = METRICS[metric].range
    for margin in (most, most + 1, *([f"{100 * most}pp"] if low >= -1 and high <= 1 else [])):
        with pytest.raises(OptionError, match="would let anything pass"):
            referee.compare(from_events(EVENTS), metric=metric, margin=margin)
    assert referee.compare(from_events(EVENTS), metric=metric, margin=most * 0.99).margin == most * 0.99


def test_scores_between_0_and_1_cannot_differ_by_1_and_others_may():
    shares = {"a": [0.2, 0.6, 1.0] * 9, "b": [0.4, 0.6, 0.8] * 9}
    with pytest.raises(OptionError, match="margin='1pp'"):
        referee.compare(**shares, margin=1)
    losses = {role: [4 * x for x in values] for role, values in shares.items()}
    assert referee.compare(**losses, margin=1).margin == 1
    wide = referee.compare(**losses, margin=3.2)
    assert any("hardly anything could fail it" in warning for warning in wide.warnings)
    with pytest.raises(OptionError, match="not measured in percent here"):
        referee.compare(**losses, margin="1pp")


def test_a_percentage_can_mean_two_things_and_both_are_commands():
    with pytest.raises(OptionError) as told:
        referee.compare(from_events(EVENTS), metric="accuracy", margin="1%")
    assert "margin='1pp'" in str(told.value)
    assert "margin='0.00954'" in str(told.value)
    for margin in ("1pp", "0.00954"):
        assert referee.compare(from_events(EVENTS), metric="accuracy", margin=margin).margin == pytest.approx(
            0.01, abs=5e-4
        )


@pytest.mark.parametrize(
    ("metric", "half"), [("accuracy", 0.227), ("error", 0.227), ("kappa", 0.3639), ("mcc", 0.3676)]
)
def test_a_margin_beyond_half_of_the_way_to_chance_is_pointed_out(metric, half):
    for margin, said in ((half - 0.002, False), (half + 0.002, True)):
        r = referee.compare(from_events(EVENTS), metric=metric, margin=margin)
        assert any("from chance" in warning for warning in r.warnings) == said


@pytest.mark.parametrize(("metric", "half"), [("f1", 0.3763), ("jaccard", 0.3017), ("recall", 0.3333)])
def test_without_a_chance_the_worst_score_takes_its_place(metric, half):
    for margin, said in ((half - 0.002, False), (half + 0.002, True)):
        r = referee.compare(from_events(EVENTS), metric=metric, margin=margin, audit=False)
        assert any("from the worst score (0.0%)" in warning for warning in r.warnings) == said


def test_points_are_hundredths_of_shares_and_of_nothing_else():
    ratings = {"a": [5.0, 4.0, 5.0, 3.0] * 10, "b": [5.0, 5.0, 4.0, 4.0] * 10, "metric": "mean:low=1,high=5,step=1"}
    with pytest.raises(OptionError, match="not measured in percent here"):
        referee.compare(**ratings, margin="1pp")
    with pytest.raises(OptionError, match="differ by at most 4; give a smaller one"):
        referee.compare(**ratings, margin=10)
    wide = referee.compare(**ratings, margin=3)
    assert any("from the worst score (1.000)" in warning for warning in wide.warnings)


def test_the_same_answers_are_pointed_out_whatever_the_verdict():
    labels = ["x", "y", "z"] * 20
    r = referee.compare(truth=labels, a=labels, b=labels, metric="f1:average=macro", margin=0.01)
    assert r.verdict == "too close to call"
    assert any("give the same answer on all 60 examples" in warning for warning in r.warnings)


def test_chance_depends_on_the_classes_and_the_costs():
    assert [METRICS["accuracy"].chance(k) for k in (2, 4)] == [0.5, 0.25]
    r = referee.compare(from_events(EVENTS), metric="dcf", margin=0.05)
    assert any("from chance (0.100)" in warning for warning in r.warnings)
    low = referee.compare(truth=[0, 1] * 20, a=[1, 0] * 20, b=[0, 1] * 20, margin=0.1)
    assert any("no better than chance" in warning for warning in low.warnings)


def test_algorithms_read_margins_alike():
    scores = {"old": [0.80, 0.81, 0.79, 0.80, 0.82], "new": [0.81, 0.80, 0.80, 0.81, 0.82]}
    assert referee.compare_scores(scores, design="kfold", margin="2pp").margin == 0.02
    for given, told in ((1, "would let anything pass"), ("1%", "can mean two things")):
        with pytest.raises(OptionError, match=told):
            referee.compare_scores(scores, design="kfold", margin=given)
    losses = {name: [100 * x for x in values] for name, values in scores.items()}
    assert referee.compare_scores(losses, design="kfold", margin=1).margin == 1


def test_the_direction_of_scores_turns_the_verdict_and_nothing_else():
    rng = np.random.default_rng(0)
    a = rng.normal(size=60)
    up, down = (referee.compare(a=a, b=a + 1 + rng.random(60), metric=m) for m in ("mean", "mean:better=lower"))
    assert (up.verdict, down.verdict) == ("b better", "a better")
    with pytest.raises(OptionError, match="mean:better"):
        referee.metrics.resolve("mean:better=smaller")
    # Systems may be called after what they were trained with; columns that are both called a loss are asked about.
    for names in (("terror", "glossy"), ("focal_loss", "baseline"), ("neg_loss_old", "neg_loss_new")):
        frame = pd.DataFrame(dict(zip(names, (a, a[::-1]), strict=True)))
        assert referee.compare(frame, a=names[0], b=names[1]).higher_is_better
    frame = pd.DataFrame({"loss old": a, "loss new": a[::-1]})
    with pytest.raises(OptionError, match=r"loss old and loss new may be a loss: .*lower_is_better=True"):
        referee.compare(frame, a="loss old", b="loss new")
    assert referee.compare(frame, a="loss old", b="loss new", metric="mean:better=higher").higher_is_better


def test_what_cannot_be_detected_is_unknown():
    five = referee.compare(a=[0.51, 0.52, 0.50, 0.53, 0.49], b=[0.52, 0.53, 0.51, 0.54, 0.51], test="randomization")
    assert five.detectable is None
    assert any(
        "with 5 examples the randomization test can't give a two-sided p below 0.0625" in w for w in five.warnings
    )
    assert referee.compare(a=[0.51, 0.52, 0.50, 0.53, 0.49], b=[0.52, 0.53, 0.51, 0.54, 0.51]).detectable is None
    shares = referee.compare(a=[0.0, 1.0, 0.5, 0.0], b=[1.0, 0.0, 0.5, 1.0], test="paired-t")
    assert shares.detectable is None
    few = referee.compare(from_events([50, 3, 1, 0, 0, 0, 0, 50]), metric="accuracy", test="mcnemar")
    assert few.detectable is None
    assert any("differ on only 4 of 104 examples" in w for w in few.warnings)


@pytest.mark.parametrize(
    ("test", "units", "smallest"),
    [
        ("randomization", 5, 0.0625),
        ("sign", 5, 0.0625),
        ("wilcoxon", 5, 0.0625),
        ("mcnemar", 4, 0.0625),
        ("mcnemar:variant=exact", 5, 0.0625),
    ],
)
def test_the_smallest_p_of_a_test_is_that_of_a_clean_sweep(test, units, smallest):
    r = referee.compare(a=[0] * units, b=[1] * units, test=test)
    assert r.p_value == pytest.approx(smallest)
    assert any(f"can't give a two-sided p below {smallest}" in w for w in r.warnings)
    more = referee.compare(a=[0] * (units + 1), b=[1] * (units + 1), test=test)
    assert more.p_value <= 0.05
    assert not any("cannot give" in w for w in more.warnings)
