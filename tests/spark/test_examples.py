"""The examples of a Spark frame are those of the same table in pandas, whatever their order."""

import pandas as pd
import pytest

import referee
from referee.errors import InputError, NameUnknown

TABLE = {
    "item.id": [f"{i:03}" for i in range(120)],
    "label": ["ham" if i % 2 else "spam" for i in range(120)],
    "old.v1": ["ham" if i % 3 else "spam" for i in range(120)],
    "new": [None if i == 5 else "ham" if i % 2 else "spam" for i in range(120)],
    "text": [f"<b>message</b> {i}" for i in range(120)],
    "chat": [[f"turn {i}"] for i in range(120)],
}
SCHEMA = "`item.id` string, label string, `old.v1` string, new string, text string, chat array<string>"
ASKED = {"truth": "label", "a": "old.v1", "b": "new", "id": "item.id", "missing": "drop"}


@pytest.fixture(scope="module")
def both(spark):
    rows = list(zip(*TABLE.values(), strict=True))
    return spark.createDataFrame(rows, SCHEMA).repartition(3), pd.DataFrame(TABLE)


def test_the_examples_are_those_of_pandas(both):
    native, local = (referee.compare(frame, **ASKED, text="text") for frame in both)
    found, wanted = native.look.outcomes.examples(1000, native.look.sense), local.look.outcomes.examples(1000)
    assert len(wanted) > 50
    assert sorted(found, key=lambda one: one.id) == list(wanted)
    assert len(native.examples()) == 50


def test_texts_that_are_lists(both):
    shown = referee.compare(both[0], **ASKED, text="chat").examples()
    assert all(one.text == f'["turn {int(one.id)}"]' for one in shown)


def test_no_such_column_of_texts(both):
    with pytest.raises(NameUnknown, match="texts"):
        referee.compare(both[0], **ASKED, text="texts")


def test_a_frame_that_cannot_be_read_again(spark, both, tmp_path):
    both[1].drop(columns="chat").to_json(tmp_path / "data.json", orient="records", lines=True)
    r = referee.compare(spark.read.json(str(tmp_path / "data.json")), **ASKED)
    assert r.examples()
    (tmp_path / "data.json").unlink()
    with pytest.raises(InputError):
        r.examples()
