"""Ids, groups and strata are told apart to the last digit, or refused."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather
from pyarrow import parquet as pq

import referee
from referee.data.outcomes import count
from referee.errors import InputError

BIG = [2**53 + place for place in range(20)]
MARKS = [place % 2 for place in range(20)]
TYPES = {
    "int64": pa.array(BIG, pa.int64()),
    "uint64": pa.array(BIG, pa.uint64()),
    "decimal": pa.array([Decimal(one) for one in BIG], pa.decimal128(38, 0)),
    "decimal(18)": pa.array([Decimal(one) for one in BIG], pa.decimal128(18, 0)),
    "text": pa.array(list(map(str, BIG))),
    "double": pa.array(BIG, pa.int64()).cast(pa.float64(), safe=False),
}
INEXACT = "from 2\\^53 on, they cannot tell whole numbers apart; store the column as integers or as text"
DRESSES = {
    "pandas": lambda table, _: table.to_pandas(),
    "polars": lambda table, _: pl.from_arrow(table),
    "polars lazy": lambda table, _: pl.from_arrow(table.append_column("w", pa.array(["x"] * 20))).lazy(),
    "pyarrow": lambda table, _: table,
    "arrays": lambda table, _: {name: table.column(name).to_numpy() for name in table.column_names},
    "parquet": lambda table, path: put(path / "x.parquet", table),
    "arrow": lambda table, path: put(path / "x.arrow", table),
    "duckdb": lambda table, _: __import__("duckdb").from_arrow(table),
}


def put(path, table):
    (pq.write_table if path.suffix == ".parquet" else feather.write_feather)(table, str(path))
    return path


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("dress", DRESSES)
def test_large_ids_in_one_table(tmp_path, dress, kind):
    data = DRESSES[dress](pa.table({"id": TYPES[kind], "a": MARKS, "b": MARKS[::-1]}), tmp_path)
    for roles in ({"id": "id"}, {"group": "id"}, {"stratum": "id"}, {"by": "id"}):
        if kind == "double":
            with pytest.raises(InputError, match=INEXACT):
                count(data, a="a", b="b", **roles)
            continue
        found = count(data, a="a", b="b", **roles)
        assert found.n == 20
        assert "id" in roles or len(found) == 20
    if kind != "double":
        twice = count(data, a="a", b="b", id="id", repeats="mean")
        assert (twice.n, twice.notes) == (20, ())


@pytest.mark.parametrize("left", TYPES)
@pytest.mark.parametrize("right", TYPES)
def test_large_ids_of_two_tables(tmp_path, left, right):
    # The second has the odd ones only, and ten that the first lacks.
    own = pa.array([place % 2 == 1 for place in range(20)])
    more = TYPES[right].filter(own)
    paths = [
        put(tmp_path / "old.parquet", pa.table({"id": TYPES[left], "p": MARKS})),
        put(tmp_path / "new.parquet", pa.table({"id": more, "p": [1] * 10})),
    ]
    joined = referee.read(*paths, id="id", prediction="p", unmatched="drop")
    if "double" in (left, right):
        with pytest.raises(InputError, match=INEXACT):
            joined.count()
    elif (left == "text") != (right == "text"):
        with pytest.raises(InputError, match='1 and "1" are not the same id'):
            joined.count()
    else:
        found = joined.count()
        assert (found.n, found["a"].tolist(), found["b"].tolist()) == (10, [1], [1])
        assert (found.matched.a_only, found.matched.b_only) == (10, 0)


def test_small_ids_may_be_floats(tmp_path):
    put(tmp_path / "old.parquet", pa.table({"id": [1, 2, 2**53 - 1], "p": [1, 0, 1]}))
    put(tmp_path / "new.parquet", pa.table({"id": [2.0, 1.0, 2.0**53 - 1], "p": [0, 1, 1]}))
    found = referee.read(tmp_path / "old.parquet", tmp_path / "new.parquet", id="id", prediction="p").count()
    assert found["a"].tolist() == found["b"].tolist()
    # As pandas has whole numbers of which one is missing, and as people name settings.
    frame = pd.DataFrame({"t": [0.2, 0.7, np.nan], "a": [1, 0, 1], "b": [0, 1, 1]})
    assert count(frame, a="a", b="b", by="t", missing="drop")["slice"].tolist() == [0.7, 0.2]


def test_ids_with_fractions_have_one_precision(tmp_path):
    put(tmp_path / "old.parquet", pa.table({"id": [0.1, 0.5], "p": [1, 0]}))
    put(tmp_path / "new.parquet", pa.table({"id": pa.array(np.array([0.1, 0.5], np.float32)), "p": [1, 0]}))
    with pytest.raises(InputError, match=r"32 and 64 bits.*store them as text"):
        referee.read(
            tmp_path / "old.parquet", tmp_path / "new.parquet", id="id", prediction="p", unmatched="drop"
        ).count()


def test_narrow_floats_hold_fewer_ids(tmp_path):
    ids = np.array([2**24, 2**24 + 2], np.float32)
    for data in (
        pd.DataFrame({"id": ids, "a": [1, 0], "b": [0, 1]}),
        put(tmp_path / "x.parquet", pa.table({"id": ids, "a": [1, 0], "b": [0, 1]})),
    ):
        with pytest.raises(InputError, match="from 2\\^24 on"):
            count(data, a="a", b="b", id="id")


@pytest.mark.parametrize("digits", [20, 30, 38])
def test_ids_beyond_64_bits_are_groups_of_their_own(tmp_path, digits):
    ids = [Decimal(10 ** (digits - 1) + place) for place in range(4)]
    table = pa.table({"id": pa.array(ids, pa.decimal128(38, 0)), "a": [1, 0, 1, 0], "b": [0, 1, 1, 0]})
    path = put(tmp_path / "x.parquet", table)
    assert sorted(count(path, a="a", b="b", group="id")["group"].tolist()) == list(map(str, ids))
    assert count(path, a="a", b="b", id="id").n == 4
    with pytest.raises(InputError, match="store the column as integers or as text"):
        count(table, a="a", b="b", group="id")


@pytest.mark.parametrize(
    ("left", "right"),
    [([1, 0, 1], ["1", "0", "1"]), ([True, False, True], [1, 0, 1]), ([0.5, 1, 1], ["0.5", "1", "1"])],
)
def test_a_truth_of_two_kinds_is_refused(tmp_path, left, right):
    for name, truth in (("old", left), ("new", right)):
        put(tmp_path / f"{name}.parquet", pa.table({"id": ["x", "y", "z"], "t": truth, "p": [1, 0, 1]}))
    with pytest.raises(InputError, match=r"the truth is stored as .* convert one"):
        referee.read(tmp_path / "old.parquet", tmp_path / "new.parquet", id="id", truth="t", prediction="p").count()
