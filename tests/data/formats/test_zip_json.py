import warnings
import zipfile

import pytest

from referee.data.formats import json_fields, zip_json
from referee.data.formats.zip_json import unpacking
from referee.errors import InputError
from tests.data.formats.zips import deflated, zstandard

MEMBERS = [("a.json", {"x": [1, None, "é"]}), ("b/c.json", [1, 2])]


@pytest.mark.parametrize("write", [deflated, zstandard])
def test_members_are_loaded(tmp_path, write):
    with unpacking(write(tmp_path / "x.zip", MEMBERS)) as archive:
        assert archive.names == ("a.json", "b/c.json")
        assert [archive.load(name) for name, _ in MEMBERS] == [content for _, content in MEMBERS]


def test_the_last_of_several_members_of_one_name_counts(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        path = deflated(tmp_path / "x.zip", [("a", 1), ("a", 2)])
    with unpacking(path) as archive:
        assert (archive.names, archive.load("a")) == (("a",), 2)


def test_not_a_number_becomes_nothing(tmp_path):
    with unpacking(zstandard(tmp_path / "x.zip", [("a", b'{"v": NaN}')])) as archive:
        assert archive.load("a") == {"v": None}


def test_a_wrong_sum_is_damage_and_a_line_end_is_none(tmp_path):
    path = zstandard(tmp_path / "x.zip", [("a", b'{"v": 1}\n'), ("b", b"12345")])
    path.write_bytes(path.read_bytes().replace(b"12345", b"12355"))
    with unpacking(path) as archive:
        assert archive.load("a") == {"v": 1}
        with pytest.raises(InputError, match=r"b in .*damaged"):
            archive.load("b")


@pytest.mark.parametrize("write", [deflated, zstandard])
def test_bombs_are_not_unpacked(tmp_path, write, monkeypatch):
    monkeypatch.setattr(zip_json, "SUSPECT", 100_000)
    path = write(tmp_path / "x.zip", [("a", b'"' + b"0" * 1_000_000 + b'"')])
    with unpacking(path) as archive, pytest.raises(InputError, match=r"a in .*would unpack from .* to 1,000,002"):
        archive.load("a")
    monkeypatch.setattr(json_fields, "LARGEST", 1000)
    with unpacking(path) as archive, pytest.raises(InputError, match=r"a in .* is larger than"):
        archive.load("a")


def test_a_bomb_that_lies_about_its_size_is_not_unpacked(tmp_path):
    content = b'"' + b"0" * 40_000_000 + b'"'
    path = zstandard(tmp_path / "x.zip", [("a", content)], size=1000)
    with unpacking(path) as archive, pytest.raises(InputError, match=r"cannot read a in .*exceeded"):
        archive.load("a")
    path = deflated(tmp_path / "y.zip", [("a", content)])
    path.write_bytes(path.read_bytes().replace(len(content).to_bytes(4, "little"), (1000).to_bytes(4, "little")))
    with unpacking(path) as archive, pytest.raises(InputError, match="a in"):
        archive.load("a")


def test_locked_members_are_refused(tmp_path):
    path = deflated(tmp_path / "x.zip", [("a", 1)])
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    with unpacking(path) as archive, pytest.raises(InputError, match=r"a in .* is encrypted"):
        archive.load("a")


@pytest.mark.parametrize("content", [b"", b"[1] [2]", b'{"a": ', b"\xff\xfe"])
@pytest.mark.parametrize("write", [deflated, zstandard])
def test_what_is_not_one_piece_of_json(tmp_path, write, content):
    path = write(tmp_path / "x.zip", [("a", content)])
    with unpacking(path) as archive, pytest.raises(InputError, match=r"a in .*x\.zip"):
        archive.load("a")


def test_methods_that_nobody_knows_and_damage(tmp_path):
    path = zstandard(tmp_path / "x.zip", [("a", 1)])
    path.write_bytes(path.read_bytes().replace(b"\x5d\x00", b"\x5e\x00"))
    with unpacking(path) as archive, pytest.raises(InputError, match=r"cannot read a in .*compression"):
        archive.load("a")
    path = deflated(tmp_path / "x.zip", [("a", "[" + "1, " * 1000 + "1]")])
    content = path.read_bytes()
    path.write_bytes(content[:40] + b"\xff\xff" + content[42:])
    with unpacking(path) as archive, pytest.raises(InputError, match="cannot read a in"):
        archive.load("a")
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match=r"cannot read .*x\.zip as a ZIP file: .*is it complete"), unpacking(path):
        pass


def test_nothing_is_left_on_the_disk(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = zstandard(tmp_path / "x.zip", MEMBERS)
    with unpacking(path) as archive:
        archive.load("a.json")
    assert list(tmp_path.iterdir()) == [path]
    assert zipfile.is_zipfile(path)
