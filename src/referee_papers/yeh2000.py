"""Yeh 2000, More accurate tests for the statistical significance of result differences (COLING)."""

from __future__ import annotations

import math
from collections.abc import Iterator

from referee.data.counts import from_events
from referee.results.comparison import Comparison
from referee.results.replication import Replication
from referee.significance.randomization import YEH
from referee.studies.comparison import compare
from referee_papers.claims import Row, claim

PAPER = "Yeh 2000, More accurate tests for the statistical significance of result differences"
COUNTS = from_events((19, 6, 28, 50, 5, 9, 43), a="method I", b="method II", open=True)
"""The example of section 3.3: the modifier relations that two methods find; what neither finds is not counted."""
TABLE = {0.38: (0.787, 1.27), 0.50: (0.707, 1.41), 0.80: (0.447, 2.24)}
SCORES = {"recall": (45.6, 24.3), "precision": (49.5, 64.1), "f1": (47.5, 35.2)}
SHUFFLES = {"recall": ("less", 96, 0.00009), "f1": ("less", 14794, 0.014), "precision": ("greater", 25770, 0.025)}
"""The side that is asked, hits among 2^20 shuffles, and the level that the paper says."""
AWAY = "the paper's count is {z:+.1f} standard errors from the exact one: it cannot come from the printed counts by the printed procedure"


def run() -> Replication:
    """Repeat the paper's numbers, by its own procedure (2^20 shuffles, run twice) and exactly."""
    return Replication(PAPER, [*_independence(), *_scores(), *_precision(), *_shuffles()])


def _number(what: str, paper: float, ours: float, digits: int, note: str = "") -> Row:
    """Return the row of a number that agrees when it rounds to the paper's."""
    return claim(what, paper, ours, round(ours, digits) == paper, note)


def _independence() -> Iterator[Row]:
    """Repeat the table of section 2.1: what assuming independence costs, with equal standard deviations."""
    for r, (share, factor) in TABLE.items():
        ours = math.sqrt(1 - r)
        yield _number(f"s_d / s_d-ind at r12 = {r:.2f}", share, ours, 3)
        yield _number(f"s_d-ind / s_d at r12 = {r:.2f}", factor, 1 / ours, 2)


def _scores() -> Iterator[Row]:
    for metric, printed in SCORES.items():
        result = _compare(metric, "randomization")
        for score, paper in zip((result.a, result.b), printed, strict=True):
            yield _number(f"{metric} of {score.name}, %", paper, 100 * (score.score or 0.0), 1)
    correlation = _compare("recall", "sign").correlation or math.nan
    yield _number("correlation of the methods' recalls", 0.35, correlation, 2)


def _precision() -> Iterator[Row]:
    chi, p = _compare("precision", "chi2-precision").statistic or math.nan, _p("precision", "chi2-precision")
    both, one = _p("precision", "randomization"), _p("precision", "randomization", "greater")
    student = _p("precision", "randomization:studentized=true")
    ours = f"studentized, which does not react to method I giving more answers, two-sided p is {student:.4f}"
    odd = "the law is symmetric about 0, so that one-sided is half of two-sided: 2 %, not 3 %"
    yield _number("chi-square of the precisions", 2.38, chi, 2)
    yield claim("its p-value", "10 % to 20 %", p, 0.1 <= p <= 0.2)
    yield claim("precision, randomization, two-sided", "less than 4 %", both, both < 0.04, ours)
    yield claim("precision, randomization, one-sided", "3 %", one, round(one, 2) == 0.03, odd)


def _shuffles() -> Iterator[Row]:
    for metric, (side, paper, level) in SHUFFLES.items():
        exact = _p(metric, "randomization", side)
        z = (paper - exact * YEH) / math.sqrt(YEH * exact * (1 - exact))
        agrees = abs(z) <= 4
        away = "" if agrees else AWAY.format(z=z)
        for rng in (0, 1):
            hits = round(_p(metric, "randomization:method=yeh", side, rng) * (YEH + 1)) - 1
            yield claim(f"{metric}: hits among 2^20 shuffles, run {rng + 1}", paper, hits, agrees, away)
        note = away or "the exact p-value, which the paper sampled"
        yield claim(f"{metric}: exact one-sided p", level, exact, agrees, note)
    sign = _p("recall", "sign", "less")
    same = math.isclose(sign, _p("recall", "randomization", "less"), rel_tol=1e-9)
    yield claim("recall: sign test against randomization", "similar", sign, same, "exactly the same law")


def _p(metric: str, test: str, alternative: str = "two-sided", rng: int = 0) -> float:
    p = _compare(metric, test, alternative, rng).p_value
    return math.nan if p is None else p


def _compare(metric: str, test: str, alternative: str = "two-sided", rng: int = 0) -> Comparison:
    result = compare(COUNTS, metric=metric, test=test, alternative=alternative, audit=False, rng=rng)
    if not isinstance(result, Comparison):
        raise TypeError("one metric gives one comparison")
    return result
