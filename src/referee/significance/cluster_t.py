"""cluster-t: Student's t over groups, which knows how few they are and how unequal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from referee.data.columns import Floats, Ints
from referee.results.comparison import Interval
from referee.results.test_info import Phrase, said
from referee.runtime.randomness import Streams
from referee.significance import intervals
from referee.significance.base import ENOUGH, test
from referee.significance.description import STUDENT
from referee.significance.distributions import normal_p, z_quantile
from referee.significance.laws.pulls import area_bulks, difference_pulls, effective_groups, heavy_tails, system_pulls
from referee.significance.rank_tally import AnyTally, RankTally
from referee.significance.student import Parts, Student
from referee.significance.tally import Tally, chunks


def system_interval(tally: AnyTally, system: int, level: float) -> Interval | None:
    """Return the interval of one system's own score."""
    weights = tally.multiplicities[None, :].astype(np.float64)
    errors, dfs = system_pulls(tally, system).over(weights, tally.strata)
    score, error, df = float(tally.observed()[system]), float(errors[0]), float(dfs[0])
    if error == 0 and tally.range is not None and df > 0:
        low, high = tally.range
        half = (high - low) * float(unseen(np.array([df + 1]), (level,))[0, 0])
        return Interval(low=max(low, score - half), high=min(high, score + half), level=level, method="cluster-t")
    return intervals.student(score, error, df, level, "cluster-t")


def unseen(groups: Floats, levels: Sequence[float]) -> Floats:
    """Return [row, level]: what share of groups may be of a kind that none of these is; Wilson's interval of 0 out of G."""
    squares = np.array([z_quantile((1 + level) / 2) ** 2 for level in levels])
    result: Floats = squares / (groups[:, None] + squares)
    return result


@test(
    "cluster-t",
    fits="metrics of totals, and auc over groups; without groups each example is one",
    reference="Bell and McCaffrey 2002; Pustejovsky and Tipton 2018; Cameron, Gelbach and Miller 2008",
    assumes="The difference is about normal: the pull of each {unit} on it is, or there are many of them and none has most of the data.",
    law=f"{STUDENT} on the effective number of groups less one",
    takes_groups=True,
)
class ClusterT(Student):
    """t test over whole groups, on the effective number of them less one."""

    def procedure_of(self, grouped: bool) -> Phrase:
        """Return which test it is."""
        over = f"the t test over {'whole groups' if grouped else 'examples'}"
        return said(f"{over} with the bias-reduced (CR2) standard error", "bell2002", "pustejovsky2018")

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        if isinstance(tally, Tally) or (tally.metric.name == "auc" and tally.grouped):
            return None
        if tally.metric.name != "auc":
            return "it needs a metric of totals, or auc"
        return "for auc it needs groups; without them there is delong"

    def parts(self, tally: AnyTally, batch: Ints) -> Parts:
        """Return the difference, its CR2 standard error and the effective number of groups less one."""
        out = np.empty((3, len(batch)))
        for rows in chunks(len(batch), 8 * len(tally.multiplicities)):
            difference, tie = tally.differences_and_ties(batch[rows])
            error, df = difference_pulls(tally, batch[rows]).over(batch[rows].astype(np.float64), tally.strata)
            still = (error == 0) & (np.abs(difference) <= tie)
            out[:, rows] = np.where(still, 0.0, difference), error, df
        return out[0], out[1], out[2]

    def p_at(self, tally: AnyTally, null: float, alternative: str, streams: Streams) -> float | None:
        """Return the p-value of "b - a equals null"; where no group shows a difference, that of the interval's own law."""
        difference, error, df = (float(part[0]) for part in self.parts(tally, tally.multiplicities[None, :]))
        if error != 0 or difference != 0 or null == 0 or tally.reach is None:
            return super().p_at(tally, null, alternative, streams)
        groups, share = (df + 1 if np.isfinite(df) else 1.0), abs(null) / tally.reach
        root = np.sqrt(share * groups / (1 - share)) if share < 1 else np.inf
        return float(normal_p(np.array([-np.sign(null) * root]), np.ones(1), alternative)[0])

    def widths(self, tally: AnyTally, parts: Parts, levels: Sequence[float]) -> Floats:
        """Return how far the interval reaches; where no group shows a difference, as far as groups that were not seen may move it.

        In these the systems may be as far apart as scores can be. Of groups of one example this is Tango's interval.
        """
        known = super().widths(tally, parts, levels)
        difference, error, df = parts
        still = (error == 0) & (difference == 0)
        if tally.reach is None or not still.any():
            return known
        most = tally.reach * unseen(np.where(np.isfinite(df), df + 1, 1.0), levels)
        return np.where(still[:, None], most, known)

    def _few_in_effect(self, tally: AnyTally) -> tuple[str, ...]:
        """Warn where many groups say as little as few: they are very unequal, or one class is in few of them."""
        many = float(self.parts(tally, tally.multiplicities[None, :])[2][0]) + 1
        if not (tally.grouped and many < ENOUGH <= tally.units):
            return ()
        few = f"cluster-t: the {tally.units:,} groups carry about as much information as {many:.1f} equal ones"
        return (f"{few}; results from fewer than {ENOUGH} groups are unreliable",)

    def why_unknown(self, tally: AnyTally) -> str:
        """Return why there is no standard error."""
        unit = "group" if tally.grouped else "example"
        where = "one stratum has" if len(np.unique(tally.strata)) > 1 else "the data have"
        return f"cluster-t: {where} only one {unit} that counts, so nothing shows how {unit}s vary; no p-value can be given"

    def cautions(self, tally: AnyTally) -> tuple[str, ...]:
        """Warn where one group carries most of the data, or a handful most of what varies."""
        many = effective_groups(tally)
        if not 1 < many < 2:
            rests = isinstance(tally, Tally) and not tally.metric.of_labels
            heavy = heavy_tails(self.name, tally) if rests and isinstance(tally, Tally) else ()
            return (*self._few_in_effect(tally), *heavy)
        # Of fewer than two in effect one has the most by far: Σ share² is at most its share.
        own = tally.multiplicities[None, :]
        bulks = area_bulks(tally, own) if isinstance(tally, RankTally) else difference_pulls(tally, own).bulks
        most = float((bulks * (own > 0)).max() / (own * bulks).sum())
        what = "group" if tally.grouped else "example"
        return (f"cluster-t: one {what} carries {100 * most:.0f}% of the data, so the result rests on it",)
