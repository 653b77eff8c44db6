"""One table in every dress it may come in."""

import gzip
import json

import pytest

BACKENDS = (
    "dict",
    "pandas",
    "pandas-object",
    "pandas-category",
    "polars",
    "polars-lazy",
    "polars-category",
    "pyarrow",
    "pyarrow-dictionary",
    "duckdb",
    "csv",
    "csv.gz",
    "tsv",
    "jsonl",
    "jsonl.gz",
    "ndjson",
    "json",
    "parquet",
    "arrow",
    "feather",
)
UNTYPED = ("csv", "csv.gz", "tsv")


def _frame(backend, table):
    if backend.startswith("pandas"):
        import pandas as pd

        dtype = {"pandas": None, "pandas-object": object, "pandas-category": "category"}[backend]
        return pd.DataFrame({name: pd.Series(values, dtype=dtype) for name, values in table.items()})
    if backend.startswith("polars"):
        import polars as pl

        frame = pl.DataFrame(table)
        if backend == "polars-category":
            return frame.with_columns(pl.col(pl.String).cast(pl.Categorical))
        return frame.lazy() if backend == "polars-lazy" else frame
    import pyarrow as pa

    arrays = {name: pa.array(values) for name, values in table.items()}
    if backend == "pyarrow-dictionary":
        arrays = {k: v.dictionary_encode() if pa.types.is_string(v.type) else v for k, v in arrays.items()}
    return pa.table(arrays)


def _cell(value):
    text = "" if value is None else str(value)
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',\t"\n\r;') else text


def _text(kind, table):
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    if kind == "json":
        return json.dumps(rows)
    if kind in ("jsonl", "ndjson"):
        return "".join(json.dumps(row) + "\n" for row in rows)
    mark = "\t" if kind == "tsv" else ","
    lines = [[*table], *(row.values() for row in rows)]
    return "".join(mark.join(map(_cell, line)) + "\n" for line in lines)


def _file(backend, table, folder):
    path = folder / f"an 'odd' näme.{backend}"
    if backend == "parquet":
        import pyarrow.parquet as pq

        pq.write_table(_frame("pyarrow", table), path)
        return path
    if backend in ("arrow", "feather"):
        from pyarrow import feather, ipc

        frame = _frame("pyarrow", table)
        if backend == "feather":
            feather.write_feather(frame, str(path))
        else:
            with ipc.new_stream(str(path), frame.schema) as file:
                file.write_table(frame)
        return path
    content = _text(backend.removesuffix(".gz"), table).encode()
    path.write_bytes(gzip.compress(content) if backend.endswith(".gz") else content)
    return path


@pytest.fixture
def dress(tmp_path):
    """Return a function that puts a table (name to values) into the form of a backend."""

    def make(backend, table):
        if backend == "dict":
            return table
        if backend == "duckdb":
            import duckdb

            return duckdb.from_arrow(_frame("pyarrow", table))
        if backend.startswith(("pandas", "polars", "pyarrow")):
            return _frame(backend, table)
        return _file(backend, table, tmp_path)

    return make


@pytest.fixture(params=BACKENDS)
def backend(request):
    return request.param
