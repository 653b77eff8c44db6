"""The examples on which two systems differ: the same whatever holds the rows, and no more than were counted as such."""

import gzip
import json
import pickle
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import referee
from referee.data.examples import Example, Seen, Sense
from referee.data.outcomes import Outcomes
from referee.errors import InputError, NameUnknown, OptionError, RefereeError

NASTY = [
    "<script>alert(1)</script>",
    "two\nlines\tand a tab",
    "a NUL \0 in it",
    "\u202egnp.exe \u2066turned\u2069",
    "family \U0001f468\u200d\U0001f469\u200d\U0001f467",
    "'; DROP TABLE examples; --",
]
TABLE = {
    "id": ["007", "7", "x<b>", "4", "5", "6"],
    "label": ["spam", "ham", "spam", "ham", "spam", "ham"],
    "old": ["spam", "ham", "ham", "spam", "ham", "eggs"],
    "new": ["spam", "spam", "spam", "spam", "spam", "beans"],
    "text": NASTY,
}
DIFFER = {"7": "a", "x<b>": "b", "5": "b", "6": "neither"}


def compare(*data, **options):
    """Compare without measuring how often the test errs: these tests are about reading."""
    return referee.compare(*data, audit=False, **options)


def written(backend, table):
    """Return the table as a backend can hold it: DuckDB refuses NUL in a CSV."""
    if backend.startswith(("csv", "tsv")):
        return {**table, "text": [text.replace("\0", "") for text in table["text"]]}
    return table


def test_every_engine_shows_the_same(backend, dress):
    source = dress(backend, written(backend, TABLE))
    r = compare(source, truth="label", a="old", b="new", id="id", text="text")
    found = r.examples()
    assert {one.id: one.right for one in found} == DIFFER
    assert [one.id for one in found] == list(DIFFER)
    assert found[0] == Example(a="ham", b="spam", truth="ham", id="7", text="two lines and a tab", right="a")
    assert found[1].text == "a NUL in it"
    assert found[2].text == "family \U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert found[3].text == "'; DROP TABLE examples; --"
    assert r.examples() == found


def test_scores_of_every_engine(backend, dress):
    table = {"id": ["a", "b", "c", "d"], "old": [0.5, 1.0, 0.25, 1.0], "new": [0.5, 0.75, 1.0, 1.0]}
    found = compare(dress(backend, table), a="old", b="new", id="id").examples()
    assert found == (Example(a="1", b="0.75", id="b"), Example(a="0.25", b="1", id="c"))


def test_marks_of_every_engine(backend, dress):
    table = {"id": [11, 12, 13], "old": [0, 1, 1], "new": [1, 0, 1]}
    found = compare(dress(backend, table), a="old", b="new", id="id").examples()
    assert [(one.id, one.right) for one in found] == [("11", "b"), ("12", "a")]


def test_a_slice_has_its_own(backend, dress):
    table = {
        "id": [str(i) for i in range(8)],
        "old": [1, 0, 1, 0, 1, 0, 0, 0],
        "new": [0, 0, 0, 1, 1, 1, 0, 1],
        "part": [1, 2, 2, 1, 1, 2, 2, 2],
    }
    rs = compare(dress(backend, table), a="old", b="new", id="id", by="part")
    assert {r.task: [one.id for one in r.examples()] for r in rs} == {"1": ["0", "3"], "2": ["2", "5", "7"]}


def test_missing_answers(backend, dress):
    table = {
        "id": list("abcde"),
        "label": ["x", "y", "z", "x", "y"],
        "old": ["x", None, "z", None, "z"],
        "new": [None, "y", "z", None, "y"],
    }
    source = dress(backend, table)
    wrong = compare(source, truth="label", a="old", b="new", id="id", missing="wrong").examples()
    assert [(one.id, one.a, one.b, one.right) for one in wrong] == [
        ("a", "x", "(missing)", "a"),
        ("b", "(missing)", "y", "b"),
        ("e", "z", "y", "b"),
    ]
    kept = compare(source, truth="label", a="old", b="new", id="id", missing="drop").examples()
    assert [one.id for one in kept] == ["e"]


def test_a_missing_score_is_nought(backend, dress):
    table = {"id": list("abcd"), "old": [1, None, None, 1], "new": [1, 1, 0, None]}
    found = compare(dress(backend, table), a="old", b="new", id="id", missing="wrong").examples()
    assert [(one.id, one.a, one.b, one.right) for one in found] == [
        ("b", "(missing)", "1", "b"),
        ("d", "1", "(missing)", "a"),
    ]


def test_a_row_that_was_dropped_for_its_group():
    data = {"a": [1, 1], "b": [0, 0], "id": [1, 2], "doc": ["d", None]}
    r = compare(data, a="a", b="b", id="id", group="doc", missing="drop")
    assert [one.id for one in r.examples()] == ["1"]


def test_after_the_threshold(backend, dress):
    table = {
        "id": list("abcd"),
        "label": ["yes", "no", "yes", "no"],
        "old": [0.9, 0.1, 0.2, 0.7],
        "new": [0.6, 0.5, 0.8, 0.9],
    }
    r = compare(
        dress(backend, table), truth="label", a="old", b="new", id="id", metric="f1", positive="yes", threshold=0.5
    )
    assert [(one.id, one.a, one.b, one.right) for one in r.examples()] == [
        ("b", "no (0.1)", "yes (0.5)", "a"),
        ("c", "no (0.2)", "yes (0.8)", "b"),
    ]


def test_nobody_is_right_about_scores_that_are_ranked():
    r = compare(truth=[1, 0, 1, 0], a=[30, 10, 40, 20], b=[35, 10, 1, 1], id=list("wxyz"), metric="auc")
    assert [(one.id, one.truth, one.right) for one in r.examples()] == [
        ("w", "1", None),
        ("y", "1", None),
        ("z", "0", None),
    ]


def test_numbers_are_compared_as_numbers(dress, tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("id,old,new\n1,1,1.0\n2,0.50,.5\n3,1e0,0\n4,9007199254740993,9007199254740992\n5,NA,1\n")
    found = compare(path, a="old", b="new", id="id", missing="wrong").examples()
    assert [one.id for one in found] == ["3", "5"]
    path.write_text("id,old,new\n1,1,01\n2,9007199254740993,9007199254740992\n")
    found = compare(path, truth="old", a="old", b="new", id="id").examples()
    assert [(one.id, one.a, one.b) for one in found] == [
        ("1", "1", "01"),
        ("2", "9007199254740993", "9007199254740992"),
    ]
    path.write_text("id,old,new\n1,1,1\n2,9007199254740993,9007199254740992\n")
    assert [one.id for one in compare(path, a="old", b="new", id="id").examples()] == ["2"]
    path.write_text("id,old,new\n1,1,1.0\n2,x,x\n")
    assert [one.id for one in compare(path, truth="id", a="old", b="new", id="id").examples()] == ["1"]


def test_hidden_differences_are_seen():
    answers = ["yes", " yes", "yes\n", "y\u200bes", "\u202eyes", "", "1", "yes\ud800"]
    r = compare(
        truth=["yes"] * len(answers),
        a=["no"] * len(answers),
        b=answers,
        id=list(range(len(answers))),
        metric="accuracy",
    )
    shown = [one.b for one in r.examples()]
    assert len(set(shown)) == len(answers)
    assert shown[:2] == ["yes", '" yes"']
    assert all(text.isprintable() for text in shown)


def test_the_first_fifty_and_no_more(backend, dress):
    table = {"id": [f"{i:03}" for i in range(200)], "old": [i % 2 for i in range(200)], "new": [1] * 200}
    source = dress(backend, table)
    found = compare(source, a="old", b="new", id="id").examples()
    assert [one.id for one in found] == [f"{i:03}" for i in range(0, 100, 2)]
    assert len(Outcomes(source=source, a="old", b="new", id="id").examples(limit=7)) == 7


def test_a_few_among_many(tmp_path):
    """Of rows that differ as they are written and not as they were cut, some are far down."""
    n = 40_000
    rows = np.random.default_rng(0).uniform(0.6, 1, (n, 2))
    rows[-3:, 1] = 0.1
    data = {"id": np.arange(n), "label": np.arange(n) % 2, "old": rows[:, 0], "new": rows[:, 1]}
    import duckdb
    import pandas as pd
    import polars as pl

    frame = pd.DataFrame(data)
    frame.to_csv(tmp_path / "all.csv", index=False)
    sources = (data, frame, pl.DataFrame(frame).lazy(), duckdb.from_df(frame), tmp_path / "all.csv")
    for source in sources:
        r = compare(source, truth="label", a="old", b="new", id="id", threshold=0.5, metric="accuracy")
        assert [one.id for one in r.examples()] == ["39997", "39998", "39999"], type(source)


def test_identical_systems(backend, dress):
    source = dress(backend, {"id": list("abc"), "old": [1, 0, 1], "copy": [1, 0, 1]})
    assert compare(source, a="old", b="copy", id="id").examples() == ()
    with pytest.raises(OptionError, match="a and b are both 'old'"):
        compare(source, a="old", b="old", id="id")


def test_nothing_says_which_example_it_is():
    r = compare(truth=[1, 0, 1], a=[1, 1, 0], b=[0, 0, 1])
    assert r.look is None
    assert r.examples() == ()
    assert Outcomes(source={"a": [1], "b": [0]}, a="a", b="b").examples() == ()
    counts = referee.count(a=[1, 0], b=[0, 0], id=["x", "y"])
    assert compare(counts).look is None


def test_texts_may_be_anything(tmp_path):
    import duckdb
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    chat = [
        [{"role": "system", "content": "Be brief."}, {"role": "user", "content": f"Question {i}?"}] for i in range(3)
    ]
    data = {"old": [1, 0, 1], "new": [0, 0, 0], "chat": chat}
    asked = ["Question 0?", "Question 2?"]
    (tmp_path / "chat.jsonl").write_text(
        "".join(json.dumps(dict(zip(data, row, strict=True))) + "\n" for row in zip(*data.values(), strict=True))
    )
    for source in (data, pd.DataFrame(data), pa.table(data), tmp_path / "chat.jsonl"):
        assert [one.text for one in compare(source, a="old", b="new", text="chat").examples()] == asked
    pq.write_table(pa.table(data), tmp_path / "chat.parquet")
    for source in (tmp_path / "chat.parquet", duckdb.from_arrow(pa.table(data))):
        texts = [one.text for one in compare(source, a="old", b="new", text="chat").examples()]
        assert all(asked[place] in text for place, text in enumerate(texts))
        assert len(texts) == 2


def test_texts_in_arrays():
    import pandas as pd
    import pyarrow as pa

    texts = ["first", None, "third"]
    for column in (texts, tuple(texts), np.array(texts, object), pd.Series(texts, index=[7, 0, 1]), pa.array(texts)):
        r = compare(a=[1, 0, 1], b=[0, 1, 1], text=column)
        assert [(one.text, one.id) for one in r.examples()] == [("first", None), (None, None)]
    with pytest.raises(InputError, match="2 texts for 3 examples"):
        compare(a=[1, 0, 1], b=[0, 1, 1], text=["x", "y"])
    for wrong in ("text", 3, {"x": 1}, {"x", "y", "z"}):
        with pytest.raises(InputError, match="text must have one text per example"):
            compare(a=[1, 0, 1], b=[0, 1, 1], text=wrong)


def test_no_such_column_of_texts(backend, dress):
    source = dress(backend, {"id": ["x", "y"], "old": [1, 0], "new": [0, 0]})
    with pytest.raises(NameUnknown, match="texts"):
        compare(source, a="old", b="new", id="id", text="texts")


def test_texts_are_not_read_when_counting(tmp_path):
    path = tmp_path / "odd.csv.gz"
    fine = b"1,1,fine\n" * 10_000
    path.write_bytes(gzip.compress(b"old,new,text\n" + fine + b"0,1,not \xff\xfe UTF-8\n"))
    r = compare(path, a="old", b="new", text="text")
    assert r.n == 10_001
    with pytest.raises(InputError):
        r.examples()
    assert referee.count(path, a="old", b="new") == r.counts


def test_long_texts_are_cut():
    r = compare(truth=["x"], a=["y" * 500], b=["x"], text=["word " * 500], id=["i" * 500], metric="accuracy")
    (one,) = r.examples()
    assert (len(one.a), len(one.id)) == (80, 80)
    assert 290 < len(one.text) <= 300
    assert one.text.endswith("…")


def test_a_file_that_has_changed(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("id,old,new\n1,1,0\n2,0,0\n")
    r = compare(path, a="old", b="new", id="id")
    assert len(r.examples()) == 1
    path.write_text("id,old,new\n1,1,0\n2,0,1\n3,0,0\n")
    with pytest.raises(InputError, match=r"data\.csv has changed since it was compared, or is gone"):
        r.examples()
    path.unlink()
    with pytest.raises(InputError, match="is gone"):
        r.examples()


def test_data_that_were_changed_in_memory(tmp_path):
    import pandas as pd
    import polars as pl

    data = {"id": [1, 2], "old": [1, 0], "new": [0, 0]}
    frame, path = pd.DataFrame(data), tmp_path / "data.parquet"
    frame.to_parquet(path)
    sources = (data, frame, pl.scan_parquet(path))
    results = [compare(source, a="old", b="new", id="id") for source in sources]
    assert [len(r.examples()) for r in results] == [1, 1, 1]
    del data["new"], frame["new"]
    path.unlink()
    for r in results:
        with pytest.raises(RefereeError):
            r.examples()


def test_two_tables_in_the_order_of_the_first(tmp_path):
    (tmp_path / "old.csv").write_text("id,label,answer\n03,x,x\n02,y,x\n01,x,y\n00,x,z\n")
    (tmp_path / "new.csv").write_text(
        'id,answer,question\n00,x,"Why, ""sir""?"\n01,x,<b>Who?</b>\n02,x,What?\n03,y,When?\n'
    )
    outcomes = referee.read(
        tmp_path / "old.csv", tmp_path / "new.csv", id="id", truth="label", prediction="answer", text="question"
    )
    assert (
        outcomes.examples()
        == compare(outcomes).examples()
        == (
            Example(a="x", b="y", truth="x", id="03", text="When?", right="a"),
            Example(a="y", b="x", truth="x", id="01", text="<b>Who?</b>", right="b"),
            Example(a="z", b="x", truth="x", id="00", text='Why, "sir"?', right="b"),
        )
    )
    (tmp_path / "new.csv").write_text("changed")
    with pytest.raises(NameUnknown, match="no column 'id'"):
        outcomes.examples(sense=Sense())
    (tmp_path / "copy.csv").write_bytes((tmp_path / "old.csv").read_bytes())
    with pytest.raises(NameUnknown, match="querstion"):
        referee.read(tmp_path / "old.csv", tmp_path / "copy.csv", id="id", prediction="answer", text="querstion")


def test_two_tables_with_policies(tmp_path):
    for name, rows in {
        "old": [("a", 1), ("b", None), ("c", 0), ("d", 1), ("only old", 1)],
        "new": [("only new", 1), ("d", 0), ("c", None), ("b", 1), ("a", 1)],
    }.items():
        lines = [json.dumps({"id": key, "score": score, "text": f"about {key}"}) for key, score in rows]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    paths = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    ask = {"id": "id", "prediction": "score", "unmatched": "drop", "text": "text"}
    wrong = compare(referee.read(*paths, **ask, missing="wrong")).examples()
    assert [(one.id, one.a, one.b, one.text) for one in wrong] == [
        ("b", "(missing)", "1", "about b"),
        ("d", "1", "0", "about d"),
    ]
    dropped = compare(referee.read(*paths, **ask, missing="drop")).examples()
    assert [one.id for one in dropped] == ["d"]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_repeats_of_two_tables(kind, tmp_path):
    import pandas as pd

    rows = {"old": [("x", 1), ("x", 0), ("y", 1), ("z", 0)], "new": [("z", 0), ("y", 0), ("x", 1), ("x", 1)]}
    for name, own in rows.items():
        frame = pd.DataFrame(own, columns=["id", "score"])
        path = tmp_path / f"{name}.{kind}"
        if kind == "parquet":
            frame.to_parquet(path)
        else:
            path.write_text(frame.to_csv(index=False) if kind == "csv" else frame.to_json(orient="records", lines=True))
    paths = tmp_path / f"old.{kind}", tmp_path / f"new.{kind}"
    mean = compare(referee.read(*paths, id="id", prediction="score", repeats="mean")).examples()
    assert [(one.id, one.a, one.b) for one in mean] == [("x", "0.5", "1"), ("y", "1", "0")]
    apart = compare(referee.read(*paths, id="id", prediction="score", repeats="group")).examples()
    assert [(one.id, one.a, one.b) for one in apart] == [("x #2", "0", "1"), ("y #1", "1", "0")]


def test_repeats_of_one_table_are_rows_of_their_own():
    data = {"id": ["x", "x", "y"], "a": [1, 0, 1], "b": [0, 0, 0]}
    for policy in ("mean", "group"):
        r = compare(data, a="a", b="b", id="id", repeats=policy)
        assert [one.id for one in r.examples()] == ["x", "y"]


def test_tables_paired_by_line(tmp_path):
    for name, answers in {"old": "xyx", "new": "xxx"}.items():
        (tmp_path / f"{name}.csv").write_text("answer\n" + "".join(f"{one}\n" for one in answers))
    outcomes = referee.read(tmp_path / "old.csv", tmp_path / "new.csv", by_line=True)
    assert [(one.id, one.a, one.b) for one in outcomes.examples(sense=Sense())] == [("row 2", "y", "x")]


def test_a_long_table(tmp_path):
    rows = [("q1", "m1", 1, "One?"), ("q1", "m2", 1, "One?"), ("q2", "m2", 1, "Two?"), ("q2", "m1", 0, "Two?")]
    lines = [json.dumps(dict(zip(("item", "model", "score", "asked"), row, strict=True))) for row in rows]
    (tmp_path / "runs.jsonl").write_text("\n".join(lines))
    outcomes = referee.read(
        tmp_path / "runs.jsonl", id="item", system="model", a="m1", b="m2", prediction="score", text="asked"
    )
    assert compare(outcomes).examples() == (Example(a="0", b="1", id="q2", text="Two?", right="b"),)


def test_a_comparison_can_be_pickled_and_replaced(dress, tmp_path):
    import duckdb

    data = {"id": list("xyz"), "old": [1, 0, 1], "new": [0, 0, 0]}
    path = tmp_path / "data.csv"
    path.write_text("id,old,new\nx,1,0\ny,0,0\nz,1,0\n")
    for source in (data, duckdb.from_arrow(dress("pyarrow", data)), path):
        r = compare(source, a="old", b="new", id="id")
        found = r.examples()
        assert [one.id for one in found] == ["x", "z"]
        assert replace(r, task="part").examples() == found
        again = pickle.loads(pickle.dumps(r))
        assert again == r
        assert again.look == Seen(found)
        assert again.examples() == found
        assert pickle.loads(pickle.dumps(again)).examples() == found
    path.unlink()
    with pytest.raises(InputError, match="is gone"):
        pickle.loads(pickle.dumps(r)).examples()


def test_a_look_keeps_no_counts():
    outcomes = Outcomes(source={"a": [1, 0], "b": [0, 0], "id": [1, 2]}, a="a", b="b", id="id")
    counted = replace(outcomes, counted=outcomes.count())
    assert counted.count() is counted.counted
    assert compare(counted).look.outcomes.counted is None


def test_texts_are_no_reason_to_refuse_multiplicities():
    data = {"a": [1, 0, 1], "b": [0, 0, 0], "n": [3, 2, 0], "text": ["first", "second", "third"]}
    outcomes = Outcomes(source=data, a="a", b="b", multiplicity="n", text="text")
    assert [one.text for one in outcomes.examples()] == ["first"]
    with pytest.raises(OptionError):
        Outcomes(source=data, a="a", b="b", multiplicity="n", id="text")


LABELS = st.sampled_from([None, "x", "y", " x", "z"])
ROWS = st.lists(st.tuples(st.sampled_from("xyz"), LABELS, LABELS), min_size=1, max_size=25)


@settings(max_examples=60)
@given(ROWS, st.sampled_from(["wrong", "drop"]))
def test_as_many_as_were_counted(rows, missing):
    rows = [*rows, ("x", "x", "x"), ("y", "y", "y"), ("z", "z", "z")]
    truth, a, b = map(list, zip(*rows, strict=True))
    outcomes = Outcomes(
        source={"truth": truth, "a": a, "b": b, "id": list(range(len(rows)))}, truth="truth", a="a", b="b", id="id",
        missing=missing,
    )  # fmt: skip
    counts = outcomes.count()
    found = outcomes.examples(limit=1000)
    assert len(found) == sum(
        times
        for one, other, times in zip(
            counts["a"].tolist(), counts["b"].tolist(), counts.multiplicities.tolist(), strict=True
        )
        if one != other
    )
    r = compare(outcomes)
    assert r.discordant == (sum(e.right == "a" for e in found), sum(e.right == "b" for e in found))
    assert [int(one.id) for one in found] == sorted(int(one.id) for one in found)


SCORES = st.lists(st.tuples(*[st.one_of(st.none(), st.integers(0, 1), st.floats(-1, 1))] * 2), min_size=1, max_size=25)


@settings(max_examples=60)
@given(SCORES, st.sampled_from(["wrong", "drop"]))
def test_as_many_scores_as_were_counted(rows, missing):
    rows = [*rows, (1, 1)]
    a, b = map(list, zip(*rows, strict=True))
    outcomes = Outcomes(source={"a": a, "b": b, "text": ["x"] * len(a)}, a="a", b="b", text="text", missing=missing)
    counts = outcomes.count()
    assert len(outcomes.examples(limit=1000)) == int(counts.multiplicities[counts["a"] != counts["b"]].sum())


def test_a_long_file_is_not_read_into_memory(tmp_path):
    path = tmp_path / "long.csv"
    with path.open("w") as file:
        file.write("id,truth,a,b,text\n")
        for i in range(120_000):
            file.write(f"q{i},1,0,1,{'x' * 200}\n")
    r = compare(path, truth="truth", a="a", b="b", id="id", text="text")
    tracemalloc.start()
    try:
        assert [one.id for one in r.examples()] == [f"q{i}" for i in range(50)]
        assert tracemalloc.get_traced_memory()[1] < 15_000_000
    finally:
        tracemalloc.stop()
