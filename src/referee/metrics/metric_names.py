"""Names of metrics: what other libraries and people call those that there are, and what is meant by those that there are not."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable

from referee.errors import Argument, Message, NameUnknown, did_you_mean

AVERAGES = ("macro", "micro", "weighted")
SCIKIT = {
    "balanced_accuracy": "balanced-accuracy",
    **{
        f"{name}_{average}": f"{name}:average={average}"
        for name in ("precision", "recall", "f1", "jaccard")
        for average in AVERAGES
    },
    "matthews_corrcoef": "mcc",
    "roc_auc": "auc",
    "average_precision": "average-precision",
}
"""Scorers by name, and the metric of the same value here."""
TURNED = {
    "neg_mean_squared_error": "mse",
    "neg_root_mean_squared_error": "rmse",
    "neg_mean_absolute_error": "mae",
    "neg_log_loss": "log-loss",
    "neg_brier_score": "brier",
}
"""Scorers whose sign is turned so that higher is better, and the metric of the other sign here."""
USUAL = {
    **{
        f"{average}-{name}": f"{name}:average={average}"
        for name in ("precision", "recall", "f1", "jaccard")
        for average in AVERAGES
    },
    **{
        f"{average}-{averaged}-{name}": f"{name}:average={average}"
        for name in ("precision", "recall", "f1", "jaccard")
        for average in AVERAGES
        for averaged in ("avg", "average", "averaged")
    },
    **{name.replace("_", "-"): meant for name, meant in SCIKIT.items()},
    "acc": "accuracy", "accuracy-score": "accuracy", "f1-score": "f1", "f-score": "f1", "fscore": "f1", "f-measure": "f1",
    "precision-score": "precision", "recall-score": "recall", "jaccard-score": "jaccard", "fbeta-score": "fbeta",
    "sensitivity": "recall", "tpr": "recall", "tnr": "specificity", "ppv": "precision", "bacc": "balanced-accuracy",
    "balanced-accuracy-score": "balanced-accuracy", "error-rate": "error", "matthews": "mcc",
    "cohen-kappa": "kappa", "cohens-kappa": "kappa", "cohen-kappa-score": "kappa",
    "auroc": "auc", "rocauc": "auc", "auc-roc": "auc", "roc-auc-score": "auc", "ap": "average-precision",
    "average-precision-score": "average-precision", "auprc": "average-precision", "pr-auc": "average-precision",
    "mean-squared-error": "mse", "root-mean-squared-error": "rmse", "mean-absolute-error": "mae",
    "r2-score": "r2", "r2score": "r2", "r-squared": "r2", "logloss": "log-loss", "cross-entropy": "log-loss",
    "binary-cross-entropy": "log-loss", "bce": "log-loss", "nll": "log-loss", "brier-score": "brier",
    "brier-score-loss": "brier", "pinball-loss": "pinball", "mean-pinball-loss": "pinball", "quantile-loss": "pinball",
    "sacrebleu": "bleu", "corpus-bleu": "bleu", "bleu4": "bleu", "bleu-4": "bleu",
    "chrf2": "chrf", "chrf2++": "chrf:word_order=2", "chrf++": "chrf:word_order=2", "chrfpp": "chrf:word_order=2",
    "word-error-rate": "wer", "character-error-rate": "cer", "translation-edit-rate": "ter",
    "multilabel-f1-samples": "multilabel-f1:average=samples", "f1-samples": "multilabel-f1:average=samples",
    "winrate": "win-rate", "preference": "win-rate", "subset-acc": "subset-accuracy",
}  # fmt: skip
"""Names that people type, in lower case and with hyphens, and the metric that is meant."""

FITTED = (
    "as a scorer of scikit-learn it scores models that are fitted here, in a comparison of algorithms. To compare "
    "predictions, give a score for each example, and use mean"
)
SCORED = "compute it for each example with the tool that has it, give those scores as a and b without a truth, and use "
MEAN = (SCORED, Argument("metric", "mean"))
PASSED = (
    "give 0 or 1 (or the share of the runs that passed) per problem as a and b, and use ", Argument("metric", "mean")
)  # fmt: skip
RETRIEVED = (
    "it is a measure of retrieval: for TREC runs give the judgements (", Argument("qrels"), "); otherwise score each query with trec_eval or "
    "ir_measures, which referee reads, or give those scores as a and b, and use ", Argument("metric", "mean"),
)  # fmt: skip
FIRST_FEW = (
    "give 1 where the right answer is among the first few, else 0, per example as a and b, and use ", Argument("metric", "mean")
)  # fmt: skip
ELSEWHERE: dict[str, tuple[str | Argument, ...]] = {
    **dict.fromkeys(
        ("perplexity", "ppl", "bits-per-byte", "bpb"),
        ("give the mean log-loss per token of each text as a and b, and use ", Argument("metric", "mean:better=lower")),
    ),
    **dict.fromkeys(("bertscore", "comet", "bleurt", "meteor", "rouge", "rouge1", "rouge2", "rougel", "rouge-l", "xcomet",
                     "sentence-bleu", "edit-distance", "levenshtein", "f1-squad", "squad", "squad-f1", "token-f1"), MEAN),
    **dict.fromkeys(("iou", "miou", "dice", "psnr", "ssim", "lpips", "fid"),
                    (*MEAN, "; for two classes, jaccard is the intersection over union, and f1 is Dice's coefficient")),
    **dict.fromkeys(
        ("exact-match", "em", "exactmatch", "quasi-exact-match"),
        ("with the right answers and the systems' as texts it is ", Argument("metric", "accuracy"),
         "; with a score of 0 or 1 per example, ", Argument("metric", "mean")),
    ),
    **dict.fromkeys(("pass-rate", "solve-rate", "success-rate", "resolved"), PASSED),
    **dict.fromkeys(
        ("elo", "bradley-terry"),
        ("it is a rating of many models from battles: `referee rank` with ", Argument("winner"),
         " has Bradley-Terry ratings; of two systems use win-rate"),
    ),
    **dict.fromkeys(("ndcg", "map", "mrr", "recip-rank", "hit-rate"), RETRIEVED),
    **{name: (f"it is 1 − {other}, so use {other} (higher is better); both give the same differences, with the sign turned",)
       for name, other in (("fpr", "specificity"), ("false-positive-rate", "specificity"), ("fallout", "specificity"),
                           ("fnr", "recall"), ("false-negative-rate", "recall"), ("miss-rate", "recall"), ("fdr", "precision"))},
    **dict.fromkeys(
        ("correlation", "pearson", "pearsonr", "spearman", "spearmanr", "kendall", "kendalltau"),
        ("for numbers there are r2, mse, rmse and mae", ),
    ),
    **dict.fromkeys(
        ("hamming", "hamming-loss", "hamming-score", "hamming-distance"),
        ("for lists of labels it is ", Argument("metric", "multilabel-errors:labels=20"), " with the number of labels "
         "that there are; for one label per example it is error",),
    ),
    **dict.fromkeys(
        ("eer", "min-dcf", "mindcf"), ("for decisions use hter or dcf; for scores, auc",)
    ),
    **dict.fromkeys(("mape", "smape", "msle", "rmsle", "huber"),
                    ("give the loss of each example as a and b, and use ", Argument("metric", "mean:better=lower"))),
    **dict.fromkeys(
        ("informedness", "youden", "youden-j", "youdens-j"),
        ("it is 2 × balanced accuracy − 1, so use balanced-accuracy; differences are half as large",),
    ),
    **dict.fromkeys(
        ("qwk", "quadratic-weighted-kappa", "weighted-kappa"),
        ("kappa is unweighted; bring your own with @referee.metric(statistics=...), or use mae or mse of the grades as numbers",),
    ),
    **dict.fromkeys(("ece", "calibration-error"), ("it has no score per example; log-loss and brier measure calibration too",)),
}  # fmt: skip
"""Names that people know, of what is no metric here; and which one is meant, or how to bring the scores."""
PATTERNS: tuple[tuple[re.Pattern[str], tuple[str | Argument, ...]], ...] = (
    (re.compile(r"pass(-rate)?(@|-at-)(\d+|k|n)"), PASSED),
    (
        re.compile(r"(precision|recall|f1|p|r|hits?|hit-rate|success|ndcg|map|mrr|mrr-cut|rr|ap)(@|-at-)-?(\d+|k|n)"),
        RETRIEVED,
    ),
    (re.compile(r"(acc|accuracy)?@(\d+|k)|top-?(\d+|k|n)(-?(acc|accuracy))?(-score)?"), FIRST_FEW),
)
"""The names with a number in them, and what they mean."""
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
"""Where a word begins within a name such as macroF1."""
LOSSES = re.compile(
    r"(?<![a-z])((log)?loss|losses|errors?|err|mistakes?|[rm]?mse|rmsle|msle|mae|mape|brier|deviance|distances?|perplexity|ppl|nll|"
    r"bpb|entropy|wer|cer|eer|costs?|regret|penalty|latency|seconds|runtime|duration|delay)(?![a-z])"
)
NEGATED = re.compile(r"(neg|negative|minus|inverse|inverted)[^a-z]")
"""How names begin whose sign was turned so that more is better, as those of scikit-learn's scorers."""


def _plain(name: str) -> str:
    """Return a name in lower case and with hyphens."""
    return re.sub(r"[_ ]", "-", name.strip().lower().replace("²", "2"))


def usual(given: str, known: Container[str]) -> str:
    """Return the spelling that is meant by one with a name from elsewhere; any other as it is.

    >>> usual("roc_auc", []), usual("MacroF1", []), usual("sacrebleu:lowercase=true", []), usual("f1", ["f1"])
    ('auc', 'f1:average=macro', 'bleu:lowercase=true', 'f1')
    """
    name, colon, options = given.strip().partition(":")
    if name.strip() in known:
        return given
    spellings = [_plain(name), _plain(CAMEL.sub("-", name.strip()))]
    meant = next((found for one in spellings if (found := one if one in known else USUAL.get(one))), None)
    if meant is None or (colon and "=" not in options):  # module:function
        return given
    return meant if not options else f"{meant}{',' if ':' in meant else ':'}{options}"


def missing(name: str, known: Iterable[str]) -> NameUnknown:
    """Return the error for a metric that there is not, with the one that is meant by a name from elsewhere.

    >>> str(missing("neg_mean_absolute_error", ["mae"]))
    "there is no metric 'neg_mean_absolute_error'; it is mae with the sign turned, so use mae (lower is better)"
    >>> print(missing("pass@1", []).remedy)
    give 0 or 1 (or the share of the runs that passed) per problem as a and b, and use metric='mean'
    """
    problem, names = f"there is no metric {name!r}", list(known)
    remedy: str
    plain = _plain(name)
    if name in TURNED:
        remedy = f"it is {TURNED[name]} with the sign turned, so use {TURNED[name]} (lower is better)"
    elif told := ELSEWHERE.get(plain) or next((hint for form, hint in PATTERNS if form.fullmatch(plain)), None):
        remedy = Message(*told)
    elif name.startswith(("neg_", "d2_", "roc_auc_")) or name in ("explained_variance", "max_error"):
        remedy = FITTED
    else:
        problem += did_you_mean(name, [*names, *SCIKIT])
        remedy = f"there are: {', '.join(names)}"
    return NameUnknown(problem, argument="metric", value=name, remedy=remedy)


def sounds_like_a_loss(name: str) -> bool:
    """Say whether a name has a word in it that stands for something of which less is better.

    >>> [sounds_like_a_loss(name) for name in ("val_loss", "valLossOld", "WER", "logloss", "neg_log_loss", "glossy")]
    [True, True, True, True, False, False]
    """
    text = CAMEL.sub("_", name.strip()).lower()
    return bool(LOSSES.search(text)) and not NEGATED.match(text)
