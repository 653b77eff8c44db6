import numpy as np
import pytest

from referee.data.outcomes import count
from referee.errors import InputError


def test_pandas_nullable_types():
    import pandas as pd

    plain = {"truth": [1, 2, 3, 3], "a": [1, 2, 2, None], "b": [1, None, 3, 3]}
    expected = count(plain, truth="truth", a="a", b="b", missing="wrong")
    for dtype in ("Int64", "Float64", "int64[pyarrow]", "float64"):
        assert count(pd.DataFrame(plain).astype(dtype), truth="truth", a="a", b="b", missing="wrong") == expected


def test_pandas_boolean_and_string():
    import pandas as pd

    flags = {"truth": [True, False, True], "a": [True, None, False], "b": [True, True, True]}
    assert count(pd.DataFrame(flags).astype("boolean"), truth="truth", a="a", b="b", missing="drop") == count(
        flags, truth="truth", a="a", b="b", missing="drop"
    )
    words = {"truth": ["x", "y", "x"], "a": ["x", None, "y"], "b": ["x", "x", "x"]}
    for dtype in ("string", "str", object, "category", "string[pyarrow]"):
        assert count(pd.DataFrame(words, dtype=dtype), truth="truth", a="a", b="b", missing="drop") == count(
            words, truth="truth", a="a", b="b", missing="drop"
        )


def test_categories_that_are_numbers_come_out_as_numbers():
    import pandas as pd

    frame = pd.DataFrame(
        {"truth": pd.Categorical([3, 1, None]), "a": pd.Categorical([3, 3, 1]), "b": [1, 1, 1], "w": ["x", "y", "z"]}
    )
    found = count(frame, truth="truth", a="a", b="b", group="w", missing="drop")
    assert found["truth"].tolist() == [1, 3]
    assert found["truth"].dtype == np.int64


def test_polars_enum_null_and_nan():
    import polars as pl

    frame = pl.DataFrame(
        {"truth": ["x", "y", "x", None], "a": [0.5, None, float("nan"), 0.5], "b": [1.0, 0.5, 0.5, 0.5]}
    ).with_columns(pl.col("truth").cast(pl.Enum(["y", "x"])))
    for source in (frame, frame.lazy()):
        found = count(source, truth="truth", a="a", b="b", missing="drop")
        assert (found.n, found.matched.dropped) == (1, 3)
        assert found["truth"].tolist() == ["x"]


def test_whole_numbers_beside_nulls_keep_their_digits():
    import polars as pl

    big = 2**60 + 1
    found = count(
        pl.DataFrame({"truth": [big, 1], "a": [big, None], "b": [big - 1, 1]}),
        truth="truth",
        a="a",
        b="b",
        missing="drop",
    )
    assert found["a"].tolist() == [big]


def test_two_columns_of_one_name():
    import pandas as pd

    with pytest.raises(InputError, match="frame cannot be counted"):
        count(pd.DataFrame([[1, 2]], columns=["a", "a"]), a="a", b="a")


def test_columns_that_are_known_by_number():
    import pandas as pd

    found = count(pd.DataFrame([[1, 0, 1], [0, 0, 1]]), truth=0, a=1, b=2)
    assert (found.n, found.names) == (2, {"a": "1", "b": "2"})


def test_dates_and_decimals():
    import datetime
    from decimal import Decimal

    import polars as pl

    days = [datetime.date(2024, 5, 1), datetime.date(2024, 5, 2)]
    frame = pl.DataFrame({"a": [Decimal("0.5"), None], "b": [Decimal("1.5"), Decimal("2.5")], "day": days})
    found = count(frame, a="a", b="b", by="day", missing="wrong")
    assert found["slice"].tolist() == ["2024-05-02", "2024-05-01"]
    assert found["a"].tolist() == [0.0, 0.5]


def test_a_users_connection_is_left_as_it_was():
    import duckdb

    with duckdb.connect() as connection:
        relation = connection.sql("SELECT 1 AS truth, 1 AS a, 0 AS b, 'x' AS id")
        assert count(relation, truth="truth", a="a", b="b", id="id").n == 1
        assert connection.sql("SHOW TABLES").fetchall() == []
