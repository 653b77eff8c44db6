"""A table that the driver could not hold: Spark is told to give up where a result is larger than a megabyte."""

import pytest

import referee
from referee.errors import InputError

ROWS = 3_000_000


@pytest.fixture(scope="module")
def large(spark):
    """Return rows that are made in the executors: id, truth, a, b, and an item that occurs three times."""
    third = ROWS // 3
    return spark.range(ROWS).selectExpr(
        "id",
        f"id % {third} AS item",
        "CAST(id % 3 > 0 AS int) AS truth",
        "CAST(id % 5 > 0 AS int) AS old",
        "CAST(id % 7 > 0 AS int) AS new",
        "concat('doc-', id % 100) AS document",
    )


def _expected():
    """Count by arithmetic: the table repeats itself every 105 rows."""
    rows = [(int(i % 3 > 0), int(i % 5 > 0), int(i % 7 > 0)) for i in range(105)]
    whole, rest = divmod(ROWS, 105)
    times = [whole + (i < rest) for i in range(105)]
    truth, old, new = zip(*rows, strict=True)
    return referee.count(
        {"truth": truth, "old": old, "new": new, "n": times}, truth="truth", a="old", b="new", multiplicity="n"
    )


def test_the_table_itself_does_not_fit(large):
    with pytest.raises(Exception, match=r"spark\.driver\.maxResultSize"):
        large.select("truth", "old", "new").toArrow()


def test_only_counts_come_back(large):
    found = referee.count(large, truth="truth", a="old", b="new")
    assert found == _expected()
    assert (len(found), found.n) == (8, ROWS)


def test_ids_are_checked_where_they_are(large):
    assert referee.count(large, truth="truth", a="old", b="new", id="id") == _expected()
    with pytest.raises(InputError, match=r"^1,000,000 ids occur in more than one row, such as '0'"):
        referee.count(large, truth="truth", a="old", b="new", id="item")


def test_a_verdict(large, tmp_path):
    counts = referee.count(large, truth="truth", a="old", b="new", group="document")
    assert (counts.n, len(set(counts["group"]))) == (ROWS, 100)
    counts.save(tmp_path / "large.json")
    here = referee.compare(large, truth="truth", a="old", b="new", group="document", metric="accuracy")
    there = referee.compare(referee.Counts.load(tmp_path / "large.json"), metric="accuracy")
    assert here.to_dict() == there.to_dict()
    assert (here.n, here.units) == (ROWS, 100)


def test_more_than_the_driver_takes_is_told_in_a_sentence(large):
    with pytest.raises(InputError, match=r"^Spark cannot count the frame: .*spark\.driver\.maxResultSize"):
        referee.count(large, truth="truth", a="old", b="new", id="item", repeats="group")
