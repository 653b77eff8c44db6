"""Which way is up: one argument in every verb, the same as the metric's own option, and never against what a metric declares."""

import numpy as np
import pandas as pd
import pytest

import referee
from referee.errors import ChoiceNeeded, OptionError

A = np.random.default_rng(5).normal(size=40)
SCORES = {"a": A, "b": A + 1 + np.random.default_rng(6).random(40)}
LABELS = {"truth": [1, 1, 0, 0, 1, 0] * 5, "a": [1, 0, 0, 1, 1, 0] * 5, "b": [1, 1, 0, 0, 0, 0] * 5}


def test_it_is_the_option_of_the_mean():
    turned = referee.compare(**SCORES, lower_is_better=True)
    spelled = referee.compare(**SCORES, metric="mean:better=lower")
    assert (turned.metric, turned.verdict, turned.signature) == ("mean:better=lower", "a better", spelled.signature)
    assert referee.compare(**SCORES, lower_is_better=False).verdict == "b better"
    assert "lower is better" in turned.to("text")
    assert referee.compare(**SCORES, metric="mean:better=lower", lower_is_better=True).verdict == "a better"


def test_every_verb_has_it():
    assert not referee.score(prediction=SCORES["a"], lower_is_better=True, at_most=0.5).higher_is_better
    ranked = referee.rank(systems=SCORES, lower_is_better=True)
    assert (ranked.best, ranked.higher_is_better) == (("a",), False)
    assert referee.audit(**SCORES, lower_is_better=True, sets=20, test="paired-t").metric == "mean:better=lower"
    noisy = {"a": A, "b": A[::-1] + 0.3}
    assert referee.plan(**noisy, lower_is_better=True, n=400).metric == "mean:better=lower"
    table = {"dataset": list("pqrstu"), "x": [1, 2, 3, 4, 5, 6], "y": [2, 3, 4, 5, 6, 7]}
    assert referee.rank_datasets(table, lower_is_better=True).systems[0].name == "x"
    folds = {"x": [0.1, 0.2, 0.15], "y": [0.3, 0.4, 0.2]}
    assert referee.compare_scores(folds, lower_is_better=True).algorithms[0].name == "x"


@pytest.mark.parametrize(("metric", "lower"), [("f1", True), ("error", False), ("accuracy", True), (None, True)])
def test_what_a_metric_declares_is_not_turned(metric, lower):
    with pytest.raises(OptionError, match="is better; leave lower_is_better"):
        referee.compare(**LABELS, metric=metric, lower_is_better=lower)


def test_what_agrees_changes_nothing():
    plain = referee.compare(**LABELS, metric="error", audit=False)
    assert referee.compare(**LABELS, metric="error", lower_is_better=True, audit=False).signature == plain.signature
    with pytest.raises(OptionError, match="of mean:better=lower lower is better"):
        referee.compare(**SCORES, metric="mean:better=lower", lower_is_better=False)
    with pytest.raises(OptionError, match="lower_is_better must be True, False or None"):
        referee.compare(**SCORES, lower_is_better="yes")


def test_metrics_of_users_that_do_not_say_it_can_be_turned():
    @referee.metric
    def alarms_per_hit(tp, fp):
        return fp / (tp + 1.0)

    @referee.metric(higher_is_better=True)
    def hits_per_alarm(tp, fp):
        return tp / (fp + 1.0)

    @referee.metric
    def false_cost(fp, fn):
        return 1.0 * fp + 2.0 * fn

    try:
        turned = referee.compare(**LABELS, metric=alarms_per_hit, lower_is_better=True, positive=1, audit=False)
        assert (turned.metric, turned.higher_is_better) == ("alarms-per-hit:better=lower", False)
        assert referee.metrics.resolve(turned.metric).higher_is_better is False
        with pytest.raises(OptionError, match="of hits-per-alarm higher is better"):
            referee.compare(**LABELS, metric=hits_per_alarm, lower_is_better=True)
        with pytest.raises(ChoiceNeeded, match=r"false-cost may be a loss: .*lower_is_better=True"):
            referee.compare(**LABELS, metric=false_cost)
        assert (
            referee.compare(**LABELS, metric=false_cost, lower_is_better=True, audit=False).verdict
            == "too close to call"
        )
    finally:
        for name in ("alarms-per-hit", "hits-per-alarm", "false-cost"):
            referee.metrics.METRICS.remove(name)


def test_a_loss_is_asked_about_with_an_answer_to_paste():
    frame = pd.DataFrame({"loss old": A, "loss new": A[::-1]})
    with pytest.raises(ChoiceNeeded) as asked:
        referee.compare(frame, a="loss old", b="loss new")
    assert asked.value.arguments == {"lower_is_better": True}
    assert not referee.compare(frame, a="loss old", b="loss new", lower_is_better=True).higher_is_better
