"""What winner columns say, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import referee
from referee.data.preferences import shares_of
from referee.errors import InputError


@pytest.mark.parametrize(
    ("written", "share"),
    [
        ("a", 0), ("A", 0), (" a ", 0), ("model_a", 0), ("Model A", 0), ("assistant_a", 0), ("[[A]]", 0), ("model_1", 0),
        ("b", 1), ("B", 1), ("model_b", 1), ("Response B", 1), ("[[B]]", 1), ("model_2", 1),
        ("tie", 0.5), ("Tie", 0.5), ("tie (bothbad)", 0.5), ("both", 0.5), ("draw", 0.5), ("[[C]]", 0.5), ("neither", 0.5),
    ],
)  # fmt: skip
def test_words(written: str, share: float) -> None:
    assert shares_of([written]).values.tolist() == [share]


def test_grades_of_which_the_strongest_is_a_whole_win() -> None:
    marks = ["A>>B", "A>B", "A=B", "B>A", "B>>A", "b < a"]
    read = shares_of(marks)
    assert read.values.tolist() == [0, 0.25, 0.5, 0.75, 1, 0.25]
    assert "three quarters" in read.notes[0]
    alone = shares_of(["A>B", "A=B", "B>A"])
    assert alone.values.tolist() == [0, 0.5, 1]
    assert "only one strength" in alone.notes[0]
    assert shares_of(["-1", "0", "1"], sides=("old", "new")).values.tolist() == [0, 0.5, 1]
    graded = shares_of(np.array([-2, 1, 0]), sides=("old", "new"))
    assert graded.values.tolist() == [0, 0.75, 0.5]
    assert "positive numbers mean that new is better" in graded.notes[0]


def test_names_stand_on_either_side_in_battles() -> None:
    assert shares_of(["old", "new", "b"], "old", "new").values.tolist() == [0, 1, 1]
    battles = shares_of(["x", "y", "model_a", "tie"], ["x", "x", "y", "y"], ["y", "y", "x", "x"])
    assert battles.values.tolist() == [0, 1, 0, 0.5]
    assert shares_of(["1", "2"], "1", "2").values.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("winners", "names", "said"),
    [
        (["a", "c"], ((), ()), "neither system: 'c'"),
        (
            ["old", "nwe"],
            ("old", "new"),
            "no winner is called 'new'; if they are the same, write 'new' in winner, or name the system b='nwe'",
        ),
        (["base", "tuned"], ("base", "tune"), "holds 'tuned', and no winner is called 'tune'"),
        (
            ["base", "Tuned"],
            ("base", "tuned"),
            "the two differ only in case; if they are the same, write 'tuned' in winner",
        ),
        ([0, 0.5, 1], ("base", "tuned"), "write the winners as base, tuned and tie"),
        (["0", "1"], ("base", "tuned"), "write the winners as base, tuned and tie"),
        (["left", "right"], ((), ()), "neither system: 'left'"),
        ([0, 1], ((), ()), "write the winners as a, b and tie"),
        ([0, 1, 2], ((), ()), "without a negative number"),
        ([-3, 3], ((), ()), "beyond the scale"),
        (["-1", "a"], ((), ()), "numbers and words are mixed"),
        ([-0.5, 1.0], ((), ()), "not a whole number"),
        (np.array([True, False]), ((), ()), "true and false"),
        (["a", "b"], ("b", "a"), "may be a system's name or a side"),
        (["x"], (["y"], ["z"]), "neither system: 'x'"),
    ],
)
def test_refused(winners: object, names: tuple[object, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        shares_of(winners, *names)


NAMES = {"a": "old", "b": "new", "audit": False}


@pytest.mark.parametrize("word", ["[[{}]]", "{}", "Assistant {}", "model_{}", "{}>"])
def test_letters_beside_who_was_shown_first_are_refused_where_they_may_mean_the_place(word: str) -> None:
    """MT-Bench's judges write [[A]] for what they saw first."""
    winner = ["A>B", "B>A"] if word.endswith(">") else [word.format("A"), word.format("B")]
    with pytest.raises(InputError, match=r"write the winners as the systems' names .*, or as first and second"):
        referee.compare(winner=winner * 6, first=["old", "new", "new"] * 4, **NAMES)
    # If A was always shown first, both mean the same.
    assert referee.compare(winner=winner * 6, first=["old"] * 12, **NAMES).n == 12


def test_winners_by_place() -> None:
    first = ["old", "new"] * 6
    winner = ["first", "Second", "tie", "shown first"] * 3
    named = ["old", "old", "tie", "new"] * 3
    r, same = (referee.compare(winner=won, first=first, **NAMES) for won in (winner, named))
    assert (r.difference, r.p_value, r.position) == (same.difference, same.p_value, same.position)
    table = {
        "model_a": ["old", "new"] * 6,
        "model_b": ["new", "old"] * 6,
        "winner": winner,
        "order": ["new"] * 6 + ["old"] * 6,
    }
    r = referee.compare(table, winner="winner", first="order", **NAMES)
    by_name = [
        o if w in ("first", "shown first") else w if w == "tie" else "old" if o == "new" else "new"
        for w, o in zip(winner, table["order"], strict=True)
    ]
    assert (
        r.difference
        == referee.compare({**table, "winner": by_name}, winner="winner", first="order", **NAMES).difference
    )
    with pytest.raises(InputError, match="say which system was shown first with first="):
        referee.compare(winner=["first", "second"])


def test_letters_that_name_systems_are_fine_beside_the_order() -> None:
    assert referee.compare(winner=["A", "B"] * 4, first=["A", "B", "B", "A"] * 2, audit=False).n == 8
    assert referee.compare(winner=["a", "b"] * 4, first=["a", "b", "b", "a"] * 2, **NAMES).n == 8
    table = {
        "model_a": ["old", "new"] * 4,
        "model_b": ["new", "old"] * 4,
        "winner": ["model_a", "model_b"] * 4,
        "order": ["new"] * 8,
    }
    assert referee.compare(table, winner="winner", first="order", **NAMES).n == 8


def test_bad_orders_are_told_as_orders() -> None:
    table = {"won": ["old", "new"], "order": ["AB", "BA"]}
    with pytest.raises(InputError, match="order must say which system was shown first; it holds 'AB', 'BA'") as caught:
        referee.compare(table, winner="won", first="order", **NAMES)
    assert str(caught.value).endswith("shown first: new or old")


@pytest.mark.parametrize("columns", [("model_a", "model_b"), ("model_1", "model_2"), ("System 1", "System 2"), ("assistant_a", "assistant_b")])  # fmt: skip
def test_columns_that_name_both_systems_are_never_taken_for_sides(columns: tuple[str, str]) -> None:
    table = {columns[0]: ["new"] * 20, columns[1]: ["old"] * 20, "winner": [columns[0]] * 20}
    for names in ({"a": "old", "b": "new"}, {"a": "new", "b": "old"}, {}):
        r = referee.compare(table, winner="winner", audit=False, **names)
        assert (r.a if r.verdict == "a better" else r.b).name == "new"
    assert referee.rank(table, winner="winner").best == ("new",)


def test_a_winner_that_was_not_in_the_battle_is_told_so() -> None:
    table = {"model_a": ["x", "y", "z"], "model_b": ["y", "z", "x"], "winner": ["x", "x", "tie"]}
    with pytest.raises(InputError, match="winner holds 'x' in a battle of two others"):
        referee.rank(table, winner="winner")
