import sys
import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from referee.data.counts import Counts
from referee.data.engines import arrays
from referee.data.outcomes import count
from referee.errors import InputError

WIDE = [-(2**63), 2**63 - 1, 0, 5]


def grouped(**columns):
    return arrays.read(columns, {role: role for role in columns}, False)


def rows(found):
    return sorted(zip(*(v.tolist() for v in found.columns.values()), found.counts.tolist(), strict=True))


@pytest.mark.parametrize(
    "dtype",
    [np.bool_, np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64, object],
)
def test_all_types_of_whole_numbers_count_alike(dtype):
    truth, a, b = np.random.default_rng(1).integers(0, 2, (3, 500))
    expected = Counts.of(
        {"truth": truth.astype(bool), "a": a.astype(bool), "b": b.astype(bool)}
        if dtype is np.bool_
        else {"truth": truth, "a": a, "b": b},
        names={"a": "A", "b": "B"},
    )
    assert count(truth=truth.astype(dtype), a=a.astype(dtype), b=b.astype(dtype)) == expected


@pytest.mark.parametrize("low", [-128, 120, -5])
def test_offsets_of_narrow_types(low):
    values = np.arange(low, low + 7, dtype=np.int8)
    assert rows(grouped(a=values, b=values[::-1].copy())) == [(low + i, low + 6 - i, 1) for i in range(7)]


@given(
    st.lists(st.tuples(st.sampled_from(WIDE), st.sampled_from(WIDE), st.sampled_from(WIDE)), min_size=1, max_size=40)
)
def test_values_far_apart_do_not_overflow(sample):
    truth, a, b = map(np.array, zip(*sample, strict=True))
    expected = {row: sample.count(row) for row in sample}
    found = count(truth=truth, a=a, b=b)
    assert (
        dict(
            zip(
                zip(*(found[r].tolist() for r in ("truth", "a", "b")), strict=True),
                found.multiplicities.tolist(),
                strict=True,
            )
        )
        == expected
    )


@settings(max_examples=30)
@given(
    hnp.arrays(np.int64, st.tuples(st.just(3), st.integers(1, 80)), elements=st.integers(-3, 3)), st.integers(1, 10**9)
)
def test_direct_table_and_sorting_agree(sample, stretch):
    near = rows(grouped(truth=sample[0], a=sample[1], b=sample[2]))
    far = rows(grouped(truth=sample[0] * stretch, a=sample[1] * stretch, b=sample[2] * stretch))
    assert [(t * stretch, a * stretch, b * stretch, n) for t, a, b, n in near] == far


def test_many_labels_of_many_columns_do_not_overflow():
    n = 3000
    columns = {role: np.arange(n) * 10**15 for role in ("truth", "a", "b", "group", "stratum", "slice")}
    assert len(grouped(**columns).counts) == n


def test_distinct_text_labels():
    labels = np.array([f"label {i}" for i in range(20_000)], dtype=object)
    assert len(count(truth=labels, a=labels, b=labels[::-1].copy())) == 20_000


def test_small_integers_are_counted_fast_and_in_little_memory():
    truth, a, b = np.random.default_rng(0).integers(0, 2, (3, 10**6))
    count(truth=truth, a=a, b=b)
    best = min(_timed(truth, a, b) for _ in range(5))
    assert best < 0.1  # about 9 ms on a quiet machine
    tracemalloc.start()
    count(truth=truth, a=a, b=b)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6


def _timed(truth, a, b):
    start = time.perf_counter()
    count(truth=truth, a=a, b=b)
    return time.perf_counter() - start


def test_lengths_are_named():
    with pytest.raises(InputError, match="truth 3, a 2, b 3"):
        count(truth=[1, 0, 1], a=[1, 0], b=[1, 1, 1])


@pytest.mark.parametrize(
    "bad",
    [
        5,
        1.5,
        "label",
        b"x",
        True,
        {1: 2},
        {1, 2},
        [[1, 2], [3, 4]],
        np.zeros((2, 2)),
        np.array(3),
        [[1], [2]],
        np.array([b"x", b"y"]),
        np.array([1j, 2]),
    ],
)
def test_what_is_not_one_value_an_example(bad):
    with pytest.raises(InputError):
        count(truth=[1, 0], a=bad, b=[1, 1])


def test_a_column_name_without_data_says_so():
    with pytest.raises(InputError, match="a column name needs data="):
        count(truth="label", a="old", b="new")


def test_masked_arrays_hide_values():
    a = np.ma.MaskedArray([1, 0, 1], mask=[False, True, False])
    found = count(truth=[1, 0, 1], a=a, b=[1, 0, 1], missing="wrong")
    assert found.notes == ("1 missing prediction of A and 0 of B were counted as wrong (missing='wrong')",)
    assert found == Counts.of({"truth": [1, 0], "a": [1, 1], "b": [1, 0]}, [2, 1], names={"a": "A", "b": "B"})


def test_series_of_every_make():
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    truth, old, new = ["x", "y", "x"], ["x", "x", None], ["y", "y", "x"]
    expected = count(truth=truth, a=old, b=new, missing="drop")
    for make in (
        pd.Series,
        pl.Series,
        pa.array,
        lambda v: pa.chunked_array([v]),
        tuple,
        pd.Categorical,
        lambda v: np.array(v, dtype=object),
    ):
        assert count(truth=make(truth), a=make(old), b=make(new), missing="drop") == expected
    nullable = count(
        truth=[1, 2, 3], a=pd.array([1, None, 3], dtype="Int64"), b=pl.Series([None, 2, 3]), missing="drop"
    )
    assert nullable.matched.dropped == 2
    assert nullable["a"].tolist() == [3]


def test_names_come_from_series():
    import pandas as pd

    y = [1, 0]
    assert count(truth=y, a=pd.Series(y, name="old"), b=pd.Series(y, name="new")).names == {"a": "old", "b": "new"}
    assert count(truth=y, a=pd.Series(y, name="m"), b=pd.Series(y, name="m")).names == {"a": "A", "b": "B"}
    assert count(truth=y, a=pd.Series(y, name="m"), b=y).names == {"a": "A", "b": "B"}


def test_arrays_need_no_dataframe_library():
    import subprocess

    code = (
        "import sys, numpy as np, referee.data.outcomes as o; o.count(truth=np.array([1, 0]), a=np.array([1, 1]), b=[0, 1]);"
        "assert not {'narwhals', 'duckdb', 'pandas', 'polars', 'pyarrow'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
