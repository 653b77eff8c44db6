"""Shards of any types, ids near the end of what floats hold, line breaks of all sorts, and names that SQL would misread."""

from __future__ import annotations

import csv
import io
from collections import Counter
from datetime import date
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather
from pyarrow import parquet as pq

from tests.fuzz.harness import ask, examples, written

TYPES = {
    "bool": pa.bool_(), "int8": pa.int8(), "uint32": pa.uint32(), "int64": pa.int64(), "uint64": pa.uint64(), "float": pa.float32(),
    "double": pa.float64(), "decimal": pa.decimal128(38, 0), "cents": pa.decimal128(9, 2), "string": pa.string(), "null": pa.null(),
    "dictionary": pa.dictionary(pa.int8(), pa.string()), "date": pa.date32(),
}  # fmt: skip
KINDS = {
    "bool": {"bool"}, "whole": {"int8", "uint32", "int64", "uint64", "decimal"}, "number": {"float", "double", "cents"},
    "text": {"string", "dictionary"}, "date": {"date"},
}  # fmt: skip
VALUES = {
    "bool": st.booleans(),
    "whole": st.integers(0, 3),
    "number": st.sampled_from([0.25, 0.5, 0.75, 1.0]),
    "text": st.sampled_from(["x", "y", "1"]),
    "date": st.dates(date(2024, 1, 1), date(2024, 1, 3)),
}


def kind_of(name):
    return next((kind for kind, names in KINDS.items() if name in names), "")


@st.composite
def columns(draw, size):
    """Return the type of a column, and its values."""
    name = draw(st.sampled_from(list(TYPES)))
    kind = kind_of(name)
    if not kind:
        return name, [None] * size
    values = draw(st.lists(VALUES[kind], min_size=size, max_size=size))
    if name in ("decimal", "cents"):
        values = [Decimal(str(value)) for value in values]
    return name, values


@st.composite
def shards(draw):
    """Return tables: of each its columns in some order, by name."""
    made = []
    for _ in range(draw(st.integers(1, 4))):
        size = draw(st.integers(1, 4))
        table = {name: draw(columns(size)) for name in draw(st.permutations(["a", "b", "A"]))}
        made.append(table)
    return made


def put(path, table, form):
    arrays = [pa.array(values, TYPES[kind]) for kind, values in table.values()]
    (pq.write_table if form == "parquet" else feather.write_feather)(pa.table(arrays, names=list(table)), str(path))


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_shards_of_any_types(tmp_path, form):
    @examples(30)
    @given(shards())
    def check(tables):
        for old in tmp_path.iterdir():
            old.unlink()
        for place, table in enumerate(tables):
            put(tmp_path / f"{place}.{form}", table, form)
        found = ask("count", tmp_path, "--a", "a", "--b", "b", "--missing", "drop")
        kinds = {name: {kind_of(table[name][0]) for table in tables} - {""} for name in "ab"}
        fits = all(len(own) < 2 or own == {"whole", "number"} for own in kinds.values())
        if not fits:
            assert found.code == 2
            return
        rows = Counter(
            tuple(written(str(one) if isinstance(one, date) else one) for one in row)
            for table in tables
            for row in zip(table["a"][1], table["b"][1], strict=True)
            if None not in row
        )
        if found.code == 0:
            assert found.rows == rows
        else:  # nothing is left, or the two systems are of different kinds
            assert not rows or kinds["a"] != kinds["b"], found.err

    check()


IDS = st.integers(2**53 - 6, 2**53 + 6) | st.integers(2**63 - 4, 2**63 - 1) | st.integers(-3, 3)
ID_TYPES = {
    "int64": pa.int64(),
    "uint64": pa.uint64(),
    "decimal": pa.decimal128(38, 0),
    "double": pa.float64(),
    "text": pa.string(),
}


def identified(kind, ids):
    if kind == "decimal":
        return pa.array([Decimal(one) for one in ids], ID_TYPES[kind])
    if kind == "double":
        return pa.array([float(one) for one in ids], ID_TYPES[kind])
    return pa.array(list(map(str, ids)) if kind == "text" else ids, ID_TYPES[kind])


def test_ids_near_the_end_of_what_floats_hold(tmp_path):
    old, new = tmp_path / "old.parquet", tmp_path / "new.parquet"
    sides = st.tuples(st.sampled_from(list(ID_TYPES)), st.lists(IDS, min_size=1, max_size=8, unique=True))

    @examples(30)
    @given(sides, sides)
    def check(left, right):
        for path, (kind, ids) in ((old, left), (new, right)):
            ids[:] = [abs(one) for one in ids] if kind == "uint64" else ids
            ids[:] = list(dict.fromkeys(ids))
            pq.write_table(pa.table({"id": identified(kind, ids), "p": [1] * len(ids)}), path)
        found = ask("count", old, new, "--id", "id", "--prediction", "p", "--unmatched", "drop")
        both = set(left[1]) & set(right[1])
        inexact = any(kind == "double" and max(map(abs, ids)) >= 2**53 for kind, ids in (left, right))
        mixed = (left[0] == "text") != (right[0] == "text")
        if inexact or mixed or not both:
            assert found.code == 2
            return
        matched = found.content["matched"]
        assert (matched["both"], matched["a_only"]) == (len(both), len(left[1]) - len(both))
        for path, (_, ids) in ((old, left), (new, right)):
            assert ask("count", path, "--id", "id", "--a", "p", "--b", "p").n == len(ids)

    check()


BREAKS = st.sampled_from(["\n", "\r", "\r\n"])
WORDS = st.sampled_from(["x", "y", "a b", "two\nlines", "two\rlines", "two\r\nlines"])


@st.composite
def delimited(draw):
    """Return a table of CSV with line breaks of any sort at the ends of its lines and within its cells."""
    head = ["a", "b", draw(WORDS)]
    rows = draw(st.lists(st.tuples(st.sampled_from("xy"), st.sampled_from("xy"), WORDS), max_size=6))
    ends = draw(st.lists(BREAKS, min_size=len(rows) + 1, max_size=len(rows) + 1))
    if draw(st.booleans()):
        ends = [ends[0]] * len(ends)
    text = ""
    for cells, end in zip([head, *rows], ends, strict=True):
        csv.writer(out := io.StringIO(newline=""), lineterminator=end).writerow(cells)
        text += out.getvalue()
    return text, rows


def test_line_breaks_of_any_sort(tmp_path):
    (tmp_path / "days").mkdir()
    one, other = tmp_path / "days" / "1.csv", tmp_path / "days" / "2.csv"

    @examples(30)
    @given(delimited())
    def check(made):
        text, rows = made
        one.write_bytes(text.encode())
        other.unlink(missing_ok=True)
        expected = Counter(row[:2] for row in rows)
        found = ask("count", one, "--a", "a", "--b", "b")
        if found.code == 0:
            assert found.rows == expected
        other.write_bytes(text.encode())
        both = ask("count", tmp_path / "days", "--a", "a", "--b", "b")
        assert both.code == found.code
        if both.code == 0:
            assert both.rows == expected + expected

    check()


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=5) | st.sampled_from(
    ["OLD", "old", "Old", "old_1", "OLD_1", "c0", "c1", "w0", "given", "the text", '"', "'", "a.b", "$1", "%s", "*", "é", "e\u0301", " old", "old ", "NULL", "rowid"]
)  # fmt: skip


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_columns_of_any_names(tmp_path, form):
    path = tmp_path / f"x.{form}"

    @examples(30)
    @given(st.lists(NAMES, min_size=2, max_size=8), st.randoms(use_true_random=False))
    def check(names, random):
        table = pa.table([pa.array([place, place]) for place in range(len(names))], names=names)
        (pq.write_table if form == "parquet" else feather.write_feather)(table, str(path))
        a, b = random.sample(range(len(names)), 2)
        found = ask("count", path, f"--a={names[a]}", f"--b={names[b]}")
        once = names.count(names[a]) == names.count(names[b]) == 1
        assert found.code == (0 if once else 2), found.err
        if once:
            assert found.rows == {(written(a), written(b)): 2}

    check()
