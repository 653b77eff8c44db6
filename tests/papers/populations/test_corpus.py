"""Corpora: their shapes, how they are split, and their vectors."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scripts.population_corpus import Corpus, deal_folds, split, vectorize

from referee.errors import InputError, OptionError
from tests.papers.populations.made_up import corpus


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
    found = deal_folds(families, 100, 3, 1)
    assert all(len(set(found[families == f])) == 1 for f in range(12))
    assert np.bincount(found).min() > 20


def test_the_dictionary_is_that_of_the_training_documents():
    texts = ["apple pear", "apple plum", "zebra apple", "zebra"]
    few = Corpus("few", np.ones((4, 1), bool), ("c",), texts=texts)
    rows = vectorize(few, np.array([0, 1]))
    assert rows.shape == (4, 3) and rows[3].nnz == 0
    same = Corpus("few", np.ones((4, 1), bool), ("c",), features=sparse.csr_matrix(np.diag([1.0, 2, 3, 4])))
    assert vectorize(same, np.array([0, 2])).toarray().tolist() == [[1, 0], [0, 0], [0, 1], [0, 0]]
    with pytest.raises(OptionError, match="stop words"):
        vectorize(Corpus("few", np.ones((2, 1), bool), ("c",), texts=["the", "of"]), np.array([0]))
