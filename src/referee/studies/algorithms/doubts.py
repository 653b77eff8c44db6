"""Doubts: whether a verdict hangs on what was assumed of the splits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from referee.errors import Misfit
from referee.significance.fold_tests import Layout
from referee.studies.algorithms.folds import Folds
from referee.studies.algorithms.judging import Judging
from referee.studies.algorithms.pairs import compare_folds


def doubted(folds: Folds, judged: Callable[[Layout], Judging], higher_is_better: bool) -> Folds:
    """Return the folds with a warning if the splits, taken for what they could be as well, give another verdict.

    Args:
        folds: the scores, and how the splits are taken.
        judged: how pairs are judged on splits that lie so.
        higher_is_better: whether a higher score is better.
    """
    taken = _verdicts(folds, folds.layout, judged, higher_is_better)
    other = [
        name
        for name, layout in folds.rivals.items()
        if (found := _verdicts(folds, layout, judged, higher_is_better)) is not None and found != taken
    ]
    if taken is None or not other:
        return folds
    shown = ", ".join(other[:-1]) + (" or " if other[1:] else "") + other[-1]
    said = (
        f"the verdict depends on that: taken for {shown}, {'it is' if len(taken) == 1 else 'one or more are'} different"
    )
    return replace(folds, warnings=(*folds.warnings, said))


def _verdicts(
    folds: Folds, layout: Layout, judged: Callable[[Layout], Judging], higher_is_better: bool
) -> list[str] | None:
    """Return the verdicts on all pairs; None where the test that was asked for does not fit."""
    try:
        judging = judged(layout)
    except Misfit:
        return None
    if judging.test is None:
        return None
    pairs, _ = compare_folds(replace(folds, layout=layout), judging, judging.test, higher_is_better)
    return [pair.verdict for pair in pairs]
