"""Procedures of others that referee does not ship, tried beside its own. Importing this module makes their names known."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from referee.data.columns import Ints
from referee.runtime.randomness import Streams
from referee.significance.base import Evidence, Test, test
from referee.significance.distributions import ratio, student_p
from referee.significance.laws.pulls import difference_pulls
from referee.significance.rank_tally import AnyTally
from referee.significance.t_tests import ClusterT, Parts

HALVES, REPLICATES = 30, 999


@test(
    "resampled-t",
    fits="every metric",
    reference="Dietterich 1998, section 3.3, where it is warned of; mlxtend.evaluate.paired_ttest_resampled",
    assumes="The differences in the halves are normal and independent of each other, which halves of one test set are not.",
    calibrated=False,
    draws=True,
)
@dataclass(frozen=True, kw_only=True)
class ResampledT(Test):
    """t test on the differences in 30 random halves of the test set, as if each were a test set of its own."""

    def misfit(self, tally: AnyTally) -> str | None:
        return None

    def measure(self, tally: AnyTally, batch: Ints, alternative: str, streams: Streams) -> Evidence:
        halves = np.stack([
            streams.child(place).at(0).multivariate_hypergeometric(row, max(1, int(row.sum()) // 2), size=HALVES)
            for place, row in enumerate(batch)
        ])  # fmt: skip
        scores = tally.scores(halves)
        d = scores[..., 1] - scores[..., 0]
        error = d.std(axis=1, ddof=1) / np.sqrt(HALVES)
        t = ratio(d.mean(axis=1), error)
        return Evidence(p=student_p(t, error, np.full(len(t), HALVES - 1.0), alternative), statistic=t)


@test(
    "absolute-bootstrap",
    fits="every metric",
    reference="sacrebleu 2.6.0, --paired-bs; Koehn 2004",
    assumes="Absolute differences less their mean vary as the difference would if the systems were equally good.",
    calibrated=False,
    draws=True,
)
@dataclass(frozen=True, kw_only=True)
class AbsoluteBootstrap(Test):
    """sacrebleu's paired bootstrap: the share of draws whose |d*|, less the mean of all |d*|, exceeds |d|.

    As there, a model against itself is a difference: no draw exceeds 0, so p is the smallest possible.
    """

    def misfit(self, tally: AnyTally) -> str | None:
        return None

    def measure(self, tally: AnyTally, batch: Ints, alternative: str, streams: Streams) -> Evidence:
        p = np.empty(len(batch))
        for place, row in enumerate(batch):
            n = int(row.sum())
            drawn = tally.scores(streams.child(place).at(0).multinomial(n, row / n, size=REPLICATES))
            own, apart = tally.scores(row), np.abs(drawn[:, 1] - drawn[:, 0])
            beyond = np.count_nonzero(apart - apart.mean() > abs(own[1] - own[0]))
            p[place] = (beyond + 1) / (REPLICATES + 1)
        return Evidence(p=p)

    def decide(self, tally: AnyTally, batch: Ints, alphas: Any, alternative: str, streams: Streams) -> Any:
        # Not by way of evaluate(), which would say p = 1 of a model against itself.
        return self.measure(tally, batch, alternative, streams).p[:, None] <= np.asarray(alphas)[None, :]


@test(
    "bell-mccaffrey",
    fits="metrics of totals over groups",
    reference="Bell and McCaffrey 2002",
    assumes="Examples are independent and vary alike, as far as the degrees of freedom go.",
    takes_groups=True,
)
@dataclass(frozen=True, kw_only=True)
class BellMcCaffrey(ClusterT):
    """cluster-t's standard error on Bell and McCaffrey's own degrees of freedom (Satterthwaite's, of the CR2 variance)."""

    def parts(self, tally: AnyTally, batch: Ints) -> Parts:
        difference, error, _ = super().parts(tally, batch)
        bulks = difference_pulls(tally, batch).bulks
        h = bulks / (batch * bulks).sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            u = np.where(batch > 0, h**2 / (1 - h), 0.0)
            df = 1 / ((batch * h**2).sum(axis=1) + (batch * u).sum(axis=1) ** 2 - (batch * u**2).sum(axis=1))
        return difference, error, np.where(np.isnan(error), np.nan, df)


@test(
    "classical-cluster-t",
    fits="metrics of totals over groups",
    reference="Cameron, Gelbach and Miller 2008, where it is found wanting with few groups",
    assumes="There are many groups of about one size.",
    takes_groups=True,
)
@dataclass(frozen=True, kw_only=True)
class ClassicalClusterT(ClusterT):
    """The cluster-robust t test as most software has it: squared group totals times G/(G − 1), on G − 1 degrees of freedom."""

    def parts(self, tally: AnyTally, batch: Ints) -> Parts:
        difference, error, _ = super().parts(tally, batch)
        moves, groups = difference_pulls(tally, batch).moves, batch.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            own = np.sqrt((batch * moves**2).sum(axis=1) * groups / (groups - 1))
        return difference, np.where(error > 0, own, error), np.where(groups > 1, groups - 1.0, np.nan)
