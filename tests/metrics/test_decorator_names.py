"""The names of scikit-learn: one table for all verbs, and each name there means the same number."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer, get_scorer_names

import referee
from referee.errors import NameUnknown
from referee.metrics import METRICS, resolve
from referee.metrics.metric_names import SCIKIT, TURNED

RNG = np.random.default_rng(0)


class Fixed(ClassifierMixin, BaseEstimator):
    """A model whose scores are its features."""

    def fit(self, features, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, features):
        return (features[:, 0] > 0.5).astype(int) if len(self.classes_) == 2 else features[:, 0].astype(int)

    def predict_proba(self, features):
        return np.column_stack([1 - features[:, 0], features[:, 0]])


@pytest.mark.parametrize("name", SCIKIT)
def test_each_name_is_the_same_number_in_both_verbs(name):
    assert name in get_scorer_names()
    assert name not in METRICS
    ranked = resolve(name).task == "ranking"
    truth = RNG.integers(0, 2 if ranked else 3, 200)
    a = RNG.random(200).round(2) if ranked else np.where(RNG.random(200) < 0.7, truth, RNG.integers(0, 3, 200))
    expected = get_scorer(name)(Fixed().fit(None, truth), a[:, None], truth)
    r = referee.compare(truth=truth, a=a, b=a[::-1].copy(), metric=name)
    assert r.metric == SCIKIT[name]
    assert r.a.score == pytest.approx(expected)
    models = {"one": Fixed(), "other": Fixed()}
    for design in ("kfold:folds=3", "holdout"):
        found = referee.compare_algorithms(models, a[:, None], truth, design=design, metric=name)
        same = referee.compare_algorithms(models, a[:, None], truth, design=design, metric=SCIKIT[name])
        assert found["one"].scores == pytest.approx(same["one"].scores)


@pytest.mark.parametrize("name", TURNED)
def test_a_turned_sign_is_said(name):
    assert name in get_scorer_names()
    with pytest.raises(NameUnknown, match=rf"it is {TURNED[name]} with the sign turned, so use {TURNED[name]} \(lower"):
        referee.compare(truth=[1.5, 2, 3], a=[1.0, 2, 3], b=[1.0, 2, 4], metric=name)


def test_misspelt_or_for_models_only():
    with pytest.raises(NameUnknown, match="scores models that are fitted here"):
        resolve("neg_median_absolute_error")
    with pytest.raises(NameUnknown, match=r"did you mean 'f1_macro'.*there are: precision"):
        resolve("f1_marco")
    with pytest.raises(NameUnknown, match="balanced-accuracy"):
        resolve("balanced_acuracy")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("MacroF1", "f1:average=macro"), ("logLoss", "log-loss"), ("chrF", "chrf")],
)  # fmt: skip
def test_names_that_people_type(typed, meant):
    assert str(resolve(typed)) == str(resolve(meant))


def test_what_is_another_metric_in_other_words_is_told():
    with pytest.raises(NameUnknown, match="it is 2 × balanced accuracy − 1"):
        resolve("youden")
