"""Scores that were stored with different precisions: the same score is the same, whatever holds it."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather
from pyarrow import parquet as pq

import referee
from referee.data.counts import Counts
from referee.data.outcomes import count
from referee.errors import InputError

RNG = np.random.default_rng(3)
SCORES = np.round(RNG.random(400), 2)
TRUTH = RNG.integers(0, 2, 400)
NARROW = {16: np.float16, 32: np.float32}


def compare(*data, **options):
    """Compare without measuring how often the test errs: these tests are about reading."""
    return referee.compare(*data, audit=False, **options)


def arrays(table):
    return {"data": None, **table}


def columns(make):
    return lambda table: {"data": make(table), **{name: name for name in table}}


DRESSES = {
    "arrays": arrays,
    "series": lambda table: {"data": None, **{name: pd.Series(values) for name, values in table.items()}},
    "pyarrow arrays": lambda table: {"data": None, **{name: pa.array(values) for name, values in table.items()}},
    "objects": lambda table: {"data": None, **{name: list(values) for name, values in table.items()}},
    "pandas": columns(pd.DataFrame),
    "polars": columns(pl.DataFrame),
    "polars lazy with text": columns(lambda table: pl.DataFrame({**table, "g": ["x"] * 400}).lazy()),
    "pyarrow": columns(pa.table),
}


@pytest.mark.parametrize("bits", NARROW)
@pytest.mark.parametrize("side", "ab")
@pytest.mark.parametrize("dress", DRESSES)
def test_the_same_scores_are_the_same(dress, side, bits):
    if "polars" in dress and bits == 16 and not hasattr(pl, "Float16"):
        pytest.skip("this polars has no numbers of 16 bits")
    table = {"truth": TRUTH, "a": SCORES, "b": SCORES}
    table[side] = SCORES.astype(NARROW[bits])
    given = DRESSES[dress](table)
    for metric, threshold in (("auc", None), ("mse", None), ("accuracy", 0.7)):
        found = compare(**given, metric=metric, threshold=threshold)
        assert (found.difference, found.p_value, found.verdict) == (0, 1, "too close to call")
        assert any(f"stored with {bits} bits" in note and "with 64" in note for note in found.warnings)


@pytest.mark.parametrize("form", ["parquet", "arrow"])
@pytest.mark.parametrize("bits", NARROW)
def test_the_same_scores_in_files(tmp_path, form, bits):
    write = pq.write_table if form == "parquet" else feather.write_feather
    ids = np.arange(400)
    narrow = pa.array(SCORES.astype(NARROW[bits]))
    write(pa.table({"id": ids, "t": TRUTH, "a": SCORES, "b": narrow}), str(tmp_path / f"x.{form}"))
    write(pa.table({"id": ids, "t": TRUTH, "p": SCORES}), str(tmp_path / f"l.{form}"))
    write(
        pa.table({"id": ids[::-1], "t": TRUTH[::-1], "p": narrow.take(pa.array(ids[::-1]))}),
        str(tmp_path / f"r.{form}"),
    )
    joined = referee.read(tmp_path / f"l.{form}", tmp_path / f"r.{form}", id="id", truth="t", prediction="p")
    for found in (
        compare(tmp_path / f"x.{form}", truth="t", a="a", b="b", metric="accuracy", threshold=0.7),
        compare(joined, metric="accuracy", threshold=0.7),
    ):
        assert (found.difference, found.p_value) == (0, 1)
        assert [note for note in found.warnings if f"stored with {bits} bits" in note]
        assert sum("bits" in note for note in found.warnings) == 1


def test_scores_are_rounded_before_they_are_averaged(tmp_path):
    ids = np.repeat(np.arange(200), 2)
    for name, kind in (("old", np.float64), ("new", np.float32)):
        pq.write_table(pa.table({"id": ids, "p": SCORES.astype(kind)}), tmp_path / f"{name}.parquet")
    paths = tmp_path / "old.parquet", tmp_path / "new.parquet"
    found = compare(referee.read(*paths, id="id", prediction="p", repeats="mean"))
    assert (found.n, found.difference, found.p_value) == (200, 0, 1)
    one = pd.DataFrame({"id": ids, "a": SCORES, "b": SCORES.astype(np.float32)})
    assert compare(one, a="a", b="b", id="id", repeats="mean").difference == 0
    pq.write_table(pa.table({"id": ids, "p": SCORES.astype(np.float16)}), tmp_path / "new.parquet")
    with pytest.raises(InputError, match=r"scores of new are stored with 16 bits .* means"):
        compare(referee.read(*paths, id="id", prediction="p", repeats="mean"))


def test_a_truth_of_two_precisions_is_one_truth(tmp_path):
    for name, kind in (("old", np.float64), ("new", np.float32)):
        table = {"id": np.arange(400), "y": SCORES.astype(kind), "p": (SCORES + 0.1).astype(kind)}
        pq.write_table(pa.table(table), tmp_path / f"{name}.parquet")
    paths = tmp_path / "old.parquet", tmp_path / "new.parquet"
    found = compare(referee.read(*paths, id="id", truth="y", prediction="p"), metric="mse")
    assert (found.n, found.difference) == (400, 0)


@pytest.mark.parametrize("bits", NARROW)
def test_a_threshold_is_compared_at_the_precision_of_the_scores(tmp_path, bits):
    narrow = SCORES.astype(NARROW[bits])
    expected = compare(truth=TRUTH, a=SCORES, b=SCORES[::-1], metric="accuracy", threshold=0.7)
    found = compare(truth=TRUTH, a=narrow, b=narrow[::-1], metric="accuracy", threshold=0.7)
    assert (found.a.score, found.b.score, found.p_value) == (expected.a.score, expected.b.score, expected.p_value)
    assert found.warnings == expected.warnings
    counts = count(truth=TRUTH, a=narrow, b=narrow[::-1])
    assert counts.precision == bits
    counts.save(tmp_path / "counts.json")
    assert json.loads((tmp_path / "counts.json").read_text())["precision"] == bits
    again = compare(tmp_path / "counts.json", metric="accuracy", threshold=0.7)
    assert (again.a.score, again.p_value) == (expected.a.score, expected.p_value)
    assert "precision" not in count(truth=TRUTH, a=SCORES, b=SCORES).to_dict()


def test_counts_of_two_precisions_are_added_at_the_coarser():
    narrow = SCORES.astype(np.float32)
    halves = count(a=SCORES[:200], b=narrow[:200]), count(a=SCORES[200:], b=SCORES[200:])
    assert [one.precision for one in halves] == [32, 64]
    total = halves[0] + halves[1]
    assert total == count(a=SCORES.astype(np.float32), b=narrow)
    assert total.precision == (halves[1] + halves[0]).precision == 32
    assert any("32 and 64 bits were added" in note for note in total.notes)


def test_counts_of_an_unknown_precision_are_refused(tmp_path):
    content = count(a=[0.5], b=[0.25]).to_dict()
    for wrong in (8, "32", True, None):
        with pytest.raises(InputError, match="precision must be 16, 32 or 64"):
            Counts.from_dict({**content, "precision": wrong})


def test_scores_too_large_for_the_coarser_are_refused():
    with pytest.raises(InputError, match="A is stored with 16 bits, and B has numbers too large for that"):
        count(a=np.array([0.5, 1.5], np.float16), b=[0.5, 1e6 + 0.5])


def test_whole_numbers_of_any_precision_are_labels():
    for kind in (np.float16, np.float32, np.float64):
        assert count(a=np.array([1, 0], kind), b=[1, 0])["a"].dtype == np.int64
    # From 2^24 on a number of 32 bits may have been another.
    assert count(a=np.array([2**24, 1], np.float32), b=np.array([2**24 + 1.0, 1.5]))["b"].tolist() == [1.5, 2**24]


def test_examples_are_shown_as_they_were_counted():
    table = pd.DataFrame({"id": ["x", "y"], "t": [1, 0], "a": [0.7, 0.1], "b": np.array([0.7, 0.9], np.float32)})
    found = compare(table, truth="t", a="a", b="b", id="id", metric="accuracy", threshold=0.7)
    assert [one.id for one in found.look()] == ["y"]


def test_numbers_that_were_widened_are_pointed_out():
    other = np.random.default_rng(7).random(len(SCORES))
    written = json.loads(json.dumps(other.astype(np.float32).tolist()))
    told = "the scores of B look like 32-bit numbers and those of A have more digits"
    assert [note for note in count(a=SCORES.tolist(), b=written).notes if note.startswith(told)]
    assert count(a=written, b=written).notes == ()
    assert count(a=[0.5, 0.25] * 20, b=SCORES[:40].tolist()).notes == ()


@pytest.mark.parametrize("flip", [False, True])
def test_ties_that_storing_broke_are_refused(flip):
    """Scores of 32 bits that were written out since, beside the same ones of 64: no verdict hangs on the eighth digit."""
    tenths = np.round(np.random.default_rng(0).random(50), 1)
    sides = (tenths.astype(np.float32).astype(float), tenths)
    a, b = sides[::-1] if flip else sides
    with pytest.raises(InputError, match="differ in the eighth digit"):
        compare(a=a.tolist(), b=b.tolist())
    # Sums that rounding left a little beside a whole number are no such thing.
    compare(a=[1.0, 0.0, 1.0] * 5, b=[0.1 + 0.2 + 0.7, 0.0, 0.1 * 3 + 0.7] * 5)


def test_a_threshold_meets_scores_of_32_bits_that_were_written_out():
    scores = np.round(np.random.default_rng(1).random((2, 300)), 1)
    truth = (np.arange(300) % 3 == 0).astype(int)
    plain, narrow = (
        compare(truth=truth, a=a, b=b, metric="f1", threshold=0.7)
        for a, b in (scores, scores.astype(np.float32).astype(float))
    )
    assert (plain.a.score, plain.b.score, plain.p_value) == (narrow.a.score, narrow.b.score, narrow.p_value)
