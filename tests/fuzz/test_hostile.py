"""Files that are odd on purpose or by accident, each by its name."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
import zipfile
import zlib
from collections import Counter
from pathlib import Path

import pytest

from referee.data.formats import json_fields
from tests.fuzz.cases import CASES
from tests.fuzz.harness import ask, refusal
from tests.fuzz.test_tables import HEAD, KINDS, ROWS, WORDS, outcomes, packed, parsed

PAIR = ("--id", "id", "--prediction", "answer")
TEXTS = {name: case for name, case in CASES.items() if case.path.suffix != ".eval"}
JSONS = {name: case for name, case in TEXTS.items() if case.path.suffix.startswith(".json")}
EXPECTED = outcomes(parsed("csv", packed("csv", ROWS)))


def put(path, content):
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def beside(case, folder, content):
    """Write a file under the name that it has among the data."""
    return put(folder / case.path.parent.name / case.path.name, content)


def pair(folder, kind, left, right, head=("id", "answer")):
    return [put(folder / f"{name}.{kind}", packed(kind, rows, head)) for name, rows in (("old", left), ("new", right))]


# Bombs


def zeros(size, begin=b"", wbits=-15):
    """Return much of nothing, packed; one piece is packed once, and repeated."""
    packer = zlib.compressobj(9, zlib.DEFLATED, wbits)
    head = packer.compress(begin) + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(b" " * (1 << 24)) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + piece * (size >> 24) + packer.flush(zlib.Z_FINISH)


def bomb(path, told):
    """Write a log whose summaries unpack to 3 GB, and say that they are of another size."""
    content = zeros(3 << 30, b"[")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("summaries.json", content)
    data = bytearray(path.read_bytes())
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        at = data.rindex(mark)
        at = data.index(b"summaries.json", 0) - 30 if mark == b"PK\x03\x04" else at
        data[at + place : at + place + 2] = (8).to_bytes(2, "little")
        sizes = at + (22 if mark == b"PK\x03\x04" else 24)
        data[sizes : sizes + 4] = told.to_bytes(4, "little")
    path.write_bytes(data)
    return path


PEAK = """
import sys
from referee.cli.main import main
code = main(sys.argv[1:])
peak = next(int(line.split()[1]) // 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(code, peak)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read where Linux tells it")
@pytest.mark.parametrize("told", [3 << 30, 1000])
def test_a_bomb_is_refused_in_little_memory(tmp_path, told):
    path = bomb(tmp_path / "bomb.eval", told)
    assert path.stat().st_size < 5 << 20
    words = [sys.executable, "-c", PEAK, "count", str(path), *CASES["inspect"].words(path)[1:]]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    code, peak = map(int, done.stdout.split())
    assert code == 2
    assert done.stderr.count("\n") == 1
    assert peak < 500


@pytest.mark.parametrize("name", JSONS)
def test_a_packed_file_that_is_too_large_is_not_read_whole(tmp_path, name, monkeypatch):
    monkeypatch.setattr(json_fields, "LARGEST", 1 << 20)
    monkeypatch.setattr(json_fields, "LONGEST", 1 << 20)
    case = JSONS[name]
    begin = case.path.read_bytes()
    path = put(tmp_path / f"{case.path.name}.gz", zeros(1 << 26, begin, 31))
    assert path.stat().st_size < 1 << 17
    ask("count", *case.words(path))


# Long lines


@pytest.mark.parametrize("name", ["lm-eval", "openai-evals", "numbers", "trec", "conll"])
def test_a_line_that_is_too_long(tmp_path, name, monkeypatch):
    monkeypatch.setattr(json_fields, "LONGEST", 5000)
    case = CASES[name]
    path = beside(case, tmp_path, case.path.read_bytes() + b"7" * 6000 + b"\n")
    assert "is longer than" in refusal("count", *case.words(path))


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl"])
def test_a_line_of_a_table_that_is_too_long(tmp_path, kind):
    path = put(tmp_path / f"long.{kind}", packed(kind, [*ROWS, ("q99", "x", "y", "z" * (40 << 20))]))
    told = refusal("count", path, *WORDS)
    assert len(told) < 600
    assert "long." in told


# Types, marks and encodings


@pytest.mark.parametrize("values", [[1, "x"], [True, 1], ["1", 1], [1.5, "1.5"], [True, "true"], [[1], "x"], [{}, 1]])
def test_a_column_of_mixed_types(tmp_path, values):
    rows = [{"a": value, "b": "x"} for value in values]
    path = put(tmp_path / "mixed.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert "a " in refusal("count", path, "--a", "a", "--b", "b")


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "csv.gz", "jsonl.gz"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["", "BOM"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
def test_marks_and_line_ends_of_tables(tmp_path, kind, mark, end):
    content = mark + packed(kind.removesuffix(".gz"), ROWS).replace(b"\n", end)
    path = put(tmp_path / f"t.{kind}", gzip.compress(content) if kind.endswith(".gz") else content)
    if mark and kind.startswith("jsonl"):
        assert "without BOM" in refusal("count", path, *WORDS)
        return
    assert ask("count", path, *WORDS, "--id", "id").rows == EXPECTED
    assert ask("count", path, *WORDS).rows == EXPECTED


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("packing", [bytes, gzip.compress], ids=["plain", "gz"])
def test_marks_and_line_ends_of_logs(tmp_path, name, packing):
    case = TEXTS[name]
    path = beside(case, tmp_path, packing(b"\xef\xbb\xbf" + case.path.read_bytes().replace(b"\n", b"\r\n")))
    path = path.rename(f"{path}.gz") if packing is gzip.compress else path
    found, intact = ask("count", *case.words(path)), ask("count", *case.words(case.path))
    assert (found.code, found.rows, found.content["matched"]) == (0, intact.rows, intact.content["matched"])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "json"])
def test_tables_in_utf_16(tmp_path, kind, encoding):
    path = put(tmp_path / f"t.{kind}", packed(kind, ROWS).decode().encode(encoding))
    assert "not UTF-8" in refusal("count", path, *WORDS)


@pytest.mark.parametrize("name", TEXTS)
def test_logs_in_utf_16(tmp_path, name):
    case = TEXTS[name]
    refusal("count", *case.words(beside(case, tmp_path, case.path.read_text(encoding="utf-8").encode("utf-16"))))


@pytest.mark.parametrize("kind", ["csv", "tsv"])
def test_duplicate_headers(tmp_path, kind):
    path = put(tmp_path / f"t.{kind}", packed(kind, ROWS, ("id", "truth", "a", "a")))
    assert "'a' twice" in refusal("count", path, "--a", "a", "--b", "truth")


def test_duplicate_keys(tmp_path):
    path = put(tmp_path / "t.jsonl", '{"a": 1, "b": 0, "a": 0}\n{"a": 1, "b": 1}\n')
    assert 'duplicate key "a"' in refusal("count", path, "--a", "a", "--b", "b")


# Ids


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("other", ["q1 ", " q1", "Q1", "q1\t", "q\u00001", "q1\u200b"])
def test_ids_that_differ_by_blanks(tmp_path, kind, other):
    if "\0" in other and kind == "csv":
        pytest.skip("a text file without the zero byte")
    paths = pair(tmp_path, kind, [("q0", 1), ("q1", 1)], [("q0", 1), (other, 1)])
    assert "1 ids are only in" in refusal("count", *paths, *PAIR).replace("1 id is", "1 ids are")
    matched = ask("count", *paths, *PAIR, "--unmatched", "drop").content["matched"]
    assert (matched["both"], matched["a_only"], matched["b_only"]) == (1, 1, 1)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_ids_are_texts(tmp_path, kind):
    paths = pair(tmp_path, kind, [("7", 1), ("1", 1)], [("007", 1), ("1", 1)])
    assert "007" in refusal("count", *paths, *PAIR)


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_ids_of_different_types(tmp_path, kind):
    paths = pair(tmp_path, kind, [(7, 1), (1, 1)], [("007", 1), ("1", 1)])
    assert "ids" in refusal("count", *paths, *PAIR)
    refusal("count", *paths, *PAIR, "--unmatched", "drop")


@pytest.mark.parametrize("kind", ["jsonl", "json"])
def test_ids_of_mixed_types(tmp_path, kind):
    paths = pair(tmp_path, kind, [(1, 1), ("1", 1)], [("1", 1), (1, 1)])
    refusal("count", *paths, *PAIR)
    path = put(tmp_path / f"t.{kind}", packed(kind, [(1, 0, 1, 1), ("1", 1, 0, 1)]))
    assert '1 and "1" are not the same id' in refusal("count", path, *WORDS, "--id", "id")


# Depth and constants


@pytest.mark.parametrize("name", JSONS)
@pytest.mark.parametrize("deep", ["[" * 10_000 + "]" * 10_000, '{"a":' * 10_000 + "1" + "}" * 10_000, "[" * 100_000])
def test_deep_json(tmp_path, name, deep):
    case = JSONS[name]
    text = case.path.read_text(encoding="utf-8")
    first, colon, rest = text.partition(": ")
    for content in (deep, f"{first}{colon}{deep}, {rest}", f'{text[:-3]}, "z": {deep}{text[-3:]}'):
        ask("count", *case.words(beside(case, tmp_path, content)))


@pytest.mark.parametrize("odd", ["[" * 10_000 + "]" * 10_000, "[" * 10_000, "9" * 5000, '"\\ud800"', "NaN"])
@pytest.mark.parametrize(
    "field", ["columns", "names", "positive", "matched", "notes", "rows", "multiplicities", "more"]
)
def test_odd_values_in_counts(tmp_path, odd, field):
    content = {
        "schema": "referee.counts/1",
        "columns": ["a", "b"],
        "rows": [[1, 0]],
        "multiplicities": [3],
        field: "HERE",
    }
    found = ask("count", put(tmp_path / "t.json", json.dumps(content).replace('"HERE"', odd)))
    assert found.code == 2 or found.n == 3


def test_counts_that_are_not_utf_8(tmp_path):
    content = b'{"schema": "referee.counts/1", "columns": ["\xf4", "b"], "rows": [[1, 0]], "multiplicities": [3]}'
    assert "not UTF-8" in refusal("count", put(tmp_path / "t.json", content))


@pytest.mark.parametrize("kind", ["jsonl", "json"])
def test_deep_json_in_tables(tmp_path, kind):
    deep = "[" * 10_000 + "]" * 10_000
    for text in (f'{{"a": {deep}, "b": 1}}', f'{{"a": 1, "b": 1, "c": {deep}}}', deep):
        path = put(tmp_path / f"t.{kind}", text + "\n")
        found = ask("count", path, "--a", "a", "--b", "b")
        assert found.code == 2 or found.n == 1


@pytest.mark.parametrize("digits", [19, 25, 400, 5000])
def test_long_numbers(tmp_path, digits):
    long = "9" * digits
    for kind, text in {"jsonl": f'{{"a": {long}, "b": 1}}\n', "csv": f"a,b\n{long},1\n"}.items():
        ask("count", put(tmp_path / f"t.{kind}", text), "--a", "a", "--b", "b")
        paths = [put(tmp_path / f"{name}.{kind}", text) for name in ("old", "new")]
        ask("count", *paths, "--id", "a", "--prediction", "b")
        ask("count", *paths, "--id", "b", "--prediction", "a")


@pytest.mark.parametrize(
    "one", ["[" * 5000 + "]" * 5000, "9" * 5000, '"' + "q" * 5000 + '"', "null", "true", "[]", "1.5"]
)
def test_ids_of_any_json(tmp_path, one):
    text = f'{{"id": {one}, "a": 1, "b": 0}}\n'
    paths = [put(tmp_path / f"{name}.jsonl", text * times) for name, times in (("once", 1), ("twice", 2), ("other", 1))]
    for policy in ("error", "mean", "group"):
        ask("count", paths[1], "--a", "a", "--b", "b", "--id", "id", "--repeats", policy)
        ask("count", paths[0], paths[1], "--prediction", "a", "--id", "id", "--repeats", policy)
    found = ask("count", paths[0], paths[2], "--prediction", "a", "--id", "id")
    assert found.code == 2 or found.n == 1


@pytest.mark.parametrize("kind", ["json", "json.gz"])
def test_a_list_that_is_cut_between_its_rows(tmp_path, kind):
    data = packed("json", ROWS)
    at = data.index(b'{"id": "q07"')
    for end in (at, at - 1, at - 2):
        cut = gzip.compress(data[:end]) if kind == "json.gz" else data[:end]
        refusal("count", put(tmp_path / f"t.{kind}", cut), *WORDS)


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_constants_that_are_not_json(tmp_path, constant):
    path = put(tmp_path / "t.jsonl", f'{{"a": {constant}, "b": 0.5}}\n{{"a": 1.0, "b": 0.25}}\n')
    told = refusal("count", path, "--a", "a", "--b", "b")
    assert "t.jsonl" in told or "missing" in told or "finite" in told


@pytest.mark.parametrize("name", JSONS)
@pytest.mark.parametrize("constant", [b"NaN", b"Infinity", b"-Infinity", b"1e999"])
def test_constants_in_place_of_every_number(tmp_path, name, constant):
    import re

    case = JSONS[name]
    data = case.path.read_bytes()
    intact = ask("count", *case.words(case.path))
    places = [found.span(1) for found in re.finditer(rb"[:\s\[](-?[0-9.]+|true|false)(?=[,\s}\]])", data)]
    for start, stop in places[:: max(1, len(places) // 4)]:
        found = ask("count", *case.words(beside(case, tmp_path, data[:start] + constant + data[stop:])))
        assert found.code == 2 or found.n == intact.n


# Nothing, and what is no file


@pytest.mark.parametrize("content", [b"", b"\n", b"  \n\t\n ", b"\xef\xbb\xbf", b"\0" * 100], ids=repr)
@pytest.mark.parametrize("kind", [*KINDS, "gz", "txt", "eval", "counts.json"])
def test_nothing_in_a_file(tmp_path, kind, content):
    path = put(tmp_path / f"t.{kind}", content)
    refusal("count", path, *WORDS)
    refusal("count", path, path, *PAIR)


@pytest.mark.parametrize("name", CASES)
def test_nothing_in_a_log(tmp_path, name):
    case = CASES[name]
    for content in (b"", b"\n\n", b"[]", b"{}", b"null", b"0", b'""'):
        refusal("count", *case.words(beside(case, tmp_path, content)))


@pytest.mark.parametrize("kind", ["csv", "tsv", "json", "parquet", "csv.gz"])
def test_only_a_header(tmp_path, kind):
    assert "no " in refusal("count", put(tmp_path / f"t.{kind}", packed(kind, [])), *WORDS)
    paths = pair(tmp_path, kind, [], [])
    assert "has no rows" in refusal("count", *paths, *PAIR) or kind == "json"


@pytest.mark.parametrize("name", ["table.csv", "log.json", "run.eval", "x"])
def test_a_folder_in_place_of_a_file(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    refusal("count", folder, *WORDS)
    refusal("count", folder, folder, *PAIR)
    refusal("count", CASES["trec"].path, folder, "--score", "map")
    refusal("count", CASES["swe-bench"].path, CASES["swe-bench"].path, "--universe", folder)


def test_what_is_not_there(tmp_path):
    refusal("count", tmp_path / "none.csv", *WORDS)
    refusal("count", tmp_path / "none.json", CASES["columns"].path, *PAIR)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read all")
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_file_that_may_not_be_read(tmp_path, kind):
    path = put(tmp_path / f"t.{kind}", packed(kind, ROWS))
    path.chmod(0)
    assert "t." in refusal("count", path, *WORDS)


@pytest.mark.parametrize("make", ["plain", "cut", "garbage behind", "checksum"])
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_broken_gzip(tmp_path, kind, make):
    whole = gzip.compress(packed(kind, ROWS * 200))
    content = {
        "plain": packed(kind, ROWS),
        "cut": whole[:-20],
        "garbage behind": whole + b"garbage",
        "checksum": whole[:-8] + bytes([whole[-8] ^ 1]) + whole[-7:],
    }[make]
    path = put(tmp_path / f"t.{kind}.gz", content)
    assert "t." in refusal("count", path, *WORDS)


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_bytes_flipped_in_a_large_gzip(tmp_path, kind):
    # Noise packs badly, so that a flipped bit is likely to be another letter and not another length.
    noise = random.Random(5)
    rows = [(f"q{i}", *noise.choices("xy", k=3)) for i in range(20_000)]
    path, content = tmp_path / f"t.{kind}.gz", packed(f"{kind}.gz", rows)
    assert ask("count", put(path, content), *WORDS).rows == Counter(row[1:] for row in rows)
    for _ in range(6):
        at = noise.randrange(len(content) // 4, len(content))
        refusal("count", put(path, content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]), *WORDS)


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_gzip_of_several_pieces(tmp_path, kind):
    data = packed(kind, ROWS)
    path = put(tmp_path / f"t.{kind}.gz", b"".join(gzip.compress(data[i : i + 100]) for i in range(0, len(data), 100)))
    assert ask("count", path, *WORDS).rows == EXPECTED


@pytest.mark.parametrize("left", [0, 3, 4, 8, 100, -1, -4, -8, -12])
def test_a_parquet_file_that_is_cut(tmp_path, left):
    path = put(tmp_path / "t.parquet", packed("parquet", ROWS)[:left])
    assert "t.parquet" in refusal("count", path, *WORDS)


# Names


NAMES = (
    "it's.{}", 'say "x".{}', "'; DROP TABLE rows; --.{}", "two\nlines.{}", "all*.{}", "a[bc].{}", "what?.{}", "{{0}}.{}", "%s %d.{}", "ünï ☂.{}",
    "-q.{}", "a\\b.{}", "a$b`c`.{}", " .{}", "a#b;c&d.{}", "~.{}",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names_of_files(tmp_path, name):
    decoy = [("q00", "x", "x", "x")]
    for kind in ("csv", "jsonl", "parquet"):
        for other in ("allies", "ab", "whatx"):
            put(tmp_path / kind / f"{other}.{kind}", packed(kind, decoy))
        path = put(tmp_path / kind / name.format(kind), packed(kind, ROWS))
        assert ask("count", path, *WORDS).rows == EXPECTED
        copy = put(tmp_path / "copy" / kind / name.format(kind), packed(kind, ROWS))
        assert ask("count", path, copy, "--id", "id", "--truth", "truth", "--prediction", "a").n == len(ROWS)
    case = CASES["trec"]
    path = put(tmp_path / name.format("txt"), case.path.read_bytes())
    assert ask("count", *case.words(path)).rows == ask("count", *case.words(case.path)).rows


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_names_of_columns(tmp_path, name, kind):
    path = put(tmp_path / f"t.{kind}", packed(kind, ROWS, ("id", "truth", "a", name)))
    found = ask("count", path, "--truth", "truth", "--a", "a", f"--b={name}", "--id", "id")
    assert found.rows == EXPECTED
    assert found.content["names"]["b"] == name


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_thousand_columns(tmp_path, kind):
    head = (*HEAD, *(f"column {i}" for i in range(1000)))
    path = put(tmp_path / f"t.{kind}", packed(kind, [(*row, *map(str, range(1000))) for row in ROWS], head))
    assert ask("count", path, *WORDS).rows == EXPECTED
    assert ask("count", path, "--a", "column 7", "--b", "column 999").rows == Counter({("7.0", "999.0"): len(ROWS)})
    told = refusal("count", path, "--a", "column 7", "--b", "column 1000")
    assert len(told) < 2000
    paths = put(tmp_path / f"old.{kind}", path.read_bytes()), put(tmp_path / f"new.{kind}", path.read_bytes())
    assert ask("count", *paths, "--id", "id", "--prediction", "column 3").n == len(ROWS)
