import math

import pytest

from referee.data.formats import json_fields
from referee.errors import InputError


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
