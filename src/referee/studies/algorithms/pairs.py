"""Pairs: every two algorithms compared by one test, with p-values adjusted for multiple comparisons, and which are best."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from referee.data.columns import Floats
from referee.errors import Message, Misfit, one_of, refusal
from referee.registry import parse
from referee.report.phrases.method_names import the_test
from referee.results.algorithms import Pair
from referee.results.comparison import Comparison
from referee.results.settings import ASKED_FOR, Alternative, Verdict
from referee.significance import TESTS, Test
from referee.significance import resolve as resolve_test
from referee.significance.distributions import METHODS, adjust, check_alpha, check_alternative
from referee.significance.fold_tests import FOLD_TESTS, CorrelatedBayes, FoldTest, Layout, fitting_tests
from referee.significance.fold_tests import resolve as resolve_fold_test
from referee.studies.algorithms.designs import DESIGNS
from referee.studies.algorithms.folds import Folds
from referee.studies.comparison import adjust_all
from referee.studies.margins import Margin
from referee.studies.verdict import judge


@dataclass(frozen=True, kw_only=True)
class Judging:
    """By which test, and how strictly, every pair is judged."""

    test: FoldTest | Test | None
    """Of fold scores, or of one test set; None where that test set is to choose it."""
    reason: str = ""
    alternative: Alternative
    alpha: float
    margin: float | None
    adjust: str
    higher_is_better: bool

    @classmethod
    def of(
        cls, layout: Layout, metric: str, reach: float | None, higher_is_better: bool, *, test: Any, alternative: str,
        alpha: float, margin: float | str | None, adjust: str,
    ) -> Judging:  # fmt: skip
        """Check what was asked for; a test that was left out is that of the design.

        Args:
            layout: how the splits lie.
            metric: what the scores are called.
            reach: the most that two scores can differ by; None where they have no bounds.
            higher_is_better: whether a higher score is better.
            test: the test, or None.
            alternative: "two-sided", "greater" or "less".
            alpha: the false-alarm rate that is accepted.
            margin: the margin, as it was given.
            adjust: how p-values are adjusted.

        Raises:
            Misfit: if the test does not fit the design.
        """
        side, alpha = check_alternative(alternative), check_alpha(alpha)
        limit = Margin.of(margin, alpha)
        nothing = None if limit is None else limit.settle(metric, reach, shares=reach is not None)
        one_of("adjust", adjust, METHODS)
        chosen, reason = _test_of_folds(test, layout)
        if isinstance(chosen, CorrelatedBayes) and nothing is not None:
            # What does not matter is the region of a Bayesian test.
            chosen, nothing = replace(chosen, region=nothing), None
        if isinstance(chosen, FoldTest):
            chosen.check(layout, side)
        return cls(
            test=chosen, reason=reason, alternative=side, alpha=alpha, margin=nothing, adjust=adjust,
            higher_is_better=higher_is_better,
        )  # fmt: skip


def default_test(layout: Layout) -> tuple[str | None, str]:
    """Return the test of the scores of a design, and why it is taken."""
    design = DESIGNS[layout.design]
    return design.test_of_scores, design.reason


def _test_of_folds(test: Any, layout: Layout) -> tuple[FoldTest | Test | None, str]:
    """Return the test, and why it is taken: of fold scores, or of the one test set of a holdout.

    Raises:
        Misfit: if it is one of the other kind.
    """
    once = DESIGNS[layout.design].kind == "once"
    name = parse(test, "test")[0] if isinstance(test, str) else ""
    if once and (isinstance(test, FoldTest) or (name in FOLD_TESTS and name not in TESTS)):
        folds = f"the test {test} is of fold scores, and a holdout has one test set"
        raise Misfit(folds, argument="test", value=test, remedy="use a test such as mcnemar")
    if not once and (isinstance(test, Test) or (name in TESTS and name not in FOLD_TESTS)):
        fitting = ", ".join(fitting_tests(layout.design))
        one_set = f"the test {test} is of one test set, and {layout.design} has {layout.splits}"
        remedy = f"its tests are: {fitting}. One test set is the design holdout"
        raise Misfit(one_set, argument="test", value=test, remedy=remedy)
    if once and test is None:
        return None, ""
    if once and not isinstance(test, str | Test):
        raise refusal("test", "is a name such as mcnemar", test, "a test")
    chosen: Any
    chosen, reason = (test, ASKED_FOR) if test is not None else default_test(layout)
    return resolve_test(chosen) if once else resolve_fold_test(chosen), reason


def compare_folds(folds: Folds, judging: Judging, test: FoldTest) -> tuple[list[Pair], list[str]]:
    """Test every pair of algorithms on their fold scores; return the pairs and the warnings.

    A pair in which a split has no score has a difference, over the splits that both have, and no p-value.
    """
    warnings = list(test.cautions(folds.layout))
    scores = {name: np.array([np.nan if s is None else s for s in own]) for name, own in folds.scores.items()}
    differences = {(a, b): scores[b] - scores[a] for a, b in combinations(scores, 2)}
    tested = [_pair(a, b, d, folds.layout, judging, test, warnings) for (a, b), d in differences.items()]
    adjusted = adjust([math.nan if pair.p_value is None else pair.p_value for pair in tested], judging.adjust).tolist()
    pairs = []
    for pair, d, p in zip(tested, differences.values(), adjusted, strict=True):
        pair = replace(pair, p_adjusted=None if math.isnan(p) else p)
        pairs.append(replace(pair, verdict=_verdict(pair, d, folds.layout, judging, test)))
    return pairs, warnings


def _pair(a: str, b: str, d: Floats, layout: Layout, judging: Judging, test: FoldTest, warnings: list[str]) -> Pair:
    """Test one pair, and add to the warnings."""
    known = d[np.isfinite(d)]
    mean = float(known.mean()) if len(known) else None
    pair = Pair(
        a=a, b=b, difference=mean, interval=None, test=str(test), test_info=test.info(), statistic=None, p_value=None, p_adjusted=None,
        verdict="too close to call",
    )  # fmt: skip
    if mean is None or len(known) < len(d):
        return pair
    evidence, interval = test.evaluate(d, layout, judging.alternative), test.interval_of(d, layout, 1 - judging.alpha)
    p, statistic = float(evidence.p), float(evidence.statistic)
    if math.isnan(statistic):
        same = f"{a} and {b} differ by the same amount ({mean:.4g}) on all splits that the variance is estimated from"
        warnings.append(f"{same}, so there is no p-value")
    if not test.two_sided and statistic * mean < 0 and p <= judging.alpha:
        opposite = f"{the_test(test.name)} points the opposite way from the mean difference of {a} and {b}"
        warnings.append(f"{opposite}, so there is no verdict")
        p = math.nan
    if interval is None and not math.isnan(statistic) and d.any():
        warnings.append(f"{the_test(test.name)} gives no interval for {a} and {b}: their runs differ too much")
    probabilities = None
    if evidence.probabilities is not None:
        below, inside, above = evidence.probabilities.tolist()
        worse, better = (below, above) if judging.higher_is_better else (above, below)
        probabilities = {"a": worse, "equal": inside, "b": better}
    return replace(
        pair, interval=interval, statistic=None if math.isnan(statistic) else statistic,
        p_value=None if math.isnan(p) else p, probabilities=probabilities,
    )  # fmt: skip


def _verdict(pair: Pair, d: Floats, layout: Layout, judging: Judging, test: FoldTest) -> Verdict:
    """Judge a pair by its adjusted p-value, or by its probabilities."""
    if pair.probabilities is not None:
        names: dict[str, Verdict] = {"a": "a better", "equal": "practically equal", "b": "b better"}
        likely = (names[key] for key, chance in pair.probabilities.items() if chance >= 1 - judging.alpha)
        return next(likely, "too close to call")
    whole = judging.margin is not None and bool(np.isfinite(d).all())
    wide = test.interval_of(d, layout, 1 - 2 * judging.alpha) if whole else None
    return judge(pair.p_adjusted, pair.difference, judging.alpha, judging.margin, wide, judging.higher_is_better)


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
    return pairs, [
        Message(f"{c.a.name} and {c.b.name}: " if several else "", one) for c in judged for one in c.warnings
    ]


def best_of(names: Sequence[str], pairs: Sequence[Pair]) -> tuple[str, ...]:
    """Return the names that no other is significantly better than.

    >>> best_of(["x", "y"], [])
    ('x', 'y')
    """
    beaten = {pair.b if pair.verdict == "a better" else pair.a for pair in pairs if "better" in pair.verdict}
    return tuple(name for name in names if name not in beaten)


def ranks_of(names: Sequence[str], pairs: Sequence[Pair], most: int) -> dict[str, tuple[int, int]]:
    """Return the best and the worst rank that the verdicts allow each of these names.

    Args:
        names: those whose pairs were tested.
        pairs: all pairs.
        most: how many ranks there are.

    >>> ranks_of(["x", "y"], [], 2)
    {'x': (1, 2), 'y': (1, 2)}
    """
    told = [
        (pair.a, pair.b) if pair.verdict == "a better" else (pair.b, pair.a)
        for pair in pairs
        if "better" in pair.verdict
    ]
    beaten, beats = Counter(worse for _, worse in told), Counter(better for better, _ in told)
    return {name: (1 + beaten[name], most - beats[name]) for name in names}


def doubted(folds: Folds, judged: Callable[[Layout], Judging]) -> list[str]:
    """Warn if the splits, taken for what they could be as well, give another verdict.

    Args:
        folds: the scores, and how the splits are taken.
        judged: how pairs are judged on splits that lie so.
    """
    taken = _verdicts(folds, folds.layout, judged)
    verdicts = {name: _verdicts(folds, layout, judged) for name, layout in folds.rivals.items()}
    other = [name for name, given in verdicts.items() if given is not None and given != taken]
    if taken is None or not other:
        return []
    shown = ", ".join(other[:-1]) + (" or " if other[1:] else "") + other[-1]
    return [
        f"the verdict depends on that: taken for {shown}, {'it is' if len(taken) == 1 else 'one or more are'} different"
    ]


def _verdicts(folds: Folds, layout: Layout, judged: Callable[[Layout], Judging]) -> list[str] | None:
    """Return the verdicts on all pairs; None where the test that was asked for does not fit."""
    try:
        judging = judged(layout)
    except Misfit:
        return None
    if not isinstance(judging.test, FoldTest):
        return None
    return [pair.verdict for pair in compare_folds(replace(folds, layout=layout), judging, judging.test)[0]]
