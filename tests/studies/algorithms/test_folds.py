"""Fold scores that exist already: which design they come from is told by what they carry, and else asked for."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from referee import compare_algorithms
from referee.errors import InputError, OptionError, RefereeError
from referee.studies.algorithms.algorithms import compare_scores
from referee.studies.algorithms.folds import Undecided
from referee.studies.algorithms.score_tables import role

X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[:150, :3], Y[:150]
MODELS = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2, random_state=0)}


def corrected(scores, ratio):
    """The corrected t test of Nadeau and Bengio, the plain way."""
    a, b = (np.array(one) for one in scores.values())
    d = b - a
    return 2 * stats.t.sf(abs(d.mean()) / np.sqrt(d.var(ddof=1) * (1 / len(d) + ratio)), len(d) - 1)


def drawn(number, shift=0.02, spread=0.02, seed=0):
    rng = np.random.default_rng(seed)
    old = 0.8 + 0.02 * rng.standard_normal(number)
    return {"old": old.tolist(), "new": (old + shift + spread * rng.standard_normal(number)).tolist()}


@pytest.mark.parametrize(
    ("number", "answers"),
    [
        (100, ["repeated-kfold:folds=10,repeats=10", "repeated-kfold:folds=5,repeats=20", "resampled:test=0.2", "kfold"]),
        (30, ["repeated-kfold:folds=10,repeats=3", "repeated-kfold:folds=5,repeats=6", "resampled:test=0.2", "kfold"]),
        (23, ["resampled:test=0.2", "kfold"]),
    ],
)  # fmt: skip
def test_the_design_of_many_scores_is_asked_for(number, answers):
    scores = drawn(number)
    with pytest.raises(Undecided) as asked:
        compare_scores(scores)
    assert [design for design, _ in asked.value.choices] == answers
    for design in answers:  # each answer can be pasted
        assert f"compare_scores(scores, design={design!r})" in str(asked.value)
        assert compare_scores(scores, design=design).splits == number


def test_repeated_folds_need_neither_sizes_nor_runs():
    scores = drawn(100, shift=0.008)
    r = compare_scores(scores, design="repeated-kfold:folds=10,repeats=10")
    assert r.pairs[0].p_value == pytest.approx(corrected(scores, 1 / 9))
    assert (r.design, r.warnings) == ("repeated-kfold:folds=10,repeats=10", ())
    # Taken for one k-fold, the same scores would have been significant.
    assert corrected(scores, 1 / 99) < 0.05 < r.pairs[0].p_value
    for spelt in ("repeated-kfold:folds=10", "repeated-kfold:repeats=10", RepeatedKFold(n_splits=10, n_repeats=10)):
        assert compare_scores(scores, design=spelt).to_dict() == r.to_dict()
    with pytest.raises(Undecided, match="repeated-kfold:folds=5,repeats=20"):
        compare_scores(scores, design="repeated-kfold")
    with pytest.raises(OptionError, match="has 99 splits, and there are 100 rows"):
        compare_scores(scores, design="repeated-kfold:folds=11")


@pytest.mark.parametrize(
    ("cv", "design"),
    [
        (KFold(5), "kfold:folds=5"),
        (StratifiedKFold(5), "kfold:folds=5"),
        (GroupKFold(5), "kfold:folds=5"),
        (RepeatedKFold(n_splits=3, n_repeats=4, random_state=0), "repeated-kfold:folds=3,repeats=4"),
        (RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=0), "5x2cv"),
        (ShuffleSplit(6, test_size=0.2, random_state=0), "resampled:number=6"),
        (ShuffleSplit(6, test_size=0.2, train_size=0.4, random_state=0), "resampled:number=6"),
        (ShuffleSplit(6, test_size=30, train_size=60, random_state=0), "resampled:number=6"),
        (StratifiedShuffleSplit(6, random_state=0), "resampled:number=6"),
        (GroupShuffleSplit(6, random_state=0), "resampled:number=6"),
        (PredefinedSplit(np.arange(150) % 4), "kfold:folds=4"),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "split") and not isinstance(value, str) else "",
)
def test_splitters_and_splits_say_the_same(cv, design):
    group = np.arange(len(Y))
    with warnings.catch_warnings(action="ignore"):  # those without a use for groups say so
        splits = list(cv.split(X, Y, group))
    scores = drawn(len(splits))
    ratio = sum(len(test) for _, test in splits) / sum(len(train) for train, _ in splits)
    by_splits = compare_scores(scores, design=splits)
    assert by_splits.design == design
    assert (by_splits.n_train, by_splits.n_test) == pytest.approx(
        (np.mean([len(train) for train, _ in splits]), np.mean([len(test) for _, test in splits]))
    )
    by_object = compare_scores(scores, design=cv)
    assert by_object.design.partition(",")[0] == design.partition(",")[0]
    assert (by_splits.warnings, by_object.warnings) == ((), ())
    if design != "5x2cv":
        assert by_splits.pairs[0].p_value == pytest.approx(corrected(scores, ratio))
        # A splitter knows shares, and the splits know how many examples that came to.
        assert by_object.pairs[0].p_value == pytest.approx(corrected(scores, ratio), rel=0.02)
    fitted = compare_algorithms(MODELS, X, Y, design=cv, group=group if "Group" in str(cv) else None)
    assert parts(fitted.design)[0] == parts(design)[0]
    assert fitted.splits == len(splits)
    assert (fitted.n_train, fitted.n_test) == (by_splits.n_train, by_splits.n_test)


def parts(design):
    return design.split(":")


def test_the_splits_of_a_splitter_are_those_that_are_fitted():
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=4)
    expected = {name: cross_val_score(model, X, Y, cv=cv) for name, model in MODELS.items()}
    r = compare_algorithms(MODELS, X, Y, design=cv)
    for name, scores in expected.items():
        assert r[name].scores == pytest.approx(scores)
    assert "|splitter:RepeatedStratifiedKFold(n_repeats=2, n_splits=3, random_state=4)|" in r.signature
    assert compare_scores(expected, design=cv).pairs[0].p_value == pytest.approx(r.pairs[0].p_value)
    same = compare_algorithms(MODELS, X, Y, design=list(cv.split(X, Y)))
    assert [one.scores for one in same.algorithms] == [one.scores for one in r.algorithms]
    # What a splitter leaves to chance comes from rng, and from nowhere else.
    free = ShuffleSplit(4, test_size=0.3)
    first, again, other = (compare_algorithms(MODELS, X, Y, design=free, rng=rng)["tree"].scores for rng in (1, 1, 2))
    assert first == again != other
    assert free.random_state is None


def test_a_store_knows_the_splits(tmp_path):
    compare_algorithms(MODELS, X, Y, design=KFold(3, shuffle=True, random_state=0), store=tmp_path / "cells")
    with pytest.raises(InputError, match="a different run: splits"):
        compare_algorithms(MODELS, X, Y, design=KFold(3, shuffle=True, random_state=1), store=tmp_path / "cells")


def test_cross_validate_carries_its_splits():
    cv = ShuffleSplit(30, test_size=0.2, random_state=0)
    done = {name: cross_validate(model, X, Y, cv=cv, return_indices=True) for name, model in MODELS.items()}
    r = compare_scores(done)
    assert (r.design, r.n_train, r.n_test, r.warnings) == ("resampled:number=30", 120, 30, ())
    assert r.pairs[0].p_value == pytest.approx(corrected({k: v["test_score"] for k, v in done.items()}, 30 / 120))
    bare = {name: {key: value for key, value in found.items() if key != "indices"} for name, found in done.items()}
    with pytest.raises(Undecided):
        compare_scores(bare)
    assert compare_scores(bare, design=cv).pairs[0].p_value == pytest.approx(r.pairs[0].p_value)
    repeated = RepeatedStratifiedKFold(n_splits=5, n_repeats=5, random_state=0)
    done = {name: cross_validate(model, X, Y, cv=repeated, return_indices=True) for name, model in MODELS.items()}
    assert compare_scores(done).design == "repeated-kfold:folds=5,repeats=5"


def test_scores_on_different_splits_are_not_paired():
    cv = ShuffleSplit(5, test_size=0.2)
    done = {name: cross_validate(model, X, Y, cv=cv, return_indices=True) for name, model in MODELS.items()}
    with pytest.raises(InputError, match="bayes and tree were scored on different splits"):
        compare_scores(done)


def test_a_search_says_how_it_splits():
    tree = DecisionTreeClassifier(random_state=0)
    cv = ShuffleSplit(25, test_size=0.2, random_state=0)
    search = GridSearchCV(tree, {"max_depth": [1, 2]}, cv=cv).fit(X, Y)
    r = compare_scores(search)
    assert r.design == "resampled:number=25,test=0.2"
    with pytest.raises(Undecided):
        compare_scores(search.cv_results_)
    assert compare_scores(GridSearchCV(tree, {"max_depth": [1, 2]}, cv=4).fit(X, Y)).warnings == ()


@pytest.mark.parametrize(
    ("design", "words"),
    [
        (KFold(4), r"makes 4 splits, and there are 10 scores"),
        (TimeSeriesSplit(10), "TimeSeriesSplit goes forward in time"),
        (list(TimeSeriesSplit(10).split(X)), "these splits go forward in time"),
        (ShuffleSplit(10, test_size=30), "not a share; give n_train= and n_test= with design='resampled'"),
        (list(KFold(5).split(X)), "there are 5 splits, and 10 scores"),
        ([([0, 1], [1, 2])] * 10, "split 1 tests 1 examples that it was trained on"),
        ([([0.5, 1], [2])] * 10, "by their places"),
        (10, "a design is a name such as 5x2cv"),
        ("holdout", "use compare"),
    ],
    ids=str,
)
def test_designs_that_do_not_fit(design, words):
    with pytest.raises(RefereeError, match=words):
        compare_scores(drawn(10), design=design)


def test_splitters_that_cannot_split_these():
    with pytest.raises(OptionError, match="forward in time"):
        compare_algorithms(MODELS, X, Y, design=TimeSeriesSplit(3))
    with pytest.raises(InputError, match=r"GroupKFold.* cannot split these examples: .*groups"):
        compare_algorithms(MODELS, X, Y, design=GroupKFold(3))
    with pytest.raises(InputError, match=r"groups on both sides, .*such as GroupKFold"):
        compare_algorithms(MODELS, X, Y, design=KFold(3), group=np.arange(len(Y)) % 10)
    with pytest.raises(OptionError, match="leave stratify out"):
        compare_algorithms(MODELS, X, Y, design=KFold(3), stratify=True)
    with pytest.raises(InputError, match="name example 150, and there are 100"):
        compare_algorithms(MODELS, X[:100], Y[:100], design=list(KFold(3).split(X)))


def test_one_split_is_a_holdout():
    r = compare_algorithms(MODELS, X, Y, design=ShuffleSplit(1, test_size=0.3, random_state=0), metric="f1_macro")
    assert parts(r.design)[0] == "holdout"
    assert r.pairs[0].comparison.metric == "f1:average=macro"


def test_leaving_one_out_is_many_folds():
    r = compare_scores(drawn(40), design=LeaveOneOut())
    assert (r.design, r.splits) == ("kfold:folds=40", 40)


@pytest.mark.parametrize(
    "name", ["seed", "Run", "FOLD", "repeat", "Split", "random_state", "replicate", "rep", "cv_fold", "iteration",
             "trial", "Seeds", "run id", "fold-number", "Unnamed: 0", "", "index", "N_train", "test_size"],
)  # fmt: skip
def test_columns_that_are_no_algorithm(name, tmp_path):
    scores = drawn(12)
    column = np.repeat([1, 2, 3], 4).tolist() if role(name) == "run" else list(range(10, 22))
    r = compare_scores({name: column, **scores}, design="repeated-kfold:folds=4,repeats=3")
    assert [one.name for one in r.algorithms] == ["new", "old"]
    lines = [
        ",".join([name, *scores]),
        *(",".join(map(str, row)) for row in zip(column, *scores.values(), strict=True)),
    ]
    (tmp_path / "scores.csv").write_text("\n".join(lines) + "\n")
    again = compare_scores(tmp_path / "scores.csv", design="repeated-kfold:folds=4,repeats=3")
    assert again.to_dict() == r.to_dict()
    with pytest.raises(InputError, match="there are 1: old beside"):
        compare_scores({name: column, "old": scores["old"]})


def test_runs_and_folds_say_which_rows_belong_together():
    scores = drawn(100)
    expected = corrected(scores, 1 / 9)
    seeds, folds = np.repeat(np.arange(10), 10).tolist(), list(range(10)) * 10
    for columns in (
        {"seed": seeds},
        {"fold": folds},
        {"repeat": seeds, "split": folds},
        {"run": seeds, "seed": [0] * 100},
    ):
        r = compare_scores({**columns, **scores})
        assert r.design == "repeated-kfold:folds=10,repeats=10", columns
        assert r.pairs[0].p_value == pytest.approx(expected)
        assert "each of the 10 runs is taken for 10 folds" in r.warnings[0]
    told = compare_scores({"seed": seeds, **scores}, design="resampled:test=0.2")
    assert told.pairs[0].p_value == pytest.approx(corrected(scores, 0.25))
    with pytest.raises(Undecided, match=r"each of the 12 runs has one split.*resampled:test=0.2"):
        compare_scores({"seed": list(range(12)), **drawn(12)})
    uneven = {"seed": [1, 1, 1, 2, 2], **drawn(5)}
    assert compare_scores(uneven, design="resampled:test=0.2").splits == 5
    with pytest.raises(InputError, match="different numbers of splits"):
        compare_scores(uneven)
    with pytest.raises(OptionError, match="has 5 runs, and the scores name 10"):
        compare_scores({"seed": seeds, **scores}, design="repeated-kfold:folds=20,repeats=5")
    with pytest.raises(InputError, match="fold 1 occurs 2 times, and fold 3 1"):
        compare_scores({"fold": [1, 2, 1, 2, 3], **drawn(5)})


def test_what_was_assumed_is_said_and_whether_the_verdict_hangs_on_it():
    clear = compare_scores(drawn(10, shift=0.2))
    assert clear.design == "kfold:folds=10"
    assert len(clear.warnings) == 1
    assert "taken for those of one 10-fold cross-validation" in clear.warnings[0]
    scores = drawn(10, shift=0.015, spread=0.015, seed=1)
    r = compare_scores(scores)
    assert corrected(scores, 1 / 9) < 0.05 < corrected(scores, 1)
    assert r.pairs[0].verdict == "b better"
    assert "the verdict depends on that: taken for " in r.warnings[1]
    for design in ("5x2cv", "repeated-kfold:folds=5", *(f"resampled:test={share}" for share in (0.1, 0.2, 0.33, 0.5))):
        flips = compare_scores(scores, design=design).pairs[0].verdict != r.pairs[0].verdict
        assert (design in r.warnings[1]) == flips
    assert "resampled:test=0.5" in r.warnings[1]
    assert compare_scores(scores, design="kfold").warnings == ()


def test_sizes_that_contradict_the_design_are_pointed_out():
    scores = drawn(5)
    r = compare_scores(scores, design="kfold", n_train=160, n_test=18)
    assert r.pairs[0].p_value == pytest.approx(corrected(scores, 18 / 160))
    assert "kfold:folds=5 would test 35.6 of 178 examples, but these splits test 18" in r.warnings[0]
    assert compare_scores(scores, design="kfold", n_train=142, n_test=36).warnings == ()
    shares = compare_scores({"train_size": [0.8] * 5, "test_size": [0.2] * 5, **scores})
    assert (shares.design, shares.n, shares.n_test) == ("kfold:folds=5", None, None)


def test_ten_halves_may_be_five_runs():
    scores = {"n_train": [50] * 10, "n_test": [50] * 10, **drawn(10)}
    r = compare_scores(scores)
    assert r.design == "resampled:number=10"
    assert "five runs of two folds are the design 5x2cv" in r.warnings[0]
    assert compare_scores(scores, design="resampled").warnings == ()


def test_the_record_of_one_algorithm_is_no_comparison():
    done = cross_validate(DummyClassifier(), X, Y)
    with pytest.raises(InputError, match="records of one algorithm"):
        compare_scores(done)


def test_series_in_another_order_are_not_paired_by_place():
    import pandas as pd

    scores = {name: pd.Series(own) for name, own in drawn(6).items()}
    expected = compare_scores(scores)
    scores["new"] = scores["new"].sample(frac=1, random_state=0)
    with pytest.raises(InputError, match="the rows of old and new have different indexes"):
        compare_scores(scores)
    assert compare_scores(pd.DataFrame(scores)).to_dict() == expected.to_dict()


def test_the_direction_is_never_guessed_for_a_loss():
    losses = {"a": [0.5, 0.51, 0.52], "b": [0.4, 0.45, 0.43]}
    for name in ("log_loss", "loss", "zero_one_loss", "WER", "mean-squared-error", "error_rate"):
        with pytest.raises(OptionError, match="is worse or better: lower_is_better=True"):
            compare_scores(losses, metric=name)
        assert compare_scores(losses, metric=name, lower_is_better=True).algorithms[0].name == "b"
    assert compare_scores(losses, metric="neg_log_loss").higher_is_better
    turned = {name: [-one for one in own] for name, own in losses.items()}
    with pytest.raises(OptionError, match=r"mse is never negative.*lower_is_better=False"):
        compare_scores(turned, metric="mse")
    assert compare_scores(turned, metric="mse", lower_is_better=False).algorithms[0].name == "b"
    assert compare_scores(losses, metric="mse").algorithms[0].name == "b"
    with pytest.raises(OptionError, match="of f1_macro higher is better"):
        compare_scores(losses, metric="f1_macro", lower_is_better=True)


def test_columns_that_are_all_called_a_loss_are_asked_about():
    losses = {"svm_loss": [0.5, 0.6, 0.7], "rf_loss": [0.4, 0.5, 0.3]}
    with pytest.raises(OptionError, match="more of svm_loss and rf_loss is worse or better"):
        compare_scores(losses)
    assert compare_scores(losses, lower_is_better=True).algorithms[0].name == "rf_loss"


def test_one_run_of_folds_does_not_overrule_columns_that_name_several():
    scores = drawn(100)
    runs = {"fold": list(range(10)) * 10, "repeat": [i // 10 for i in range(100)]}
    with pytest.raises(OptionError, match="the columns name 10 runs of 10 splits"):
        compare_scores({**runs, **scores}, design="kfold")


def test_every_answer_to_the_question_is_taken():
    """Runs of one split each: what is offered must fit them."""
    scores = {"random_state": list(range(10)), **drawn(10)}
    with pytest.raises(Undecided) as asked:
        compare_scores(scores)
    assert [design for design, _ in asked.value.choices] == ["resampled:test=0.2", "kfold"]
    for design, _ in asked.value.choices:
        assert compare_scores(scores, design=design).pairs


def test_what_is_no_list_of_numbers_is_said_in_words():
    with pytest.raises(InputError, match="one per split; this is an array of 2 dimensions"):
        compare_scores({"a": np.ones((5, 2)), "b": np.ones((5, 2))})
    times = {"kfold": [1, 2, 3], "fit_time": [1.0, 2.0, 3.0], **drawn(3)}
    assert [one.name for one in compare_scores(times).algorithms] == [
        one.name for one in compare_scores(drawn(3)).algorithms
    ]
