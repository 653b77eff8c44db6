"""Yeh 2000, More accurate tests for the statistical significance of result differences (COLING)."""

from __future__ import annotations

import math
from typing import Any

from referee.data.counts import Counts, from_events
from referee.results.comparison import Comparison
from referee.results.replication import Replication
from referee.significance.randomization import YEH
from referee.studies.comparison import compare

PAPER = "Yeh 2000, More accurate tests for the statistical significance of result differences"
EVENTS = (19, 6, 28, 50, 5, 9, 43)
"""Method I is A, method II is B; what neither finds is not counted."""
TABLE = {0.38: (0.787, 1.27), 0.50: (0.707, 1.41), 0.80: (0.447, 2.24)}
SCORES = {"recall": (45.6, 24.3), "precision": (49.5, 64.1), "f1": (47.5, 35.2)}
HITS = {"recall": 96, "f1": 14794, "precision": 25770}
LEVELS = {"recall": 0.00009, "f1": 0.014, "precision": 0.025}
SIDES = {"recall": "less", "f1": "less", "precision": "greater"}
AWAY = "the paper's count is {z:+.1f} standard errors from the exact one: it cannot come from the printed counts by the printed procedure"


def counts() -> Counts:
    """Return the example of section 3.3: the modifier relations that two methods find."""
    return from_events(EVENTS, a="method I", b="method II", open=True)


def run() -> Replication:
    """Repeat the paper's numbers, by its own procedure (2^20 shuffles, run twice) and exactly."""
    return Replication(PAPER, [*_independence(), *_scores(), *_precision(), *_shuffles()])


def _row(what: str, paper: Any, ours: Any, agrees: bool, note: str = "") -> dict[str, Any]:
    return {"what": what, "paper": paper, "ours": ours, "agrees": agrees, "note": note}


def _near(paper: float, ours: float, digits: int) -> bool:
    return round(ours, digits) == paper


def _independence() -> list[dict[str, Any]]:
    """Repeat the table of section 2.1: what assuming independence costs, with equal standard deviations."""
    rows = []
    for r, (share, factor) in TABLE.items():
        ours = math.sqrt(1 - r)
        rows.append(_row(f"s_d / s_d-ind at r12 = {r:.2f}", share, ours, _near(share, ours, 3)))
        rows.append(_row(f"s_d-ind / s_d at r12 = {r:.2f}", factor, 1 / ours, _near(factor, 1 / ours, 2)))
    return rows


def _scores() -> list[dict[str, Any]]:
    rows = []
    for metric, printed in SCORES.items():
        result = _compare(metric, "randomization")
        for score, paper in zip((result.a, result.b), printed, strict=True):
            ours = 100 * (score.score or 0.0)
            rows.append(_row(f"{metric} of {score.name}, %", paper, ours, _near(paper, ours, 1)))
    correlation = _compare("recall", "sign").correlation or math.nan
    rows.append(_row("correlation of the methods' recalls", 0.35, correlation, _near(0.35, correlation, 2)))
    return rows


def _precision() -> list[dict[str, Any]]:
    chi = _compare("precision", "chi2-precision")
    both, one = _compare("precision", "randomization"), _compare("precision", "randomization", "greater")
    chi_value, chi_p = chi.statistic or math.nan, chi.p_value or math.nan
    p_both, p_one = both.p_value or math.nan, one.p_value or math.nan
    student = _compare("precision", "randomization:studentized=true").p_value
    odd = "the law is symmetric about 0, so that one-sided is half of two-sided: 2 %, not 3 %"
    ours = f"studentized, which does not react to method I giving more answers, two-sided p is {student:.4f}"
    return [
        _row("chi-square of the precisions", 2.38, chi_value, _near(2.38, chi_value, 2)),
        _row("its p-value", "10 % to 20 %", chi_p, 0.1 <= chi_p <= 0.2),
        _row("precision, randomization, two-sided", "less than 4 %", p_both, p_both < 0.04, ours),
        _row("precision, randomization, one-sided", "3 %", p_one, _near(0.03, p_one, 2), odd),
    ]


def _shuffles() -> list[dict[str, Any]]:
    rows = []
    for metric, paper in HITS.items():
        exact = _compare(metric, "randomization", SIDES[metric]).p_value or math.nan
        expected, spread = exact * YEH, math.sqrt(YEH * exact * (1 - exact))
        z = (paper - expected) / spread
        runs = [_compare(metric, "randomization:method=yeh", SIDES[metric], rng).p_value or math.nan for rng in (0, 1)]
        for number, p in enumerate(runs, 1):
            hits = round(p * (YEH + 1)) - 1
            note = "" if abs(z) <= 4 else AWAY.format(z=z)
            what = f"{metric}: hits among 2^20 shuffles, run {number}"
            rows.append(_row(what, paper, hits, abs(z) <= 4, note))
        note = "the exact p-value, which the paper sampled" if abs(z) <= 4 else AWAY.format(z=z)
        rows.append(_row(f"{metric}: exact one-sided p", LEVELS[metric], exact, abs(z) <= 4, note))
    sign, recall = _compare("recall", "sign", "less"), _compare("recall", "randomization", "less")
    same = math.isclose(sign.p_value or math.nan, recall.p_value or math.nan, rel_tol=1e-9)
    rows.append(_row("recall: sign test against randomization", "similar", sign.p_value, same, "exactly the same law"))
    return rows


def _compare(metric: str, test: str, alternative: str = "two-sided", rng: int = 0) -> Comparison:
    result = compare(counts(), metric=metric, test=test, alternative=alternative, audit=False, rng=rng)
    if not isinstance(result, Comparison):
        raise TypeError("one metric gives one comparison")
    return result
