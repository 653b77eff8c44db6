import math
import warnings
import zipfile

import pytest

from referee.data.formats import json_fields
from referee.data.formats.json_fields import unpacking
from referee.errors import InputError
from tests.data.formats.zips import deflated, zstandard


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("x" * 100, repr("x" * 60)),
        (True, "true"),
        (None, "null"),
        (1.5, "1.5"),
        (nested(5000), "a list"),
        ({"a": nested(5000)}, "an object"),
    ],
)
def test_shown(value, text):
    assert json_fields.shown(value) == text


def test_score():
    assert [json_fields.score(value, "it") for value in (True, 0, 0.5, None, math.nan)] == [1.0, 0.0, 0.5, None, None]
    for value, message in (
        ("1", "it must be a number; it is '1'"),
        (nested(5000), "it is a list"),
        (10**400, "it is too large"),
        (-math.inf, "it is too large"),
    ):
        with pytest.raises(InputError, match=message):
            json_fields.score(value, "it")


def test_typed():
    identifier, label = "a text or a whole number", "a text or a number"
    assert [json_fields.typed(value, "it", identifier) for value in ("007", 7)] == ["007", 7]
    assert [json_fields.typed(value, "it", label) for value in ("x", 7, 0.5, False)] == ["x", 7, 0.5, False]
    for value in (None, [], {}, math.inf, "\udc00"):
        for kind in (identifier, label):
            with pytest.raises(InputError, match="it "):
                json_fields.typed(value, "it", kind)
    for value in (True, 1.0):
        with pytest.raises(InputError, match="it must be a text or a whole number"):
            json_fields.typed(value, "it", identifier)


def test_item_and_name():
    item = json_fields.Item({"a": 1, "b": {"c": []}}, "line 3")
    assert item == {"a": 1, "b": {"c": []}}
    assert item.typed("a", "a whole number") == 1
    assert (item.item("b"), item.item("z")) == ({"c": []}, {})
    with pytest.raises(InputError, match="the c of the b of line 3 must be a text; it is a list"):
        item.item("b").typed("c", "a text")
    with pytest.raises(InputError, match="it must be a JSON object; it is 3"):
        json_fields.Item(3, "it")
    assert [json_fields.name(value, "else") for value in ("x", "", None, 3)] == ["x", "else", "else", "else"]
    assert json_fields.name("\ud800x").encode().endswith(b"x")


def test_spelt():
    assert (
        json_fields.spelt({"b": 1, "a": "é"}, "it")
        == json_fields.spelt({"a": "é", "b": 1}, "it")
        == '{"a": "é", "b": 1}'
    )
    with pytest.raises(InputError, match="it is JSON that is nested too deeply"):
        json_fields.spelt(nested(100_000), "it")


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
    monkeypatch.setattr(json_fields, "SUSPECT", 100_000)
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
