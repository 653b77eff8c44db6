"""DeLong's test of two correlated areas under the ROC curve, in O(N log N)."""

from __future__ import annotations

import numpy as np

from referee.data.columns import Floats, Ints
from referee.metrics.formula import EXACT
from referee.results.test_info import Phrase, said
from referee.significance.base import of_row, test
from referee.significance.description import STUDENT
from referee.significance.rank_tally import AnyTally, RankTally
from referee.significance.student import Parts, Student


def covariance(tally: RankTally) -> tuple[Floats, Floats]:
    """Return the two areas and the covariance matrix of their estimates."""
    areas = tally.scores(tally.multiplicities)
    weights = (tally.inside * tally.multiplicities[tally.unit]).astype(np.float64)
    total = np.zeros((2, 2))
    for part in (tally.positive, ~tally.positive):
        size = weights[part].sum()
        apart = tally.placements[part] - areas
        total += (apart * weights[part, None]).T @ apart / (size * (size - 1)) if size > 1 else np.nan
    return areas, total


def difference_spread(tally: RankTally) -> tuple[float, float]:
    """Return the variance of the difference of the two areas, and its degrees of freedom (Satterthwaite's over both classes).

    A class of m placements has at most m - 1 of them, and fewer where their kurtosis says that few carry the variance. The
    variance is 0 where the two areas move as one, NaN where a class has one member.
    """
    known = tally.memory.get("difference spread")
    if known is not None:
        return float(known[0]), float(known[1])
    change = tally.placements[:, 1] - tally.placements[:, 0]
    weights = (tally.inside * tally.multiplicities[tally.unit]).astype(np.float64)
    variance, doubt = 0.0, 0.0
    for part in (tally.positive, ~tally.positive):
        size, own = float(weights[part].sum()), change[part]
        rest = (own - float(weights[part] @ own) / size) ** 2
        squares = float(weights[part] @ rest)
        if size < 2:
            variance, doubt = np.nan, np.nan
        elif squares > EXACT**2 * size:  # placements are shares, and what is less is rounding
            # What its kurtosis κ leaves: 2m/(κ - 1), m - 1 where that is more.
            varies = float(weights[part] @ rest**2) / squares**2 - 1 / size
            class_df = min(size - 1, 2 / varies if varies > 0 else np.inf)
            variance += squares / (size * (size - 1))
            doubt += (squares / (size * (size - 1))) ** 2 / class_df
    df = variance**2 / doubt if doubt > 0 else np.nan
    tally.memory["difference spread"] = variance, df
    return variance, df


def difference_error(tally: RankTally) -> float:
    """Return the standard error of the difference of the two areas; 0 where they move as one."""
    return float(np.sqrt(difference_spread(tally)[0]))


@test(
    "delong",
    fits="auc",
    reference="DeLong, DeLong and Clarke-Pearson 1988; Sun and Xu 2014",
    assumes="There are enough positive and negative examples for the difference of the two areas to be about normal.",
    choices={"law": ("normal", "t")},
)
class DeLong(Student):
    """z or t test of two correlated AUCs with the covariance of their placements."""

    law: str = "normal"

    def procedure_of(self, grouped: bool) -> Phrase:
        """Return which test it is."""
        few = ", on degrees of freedom that allow for few examples of either class" if self.law == "t" else ""
        return said(f"DeLong's test of two correlated areas under the ROC curve{few}", "delong1988", "sun2014")

    def asymptotic_words(self) -> str:
        """Return the law that a p-value comes from."""
        return STUDENT if self.law == "t" else self.law_words

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        return None if tally.metric.name == "auc" else "it needs the metric auc"

    def interval_name(self, tally: AnyTally) -> str:
        """Return what its interval is called."""
        return "delong" if self.law == "normal" else "delong-t"

    def parts(self, tally: AnyTally, batch: Ints) -> Parts:
        """Return the difference, its standard error and the degrees of freedom; infinitely many as published."""
        out = np.empty((3, len(batch)))
        for place, row in enumerate(batch):
            own = of_row(tally, row)
            assert isinstance(own, RankTally)
            a, b = own.scores(own.multiplicities)
            variance, df = difference_spread(own)
            out[:, place] = b - a, np.sqrt(variance), np.inf if self.law == "normal" else df
        return out[0], out[1], out[2]

    def why_unknown(self, tally: AnyTally) -> str:
        """Return why there is no standard error."""
        return (
            "delong: with one positive or one negative example its variance cannot be known, so no p-value can be given"
        )
