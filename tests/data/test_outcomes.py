import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.data.counts import Counts
from referee.data.outcomes import Outcomes, count
from referee.errors import InputError, OptionError

LABELS = st.sampled_from([None, "x", "y", " x", "z"])
ROWS = st.lists(
    st.tuples(st.sampled_from(["x", "y", "z"]), LABELS, LABELS, st.sampled_from(["d1", "d2"])), min_size=1, max_size=30
)
SCORES = st.lists(st.tuples(*[st.one_of(st.integers(-2, 2), st.floats(-1, 1), st.none())] * 2), min_size=1, max_size=30)


def table(rows):
    return dict(zip(("truth", "old", "new", "doc"), map(list, zip(*rows, strict=True)), strict=True))


def counted(source, missing="wrong"):
    return count(source, truth="truth", a="old", b="new", group="doc", missing=missing)


@given(ROWS, ROWS)
def test_counting_two_parts_is_counting_the_whole(first, second):
    # With three labels in each part a missing prediction is None in both; with two it is the other label.
    full = [(label, label, label, "d1") for label in "xyz"]
    first, second = first + full, second + full
    assert counted(table(first)) + counted(table(second)) == counted(table(first + second))


@given(SCORES, SCORES)
def test_counting_scores_in_two_parts(first, second):
    def scores(rows):
        return count(a=[row[0] for row in rows], b=[row[1] for row in rows], missing="wrong")

    assert scores(first) + scores(second) == scores(first + second)


@settings(max_examples=30)
@given(ROWS, st.randoms(use_true_random=False))
def test_neither_order_nor_engine_matters(rows, random):
    import pandas as pd
    import polars as pl

    expected = counted(table(rows))
    random.shuffle(rows)
    for source in (
        table(rows),
        pd.DataFrame(table(rows), dtype=object),
        pl.DataFrame(table(rows), schema=dict.fromkeys(table(rows), pl.String)),
    ):
        found = counted(source)
        assert found == expected
        assert (found.notes, found.matched) == (expected.notes, expected.matched)


@given(ROWS)
def test_saving_and_loading_is_identity(rows):
    found = counted(table(rows))
    loaded = Counts.from_json(found.to_json())
    assert loaded == found
    assert (loaded.notes, loaded.matched) == (found.notes, found.matched)


def test_outcomes_describe_and_count():
    data = {"label": [1, 0], "old": [1, 1], "new": [1, 0]}
    outcomes = Outcomes(source=data, truth="label", a="old", b="new", positive=1)
    assert outcomes.describe() == "old and new in dict: truth is label"
    assert outcomes.roles == {"truth": "label", "a": "old", "b": "new"}
    assert count(outcomes) == count(data, truth="label", a="old", b="new", positive=1)
    with pytest.raises(InputError, match="leave out a, missing"):
        count(outcomes, a="old", missing="drop")
    with pytest.raises(OptionError, match="missing must be one of"):
        Outcomes(source=data, a="old", b="new", missing="ignore")


def test_names_may_be_given():
    outcomes = Outcomes(source={"x": [1], "y": [0]}, a="x", b="y", names={"a": "baseline", "b": "candidate"})
    assert outcomes.count().names == {"a": "baseline", "b": "candidate"}


def test_counts_are_returned_as_they_are():
    counts = count(truth=[1, 0], a=[1, 1], b=[0, 0])
    assert count(counts) is counts
    for extra in ({"a": [1, 0]}, {"id": "id"}, {"multiplicity": "n"}, {"group": "doc"}, {"b": "other"}):
        with pytest.raises(InputError, match="leave out"):
            count(counts, **extra)


def test_two_systems_are_needed():
    with pytest.raises(InputError, match="b not given"):
        count(truth=[1], a=[1])
    with pytest.raises(InputError, match="a= and b= not given"):
        count({"x": [1]}, truth="x")
    with pytest.raises(InputError, match="must be the name of a column"):
        count({"x": [1]}, truth="x", a=[1], b="x")
    with pytest.raises(InputError, match="must be the name of a column"):
        count({"x": [1]}, truth="x", a=np.array([1]), b="x")


def test_identical_systems():
    data = {"label": ["x", "y"], "old": ["x", "x"]}
    found = count(data, truth="label", a="old", b="old")
    assert found == found.swap()
    assert found.names == {"a": "old", "b": "old"}


def test_slices():
    found = count(truth=[1, 0, 1], a=[1, 0, 1], b=[1, 1, 1], by=["en", "de", "en"])
    assert {name: part.n for name, part in found.slices()} == {"en": 2, "de": 1}
