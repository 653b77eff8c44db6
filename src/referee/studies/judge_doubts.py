"""Doubts about a judge: few human labels, labels that it never says, labelled examples that are no random part."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from referee.data.columns import Ints, factorize, plain
from referee.data.counts import Counts
from referee.data.judged import labelled, seen_by_people
from referee.errors import Argument, Message
from referee.report.numbers import p_equation
from referee.significance.prediction_powered import Assistance

NO_SCORE = "the score is undefined (0/0) by the judge's labels, so the judge adds nothing"
NO_USE = "the judge's labels say nothing about the difference that people see, so the judge adds nothing"
CONTRADICTS = "the judge contradicts people: where people favor one system, it tends to favor the other (λ is negative)"
FEW = 30
"""Results from fewer human labels are unreliable."""
UNLIKE = 1e-3
"""The labelled examples are said to be chosen if a random choice would look like this less often."""
EXPECTED = 5.0
"""Cells in which fewer are expected are put together."""
MOST = 12
"""Of so many labels those that the judge never says are named."""


def doubts(counts: Counts, help_: Assistance) -> Iterator[str]:
    """Say what a reader should know of the judge."""
    if not help_.known:
        yield NO_SCORE
    elif help_.weight == 0 and not bool((counts["a"] == counts["b"]).all()):
        yield NO_USE
    if help_.weight < 0 and "judge_a" in counts:
        yield Message(CONTRADICTS, "; are ", Argument("judge_a"), " and ", Argument("judge_b"), " swapped?")
    elif help_.weight < 0:
        yield f"{CONTRADICTS}; are its labels reversed?"
    many = int(counts.multiplicities[labelled(counts)].sum())
    if many < FEW:
        several = f"there {'is' if many == 1 else 'are'} only {many} human label{'' if many == 1 else 's'}"
        yield f"{several}; results from fewer than {FEW} are unreliable"
    yield from _silent(counts)
    yield from _chosen(counts)


def _silent(counts: Counts) -> Iterator[str]:
    """Say which labels people use and the judge never does."""
    if "judge" not in counts or counts["judge"].dtype.kind == "f":
        return
    human = set(seen_by_people(counts)["truth"].tolist())
    said = set(counts["judge"].tolist())
    never = sorted(human - said, key=str)
    alike = next(
        ((own, one) for own in never for one in said if str(own).strip().lower() == str(one).strip().lower()), None
    )
    if never and len(human) <= MOST:
        typed = f"; is its {plain(alike[1])!r} people's {plain(alike[0])!r}?" if alike else ""
        yield f"the judge never says {' or '.join(map(repr, map(plain, never)))}, which people do{typed}"


def _chosen(counts: Counts) -> Iterator[str]:
    """Warn if the labelled examples differ from the others in what the judge and the systems say: then they are no random part."""
    if "group" in counts:
        return
    if "judge" in counts and counts["judge"].dtype.kind != "f":
        same = [counts["judge"] == counts[side] for side in "ab"]
        kinds = [factorize(counts["judge"])[1], *(np.asarray(one, np.int64) for one in same)]
    elif "judge_a" in counts:
        kinds = [np.sign(counts["judge_b"].astype(np.float64) - counts["judge_a"].astype(np.float64))]
    else:
        return
    strata = factorize(counts["stratum"])[1] if "stratum" in counts else np.zeros(len(counts), np.int64)
    place = np.unique(np.stack(kinds), axis=1, return_inverse=True)[1].reshape(-1)
    inside, statistic, df = labelled(counts), 0.0, 0
    for stratum in np.unique(strata):
        here = strata == stratum
        table = np.stack(
            [
                np.bincount(place[here & which], counts.multiplicities[here & which], place.max() + 1)
                for which in (inside, ~inside)
            ]
        )
        own = _chi_squared(table)
        statistic, df = statistic + own[0], df + own[1]
    if df:
        from scipy.special import chdtrc

        p = float(chdtrc(df, statistic))
        if p < UNLIKE:
            what = "the labelled examples differ from the others in what the judge and the systems say of them"
            yield f"{what} (chi-squared test, {p_equation(p)}); they must be a random part of all, or of each stratum, or the correction is wrong"


def _chi_squared(table: Ints) -> tuple[float, int]:
    """Return Pearson's statistic of a table of two rows, and its degrees of freedom; rare columns are put together."""
    table = table[:, table.sum(axis=0) > 0]
    sides = table.sum(axis=1)
    if not sides.all():
        return 0.0, 0
    rare = table.sum(axis=0) * sides.min() / sides.sum() < EXPECTED
    table = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)]) if rare.any() else table
    expected = np.outer(sides, table.sum(axis=0)) / sides.sum()
    if table.shape[1] < 2:
        return 0.0, 0
    return float(((table - expected) ** 2 / np.maximum(expected, 1e-12)).sum()), table.shape[1] - 1
