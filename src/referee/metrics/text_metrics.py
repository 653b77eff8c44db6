"""Metrics of texts by what each text adds to sums: BLEU, chrF and TER as sacrebleu has them, and the error rates of speech."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np

from referee.data.columns import Floats
from referee.errors import InputError, OptionError, not_installed, one_of
from referee.metrics.decorator import metric
from referee.metrics.formula import LOSS, Share, share
from referee.metrics.list_cells import items_of

HUNDRED = (0.0, 100.0)
SMOOTHING = ("exp", "floor", "add-k", "none")
FLOOR, ADDED = 0.1, 1.0
"""What sacrebleu takes for the methods that need a value."""
TINY = 1e-16


def references_of(text: str, metric: str) -> list[str]:
    """Return the references of a cell: those of a JSON list of texts, otherwise the text itself.

    Raises:
        InputError: if there is none, or one is empty.
    """
    found = items_of(text)
    found = [text] if found is None else found
    if not found or not all(one.strip() for one in found):
        empty = f"{metric} needs a reference for every example, and one is empty"
        raise InputError(empty, argument="truth", value=text, remedy="leave such examples out")
    return found


# --- translation, by sacrebleu ---------------------------------------------------------------------------------------


@lru_cache(maxsize=32)
def _scorer(kind: str, **options: Any) -> Any:
    """Return sacrebleu's metric.

    Raises:
        PackageMissing: if it is not installed.
        OptionError: if it does not take the options.
    """
    name = kind.lower()
    try:
        known = import_module("sacrebleu.metrics")
    except ImportError as error:
        raise not_installed(f"{name} needs sacrebleu", install="'referee[mt]'", argument="metric") from error
    if kind == "BLEU":
        one_of("bleu:tokenize", options["tokenize"], sorted(known.BLEU.TOKENIZERS), "metric")
    try:
        return getattr(known, kind)(**options)
    except (ImportError, RuntimeError) as error:
        first = " ".join(str(error).split())[:200]
        raise OptionError(f"{name}: sacrebleu cannot set up its tokenizer: {first}", argument="metric") from error


def _by_sacrebleu(scorer: Any, name: str, truth: Any, prediction: Any) -> Floats:
    """Return [example, statistic]; what a reference says is looked up once for all that is held against it."""
    by_truth: dict[str, list[int]] = {}
    for place, text in enumerate(truth):
        by_truth.setdefault(text, []).append(place)
    rows: list[Any] = [None] * len(prediction)
    for text, places in by_truth.items():
        about = scorer._extract_reference_info([scorer._preprocess_segment(one) for one in references_of(text, name)])
        for place in places:
            answer = scorer._preprocess_segment(prediction[place] or "")
            rows[place] = scorer._compute_segment_statistics(answer, about)
    return np.array(rows, dtype=np.float64)


def _bleu(
    truth: Any, prediction: Any, *, tokenize: str = "13a", lowercase: bool = False, max_ngram_order: int = 4
) -> Floats:
    if max_ngram_order < 1:
        raise OptionError(f"bleu:max_ngram_order must be 1 or more; it is {max_ngram_order}", argument="metric")
    scorer = _scorer("BLEU", tokenize=tokenize, lowercase=lowercase, max_ngram_order=max_ngram_order, force=True)
    return _by_sacrebleu(scorer, "bleu", truth, prediction)


@metric(statistics=_bleu, reads="text", bounds=HUNDRED, prose="BLEU", works=("papineni2002", "post2018"))
def bleu(
    words: Any, reference_words: Any, *matches: Any, smooth_method: str = "exp", effective_order: bool = False
) -> Any:
    """Share of word n-grams that a reference has, geometric mean of orders 1 to 4, less a penalty for brevity; from 0 to 100."""
    one_of("bleu:smooth_method", smooth_method, SMOOTHING, "metric")
    order = len(matches) // 2
    logs, used, smallest, over = 0.0 * words, 0.0 * np.real(words), 1.0 + 0.0 * np.real(words), np.real(words) < 0
    for n, (correct, total) in enumerate(zip(matches[:order], matches[order:], strict=True)):
        if smooth_method == "add-k" and n:
            correct, total = correct + ADDED, total + ADDED
        over = over | (np.real(total) <= 0)
        none = np.real(correct) <= 0
        smallest = np.where(none & ~over, 2 * smallest, smallest)
        instead = {"exp": 1 / smallest, "floor": FLOOR}.get(smooth_method, 0.0)
        one = np.log(np.where(none, instead, correct) / np.where(over, 1.0, total))
        # A text too short for an order has no share of it: the whole is 0, unless only the orders that there are count.
        logs = logs + np.where(over, 0.0 if effective_order else -np.inf, one)
        used = used + (~over if effective_order else 1.0)
    short = np.real(words) < np.real(reference_words)
    penalty = np.where(short, 1 - reference_words / np.where(short, words, 1.0), 0.0)
    nothing = sum(np.real(correct) for correct in matches[:order]) <= 0
    return np.where(nothing, 0.0, 100 * np.exp(np.where(nothing, 0.0, logs / np.maximum(used, 1.0) + penalty)))


def _chrf(
    truth: Any, prediction: Any, *, char_order: int = 6, word_order: int = 0, beta: float = 2.0, lowercase: bool = False,
    whitespace: bool = False, eps_smoothing: bool = False,
) -> Floats:  # fmt: skip
    if not beta > 0 or char_order < 1 or word_order < 0:
        raise OptionError(
            "chrf needs beta above 0, char_order of 1 or more and word_order of 0 or more", argument="metric"
        )
    options = {"lowercase": lowercase, "whitespace": whitespace, "eps_smoothing": eps_smoothing}
    scorer = _scorer("CHRF", char_order=char_order, word_order=word_order, beta=beta, **options)
    return _by_sacrebleu(scorer, "chrf", truth, prediction)


@metric(statistics=_chrf, reads="text", bounds=HUNDRED, prose="chrF", works=("popovic2015", "post2018"))
def chrf(*counts: Any, beta: float = 2.0, eps_smoothing: bool = False) -> Any:
    """F-score of character n-grams (and of word n-grams: chrF++ has word_order=2), recall counting beta times as much; from 0 to 100."""
    factor, orders = beta * beta, len(counts) // 3
    precision, recall, used, smoothed = (0.0 * counts[0] for _ in range(4))
    for answered, wanted, matched in zip(counts[::3], counts[1::3], counts[2::3], strict=True):
        some, there = np.real(answered) > 0, np.real(wanted) > 0
        p = np.where(some, matched / np.where(some, answered, 1.0), TINY)
        r = np.where(there, matched / np.where(there, wanted, 1.0), TINY)
        below = factor * p + r
        full = np.real(below) > 0
        smoothed = smoothed + np.where(full, (1 + factor) * p * r / np.where(full, below, 1.0), TINY)
        precision, recall = precision + np.where(some & there, p, 0.0), recall + np.where(some & there, r, 0.0)
        used = used + (some & there)
    if eps_smoothing:
        return 100 * smoothed / orders
    p, r = (part / np.maximum(np.real(used), 1.0) for part in (precision, recall))
    full = np.real(p + r) > 0
    return np.where(full, 100 * (1 + factor) * p * r / np.where(full, factor * p + r, 1.0), 0.0)


def _ter(
    truth: Any, prediction: Any, *, normalized: bool = False, no_punct: bool = False, asian_support: bool = False,
    case_sensitive: bool = False,
) -> Floats:  # fmt: skip
    flags = {"normalized": normalized, "no_punct": no_punct, "asian_support": asian_support}
    return _by_sacrebleu(_scorer("TER", case_sensitive=case_sensitive, **flags), "ter", truth, prediction)


@metric(
    statistics=_ter, reads="text", higher_is_better=False, of_truth=("words",), bounds=LOSS, prose="TER", works=("snover2006", "post2018"),
)  # fmt: skip
def ter(edits: Any, words: Any) -> Share:
    """Edits (with shifts of phrases) that turn the answers into the references, per 100 words of these."""
    return 100 * share(edits, words)


# --- speech ----------------------------------------------------------------------------------------------------------


def _distance() -> Callable[[Any, Any], int]:
    try:
        levenshtein = import_module("rapidfuzz.distance").Levenshtein
    except ImportError as error:
        raise not_installed(
            "the error rates of speech (wer, cer) need rapidfuzz", install="'referee[speech]'", argument="metric"
        ) from error
    distance: Callable[[Any, Any], int] = levenshtein.distance
    return distance


def _only(text: str) -> str:
    """Return the reference of a cell, which may be a list of one."""
    found = items_of(text)
    if found is not None and len(found) != 1:
        told = f"word and character error rates take one reference per example; {text[:40]!r} has {len(found)}"
        raise InputError(told, argument="truth", value=text, remedy="keep one, or use bleu, chrf or ter")
    return found[0] if found else text


def _errors(truth: Any, prediction: Any, parts: Callable[[str], Any]) -> Floats:
    """Return [example, 2]: the errors, and the parts of the reference."""
    distance, truth = _distance(), [_only(text) for text in truth]
    known: dict[Any, Any] = {}
    for text in (*truth, *prediction):
        if text not in known:
            known[text] = parts(text or "")
    pairs = [(known[own], known[answer]) for own, answer in zip(truth, prediction, strict=True)]
    return np.array([(distance(own, answer), len(own)) for own, answer in pairs], dtype=np.float64).reshape(-1, 2)


def _words(truth: Any, prediction: Any, *, lowercase: bool = False) -> Floats:
    return _errors(truth, prediction, lambda text: (text.lower() if lowercase else text).split())


def _characters(truth: Any, prediction: Any, *, lowercase: bool = False) -> Floats:
    return _errors(truth, prediction, lambda text: (text.lower() if lowercase else text).strip())


@metric(
    statistics=_words, reads="text", higher_is_better=False, of_truth=("words",), bounds=LOSS, unit="share", prose="word error rate",
    works=("morris2004",),
)  # fmt: skip
def wer(errors: Any, words: Any) -> Share:
    """Words that are substituted, missing or too many, over the words of the references."""
    return share(errors, words)


@metric(
    statistics=_characters, reads="text", higher_is_better=False, of_truth=("characters",), bounds=LOSS, unit="share",
    prose="character error rate", works=("morris2004",),
)  # fmt: skip
def cer(errors: Any, characters: Any) -> Share:
    """Characters that are substituted, missing or too many, over the characters of the references."""
    return share(errors, characters)
