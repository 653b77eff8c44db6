"""Tables to learn from and tables of fold scores, from every kind of file, and what is refused."""

from __future__ import annotations

import gzip
import json

import duckdb
import numpy as np
import pytest

from referee.errors import InputError, NameUnknown, OptionError, RefereeError
from referee.studies.algorithms.learning_tables import read_features, read_scores

ROWS = [
    {"x": 1.5, "z": 3, "colour": "red", "person": "007", "y": 1},
    {"x": None, "z": -4, "colour": "blue", "person": "007", "y": 0},
    {"x": 2.0, "z": 5, "colour": None, "person": "8", "y": 1},
]


def written(folder, kind, rows=ROWS):
    path = folder / f"table.{kind}"
    if kind.startswith("jsonl"):
        text = "\n".join(map(json.dumps, rows))
    elif kind == "json":
        text = json.dumps(rows)
    elif kind == "parquet":
        (folder / "rows.json").write_text(json.dumps(rows))
        duckdb.sql(f"COPY (SELECT * FROM read_json('{folder}/rows.json')) TO '{path}'")
        return str(path)
    else:
        mark = "\t" if kind.startswith("tsv") else ","
        lines = [mark.join("" if value is None else str(value) for value in row.values()) for row in rows]
        text = "\n".join([mark.join(rows[0]), *lines]) + "\n"
    if kind.endswith(".gz"):
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.fixture
def table(tmp_path):
    def write(text, name="t.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


@pytest.mark.parametrize("kind", ["csv", "tsv", "csv.gz", "jsonl", "jsonl.gz", "json", "parquet"])
def test_every_kind_of_file_gives_the_same(tmp_path, kind):
    found = read_features(written(tmp_path, kind), "y", drop=["colour"], group="person")
    np.testing.assert_array_equal(found.X, [[1.5, 3], [np.nan, -4], [2, 5]])
    assert found.X.dtype == np.float64
    assert found.names == ("x", "z")
    assert found.y.tolist() == [1, 0, 1]
    assert found.y.dtype == np.int64
    assert found.group.tolist() == ["007", "007", "8"]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_text_becomes_0_1_columns(tmp_path, kind):
    path = written(tmp_path, kind)
    found = read_features(path, "y", drop=["person"], encode=True)
    assert found.names == ("x", "z", "colour=blue", "colour=red")
    np.testing.assert_array_equal(found.X[:, 2:], [[0, 1], [1, 0], [np.nan, np.nan]])
    with pytest.raises(InputError, match=r"colour \('blue', 'red'\)") as caught:
        read_features(path, "y", drop=["person"])
    for option in ("features=", "drop=", "encode=True"):
        assert option in str(caught.value)


def test_at_most_50_levels(table):
    path = table("name,y\n" + "".join(f"n{i},{i % 2}\n" for i in range(51)))
    with pytest.raises(InputError, match=r"'name' has 51 levels.*drop="):
        read_features(path, "y", encode=True)
    fifty = table("name,y\n" + "".join(f"n{i % 50},{i % 2}\n" for i in range(51)))
    assert read_features(fifty, "y", encode=True).X.shape == (51, 50)


def test_features_come_in_the_order_asked_for(tmp_path):
    found = read_features(written(tmp_path, "csv"), "y", features=["z", "x", "z"])
    assert found.names == ("z", "x")
    assert found.X[0].tolist() == [3, 1.5]
    assert found.group is None
    assert read_features(written(tmp_path, "csv"), "y", features=["z", "x"], drop=["x"]).names == ("z",)


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        (["0", "1"], "i", [0, 1]),
        (["-1", "+1"], "O", ["-1", "+1"]),
        (["0.5", "2"], "f", [0.5, 2.0]),
        (["1.0", "2.0"], "i", [1, 2]),
        (["yes", "no"], "O", ["yes", "no"]),
        (["007", "7"], "O", ["007", "7"]),
        (["NA", "yes"], "O", ["NA", "yes"]),
    ],
)
def test_what_the_truth_is(table, cells, kind, values):
    found = read_features(table("x,y\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells))), "y")
    assert found.y.dtype.kind == kind
    assert found.y.tolist() == values


def test_gaps_in_features_are_nan(table):
    found = read_features(table("a,b,c,y\n1,NA,,0\n 2 ,nan,,1\n3e2,5,,0\n"), "y")
    np.testing.assert_array_equal(found.X[:, 0], [1, 2, 300])
    np.testing.assert_array_equal(found.X[:, 1], [np.nan, np.nan, 5])
    assert np.isnan(found.X[:, 2]).all()


@pytest.mark.parametrize(("cell", "row"), [("", 2), ("NA", 2), ("nan", 2)])
def test_a_missing_truth_is_an_error(table, cell, row):
    with pytest.raises(InputError, match=rf"'y'; it is missing in 1 of 3 rows, first in row {row}"):
        read_features(table(f"x,y\n1,0\n2,{cell}\n3,1\n"), "y")


def test_a_missing_group_is_an_error(table):
    with pytest.raises(InputError, match=r"'g'; it is missing in 1 of 2 rows, first in row 1"):
        read_features(table("x,y,g\n1,0,\n2,1,a\n"), "y", group="g")


def test_delimiters_quotes_and_names(table):
    found = read_features(table('"a;b";A;a;y\n1;2;3;"ja;nein"\n4;5;6;x\n'), "y")
    assert found.names == ("a;b", "A", "a")
    assert found.X.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert found.y.tolist() == ["ja;nein", "x"]


def test_several_files(tmp_path):
    (tmp_path / "p1.csv").write_text("x,y\n1,0\n")
    (tmp_path / "p2.csv").write_text("x,y\n2,1\n")
    assert read_features(str(tmp_path / "p*.csv"), "y").X.tolist() == [[1], [2]]
    (tmp_path / "p3.csv").write_text("y,x\n2,1\n")
    with pytest.raises(InputError, match=r"the headers of .* differ"):
        read_features(str(tmp_path / "p*.csv"), "y")


@pytest.mark.parametrize(
    ("text", "more", "error", "said"),
    [
        ("", {}, InputError, "is empty"),
        ("x,y\n", {}, InputError, "no rows"),
        ("y\n0\n1\n", {}, InputError, "no column to learn from"),
        ("x,label\n1,0\n", {"truth": "lable"}, NameUnknown, "did you mean 'label'?"),
        ("x,y\n1,0\n", {"drop": ["z"]}, NameUnknown, "there is no column 'z'"),
        ("size,y\n1,0\n", {"features": ["sise"]}, NameUnknown, "did you mean 'size'?"),
        ("x,y\n1,0\n", {"group": "g"}, NameUnknown, "there is no column 'g'"),
        ("x,x,y\n1,2,0\n", {}, InputError, "names 'x' twice"),
        (",,y\n1,2,0\n", {}, InputError, "several columns have no name"),
        ("1,2,0\n3,4,1\n", {}, InputError, "must name the columns"),
        ("x,y\n1,0\n", {"features": ["x", "y"]}, OptionError, "'y' is the truth"),
        ("x,y\n1,0\n", {"drop": ["y"]}, OptionError, "cannot be dropped"),
        ("x,y\n1,0\n", {"group": "y"}, OptionError, "another column"),
        ("x,y\n1,0\n", {"drop": ["x"]}, InputError, "no column to learn from"),
        ("x,y\ninf,0\n", {}, InputError, "infinite"),
        ("x,y\n1,0\n2\n", {}, InputError, "line 3"),
    ],
)
def test_bad_tables(table, text, more, error, said):
    with pytest.raises(error) as caught:
        read_features(table(text), **{"truth": "y", **more})
    assert said in str(caught.value)


def test_bad_files(tmp_path):
    with pytest.raises(InputError, match="no file"):
        read_features(str(tmp_path / "none.csv"), "y")
    nested = tmp_path / "nested.jsonl"
    nested.write_text('{"x": [1, 2], "y": 0}\n')
    with pytest.raises(InputError, match="a label or a number is needed"):
        read_features(str(nested), "y")
    odd = tmp_path / "odd.csv"
    odd.write_bytes(b"x,y\n\xff\xfe,1\n")
    with pytest.raises(RefereeError):
        read_features(str(odd), "y")


SCORES = "run,fold,svm,forest,n_train,n_test\n1,1,0.9,0.95,50,50\n1,2,0.8,,50,50\n"


@pytest.mark.parametrize("name", ["s.csv", "s.tsv", "semicolon.csv"])
def test_fold_scores(table, name):
    mark = {"s.csv": ",", "s.tsv": "\t", "semicolon.csv": ";"}[name]
    assert read_scores(table(SCORES.replace(",", mark), name)) == {
        "run": ["1", "1"], "fold": ["1", "2"], "svm": [0.9, 0.8], "forest": [0.95, None], "n_train": [50, 50],
        "n_test": [50, 50],
    }  # fmt: skip


def test_fold_scores_of_other_files(tmp_path):
    rows = [{"split": "a", "svm": 0.9, "forest": 1}, {"split": "b", "svm": None, "forest": 0.5}]
    for kind in ("jsonl", "parquet"):
        assert read_scores(written(tmp_path, kind, rows)) == {
            "split": ["a", "b"], "svm": [0.9, None], "forest": [1, 0.5],
        }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("svm,forest\n", "no rows"),
        ("svm,svm\n1,2\n", "twice"),
        ("svm,forest\n0.1,0.2\n0.3,bad\n", "row 2 of the column 'forest' is 'bad'"),
        ("svm,forest\ninf,0.2\n", "row 1 of the column 'svm' is 'inf'"),
        ("svm,forest,n_train\n0.1,0.2,5\n0.1,0.2,\n", "row 2 of the column 'n_train' is empty"),
        ("svm,forest,Run\n0.1,0.2,\n", "row 1 of the column 'Run' is empty"),
        ("0.5,0.6\n0.5,0.7\n", "must name the columns"),
    ],
)
def test_bad_fold_scores(table, text, said):
    with pytest.raises(InputError) as caught:
        read_scores(table(text))
    assert said in str(caught.value)
