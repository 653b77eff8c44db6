"""Corpora: tables, WordNet, RCV1, and how they are split."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from referee.errors import InputError, NameUnknown, OptionError
from referee.studies.auditing.corpus import Corpus, folds, split
from referee.studies.auditing.learning import require, vectors
from referee.studies.auditing.rcv1 import rcv1, rcv1_sample
from referee.studies.auditing.text_tables import from_table
from referee.studies.auditing.wordnet import spread, wordnet

ROWS = {
    "body": ['a "goal", scored', "a vote\nheld", "a game played", "law passed"],
    "topics": ["sport", "politics vote", "sport game", "politics"],
}


def corpus(size=60, families=None, known=None):
    labels = np.arange(size)[:, None] % np.array([2, 5]) == 0
    return Corpus(
        "few", labels, ("two", "five"), texts=[f"word{i}" for i in range(size)], families=families, known=known
    )


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
    with pytest.raises(InputError, match="path or a dataframe"):
        from_table(3, "body", "topics")
    with pytest.raises(OptionError, match="separator"):
        from_table(frame, "body", "topics", "")


def test_a_corpus_of_wrong_shapes_is_refused():
    labels = np.ones((2, 1), bool)
    for wrong in (
        {"texts": ["a"]},
        {},
        {"texts": ["a", "b"], "features": sparse.eye(2)},
        {"texts": ["a", "b"], "families": np.arange(3)},
        {"texts": ["a", "b"], "known": np.ones((2, 2), bool)},
        {"features": sparse.eye(3)},
    ):
        with pytest.raises(InputError):
            Corpus("x", labels, ("c",), **wrong)
    with pytest.raises(InputError, match="2 categories"):
        Corpus("x", labels, ("c", "d"), texts=["a", "b"])
    with pytest.raises(InputError, match="no document"):
        Corpus("x", labels[:0], ("c",), texts=[])


@pytest.mark.parametrize("seed", range(5))
def test_a_split_keeps_families_whole_and_fills_up_with_single_documents(seed):
    families = np.r_[np.repeat(np.arange(6), 7), np.arange(6, 24)]
    train, rest = split(corpus(60, families), 25, seed)
    assert len(train) == 25 and sorted([*train, *rest]) == list(range(60))
    assert not set(families[train]) & set(families[rest])
    again = split(corpus(60, families), 25, seed)
    assert np.array_equal(train, again[0])


def test_a_split_without_single_documents_comes_as_close_as_it_can():
    train, rest = split(corpus(60, np.repeat(np.arange(6), 10)), 25)
    assert (len(train), len(rest)) == (20, 40)
    with pytest.raises(OptionError, match="room for a family"):
        split(corpus(60, np.repeat(np.arange(6), 10)), 5)
    with pytest.raises(OptionError, match="both sides"):
        split(corpus(), 60)


def test_documents_with_unknown_labels_are_not_trained_on():
    known = np.ones((60, 2), bool)
    known[::3, 1] = False
    train, _ = split(corpus(60, known=known), 40)
    assert len(train) == 40 and known[train].all()
    assert corpus(60, known=known).prevalence.tolist() == [0.5, 0.2]
    assert corpus().prevalence.tolist() == [0.5, 0.2]


def test_folds_keep_families_whole():
    families = np.random.default_rng(0).integers(0, 12, 100)
    found = folds(families, 100, 3, 1)
    assert all(len(set(found[families == f])) == 1 for f in range(12))
    assert np.bincount(found).min() > 20


def test_the_dictionary_is_that_of_the_training_documents():
    texts = ["apple pear", "apple plum", "zebra apple", "zebra"]
    few = Corpus("few", np.ones((4, 1), bool), ("c",), texts=texts)
    rows = vectors(few, np.array([0, 1]))
    assert rows.shape == (4, 3) and rows[3].nnz == 0
    same = Corpus("few", np.ones((4, 1), bool), ("c",), features=sparse.csr_matrix(np.diag([1.0, 2, 3, 4])))
    assert vectors(same, np.array([0, 2])).toarray().tolist() == [[1, 0], [0, 0], [0, 1], [0, 0]]
    with pytest.raises(OptionError, match="stop words"):
        vectors(Corpus("few", np.ones((2, 1), bool), ("c",), texts=["the", "of"]), np.array([0]))


def test_wordnet_glosses_become_a_corpus(tmp_path):
    draw = np.random.default_rng(0)
    rows = [
        {
            "synset": f"n{i}",
            "lexname": "noun.animal" if i % 3 else "adj.all",
            "lemmas": "secret",
            "gloss": f'a "thing", of sort {draw.integers(9)}',
            "ancestors_ge50": f"top mid{i % 4}" if i % 3 else "",
        }
        for i in range(240)
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "glosses.csv", index=False)
    found = wordnet(tmp_path / "glosses.csv")
    # "top" has the members of noun.animal, all of them: one of the two is enough.
    assert {"adj.all", "mid0", "mid1", "mid2", "mid3"} < set(found.categories) and len(found.categories) == 6
    assert not any("secret" in text for text in found.texts)
    assert len(set(found.families[::3])) == 80 and len(set(found.families)) == 84
    assert len(wordnet(tmp_path / "glosses.csv", categories=3).categories) == 3
    mixed = wordnet(tmp_path / "glosses.csv", siblings=False)
    assert (mixed.name, mixed.families, mixed.categories) == ("wordnet-mixed", None, found.categories)


def test_the_categories_are_even_in_log_prevalence():
    draw = np.random.default_rng(1)
    shares = np.r_[np.full(150, 0.003), np.geomspace(0.002, 0.5, 40)]
    labels = draw.random((4000, len(shares))) < shares
    chosen = spread(labels, np.arange(4000), 40)
    logs = np.log10(labels[:, chosen].mean(axis=0))
    assert len(chosen) == 40 and np.histogram(logs, np.log10([0.001, 0.005, 0.05, 0.5]))[0].min() >= 8
    with pytest.raises(OptionError):
        spread(labels, np.arange(4000), 0)


@pytest.fixture
def stand_in(monkeypatch):
    import sklearn.datasets

    draw = np.random.default_rng(0)
    data = sparse.random(200, 50, 0.1, format="csr", rng=draw)[[*range(7), 3, *range(8, 200)]]
    target = sparse.csr_matrix((draw.random((200, 3)) < [0.6, 0.2, 0.01]).astype(np.uint8))
    bunch = SimpleNamespace(
        data=data.tocsr(),
        target=target,
        sample_id=np.arange(200),
        target_names=np.array(["CCAT", "M11", "RARE"], object),
    )
    monkeypatch.setattr(sklearn.datasets, "fetch_rcv1", lambda: bunch)
    return bunch


def test_rcv1_is_what_scikit_learn_fetches(stand_in):
    found = rcv1(fewest=10)
    assert (found.name, found.categories, len(found)) == ("rcv1", ("CCAT", "M11"), 200)
    assert np.array_equal(found.labels, stand_in.target.toarray()[:, :2] > 0)
    assert found.families[7] == found.families[3] != found.families[4]
    with pytest.raises(InputError, match="no topic"):
        rcv1(fewest=1000)


def test_the_sample_of_rcv1_keeps_what_is_distinct_and_known(tmp_path):
    draw = np.random.default_rng(0)
    labels = (draw.random((40, 30)) < 0.4).astype(np.uint8)
    labels[:, 29] = 0
    unique = np.arange(40) % 4 > 0
    sparse.save_npz(tmp_path / "rcv1_30k_X.npz", sparse.random(40, 9, 0.5, format="csr", rng=draw))
    np.savez(tmp_path / "rcv1_30k_Y.npz", Y=labels, unique=unique)
    with pytest.raises(InputError, match=r"topics\.txt"):
        rcv1_sample(tmp_path)
    (tmp_path / "topics.txt").write_text("\n".join(f"T{i}" for i in range(30)))
    found = rcv1_sample(tmp_path)
    assert found.categories == ("T24", "T25", "T26", "T27", "T28") and found.features.shape == (30, 9)
    assert np.array_equal(found.labels, labels[unique][:, 24:29] > 0)
    (tmp_path / "topics.txt").write_text("T1")
    with pytest.raises(InputError, match="30 topics"):
        rcv1_sample(tmp_path)


def test_without_scikit_learn_the_command_that_installs_it_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(OptionError, match=r"pip install 'referee\[learn\]'"):
        require()
    with pytest.raises(OptionError, match=r"pip install 'referee\[learn\]'"):
        rcv1()
