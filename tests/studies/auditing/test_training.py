"""Training: three models, their predictions as counts, unions and documents."""

from __future__ import annotations

import sys
from collections import Counter
from itertools import product

import numpy as np
import pytest
from scipy import sparse

from referee.errors import InputError, NameUnknown, OptionError
from referee.runtime.progress import watching
from referee.runtime.randomness import Streams
from referee.studies.auditing import gaussian, linear, perceptron
from referee.studies.auditing.corpus import Corpus, split
from referee.studies.auditing.learning import Task, f1
from referee.studies.auditing.predictions import EVENTS, Predictions
from referee.studies.auditing.training import train

NAMES = ("animal", "cat", "dog", "red", "rare")


def synthetic(size=360, seed=0):
    """Texts whose words tell the labels, more or less; cat and dog are animals; families of three share a tag."""
    draw = np.random.default_rng(seed)
    cat, dog = draw.random(size) < 0.2, draw.random(size) < 0.25
    labels = np.stack([cat | dog, cat, dog, draw.random(size) < 0.45, np.arange(size) == 5], axis=1)
    texts = []
    for i, row in enumerate(labels):
        told = [f"{NAMES[k]}{draw.integers(3)}" for k in range(4) if row[k] and draw.random() < 0.9]
        texts.append(" ".join([*told, *(f"noise{w}" for w in draw.integers(0, 60, 6)), f"family{i // 3}"]))
    families = np.r_[np.arange(size - 60) // 3, np.arange(size - 60, size)]
    return Corpus("synthetic", labels, NAMES, texts=texts, families=families)


@pytest.fixture(scope="module")
def trained():
    seen = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear, "GRID", (1.0, 10.0))
        patch.setattr(gaussian, "CS", (3.0, 30.0))
        patch.setattr(gaussian, "GAMMAS", (0.3, 1.0))
        patch.setattr(gaussian, "CHUNK", 50)
        patch.setattr(perceptron, "GRID", ((16, 1e-4), (24, 1e-4)))
        patch.setattr(perceptron, "EPOCHS", 12)
        patch.setattr(perceptron, "STEPS", 12)
        patch.setattr(perceptron, "RATE", 0.03)
        with watching(lambda what, done, total: seen.append(what)):
            found = train(synthetic(), 160, 3)
    assert len(set(seen)) == 8
    return found


def random_predictions(documents=300, categories=12, known=False, seed=0):
    draw = np.random.default_rng(seed)
    truth = draw.random((documents, categories)) < 0.1
    flips = {m: draw.random(truth.shape) < 0.05 for m in ("linear-svm", "rbf-svm", "mlp")}
    return Predictions(
        "random",
        tuple(f"c{k:02d}" for k in range(categories)),
        truth,
        {m: truth ^ flip for m, flip in flips.items()},
        known=draw.random(truth.shape) < 0.9 if known else None,
    )


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


def test_training_again_and_by_two_at_once_gives_the_same():
    first, second = (train(synthetic(150), 80, 1, ["rbf-svm"], jobs=jobs) for jobs in (1, 2))
    assert np.array_equal(first.predicted["rbf-svm"], second.predicted["rbf-svm"])


def test_the_gaussian_svms_may_share_their_settings():
    found = train(synthetic(150), 80, 1, ["rbf-svm"], sample=2).settings["rbf-svm"]
    assert len(set(found["C"])) == len(set(found["gamma"])) == 1 and found["tuned_on"] == 2
    assert max(found["cv_mean_f1"].values()) == found["cv_mean_f1"][f"gamma {found['gamma'][0]:g}, C {found['C'][0]:g}"]


def test_one_category_is_enough():
    whole = synthetic(150)
    one = Corpus("one", whole.labels[:, 3:4], ("red",), texts=whole.texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(perceptron, "GRID", ((8, 1e-4),))
        patch.setattr(perceptron, "EPOCHS", 2)
        assert train(one, 90, 1, ["mlp"]).predicted["mlp"].shape == (60, 1)


def test_the_gaussian_svm_is_that_of_scikit_learn():
    from sklearn.svm import SVC

    draw = np.random.default_rng(0)
    rows = sparse.random(150, 30, 0.3, format="csr", rng=draw)
    labels = np.asarray(rows[:, :5].sum(axis=1)).ravel() > 0.7
    kernel = gaussian.kernel_of(gaussian.squared_distances(rows[:90], rows[:90]), 0.3)
    support, weights, constant = gaussian.fit(kernel, labels[:90], 3.0)
    across = gaussian.kernel_of(gaussian.squared_distances(rows[90:], rows[:90]), 0.3)
    plain = SVC(C=3.0, gamma=0.3).fit(rows[:90].toarray(), labels[:90])
    assert across[:, support] @ weights + constant == pytest.approx(
        plain.decision_function(rows[90:].toarray()), abs=1e-2
    )


def test_one_class_only_is_predicted_as_it_is():
    draw = np.random.default_rng(0)
    rows = sparse.random(60, 20, 0.3, format="csr", rng=draw)
    labels = np.stack([np.ones(40, bool), np.zeros(40, bool)], axis=1)
    task = Task(rows[:40], labels, rows[40:], np.arange(40) % 3)
    for model in (linear.linear_svm, gaussian.gaussian_svm):
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


@pytest.mark.parametrize("known", [False, True])
def test_counts_are_those_of_a_loop(known):
    given = random_predictions(known=known)
    counts = given.counts("linear-svm", "mlp")
    assert (dict(counts.names), counts.positive) == ({"a": "linear-svm", "b": "mlp"}, 1)
    slices = dict(counts.slices())
    for k, name in enumerate(given.categories):
        seen = np.ones(len(given), bool) if given.known is None else given.known[:, k]
        expected = Counter(
            zip(
                given.truth[seen, k].astype(int).tolist(),
                given.predicted["linear-svm"][seen, k].astype(int).tolist(),
                given.predicted["mlp"][seen, k].astype(int).tolist(),
                strict=True,
            )
        )
        one = slices[name]
        rows = zip(*(one[role].tolist() for role in ("truth", "a", "b")), strict=True)
        assert dict(zip(rows, one.multiplicities.tolist(), strict=True)) == expected
        assert one.n == seen.sum()


def test_counts_sum_to_the_documents_of_the_rest(trained):
    assert all(one.n == 200 for _, one in trained.counts("rbf-svm", "mlp").slices())
    with pytest.raises(NameUnknown):
        trained.counts("rbf-svm", "svm")
    with pytest.raises(InputError, match="both are"):
        trained.counts("mlp", "mlp")


@pytest.mark.parametrize("known", [False, True])
def test_documents_are_those_of_a_loop(known):
    given = random_predictions(known=known)
    names = ["c03", "c01", "c07"]
    events, times = given.documents(names, "linear-svm", "rbf-svm")
    expected: Counter[tuple[int, ...]] = Counter()
    for i in range(len(given)):
        each = [0] * 8
        for name in names:
            k = given.categories.index(name)
            if given.known is None or given.known[i, k]:
                cell = (given.truth[i, k], given.predicted["linear-svm"][i, k], given.predicted["rbf-svm"][i, k])
                each[EVENTS.index(tuple(int(value) for value in cell))] += 1
        expected[tuple(each)] += 1
    assert {tuple(kind): many for kind, many in zip(events.tolist(), times.tolist(), strict=True)} == expected
    with pytest.raises(NameUnknown):
        given.documents(["c99"], "linear-svm", "rbf-svm")


def test_the_events_are_in_the_order_of_the_papers():
    cells = list(product([True, False], repeat=3))
    truth, a, b = (np.array(values)[:, None] for values in zip(*cells, strict=True))
    found = Predictions("x", ("c",), truth, {"a": a, "b": b})
    assert found.events("a", "b").tolist() == [[1] * 8]
    only = found.at(np.flatnonzero((truth & ~a & b)[:, 0]))
    assert only.events("a", "b").tolist() == [[0, 1, 0, 0, 0, 0, 0, 0]]


@pytest.mark.parametrize("known", [False, True])
def test_unions_are_balanced_and_are_what_any_member_says(known):
    given = random_predictions(known=known)
    united = given.unions(20, 1, (0.3, 0.7))
    assert united.categories[0] == "union-001" and len(set(united.members.values())) == 20
    assert united.prevalence.min() >= 0.3 and united.prevalence.max() <= 0.7
    for u, members in enumerate(united.members.values()):
        assert len(members) > 1
        for i in range(len(given)):
            ks = [given.categories.index(name) for name in members]
            assert united.truth[i, u] == any(given.truth[i, k] for k in ks)
            assert united.predicted["mlp"][i, u] == any(given.predicted["mlp"][i, k] for k in ks)
            assert given.known is None or united.known[i, u] == all(given.known[i, k] for k in ks)


def test_unions_that_cannot_be_are_refused():
    given = random_predictions(categories=3)
    with pytest.raises(InputError, match="ask for fewer"):
        given.unions(20)
    with pytest.raises(OptionError, match="balance"):
        given.unions(2, 0, (0.6, 0.4))
    with pytest.raises(OptionError, match="count"):
        given.unions(0)


def test_known_labels_only_are_counted_after_training():
    whole = synthetic(150)
    known = np.ones(whole.labels.shape, bool)
    known[:30, 2] = False
    given = Corpus("part", whole.labels, NAMES, texts=whole.texts, known=known)
    found = train(given, 80, 1, ["linear-svm"])
    assert found.known is not None and (~found.known[:, 2]).sum() == 30
