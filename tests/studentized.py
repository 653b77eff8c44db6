"""Brute force of the studentized exchange: sixty digits, every exchange enumerated, so that 0 is 0 and a tie is a tie."""

from __future__ import annotations

import itertools
from collections import Counter
from decimal import Decimal, localcontext

DIGITS = 60
SAME = Decimal(10) ** -30
"""Numbers that differ by less are the same number: rational ones of small tables never come so close."""


class Dual:
    """A number and its derivatives by the weight of each kind of example."""

    def __init__(self, value, slopes=None):
        self.value, self.slopes = Decimal(value), dict(slopes or {})

    def _joined(self, other, value, mine, its):
        keys = {**self.slopes, **other.slopes}
        slopes = {k: mine * self.slopes.get(k, Decimal(0)) + its * other.slopes.get(k, Decimal(0)) for k in keys}
        return Dual(value, slopes)

    def __add__(self, other):
        other = dual(other)
        return self._joined(other, self.value + other.value, Decimal(1), Decimal(1))

    def __mul__(self, other):
        other = dual(other)
        return self._joined(other, self.value * other.value, other.value, self.value)

    def __truediv__(self, other):
        other = dual(other)
        value = self.value / other.value
        return self._joined(other, value, 1 / other.value, -value / other.value)

    def __sub__(self, other):
        return self + dual(other) * -1

    def __rsub__(self, other):
        return dual(other) - self

    __radd__, __rmul__ = __add__, __mul__

    def root(self):
        value = self.value.sqrt()
        return Dual(value, {k: slope / (2 * value) for k, slope in self.slopes.items()})


def dual(value):
    return value if isinstance(value, Dual) else Dual(value)


def over(part, whole):
    return part / whole if dual(whole).value else Dual(0)


def total(cells, chosen):
    return sum((weight for pair, weight in cells.items() if chosen(*pair)), Dual(0))


def confusion(cells, positive=1):
    tp = total(cells, lambda t, p: t == positive and p == positive)
    fp = total(cells, lambda t, p: t != positive and p == positive)
    fn = total(cells, lambda t, p: t == positive and p != positive)
    return tp, fp, fn, total(cells, lambda t, p: t != positive and p != positive)


def recall(cells, labels, positive=1):
    tp, _, fn, _ = confusion(cells, positive)
    return over(tp, tp + fn)


def precision(cells, labels, positive=1):
    tp, fp, _, _ = confusion(cells, positive)
    return over(tp, tp + fp)


def specificity(cells, labels):
    _, fp, _, tn = confusion(cells)
    return over(tn, fp + tn)


def f1(cells, labels, positive=1):
    tp, fp, fn, _ = confusion(cells, positive)
    return over(2 * tp, 2 * tp + fp + fn)


def fbeta2(cells, labels):
    tp, fp, fn, _ = confusion(cells)
    return over(5 * tp, 5 * tp + fp + 4 * fn)


def jaccard(cells, labels):
    tp, fp, fn, _ = confusion(cells)
    return over(tp, tp + fp + fn)


def rates(cells):
    tp, fp, fn, tn = confusion(cells)
    return over(fn, tp + fn), over(fp, fp + tn)


def hter(cells, labels):
    return sum(rates(cells), Dual(0)) / 2


def dcf(cells, labels):
    miss, alarm = rates(cells)
    return miss / 10 + alarm * (Decimal(99) / 100)


def accuracy(cells, labels):
    return total(cells, lambda t, p: t == p) / total(cells, lambda t, p: True)


def balanced_accuracy(cells, labels):
    classes = sorted({t for t, _ in cells})
    return sum((recall(cells, labels, c) for c in classes), Dual(0)) / len(classes)


def macro_f1(cells, labels):
    return sum((f1(cells, labels, c) for c in labels), Dual(0)) / len(labels)


def _sums(cells, labels):
    actual = [total(cells, lambda t, p, c=c: t == c) for c in labels]
    guesses = [total(cells, lambda t, p, c=c: p == c) for c in labels]
    return actual, guesses, total(cells, lambda t, p: t == p), total(cells, lambda t, p: True)


def kappa(cells, labels):
    actual, guesses, right, n = _sums(cells, labels)
    chance = sum((x * y for x, y in zip(actual, guesses, strict=True)), Dual(0))
    return over(n * right - chance, n * n - chance)


def mcc(cells, labels):
    actual, guesses, right, n = _sums(cells, labels)
    products = sum((x * y for x, y in zip(actual, guesses, strict=True)), Dual(0))
    spread = (n * n - sum((x * x for x in actual), Dual(0))) * (n * n - sum((y * y for y in guesses), Dual(0)))
    return (n * right - products) / spread.root() if spread.value else Dual(0)


METRICS = {
    "accuracy": accuracy,
    "error": lambda cells, labels: 1 - accuracy(cells, labels),
    "precision": precision,
    "recall": recall,
    "specificity": specificity,
    "f1": f1,
    "fbeta:beta=2": fbeta2,
    "jaccard": jaccard,
    "hter": hter,
    "dcf": dcf,
    "balanced-accuracy": balanced_accuracy,
    "kappa": kappa,
    "mcc": mcc,
    "f1:average=macro": macro_f1,
}


def square(metric, labels, units):
    """Return the sign of the difference and (difference / standard error)², None for an infinite one.

    Args:
        metric: its name.
        labels: the labels of truth and systems.
        units: how often each unit occurs; a unit is a sorted tuple of (truth, a, b).
    """
    scores = []
    for place in (1, 2):
        cells = {}
        for unit, weight in units.items():
            for row in unit:
                pair = row[0], row[place]
                cells[pair] = cells.get(pair, Dual(0)) + Dual(weight, {unit: Decimal(1)})
        scores.append(METRICS[metric](cells, labels))
    gap = scores[1] - scores[0]
    influence = [(Decimal(w), gap.slopes.get(unit, Decimal(0))) for unit, w in units.items()]
    n = sum(w for w, _ in influence)
    mean = sum(w * g for w, g in influence) / n
    variance = sum(w * (g - mean) ** 2 for w, g in influence)
    sign = 0 if abs(gap.value) < SAME else (1 if gap.value > 0 else -1)
    if variance < SAME:
        return sign, None if sign else Decimal(0)
    return sign, gap.value**2 / variance


def squares(metric, truth, a, b, groups=None):
    """Return the sign and the square of the statistic of the data, then of every exchange of whole units."""
    groups = range(len(a)) if groups is None else groups
    members = {}
    for row in zip(groups, truth, a, b, strict=True):
        members.setdefault(row[0], []).append(row[1:])
    units = [tuple(sorted(rows)) for rows in members.values()]
    turned = [tuple(sorted((t, y, x) for t, x, y in unit)) for unit in units]
    labels = sorted({*truth, *a, *b})
    moving = [i for i, unit in enumerate(units) if unit != turned[i]]
    known = {}

    def statistic(chosen):
        key = tuple(sorted(Counter(chosen).items()))
        if key not in known:
            known[key] = square(metric, labels, dict(key))
        return known[key]

    found = [statistic(units)]
    for flips in itertools.product((False, True), repeat=len(moving)):
        chosen = list(units)
        for place, flip in zip(moving, flips, strict=True):
            chosen[place] = turned[place] if flip else units[place]
        found.append(statistic(chosen))
    return found


def p_value(metric, truth, a, b, groups=None):
    """Return the two-sided p-value by enumeration of the exchanges of whole units."""
    with localcontext() as context:
        context.prec = DIGITS
        (sign, observed), *drawn = squares(metric, truth, a, b, groups)
        hits = 0
        for its, value in drawn:
            if sign == 0:
                hits += 1
            elif observed is None:
                hits += its != 0 and value is None
            else:
                hits += its != 0 and (value is None or value >= observed - SAME)
        return hits / len(drawn)


def sizes(metric, truth, a, b, groups=None):
    """Return |difference / standard error| of every exchange of whole units; infinite over an error of 0."""
    with localcontext() as context:
        context.prec = DIGITS
        drawn = squares(metric, truth, a, b, groups)[1:]
        return [float("inf") if value is None else float(value.sqrt()) for _, value in drawn]
