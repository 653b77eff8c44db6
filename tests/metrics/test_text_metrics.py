"""Metrics of texts: equal to sacrebleu and jiwer; what is wrong with texts is said."""

from __future__ import annotations

import json
from importlib.util import find_spec

import numpy as np
import pytest

import referee
from referee.errors import InputError, Misfit, OptionError, PackageMissing
from referee.metrics import METRICS, resolve, text_metrics
from tests.conformance.cases import NEEDS, sentences

RNG = np.random.default_rng(5)
TEXTS = sentences(RNG, 40, 0.8)
TRUTH = [f"{text.capitalize()}, (really)!" for text in TEXTS["truth"]]
A, B = ([f"{text}!" for text in TEXTS[role]] for role in "ab")
OTHER = [text.replace("the", "a") for text in TRUTH]
SPOKEN = ["hello world", "good  morning dear all", "", "the cat sat"]
HEARD = ["hello duck", "good morning all", "uh oh", "the bat sat down"]


@pytest.mark.parametrize("package", sorted(set(NEEDS.values())))
def test_the_packages_are_there(package):
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed, so its metrics are not tested")


def needs(package):
    return pytest.mark.skipif(find_spec(package) is None, reason=f"{package} is not installed")


@needs("sacrebleu")
@pytest.mark.parametrize(
    ("spelling", "kind", "options"),
    [
        ("bleu", "BLEU", {}),
        ("bleu:tokenize=char,lowercase=true", "BLEU", {"tokenize": "char", "lowercase": True}),
        ("bleu:max_ngram_order=2", "BLEU", {"max_ngram_order": 2}),
        *((f"bleu:smooth_method={how}", "BLEU", {"smooth_method": how}) for how in ("floor", "add-k", "none")),
        ("bleu:effective_order=true", "BLEU", {"effective_order": True}),
        ("chrf", "CHRF", {}),
        ("chrf:word_order=2,beta=1", "CHRF", {"word_order": 2, "beta": 1}),
        ("chrf:whitespace=true,eps_smoothing=true", "CHRF", {"whitespace": True, "eps_smoothing": True}),
        ("ter", "TER", {}),
        ("ter:normalized=true,no_punct=true,case_sensitive=true", "TER", {"normalized": True, "no_punct": True, "case_sensitive": True}),
    ],
)  # fmt: skip
def test_scores_are_those_of_sacrebleu(spelling, kind, options):
    from sacrebleu import metrics

    theirs, own = getattr(metrics, kind)(**options), resolve(spelling)
    for answers in (A, B, ["the"] * 40, [""] * 40, ["zzz"] * 40):
        assert own.score(TRUTH, answers) == pytest.approx(theirs.corpus_score(answers, [TRUTH]).score, abs=1e-9)
    several = [json.dumps(list(pair)) for pair in zip(TRUTH, OTHER, strict=True)]
    assert own.score(several, A) == pytest.approx(theirs.corpus_score(A, [TRUTH, OTHER]).score, abs=1e-9)
    assert own.score([list(pair) for pair in zip(TRUTH, OTHER, strict=True)], A) == own.score(several, A)


@needs("rapidfuzz")
def test_error_rates_are_those_of_jiwer():
    # What jiwer 4.0.0 says of these lists, with and without the empty reference.
    spoken, heard = SPOKEN[:2] + SPOKEN[3:], HEARD[:2] + HEARD[3:]
    assert (resolve("wer").score(SPOKEN, HEARD), resolve("cer").score(SPOKEN, HEARD)) == (6 / 9, 0.5)
    assert resolve("wer").score(spoken, heard) == pytest.approx(0.4444444444444444, abs=1e-12)
    assert resolve("cer").score(spoken, heard) == pytest.approx(0.38636363636363635, abs=1e-12)
    assert resolve("wer:lowercase=true").score(["Yes", "NO"], ["yes", "no"]) == 0
    assert resolve("wer").score([""], ["uh"]) is None


@needs("sacrebleu")
@needs("rapidfuzz")
def test_what_is_wrong_with_texts_is_said():
    for metric in ("bleu", "chrf", "ter"):
        with pytest.raises(InputError, match="needs a reference for every example, and one is empty"):
            referee.compare(truth=["", "a b"], a=["x", "a"], b=["a", "a b"], metric=metric)
    with pytest.raises(Misfit, match=r"wer compares texts, and truth holds whole numbers; choose a metric of labels"):
        referee.compare(truth=[1, 2], a=[1, 2], b=[1, 1], metric="wer")
    with pytest.raises(InputError, match=r"prediction.* missing|b is missing|B is missing|missing"):
        referee.compare(truth=["a", "b"], a=["a", "b"], b=["a", None], metric="wer")
    r = referee.compare(
        truth=["a b", "b", "c d"], a=["a", "b", "c"], b=["a", None, "c d"], metric="wer", missing="wrong"
    )
    assert r.b.score == pytest.approx(2 / 5)
    for wrong in (
        "bleu:tokenize=none13",
        "bleu:smooth_method=more",
        "bleu:max_ngram_order=0",
        "chrf:beta=0",
        "chrf:order=2",
    ):
        with pytest.raises(OptionError, match=r"bleu|chrf"):
            referee.compare(truth=["a b"], a=["a"], b=["b"], metric=wrong)
    with pytest.raises(Misfit, match="needs the truth"):
        referee.compare(a=["a"], b=["b"], metric="bleu")


def test_a_missing_package_names_the_command(monkeypatch):
    def gone(name):
        raise ImportError(name)

    monkeypatch.setattr(text_metrics, "import_module", gone)
    text_metrics._scorer.cache_clear()
    with pytest.raises(PackageMissing, match=r"bleu needs sacrebleu; install it: pip install 'referee\[mt\]'"):
        METRICS["bleu"].score(["a b"], ["a"])
    with pytest.raises(PackageMissing, match=r"need rapidfuzz; install it: pip install 'referee\[speech\]'"):
        METRICS["wer"].score(["a b"], ["a"])


@needs("sacrebleu")
def test_texts_that_differ_by_a_capital_are_no_labels():
    r = referee.compare(truth=["The cat", "a dog"], a=["the cat", "A dog"], b=["The cat", "a Dog"], metric="chrf")
    assert not any("labels" in warning for warning in r.warnings)


@needs("sacrebleu")
def test_a_ranking_draws_once_and_agrees_with_pairs():
    systems = {"a": A, "b": B, "c": OTHER}
    test = "bootstrap:interval=centered,replicates=1999"
    ranked = referee.rank(truth=TRUTH, systems=systems, metric="bleu", test=test, baseline="a", adjust="none")
    for pair in ranked.pairs:
        alone = referee.compare(truth=TRUTH, a=systems["a"], b=systems[pair.b], metric="bleu", test=test, audit=False)
        assert pair.difference == pytest.approx(alone.difference)
        error = np.hypot(alone.p_error, alone.p_error)
        assert abs(pair.p_value - alone.p_value) <= 5 * error + 1e-3
        assert pair.interval.low == pytest.approx(
            alone.interval.low, abs=0.1 * (alone.interval.high - alone.interval.low)
        )
    again = referee.rank(
        truth=TRUTH, systems=dict(reversed(systems.items())), metric="bleu", test=test, baseline="a", adjust="none"
    )
    assert {p.b: p.p_value for p in again.pairs} == {p.b: p.p_value for p in ranked.pairs}


def test_without_a_word_of_reference_there_is_no_score_and_no_talk_of_classes():
    r = referee.compare(truth=["", ""], a=["a", "b"], b=["a", "b"], metric="wer")
    assert r.difference is None and any("the truth are empty" in told for told in r.warnings)
    one = referee.score(truth=["", ""], prediction=["a", "b"], metric="wer")
    assert any("the truth are empty" in told for told in one.warnings)


def test_lists_in_the_truth_ask_for_the_metric():
    lists = {"truth": ['["x", "y"]', "[]"] * 5, "a": ['["x"]', "[]"] * 5, "b": ['["y", "x"]', "[]"] * 5}
    with pytest.raises(Misfit, match="the truth holds lists, so name the metric: multilabel-f1"):
        referee.compare(**lists)
    for whole in ("micro-f1", "f1_macro", "kappa", "balanced-accuracy"):
        with pytest.raises(Misfit, match="would take each list for one label; use metric='multilabel-f1'"):
            referee.compare(**lists, metric=whole)
    assert referee.compare(**lists, metric="accuracy", audit=False).b.score == 0.5
    assert referee.compare(**lists, metric="multilabel-f1").b.score == 1
    with pytest.raises(InputError, match="take one reference per example"):
        referee.compare(**lists, metric="wer")
    single = referee.compare(truth=['["x y"]'] * 4, a=["x y"] * 4, b=["x"] * 4, metric="wer", audit=False)
    assert (single.a.score, single.b.score) == (0, 0.5)


def test_error_rates_are_measured_in_points_like_other_shares():
    table = {
        "truth": ["a b c d", "e f"] * 6,
        "a": ["a b c", "e f"] * 6,
        "b": ["a b c d", "e x"] * 6,
        "metric": "wer",
        "audit": False,
    }
    assert [referee.compare(**table, margin=one).margin for one in ("1pp", 0.01)] == [0.01, 0.01]
    for margin, says in (
        (5, "margin 5 is 500 percentage points of wer; for 5 percentage points give"),
        ("1%", "can mean two things"),
    ):
        with pytest.raises(OptionError, match=says):
            referee.compare(**table, margin=margin)
    for metric in ("bleu", "ter"):
        with pytest.raises(OptionError, match="not measured in percent"):
            referee.compare(**{**table, "metric": metric}, margin="1pp")
    one = {"truth": table["truth"], "prediction": table["a"], "metric": "cer"}
    assert referee.score(**one, at_most="10%").at_most == 0.1
    with pytest.raises(OptionError, match="at_most='10' is 1000%; for 10% give at_most='10%'"):
        referee.score(**one, at_most=10)
    plan = referee.plan(truth=table["truth"], a=table["a"], b=table["b"], metric="wer", difference="2pp")
    assert plan.difference == 0.02


def test_intervals_of_scores_end_where_a_loss_ends():
    texts = {"truth": ["a b c", "d e", "f g"] * 3, "a": ["a b c", "d x", "x g"] * 3, "b": ["a b c", "d e", "f"] * 3}
    near = {"truth": [1.0, 2, 3, 4, 5, 6], "a": [1, 2.1, 3, 4, 9, 6.2], "b": [1.1, 2, 3, 4.2, 5, 6]}
    scenes = [
        (texts, "wer"),
        (texts, "cer"),
        (texts, "ter"),
        *((near, one) for one in ("mse", "rmse", "mae", "pinball")),
    ]
    for table, metric in scenes:
        for group in (None, [1, 2, 3] * (len(table["a"]) // 3)):
            r = referee.compare(**table, metric=metric, group=group, audit=False)
            assert min(r.a.interval.low, r.b.interval.low) == 0 < min(r.a.score, r.b.score), (metric, group)
            assert r.interval.low < 0  # that of the difference has no such end
    fits = referee.compare(**near, metric="r2", audit=False)
    assert fits.b.score < fits.b.interval.high <= 1
