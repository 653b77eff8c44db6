"""Pairs: every two algorithms tested, adjusted for being several, and who is best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from referee.data.columns import Floats
from referee.results.algorithms import Pair
from referee.results.comparison import Comparison
from referee.results.settings import Verdict
from referee.significance.fold_tests import FoldTest
from referee.significance.multiplicity import adjust
from referee.studies.algorithms.folds import Folds
from referee.studies.algorithms.judging import Judging
from referee.studies.comparison import adjust_all
from referee.studies.verdict import judge


def compare_folds(
    folds: Folds, judging: Judging, test: FoldTest, higher_is_better: bool
) -> tuple[list[Pair], list[str]]:
    """Test every pair of algorithms on their fold scores; return the pairs and the warnings.

    A pair in which a split has no score has a difference, over the splits that both have, and no p-value.
    """
    said = list(test.cautions(folds.layout))
    found = []
    for a, b in combinations(folds.scores, 2):
        d = _differences(folds, a, b)
        pair, remarks = _pair(a, b, d, folds, judging, test, higher_is_better)
        found.append((pair, d))
        said += remarks
    p = adjust([math.nan if pair.p_value is None else pair.p_value for pair, _ in found], judging.adjust)
    return [
        _judged(pair, d, value, folds, judging, test, higher_is_better)
        for (pair, d), value in zip(found, p.tolist(), strict=True)
    ], said


def _differences(folds: Folds, a: str, b: str) -> Floats:
    one, other = (np.array([np.nan if s is None else s for s in folds.scores[name]]) for name in (a, b))
    result: Floats = other - one
    return result


def _pair(
    a: str, b: str, d: Floats, folds: Folds, judging: Judging, test: FoldTest, higher: bool
) -> tuple[Pair, list[str]]:
    known = d[np.isfinite(d)]
    mean = float(known.mean()) if len(known) else None
    made = Pair(
        a=a, b=b, difference=mean, interval=None, test=str(test), test_info=test.info(), statistic=None, p_value=None, p_adjusted=None,
        verdict="too close to call",
    )  # fmt: skip
    if mean is None or len(known) < len(d):
        return made, []
    evidence = test.evaluate(d, folds.layout, judging.alternative)
    p, statistic = float(evidence.p), float(evidence.statistic)
    said = []
    if math.isnan(statistic):
        said.append(
            f"{a} and {b} differ ({mean:.4g}) and the difference never varies where its variance is estimated from, "
            f"so there is no p-value"
        )
    if not test.two_sided and statistic * mean < 0 and p <= judging.alpha:
        said.append(f"{test.name} of {a} and {b} speaks against the sign of their mean difference, and settles nothing")
        p = math.nan
    interval = test.interval_of(d, folds.layout, 1 - judging.alpha)
    if interval is None and not math.isnan(statistic) and d.any():
        said.append(
            f"{test.name} of {a} and {b} has no interval: the runs differ too much from each other for any difference"
        )
    return replace(
        made,
        interval=interval,
        statistic=None if math.isnan(statistic) else statistic,
        p_value=None if math.isnan(p) else p,
        probabilities=None if evidence.probabilities is None else _chances(evidence.probabilities.tolist(), higher),
    ), said


def _chances(below_inside_above: Sequence[float], higher: bool) -> dict[str, float]:
    below, inside, above = below_inside_above
    a, b = (below, above) if higher else (above, below)
    return {"a": a, "equal": inside, "b": b}


def _judged(pair: Pair, d: Floats, p: float, folds: Folds, judging: Judging, test: FoldTest, higher: bool) -> Pair:
    """Judge a pair by its adjusted p-value, or by its probabilities."""
    value = None if math.isnan(p) else p
    if pair.probabilities is not None:
        return replace(pair, p_adjusted=value, verdict=_probable(pair.probabilities, judging.alpha))
    whole = judging.margin is not None and bool(np.isfinite(d).all())
    wide = test.interval_of(d, folds.layout, 1 - 2 * judging.alpha) if whole else None
    verdict = judge(value, pair.difference, judging.alpha, judging.margin, wide, higher)
    return replace(pair, p_adjusted=value, verdict=verdict)


def _probable(chances: dict[str, float], alpha: float) -> Verdict:
    names: dict[str, Verdict] = {"a": "a better", "equal": "practically equal", "b": "b better"}
    likely = [names[key] for key, chance in chances.items() if chance >= 1 - alpha]
    return likely[0] if likely else "too close to call"


def pairs_of(comparisons: Sequence[Comparison], method: str) -> tuple[list[Pair], list[str]]:
    """Turn comparisons on one test set into pairs; return them and the warnings."""
    judged = adjust_all(comparisons, method)
    pairs = [
        Pair(
            a=c.a.name, b=c.b.name, difference=c.difference, interval=c.interval, test=c.test, statistic=c.statistic,
            p_value=c.p_value, p_adjusted=c.p_adjusted, verdict=c.verdict, comparison=c, test_info=c.test_info,
        )
        for c in judged
    ]  # fmt: skip
    several = len(pairs) > 1
    said = [f"{c.a.name} and {c.b.name}: {remark}" if several else remark for c in judged for remark in c.warnings]
    return pairs, said


def best_of(names: Sequence[str], pairs: Sequence[Pair]) -> tuple[str, ...]:
    """Return the names that no other is significantly better than.

    >>> best_of(["x", "y"], [])
    ('x', 'y')
    """
    beaten = {pair.b if pair.verdict == "a better" else pair.a for pair in pairs if "better" in pair.verdict}
    return tuple(name for name in names if name not in beaten)
