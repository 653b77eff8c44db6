"""The sign test and Wilcoxon's signed ranks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from referee.data.columns import Floats, Ints
from referee.errors import one_of
from referee.results.test_info import Cited, Phrase, said
from referee.runtime.randomness import Streams
from referee.significance.base import Evidence, Test, half_power, test
from referee.significance.description import NORMAL
from referee.significance.distributions import normal_p, ratio, toward
from referee.significance.laws.exchange import reached
from referee.significance.laws.resample import SWAP
from referee.significance.laws.signed_sums import Sums, sign_sums
from referee.significance.mcnemar import BINOMIAL, binomial_p
from referee.significance.means import Means, misfit
from referee.significance.null_distribution import DRAWS, Luck, curve, of_halves
from referee.significance.rank_tally import AnyTally

ZEROS = {
    "wilcox": Cited("differences of 0 left out", ("wilcoxon1945", "hothorn2002")),
    "pratt": Cited("differences of 0 ranked and then left out", ("wilcoxon1945", "pratt1959", "hothorn2002")),
    "zsplit": Cited("differences of 0 shared between both sides", ("wilcoxon1945", "hothorn2002")),
}
EXACT = 500


@test(
    "sign",
    fits="means; grouped: signs of the group sums",
    reference="Yeh 2000, section 3.1",
    assumes="Were the systems equally good, each would be as likely as the other to do better on an example where they differ; by how much does not count.",
    assumes_of_groups="Were the systems equally good, each would be as likely as the other to do better on a group of examples where they differ; by how much does not count.",
    needs_many=True,
    law=NORMAL,
    caution="it counts wins and losses and ignores their sizes",
    takes_groups=True,
)
@dataclass(frozen=True, kw_only=True)
class Sign(Test):
    """Exact binomial test on wins and losses, ties dropped."""

    def procedure_of(self, grouped: bool) -> Phrase:
        """Return which test it is."""
        return said(f"the sign test on wins and losses{' of groups' if grouped else ''}, ties left out", "yeh2000")

    def exact_words(self) -> str:
        """Return what an exact p-value of it is."""
        return BINOMIAL

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        return misfit(tally)

    def measure(self, tally: AnyTally, batch: Ints, alternative: str, streams: Streams) -> Evidence:
        """Return the evidence; the statistic is wins minus losses of b."""
        up, down, _ = Means.of(tally).counts(batch)
        return Evidence(p=binomial_p(up, down, alternative), statistic=up - down, method="exact", leaning=up - down)

    def smallest(self, apart: int, alternative: str, method: str) -> float:
        """Return the chance that one side wins every unit."""
        return half_power(apart, alternative)

    def luck(self, tally: AnyTally, alternative: str, streams: Streams) -> Luck | None:
        """Return the law of wins less losses: it is no function of the difference."""
        up, down, _ = (float(part[0]) for part in Means.of(tally).counts(tally.multiplicities[None, :]))
        return of_halves(up, down, 1.0, alternative, mid=False, scale="wins")


def signed_ranks(changes: Floats, weights: Ints, zeros: str) -> tuple[Floats, Floats, Ints]:
    """Return the distinct non-zero changes' signs times mid-ranks, what zeros add to either side, and multiplicities.

    Changes are rounded to 1e-10 of the largest, so that ties are ties.
    """
    grain = 1e-10 * np.abs(changes).max(initial=0.0)
    rounded = np.rint(changes / grain) * grain if grain > 0 else changes
    size, place = np.unique(np.abs(rounded), return_inverse=True)
    counted = np.bincount(place, weights, len(size))
    if len(size) and size[0] == 0 and zeros == "wilcox":
        counted[0] = 0
    ranks = np.cumsum(counted) - (counted - 1) / 2
    apart = (rounded != 0) & (weights > 0)
    split = ranks[0] * counted[0] / 2 if zeros == "zsplit" and len(size) and size[0] == 0 else 0.0
    return np.sign(rounded[apart]) * ranks[place[apart]], np.array(split), weights[apart]


@test(
    "wilcoxon",
    fits="means; grouped: on group means",
    reference="Wilcoxon 1945; Pratt 1959; ties: Hothorn and Hornik 2002",
    assumes="Were the systems equally good, the differences per example would be spread alike on both sides of 0.",
    assumes_of_groups="Were the systems equally good, the differences per group of examples would be spread alike on both sides of 0.",
    needs_many=True,
    law=NORMAL,
    takes_groups=True,
)
@dataclass(frozen=True, kw_only=True)
class Wilcoxon(Test):
    """Wilcoxon's signed ranks, exact with ties up to 500 differing units, then normal with the tie variance."""

    zeros: str = "wilcox"

    def __post_init__(self) -> None:
        """Check the options."""
        one_of("wilcoxon:zeros", self.zeros, tuple(ZEROS))

    def procedure_of(self, grouped: bool) -> Phrase:
        """Return which test it is."""
        zeros = ZEROS[self.zeros]
        means = " on the means of groups" if grouped else ""
        return said(f"Wilcoxon's signed-rank test{means}, {zeros.text}", *zeros.works)

    def exact_words(self) -> str:
        """Return what an exact p-value of it is."""
        return "The p-value is exact, from the law of the signed ranks with their ties"

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        return misfit(tally)

    def cautions(self, tally: AnyTally) -> tuple[str, ...]:
        """Say that groups enter by their means."""
        return (
            ("wilcoxon: it acts on the mean of each group, so that every group weighs the same",)
            if tally.grouped
            else ()
        )

    def measure(self, tally: AnyTally, batch: Ints, alternative: str, streams: Streams) -> Evidence:
        """Return the evidence; the statistic is the rank sum of b's wins minus that of its losses."""
        means = Means.of(tally)
        inside = means.weight > 0
        change = means.change[inside] / means.weight[inside]
        found = [self._one(change, row[inside], alternative) for row in batch]
        exact = all(method == "exact" for _, _, method in found)
        sums = np.array([w for w, _, _ in found])
        return Evidence(
            p=np.array([p for _, p, _ in found]),
            statistic=sums,
            leaning=sums,
            method="exact" if exact else "asymptotic",
        )

    def smallest(self, apart: int, alternative: str, method: str) -> float:
        """Return the chance that one side has every rank."""
        return half_power(apart, alternative) if method == "exact" else 0.0

    def luck(self, tally: AnyTally, alternative: str, streams: Streams) -> Luck | None:
        """Return the law of the signed rank sum: it is no function of the difference."""
        means = Means.of(tally)
        inside = means.weight > 0
        change = means.change[inside] / means.weight[inside]
        ranks, _, sizes = signed_ranks(change, tally.multiplicities[inside], self.zeros)
        observed = float(ranks @ sizes)
        if sizes.sum() > EXACT:
            return curve(observed, float(np.sqrt(sizes @ ranks**2)), alternative, scale="ranks")
        if not sizes.sum():
            return None
        drawn = sign_sums(np.abs(ranks)[:, None], sizes, DRAWS, streams.child(SWAP))[:, 0]
        counted = reached(drawn, observed, 1e-9, alternative).astype(np.float64)
        return Luck(drawn, np.full(DRAWS, 1 / DRAWS), counted, observed, observed, scale="ranks", how="drawn")

    def _one(self, change: Floats, weights: Ints, alternative: str) -> tuple[float, float, str]:
        ranks, _, sizes = signed_ranks(change, weights, self.zeros)
        statistic = float(ranks @ sizes)
        if sizes.sum() <= EXACT:
            magnitude, place = np.unique(np.abs(ranks), return_inverse=True)
            together = np.bincount(place, sizes, len(magnitude)).astype(np.int64)
            aim = toward(statistic, alternative) - 1e-9
            beyond = Sums(magnitude, together).upper(aim) if len(magnitude) else 1.0
            if beyond is not None:
                p = min(1.0, 2 * beyond) if alternative == "two-sided" and statistic != 0 else beyond
                return statistic, 1.0 if alternative == "two-sided" and statistic == 0 else p, "exact"
        error = np.sqrt(sizes @ ranks**2)
        z = ratio(statistic, error)
        return statistic, float(normal_p(z, error, alternative)), "asymptotic"
