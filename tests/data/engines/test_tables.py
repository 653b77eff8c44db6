import gzip
import json

import pytest

from referee.data.counts import Counts
from referee.data.outcomes import count
from referee.errors import InputError, NameUnknown

HEAD = b"truth,a,b\n"


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def of(truth, a, b, times=None, names=("a", "b")):
    return Counts.of({"truth": truth, "a": a, "b": b}, times, names=dict(zip("ab", names, strict=True)))


def test_byte_order_mark_carriage_returns_and_quoted_newlines(tmp_path):
    path = write(tmp_path, "x.csv", b'\xef\xbb\xbftruth,a,b,"a\r\nnote"\r\nx,"x\ny","x ""q"""," "\r\nx,x,x,\r\n')
    assert count(path, truth="truth", a="a", b="b") == of(["x", "x"], ["x\ny", "x"], ['x "q"', "x"])


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_other_delimiters_are_found_by_the_wanted_columns(tmp_path, mark):
    path = write(tmp_path, "x.csv", f"truth{mark}a{mark}b\n1{mark}0{mark}1\n")
    assert count(path, truth="truth", a="a", b="b") == of([1], [0], [1])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\n \n", "is empty"),
        (HEAD, "there are no examples"),
        (HEAD + b"1,1,1\n1,0\n", r"line 3 \('1,0'\): 3 columns expected, 2 found"),
        (HEAD + b"1,1,1\n" * 3000 + b"1,0,1,1\n", r"line 3002 \('1,0,1,1'\): 3 columns expected, 4 found"),
        (HEAD + b'1,1,"0\n1,1,1\n', "line 2.*quote"),
        (HEAD + b"1,1,1\r\n1,1,1\n", "cannot read"),
        (b"truth,a,a\n1,1,1\n", "line 1: the header names 'a' twice"),
        (b"1,0,1\n0,0,1\n", "names '1' twice; does the file have a header"),
        (b"1,0,0.5\n0,0,1\n", "does not look like a header|twice"),
        (b"0.1,0.2,yes\n0,0,1\n", "does not look like a header"),
        ("truth,a,b\n1,1,1\n".encode("utf-16"), "UTF-16"),
        ("truth,a,b\n1,1,1\n".encode("utf-16-le"), "UTF-16"),
        ("truth,a,b\nx,é,x\n".encode("latin-1"), "(?i)not utf-8"),
        ("truth,a,b,é\nx,x,x,x\n".encode("latin-1"), "not UTF-8"),
    ],
)
def test_broken_csv(tmp_path, content, message):
    for name, packed in (("x.csv", content), ("x.csv.gz", gzip.compress(content))):
        with pytest.raises(InputError, match=message) as caught:
            count(write(tmp_path, name, packed), truth="truth", a="a", b="b")
        assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.csv.gz", b"no gzip", "cannot read"),
        ("x.csv.gz", gzip.compress(HEAD + b"1,1,1\n" * 99, mtime=0)[:-20], "cannot read"),
        ("x.jsonl", b"", "is empty"),
        ("x.jsonl", b'{"truth": 1, "a": 1, "b": 1}\n{"truth": 1, "a"', "(?i)malformed"),
        ("x.jsonl", b'{"truth": 1, "a": 1, "b": 1}\n3\n', "line 2"),
        ("x.jsonl", b'{"truth": 1, "a": {"x": 1}, "b": 1}\n', "lists or objects"),
        ("x.json", b"[]", "no examples"),
        ("x.json", b"nonsense", "cannot read"),
        ("x.parquet", b"", "cannot read"),
        ("x.parquet", b"PAR1 and something else PAR1", "cannot read"),
        ("x.xlsx", b"?", r"known are \.csv"),
        ("x.gz", b"?", r"known are \.csv"),
        ("x.parquet.gz", b"?", r"known are \.csv"),
        ("x", b"?", r"known are \.csv"),
    ],
)
def test_broken_files(tmp_path, name, content, message):
    with pytest.raises(InputError, match=message):
        count(write(tmp_path, name, content), truth="truth", a="a", b="b")


def test_no_such_file(tmp_path):
    for name in ("none.csv", "none*.csv"):
        with pytest.raises(InputError, match="there is no file"):
            count(tmp_path / name, truth="truth", a="a", b="b")
    with pytest.raises(InputError, match="no table in the folder"):
        count(tmp_path, truth="truth", a="a", b="b")


def test_folders_and_patterns(tmp_path):
    for i in range(3):
        write(tmp_path, f"day[{i}].csv", HEAD + b"1,0,1\n" * (i + 1))
    write(tmp_path, "day[3].csv.gz", gzip.compress(HEAD + b"0,0,1\n"))
    expected = of([1, 0], [0, 0], [1, 1], [6, 1])
    assert count(tmp_path, truth="truth", a="a", b="b") == expected
    assert count(f"{tmp_path}/day*.csv*", truth="truth", a="a", b="b") == expected
    assert count(tmp_path / "day[1].csv", truth="truth", a="a", b="b").n == 2
    write(tmp_path, "other.csv", b"a,truth,b\n0,1,1\n")
    with pytest.raises(InputError, match=r"the headers of .* differ"):
        count(tmp_path, truth="truth", a="a", b="b")
    write(tmp_path, "x.jsonl", b"{}")
    with pytest.raises(InputError, match="several kinds"):
        count(tmp_path, truth="truth", a="a", b="b")


def test_a_star_in_a_file_name_is_no_pattern(tmp_path):
    path = write(tmp_path, "x*.csv", HEAD + b"1,0,1\n")
    write(tmp_path, "xy.csv", HEAD + b"0,0,0\n")
    assert count(path, truth="truth", a="a", b="b").n == 1


def test_json_tells_one_from_another(tmp_path):
    path = write(
        tmp_path, "x.jsonl", b'{"truth": 1, "a": 1.0, "b": 2}\n\n{"b": 1, "truth": 1, "a": NaN}\n{"truth": 2, "b": 2}\n'
    )
    assert count(path, truth="truth", a="a", b="b", missing="drop") == of([1], [1], [2])
    mixed = write(tmp_path, "y.jsonl", b'{"truth": 1, "a": 1, "b": "1"}\n{"truth": 1, "a": 1, "b": 1}\n')
    with pytest.raises(InputError, match="b mixes values of different types"):
        count(mixed, truth="truth", a="a", b="b")


def test_json_names_that_differ_by_case(tmp_path):
    path = write(
        tmp_path,
        "x.jsonl",
        json.dumps({"Old": 1, "old": 0, "a/b~c": 1}) + "\n" + json.dumps({"Old": None, "old": 0, "a/b~c": 1}),
    )
    assert count(path, truth="a/b~c", a="Old", b="old", missing="drop") == of([1], [1], [0], names=("Old", "old"))


def test_json_strings_stay_as_they_are(tmp_path):
    path = write(tmp_path, "x.json", b'[{"truth": "2024-01-01", "a": "1", "b": "\\u00e9 "}]')
    assert count(path, truth="truth", a="a", b="b").columns["b"].tolist() == ["é "]


def test_a_json_column_of_nulls_is_a_column(tmp_path):
    path = write(tmp_path, "x.jsonl", b'{"truth": "x", "a": null, "b": "y"}\n')
    assert count(path, truth="truth", a="a", b="b", missing="wrong")["a"].tolist() == ["y"]
    with pytest.raises(NameUnknown, match="there are: a, b, truth"):
        count(path, truth="truth", a="old", b="b", missing="wrong")


def test_parquet_types(tmp_path):
    import duckdb

    path = tmp_path / "x.parquet"
    query = "SELECT 1::UTINYINT AS truth, 1.0::DECIMAL(5, 2) AS a, 1::HUGEINT AS b, DATE '2024-05-01' AS day, [1] AS l, 1e30 AS huge, true AS yes, NULL::INTEGER AS nil"
    duckdb.sql(query).write_parquet(str(path))
    found = count(path, truth="truth", a="a", b="b", by="day")
    assert (found["truth"].tolist(), found["a"].tolist(), found["slice"].tolist()) == ([1], [1], ["2024-05-01"])
    with pytest.raises(InputError, match="l holds INTEGER"):
        count(path, truth="truth", a="l", b="b")
    assert count(path, truth="yes", a="nil", b="yes", missing="wrong")["a"].tolist() == [False]


def test_a_counts_file_is_counts(tmp_path):
    counts = of([1, 0, 2], [0, 0, None], [1, 1, 2], [6, 1, 3], names=("old", "new"))
    path = tmp_path / "week.json"
    counts.save(path)
    assert count(path) == counts == count(str(path), a="old", b="new", truth="truth")
    with pytest.raises(InputError, match=r"columns already: truth, a \(old\), b \(new\); leave out a="):
        count(path, a="new")
    with pytest.raises(InputError, match="leave out group="):
        count(path, group="doc")
    assert count(path, positive=1).positive == 1
    path.write_text(path.read_text()[:-40])
    with pytest.raises(InputError, match="not a whole counts file"):
        count(path)
    path.write_text(counts.to_json().replace("counts/1", "counts/9"))
    with pytest.raises(InputError, match="not a counts file of this version"):
        count(path)


BREAKS = {"LF": b"\n", "CR": b"\r", "CRLF": b"\r\n"}


@pytest.mark.parametrize("within", BREAKS)
@pytest.mark.parametrize("end", BREAKS)
@pytest.mark.parametrize("packing", [bytes, gzip.compress], ids=["plain", "gz"])
def test_a_line_break_in_the_name_of_a_column(tmp_path, within, end, packing):
    """DuckDB takes the first break of a file for the end of its lines, and finds no rows where these end otherwise."""
    name = "x.csv" + (".gz" if packing is gzip.compress else "")
    rows = (b'truth,a,b,"two' + BREAKS[within] + b'lines"', *[b"1,0,1,x"] * 60)
    (tmp_path / "days").mkdir()
    paths = [write(tmp_path, name, packing(BREAKS[end].join(rows) + BREAKS[end]))]
    write(tmp_path / "days", "1.csv", BREAKS[within].join(rows))
    paths.append(write(tmp_path / "days", f"2{name[1:]}", paths[0].read_bytes()).parent)
    for path, n in zip(paths, (60, 120), strict=True):
        if within == end:
            assert count(path, truth="truth", a="a", b="b").n == n
            continue
        with pytest.raises(InputError, match=r"no rows found after the header|cannot read"):
            count(path, truth="truth", a="a", b="b")


@pytest.mark.parametrize("end", BREAKS)
def test_blank_lines_are_no_rows(tmp_path, end):
    path = write(tmp_path, "x.csv", (HEAD + b"\n\n  \n").replace(b"\n", BREAKS[end]))
    with pytest.raises(InputError, match=r"there are no examples|columns expected"):
        count(path, truth="truth", a="a", b="b")


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_a_header_of_many_columns(tmp_path, mark):
    names = ["truth", "a", "b", *(f"column {place}" for place in range(12_000))]
    head = mark.join(names)
    assert len(head) > 131_072
    path = write(tmp_path, "x.csv", f"{head}\n{mark.join('1' * len(names))}\n")
    assert count(path, truth="truth", a="a", b="b") == of([1], [1], [1])


@pytest.mark.parametrize("name", ["~x", "~", "~root", "a[1]", "[x]", "a*", "a?"])
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_names_that_could_be_something_else(tmp_path, monkeypatch, name, kind):
    import pandas as pd

    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"truth": [1, 0], "a": [1, 1], "b": [0, 0]})
    save = {
        "csv": lambda path: frame.to_csv(path, index=False),
        "jsonl": lambda path: frame.to_json(path, orient="records", lines=True),
        "parquet": frame.to_parquet,
    }[kind]
    for other in ("a1", "x", "ab"):
        write(tmp_path, f"{other}.{kind}", b"not to be read")
    save(tmp_path / f"{name}.{kind}")
    assert count(f"{name}.{kind}", truth="truth", a="a", b="b").n == 2
    assert count(tmp_path / f"{name}.{kind}", truth="truth", a="a", b="b").n == 2


@pytest.mark.parametrize("name", ["x.parquet", "a[1].parquet", "~x?.parquet"])
def test_a_path_with_dots_in_it(tmp_path, monkeypatch, name):
    import pandas as pd

    (tmp_path / "in").mkdir()
    pd.DataFrame({"truth": [1, 0], "a": [1, 1], "b": [0, 0]}).to_parquet(tmp_path / name)
    monkeypatch.chdir(tmp_path / "in")
    assert count(f"../in/../{name}", truth="truth", a="a", b="b").n == 2
