"""Numbers: never 0 for what is not 0, never nan, never across alpha."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.report.numbers import MINUS, Scale, decimals, number, p_equation, p_value, percent


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        (0.0314, "0.031"),
        (0.0002, "0.00020"),
        (1.52e-26, "<\xa00.0001"),
        (0.0496, "0.0496"),
        (0.0504, "0.0504"),
        (0.05, "0.050"),
        (0.412, "0.41"),
        (0.996, ">\xa00.99"),
        (1.0, "1"),
        (0.0, "<\xa00.0001"),
        (None, "unknown"),
        (math.nan, "unknown"),
    ],
)
def test_p(p, shown):
    assert p_value(p) == shown


@given(st.floats(0, 1), st.sampled_from([1e-6, 0.01, 0.05, 0.1]))
def test_a_p_value_is_close_and_on_its_side_of_alpha(p, alpha):
    text = p_value(p, alpha)
    if text[0] in "<>":
        assert p < min(1e-4, alpha) or 0.99 < p < 1
        return
    assert float(text) == pytest.approx(p, rel=0.051)
    assert (float(text) <= alpha) == (p <= alpha)
    assert float(text) > 0


@given(st.floats(-1e300, 1e300) | st.sampled_from([math.nan, math.inf, -math.inf]), st.integers(0, 12))
def test_numbers_are_never_nan_and_never_lose_what_is_there(value, places):
    text = number(value, places)
    if not math.isfinite(value):
        assert text == "unknown"
        return
    assert "-" not in text[:1]
    shown = float(text.replace(MINUS, "-"))
    assert (shown == 0) == (value == 0)
    assert shown == pytest.approx(value, rel=5.1e-4 if abs(value) >= 1e9 else 0.5, abs=0.51 * 10**-places)


@given(st.floats(1e-9, 1e9))
def test_two_digits_of_the_width_are_shown(width):
    places = decimals(width, [])
    assert 0 <= places <= 12
    assert width < 100 or places == 0
    if 0 < places < 12:
        assert 10 <= width * 10**places < 100.0001


def test_without_a_width_the_values_count():
    assert decimals(None, [None, math.nan]) == 3
    assert decimals(0.0, [0.8]) == 4
    assert decimals(math.inf, [1234.5]) == 0


def test_words_for_shares():
    assert percent(None) == "unknown"
    assert percent(1.0) == "100%"
    assert p_equation(1e-301) == "p\xa0<\xa00.0001"


SCORE = st.floats(0, 1)


@given(SCORE, SCORE, st.floats(0, 0.3), st.sampled_from([0.01, 0.02, None]), st.sampled_from(["share", "number"]))
def test_what_differs_looks_different_and_no_end_looks_like_zero_or_the_margin(a, b, half, margin, unit):
    marks = [0.0] if margin is None else [0.0, margin, -margin]
    differences = [b - a, b - a - half, b - a + half]
    scale = Scale.fitting(unit, [a, b], differences, marks, half)
    pairs = [(a, b), *((one, mark) for one in differences for mark in marks)]
    for one, other in pairs:
        if abs(one - other) > 1e-5:
            assert scale.plain(one) != scale.plain(other)
    if min(abs(one - other) for one, other in pairs) > 0.001:
        assert scale.places == 1 or unit == "number"


def test_one_precision():
    scale = Scale.fitting("share", [0.8112, 0.8110], [0.0002])
    assert (scale.score(0.8112), scale.score(0.811), scale.difference(0.0002)) == (
        "81.12%",
        "81.10%",
        "+0.02\xa0points",
    )
