"""What rank() refuses, each with the argument and what to do; and what it answers although it looks odd."""

import pytest

import referee
from referee.errors import InputError, NameUnknown, OptionError, RefereeError

TRUTH = [1, 0, 1, 1, 0, 1, 0, 0, 1, 1]
TABLE = {"label": TRUTH, "m1": TRUTH, "m2": TRUTH[::-1], "m3": [1] * 10}


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        ({"systems": "m1"}, OptionError, "two systems or more; there is only 'm1'"),
        ({"systems": ["m1", "m1"]}, OptionError, "'m1' is named twice"),
        ({"systems": ["m1", "mx"]}, NameUnknown, "no column 'mx'"),
        ({"systems": ["m1", "label"]}, OptionError, "as a system and as something else"),
        ({"baseline": "mx"}, NameUnknown, "no system 'mx'"),
        ({"adjust": "bofferoni"}, OptionError, "adjust must be one of"),
        ({"metric": ["f1", "accuracy"]}, OptionError, "a ranking is by one metric"),
        ({"alpha": 0}, OptionError, "alpha"),
        ({"group": "nope"}, NameUnknown, "no column 'nope'"),
    ],
)
def test_a_wrong_argument(call, error, said):
    with pytest.raises(error, match=said):
        referee.rank(TABLE, truth="label", **call)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"data": {"label": [], "m1": [], "m2": []}, "truth": "label"}, "there are no examples"),
        ({"data": {"label": [1, 0], "m1": [1, 0]}, "truth": "label"}, "name the columns of the systems with systems="),
        ({"data": {"label": [1, 0]}, "truth": "label"}, "no column is left for the systems"),
        ({"truth": [1, 0], "systems": {"only": [1, 0]}}, "two systems or more; there is only 'only'"),
        ({"truth": [1, 0], "systems": [[1, 0], [0, 1]]}, "a mapping of names to predictions"),
        ({"truth": [1, 0], "systems": {"x": [1, 0], "y": [1]}}, "one value per example; here: truth 2, x 2 and y 1"),
        ({"truth": [1, 0], "systems": {"x": [1, 0], "y": [1, None]}}, "1 of y; use missing='wrong'"),
        ({}, "a mapping of names to predictions"),
    ],
)
def test_wrong_data(call, said):
    with pytest.raises(RefereeError, match=said):
        referee.rank(**call)


def test_what_was_guessed_is_a_warning():
    r = referee.rank(TABLE, truth="label")
    assert r.warnings[0] == "3 columns look like systems: m1, m2 and m3; systems= names others"
    assert referee.rank(TABLE, truth="label", systems=["m*"]).warnings == ()


def test_text_beside_numbers_is_no_system():
    table = {"repository": ["x", "y"] * 5, "m1": [1, 0] * 5, "m2": [0, 1] * 5}
    assert {one.name for one in referee.rank(table).systems} == {"m1", "m2"}


def test_labels_beside_other_labels_are_no_systems():
    words = [{0: "no", 1: "yes"}[value] for value in TRUTH]
    table = {"kind": ["x", "y"] * 5, "truth": words, "m1": words, "m2": words[::-1]}
    assert {one.name for one in referee.rank(table, truth="truth").systems} == {"m1", "m2"}


def test_equal_systems_share_the_first_rank_and_nothing_is_ruled_out():
    r = referee.rank(truth=TRUTH, systems=dict.fromkeys("xyz", TRUTH))
    assert [one.rank for one in r.systems] == [1, 1, 1]
    assert set(r.best) == set("xyz")
    assert all(pair.p_adjusted == 1 for pair in r.pairs)


def test_more_systems_than_examples_and_one_that_never_changes():
    systems = {f"m{i}": [1, i % 2, 0] for i in range(6)}
    r = referee.rank(truth=[1, 0, 1], systems=systems)
    assert len(r.systems) == 6
    assert len(r.best) == 6
    constant = referee.rank(TABLE, truth="label", systems=["m1", "m3"])
    assert constant["m3"].score == 0.6


def test_policies():
    table = {**TABLE, "m2": [None, *TRUTH[1:]]}
    with pytest.raises(InputError, match="predictions are missing"):
        referee.rank(table, truth="label", systems=["m1", "m2"])
    assert referee.rank(table, truth="label", systems=["m1", "m2"], missing="wrong")["m2"].score == 0.9
    assert referee.rank(table, truth="label", systems=["m1", "m2"], missing="drop").n == 9


def test_labels_need_the_right_answers_and_booleans_do_not():
    words = [{0: "no", 1: "yes"}[value] for value in TRUTH]
    with pytest.raises(RefereeError, match="the columns hold labels") as caught:
        referee.rank({"label": words, "m1": words, "m2": words[::-1]})
    assert caught.value.arguments == {"truth": "label"}
    flags = {"m1": [value == 1 for value in TRUTH], "m2": [True] * 10}
    assert referee.rank(flags)["m1"].score == 0.6
