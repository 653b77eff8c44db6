"""Procedures that others use and referee does not ship: a t test on random halves of the test set, and sacrebleu's bootstrap.

Worker processes import this module, and with it the test is registered.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from referee.auditing.cells import run_cell
from referee.randomness import Streams
from referee.significance.base import Evidence, Test, test
from referee.tails import ratio, student_p
from referee.units import AnyTally
from referee.values import Ints

HALVES, REPLICATES = 30, 999


@test(
    "resampled-t",
    fits="every metric",
    reference="Dietterich 1998, section 3.3, where it is warned of; mlxtend.evaluate.paired_ttest_resampled",
    assumes="The differences in the halves are normal and independent of each other, which halves of one test set are not.",
    caution="random halves of one test set share examples, so their differences are not independent",
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
    caution="absolute differences less their mean are compared with the observed one in one direction only",
    calibrated=False,
    draws=True,
)
@dataclass(frozen=True, kw_only=True)
class AbsoluteBootstrap(Test):
    """sacrebleu's paired bootstrap: the share of draws whose |d*|, less the mean of all |d*|, exceeds |d|.

    As there, a model against itself is a difference: no draw exceeds 0, so p is the least that there is.
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


def cell(*arguments: Any) -> Any:
    """Run a cell of an audit where the test above is known."""
    return run_cell(*arguments)
