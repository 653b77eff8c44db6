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


def test_identifier_and_label():
    assert [json_fields.identifier(value, "it") for value in ("007", 7)] == ["007", 7]
    assert [json_fields.label(value, "it") for value in ("x", 7, 0.5, False)] == ["x", 7, 0.5, False]
    for value in (None, [], {}, math.inf, "\udc00"):
        with pytest.raises(InputError, match="it "):
            json_fields.label(value, "it")
        with pytest.raises(InputError, match="it "):
            json_fields.identifier(value, "it")
    for value in (True, 1.0):
        with pytest.raises(InputError, match="it must be a text or a whole number"):
            json_fields.identifier(value, "it")


def test_mapping_and_name():
    assert json_fields.mapping({"a": 1}, "it") == {"a": 1}
    with pytest.raises(InputError, match="it must be a JSON object; it is 3"):
        json_fields.mapping(3, "it")
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
