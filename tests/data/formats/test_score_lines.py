import gzip
from pathlib import Path

import pytest

from referee.data.formats.base import Choices, Opening
from referee.data.formats.score_lines import is_numbers, read
from referee.errors import InputError
from tests.data.formats import damage

DATA = Path(__file__).parents[2] / "samples" / "numbers"


def written(folder, data, name="x.txt"):
    path = folder / name
    path.write_bytes(data)
    return path


def test_a_line_is_an_example():
    (run,) = read(DATA / "old.txt", Choices())
    assert run.system == "old"
    assert run.ordered
    assert run.rows["id"] == list(range(1, 9))
    assert run.rows["value"] == [0.52, 0.48, 0.61, 0.40, 0.75, 0.33, 0.58, 0.47]


def test_all_spellings_of_numbers(tmp_path):
    path = written(tmp_path, b"\xef\xbb\xbf1\r\n-2.5e3\r\n .5 \r\n7.\r\nNaN\r\n+0\r\n\r\n  \r\n")
    assert is_numbers(Opening(path))
    assert read(path, Choices())[0].rows["value"] == [1.0, -2500.0, 0.5, 7.0, None, 0.0]


def test_packed_files(tmp_path):
    path = written(tmp_path, gzip.compress(b"1\n0\n"), "new.txt.gz")
    assert is_numbers(Opening(path))
    (run,) = read(path, Choices())
    assert (run.system, run.rows["value"]) == ("new", [1.0, 0.0])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"1\n\n0\n", "line 2 of .* is blank.*paired by line"),
        (b"1\nx\n", "line 2 of .* is 'x', not a number"),
        (b"1\n0,5\n", "line 2 of .* is '0,5'"),
        (b"1\n2 3\n", "line 2 of .* is '2 3'"),
        (b"1\n1_000\n", "line 2 .*1_000"),
        ("1\n٣\n".encode(), "line 2 "),
        (b"1\ninf\n", "line 2 .*'inf', not a number"),
        (b"1\n1e999\n", "line 2 .*too large"),
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"\xff\xfe1\x00\n\x00", "line 1 of .* not a number"),
    ],
)
def test_what_is_no_number_is_refused_with_its_line(tmp_path, data, message):
    with pytest.raises(InputError, match=message):
        read(written(tmp_path, data), Choices())


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("x", b"1\n2\n", True),
        ("x.scores", b"0.5\n", True),
        ("x.dat", b"1\n\n2\n", True),
        ("x.csv", b"1\n2\n", False),
        ("x.json", b"1\n", False),
        ("x.txt", b"", False),
        ("x.txt", b"id\n1\n", False),
        ("x.txt", b"1 2\n", False),
        ("x.txt", b"1\x00\n", False),
    ],
)
def test_recognised_by_its_lines_and_extension(tmp_path, name, data, expected):
    assert is_numbers(Opening(written(tmp_path, data, name))) is expected


def test_no_other_reader_takes_it():
    assert [damage.claimed(DATA / name) for name in ("old.txt", "new.txt")] == [["numbers by line"]] * 2


def test_damage_is_refused_or_read(tmp_path):
    read_, refused = damage.survives("numbers by line", DATA / "old.txt", None, tmp_path)
    assert min(read_, refused) > 10
