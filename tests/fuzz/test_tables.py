"""Tables: whatever their cells hold, and whatever happened to their bytes, the count is that of another parser, or a refusal."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather
from pyarrow import parquet as pq

import referee
from tests.fuzz.damage import damaged, lists
from tests.fuzz.harness import ask, examples, written

HEAD = ("id", "truth", "a", "b")
ROWS = [(f"q{i:02}", "yx"[i % 2], "yyxz"[i % 4], "yxx"[i % 3]) for i in range(24)]
WORDS = ("--truth", "truth", "--a", "a", "--b", "b")
KINDS = ("csv", "tsv", "jsonl", "json", "csv.gz", "jsonl.gz", "parquet", "arrow")


def packed(kind, rows, head=HEAD):
    """Return a table as the bytes of a file."""
    if kind.endswith(".gz"):
        return gzip.compress(packed(kind.removesuffix(".gz"), rows, head), mtime=0)
    if kind in ("parquet", "arrow"):
        columns = zip(*rows, strict=True) if rows else [[] for _ in head]
        table = pa.table({name: pa.array(list(each)) for name, each in zip(head, columns, strict=True)})
        (pq.write_table if kind == "parquet" else feather.write_feather)(table, out := io.BytesIO())
        return out.getvalue()
    if kind == "json":
        return json.dumps([dict(zip(head, row, strict=True)) for row in rows], ensure_ascii=False).encode()
    if kind == "jsonl":
        lines = [json.dumps(dict(zip(head, row, strict=True)), ensure_ascii=False) for row in rows]
        return "".join(line + "\n" for line in lines).encode()
    out = io.StringIO()
    csv.writer(out, delimiter="\t" if kind == "tsv" else ",", lineterminator="\n").writerows([head, *rows])
    return out.getvalue().encode()


def parsed(kind, data, names=HEAD):
    """Return the rows of a file as other parsers have them, at least these columns; None where they refuse it."""
    try:
        if kind.endswith(".gz"):
            return parsed(kind.removesuffix(".gz"), gzip.decompress(data))
        if kind in ("parquet", "arrow"):
            read = pq.read_table if kind == "parquet" else feather.read_table
            # Of the mark at the beginning of an Arrow file nothing depends.
            whole = data if kind == "parquet" else b"ARROW1" + data[6:]
            table = read(io.BytesIO(whole), columns=list(names))
            table.validate(full=True)
            return table.to_pylist()
        text = data.decode("utf-8-sig")
        if kind == "json":
            return json.loads(text)
        if kind == "jsonl":
            return [json.loads(line) for line in text.split("\n") if line.strip()]
        head, *rows = csv.reader(io.StringIO(text, newline=""), delimiter="\t" if kind == "tsv" else ",")
        # An empty cell too much at the end of a line says nothing.
        cells = [row[:-1] if len(row) > len(head) and not row[-1] else row for row in rows if row]
        return [dict(zip(head, row, strict=True)) for row in cells]
    except (ValueError, OSError, EOFError, RecursionError, csv.Error, pa.ArrowException):
        return None


def outcomes(rows, names=("truth", "a", "b")):
    return Counter(tuple(written(row.get(name)) for name in names) for row in rows)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ids", [(), ("--id", "id")], ids=["", "with ids"])
def test_damaged_bytes(tmp_path, kind, ids):
    data, path = packed(kind, ROWS), tmp_path / f"table.{kind}"
    path.write_bytes(data)
    assert ask("count", path, *WORDS, *ids).rows == outcomes(parsed(kind, data))

    @examples(16)
    @given(lists())
    def check(done):
        broken = damaged(data, done)
        path.write_bytes(broken)
        found = ask("count", path, *WORDS, *ids)
        if found.code == 0:
            rows = parsed(kind, broken, HEAD if ids else HEAD[1:])
            if rows is None and kind == "parquet":  # pyarrow wants more of the notes that stand beside the data
                assert found.n <= len(ROWS)
                return
            assert rows is not None, "read what another parser refuses"
            assert found.rows == outcomes(rows)

    check()


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "csv.gz"])
def test_damaged_bytes_of_one_of_two(tmp_path, kind):
    old, new = tmp_path / f"old.{kind}", tmp_path / f"new.{kind}"
    data = packed(kind, [(i, y, a) for i, y, a, _ in ROWS], ("id", "truth", "answer"))
    new.write_bytes(packed(kind, [(i, y, b) for i, y, _, b in ROWS[::-1]], ("id", "truth", "answer")))
    words = (old, new, "--id", "id", "--truth", "truth", "--prediction", "answer")
    old.write_bytes(data)
    assert ask("count", *words).rows == Counter((y, a, b) for _, y, a, b in ROWS)

    @examples(16)
    @given(lists(), st.sampled_from(["error", "drop"]))
    def check(done, unmatched):
        broken = damaged(data, done)
        old.write_bytes(broken)
        found = ask("count", *words, "--unmatched", unmatched)
        if found.code == 0:
            rows = parsed(kind, broken, ("id", "truth", "answer"))
            if rows is None and kind == "parquet":
                assert found.n <= len(ROWS)
                return
            assert rows is not None, "read what another parser refuses"
            said, others = {str(row["id"]): row for row in rows}, {i: (y, b) for i, y, _, b in ROWS}
            assert len(said) == len(rows)
            both = said.keys() & others.keys()
            # A truth that one side lacks is the other's.
            truths = {i: written(said[i].get("truth") or others[i][0]) for i in both}
            assert found.rows == Counter((truths[i], written(said[i]["answer"]), others[i][1]) for i in both)
            matched = found.content["matched"]
            assert (matched["a_only"], matched["b_only"]) == (len(said) - len(both), len(others) - len(both))

    check()


def test_damaged_counts(tmp_path):
    path = tmp_path / "counts.json"
    columns = dict(zip(HEAD, zip(*ROWS, strict=True), strict=True))
    referee.count(columns, truth="truth", a="a", b="b").save(path)
    data = path.read_bytes()

    @examples(30)
    @given(lists())
    def check(done):
        broken = damaged(data, done)
        path.write_bytes(broken)
        found = ask("count", path)
        if found.code == 0:
            content = json.loads(broken)
            assert found.n == sum(content["multiplicities"])
            assert found.n == content["matched"]["both"]

    check()


def test_counts_with_roles_and_fields_of_any_name(tmp_path):
    columns = dict(zip(HEAD, zip(*ROWS, strict=True), strict=True))
    content = referee.count(columns, truth="truth", a="a", b="b").to_dict()
    path = tmp_path / "counts.json"

    @examples(30)
    @given(st.text(max_size=8) | st.sampled_from(["Truth", "truth ", "c", "A", "id", "multiplicity", "system"]))
    def check(name):
        path.write_text(json.dumps({**content, "columns": [name, "a", "b"]}), encoding="utf-8")
        found = ask("count", path)
        assert found.code == (0 if name in ("truth", "group", "stratum", "slice") else 2)
        path.write_text(json.dumps({**content, "multiplicities": None, name: content["multiplicities"]}))
        assert ask("count", path).code == 2

    check()


def test_a_file_counts_once_whatever_it_is_called(tmp_path):
    (tmp_path / "runs").mkdir()
    path = tmp_path / "runs" / "old.csv"
    path.write_bytes(packed("csv", ROWS))
    (tmp_path / "link.csv").symlink_to(path)
    (tmp_path / "hard.csv").hardlink_to(path)
    (tmp_path / "folder").symlink_to(tmp_path / "runs")
    ways = ["runs/old.csv", "link.csv", "hard.csv", "folder/old.csv", "runs", "folder", "runs/*.csv", "lin?.csv"]

    @examples(20)
    @given(st.sampled_from(ways), st.sampled_from(ways), st.sampled_from(["", "./", "runs/../"]))
    def check(one, other, detour):
        words = (tmp_path / one, f"{tmp_path}/{detour}{other}", "--id", "id", "--truth", "truth", "--prediction", "a")
        found = ask("count", *words)
        assert found.code == 2
        assert "a run is not compared with itself" in found.err

    check()


# Cells of any text, but for half characters, which no file can hold, and the zero byte, which is refused in text files.
CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=6) | st.sampled_from(
    ["0", "1", "-1", "0.5", "1e3", "007", "+1", " 1", "1 ", "true", "NA", "nan", "null", '"', '""', "'", ",", ";", "\t", "|", "a\nb", "\\", "#", "//"]
)  # fmt: skip


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet"])
def test_cells_of_any_text(tmp_path, kind):
    path = tmp_path / f"table.{kind}"

    @examples(20)
    @given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=8))
    def check(rows):
        path.write_bytes(packed(kind, rows, HEAD[1:]))
        found = ask("count", path, *WORDS, "--missing", "drop")
        if found.code == 0:
            content = found.content
            assert found.n + content["matched"]["dropped"] == len(rows)
            assert not found.rows - Counter(tuple(map(written, row)) for row in rows)
            assert content["matched"]["dropped"] == 0 or kind in ("csv", "tsv")

    check()


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_ids_of_any_text(tmp_path, kind):
    old, new = tmp_path / f"old.{kind}", tmp_path / f"new.{kind}"
    sides = st.lists(CELLS, min_size=1, max_size=8, unique=True)

    @examples(20)
    @given(sides, sides, st.randoms(use_true_random=False))
    def check(left, right, random):
        right = [*right, *(each for each in left if random.random() < 0.8 and each not in right)]
        random.shuffle(right)
        old.write_bytes(packed(kind, [(each, str(len(each) % 2)) for each in left], ("id", "right")))
        new.write_bytes(packed(kind, [(each, "1") for each in right], ("id", "right")))
        found = ask("count", old, new, "--id", "id", "--prediction", "right", "--unmatched", "drop")
        both = set(left) & set(right)
        assert found.code == (0 if both else 2), found.err
        if both:
            assert found.rows == Counter((written(len(each) % 2), written(1)) for each in both)
            matched = found.content["matched"]
            assert (matched["a_only"], matched["b_only"]) == (len(left) - len(both), len(right) - len(both))

    check()
