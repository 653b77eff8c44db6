"""Losses: names of quantities of which less is better. Which way is up is asked for there, and never guessed."""

from __future__ import annotations

import re

WORDS = re.compile(
    r"(?<![a-z])((log)?loss|losses|errors?|err|mistakes?|[rm]?mse|rmsle|msle|mae|mape|brier|deviance|distances?|perplexity|ppl|nll|"
    r"bpb|entropy|wer|cer|eer|costs?|regret|penalty|latency|seconds|runtime|duration|delay)(?![a-z])"
)
TURNED = re.compile(r"(neg|negative|minus|inverse|inverted)[^a-z]")
"""How names begin whose sign was turned so that more is better, as those of scikit-learn's scorers."""


def sounds_like_a_loss(name: str) -> bool:
    """Say whether a name has a word in it that stands for something of which less is better.

    >>> [sounds_like_a_loss(name) for name in ("val_loss", "valLossOld", "WER", "logloss", "neg_log_loss", "glossy")]
    [True, True, True, True, False, False]
    """
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip()).lower()
    return bool(WORDS.search(text)) and not TURNED.match(text)
