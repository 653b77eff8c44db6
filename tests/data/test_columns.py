"""Alignment: rows that carry labels are paired by these, or not at all; never by their places in silence."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import referee
from referee.data.columns import aligned
from referee.data.counts import Counts
from referee.data.outcomes import Outcomes
from referee.errors import InputError

pd = pytest.importorskip("pandas")

IDS = [f"q{i}" for i in range(12)]
TRUTH = pd.Series(list("xyxyxyxyxyxy"), index=IDS)
OLD = pd.Series(list("xxxxxyxyxyxy"), index=IDS)
NEW = pd.Series(list("xyxyxyxyxyxx"), index=IDS)
DOCS = pd.Series(np.repeat([1, 2, 3, 4], 3), index=IDS)
TURNED = IDS[::-1]
TOLD = "were put into the order of truth, whose index has the same labels in another order"


@pytest.mark.parametrize("role", ["truth", "a", "b", "group", "text"])
def test_series_in_another_order_meet_by_their_labels(role):
    given = {"truth": TRUTH, "a": OLD, "b": NEW, "group": DOCS, "text": pd.Series(IDS, index=IDS)}
    straight = referee.compare(**given)
    turned = referee.compare(**{**given, role: given[role].loc[TURNED]})
    assert turned.counts == straight.counts
    assert sorted((one.text, one.a, one.b) for one in turned.examples()) == sorted(
        (one.text, one.a, one.b) for one in straight.examples()
    )
    assert straight.warnings == tuple(said for said in turned.warnings if "index" not in said)
    moved = {"truth": [f"the rows of a, b, group {TOLD}"], "text": []}.get(role, [f"the rows of {role} {TOLD}"])
    assert [said for said in turned.warnings if "index" in said] == moved


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_any_order_gives_the_same_counts(data):
    given = {"truth": TRUTH, "a": OLD, "b": NEW, "group": DOCS, "stratum": DOCS}
    turned = {role: values.loc[data.draw(st.permutations(IDS))] for role, values in given.items()}
    assert referee.count(**turned) == referee.count(**given)


def test_columns_of_a_mapping_and_counts_meet_by_their_labels():
    columns = {"truth": TRUTH, "a": OLD.loc[TURNED], "b": NEW}
    straight = referee.count(truth=TRUTH, a=OLD, b=NEW)
    names = {"truth": "gold", "a": "old", "b": "new"}
    found = referee.count({names[role]: values for role, values in columns.items()}, **names)
    assert np.array_equal(found.multiplicities, straight.multiplicities)
    assert found.notes == (f"the rows of old {TOLD.replace('truth', 'gold')}",)
    assert Counts.of(columns, names=straight.names) == straight
    assert Counts.of(columns).notes
    assert Outcomes(source=columns, truth="truth", a="a", b="b", names=straight.names).count() == straight


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"a": OLD.loc[TURNED], "b": NEW.reset_index(drop=True)},
            "the rows of truth and a have different indexes, which do not hold the same",
        ),
        ({"b": NEW.set_axis(["q0", *IDS[:-1]])}, "in which labels repeat"),
        ({"a": OLD.to_numpy(), "b": NEW.loc[TURNED]}, "and a has none"),
        ({"group": DOCS.set_axis([*IDS[:-1], "other"])}, "the rows of truth and group have different indexes"),
    ],
)
def test_labels_that_do_not_tell_are_refused(changes, words):
    given = {"truth": TRUTH, "a": OLD, "b": NEW, **changes}
    with pytest.raises(InputError, match=words) as error:
        referee.compare(**given)
    assert "pass .to_numpy() of each to pair them by position" in str(error.value)
    by_place = {role: values if isinstance(values, np.ndarray) else values.to_numpy() for role, values in given.items()}
    assert referee.compare(**by_place).n == 12


def test_an_index_that_nobody_gave_tells_nothing():
    # What is left of a shuffled table, and predictions that were numbered anew in the order of the table.
    shuffled = TRUTH.reset_index(drop=True).sample(frac=1, random_state=1)
    fresh = pd.Series(shuffled.to_numpy())
    with pytest.raises(InputError, match=r"that of a may be no more than the places 0, 1, 2"):
        referee.compare(truth=shuffled, a=fresh, b=fresh)


def test_equal_indexes_and_lengths_that_differ_are_none_of_its_business():
    assert (
        referee.compare(truth=TRUTH, a=OLD, b=NEW).warnings
        == referee.compare(truth=TRUTH.to_list(), a=OLD.to_list(), b=NEW.to_list()).warnings
    )
    same = pd.Series([1, 2], index=pd.Index([0, 1]))
    assert aligned({"a": pd.Series([1, 2]), "b": same, "c": [1, 2]})[1] == ()
    with pytest.raises(InputError, match="same length"):
        referee.compare(truth=TRUTH, a=OLD, b=NEW[:5])


def test_features_and_truth_of_algorithms_meet_by_their_labels():
    bayes = pytest.importorskip("sklearn.naive_bayes").GaussianNB
    dummy = pytest.importorskip("sklearn.dummy").DummyClassifier
    rng = np.random.default_rng(3)
    ids = [f"r{i}" for i in range(60)]
    y = pd.Series(np.arange(60) % 2, index=ids)
    X = pd.DataFrame({"x": y + rng.normal(size=60), "z": rng.normal(size=60)})
    models = {"bayes": bayes(), "most": dummy()}
    straight = referee.compare_algorithms(models, X, y, design="kfold:folds=3", jobs=1)
    turned = referee.compare_algorithms(models, X, y[::-1], design="kfold:folds=3", jobs=1)
    assert [one.score for one in straight.algorithms] == [one.score for one in turned.algorithms]
    assert turned.warnings == (
        f"the rows of y {TOLD.replace('truth', 'X')}",
        *straight.warnings,
    )
    plain = referee.compare_algorithms(models, X.reset_index(drop=True), y, design="kfold:folds=3", jobs=1)
    assert [one.score for one in straight.algorithms] == [one.score for one in plain.algorithms]
    assert "the rows of X were paired with the others by position" in plain.warnings[0]


def test_fold_scores_meet_by_their_labels():
    folds = [f"fold {i}" for i in range(6)]
    old = pd.Series([0.80, 0.82, 0.79, 0.85, 0.81, 0.84], index=folds)
    new = old.add([0.02, 0.01, 0.03, 0.01, 0.02, 0.015])
    straight = referee.compare_scores({"old": old, "new": new}, design="kfold")
    turned = referee.compare_scores({"old": old, "new": new[::-1]}, design="kfold")
    assert turned.pairs[0].p_value == straight.pairs[0].p_value
    assert any(said == f"the rows of new {TOLD.replace('truth', 'old')}" for said in turned.warnings)


def test_predictions_numbered_from_0_beside_a_part_of_the_data_are_paired_by_place():
    """As after train_test_split: the truth has labels of its own, and what a model returned has none."""
    truth = pd.Series([0, 1] * 50).sample(frac=0.5, random_state=0)
    r = referee.compare(truth=truth, a=pd.Series(truth.to_numpy()), b=1 - truth.to_numpy())
    assert (r.a.score, r.b.score) == (1, 0)
    assert any("paired with the others by position" in warning for warning in r.warnings)
    shuffled = pd.Series([0, 1] * 50).sample(frac=1, random_state=0)
    with pytest.raises(InputError) as refused:
        referee.compare(truth=shuffled, a=pd.Series(shuffled.to_numpy()), b=shuffled)
    # Taking the rows by the labels of the other would mispair them.
    assert ".to_numpy()" in str(refused.value)
    assert ".loc[" not in str(refused.value)
