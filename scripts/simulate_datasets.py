"""Measure how often rank_datasets calls systems different that are not, and one that is: the table of the guide on datasets.

python -m scripts.simulate_datasets [TABLES]
"""

from __future__ import annotations

import sys
import warnings

import numpy as np

import referee

TESTS = ("wilcoxon-holm", "nemenyi")
SHAPES = ((5, 10), (5, 30), (10, 10), (10, 30))
"""Systems and datasets."""
LEAD = 2.0
"""By how much the best system is ahead in the world with a difference, in standard deviations of a score."""


def main(tables: int) -> None:
    """Print one row per shape and test."""
    sys.stdout.write(
        "| systems | datasets | test | some false claim | the best told from all others |\n|--:|--:|---|--:|--:|\n"
    )
    for k, n in SHAPES:
        for test in TESTS:
            false, found = rates(k, n, test, tables)
            sys.stdout.write(f"| {k} | {n} | `{test}` | {100 * false:.1f}% | {100 * found:.1f}% |\n")
            sys.stdout.flush()


def rates(k: int, n: int, test: str, tables: int) -> tuple[float, float]:
    """Return how often some of tied systems are told apart, and how often one that leads is told from every other."""
    draw = np.random.default_rng([k, n])
    false, found = 0, 0
    for _ in range(tables):
        scores = draw.normal(0, 2, (n, 1)) + draw.normal(0, 1, (n, k))
        for lead in (0.0, LEAD):
            scores[:, 0] += lead
            r = referee.rank_datasets({f"m{i}": scores[:, i] for i in range(k)}, test=test)
            if lead:
                found += r.best == ("m0",)
            else:
                false += any(pair.verdict != "too close to call" for pair in r.pairs)
    return false / tables, found / tables


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
