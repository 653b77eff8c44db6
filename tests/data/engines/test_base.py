"""Every engine finds the same rows."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from referee.data.counts import Counts
from referee.data.engines.base import Blocks, engine_of
from referee.data.outcomes import count, described
from referee.errors import InputError, NameUnknown

SIZE = 200
RNG = np.random.default_rng(7)


def pick(values, holes=0.0):
    chosen = [values[i] for i in RNG.integers(0, len(values), SIZE)]
    return [None if RNG.random() < holes else value for value in chosen]


LABELS = {
    "id": [f"q{i:03}" for i in range(SIZE)],
    "truth": pick(["yes", "no", "per haps"]),
    "old sys": pick(["yes", "no", "per haps"]),
    'it\'s "new"': pick(["yes", "no", 'a "quoted", label']),
    "doc": pick(["007", "7", "d é"]),
    "times": pick([0, 1, 2, 5]),
}
NUMBERS = {"truth": pick([0, 1]), "a": pick([0, 1, 1]), "b": pick([0, 1])}
SCORES = {"truth": pick(["yes", "no"]), "a": RNG.random(SIZE).tolist(), "b": RNG.random(SIZE).tolist()}
WAYS = {
    "labels": (LABELS, {"truth": "truth", "a": "old sys", "b": 'it\'s "new"'}),
    "sides": (LABELS, {"truth": "truth", "a": "old sys", "b": 'it\'s "new"', "group": "doc", "id": "id"}),
    "slices": (LABELS, {"truth": "truth", "a": "old sys", "b": 'it\'s "new"', "by": "doc", "stratum": "truth"}),
    "times": (LABELS, {"truth": "truth", "a": "old sys", "b": 'it\'s "new"', "multiplicity": "times"}),
    "numbers": (NUMBERS, {"truth": "truth", "a": "a", "b": "b"}),
    "same column twice": (NUMBERS, {"truth": "truth", "a": "a", "b": "a"}),
    "scores": (SCORES, {"truth": "truth", "a": "a", "b": "b"}),
    "no truth": (SCORES, {"a": "a", "b": "b"}),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_engine_gives_the_same_counts(backend, dress, way):
    table, roles = WAYS[way]
    expected = count(table, **roles)
    found = count(dress(backend, table), **roles)
    assert found == expected
    assert found.notes == expected.notes
    assert found.matched == expected.matched
    assert found.names == {"a": roles["a"], "b": roles["b"]}


HOLES = {
    "truth": pick(["x", "y", "z"], 0.1),
    "a": pick(["x", "y"], 0.1),
    "b": pick(["x", "z"], 0.1),
    "g": pick(["u", "v"], 0.1),
}
NUMBER_HOLES = {"truth": pick([1, 2, 3]), "a": pick([1, 2, 3], 0.1), "b": pick([1, 2, 3], 0.2)}
SCORE_HOLES = {"a": pick([0.25, 0.5, 1.0], 0.1), "b": pick([0.25, 0.5, 2.0], 0.2)}
FLAG_HOLES = {"truth": pick([True, False]), "a": pick([True, False], 0.1), "b": pick([True, False])}


@pytest.mark.parametrize(
    ("table", "policy"),
    [
        (HOLES, "drop"),
        (NUMBER_HOLES, "drop"),
        (NUMBER_HOLES, "wrong"),
        (SCORE_HOLES, "drop"),
        (SCORE_HOLES, "wrong"),
        (FLAG_HOLES, "wrong"),
    ],
    ids=["text-drop", "ints-drop", "ints-wrong", "floats-drop", "floats-wrong", "flags-wrong"],
)
def test_missing_values_survive_every_engine(backend, dress, table, policy):
    if table is FLAG_HOLES and backend in ("csv", "csv.gz", "tsv"):
        pytest.skip("CSV has no true and false")
    roles = {role: role for role in table if role != "g"} | ({"group": "g"} if "g" in table else {})
    expected = count(table, **roles, missing=policy)
    found = count(dress(backend, table), **roles, missing=policy)
    assert found == expected
    assert found.notes == expected.notes
    assert found.matched == expected.matched
    with pytest.raises(InputError, match="missing"):
        count(dress(backend, table), **roles)


TWICE = {
    "id": ["p", "q", "p", "r", "q", "p"],
    "a": [0.0, 1.0, 0.5, 1.0, 0.25, 1.0],
    "b": [1.0, 1.0, 1.0, 0.0, 0.5, 0.0],
}


def test_repeats_in_every_engine(backend, dress):
    roles = {"a": "a", "b": "b", "id": "id"}
    with pytest.raises(
        InputError, match=r"2 ids occur in more than one row, such as 'p'.*repeats='group'.*repeats='mean'"
    ):
        count(dress(backend, TWICE), **roles)
    mean = count(dress(backend, TWICE), **roles, repeats="mean")
    assert mean == Counts.of({"a": [0.5, 0.625, 1.0], "b": [2 / 3, 0.75, 0.0]}, names={"a": "a", "b": "b"})
    assert "6 rows were averaged to 3 ids" in mean.notes[0]
    grouped = count(dress(backend, TWICE), **roles, repeats="group")
    assert grouped["group"].tolist() == count(TWICE, a="a", b="b", group="id")["group"].tolist()
    assert grouped == count(TWICE, a="a", b="b", group="id")


def test_unrepeated_ids_make_no_groups(backend, dress):
    table = {"id": ["p", "q"], "a": [0.5, 1.0], "b": [1.0, 0.5]}
    assert "group" not in count(dress(backend, table), a="a", b="b", id="id", repeats="group")


def test_a_missing_id_is_an_error_everywhere(backend, dress):
    with pytest.raises(InputError, match="the id is missing in 1 row;"):
        count(dress(backend, {"id": ["p", None, "q"], "a": [1, 0, 1], "b": [1, 1, 0]}), a="a", b="b", id="id")


def test_unknown_columns_are_named_everywhere(backend, dress):
    table = {"label": ["x", "y"], "old": ["x", "x"], "new": ["y", "y"]}
    with pytest.raises(NameUnknown, match=r"no column 'olds' \(did you mean 'old'\?\)"):
        count(dress(backend, table), truth="label", a="olds", b="new")


@pytest.mark.parametrize("kind", ["dict", "pandas-object", "jsonl", "json"])
def test_mixed_types_are_an_error(dress, kind):
    for values in ([1, "1"], [True, 1], [True, "x"]):
        with pytest.raises(InputError, match="mixes"):
            count(dress(kind, {"a": [1, 1], "b": [1, 0], "truth": values}), truth="truth", a="a", b="b")
    with pytest.raises(InputError, match="mixes"):
        count(dress(kind, {"a": [1, 1], "b": [1, 0], "id": [1, "1"]}), a="a", b="b", id="id")


def test_lists_are_no_labels(dress):
    for kind in ("dict", "pandas-object", "polars", "polars-lazy", "pyarrow", "duckdb", "jsonl", "parquet"):
        with pytest.raises(InputError, match=r"label or a number|types|one value"):
            count(dress(kind, {"a": [[1, 2], [1, 3]], "b": [[1, 2], [1, 3]]}), a="a", b="b")


def test_no_rows_is_an_error(dress):
    import polars as pl

    for source in (
        {"a": [], "b": []},
        pl.DataFrame({"a": [], "b": []}),
        pl.LazyFrame({"a": [], "b": []}, schema={"a": pl.String, "b": pl.String}),
    ):
        with pytest.raises(InputError, match="there are no examples"):
            count(source, a="a", b="b")


def test_what_is_no_data():
    for source in (5, [1, 2], np.zeros((2, 2)), object()):
        with pytest.raises(InputError, match="data must be a dataframe"):
            engine_of(source).read(source, {"a": "a", "b": "b"}, keep_ids=False)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "arrow", "pandas", "arrays", "two files"])
def test_blocks_are_counted_in_the_order_of_the_rows(tmp_path, kind):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(
        {"t": rng.choice(["x", "y"], 500), "a": rng.choice(["x", "y"], 500), "b": rng.choice(["x", "y"], 500)}
    )
    rows["n"] = np.arange(500)
    source, path = rows, tmp_path / f"rows.{kind}"
    match kind:
        case "csv":
            rows.to_csv(path, index=False)
        case "jsonl":
            rows.to_json(path, orient="records", lines=True)
        case "parquet":
            rows.to_parquet(path, row_group_size=70)
        case "arrow":
            rows.to_feather(path)
        case "two files":
            for name, part in (("1", rows[:133]), ("2", rows[133:])):
                part.to_csv(tmp_path / f"{name}.csv", index=False)
            path = tmp_path / "*.csv"
        case "arrays":
            source = {name: rows[name].to_numpy() for name in rows}
    source = source if kind in ("pandas", "arrays") else path
    blocks = Blocks(first=123, size=7, rows=500)
    counts = described(source, truth="t", a="a", b="b", id="n").count_blocks(blocks)
    expected = rows.assign(block=blocks.of(500)).groupby(["block", "t", "a", "b"]).size()
    found = zip(
        map(int, counts["slice"]), *(counts[role] for role in ("truth", "a", "b")), counts.multiplicities, strict=True
    )
    assert {row[:-1]: row[-1] for row in found} == expected.to_dict()
    if kind not in ("pandas", "arrays"):
        cut = described(source, truth="t", a="a", b="b").count_blocks(Blocks(first=0, size=10, rows=42))
        assert (cut.n, max(map(int, cut["slice"]))) == (42, 5)


def test_what_has_no_order_has_no_blocks():
    rows = pd.DataFrame({"a": [1, 0], "b": [1, 1], "n": [3, 4]})
    blocks = Blocks(0, 1, 2)
    assert described(pl.from_pandas(rows).lazy(), a="a", b="b").count_blocks(blocks) is None
    assert described(rows, a="a", b="b", multiplicity="n").count_blocks(blocks) is None
    assert described(rows, a="a", b="b", id="n", repeats="mean").count_blocks(blocks) is None
    assert described(rows, a="a", b="b", by="n").count_blocks(blocks) is None
