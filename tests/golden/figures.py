"""What the tests of this folder share: reading the figures, and independent exact values to check against."""

import csv
from fractions import Fraction
from math import comb
from pathlib import Path

import numpy as np
import pytest

import referee
from referee.data.counts import Counts

DATA = Path(__file__).parent / "data"
OTHER = {"two-sided": "two-sided", "greater": "less", "less": "greater"}
"""R's alternatives speak of first - second, ours of b - a."""


def compare(*data, **options):
    """Compare without measuring how often the test errs: these figures are of p-values and intervals."""
    return referee.compare(*data, **{"audit": False, **options})


def rows(name):
    with (DATA / name).open(newline="") as file:
        return list(csv.DictReader(file))


def cases(name, *label):
    """Each row of a file as a pytest parameter."""
    return [pytest.param(row, id="-".join(row[column] for column in label or ("case",))) for row in rows(name)]


def numbers(text):
    return np.array(text.split(), dtype=float)


def near(value, rel=1e-9, abs=0.0):  # noqa: A002 - the word of pytest
    """A tolerance that is relative alone, so that a p of 1e-100 has to be right too."""
    return pytest.approx(value, rel=rel, abs=abs)


def pairs(n11, n12, n21, n22):
    """0/1 scores of two systems: n12 examples only the first gets right, n21 only the second."""
    return Counts.of({"a": [1, 1, 0, 0], "b": [1, 0, 1, 0]}, [int(n) for n in (n11, n12, n21, n22)])


def binomial_tail(k, n):
    """P(K >= k) for K ~ Binomial(n, 1/2), exactly."""
    term = total = comb(n, k)
    for j in range(k, n):
        term = term * (n - j) // (j + 1)
        total += term
    return Fraction(total, 2**n)


def exact_p(up, down, alternative="two-sided"):
    """McNemar's exact p as METHODS.md defines it, as a fraction."""
    n = up + down
    if n == 0:
        return Fraction(1)
    if alternative == "two-sided":
        return min(Fraction(1), 2 * binomial_tail(max(up, down), n))
    return binomial_tail(up if alternative == "greater" else down, n)


def mid_p(up, down, alternative="two-sided"):
    """Mid-p: P(|X| > |x|) + P(|X| = |x|)/2, one-sided P(X > x) + P(X = x)/2, as a fraction."""
    n = up + down
    if n == 0:
        return Fraction(1)
    point = Fraction(comb(n, up), 2**n)
    if alternative == "two-sided":
        return 1 - point / 2 if up == down else exact_p(up, down) - point
    return exact_p(up, down, alternative) - point / 2


def permutation_p(differences, alternative="two-sided"):
    """The exact sign-flip p of the mean of whole-number differences, by multiplying out ∏(1 + x^w).

    The coefficients stand in the 64-bit fields of one big whole number.
    """
    sizes = [abs(int(d)) for d in differences if d]
    assert len(sizes) < 64
    ways = 1
    for size in sizes:
        ways += ways << (64 * size)
    counts = np.frombuffer(ways.to_bytes(8 * (sum(sizes) + 1), "little"), dtype="<u8")
    sums = 2 * np.arange(len(counts)) - sum(sizes)
    observed = int(sum(differences))
    reached = {"two-sided": np.abs(sums) >= abs(observed), "greater": sums >= observed, "less": sums <= observed}
    return Fraction(int(counts[reached[alternative]].astype(object).sum()), 2 ** len(sizes))
