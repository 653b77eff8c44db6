"""Values in a few characters: what is hidden is spelt, what acts does not, what differs looks different."""

from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.data.columns import is_missing
from referee.data.value_text import LABEL, TEXT, said, short_label, short_text

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@given(ANYTHING)
def test_anything_is_worded_in_few_characters(value):
    for text, most in ((short_text(value), TEXT), (short_label(value), LABEL)):
        assert len(text) <= most
        text.encode()
        assert not any(sign < " " or "\u202a" <= sign <= "\u202e" or "\u2066" <= sign <= "\u2069" for sign in text)


@given(st.text(max_size=20), st.text(max_size=20))
def test_labels_that_differ_look_different(one, other):
    if "\\" not in one + other and '"' not in one + other:
        assert (short_label(one) == short_label(other)) == (one == other)


@pytest.mark.parametrize(
    ("value", "label"),
    [
        (1, "1"),
        (True, "True"),
        (0.1 + 0.2, "0.3"),
        (1e-9, "1e-09"),
        (Decimal("1.50"), "1.50"),
        (date(2026, 11, 3), "2026-11-03"),
        (datetime(2026, 11, 3, 4, 5), "2026-11-03T04:05:00"),
        (pd.Timestamp("2026-11-03"), "2026-11-03T00:00:00"),
        ("", '""'),
        ("x ", '"x "'),
        ("\u200f007", "\\u200f007"),
        (b"\xff", "\ufffd"),
        (["task", None, 7], "task, 7"),
    ],
)
def test_labels(value, label):
    assert short_label(value) == label


@pytest.mark.parametrize("value", [None, float("nan"), np.float64("nan"), pd.NA, pd.NaT])
def test_what_is_missing(value):
    assert is_missing(value)


@pytest.mark.parametrize("value", [0, "", [], "nan", [float("nan")], np.array([1.0, 2.0]), False])
def test_what_is_not_missing(value):
    assert not is_missing(value)


def test_a_conversation_is_what_was_asked_last():
    asked = [
        {"role": "user", "content": "First?"},
        {"role": "assistant", "content": "Yes."},
        {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "And now?"}]},
    ]
    assert said(asked) == "And now?"
    assert said([{"role": "assistant", "content": "Hello."}]) == "Hello."
    assert said([{"x": 1}]) == '{"x": 1}'
    assert said([]) == "[]"


def test_what_is_nested_too_deeply():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    assert said(deep) == "list"
