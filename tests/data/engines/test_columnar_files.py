"""Files that are read together: their columns mean the same in all of them, or they are refused."""

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather
from pyarrow import parquet as pq

import referee
from referee.data.counts import Counts
from referee.data.outcomes import count
from referee.errors import InputError, NameUnknown

TYPED = ("parquet", "arrow")


def put(path, kind, **columns):
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pa.table(
        {name: values if isinstance(values, pa.Array) else pa.array(values) for name, values in columns.items()}
    )
    (pq.write_table if kind == "parquet" else feather.write_feather)(table, str(path))
    return path


def folder(path, kind, *tables):
    for place, columns in enumerate(tables):
        put(path / f"{place}.{kind}", kind, **columns)
    return path


@pytest.fixture(params=TYPED)
def kind(request):
    return request.param


def test_whole_numbers_and_numbers_are_numbers(tmp_path, kind):
    whole, scores = {"a": [1, 0, 1], "b": [0, 0, 1]}, {"a": [0.4, 0.6], "b": [0.7, 0.2]}
    expected = count(a=[1, 0, 1, 0.4, 0.6], b=[0, 0, 1, 0.7, 0.2])
    for place, tables in enumerate([(whole, scores), (scores, whole)]):
        found = count(folder(tmp_path / str(place), kind, *tables), a="a", b="b")
        assert found.columns.keys() == expected.columns.keys()
        assert [found[role].tolist() for role in "ab"] == [expected[role].tolist() for role in "ab"]
        assert found.notes == ()


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ([1, 0], ["1", "0"], "a holds whole numbers in .*0.{0}.* and text in .*1.{0}"),
        (["1", "0"], [1, 0], "a holds text in .* and whole numbers in"),
        ([True, False], [1, 0], "true/false in .* and whole numbers in"),
        ([0.5, 1.5], ["0.5", "x"], "a holds numbers in .* and text in"),
    ],
)
def test_kinds_that_are_not_the_same_are_refused(tmp_path, kind, first, second, told):
    path = folder(tmp_path / "x", kind, {"a": first, "b": first}, {"a": second, "b": second})
    with pytest.raises(InputError, match=told.format(kind)):
        count(path, a="a", b="b")


def test_integers_of_all_widths_are_one_kind(tmp_path, kind):
    types = (pa.int8(), pa.uint8(), pa.int32(), pa.uint64(), pa.int64())
    tables = [{"a": pa.array([1, 0], own), "b": pa.array([0, 1], own)} for own in types]
    tables.append(
        {"a": pa.array([Decimal(1)], pa.decimal128(38, 0)), "b": pa.array([Decimal(7)], pa.decimal128(38, 0))}
    )
    found = count(folder(tmp_path / "x", kind, *tables), a="a", b="b")
    assert found == Counts.of({"a": [1, 0, 1], "b": [0, 1, 7]}, [5, 5, 1], names={"a": "a", "b": "b"})


def test_whole_numbers_that_floats_do_not_hold_are_refused(tmp_path, kind):
    path = folder(tmp_path / "x", kind, {"a": [2**53 + 1], "b": [1]}, {"a": [0.5], "b": [1]})
    with pytest.raises(InputError, match=f"as large as {2**53 + 1} in .*0.{kind}.*integers everywhere, or as text"):
        count(path, a="a", b="b")


def test_a_shard_without_values_says_nothing_about_types(tmp_path, kind):
    tables = {"a": ["x", "y"], "b": ["y", "y"]}, {"a": pa.array([None, None], pa.int64()), "b": ["x", "y"]}
    found = count(folder(tmp_path / "x", kind, *tables), a="a", b="b", missing="drop")
    assert (found["a"].tolist(), found["b"].tolist()) == (["x", "y"], ["y", "y"])
    assert count(folder(tmp_path / "y", kind, *tables[::-1]), a="a", b="b", missing="drop") == found


def test_precisions_of_one_column_are_rounded_to_the_coarser(tmp_path, kind):
    scores = [0.1, 0.7, 0.35]
    narrow = pa.array(np.array(scores, np.float32))
    path = folder(tmp_path / "x", kind, {"a": scores, "b": scores}, {"a": narrow, "b": scores})
    found = referee.compare(path, a="a", b="b")
    assert (found.difference, found.p_value, found.n) == (0, 1, 6)
    assert any("32 bits in 1." in note and "64 in 0." in note for note in found.warnings)


@pytest.mark.parametrize("form", ["parquet", "arrow", "jsonl"])
def test_a_column_that_differs_by_case_is_another(tmp_path, form):
    import json

    tables = {"a": [1, 0], "b": [1, 0]}, {"a": [1, 0], "B": [0, 1]}
    if form == "jsonl":
        (tmp_path / "x").mkdir()
        for place, table in enumerate(tables):
            rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
            (tmp_path / "x" / f"{place}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        folder(tmp_path / "x", form, *tables)
    with pytest.raises(InputError, match=rf"1.{form} has no column 'b' \(did you mean .?B.?\?\), which .*0.{form} has"):
        count(tmp_path / "x", a="a", b="b", missing="drop")


def test_columns_may_stand_in_another_order(tmp_path, kind):
    path = folder(tmp_path / "x", kind, {"a": [1], "b": [0], "c": ["x"]}, {"c": [2.5], "b": [1], "a": [0]})
    assert count(path, a="a", b="b") == Counts.of({"a": [1, 0], "b": [0, 1]}, names={"a": "a", "b": "b"})


def test_rows_of_shards_keep_their_order(tmp_path, kind):
    values = np.arange(60) % 7 / 8
    left = [{"p": values[:20]}, {"p": pa.array(values[20:40].astype(np.float32))}, {"p": values[40:]}]
    found = referee.compare(
        referee.read(folder(tmp_path / "l", kind, *left), folder(tmp_path / "r", kind, {"p": values}), by_line=True)
    )
    assert (found.n, found.difference, found.p_value) == (60, 0, 1)


def test_many_shards_of_changing_types(tmp_path):
    wanted = [place if place % 2 else place + 0.5 for place in range(60)]
    tables = [{"a": [one], "b": [one]} for one in wanted]
    for place, table in enumerate(tables):
        put(tmp_path / "x" / f"{place:02}.parquet", "parquet", **table)
    assert count(tmp_path / "x", a="a", b="b")["a"].tolist() == count(a=wanted, b=wanted)["a"].tolist()


def test_names_that_sql_takes_for_one(tmp_path, kind):
    path = put(tmp_path / f"x.{kind}", kind, OLD=[1, 1], old=[0, 0], old_1=[2, 2], Old=[3, 3])
    for a, b in (("OLD", "old"), ("old", "old_1"), ("Old", "old"), ("old_1", "OLD")):
        values = {"OLD": 1, "old": 0, "old_1": 2, "Old": 3}
        found = count(path, a=a, b=b)
        assert (found["a"].tolist(), found["b"].tolist()) == ([values[a]], [values[b]])
        shards = count(folder(tmp_path / f"{a}{b}", kind, *[{n: [v] for n, v in values.items()}] * 2), a=a, b=b)
        assert (shards["a"].tolist(), shards["b"].tolist(), shards.n) == ([values[a]], [values[b]], 2)
    with pytest.raises(NameUnknown, match="there is no column 'oLD'"):
        count(path, a="oLD", b="old")


def test_a_name_that_two_columns_have(tmp_path, kind):
    table = pa.table([pa.array([1]), pa.array([0]), pa.array([1])], names=["a", "a", "b"])
    path = tmp_path / f"x.{kind}"
    (pq.write_table if kind == "parquet" else feather.write_feather)(table, str(path))
    with pytest.raises(InputError, match="has 2 columns called 'a'; rename all but one"):
        count(path, a="a", b="b")


def test_an_arrow_file_with_a_name_that_is_no_text(tmp_path):
    path = put(tmp_path / "x.arrow", "arrow", a=[1], b=[0], cé=[1])
    path.write_bytes(path.read_bytes().replace("cé".encode(), b"c\xff\xfe"))
    with pytest.raises(InputError, match=r"x.arrow has a column whose name is not UTF-8"):
        count(path, a="a", b="b")


@pytest.mark.parametrize("name", ["old=1", "new=0", "c0=1", "c1=x", "label=7"])
@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "json", "parquet"])
def test_the_name_of_a_folder_is_no_column(tmp_path, form, name):
    import pandas as pd

    frame = pd.DataFrame({"old": [0, 0, 0, 1], "new": [1, 1, 1, 0], "label": [1, 1, 0, 0]})
    path = tmp_path / name / f"p.{form}"
    path.parent.mkdir()
    if form == "parquet":
        frame.to_parquet(path)
    elif form in ("csv", "tsv"):
        frame.to_csv(path, index=False, sep="," if form == "csv" else "\t")
    else:
        frame.to_json(path, orient="records", lines=form == "jsonl")
    assert count(path, truth="label", a="old", b="new") == count(frame, truth="label", a="old", b="new")


def test_a_parquet_file_of_many_columns_is_read_by_the_wanted_ones(tmp_path, monkeypatch):
    path = put(tmp_path / "x.parquet", "parquet", **{f"x{i}": [i % 2] for i in range(3000)})
    seen = []
    from referee.data.engines import duckdb_sql

    monkeypatch.setattr(
        duckdb_sql,
        "as_typed",
        lambda term, kind, name, of=duckdb_sql.as_typed: seen.append(name) or of(term, kind, name),
    )
    monkeypatch.setattr("referee.data.engines.columnar_files.as_typed", duckdb_sql.as_typed)
    assert count(path, a="x7", b="x2990").n == 1
    assert seen == ["x7", "x2990"]
