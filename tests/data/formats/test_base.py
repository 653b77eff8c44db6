import json
from pathlib import Path

import pytest

from referee.data.formats.base import HEAD, first_lines, glimpse, stem


def test_any_beginning_of_an_object_shows_the_fields_that_came_before():
    text = json.dumps({"columns": ["a", "b"], "data": [[1, {"x": [2, "three"]}], [4, None]], "n": 5})
    found = [glimpse(text[:cut].encode()) for cut in range(1, len(text) + 1)]
    assert found[-1] == json.loads(text)
    assert all(isinstance(one, dict) for one in found)
    sizes = [len(json.dumps(one)) for one in found]
    assert sizes == sorted(sizes)
    assert found[text.index('"three"')] == {"columns": ["a", "b"], "data": [[1, {"x": [2]}]]}


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"   ",
        b"token O O",
        b'{"a": 1}\n{"a": 2}',
        b"\x00\xff\xfe",
        b"9" * HEAD,
        b"nul",
    ],
)
def test_what_is_no_single_piece_of_json_is_nothing(head):
    assert glimpse(head) is None


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
@pytest.mark.parametrize("times", [400, 5000, HEAD])
def test_of_what_is_deep_the_top_is_seen_in_every_python(opening, closing, times):
    found = glimpse((opening * times).encode()[:HEAD])
    for _ in range(4):
        assert len(found) == 1
        found = found[0] if opening == "[" else found["a"]
    assert len(found) == 0


def test_a_name_that_is_deep_is_none():
    assert glimpse(b'{"a": 1, ' + b"[" * 5000) == {"a": 1}


def test_a_byte_order_mark_and_blanks_do_not_matter():
    assert glimpse(b'\xef\xbb\xbf \r\n {"a": [1]}\r\n') == {"a": [1]}


def test_the_last_line_of_a_full_head_is_cut_and_left_out():
    head = (b"12345\n" * HEAD)[:HEAD]
    assert first_lines(head, HEAD) == [b"12345"] * (HEAD // 6)
    assert first_lines(b"12345\n67", 9) == [b"12345", b"67"]
    assert first_lines(b"\xef\xbb\xbf1\r\n\r\n2\r\n", 9) == [b"1", b"2"]
    assert first_lines(b"1\n\x00\n", 9) == []


def test_the_stem_is_that_of_the_packed_file():
    assert [stem(Path(name)) for name in ("x/old.json", "old.json.gz", "old", "gpt.4.json")] == [
        "old",
        "old",
        "old",
        "gpt.4",
    ]
