"""Labels that are none: refused with what to do."""

import numpy as np
import pandas as pd
import pytest

import referee
from referee.errors import InputError, Misfit, NameUnknown, NumbersNeeded, RefereeError
from referee.metrics import mean


def compare(*data, **options):
    """Compare without measuring how often the test errs: these tests are about reading."""
    return referee.compare(*data, audit=False, **options)


def test_decimal_commas_are_no_labels():
    a, b = ["0,5", "0,7", "0,1", "1,0"], ["0,4", "0,9", "0,8", "0,2"]
    with pytest.raises(InputError, match="decimal comma"):
        compare(truth=["0", "1", "1", "0"], a=a, b=b)
    # A label that has a comma in it is one where the truth has such labels too.
    assert compare(truth=["0,5", "1,0"], a=["0,5", "0,5"], b=["0,5", "1,0"]).n == 2


@pytest.mark.parametrize("metric", ["mean", "mse"])
def test_decimal_commas_are_no_numbers(tmp_path, metric):
    path = tmp_path / "x.csv"
    path.write_text("t;a;b\n1,5;0,5;0,7\n0;0,25;0,75\n")
    roles = {"truth": "t"} if metric == "mse" else {}
    with pytest.raises(RefereeError, match=r"holds text.*; '0,25' looks like a decimal comma: .*sep=';', decimal=','"):
        compare(path, a="a", b="b", metric=metric, **roles)
    frame = pd.read_csv(path, sep=";", decimal=",")  # what the message says
    assert compare(frame, a="a", b="b", metric=metric, **roles).n == 2
    with pytest.raises(Misfit, match=r"holds text$"):
        compare(a=["x", "0,5"], b=["y", "0,5"], metric="mean")


COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"
LOOK = "look the same, but are written with different characters (Unicode NFC and NFD)"


def test_labels_that_look_the_same_are_pointed_out():
    truth, a, b = [COMPOSED, "tea"] * 5, [DECOMPOSED, "tea"] * 5, [COMPOSED, "tea"] * 5
    found = compare(truth=truth, a=a, b=b)
    assert (found.a.score, found.b.score) == (0.5, 1)
    assert f"the labels 'cafe\\u0301' and 'caf\\xe9' {LOOK}; they are counted as different labels" in found.warnings
    assert not any("NFC" in note for note in compare(truth=truth, a=b, b=b).warnings)
    both = referee.count(truth=["Yes"], a=["yes"], b=[" Yes"]).notes
    assert (
        both[0]
        == "the labels ' Yes' and 'Yes' and 'yes' differ only by case or blanks; they are counted as different labels"
    )
    assert not any("NFC" in note for note in both)


def test_names_that_look_the_same_are_pointed_out():
    frame = pd.DataFrame({COMPOSED: [1, 0], DECOMPOSED: [0, 1], "g": [COMPOSED, DECOMPOSED]})
    notes = referee.count(frame, a=COMPOSED, b=DECOMPOSED, group="g").notes
    assert [note.split(" ")[1] for note in notes if LOOK in note] == ["systems", "groups"]
    with pytest.raises(NameUnknown, match="one looks the same and is written with other characters"):
        referee.count(frame[[COMPOSED, "g"]], a=DECOMPOSED, b="g")
    # Groups that differ by case are nobody's business.
    assert referee.count(a=[1, 0], b=[0, 1], group=["X", "x"]).notes == ()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_ids_that_look_the_same_are_pointed_out(tmp_path, kind):
    for name, one in (("old", COMPOSED), ("new", DECOMPOSED)):
        frame = pd.DataFrame({"id": [one, "tea"], "p": [1, 0]})
        frame.to_csv(tmp_path / "x", index=False) if kind == "csv" else frame.to_parquet(tmp_path / "x")
        (tmp_path / "x").rename(tmp_path / f"{name}.{kind}")
    paths = tmp_path / f"old.{kind}", tmp_path / f"new.{kind}"
    with pytest.raises(InputError, match="1 of them look the same on both sides"):
        referee.read(*paths, id="id", prediction="p").count()
    notes = referee.read(*paths, id="id", prediction="p", unmatched="drop").count().notes
    assert any("1 of them look the same on both sides" in note for note in notes)


@pytest.mark.parametrize(
    "table",
    [
        np.ones((5, 2)),
        [[1, 2]] * 5,
        [(1, 2)] * 5,
        [np.ones(2)] * 5,
        pd.DataFrame(np.ones((5, 2))),
        np.ones((5, 2), object),
    ],
    ids=["array", "lists", "tuples", "arrays", "frame", "objects"],
)
def test_a_table_in_place_of_a_column(table):
    told = r"^a must have one value per example; it is a table of 5 rows and 2 columns: give one column of it, such as a\[:, 1\]$"
    with pytest.raises(InputError, match=told):
        compare(a=table, b=[1] * 5)


def test_more_dimensions_in_place_of_a_column():
    for odd in (np.ones((2, 2, 2)), np.ones(())):
        with pytest.raises(
            InputError, match=r"^b must have one value per example; it has [03] dimensions: give a flat array$"
        ):
            compare(a=[1, 0], b=odd)


def test_scores_written_as_true_and_false_are_read_as_1_and_0(tmp_path):
    rows = [("True", "False"), ("True", "true"), ("False", "True"), ("True", "False"), ("False", "False")]
    path, lines = tmp_path / "t.csv", ["a,b", *(f"{a},{b}" for a, b in rows)]
    path.write_text("\n".join(lines))
    counts = referee.count(str(path), a="a", b="b")
    plain = [[text.lower() == "true" for text in column] for column in zip(*rows, strict=True)]
    assert counts["a"].dtype.kind == "b" and mean.bind(counts).score(None, counts["a"], counts.multiplicities) == 0.6
    assert referee.compare(str(path), a="a", b="b").difference == referee.compare(a=plain[0], b=plain[1]).difference
    assert counts.notes == ("true and false in a and b were read as scores of 1 and 0",)
    for cell, told in (
        ("N/A", "b holds text among its numbers: 'N/A' in 2 rows"),
        ("NA", "'NA' in 2 rows"),
        ("1", "'False' in 3 rows"),
    ):
        path.write_text("\n".join([*lines, f"True,{cell}", f"True,{cell}"]))
        with pytest.raises(NumbersNeeded, match=told):
            referee.compare(str(path), a="a", b="b", metric="mean")


def test_a_cell_that_makes_a_column_of_numbers_text_is_named(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,0.5\n0.25,high\n0,NA\n1,1\n")
    with pytest.raises(NumbersNeeded, match="b holds text among its numbers: 'high' in 1 row") as caught:
        referee.compare(str(path), a="a", b="b", metric="mean")
    assert "missing" in str(caught.value.remedy)
