"""Metrics in words, as a paper names them: their name, definition, averaging and positive class."""

from __future__ import annotations

from referee.errors import RefereeError
from referee.metrics import METRICS, Metric
from referee.metrics.labels import Labels
from referee.registry import parse
from referee.report import phrases
from referee.report.methods.prose import Prose, cite
from referee.report.methods.references import joined
from referee.results.comparison import Comparison

NAMES = {
    "auc": "AUC",
    "dcf": "DCF",
    "f1": "F1",
    "fbeta": "F-beta",
    "hter": "HTER",
    "mae": "MAE",
    "mcc": "MCC",
    "mse": "MSE",
    "rmse": "RMSE",
}
"""How a paper names a metric, where that is not its own name."""
AVERAGES = {"macro": "macro-averaged", "micro": "micro-averaged", "weighted": "class-weighted"}
SOURCES = {
    "f1": ("rijsbergen1979",),
    "fbeta": ("rijsbergen1979",),
    "jaccard": ("jaccard1912",),
    "kappa": ("cohen1960",),
    "mcc": ("matthews1975", "gorodkin2004"),
    "balanced-accuracy": ("brodersen2010",),
    "dcf": ("martin2000",),
    "auc": ("hanley1982",),
}
"""Where a metric comes from."""
PROPER = ("Matthews", "Cohen's", "Gorodkin's", "Jaccard", "Brier")


def registered(spelling: str) -> Metric | None:
    """Return the metric that a result names; None where none of that name is registered here."""
    try:
        if spelling in METRICS:
            return METRICS[spelling]
        name, options = parse(spelling)
        return METRICS[name](**options) if name in METRICS else None
    except RefereeError:  # a result of elsewhere may be spelt as nothing is here
        return None


def name(spelling: str) -> str:
    """Name a metric, with its averaging and its options.

    >>> name("f1:average=macro"), name("fbeta:beta=2"), name("mine:lift")
    ('macro-averaged F1', 'F-beta with beta = 2', 'mine:lift')
    """
    found = registered(spelling)
    if found is None:
        return phrases.clean(spelling) or "score"
    said = NAMES.get(found.name, phrases.clean(found.name.replace("-", " ")))
    average = AVERAGES.get(found.option("average") or "", "")
    over = "over all labels" if found.averaged and found.option("labels") == "all" else ""
    options = [f"{key} = {_value(value)}" for key, value in found.arguments.items()]
    return " ".join(filter(None, [average, said, over, f"with {joined(options)}" if options else ""]))


def _value(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, int | float) and not isinstance(value, bool) else phrases.clean(value)


def described(spelling: str, higher_is_better: bool | None) -> Prose:
    """Name a metric with what it is and which way is better, where that is known, and cite where it comes from."""
    found = registered(spelling)
    better = {True: "higher is better", False: "lower is better", None: "of the user"}[higher_is_better]
    summary = "" if found is None else phrases.clean(found.summary, 300).removesuffix(".")
    if found is None or summary in ("", found.function.__name__):
        return [f"{name(spelling)} ({better})"]
    meaning = _small(summary).replace("(", "[").replace(")", "]")
    sources = [cite(*SOURCES[found.name])] if found.name in SOURCES else []
    return [f"{name(spelling)} ({meaning}; {better})", *sources]


def _small(summary: str) -> str:
    """Begin a definition in the middle of a sentence.

    >>> _small("Share of the examples"), _small("Cohen's kappa"), _small("BLEU of a kind")
    ('share of the examples', "Cohen's kappa", 'BLEU of a kind')
    """
    keep = summary.startswith(PROPER) or not summary[1:2].islower()
    return summary if keep else summary[:1].lower() + summary[1:]


def is_of_scores(r: Comparison) -> bool:
    """Say whether what was compared are scores, which no truth is held against."""
    found = registered(r.metric)
    return found.task == "scores" if found is not None else r.counts is not None and "truth" not in r.counts


def positive(r: Comparison) -> str:
    """Return the positive label, where the metric has one and it is known."""
    found = registered(r.metric)
    if found is None or found.task not in ("binary", "ranking") or found.averaged:
        return ""
    label = setting(r, "positive")
    if r.counts is not None and "truth" in r.counts:
        try:
            labels = Labels.of(r.counts) if found.task == "binary" else Labels.of_truth(r.counts)
            label = labels.find_positive(r.counts.positive, r.metric)
        except RefereeError:  # it has no say in the result then
            return ""
    return phrases.clean(label) if label is not None else ""


def setting(r: Comparison, key: str) -> str | None:
    """Return what the signature says of an option; None where it says nothing."""
    for part in r.signature.split("|")[1:]:
        option, colon, value = part.partition(":")
        if option == key and colon:
            return value
    return None
