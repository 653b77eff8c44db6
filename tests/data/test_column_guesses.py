"""Which column plays which role."""

import pytest

from referee.data.column_doubts import in_doubt
from referee.data.column_guesses import Column, one_table, positive, systems, two_tables
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


LONG_LABELS = ["the first sentence contradicts the second one", "nothing follows from the first sentence"]
RATINGS = [str(1 + i * 7 % 5) for i in range(200)]
NUMBERED = [str(10_000 + 37 * i) for i in range(200)]
CHANCES = [f"{i / 200}" for i in range(200)]
LENGTHS = [str(3 + i * 11 % 60) for i in range(200)]
TABLES = {
    "labels of the same set, whatever they are called": (
        {"outcome": LABELS, "old": OTHER, "new": LABELS},
        {"truth": "outcome", "a": "old", "b": "new"},
    ),
    "labels that are whole sentences": (
        {"gold": LONG_LABELS * 100, "gpt": LONG_LABELS[::-1] * 100, "llama": LONG_LABELS * 100, "no": NUMBERED},
        {"truth": "gold", "a": "gpt", "b": "llama", "id": "no"},
    ),
    "a class that is not what was answered": (
        {"class": ["news", "fiction"] * 100, "old": LABELS, "new": OTHER},
        {"a": "old", "b": "new"},
    ),
    "0 and 1, beside a length": (
        {"m1": ["0", "1"] * 100, "length": LENGTHS, "x2": ["1", "1"] * 99 + ["1", "0"]},
        {"a": "m1", "b": "x2"},
    ),
    "0 and 1, one of them always right": ({"gpt": ["0", "1"] * 100, "llama": ["1"] * 200}, {"a": "gpt", "b": "llama"}),
    "probabilities of one of two labels": (
        {"y": ["0", "1"] * 100, "gpt": SCORES, "llama": SCORES[::-1], "seconds": [f"{i}.5" for i in range(200)]},
        {"truth": "y", "a": "gpt", "b": "llama"},
    ),
    "scores without right answers": (
        {"key": NUMBERED, "north": SCORES, "south": SCORES[::-1], "tokens": LENGTHS},
        {"id": "key", "a": "north", "b": "south"},
    ),
    "ids that are numbers, and a text": (
        {"row": NUMBERED, "remark": SENTENCES, "gold": LABELS, "old": LABELS, "new": OTHER},
        {"truth": "gold", "a": "old", "b": "new", "id": "row", "text": "remark"},
    ),
    "several systems": ({"gold": LABELS, "x": LABELS, "y": OTHER, "z": LABELS}, {"truth": "gold"}),
    "several systems that are numbered": ({"gold": LABELS, "m1": LABELS, "m2": OTHER, "m3": LABELS}, {"truth": "gold"}),
    "several that were right or wrong": (dict.fromkeys(("run_1", "run_2", "run_3"), ["0", "1"] * 100), {}),
    "several systems, named alike in pairs": (
        {"gold": LABELS, "old_a": LABELS, "new_a": OTHER, "old_b": LABELS, "new_b": OTHER},
        {"truth": "gold"},
    ),
    "answers and how sure they are": (
        {"label": LABELS, "model_a": LABELS, "model_b": OTHER, "sure_a": SCORES, "sure_b": SCORES},
        {"truth": "label", "a": "model_a", "b": "model_b"},
    ),
    "a reference text and two outputs": (
        {"source": SENTENCES, "reference": SENTENCES[::-1], "output_a": [*SENTENCES[1:], ""], "output_b": SENTENCES},
        {"truth": "reference", "a": "output_a", "b": "output_b", "text": "source"},
    ),
    "ratings from 1 to 5": (
        {"item": MANY, "rater": [f"r{i % 7}" for i in range(200)], "north": RATINGS, "south": RATINGS[::-1]},
        {"id": "item", "a": "north", "b": "south"},
    ),
    "two sorts of numbers for each": (
        {"time_a": LENGTHS, "time_b": LENGTHS, "score_a": SCORES, "score_b": SCORES},
        {},
    ),
    "predicted numbers": (
        {"target": SCORES, "ridge": SCORES[::-1], "lasso": SCORES, "age": LENGTHS},
        {"truth": "target", "a": "ridge", "b": "lasso"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", TABLES)
def test_tables_of_all_sorts(what):
    named, wanted = TABLES[what]
    assert one_table(columns(**named)) == wanted


@pytest.mark.parametrize(
    "named, wanted",
    [
        ({"label": LABELS, "old": ["0", "1"] * 100, "new": ["1", "0"] * 100},
         {"truth": "“label” may hold the right answers, but its values are not those of “old” and “new”"}),
        ({"outcome": ["0", "1"] * 100, "p_old": CHANCES, "p_new": CHANCES[::-1]},
         {"truth": "“outcome” may hold the right answers: the values are like those of “p_old” and “p_new”"}),
        ({"north": LABELS, "south": OTHER, "east": OTHER},
         {"truth": "“north”, “south” and “east” hold the same labels; one of them may be the right answers"}),
        ({"y": LABELS, "old": LABELS, "new": OTHER, "page": GROUPS},
         {"group": "the values of “page” repeat; are examples with the same value related?"}),
        ({"y": LABELS, "old": LABELS, "new": OTHER, "page_no": [str(i // 4) for i in range(200)]},
         {"group": "the values of “page_no” repeat; are examples with the same value related?"}),
        ({"y": LABELS, "old": LABELS, "new": OTHER, "doc": GROUPS, "length": LENGTHS}, {}),
        ({"north": RATINGS, "south": RATINGS[::-1], "east": RATINGS}, {}),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_asked(named, wanted):
    found = columns(**named)
    assert in_doubt(found, one_table(found)) == wanted


def test_labels_however_long():
    short, long = (
        one_table(columns(gold=x * 100, north=x * 100, south=x[::-1] * 100)) for x in (["y", "n"], LONG_LABELS)
    )
    assert short == long == {"truth": "gold", "a": "north", "b": "south"}


def test_pair_by_the_labels_of_what_agrees():
    # Of what differs, only the answer is of the labels that both tables have; the hash is an id, however long.
    hashes = [f"{i * 7919:064x}" for i in range(200)]
    left = columns(sha=hashes, kind=LABELS, raw=SENTENCES, seconds=SCORES, said=LABELS)
    right = columns(sha=hashes, kind=LABELS, raw=SENTENCES[::-1], seconds=SCORES[::-1], said=OTHER)
    assert two_tables(left, right) == {"id": "sha", "prediction": "said", "truth": "kind"}


def test_pair_without_ids_is_told_by_the_rows_that_agree():
    left, right = columns(gold=LABELS, note=GROUPS, x=LABELS), columns(gold=LABELS, note=GROUPS, x=OTHER)
    assert two_tables(left, right) == {"truth": "gold", "prediction": "x"}


def test_the_systems_of_a_ranking_are_of_one_kind():
    named = columns(m1=["0", "1"] * 100, m2=["1", "1"] * 99 + ["1", "0"], words=LENGTHS)
    assert systems(named) == ["m1", "m2"]
    assert systems(columns(m1=SCORES, m2=SCORES[::-1], words=LENGTHS, m3=SCORES)) == ["m1", "m2", "m3"]


LONG = ["complaint about a delayed delivery that never came", "praise", "question", "praise"] * 5


def test_versions_of_a_system_share_their_labels_with_the_right_answers():
    columns = [
        Column("doc", [f"d{place}" for place in range(20)]),
        Column("length", [str(60 + 7 * place % 50) for place in range(20)]),
        Column("category", LONG),
        Column("run-2026-11-01", LONG[1:] + LONG[:1]),
        Column("run-2026-10-01", LONG[2:] + LONG[:2]),
    ]
    found = one_table(columns)
    assert (found["truth"], found["a"], found["b"]) == ("category", "run-2026-10-01", "run-2026-11-01")
    renamed = [Column(one.name.replace("run-2026-10-01", "other"), one.values) for one in columns]
    assert "truth" not in one_table(renamed)  # any of the three may be


def test_a_length_beside_columns_of_labels_is_no_system():
    names = ("category", "run-2026-10-01", "run-2026-11-01", "baseline")
    columns = [Column(name, LONG[place:] + LONG[:place]) for place, name in enumerate(names)]
    columns += [Column("length", [str(60 + place) for place in range(20)]), Column("topic", ["finance", "law"] * 10)]
    assert systems(columns) == list(names)
