"""Tables of texts and labels, of any make."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from referee.errors import InputError, NameUnknown, OptionError
from referee_papers.training.texts import read_texts

ROWS = {
    "body": ['a "goal", scored', "a vote\nheld", "a game played", "law passed"],
    "topics": ["sport", "politics vote", "sport game", "politics"],
}


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
    categories, belongs, texts = read_texts(path, "body", "topics")
    assert categories == ("politics", "sport") and texts == ROWS["body"]
    assert belongs.tolist() == [[False, True], [True, False], [False, True], [True, False]]


def test_labels_may_be_lists_or_missing(tmp_path):
    path = tmp_path / "news.parquet"
    pd.DataFrame({"body": ["a", "b", "c"], "topics": [["x y", "z"], ["x y"], None]}).to_parquet(path)
    categories, belongs, _ = read_texts(path, "body", "topics")
    assert categories == ("x y",) and belongs.sum() == 2
    pd.DataFrame({"body": ["a", "b", "c"], "topics": ["x;y", "y; x", np.nan]}).to_parquet(path)
    categories, belongs, _ = read_texts(path, "body", "topics", ";")
    assert categories == ("x", "y") and not belongs[2].any()
    pd.DataFrame({"body": ["a", "b", "c"], "topics": [1.5, 1.5, np.nan]}).to_parquet(path)
    categories, belongs, _ = read_texts(path, "body", "topics")
    assert categories == ("1.5",) and not belongs[2].any()


def test_a_table_that_is_no_corpus_is_told_so(tmp_path):
    path = tmp_path / "t.csv"

    def read(frame, text="body", labels="topics", separator=" "):
        frame.to_csv(path, index=False)
        return read_texts(path, text, labels, separator)

    frame = pd.DataFrame(ROWS)
    with pytest.raises(NameUnknown, match="did you mean 'topics'"):
        read(frame, labels="topic")
    with pytest.raises(NameUnknown, match="did you mean 'body'"):
        read(frame, text="bodi")
    with pytest.raises(InputError, match="row 2"):
        read(frame.assign(body=["a", " ", None, "b"]))
    with pytest.raises(InputError, match="none of the 4"):
        read(frame.assign(topics=list("abcd")))
    with pytest.raises(InputError, match="no file"):
        read_texts(tmp_path / "none.csv", "body", "topics")
    with pytest.raises(OptionError, match="separator"):
        read(frame, separator="")
