"""Which column plays which role."""

import pytest

from referee.data.column_guesses import Column, one_table, positive, two_tables
from referee.data.demo_table import table

MANY = [f"t{i}" for i in range(200)]
LABELS = ["cat", "dog"] * 100
OTHER = ["dog", "cat"] * 100
SCORES = [f"0.{i:03}" for i in range(200)]
SENTENCES = [f"this is a longer sentence of an example, number {i}" for i in range(200)]
GROUPS = [f"d{i // 10}" for i in range(200)]


def columns(**named):
    return [Column(name, values) for name, values in named.items()]


def test_the_demonstration():
    rows = [line.split(",") for line in table().splitlines()]
    found = one_table(
        [Column(name, list(values)) for name, values in zip(rows[0], zip(*rows[1:], strict=True), strict=True)]
    )
    assert found == {"truth": "label", "group": "sender", "a": "old", "b": "new"}


@pytest.mark.parametrize(
    "first, second",
    [("old", "new"), ("model_a", "model_b"), ("predA", "predB"), ("pred_1", "pred_2"), ("System1", "System2"),
     ("baseline", "candidate"), ("before", "after"), ("answer_v1", "answer_v2"), ("Old Model", "New Model")],
)  # fmt: skip
def test_pairs_of_names(first, second):
    for order in ([first, second], [second, first]):
        found = one_table([Column("gold", LABELS), *(Column(name, LABELS) for name in order)])
        assert found == {"truth": "gold", "a": first, "b": second}


def test_all_roles_by_name():
    found = one_table(
        columns(Question=SENTENCES, doc_id=GROUPS, example_id=MANY, y_true=LABELS, gpt=LABELS, llama=OTHER)
    )
    assert found == {
        "truth": "y_true",
        "id": "example_id",
        "group": "doc_id",
        "text": "Question",
        "a": "gpt",
        "b": "llama",
    }


def test_systems_by_the_labels_of_the_truth():
    found = one_table(columns(gold=LABELS, length=[str(i) for i in range(200)], north=LABELS, south=OTHER))
    assert (found["a"], found["b"]) == ("north", "south")


def test_scores_alone():
    assert one_table(columns(north=SCORES, south=SCORES[::-1])) == {"a": "north", "b": "south"}


def test_reference_texts_beside_scores_are_no_labels():
    found = one_table(columns(answer=MANY, score_a=SCORES, score_b=SCORES))
    assert found == {"a": "score_a", "b": "score_b"}


def test_labels_beside_scores_may_be_ranked():
    assert one_table(columns(label=LABELS, score_a=SCORES, score_b=SCORES))["truth"] == "label"


def test_what_content_forbids():
    # An id that repeats is none, nor is a group whose members are all alone, nor a label that is a long text.
    found = one_table(columns(id=GROUPS, group=MANY, label=SENTENCES, old=SCORES, new=SCORES))
    assert found == {"a": "old", "b": "new"}


def test_three_columns_of_labels_are_not_guessed():
    found = one_table(columns(north=LABELS, south=LABELS, east=OTHER))
    assert found == {}


def test_nothing_is_guessed_twice():
    found = one_table(columns(answer=LABELS, label=LABELS, a=LABELS, b=LABELS, doc_id=MANY))
    assert len(set(found.values())) == len(found)
    assert found["truth"] == "label"


def test_pair_by_words():
    left = columns(id=MANY, gold=LABELS, answer=LABELS)
    right = columns(id=MANY[::-1], gold=LABELS[::-1], answer=LABELS)
    assert two_tables(left, right) == {"id": "id", "truth": "gold", "prediction": "answer"}


def test_pair_by_what_differs():
    # The column that differs is the prediction, and the one that agrees is the truth, whatever else they might be.
    left = columns(qid=MANY, answer=LABELS, label=LABELS)
    right = columns(qid=MANY, answer=LABELS, label=OTHER)
    assert two_tables(left, right) == {"id": "qid", "truth": "answer", "prediction": "label"}


def test_pair_without_ids_in_common_rows():
    left = columns(id=MANY, gold=LABELS, prediction=LABELS)
    right = columns(id=[f"x{i}" for i in range(200)], gold=OTHER, prediction=LABELS)
    assert two_tables(left, right) == {"id": "id", "truth": "gold", "prediction": "prediction"}


def test_pair_of_scores():
    left, right = columns(item=MANY, score=SCORES), columns(item=MANY, score=SCORES[::-1])
    assert two_tables(left, right) == {"id": "item", "prediction": "score"}


@pytest.mark.parametrize("name", ["f1", "F1", "isCorrect", "exact_match"])
def test_scores_by_name(name):
    same = {"length": [str(i) for i in range(200)]}
    left = [Column("id", MANY), Column(name, SCORES), *columns(extra=SCORES, **same)]
    right = [Column("id", MANY), Column(name, SCORES[::-1]), *columns(extra=SCORES[::-1], **same)]
    assert two_tables(left, right) == {"id": "id", "prediction": name}


def test_of_several_that_differ_none_is_guessed():
    left, right = (
        columns(id=MANY, x=SCORES, y=LABELS, same=GROUPS),
        columns(id=MANY, x=SCORES[::-1], y=OTHER, same=GROUPS),
    )
    assert two_tables(left, right) == {"id": "id"}


def test_pair_of_single_columns():
    assert two_tables(columns(label=LABELS), columns(label=OTHER)) == {"prediction": "label"}


def test_numbers_with_decimals_are_no_ids():
    found = two_tables(columns(score=SCORES, name=GROUPS), columns(score=SCORES[::-1], name=GROUPS))
    assert "id" not in found
    assert found["prediction"] == "score"


def test_the_second_need_not_repeat_the_truth():
    left, right = columns(id=MANY, gold=LABELS, pred=LABELS), columns(id=MANY, pred=OTHER)
    assert two_tables(left, right) == {"id": "id", "truth": "gold", "prediction": "pred"}


def test_the_truth_is_no_prediction():
    # Each names its predictions after itself, so that the truth is all that they share.
    left, right = columns(id=MANY, gold=LABELS, north=LABELS), columns(id=MANY, gold=LABELS, south=OTHER)
    assert two_tables(left, right) == {"id": "id", "truth": "gold"}


@pytest.mark.parametrize(
    "labels, wanted",
    [(["ham", "spam"], "spam"), (["No", "Yes"], "Yes"), (["0", "1"], "1"), (["cat", "dog"], None),
     (["a", "spam", "b"], None), (["FALSE", "TRUE"], "TRUE"), ([], None)],
)  # fmt: skip
def test_positive(labels, wanted):
    assert positive(labels) == wanted


@pytest.mark.parametrize(
    "name, wanted",
    [("Doc_ID", "doc id"), ("docId", "doc id"), ("y-true", "y true"), ("v2", "v 2"), ("réponse", "réponse")],
)
def test_names_in_small_words(name, wanted):
    assert Column(name, []).known_as == wanted
