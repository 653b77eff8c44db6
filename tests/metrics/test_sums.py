"""Metrics that bring their own statistics: how they are declared, what their functions may return, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn import metrics as sklearn_metrics

import referee
from referee.errors import InputError, Misfit, NumbersNeeded, OptionError
from referee.metrics import METRICS, resolve, share
from tests.conformance.cases import columns, label_lists

DATA = {role: values.tolist() for role, values in columns("wer", 30, 1).items()}


@pytest.fixture(autouse=True)
def own_names():
    known = dict(METRICS.items())
    yield
    for name in set(METRICS) - set(known):
        METRICS.remove(name)


def per_row(truth, prediction):
    return len(set(truth.split()) & set(prediction.split())), len(prediction.split())


def named(truth, prediction):
    return dict(zip(("found", "said"), per_row(truth, prediction), strict=True))


def columns_of(truth, prediction):
    rows = [per_row(own, answer) for own, answer in zip(truth, prediction, strict=True)]
    return tuple(np.array(rows).T)


def table_of(truth, prediction):
    return np.array([per_row(own, answer) for own, answer in zip(truth, prediction, strict=True)])


def named_columns(truth, prediction):
    return dict(zip(("found", "said"), columns_of(truth, prediction), strict=True))


@pytest.mark.parametrize("statistics", [per_row, named, columns_of, table_of, named_columns])
def test_every_form_of_statistics_gives_one_score(statistics):
    @referee.metric(statistics=statistics, reads="text", unit="share")
    def grounded(found, said):
        "Share of the words that the truth has."
        return share(found, said)

    rows = [per_row(own, answer) for own, answer in zip(DATA["truth"], DATA["a"], strict=True)]
    r = referee.compare(**DATA, metric=grounded, audit=False)
    assert r.a.score == pytest.approx(sum(x for x, _ in rows) / sum(y for _, y in rows))
    assert (r.test, r.metric_info.task) == ("skew-t", "sums")


def test_options_belong_to_the_statistics_or_to_the_score():
    def lengths(truth, prediction, *, least=1):
        return sum(len(word) >= least for word in prediction.split()), 1

    @referee.metric(statistics=lengths, reads="text")
    def long_words(words, n, *, factor=1.0):
        "Long words per text."
        return factor * words / n

    spelt = resolve("long-words:least=3,factor=2")
    assert spelt.score(DATA["truth"], ["abc de fgh"] * 30) == 4.0
    assert str(spelt) == "long-words:least=3,factor=2"


@pytest.mark.parametrize(
    ("statistics", "error", "said"),
    [
        (lambda truth, prediction: (-1.0, 2.0), InputError, r"negative for \d+ distinct examples; if they can be, declare signed"),
        (lambda truth, prediction: (float("nan"), 1.0), InputError, "not finite"),
        (lambda truth, prediction: np.full((len(truth), 2), np.inf), InputError, "not finite"),
        (lambda truth, prediction: (1.0, 2.0, 3.0), Misfit, r"must give 2 numbers per example \(found, said\); they give"),
        (lambda truth, prediction: 1.0, Misfit, "must give 2 numbers per example"),
        (lambda truth, prediction: truth.nothing, Misfit, "fail: AttributeError"),
        (lambda truth, prediction: np.c_[np.arange(len(truth)), np.ones(len(truth))], Misfit, "another row when it is alone"),
    ],
)  # fmt: skip
def test_statistics_that_are_none_are_refused(statistics, error, said):
    @referee.metric(statistics=statistics, reads="text")
    def broken(found, said):
        "Broken."
        return found / said

    if said.startswith("another"):
        broken = referee.metric(statistics=lambda truth, prediction: np.c_[np.arange(len(truth)) + len(truth), np.ones(len(truth))])(lambda found, said: found / said)  # fmt: skip
    with pytest.raises(error, match=said):
        referee.compare(**DATA, metric=broken, audit=False)


def test_declarations_that_make_no_sense_are_refused():
    with pytest.raises(OptionError, match="takes truth and prediction, in this order"):
        referee.metric(statistics=lambda a, b: (1, 1))(lambda x, y: x / y)
    with pytest.raises(OptionError, match="must be a function of truth and prediction"):
        referee.metric(statistics=3)(lambda x, y: x / y)
    with pytest.raises(OptionError, match="takes no sum called 'z'"):
        referee.metric(statistics=per_row, of_truth=("z",))(lambda x, y: x / y)


def test_numbers_and_probabilities_equal_scikit_learn():
    rng = np.random.default_rng(3)
    truth, label = rng.normal(size=50), rng.random(50) < 0.4
    guess, share_of = truth + rng.normal(size=50), rng.random(50).round(2)
    share_of[:2] = 0.0, 1.0
    assert resolve("r2").score(truth, guess) == pytest.approx(sklearn_metrics.r2_score(truth, guess), abs=1e-12)
    expected = sklearn_metrics.mean_pinball_loss(truth, guess, alpha=0.9)
    assert resolve("pinball:quantile=0.9").score(truth, guess) == pytest.approx(expected, abs=1e-12)
    named = np.where(label, "spam", "ham")
    for name, theirs in (("log-loss", sklearn_metrics.log_loss), ("brier", sklearn_metrics.brier_score_loss)):
        expected = theirs(label, share_of)
        assert resolve(name).score(label.astype(int), share_of) == pytest.approx(expected, abs=1e-12)
        assert resolve(name).score(named, share_of, positive="spam") == pytest.approx(expected, abs=1e-12)
        with pytest.raises(InputError, match="which label is the positive one"):
            resolve(name).score(named, share_of)
        with pytest.raises(Misfit, match=rf"{name} needs probabilities from 0 to 1, and .* holds -0.5"):
            resolve(name).score([1, 0], [0.5, -0.5])
        with pytest.raises(NumbersNeeded):
            resolve(name).score(["a", "b"], ["a", "b"])
    with pytest.raises(NumbersNeeded, match="r2 needs numbers"):
        resolve("r2").score(["a", "b"], ["a", "b"])
    with pytest.raises(OptionError, match="quantile must lie between 0 and 1"):
        resolve("pinball:quantile=2").score([1.5], [2.5])


def test_multilabel_metrics_equal_scikit_learn():
    made = label_lists(np.random.default_rng(1), 60, 0.8)
    labels = sorted({label for text in made["truth"] for label in json.loads(text)})
    truth, a = (
        np.array([[name in json.loads(text) for name in labels] for text in made[role]]) for role in ("truth", "a")
    )
    for name in ("f1", "precision", "recall"):
        for average in ("micro", "samples"):
            expected = getattr(sklearn_metrics, f"{name}_score")(truth, a, average=average, zero_division=0)
            metric = resolve(f"multilabel-{name}:average={average}")
            assert metric.score(made["truth"], made["a"]) == pytest.approx(expected, abs=1e-12)
    assert resolve("subset-accuracy").score(made["truth"], made["a"]) == sklearn_metrics.accuracy_score(truth, a)
    wrong = resolve("multilabel-errors:labels=4").score(made["truth"], made["a"])
    assert wrong == pytest.approx(sklearn_metrics.hamming_loss(truth, a))
    lists = [json.loads(text) for text in made["truth"]], [json.loads(text) for text in made["a"]]
    assert resolve("multilabel-f1").score(*lists) == resolve("multilabel-f1").score(made["truth"], made["a"])
    piped = [["|".join(own) or "-" for own in side] for side in lists]
    assert resolve("multilabel-precision:separator=pipe").score(*piped) > 0


def test_separators_are_never_guessed():
    for text, likely in (("art;law", "semicolon"), ("art, law", "comma"), ("art", "pipe")):
        with pytest.raises(InputError, match=f"needs lists of labels, such as .*separator={likely}"):
            resolve("multilabel-f1").score([text], [text])
    with pytest.raises(OptionError, match="separator must be one of json, pipe"):
        resolve("multilabel-f1:separator=dot").score(["a"], ["a"])
    with pytest.raises(OptionError, match="average must be one of micro, samples"):
        resolve("multilabel-f1:average=macro").score(['["a"]'], ['["a"]'])


def test_multilabel_cells_are_lists_or_have_the_separator_that_is_named():
    truth, answers = ["art|war", "[]", "law", "sea"], ["art", "", "law|[live]", "[]"]
    lists = [["art", "war"], [], ["law"], ["sea"]], [["art"], [], ["law", "[live]"], []]
    piped, plain = resolve("multilabel-f1:separator=pipe"), resolve("multilabel-f1")
    assert piped.score(truth, answers) == plain.score(*lists)  # [] is no label
    written = [str(row) for row in lists[0]], [str(row) for row in lists[1]]
    assert plain.score(*written) == piped.score(*written) == plain.score(*lists)  # as pandas writes lists to a CSV
    for metric, own, other, told in (
        (piped, ["['art', 'war']", "law"], ["art", "law"], "some cells are lists"),
        (piped, ["['art' 'war']", "law"], ["art", "law"], "looks like a list"),
        (plain, ["['art', nan]"], ["['art']"], "looks like a list"),
        (piped, ["art, war", "law"], ["art", "law"], "',' does"),
        (piped, ["art|war", "law"], ["art;war", "law"], "nowhere in B"),
    ):
        with pytest.raises(InputError, match=told):
            referee.compare(truth=own, a=own, b=other, metric=metric)
    assert piped.score(["art", "law"], ["law", "law"]) == 0.5  # all are single labels
    places = ["Paris, France|Rome, Italy", "Rome, Italy"]
    assert piped.score(places, ["Rome, Italy", "Rome, Italy"]) == 0.8  # a comma inside a label
    by = {
        "truth": places * 4,
        "a": places * 4,
        "b": ["Rome, Italy"] * 8,
        "by": ["one", "two"] * 4,
    }  # a slice has no separator
    assert len(referee.compare(**by, metric=piped)) == 2


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("macro-f1", "f1:average=macro"), ("macro_f1", "f1:average=macro"), ("f1-macro", "f1:average=macro"),
        ("micro-f1", "f1:average=micro"), ("weighted-f1", "f1:average=weighted"), ("acc", "accuracy"), ("ap", "average-precision"),
        ("auprc", "average-precision"), ("roc-auc", "auc"), ("balanced_accuracy", "balanced-accuracy"), ("sacrebleu", "bleu"),
        ("logloss", "log-loss"), ("brier_score", "brier"), ("mean_absolute_error", "mae"), ("BLEU", "bleu"), ("chrF++", "chrf:word_order=2"),
        ("sacrebleu:lowercase=true", "bleu:lowercase=true"), ("chrf++:beta=1", "chrf:word_order=2,beta=1"),
        ("bleu4", "bleu"), ("chrF2", "chrf"), ("chrf2", "chrf"), ("macro_avg_f1", "f1:average=macro"),
    ],
)  # fmt: skip
def test_names_that_people_type(typed, meant):
    assert resolve(typed) == resolve(meant)


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("perplexity", "metric='mean:better=lower'"), ("rouge", "metric='mean'"), ("bertscore", "metric='mean'"), ("em", "metric='accuracy'"),
        ("pass@1", "0 or 1"), ("elo", "Bradley-Terry"), ("iou", "jaccard"), ("ndcg", "ir_measures"),
        ("hamming_loss", "multilabel-errors"), ("hamming", "multilabel-errors:labels=20"), ("neg_log_loss", "log-loss with the sign turned"),
        ("recall@5", "qrels.*ir_measures"), ("precision@10", "qrels"), ("hit@k", "qrels"), ("pass_at_1", "0 or 1"), ("pass@100", "0 or 1"),
        ("token_f1", "metric='mean'"), ("squad_f1", "metric='mean'"), ("top5", "first few"), ("top_5_accuracy", "first few"),
        ("fpr", "1 − specificity"),
    ],
)  # fmt: skip
def test_names_of_something_else_get_a_hint(typed, hint):
    with pytest.raises(LookupError, match=hint):
        resolve(typed)
