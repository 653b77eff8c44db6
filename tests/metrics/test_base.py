"""The score of one system: that of every metric is the one that a comparison gives, to the last digit."""

from __future__ import annotations

import numpy as np
import pytest

from referee import compare
from referee.data.outcomes import count
from referee.errors import InputError, Misfit
from referee.metrics import METRICS, auc, f1, mean, metric, mse, recall, resolve
from referee.significance.rank_tally import tally_of
from tests.conformance.cases import columns, metric_names


@pytest.mark.parametrize("name", [name for name in metric_names() if resolve(name).task != "preferences"])
@pytest.mark.parametrize("n", [7, 60, 1500])
def test_the_score_of_one_system_is_that_of_a_comparison(name, n):
    data = columns(name, n)
    truth = data.get("truth")
    comparison = compare(**data, metric=name, test=None, audit=False)
    for role, system in (("a", comparison.a), ("b", comparison.b)):
        score = resolve(name).score(truth, data[role])
        if "labels=all" not in name:  # whose classes are those of the other system too
            assert score == pytest.approx(system.score, rel=1e-12)
        own = tally_of(count(truth=truth, a=data[role], b=data[role]), resolve(name)).observed()
        assert score == own[0] == own[1]


def test_numbers_of_any_order_have_one_score():
    rng = np.random.default_rng(3)
    truth, prediction = rng.normal(size=(2, 999))
    order = rng.permutation(999)
    assert mse.score(truth, prediction) == mse.score(truth[order], prediction[order])


def test_a_threshold_makes_labels_of_scores():
    truth, scores = ["no", "yes", "yes", "no"], [0.2, 0.7, 0.4, 0.6]
    assert f1.score(truth, scores, positive="yes", threshold=0.7) == f1.score(
        truth, ["no", "yes", "no", "no"], positive="yes"
    )
    assert auc.score(truth, scores, positive="yes", threshold=0.7) == 0.75
    with pytest.raises(Misfit, match="prediction holds scores; give threshold="):
        f1.score([1, 0], [0.5, 0.2])


def test_what_cannot_have_a_score_has_none():
    assert recall.score([0, 0], [1, 0]) is None
    assert auc.score([1, 1], [0.1, 0.2]) is None
    assert METRICS["precision"].score([1, 0], [0, 0]) == 0.0


def test_mean_has_no_truth():
    assert mean.score(None, [1.0, 2.0]) == 1.5
    with pytest.raises(Misfit, match="leave truth out"):
        mean.score([1, 2], [1.0, 2.0])
    with pytest.raises(Misfit, match="needs the truth"):
        f1.score(None, [1, 0])


def test_the_data_are_checked():
    with pytest.raises(InputError, match="predictions are missing"):
        mse.score([1.0, 2.0], [1.0, None])
    with pytest.raises(InputError, match="same length"):
        mse.score([1.0, 2.0], [1.0])


@pytest.mark.parametrize(
    ("spelling", "a", "unit"),
    [
        ("mean", [0, 1, 1], "share"),
        ("mean", [0.25, 1.0, 0.5], "number"),
        ("mean:low=0,high=1", [0.25, 1.0, 0.5], "share"),
        ("mean:low=1,high=5", [1.0, 2.0, 5.0], "number"),
    ],
)
def test_a_mean_of_right_and_wrong_is_a_share(spelling, a, unit):
    counts = count(a=a, b=[0, 1, 1])
    assert resolve(spelling).info_on(counts).unit == unit


def test_which_metrics_are_shares():
    numbers = {
        name
        for name, metric in METRICS.items()
        if metric.info.unit == "number" and metric.function.__module__.startswith("referee.")
    }
    errors = {"mse", "rmse", "mae", "r2", "pinball", "log-loss", "brier", "multilabel-errors"}
    assert numbers == {"dcf", "kappa", "mcc", "mean", "bleu", "chrf", "ter", *errors}


def test_an_option_called_average_is_the_metric_s_own_where_nothing_is_averaged_over_classes():
    try:

        @metric(per="example")
        def closeness(truth, prediction, *, average="plain"):
            return np.abs(truth - prediction) * (2.0 if average == "doubled" else 1.0)

        variant = resolve("closeness:average=doubled")
        assert str(variant) == "closeness:average=doubled"
        assert variant.arguments == {"average": "doubled"}
        assert variant.score([0, 1, 1], [1, 1, 1]) == pytest.approx(2 / 3)
    finally:
        METRICS.remove("closeness")
