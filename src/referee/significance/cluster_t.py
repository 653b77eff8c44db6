"""cluster-t: Student's t over groups, which knows how few they are and how unequal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from referee import intervals
from referee.laws.groups import area_bulks, difference_pulls, effective_groups, system_pulls
from referee.randomness import Streams
from referee.ranks import RankTally
from referee.results import Interval
from referee.significance.base import Evidence, test
from referee.significance.carriers import heavy_tails
from referee.significance.student import Parts, Student, tail
from referee.tally import Tally, chunks
from referee.units import AnyTally
from referee.values import Ints


def system_interval(tally: AnyTally, system: int, level: float) -> Interval | None:
    """Return the interval of one system's own score."""
    weights = tally.multiplicities[None, :].astype(np.float64)
    error, df = system_pulls(tally, system).over(weights, tally.strata)
    return intervals.student(float(tally.observed()[system]), float(error[0]), float(df[0]), level, "cluster-t")


@test(
    "cluster-t",
    fits="metrics of totals, and auc over groups; without groups each example is one",
    reference="Bell and McCaffrey 2002; Pustejovsky and Tipton 2018; Cameron, Gelbach and Miller 2008",
    assumes="The difference is about normal: the pull of each example on it is, or there are many of them and none has most of the data.",
    takes_groups=True,
)
@dataclass(frozen=True, kw_only=True)
class ClusterT(Student):
    """t test over whole groups, on the effective number of them less one."""

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        if isinstance(tally, Tally):
            return None
        if tally.metric.name != "auc":
            return "it needs a metric of totals, or auc"
        return None if tally.grouped else "for auc it needs groups; without them there is delong"

    def parts(self, tally: AnyTally, batch: Ints) -> Parts:
        """Return the difference, its CR2 standard error and the effective number of groups less one."""
        out = np.empty((3, len(batch)))
        for rows in chunks(len(batch), 8 * len(tally.multiplicities)):
            scores = tally.scores(batch[rows])
            error, df = difference_pulls(tally, batch[rows]).over(batch[rows].astype(np.float64), tally.strata)
            difference = scores[:, 1] - scores[:, 0]
            still = (error == 0) & (np.abs(difference) <= tally.tolerance(scores))
            out[:, rows] = np.where(still, 0.0, difference), error, df
        return out[0], out[1], out[2]

    def measure(self, tally: AnyTally, batch: Ints, alternative: str, streams: Streams) -> Evidence:
        """Return the evidence."""
        parts = self.parts(tally, batch)
        t, p = tail(parts, 0.0, alternative)
        alone = len(batch) == 1 and bool(np.isnan(parts[1][0]))
        return Evidence(p=p, statistic=t, notes=(self._alone(tally),) if alone else ())

    def _alone(self, tally: AnyTally) -> str:
        unit = "group" if tally.grouped else "example"
        where = "one stratum has" if len(np.unique(tally.strata)) > 1 else "the data have"
        return f"cluster-t: {where} only one {unit} that counts, so nothing shows how {unit}s vary; no p-value can be given"

    def cautions(self, tally: AnyTally) -> tuple[str, ...]:
        """Warn where one group carries most of the data, or a handful most of what varies."""
        many = effective_groups(tally)
        if not 1 < many < 2:
            rests = isinstance(tally, Tally) and not tally.metric.of_labels
            return heavy_tails(self.name, tally) if rests and isinstance(tally, Tally) else ()
        # Of fewer than two in effect one has the most by far: Σ share² is at most its share.
        own = tally.multiplicities[None, :]
        bulks = area_bulks(tally, own) if isinstance(tally, RankTally) else difference_pulls(tally, own).bulks
        most = float((bulks * (own > 0)).max() / (own * bulks).sum())
        what = "group" if tally.grouped else "example"
        return (f"cluster-t: one {what} carries {100 * most:.0f}% of the data, so the result rests on it",)
