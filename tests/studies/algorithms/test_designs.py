"""Designs: what is tested is never trained on, classes and groups are kept, and too few of them are told."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from referee import audit_algorithms, compare_algorithms, compare_scores
from referee.errors import InputError, NameUnknown, OptionError
from referee.results.test_info import said
from referee.runtime.randomness import Streams
from referee.significance.fold_tests import FOLD_TESTS, fitting_tests
from referee.studies.algorithms.designs import DESIGNS, Design, KFold, design, resolve

Y = np.repeat([0, 1, 2], [59, 71, 48])
GROUP = np.arange(178) // 6


def splits(name, y=Y, group=None, stratify=True, seed=0):
    return resolve(name).splits(y, group, stratify, Streams.of(seed))


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("stratify", [False, True])
@pytest.mark.parametrize("name", list(DESIGNS))
def test_splits(name, stratify, grouped):
    group = GROUP if grouped else None
    found = splits(name, group=group, stratify=stratify)
    runs, folds = resolve(name).shape
    assert len(found) == runs * folds
    for split in found:
        assert not set(split.train) & set(split.test)
        assert len(np.unique(np.concatenate([split.train, split.test]))) == len(Y)
        if grouped:
            assert not set(GROUP[split.train]) & set(GROUP[split.test])
        if stratify and not grouped:
            shares = np.bincount(Y[split.train]) / len(split.train)
            assert shares == pytest.approx(np.bincount(Y) / len(Y), abs=0.02)
    for run in range(runs):
        own = found[run * folds : (run + 1) * folds]
        if folds > 1:
            assert sorted(np.concatenate([split.test for split in own])) == list(range(len(Y)))
    starts = {tuple(split.test.tolist()) for split in found}
    assert len(starts) > 0.9 * len(found), "runs are drawn anew (few groups may meet again)"


@pytest.mark.parametrize("name", list(DESIGNS))
def test_the_seed_decides(name):
    one, same, other = (splits(name, seed=seed)[0].test.tolist() for seed in (0, 0, 1))
    assert one == same != other


def test_shapes_and_layouts():
    assert [resolve(name).shape for name in ("5x2cv", "kfold", "repeated-kfold", "resampled", "holdout")] == [
        (5, 2), (1, 10), (10, 10), (30, 1), (1, 1),
    ]  # fmt: skip
    for name, ratio in (("kfold", 1 / 9), ("repeated-kfold", 1 / 9), ("5x2cv", 1.0), ("kfold:folds=5", 1 / 4)):
        assert resolve(name).layout(splits(name)).ratio == pytest.approx(ratio)
    assert resolve("resampled").layout(splits("resampled")).ratio == pytest.approx(0.5, abs=0.02)
    assert len(splits("holdout:test=0.2")[0].test) == 36


def test_spellings():
    assert str(resolve("kfold:folds=5")) == "kfold:folds=5"
    assert str(resolve("kfold:folds=10")) == "kfold"
    assert resolve(resolve("resampled:number=9,test=0.25")).test == 0.25
    for name, cls in DESIGNS.items():
        assert cls.summary.endswith(".")
        assert str(resolve(name)) == name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("kfold:folds=1", "kfold:folds must be at least 2"),
        ("repeated-kfold:folds=1", "repeated-kfold:folds must be at least 2"),
        ("repeated-kfold:repeats=0", "repeated-kfold:repeats must be at least 1"),
        ("resampled:number=1", "resampled:number must be at least 2"),
        ("holdout:test=1.5", "holdout:test must lie between 0 and 1"),
        ("resampled:test=0", "resampled:test must lie between 0 and 1"),
        ("5x2cv:folds=3", "5x2cv has no option 'folds'"),
    ],
)
def test_options_that_cannot_be(name, words):
    with pytest.raises(OptionError, match=words):
        resolve(name)


def test_unknown_designs():
    with pytest.raises(NameUnknown, match="did you mean '5x2cv'"):
        resolve("5x2")
    with pytest.raises(OptionError, match="a design is a name"):
        resolve(10)


def test_too_few_of_a_class():
    y = np.array([0] * 50 + [1] * 4)
    with pytest.raises(InputError, match="the class 1 has only 4; take fewer folds"):
        splits("kfold", y)
    with pytest.raises(InputError, match="the class 1 has only 1"):
        splits("5x2cv", np.array([0] * 9 + [1]))
    with pytest.raises(InputError, match="the class 1 has only 1"):
        splits("holdout", np.array([0] * 9 + [1]))
    assert len(splits("kfold", y, stratify=False)) == 10
    assert len(splits("kfold:folds=4", y)) == 4


def test_too_few_groups_or_examples():
    with pytest.raises(InputError, match="needs at least 10 groups, or its splits repeat; there are 3"):
        splits("kfold", group=np.arange(178) % 3)
    with pytest.raises(InputError, match="needs at least 10 examples; there are 4"):
        splits("kfold", np.arange(4.0), stratify=False)
    with pytest.raises(InputError, match="cannot be split"):
        splits("holdout:test=0.0001", np.array([0, 0, 1, 1]))


def test_a_class_that_lives_in_one_group():
    y = np.where(GROUP == 3, 1, 0)
    found = splits("5x2cv", y, GROUP)
    assert len(found) == 10


def test_a_design_of_ones_own_needs_one_class():
    @design("thirds", "folds", test="corrected-t", reason="folds overlap", like="kfold")
    @dataclass(frozen=True, kw_only=True)
    class Thirds(KFold):
        """Three folds."""

        folds: int = 3

    try:
        assert "corrected-t" in fitting_tests("thirds")
        X, y = load_wine(return_X_y=True)
        models = {"bayes": GaussianNB(), "most": DummyClassifier()}
        own = compare_algorithms(models, X, y, design="thirds")
        assert (own.design, own.test, own.reason, own.splits) == ("thirds", "corrected-t", "folds overlap", 3)
        assert own.pairs == compare_algorithms(models, X, y, design="kfold:folds=3").pairs
        scores = {one.name: one.scores for one in own.algorithms}
        assert compare_scores(scores, design="thirds").pairs[0].p_value == own.pairs[0].p_value
        assert audit_algorithms(n=60, learners="centroid", designs="thirds", tests="t", sets=2).rows[0]["fits"] == 6
    finally:
        DESIGNS.remove("thirds")
        for name in FOLD_TESTS:
            FOLD_TESTS[name].fits = tuple(fits for fits in FOLD_TESTS[name].fits if fits != "thirds")


def test_an_option_without_a_default_is_refused_at_once():
    with pytest.raises(OptionError, match="the option blocks of the design blocked has no default; write it as"):

        @design("blocked", "folds")
        class Blocked(Design):
            """Blocks."""

            blocks: int

    assert "blocked" not in DESIGNS


def test_a_design_of_ones_own_is_named_in_a_paper():
    @design("thirds", "folds", procedure=said("{splits} thirds", "dietterich1998"), test="t", reason="so", like="kfold")
    class Thirds(Design):
        """Thirds."""

        @property
        def shape(self):
            return 1, 3

    r = compare_scores({"a": [0.5, 0.6, 0.7], "b": [0.6, 0.8, 0.75]}, design="thirds", n_train=60, n_test=30)
    told = " ".join(r.to("html").split())
    assert "The scores come from 3 thirds (Dietterich, 1998), with about 60 to train on and 30 to test each." in told
