"""Training on a table of texts: the same split, models and counts as of a corpus, without what only corpora have."""

from __future__ import annotations

import sys

import pandas as pd
import pytest
from scripts.population_corpus import Corpus
from scripts.population_training import train as train_corpus

from referee.errors import NameUnknown, OptionError
from referee_papers.training import models
from referee_papers.training.train import train
from tests.papers.populations.synthetic import NAMES, synthetic


@pytest.fixture
def table(tmp_path):
    given = synthetic(150)
    topics = [" ".join(name for name, belongs in zip(NAMES, row, strict=True) if belongs) for row in given.labels]
    path = tmp_path / "texts.csv"
    pd.DataFrame({"text": given.texts, "topics": topics}).to_csv(path, index=False)
    return str(path)


def test_a_table_is_trained_on_as_a_corpus_without_families_is(table, monkeypatch):
    for name, value in (("LINEAR_CS", (1.0, 10.0)), ("NETWORKS", ((8, 1e-4),)), ("EPOCHS", 3)):
        monkeypatch.setattr(models, name, value)
    given, names = synthetic(150), ("animal", "cat", "dog", "red")
    corpus = Corpus("texts", given.labels[:, [NAMES.index(name) for name in names]], names, texts=given.texts)
    pair = ("linear-svm", "mlp")
    expected = train_corpus(corpus, 70, 0, pair).counts(*pair)
    assert train(table, "text", "topics", pair, 70).to_json() == expected.to_json()
    assert train(table, "text", "topics", pair).n == 135 * len(names)


def test_options_of_training_on_a_table_are_checked(table, monkeypatch):
    with pytest.raises(OptionError, match="train_size must leave a text on both sides; it is 150"):
        train(table, "text", "topics", ("linear-svm", "mlp"), 150)
    with pytest.raises(OptionError, match="did you mean 'mlp'"):
        train(table, "text", "topics", ("linear-svm", "mpl"))
    with pytest.raises(NameUnknown, match="did you mean 'text'"):
        train(table, "txt", "topics", ("linear-svm", "mlp"))
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(OptionError, match=r"pip install 'referee\[learn\]'"):
        train(table, "text", "topics", ("linear-svm", "mlp"))
