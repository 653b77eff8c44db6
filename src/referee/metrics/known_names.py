"""Names known from elsewhere: what scikit-learn calls its scorers, and words for quantities of which less is better."""

from __future__ import annotations

import re
from collections.abc import Iterable

from referee.errors import NameUnknown, did_you_mean

SCIKIT = {
    "balanced_accuracy": "balanced-accuracy",
    **{
        f"{name}_{average}": f"{name}:average={average}"
        for name in ("precision", "recall", "f1", "jaccard")
        for average in ("macro", "micro", "weighted")
    },
    "matthews_corrcoef": "mcc",
    "roc_auc": "auc",
    "average_precision": "average-precision",
}
"""Scorers by name, and the metric of the same value here."""
TURNED = {"neg_mean_squared_error": "mse", "neg_root_mean_squared_error": "rmse", "neg_mean_absolute_error": "mae"}
"""Scorers whose sign is turned so that higher is better, and the metric of the other sign here."""


FITTED = (
    "as a scorer of scikit-learn it scores models that are fitted here: referee algorithms --metric, or compare_algorithms. "
    "To compare predictions, give a score for each example, and use mean"
)


def missing(name: str, known: Iterable[str]) -> NameUnknown:
    """Return the error for a metric that there is not, with the one that is meant by a name of scikit-learn.

    >>> str(missing("neg_mean_absolute_error", ["mae"]))
    "there is no metric 'neg_mean_absolute_error'; it is mae with the sign turned, so use mae (lower is better)"
    """
    problem, names = f"there is no metric {name!r}", list(known)
    if name in TURNED:
        remedy = f"it is {TURNED[name]} with the sign turned, so use {TURNED[name]} (lower is better)"
    elif name.startswith(("neg_", "d2_", "roc_auc_")) or name in ("r2", "explained_variance", "max_error"):
        remedy = FITTED
    else:
        problem += did_you_mean(name, [*names, *SCIKIT])
        remedy = f"there are: {', '.join(names)}"
    return NameUnknown(problem, argument="metric", value=name, remedy=remedy)


LOSSES = re.compile(
    r"(?<![a-z])((log)?loss|losses|errors?|err|mistakes?|[rm]?mse|rmsle|msle|mae|mape|brier|deviance|distances?|perplexity|ppl|nll|"
    r"bpb|entropy|wer|cer|eer|costs?|regret|penalty|latency|seconds|runtime|duration|delay)(?![a-z])"
)
NEGATED = re.compile(r"(neg|negative|minus|inverse|inverted)[^a-z]")
"""How names begin whose sign was turned so that more is better, as those of scikit-learn's scorers."""


def sounds_like_a_loss(name: str) -> bool:
    """Say whether a name has a word in it that stands for something of which less is better.

    >>> [sounds_like_a_loss(name) for name in ("val_loss", "valLossOld", "WER", "logloss", "neg_log_loss", "glossy")]
    [True, True, True, True, False, False]
    """
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip()).lower()
    return bool(LOSSES.search(text)) and not NEGATED.match(text)
