"""Brute force: every metric computed the slow way, every exchange of the two systems enumerated."""

from __future__ import annotations

import functools
import itertools
import json
import math
from collections import Counter

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


def win_rate(_, answers):
    """Return the mean share of the win where the system is shown first, and where it is second, each counting half."""
    orders = ([share for share, is_first in answers if is_first is place] for place in (True, False))
    return sum(over(sum(shares), len(shares), 0.5) for shares in orders) / 2


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


def grams(items, order):
    return Counter(tuple(items[i : i + order]) for i in range(len(items) - order + 1))


@functools.cache
def matches(reference, answer, orders):
    """Return how many n-grams of each order match, and how many the answer and the reference have."""
    found = []
    for order in orders:
        wanted, given = grams(reference, order), grams(answer, order)
        found.append((sum((wanted & given).values()), sum(given.values()), sum(wanted.values())))
    return np.array(found)


def bleu(t, p):
    pairs = [(tuple(own.split()), tuple(answer.split())) for own, answer in zip(t, p, strict=True)]
    totals = sum(matches(own, answer, (1, 2, 3, 4)) for own, answer in pairs)
    words, wanted = totals[0, 1], totals[0, 2]
    if not totals[:, 0].any() or not totals[:, 1].all():
        return 0.0
    score, halved = 1.0, 1
    for right, given, _ in totals.tolist():
        halved *= 1 if right else 2
        score *= (right or 1 / halved) / given
    return 100 * score**0.25 * min(1.0, math.exp(1 - wanted / words))


def chrf(t, p):
    pairs = [(own.replace(" ", ""), answer.replace(" ", "")) for own, answer in zip(t, p, strict=True)]
    totals = sum(
        matches(own, answer, (1, 2, 3, 4, 5, 6)) * [[1, bool(len(own) >= order), 1] for order in range(1, 7)]
        for own, answer in pairs
    )
    known = [(right / given, right / wanted) for right, given, wanted in totals.tolist() if given and wanted]
    precision, recall = np.mean(known, axis=0)
    return 100 * over(5 * precision * recall, 4 * precision + recall)


@functools.cache
def ter_of(own, answer):
    from sacrebleu.metrics import TER

    found = TER().sentence_score(answer, [own])
    return found.num_edits, found.ref_length


def ter(t, p):
    edits, words = np.sum([ter_of(own, answer) for own, answer in zip(t, p, strict=True)], axis=0)
    return 100 * edits / words


@functools.cache
def edits_of(own, answer):
    row = list(range(len(answer) + 1))
    for i, one in enumerate(own, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(answer, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (one != other))
    return row[-1]


def error_rate(t, p, parts):
    pairs = [(parts(own), parts(answer)) for own, answer in zip(t, p, strict=True)]
    return sum(edits_of(own, answer) for own, answer in pairs) / sum(len(own) for own, _ in pairs)


def r2(t, p):
    mean = sum(t) / len(t)
    return 1 - sum((x - y) ** 2 for x, y in zip(t, p, strict=True)) / sum((x - mean) ** 2 for x in t)


def log_loss(t, p):
    return -sum(math.log(y if x == 1 else 1 - y) for x, y in zip(t, p, strict=True)) / len(p)


def pinball(t, p, quantile):
    gaps = [x - y for x, y in zip(t, p, strict=True)]
    return sum(quantile * gap if gap > 0 else (quantile - 1) * gap for gap in gaps) / len(p)


@functools.cache
def label_set(text):
    return frozenset(json.loads(text))


def of_labels(part, whole, average="micro"):
    def score(t, p):
        pairs = [(label_set(own), label_set(answer)) for own, answer in zip(t, p, strict=True)]
        both = [(part(own, answer), whole(own, answer)) for own, answer in pairs]
        if average == "samples":
            return sum(over(*one) for one in both) / len(both)
        return over(sum(one for one, _ in both), sum(other for _, other in both))

    return score


def f1_of_labels(average):
    return of_labels(lambda t, p: 2 * len(t & p), lambda t, p: len(t) + len(p), average)


METRICS = {
    "bleu": bleu,
    "chrf": chrf,
    "ter": ter,
    "wer": lambda t, p: error_rate(t, p, lambda text: tuple(text.split())),
    "cer": lambda t, p: error_rate(t, p, str),
    "r2": r2,
    "pinball": lambda t, p: pinball(t, p, 0.5),
    "pinball:quantile=0.9": lambda t, p: pinball(t, p, 0.9),
    "log-loss": log_loss,
    "brier": lambda t, p: sum((x - y) ** 2 for x, y in zip(t, p, strict=True)) / len(p),
    "multilabel-f1": f1_of_labels("micro"),
    "multilabel-f1:average=samples": f1_of_labels("samples"),
    "multilabel-precision": of_labels(lambda t, p: len(t & p), lambda t, p: len(p)),
    "multilabel-recall": of_labels(lambda t, p: len(t & p), lambda t, p: len(t)),
    "subset-accuracy": of_labels(lambda t, p: t == p, lambda t, p: 1),
    "multilabel-errors": of_labels(lambda t, p: len(t ^ p), lambda t, p: 1),
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
    "win-rate": win_rate,
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
