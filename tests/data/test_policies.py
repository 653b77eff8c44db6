"""Missing values, repeated ids, multiplicities, odd labels: refused or counted, and always said."""

import numpy as np
import pytest

import referee
from referee.data.counts import Counts
from referee.data.outcomes import count
from referee.data.policies import MISSING
from referee.data.roles import OPTIONS
from referee.errors import InputError, OptionError

NAMES = {"a": "A", "b": "B"}


def test_missing_predictions_are_counted_in_the_message():
    with pytest.raises(InputError, match=r"2 of A and 1 of B; use missing='wrong' to .*, or missing='drop' to "):
        count(truth=[1, 0, 1], a=[None, None, 1], b=[1, 1, float("nan")])


def test_every_declared_policy_for_missing_values_does_something():
    declared = OPTIONS["missing"].values
    assert set(MISSING) == set(declared)
    for name, treatment in MISSING.items():
        assert not (treatment.drops and treatment.fill)
        words = (bool(declared[name].label), bool(declared[name].score))
        assert words == (treatment.fill is not None, treatment.counts is not None), name


def test_wrong_with_two_labels_is_the_other_one():
    found = count(truth=["x", "y", "y"], a=[None, None, "y"], b=["x", "x", "y"], missing="wrong")
    assert found == Counts.of({"truth": ["x", "y", "y"], "a": ["y", "x", "y"], "b": ["x", "x", "y"]}, names=NAMES)
    assert found.notes == ("2 missing predictions of A and 0 of B were counted as wrong (missing='wrong')",)
    flags = count(truth=[True, True], a=[None, True], b=[True, True], missing="wrong")
    assert flags["a"].tolist() == [False, True]


@pytest.mark.parametrize("labels", [["x", "y", "z"], [0, 1, 2]])
def test_wrong_with_more_labels_equals_none_of_them(labels, tmp_path):
    found = count(truth=labels, a=[None, *labels[1:]], b=[*labels[:2], None], missing="wrong")
    assert found["a"].tolist() == [None, *labels[1:]]
    assert found["a"].dtype == object
    assert (found["truth"] == found["a"]).tolist() == [False, True, True]
    found.save(tmp_path / "c.json")
    assert Counts.load(tmp_path / "c.json") == found == found.swap().swap()
    whole = count(truth=labels, a=labels, b=labels)
    assert (whole + found).n == (found + whole).n == 6
    assert (whole + found) == (found + whole)


def test_wrong_scores_are_zero_and_numbers_have_no_wrong():
    assert count(a=[0.5, None], b=[0.5, 1], missing="wrong")["a"].tolist() == [0.0, 0.5]
    assert count(a=[True, None], b=[True, True], missing="wrong")["a"].tolist() == [False, True]
    with pytest.raises(InputError, match="only for labels; these are numbers"):
        count(truth=[1, 0], a=[0.5, None], b=[0.5, 1], missing="wrong")
    with pytest.raises(InputError, match="there is no truth"):
        count(a=["x", None], b=["x", "y"], missing="wrong")


def test_all_of_a_system_may_be_missing():
    assert count(truth=["x", "y"], a=[None, None], b=["x", "y"], missing="wrong")["a"].tolist() == ["y", "x"]
    assert count(truth=[1, 2, 3], a=[None] * 3, b=[1, 2, 3], missing="wrong")["a"].tolist() == [None] * 3


@pytest.mark.parametrize("role", ["truth", "group", "stratum", "by"])
def test_what_is_not_a_prediction_can_only_be_dropped(role):
    columns = {"truth": [1, 0, 1], "a": [1, 0, 1], "b": [1, 1, 1], role: [1, 0, None]}
    for policy in ("error", "wrong"):
        with pytest.raises(InputError, match=r"missing in 1 example;.*missing='drop'"):
            count(**columns, missing=policy)
    found = count(**columns, missing="drop")
    assert (found.n, found.matched.dropped, found.matched.both) == (2, 1, 2)
    assert found.notes[0].startswith("1 example with a missing value was dropped (missing='drop')")


def test_dropping_everything_is_an_error():
    with pytest.raises(InputError, match="no examples left: all 2"):
        count(truth=[1, None], a=[None, 1], b=[1, 1], missing="drop")


def test_multiplicities():
    found = count(truth=[1, 0, 1], a=[1, 0, 0], b=[1, 1, 1], multiplicity=[5, 0, 2.0])
    assert found == Counts.of({"truth": [1, 1], "a": [1, 0], "b": [1, 1]}, [5, 2], names=NAMES)
    assert count(a=[1, 1], b=[0, 0], multiplicity=[2, 3]).n == 5
    assert count(truth=[1, 0], a=[None, 0], b=[1, 1], multiplicity=[5, 2], missing="drop").matched.dropped == 5
    for bad, message in (
        ([1, -1], "negative"),
        ([1, 0.5], "whole number"),
        (["1", "2"], "whole number"),
        ([1, None], "missing in 1"),
        ([0, 0], "no examples"),
        ([2**62, 2**62], "64 bits"),
    ):
        with pytest.raises(InputError, match=message):
            count(a=[1, 1], b=[0, 1], multiplicity=bad)


def test_repeats_with_truth_are_not_averaged():
    columns = {"truth": [1, 0], "a": [1, 0], "b": [1, 1], "id": ["p", "p"]}
    with pytest.raises(InputError, match=r"1 id occurs in more than one row, such as 'p'; labels .* repeats='group'"):
        count(**columns, repeats="mean")
    assert count(**columns, repeats="group")["group"].tolist() == ["p", "p"]
    assert count(**columns, repeats="group").notes == (
        "1 id occurs in more than one row; the rows of an id are one group (repeats='group')",
    )
    assert count(**{**columns, "id": [1, 2]}, repeats="mean").n == 2


def test_averaging_keeps_one_group_an_id():
    columns = {"a": [1, 0, 1], "b": [1, 1, 0], "id": [7, 7, 8], "repeats": "mean"}
    found = count(**columns, group=["d", "d", "e"])
    assert (found["a"].tolist(), found["group"].tolist()) == ([0.5, 1.0], ["d", "e"])
    with pytest.raises(InputError, match="the group of id 7 differs"):
        count(**columns, group=["d", "e", "e"])
    with pytest.raises(InputError, match="averages numbers"):
        count(a=["x", "y"], b=["x", "x"], id=[1, 1], repeats="mean")
    assert count(a=[1, None], b=[1, 0], id=[1, 1], repeats="mean", missing="wrong")["a"].tolist() == [0.5]


def test_policies_that_do_not_exist_or_contradict():
    arrays = {"a": [1], "b": [1]}
    for policy in ("missing", "repeats", "unmatched"):
        with pytest.raises(OptionError, match=policy):
            count(**arrays, **{policy: "droop"})
    with pytest.raises(OptionError, match="needs id="):
        count(**arrays, repeats="mean")
    with pytest.raises(OptionError, match="leave group= out"):
        count(**arrays, id=[1], group=[1], repeats="group")
    with pytest.raises(OptionError, match="not both"):
        count(**arrays, id=[1], multiplicity=[1])


@pytest.mark.parametrize(
    ("truth", "a", "b"),
    [
        (["1", "0"], [1, 0], [1, 0]),
        ([1, 0], ["1", "0"], ["1", "0"]),
        ([True, False], [1, 0], [1, 0]),
        ([1, 0], [True, False], [True, False]),
        (["True", "False"], [True, False], [True, False]),
        ([0.5, 1.5], ["x", "y"], ["x", "y"]),
        ([0.5, 1.5], [True, False], [True, False]),
        ([1, 0], [1, 0], ["1", "0"]),
        ([1, 0], [True, False], [1, 0]),
        (None, ["x", "y"], [0.5, 1.5]),
        (["x", "y"], ["x", "y"], [0.5, 0.25]),
    ],
)
def test_kinds_that_cannot_be_equal(truth, a, b):
    with pytest.raises(InputError, match=r'holds .* and . holds .*True, 1 and "1" are not the same label; convert'):
        count(truth=truth, a=a, b=b)


@pytest.mark.parametrize("truth", [["x", "y"], [True, False], [1, 0], [1.5, 2.5]])
def test_scores_rank_any_truth(truth):
    assert count(truth=truth, a=[0.5, 0.25], b=[1, 0]).n == 2


def test_suspicious_labels_are_pointed_out_and_kept():
    found = count(truth=["Yes", "no"], a=["yes ", "no"], b=["Yes", "no"])
    assert len(set(found["truth"]) | set(found["a"])) == 3
    assert found.notes == (
        "the labels 'Yes' and 'yes ' differ only by case or blanks; they are counted as different labels",
    )


def test_very_many_labels_are_not_inspected():
    labels = np.array([f"Label {i}" for i in range(12_000)] + ["label 1"], dtype=object)
    assert count(truth=labels, a=labels, b=labels).notes == ()


def test_a_truth_that_is_empty_on_purpose_has_a_way_in(tmp_path):
    path = tmp_path / "speech.csv"
    path.write_text('truth,a,b\nhello world,hello,hello world\n"",uh,oh\n')
    with pytest.raises(InputError, match=r"missing in 1 example;.*empty on purpose.*JSON lines"):
        referee.compare(str(path), truth="truth", a="a", b="b", metric="cer")
    with pytest.raises(InputError, match="missing in 1,200 examples") as labels:
        referee.count(truth=[None] * 1200 + ["x", "y"], a=["x"] * 1202, b=["x"] * 1202)
    assert "on purpose" not in str(labels.value)
    with pytest.raises(InputError, match=r"missing in 1 example;.*no labels on purpose, write \[\]"):
        referee.count(truth=["red|blue", None], a=["red", "blue"], b=["red", "blue"])
