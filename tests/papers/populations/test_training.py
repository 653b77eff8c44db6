"""Training: three models on a part of a corpus, and what they predict of the rest."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from scipy import sparse
from scripts.population_corpus import Corpus, split
from scripts.population_training import train

from referee.errors import InputError, NameUnknown, OptionError
from referee.runtime.randomness import Streams
from referee_papers.training import models
from referee_papers.training.models import Task, f1
from tests.papers.populations.synthetic import NAMES, synthetic


def test_the_models_learn(trained):
    assert (trained.corpus, trained.train_size, len(trained), trained.categories) == ("synthetic", 160, 200, NAMES)
    for found in trained.predicted.values():
        assert found.shape == (200, 5) and found.dtype == bool
        assert f1(trained.truth, found)[:4].min() > 0.6
    assert len(trained.settings["linear-svm"]["C"]) == len(trained.settings["rbf-svm"]["gamma"]) == 5
    assert trained.settings["mlp"]["epochs"] >= 1


def test_the_truth_is_that_of_the_rest(trained):
    inside, rest = split(synthetic(), 160, Streams.of(3).child(0))
    assert np.array_equal(trained.truth, synthetic().labels[rest])
    assert trained.train_positives.tolist() == synthetic().labels[inside].sum(axis=0).tolist()
    families = synthetic().families
    assert not set(families[inside]) & set(families[rest])


def test_a_category_without_training_documents_is_never_predicted(trained):
    assert trained.train_positives[4] == 0 and trained.truth[:, 4].any()
    assert not any(found[:, 4].any() for found in trained.predicted.values())


def test_one_category_is_enough():
    whole = synthetic(150)
    one = Corpus("one", whole.labels[:, 3:4], ("red",), texts=whole.texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(models, "NETWORKS", ((8, 1e-4),))
        patch.setattr(models, "EPOCHS", 2)
        assert train(one, 90, 1, ["mlp"]).predicted["mlp"].shape == (60, 1)


def test_one_class_only_is_predicted_as_it_is():
    draw = np.random.default_rng(0)
    rows = sparse.random(60, 20, 0.3, format="csr", rng=draw)
    labels = np.stack([np.ones(40, bool), np.zeros(40, bool)], axis=1)
    task = Task(rows[:40], labels, rows[40:], np.arange(40) % 3)
    for model in (models.linear_svm, models.gaussian_svm):
        assert model(task).predicted.tolist() == [[True, False]] * 20


def test_options_of_training_are_checked(monkeypatch):
    with pytest.raises(OptionError, match="did you mean 'mlp'"):
        train(synthetic(), 100, models=["mpl"])
    with pytest.raises(OptionError, match="different"):
        train(synthetic(), 100, models=["mlp", "mlp"])
    with pytest.raises(InputError, match="train on more"):
        train(synthetic(), 20, fewest=19)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(OptionError, match=r"pip install 'referee\[learn\]'"):
        train(synthetic(), 100)


def test_rare_categories_can_be_left_out():
    found = train(synthetic(150), 80, 1, ["linear-svm"], fewest=5)
    assert "rare" not in found.categories and found.predicted["linear-svm"].shape == (70, len(found.categories))


def test_counts_sum_to_the_documents_of_the_rest(trained):
    assert all(one.n == 200 for _, one in trained.counts("rbf-svm", "mlp").slices())
    with pytest.raises(NameUnknown):
        trained.counts("rbf-svm", "svm")
    with pytest.raises(InputError, match="both are"):
        trained.counts("mlp", "mlp")


def test_known_labels_only_are_counted_after_training():
    whole = synthetic(150)
    known = np.ones(whole.labels.shape, bool)
    known[:30, 2] = False
    given = Corpus("part", whole.labels, NAMES, texts=whole.texts, known=known)
    found = train(given, 80, 1, ["linear-svm"])
    assert found.known is not None and (~found.known[:, 2]).sum() == 30
