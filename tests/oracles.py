"""Brute force: every metric computed the slow way, every exchange of the two systems enumerated."""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np


def confusion(truth, prediction, positive=1):
    pairs = list(zip(truth, prediction, strict=True))
    tp = sum(t == positive and p == positive for t, p in pairs)
    fp = sum(t != positive and p == positive for t, p in pairs)
    fn = sum(t == positive and p != positive for t, p in pairs)
    return tp, fp, fn, len(pairs) - tp - fp - fn


def over(part, whole, otherwise=0.0):
    return part / whole if whole else otherwise


def precision(t, p, positive=1):
    tp, fp, _, _ = confusion(t, p, positive)
    return over(tp, tp + fp)


def recall(t, p, positive=1):
    tp, _, fn, _ = confusion(t, p, positive)
    return over(tp, tp + fn)


def specificity(t, p, positive=1):
    _, fp, _, tn = confusion(t, p, positive)
    return over(tn, fp + tn)


def fbeta(t, p, positive=1, beta=1.0):
    tp, fp, fn, _ = confusion(t, p, positive)
    return over((1 + beta**2) * tp, (1 + beta**2) * tp + fp + beta**2 * fn)


def jaccard(t, p, positive=1):
    tp, fp, fn, _ = confusion(t, p, positive)
    return over(tp, tp + fp + fn)


def dcf(t, p, positive=1, cost_fn=10.0, cost_fp=1.0, p_target=0.01):
    tp, fp, fn, tn = confusion(t, p, positive)
    return cost_fn * p_target * over(fn, tp + fn) + cost_fp * (1 - p_target) * over(fp, fp + tn)


def hter(t, p, positive=1):
    tp, fp, fn, tn = confusion(t, p, positive)
    return (over(fn, tp + fn) + over(fp, fp + tn)) / 2


def accuracy(t, p):
    return sum(x == y for x, y in zip(t, p, strict=True)) / len(t)


def balanced_accuracy(t, p):
    classes = sorted(set(t))
    return sum(recall(t, p, c) for c in classes) / len(classes)


def kappa(t, p):
    n, labels = len(t), set(t) | set(p)
    agree = accuracy(t, p)
    chance = sum(list(t).count(c) * list(p).count(c) for c in labels) / n**2
    return over(agree - chance, 1 - chance)


def mcc(t, p):
    labels = sorted(set(t) | set(p))
    one = {c: i for i, c in enumerate(labels)}
    x = np.eye(len(labels))[[one[c] for c in t]]
    y = np.eye(len(labels))[[one[c] for c in p]]
    cov = ((x - x.mean(0)) * (y - y.mean(0))).sum()
    var_x, var_y = ((x - x.mean(0)) ** 2).sum(), ((y - y.mean(0)) ** 2).sum()
    return 0.0 if var_x * var_y == 0 else cov / math.sqrt(var_x * var_y)


def averaged(function, how, labels):
    def score(t, p):
        each = [function(t, p, c) for c in labels]
        if how == "macro":
            return sum(each) / len(each)
        return sum(list(t).count(c) * e for c, e in zip(labels, each, strict=True)) / len(t)

    return score


def micro_f1(t, p):
    return accuracy(t, p)


def auc(t, s):
    pairs = [
        (x > y) + (x == y) / 2
        for x, a in zip(s, t, strict=True)
        for y, b in zip(s, t, strict=True)
        if a == 1 and b == 0
    ]
    return sum(pairs) / len(pairs)


def average_precision(t, s):
    total, before = 0.0, 0
    for threshold in sorted(set(s), reverse=True):
        found = [x >= threshold for x in s]
        tp = sum(f and y == 1 for f, y in zip(found, t, strict=True))
        total += (tp - before) * tp / sum(found)
        before = tp
    return total / sum(y == 1 for y in t)


METRICS = {
    "accuracy": accuracy,
    "error": lambda t, p: 1 - accuracy(t, p),
    "precision": precision,
    "recall": recall,
    "specificity": specificity,
    "f1": fbeta,
    "fbeta": fbeta,
    "fbeta:beta=2": lambda t, p: fbeta(t, p, beta=2.0),
    "jaccard": jaccard,
    "hter": hter,
    "dcf": dcf,
    "balanced-accuracy": balanced_accuracy,
    "kappa": kappa,
    "mcc": mcc,
    "f1:average=macro": averaged(fbeta, "macro", (0, 1, 2)),
    "f1:average=macro,labels=all": averaged(fbeta, "macro", (0, 1, 2, 3)),
    "f1:average=micro": micro_f1,
    "f1:average=weighted": averaged(fbeta, "weighted", (0, 1, 2)),
    "precision:average=macro": averaged(precision, "macro", (0, 1, 2)),
    "recall:average=macro": averaged(recall, "macro", (0, 1, 2)),
    "mean": lambda t, p: sum(p) / len(p),
    "mse": lambda t, p: sum((x - y) ** 2 for x, y in zip(t, p, strict=True)) / len(p),
    "rmse": lambda t, p: math.sqrt(sum((x - y) ** 2 for x, y in zip(t, p, strict=True)) / len(p)),
    "mae": lambda t, p: sum(abs(x - y) for x, y in zip(t, p, strict=True)) / len(p),
    "auc": auc,
    "average-precision": average_precision,
}


def swaps(metric, truth, a, b, groups=None):
    """Return the difference b - a under every exchange of whole groups (of examples if there are none)."""
    groups = range(len(a)) if groups is None else groups
    return _swaps(metric, None if truth is None else tuple(truth), tuple(a), tuple(b), tuple(groups)).copy()


@functools.lru_cache(maxsize=64)
def _swaps(metric, truth, a, b, groups):
    score = METRICS[metric]
    names = sorted(set(groups))
    out = []
    for flips in itertools.product((False, True), repeat=len(names)):
        turned = dict(zip(names, flips, strict=True))
        x = [v if turned[g] else u for u, v, g in zip(a, b, groups, strict=True)]
        y = [u if turned[g] else v for u, v, g in zip(a, b, groups, strict=True)]
        out.append(score(truth, y) - score(truth, x))
    return np.array(out)


def p_value(metric, truth, a, b, alternative="two-sided", groups=None):
    """Return the randomization p-value by enumeration."""
    score = METRICS[metric]
    scores = score(truth, a), score(truth, b)
    d, tolerance = scores[1] - scores[0], 1e-12 * max(map(abs, scores))
    drawn = swaps(metric, truth, a, b, groups)
    if alternative == "two-sided":
        return float((np.abs(drawn) >= abs(d) - tolerance).mean())
    return float((drawn >= d - tolerance).mean() if alternative == "greater" else (drawn <= d + tolerance).mean())
