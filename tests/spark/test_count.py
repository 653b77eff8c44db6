"""The counts of a Spark frame are those of the same table in pandas, and nothing else leaves the executors."""

import datetime

import pandas as pd
import pytest

import referee
from referee.errors import InputError, NameUnknown

ROWS = 240
LABELS = ("ham", "spam", "Ünsinn 🙂")
DAYS = [datetime.date(2026, 11, day) for day in (1, 2, 3)]


def _table():
    """Return a table with a column for every role, gaps among them, and labels that no rule of thumb finds."""
    at = range(ROWS)
    return {
        "truth": [i % 2 for i in at],
        "old": [(i // 3) % 2 for i in at],
        "new": [(i // 2) % 2 for i in at],
        "label": [LABELS[i % 3] for i in at],
        "word a": [LABELS[(i // 5) % 3] for i in at],
        "word.b": [LABELS[(i // 7) % 3] for i in at],
        "gap a": [None if i % 11 == 0 else i % 3 for i in at],
        "gap b": [None if i % 13 == 0 else (i // 2) % 3 for i in at],
        "score a": [float("nan") if i % 60 == 7 else (i % 8) / 8 for i in at],
        "score b": [None if i % 60 == 9 else (i % 5) / 4 for i in at],
        "right": [i % 4 < 3 for i in at],
        "document": [f"doc-{i // 20:02}" for i in at],
        "day": [DAYS[i // 80] for i in at],
        "item": [f"{i // 2:03}" for i in at],
        "number": list(at),
        "weight": [i % 4 for i in at],
        "big": [2**60 + i % 2 for i in at],
        "nobody": [None for _ in at],
    }


SCHEMA = (
    "truth int, old int, new bigint, label string, `word a` string, `word.b` string, `gap a` int, `gap b` bigint, "
    "`score a` double, `score b` double, right boolean, document string, day date, item string, number bigint, "
    "weight int, big bigint, nobody void"
)
LABELLED = {"truth": "truth", "a": "old", "b": "new"}
WORDS = {"truth": "label", "a": "word a", "b": "word.b"}
GAPS = {"truth": "truth", "a": "gap a", "b": "gap b"}
SCORES = {"a": "score a", "b": "score b"}
CASES = {
    "whole numbers": LABELLED,
    "text": WORDS,
    "true and false": {"truth": "right", "a": "right", "b": "right"},
    "numbers of 61 bits": {"truth": "big", "a": "big", "b": "big"},
    "missing is wrong": {**GAPS, "missing": "wrong"},
    "missing is dropped": {**GAPS, "missing": "drop"},
    "scores, 0 where missing": {**SCORES, "missing": "wrong"},
    "scores, dropped where missing": {**SCORES, "missing": "drop"},
    "a group": {**WORDS, "group": "document"},
    "a stratum": {**LABELLED, "stratum": "label"},
    "slices that are dates": {**LABELLED, "by": "day"},
    "all sides": {**WORDS, "group": "document", "stratum": "right", "by": "day", "positive": "spam"},
    "one column in two roles": {**LABELLED, "group": "document", "by": "document"},
    "ids": {**LABELLED, "id": "number"},
    "repeats are a group": {**WORDS, "id": "item", "repeats": "group"},
    "repeats are averaged": {**SCORES, "missing": "wrong", "id": "item", "repeats": "mean"},
    "a policy for repeats, and none": {**LABELLED, "id": "number", "repeats": "group"},
    "multiplicity": {**LABELLED, "multiplicity": "weight"},
}
ERRORS = {
    "missing predictions": (GAPS, "predictions are missing: 22 of gap a and 19 of gap b"),
    "a missing truth": ({**LABELLED, "truth": "gap a", "missing": "wrong"}, "truth is missing in 22 examples"),
    "repeated ids": ({**LABELLED, "id": "item"}, "120 ids occur in more than one row, such as '000'"),
    "repeated numbers": ({**LABELLED, "id": "weight"}, "4 ids occur in more than one row, such as '0'"),
    "rows without an id": ({**LABELLED, "id": "gap a"}, "the id is missing in 22 rows"),
    "an id that is no number": ({**LABELLED, "id": "score a"}, "the id is missing in 4 rows"),
    "labels of two kinds": ({**LABELLED, "a": "label"}, "label holds text and new holds whole numbers"),
    "a column with nothing in it": ({**LABELLED, "a": "nobody"}, "predictions are missing: 240 of nobody"),
}


@pytest.fixture(scope="module")
def both(spark):
    """Return the table as a Spark frame in several partitions, and as a pandas frame."""
    table = _table()
    rows = list(zip(*table.values(), strict=True))
    native = spark.createDataFrame(rows, SCHEMA).repartition(3).cache()
    kinds = {"gap a": "Int64", "gap b": "Int64"}
    return native, pd.DataFrame({name: pd.Series(values, dtype=kinds.get(name)) for name, values in table.items()})


@pytest.mark.parametrize("case", CASES)
def test_the_counts_are_those_of_pandas(both, case):
    native, local = both
    found, wanted = referee.count(native, **CASES[case]), referee.count(local, **CASES[case])
    assert found == wanted
    assert (found.matched, found.notes) == (wanted.matched, wanted.notes)
    assert found.n > 100


@pytest.mark.parametrize("case", ERRORS)
def test_what_pandas_frames_are_refused_for(both, case):
    asked, told = ERRORS[case]
    for frame in both:
        with pytest.raises(InputError) as caught:
            referee.count(frame, **asked)
        assert str(caught.value).startswith(told)


def test_a_comparison_from_end_to_end(both):
    native, local = both
    asked = {**WORDS, "group": "document", "metric": "f1:average=macro"}
    assert referee.compare(native, **asked).to_dict() == referee.compare(local, **asked).to_dict()


def test_no_rows(both):
    with pytest.raises(InputError, match="the table has no rows"):
        referee.count(both[0].where("number < 0"), **LABELLED, id="number")


def test_two_frames_joined_on_an_id(spark):
    from pyspark.sql import functions as F  # noqa: N812

    numbers = spark.range(1000)
    first = numbers.select("id", (F.col("id") % 2).alias("label"), (F.col("id") % 3 % 2).alias("answer"))
    second = numbers.orderBy(F.desc("id")).select("id", (F.col("id") % 5 % 2).alias("answer"))
    table = first.withColumnRenamed("answer", "old").join(second.withColumnRenamed("answer", "new"), "id")
    found = referee.count(table, truth="label", a="old", b="new", id="id")
    at = range(1000)
    assert found == referee.count(
        {"label": [i % 2 for i in at], "old": [i % 3 % 2 for i in at], "new": [i % 5 % 2 for i in at]},
        truth="label",
        a="old",
        b="new",
    )


def test_two_columns_of_one_name(spark):
    from pyspark.sql import functions as F  # noqa: N812

    run = spark.range(10).select("id", (F.col("id") % 2).alias("a"))
    table = run.join(run.withColumn("b", F.lit(1)), "id")
    with pytest.raises(InputError, match="a: the frame has 2 columns called 'a'; rename all but one"):
        referee.count(table, a="a", b="b")
    assert referee.count(table, a="id", b="b").n == 10  # those that nobody asked for do not matter


def test_names_that_spark_would_take_for_others(spark):
    from pyspark.sql import functions as F  # noqa: N812

    inner = F.struct(F.lit(7).alias("x"))
    frame = spark.range(4).select(inner.alias("a"), F.lit(1).alias("a.x"), F.lit(0).alias("B`"), F.col("id"))
    with pytest.raises(NameUnknown, match=r"there is no column 'ID' \(did you mean 'id'\?\); there are: a, a\.x"):
        referee.count(frame, a="a.x", b="ID")
    found = referee.count(frame, a="a.x", b="B`")
    assert (found["a"].tolist(), found["b"].tolist(), found.n) == ([1], [0], 4)


@pytest.mark.parametrize("what", ["array(id)", "struct(id)", "map(id, id)", "cast('x' AS binary)"])
def test_what_is_no_label(spark, what):
    with pytest.raises(InputError, match=r"a label or a number is needed|must have one value per example"):
        referee.count(spark.range(4).selectExpr("id", f"{what} AS a"), a="a", b="id")


def test_an_error_of_spark_is_told_in_a_sentence(spark):
    frame = spark.range(4).selectExpr("id", "CAST(raise_error('the disk is full') AS int) AS a")
    with pytest.raises(InputError, match=r"^Spark cannot count the frame: .*the disk is full") as caught:
        referee.count(frame, a="a", b="id")
    assert len(str(caught.value)) < 400
    assert "\n" not in str(caught.value)
