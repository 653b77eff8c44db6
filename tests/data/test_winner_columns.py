"""Winners that several columns mark, judgements that were lost, and numbers from 1 to 2."""

import pytest

import referee
from referee.errors import InputError

SIDES = {"model_a": ["x", "y", "x"] * 20, "model_b": ["y", "x", "y"] * 20}
WON = ["model_a", "tie", "model_b"] * 20
MARKED = {f"winner_{word}": [int(one == word) for one in WON] for word in ("model_a", "model_b", "tie")}
COLUMNS = list(MARKED)


@pytest.mark.parametrize("winner", ["winner", ",".join(COLUMNS), COLUMNS])
def test_marked_winners_are_winners(winner):
    plain, marked = {**SIDES, "winner": WON}, {**SIDES, **MARKED}
    for a, b in (("x", "y"), ("y", "x")):
        one = referee.compare(plain, winner="winner", a=a, b=b, audit=False)
        other = referee.compare(marked, winner=winner, a=a, b=b, audit=False)
        assert (one.difference, one.p_value, one.n) == (other.difference, other.p_value, other.n)
    ranks = [referee.rank(table, winner=how) for table, how in ((plain, "winner"), (marked, winner))]
    assert [(s.name, s.score) for s in ranks[0].systems] == [(s.name, s.score) for s in ranks[1].systems]


def test_marks_may_be_text_or_names_of_systems(tmp_path):
    table = tmp_path / "marked.csv"
    table.write_text("won_old,won_new,won_tie\n" + "0,1,0\n0,1,0\n1,0,0\n0,0,1\n" * 20)
    r = referee.compare(table, winner="won_old,won_new,won_tie", names=("old", "new"), audit=False)
    assert (r.a.name, r.n, r.a.score) == ("old", 80, 0.375)


def test_rows_without_one_winner():
    none = {**MARKED, "winner_tie": [0] * 60}
    with pytest.raises(InputError, match="values are missing: 20 of winner"):
        referee.compare({**SIDES, **none}, winner="winner", audit=False)
    assert referee.compare({**SIDES, **none}, winner="winner", missing="drop", audit=False).n == 40
    with pytest.raises(InputError, match="60 have several"):
        referee.compare({**SIDES, **MARKED, "winner_tie": [1] * 60, "winner_model_b": [1] * 60}, winner="winner")


def test_two_judgements_in_a_row_are_told_to_become_rows():
    with pytest.raises(
        InputError, match=r"g1_winner and g2_winner are judgements of their own, make each of them a row"
    ):
        referee.compare({**SIDES, "g1_winner": WON, "g2_winner": WON}, winner="g1_winner,g2_winner", audit=False)


def test_a_lost_judgement_can_be_dropped():
    table = {**SIDES, "winner": ["error", *WON[1:]]}
    with pytest.raises(InputError, match=r"1 of winner \('error' is no judgement\).*missing='drop'"):
        referee.compare(table, winner="winner", audit=False)
    assert referee.compare(table, winner="winner", missing="drop", audit=False).n == 59
    with pytest.raises(InputError, match="something is missing in 1 battle"):
        referee.rank(table, winner="winner")
    assert referee.rank(table, winner="winner", missing="drop").n == 59


@pytest.mark.parametrize(
    ("values", "remedy"),
    [([1, 1.5, 2], "write a, tie and b for 1, 1.5 and 2"), ([1.2, 1.9, 1.4], "2 − p for A and p − 1 for B")],
)
def test_numbers_from_one_to_two(values, remedy):
    with pytest.raises(InputError, match=remedy):
        referee.compare({"p": values * 20}, winner="p", audit=False)
