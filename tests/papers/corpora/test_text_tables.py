"""Tables of texts and labels, of any make."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from referee.errors import InputError, NameUnknown, OptionError
from referee_papers.corpora.sources import from_table
from tests.papers.corpora.made_up import ROWS


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "tsv", "parquet", "jsonl"])
def test_a_table_is_read_from_any_file(tmp_path, kind):
    path = tmp_path / f"news.{kind}"
    frame = pd.DataFrame(ROWS)
    if kind == "parquet":
        frame.to_parquet(path)
    elif kind == "jsonl":
        path.write_text("\n".join(json.dumps(dict(zip(ROWS, row, strict=True))) for row in frame.to_numpy().tolist()))
    else:
        frame.to_csv(path, index=False, sep="\t" if kind == "tsv" else ",")
    found = from_table(path, "body", "topics")
    assert (found.name, found.categories) == ("news", ("politics", "sport"))
    assert list(found.texts) == ROWS["body"]
    assert found.labels.tolist() == [[False, True], [True, False], [False, True], [True, False]]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame])
def test_a_table_is_read_from_any_frame(make):
    assert from_table(make(ROWS), "body", "topics").labels.sum() == 4


def test_labels_may_be_lists_or_missing():
    rows = {"body": ["a", "b", "c"], "topics": [["x y", "z"], ["x y"], None]}
    found = from_table(pl.DataFrame(rows), "body", "topics")
    assert found.categories == ("x y",) and found.labels.sum() == 2
    found = from_table(
        pd.DataFrame({"body": ["a", "b", "c"], "topics": ["x;y", "y; x", np.nan]}), "body", "topics", ";"
    )
    assert found.categories == ("x", "y") and not found.labels[2].any()


def test_a_table_that_is_no_corpus_is_told_so(tmp_path):
    frame = pd.DataFrame(ROWS)
    with pytest.raises(NameUnknown, match="did you mean 'topics'"):
        from_table(frame, "body", "topic")
    frame.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(NameUnknown, match="did you mean 'body'"):
        from_table(tmp_path / "t.csv", "bodi", "topics")
    with pytest.raises(InputError, match="row 2"):
        from_table(frame.assign(body=["a", " ", None, "b"]), "body", "topics")
    with pytest.raises(InputError, match="none of the 4"):
        from_table(frame.assign(topics=list("abcd")), "body", "topics")
    with pytest.raises(InputError, match="no file"):
        from_table(tmp_path / "none.csv", "body", "topics")
    with pytest.raises(InputError, match="must be a dataframe.* it is int"):
        from_table(3, "body", "topics")
    with pytest.raises(OptionError, match="separator"):
        from_table(frame, "body", "topics", "")
