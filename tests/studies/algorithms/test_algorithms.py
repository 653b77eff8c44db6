"""Algorithms compared: every model fitted once per split, the same numbers anywhere, and what goes wrong told."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_wine, make_regression
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import referee
from referee.errors import InputError, Misfit, NameUnknown, OptionError, RefereeError
from referee.studies.algorithms import algorithms as verbs
from referee.studies.algorithms.algorithms import compare_scores
from tests.studies.algorithms.estimators import Failing, Hopeless, Leaving, Mute, Noisy, Short, Threshold

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], [60, 80])
X = np.column_stack([RNG.normal(Y, 0.35), RNG.normal(Y, 3.0), np.arange(140)])
compare_algorithms = partial(verbs.compare_algorithms, design="5x2cv")
estimate = partial(verbs.estimate, design="5x2cv")
PLAIN = {"good": Threshold(0), "poor": Threshold(1)}


def scores(result):
    return {one.name: one.scores for one in result.algorithms}


def test_the_better_one_is_found():
    r = compare_algorithms(PLAIN, X, Y)
    assert r.best == ("good",)
    assert r.fits == 20
    assert [one.name for one in r.algorithms] == ["good", "poor"]
    pair = r.pair("poor", "good")
    assert (pair.a, pair.b, pair.test, pair.verdict) == ("good", "poor", "5x2cv-f", "a better")
    assert pair.difference == pytest.approx(r["poor"].score - r["good"].score)
    assert pair.interval.high < 0
    assert pair.p_value == pair.p_adjusted < 0.05
    assert r["good"].fit_seconds > 0
    assert (r.n, r.n_train, r.n_test, r.splits) == (140, 70, 70, 10)
    json.loads(r.to_json())
    assert r.to_dict()["schema"] == "referee.algorithms/1"
    assert set(r.to_frame().columns) >= {"a", "b", "p_adjusted", "verdict"}


@pytest.mark.parametrize("metric", ["accuracy", "f1", "error", "mcc"])
def test_scores_are_those_of_scikit_learn(metric):
    from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef

    theirs = {
        "accuracy": accuracy_score,
        "f1": f1_score,
        "error": lambda y, p: 1 - accuracy_score(y, p),
        "mcc": matthews_corrcoef,
    }
    r = compare_algorithms(PLAIN, X, Y, design="kfold:folds=4", metric=metric)
    from referee.runtime.randomness import Streams
    from referee.studies.algorithms.designs import resolve

    for place, split in enumerate(resolve("kfold:folds=4").splits(Y, None, True, Streams.of(0).child(0))):
        model = Threshold(1).fit(X[split.train], Y[split.train])
        wanted = theirs[metric](Y[split.test], model.predict(X[split.test]))
        assert scores(r)["poor"][place] == pytest.approx(wanted)
    assert r.best == ("good",)


def test_scorers_and_their_names():
    by_name = compare_algorithms(PLAIN, X, Y, metric="balanced_accuracy")
    by_metric = compare_algorithms(PLAIN, X, Y, metric="balanced-accuracy")
    for name in PLAIN:
        assert scores(by_name)[name] == pytest.approx(scores(by_metric)[name])

    def worth(model, features, truth):
        return float((model.predict(features) == truth).mean())

    own = compare_algorithms(PLAIN, X, Y, metric=worth)
    assert own.metric == "worth"
    assert scores(own) == scores(compare_algorithms(PLAIN, X, Y))


@pytest.mark.parametrize("labels", [("no", "yes"), (-1, 1), (0.0, 1.0), (False, True)])
def test_rank_metrics_read_scores_of_the_positive_class(labels):
    y = np.array(labels)[Y]
    models = {"bayes": GaussianNB(), "linear": make_pipeline(StandardScaler(), LinearSVC())}
    positive = {"positive": "yes"} if labels[1] == "yes" else {}
    r = compare_algorithms(models, X[:, :2], y, metric="auc", **positive)
    theirs = compare_algorithms(models, X[:, :2], Y, metric="roc_auc")
    for name in models:
        assert scores(r)[name] == pytest.approx(scores(theirs)[name])


@pytest.mark.filterwarnings("ignore:.*__sklearn_tags__")  # xgboost 2.0 beside scikit-learn 1.6
def test_boosted_trees_take_any_labels():
    pytest.importorskip("xgboost")
    from xgboost import XGBClassifier, XGBRegressor

    small = XGBClassifier(n_estimators=5)
    texts = np.array(["no", "yes"])[Y]
    r = compare_algorithms({"boost": small, "cut": Threshold()}, X, texts, design="kfold:folds=3")
    assert not r.failures
    assert scores(r) == scores(compare_algorithms({"boost": small, "cut": Threshold()}, X, Y, design="kfold:folds=3"))
    ranked = compare_algorithms({"boost": small, "bayes": GaussianNB()}, X, texts, metric="auc", positive="no")
    assert ranked["boost"].score > 0.6
    numbers = compare_algorithms({"boost": XGBRegressor(n_estimators=3), "ridge": Ridge()}, X, Y + 3, metric="r2")
    assert not numbers.failures


def test_numbers():
    features, target = make_regression(80, 4, noise=1.0, random_state=0)
    models = {"ridge": Ridge(), "mean": DummyRegressor()}
    r = compare_algorithms(models, features, target, metric="rmse", design="kfold")
    assert r.best == ("ridge",)
    assert not r.higher_is_better
    assert [one.name for one in r.algorithms] == ["ridge", "mean"]
    assert "stratified:false" in r.signature
    assert compare_algorithms(models, features, target, metric="r2").best == ("ridge",)
    whole = np.rint(target).astype(int)
    assert compare_algorithms(models, features, whole, metric="mae", design="holdout").n_test == 27
    with pytest.raises(OptionError, match="name the metric: mse"):
        compare_algorithms(models, features, target)
    with pytest.raises(Misfit, match="accuracy needs classes, and y is numeric"):
        compare_algorithms(models, features, target, metric="accuracy")
    with pytest.raises(OptionError, match="stratify needs classes"):
        compare_algorithms(models, features, target, metric="mse", stratify=True)


def test_features_of_all_kinds():
    import pandas as pd
    import polars as pl

    frames = (pd.DataFrame(X, columns=list("abc")), pl.DataFrame(X, schema=list("abc")), csr_matrix(X), X.tolist())
    models = {"tree": DecisionTreeClassifier(max_depth=1, random_state=0), "most": DummyClassifier()}
    expected = scores(compare_algorithms(models, X, Y))
    for frame in frames:
        assert scores(compare_algorithms(models, frame, Y)) == expected
    assert scores(compare_algorithms(models, X, pd.Series(Y, index=range(500, 640)))) == expected
    texts = ["good day" if label else "bad night" for label in Y]
    words = make_pipeline(CountVectorizer(), MultinomialNB())
    assert compare_algorithms({"words": words, "most": DummyClassifier()}, texts, Y)["words"].score == 1.0


def test_each_model_is_fitted_once_a_split(tmp_path):
    models = {str(i): Threshold(i, str(tmp_path)) for i in range(3)}
    r = compare_algorithms(models, X, Y, design="kfold:folds=4", jobs=2)
    assert len(r.pairs) == 3
    assert [len((tmp_path / name).read_text()) for name in models] == [4, 4, 4]
    assert r.fits == 12


def test_the_same_numbers_for_any_number_of_workers():
    models = {"guess": Noisy(), "tree": DecisionTreeClassifier(max_features=1), "cut": Threshold(1)}
    one, two = (compare_algorithms(models, X, Y, design="kfold", metric="f1", jobs=jobs) for jobs in (1, 2))
    assert scores(one) == scores(two)
    assert [pair.to_dict() for pair in one.pairs] == [pair.to_dict() for pair in two.pairs]
    assert one.signature == two.signature
    other = compare_algorithms(models, X, Y, design="kfold", metric="f1", rng=1)
    assert scores(other) != scores(one)
    assert models["guess"].random_state is None, "the user's own estimators are left as they are"
    assert "guess: 10 of 10 fits warned; the first: it did not converge" in one.warnings


def test_what_the_user_seeded_stays():
    models = {"guess": Noisy(7), "cut": Threshold(1)}
    one, other = (compare_algorithms(models, X, Y, design="holdout", rng=rng) for rng in (0, 0))
    assert scores(one) == scores(other)
    from referee.studies.algorithms.fitting import seeded

    assert seeded(Noisy(7), 3).random_state == 7
    assert seeded(Noisy(), 3).random_state == 3
    nested = seeded(make_pipeline(StandardScaler(), DecisionTreeClassifier()), 5)
    assert nested.get_params()["decisiontreeclassifier__random_state"] == 5


def test_a_run_that_was_stopped_goes_on(tmp_path):
    marks, store = tmp_path / "marks", tmp_path / "fits.sqlite"
    marks.mkdir()
    models = {str(i): Threshold(i, str(marks)) for i in range(2)}
    whole = compare_algorithms(models, X, Y)
    for file in marks.iterdir():
        file.unlink()
    cost = estimate(models, X, Y, store=store)
    assert cost.fits == 20
    assert "20 fits, about 1 s on" in str(cost)
    assert [len((marks / name).read_text()) for name in models] == [1, 1]
    r = compare_algorithms(models, X, Y, store=store, alpha=0.01)
    assert [len((marks / name).read_text()) for name in models] == [10, 10]
    assert scores(r) == scores(whole)
    again = compare_algorithms(models, X, Y, store=store, test="5x2cv-t")
    assert [len((marks / name).read_text()) for name in models] == [10, 10], "how fits are tested needs no new ones"
    assert again.test == "5x2cv-t"
    for changed in ({"design": "kfold"}, {"rng": 1}, {"metric": "f1"}, {"stratify": False}):
        with pytest.raises(InputError, match="the results of a different run"):
            compare_algorithms(models, X, Y, store=store, **changed)
    with pytest.raises(InputError, match="data is"):
        compare_algorithms(models, X + 1, Y, store=store)
    with pytest.raises(InputError, match="models is"):
        compare_algorithms({"0": Threshold(2), "1": Threshold(1)}, X, Y, store=store)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_fit_that_fails_is_told_and_the_others_are_kept(jobs):
    models = {**PLAIN, "failing": Failing(0), "hopeless": Hopeless()}
    r = compare_algorithms(models, X, Y, jobs=jobs)
    own = [failure for failure in r.failures if failure.name == "failing"]
    assert 0 < len(own) < 10
    assert own[0].error == "ValueError: no even beginnings"
    for failure in own:
        assert r["failing"].scores[failure.split - 1] is None
    assert len([failure for failure in r.failures if failure.name == "hopeless"]) == 10
    assert r["hopeless"].score is None
    assert r.pair("good", "poor").verdict == "a better"
    assert r.pair("good", "failing").p_value is None
    assert r.pair("good", "failing").difference is not None
    assert r.pair("good", "hopeless").difference is None
    assert r.best == ("good",)
    assert f"failing has no score on {len(own)} of 10 splits" in " ".join(r.warnings)
    json.loads(r.to_json())
    held = compare_algorithms(models, X, Y, design="holdout")
    assert {pair.a for pair in held.pairs} <= {"good", "poor", "failing"}
    with pytest.raises(InputError, match="every fit failed; the first said: RuntimeError: cannot"):
        compare_algorithms({"x": Hopeless(), "y": Hopeless()}, X, Y, jobs=jobs)


def test_scorers_that_give_no_number():
    r = compare_algorithms(PLAIN, X, Y, metric=lambda m, x, y: np.nan if m.column else 1.0, design="kfold:folds=3")
    assert [failure.error for failure in r.failures] == ["the scorer <lambda> returned nan"] * 3
    r = compare_algorithms(PLAIN, X, Y, metric=lambda m, x, y: {} if m.column else 1.0, design="kfold:folds=3")
    assert "returned dict, not a number" in r.failures[0].error
    r = compare_algorithms({"short": Short(), **PLAIN}, X, Y, design="kfold:folds=3")
    assert "predicts" in r.failures[0].error


def test_identical_algorithms_tie():
    for design in ("5x2cv", "kfold", "resampled:number=4", "holdout"):
        r = compare_algorithms({"one": Threshold(), "two": Threshold()}, X, Y, design=design)
        pair = r.pairs[0]
        assert (pair.difference, pair.p_value, pair.verdict) == (0.0, 1.0, "too close to call")
        assert r.best == ("one", "two")
        assert r.warnings == ()


def test_a_difference_that_never_varies():
    r = compare_scores({"a": [0.8] * 10, "b": [0.82] * 10}, design="kfold")
    assert r.pairs[0].p_value is None
    assert r.pairs[0].verdict == "too close to call"
    assert "differ by the same amount" in " ".join(r.warnings)
    assert r.best == ("b", "a")


@pytest.mark.parametrize("design", ["holdout", "holdout:test=0.5"])
def test_a_holdout_is_compared_as_any_two_models_are(design):
    r = compare_algorithms(PLAIN, X, Y, design=design, metric="accuracy")
    pair = r.pairs[0]
    assert r.fits == 2
    assert pair.test == "score"
    assert r.reason
    assert pair.comparison.n == r.n_test
    assert pair.comparison.a.score == r["good"].score
    asked = compare_algorithms(PLAIN, X, Y, design=design, metric="accuracy", test="mcnemar:variant=exact")
    assert asked.test == "mcnemar:variant=exact"
    f1 = compare_algorithms(PLAIN, X, Y, design=design, metric="f1", test="bootstrap:replicates=199")
    assert f1.pairs[0].comparison.metric == "f1"
    grouped = compare_algorithms(PLAIN, X, Y, design=design, group=np.arange(140) // 4)
    assert grouped.pairs[0].comparison.units < grouped.n_test


def test_margins_and_probabilities():
    close = {"a": [0.8, 0.81, 0.79, 0.8, 0.82], "b": [0.801, 0.809, 0.79, 0.802, 0.819]}
    assert compare_scores(close, margin=0.02).pairs[0].verdict == "practically equal"
    assert compare_scores(close).pairs[0].verdict == "too close to call"
    r = compare_scores(close, test="correlated-bayes")
    assert r.pairs[0].probabilities["equal"] > 0.95
    assert (r.pairs[0].verdict, r.pairs[0].p_value) == ("practically equal", None)
    errors = {"a": [0.3, 0.31, 0.29, 0.33], "b": [0.1, 0.12, 0.09, 0.13]}
    r = compare_scores(errors, test="correlated-bayes", lower_is_better=True)
    assert r.pairs[0].probabilities["b"] > 0.99
    assert r.pairs[0].verdict == "b better"
    assert r.best == ("b",)


def test_pairs_are_adjusted():
    models = {"good": Threshold(0), "poor": Threshold(1), "none": Threshold(2)}
    r = compare_algorithms(models, X, Y, design="resampled")
    raw = [pair.p_value for pair in r.pairs]
    assert [pair.p_adjusted for pair in r.pairs] == pytest.approx(referee.adjust(raw).tolist())
    none = compare_algorithms(models, X, Y, design="resampled", adjust="bonferroni")
    assert [pair.p_adjusted for pair in none.pairs] == pytest.approx([min(1, 3 * p) for p in raw])


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"algorithms": {"one": Threshold()}}, OptionError, "two or more; there is 1"),
        ({"algorithms": {}}, OptionError, "two or more; there are 0"),
        ({"algorithms": [("x", Threshold()), ("x", Threshold(1))]}, OptionError, "two algorithms are called 'x'"),
        ({"algorithms": {"mute": Mute(), "x": Threshold()}}, Misfit, "mute .Mute. has no predict"),
        ({"algorithms": {"cls": Threshold, "x": Threshold()}}, Misfit, "give an estimator: Threshold"),
        ({"algorithms": [Threshold(), Threshold(1)]}, OptionError, "a mapping of names"),
        ({"algorithms": {1: Threshold(), "x": Threshold()}}, OptionError, "name is a text"),
        ({"X": X[:100]}, InputError, "X has 100, y has 140"),
        ({"X": X[:0], "y": Y[:0]}, InputError, "there are no examples"),
        ({"X": 3}, InputError, "X must have one row per example; it is int"),
        ({"group": np.arange(10)}, InputError, "group has 10"),
        ({"y": np.zeros(140, int)}, InputError, "only one class"),
        ({"y": np.where(np.arange(140) == 5, np.nan, Y)}, InputError, "1 missing values"),
        ({"y": np.array([None, *Y[1:].astype(str)], dtype=object)}, InputError, "1 missing values"),
        ({"y": np.eye(140)[:, :3]}, InputError, "one class or one number"),
        ({"y": np.where(np.arange(140) == 0, 7, Y)}, InputError, "the class 7 has only 1"),
        ({"metric": "acuracy"}, NameUnknown, "did you mean 'accuracy'"),
        ({"metric": "mean"}, Misfit, "has no truth to compare with"),
        ({"metric": "accuracy", "positive": 1}, OptionError, "no positive label"),
        ({"metric": "f1", "positive": "maybe"}, InputError, "positive='maybe' is not a label"),
        ({"metric": "neg_log_loss", "design": "holdout"}, Misfit, "doesn't reveal"),
        ({"design": "threefold"}, NameUnknown, "there is no design 'threefold'"),
        ({"test": "mcnemar"}, Misfit, "One test set is the design holdout"),
        ({"test": "t", "design": "holdout"}, Misfit, "such as mcnemar"),
        ({"test": "corrected-t"}, Misfit, "5x2cv-f, 5x2cv-t"),
        ({"test": 5}, OptionError, "a test is a name"),
        ({"alternative": "greater"}, Misfit, "is two-sided"),
        ({"alternative": "more"}, OptionError, "alternative must be one of"),
        ({"alpha": 0}, OptionError, "alpha must lie between"),
        ({"margin": -1}, OptionError, "margin must be a number above 0"),
        ({"adjust": "hulm"}, OptionError, "did you mean 'holm'"),
        ({"jobs": 0}, OptionError, "jobs must be"),
        ({"rng": -1}, OptionError, "rng must not be negative"),
    ],
)
def test_bad_questions(change, error, words):
    given = {"algorithms": PLAIN, "X": X, "y": Y, **change}
    with pytest.raises(error, match=words) as caught:
        compare_algorithms(given.pop("algorithms"), given.pop("X"), given.pop("y"), **given)
    assert isinstance(caught.value, RefereeError)


def test_without_scikit_learn(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(OptionError, match=r"referee\[learn\]"):
        compare_algorithms(PLAIN, X, Y)


def test_scores_of_a_search_and_of_cross_validation():
    wine, kind = load_wine(return_X_y=True)
    tree = DecisionTreeClassifier(random_state=0)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    search = GridSearchCV(tree, {"max_depth": [1, 3], "splitter": ["best"]}, cv=folds).fit(wine, kind)
    r = compare_scores(search.cv_results_)
    assert [one.name for one in r.algorithms] == ["max_depth=3", "max_depth=1"]
    assert r["max_depth=3"].fit_seconds > 0
    assert r.design == "kfold:folds=5"
    assert "taken for those of one 5-fold cross-validation" in " ".join(r.warnings)
    deep = cross_val_score(DecisionTreeClassifier(max_depth=3, random_state=0), wine, kind, cv=folds)
    assert r["max_depth=3"].scores == pytest.approx(deep)
    given = {depth: cross_validate(DecisionTreeClassifier(max_depth=depth, random_state=0), wine, kind, cv=folds, scoring=["accuracy", "f1_macro"]) for depth in (1, 3)}  # fmt: skip
    found = compare_scores({str(k): v for k, v in given.items()}, metric="accuracy", n_train=142.4, n_test=35.6)
    assert found.pairs[0].p_value == pytest.approx(r.pairs[0].p_value)
    assert found.warnings == ()
    with pytest.raises(NameUnknown, match="there are: accuracy, f1_macro"):
        compare_scores({str(k): v for k, v in given.items()}, metric="recall")


def test_scores_in_frames_and_files(tmp_path):
    import pandas as pd

    frame = pd.DataFrame({"n_train": [90] * 10, "n_test": [10] * 10, "old": np.linspace(0.7, 0.8, 10), "new": 0.81})
    r = compare_scores(frame)
    assert (r.design, r.test, r.n) == ("kfold:folds=10", "corrected-t", 100)
    frame.to_csv(tmp_path / "scores.csv", index=False)
    assert compare_scores(tmp_path / "scores.csv").to_dict() == r.to_dict()
    overlapping = compare_scores(frame.assign(n_test=30, n_train=70))
    assert overlapping.design == "resampled:number=10"
    halves = frame.assign(n_train=50, n_test=50, run=np.repeat(range(5), 2), fold=[1, 2] * 5)
    r = compare_scores(halves)
    assert (r.design, r.test) == ("5x2cv", "5x2cv-f")
    shuffled = halves.sample(frac=1, random_state=0)
    assert compare_scores(shuffled, test="5x2cv-t").pairs[0].p_value != r.pairs[0].p_value
    # Runs may come in any order, and their folds too: what is written says which belong together.
    assert compare_scores(shuffled).pairs[0].p_value == pytest.approx(r.pairs[0].p_value)
    repeated = compare_scores(frame.assign(run=np.repeat([1, 2], 5), n_train=80, n_test=20))
    assert repeated.design == "repeated-kfold:folds=5,repeats=2"


@pytest.mark.parametrize(
    ("given", "options", "words"),
    [
        ({"a": [1, 2]}, {}, "two algorithms or more are compared; there are 1"),
        ({"a": [1, 2], "b": [1]}, {}, "a 2, b 1"),
        ({"a": [1], "b": [1]}, {}, "two splits or more; there is 1"),
        ({"a": [1, "x"], "b": [1, 2]}, {}, "the scores of a must be numbers"),
        ({"a": [1, 2], "b": [1, 2]}, {"design": "resampled"}, "or n_train and n_test; .*design='resampled:test=0.2'"),
        ({"a": [1, 2], "b": [1, 2]}, {"design": "5x2cv"}, "5x2cv has 10 splits"),
        ({"a": [1, 2], "b": [1, 2]}, {"design": "holdout"}, "use compare"),
        ({"a": [1, 2], "b": [1, 2]}, {"design": "kfld"}, "did you mean 'kfold'"),
        ({"a": [1, 2], "b": [1, 2], "run": [1, 1]}, {"n_train": [1], "n_test": 3}, "n_train has 1 numbers"),
        ({"a": [1, 2], "b": [1, 2]}, {"n_train": 0, "n_test": 3}, "must be a positive number"),
        ({"a": [1, 2, 3], "b": [1, 2, 4], "run": [1, 1, 2]}, {}, "different numbers of splits"),
        (7, {}, "scores are a path"),
    ],
)
def test_bad_scores(given, options, words):
    with pytest.raises(RefereeError, match=words):
        compare_scores(given, **options)


def test_a_score_that_is_missing():
    r = compare_scores({"a": [0.7, 0.8, 0.75], "b": [0.9, None, 0.95], "c": [0.1, 0.3, 0.15]})
    assert r.pair("a", "b").p_value is None
    assert r.pair("a", "c").p_value is not None
    assert "b" not in r.best
    assert r["b"].score == pytest.approx(0.925)


def test_unscaled_models_warn_once():
    wine, kind = load_wine(return_X_y=True)
    models = {"few": LogisticRegression(max_iter=2), "most": DummyClassifier()}
    r = compare_algorithms(models, wine, kind, design="kfold:folds=3")
    (said,) = [remark for remark in r.warnings if remark.startswith("few:")]
    assert said.startswith("few: 3 of 3 fits warned")


def test_a_first_fold_against_all_others_settles_nothing():
    first = np.array([0.3, -0.12, *[-0.1, -0.12] * 4])
    r = compare_scores({"a": np.zeros(10) + 0.5, "b": 0.5 + first}, design="5x2cv", test="5x2cv-t")
    assert r.pairs[0].difference < 0
    assert r.pairs[0].p_value is None or r.pairs[0].p_value > 0.05
    steady = np.array([0.31, 0.29, *[-0.11, -0.09] * 4])
    r = compare_scores({"a": np.zeros(10) + 0.5, "b": 0.5 + steady}, design="5x2cv", test="5x2cv-t")
    assert r.pairs[0].verdict == "too close to call"
    assert "points the opposite way" in " ".join(r.warnings)


def test_what_is_done_by_default():
    r = verbs.compare_algorithms(PLAIN, X, Y)
    assert (r.design, r.test, r.fits, r.metric) == ("resampled", "corrected-t", 60, "accuracy")
    assert r.best == ("good",)


def test_neighbours_by_halves_are_warned_of():
    from sklearn.neighbors import KNeighborsClassifier

    models = {"near": make_pipeline(StandardScaler(), KNeighborsClassifier(1)), "cut": Threshold()}
    assert "nearest neighbours (near)" in " ".join(compare_algorithms(models, X, Y).warnings)
    assert not compare_algorithms(models, X, Y, design="kfold:folds=3").warnings


def test_groups_are_dealt_at_random():
    from referee.runtime.randomness import Streams
    from referee.studies.algorithms.designs import resolve

    group = np.repeat(np.arange(20), [3, 11] * 10)
    for name in ("resampled", "5x2cv", "repeated-kfold:folds=2,repeats=20"):
        splits = resolve(name).splits(Y, group, True, Streams.of(1))
        tested = np.array([np.bincount(group[split.test], minlength=20) > 0 for split in splits])
        share = tested.mean(axis=0)
        assert share.min() > 0, name
        assert share.max() < 1, name
        assert len({tuple(row) for row in tested}) > 0.9 * len(splits)


def test_few_groups_are_refused_or_warned_of():
    with pytest.raises(InputError, match="needs at least 6 groups, or its splits repeat; there are 2"):
        compare_algorithms(PLAIN, X, Y, group=np.arange(140) % 2)
    r = compare_algorithms(PLAIN, X, Y, group=np.arange(140) % 9)
    assert "only 9 groups" in " ".join(r.warnings)
    assert not compare_algorithms(PLAIN, X, Y, group=np.arange(140) % 30).warnings


def test_groups_and_a_tie_raise_no_more_alarms():
    """Two learners that see exchangeable halves of the features; groups say nothing. By the false alarms of a stranger."""
    draws = np.random.default_rng(8)
    alarms = 0
    for seed in range(40):
        kind = draws.integers(0, 2, 120)
        halves = draws.normal(kind[:, None] * 0.7, 1.0, (120, 2))
        group = draws.integers(0, 12, 120)
        models = {"one": Threshold(0), "two": Threshold(1)}
        r = verbs.compare_algorithms(models, halves, kind, group=group, design="resampled:number=10", rng=seed, jobs=1)
        alarms += r.pairs[0].p_value is not None and r.pairs[0].p_value <= 0.05
    assert alarms <= 7  # 40 at 5 % exceed this once in 500


def test_the_direction_of_a_metric_is_known():
    errors = {"a": [0.9, 0.91, 0.92], "b": [0.8, 0.85, 0.83]}
    assert compare_scores(errors, metric="error").algorithms[0].name == "b"
    assert compare_scores(errors, metric="accuracy").algorithms[0].name == "a"
    assert compare_scores(errors).algorithms[0].name == "a"
    with pytest.raises(OptionError, match="of error lower is better"):
        compare_scores(errors, metric="error", lower_is_better=False)


def test_models_that_do_not_learn_classes():
    from sklearn.cluster import KMeans
    from sklearn.linear_model import LinearRegression

    with pytest.raises(Misfit, match="line is a regressor, and y is made of classes"):
        compare_algorithms({"line": LinearRegression(), "cut": Threshold()}, X, Y)
    with pytest.raises(Misfit, match="means is a clusterer"):
        compare_algorithms({"means": KMeans(2), "cut": Threshold()}, X, Y)
    with pytest.raises(InputError, match="is it a regressor"):
        compare_algorithms({"line": LinearRegression(), "ridge": Ridge()}, X, Y, metric="accuracy")


def test_a_fit_that_leaves_is_a_failure():
    r = compare_algorithms({"leaving": Leaving(), **PLAIN}, X, Y, design="kfold:folds=3")
    assert [failure.error for failure in r.failures] == ["SystemExit: 3"] * 3
    assert "not tested" in str(r)
    assert r.best == ("good",)


def test_what_does_not_matter_is_the_region_of_a_bayesian_test():
    close = {"a": [0.8, 0.81, 0.79, 0.8, 0.82], "b": [0.83, 0.839, 0.82, 0.832, 0.849]}
    r = compare_scores(close, test="correlated-bayes", margin=0.2)
    assert (r.test, r.margin) == ("correlated-bayes:region=0.2", None)
    assert r.pairs[0].verdict == "practically equal"


def test_more_that_a_stranger_tried():
    import pandas as pd
    from scipy.sparse import coo_matrix
    from sklearn.metrics import f1_score

    models = {"tree": DecisionTreeClassifier(max_depth=1, random_state=0), "most": DummyClassifier()}
    assert scores(compare_algorithms(models, coo_matrix(X), Y)) == scores(compare_algorithms(models, X, Y))
    with pytest.raises(OptionError, match=r"make_scorer\(f1_score\)"):
        compare_algorithms(PLAIN, X, Y, metric=f1_score)
    with pytest.raises(OptionError, match="has its own positive label"):
        compare_algorithms(PLAIN, X, Y, metric="roc_auc", positive=1)
    wine, kind = load_wine(return_X_y=True)
    with pytest.raises(Misfit, match="y has 3; use a scorer such as roc_auc_ovr"):
        compare_algorithms(models, wine, kind, metric="auc")
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}, cv=3).fit(wine, kind)
    frame = pd.DataFrame(search.cv_results_)
    assert compare_scores(frame).to_dict() == compare_scores(search.cv_results_).to_dict()
    with pytest.raises(OptionError, match="kfold:folds=10 has 10 splits, and there are 3 rows"):
        compare_scores({"a": [1, 2, 3], "b": [2, 3, 3]}, design="kfold:folds=10")
    with pytest.raises(InputError, match="a fold of a run occurs twice"):
        compare_scores({"a": [1, 2, 3, 4], "b": [2, 3, 3, 5], "run": [1, 1, 2, 2], "fold": [1, 1, 1, 2]})
    plain = compare_algorithms(PLAIN, X, Y, adjust="none")
    assert plain.pairs[0].p_adjusted == plain.pairs[0].p_value


def test_models_that_cannot_be_hashed_need_no_store():
    class Local(GaussianNB):
        pass

    own = referee.compare_algorithms({"own": Local(), "most": DummyClassifier()}, X, Y, design="holdout", jobs=1)
    assert own.best == ("own",)
