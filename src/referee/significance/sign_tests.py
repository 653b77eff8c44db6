"""The sign test and Wilcoxon's signed ranks."""

from __future__ import annotations

import numpy as np

from referee.data.columns import Floats, Ints
from referee.results.test_info import Cited, Phrase, said
from referee.runtime.randomness import Streams
from referee.significance.base import Evidence, half_power, test
from referee.significance.distributions import normal_p, ratio, toward
from referee.significance.laws.exchange import reached
from referee.significance.laws.resample import SWAP
from referee.significance.laws.signed_sums import Sums, sign_sums
from referee.significance.mcnemar import BINOMIAL, binomial_p
from referee.significance.means import Means, MeanTest
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
    assumes="If the systems were equally good, either would be equally likely to do better on {a_unit} on which they differ; by how much does not count.",
    needs_many=True,
    caution="it counts wins and losses and ignores their sizes",
    takes_groups=True,
)
class Sign(MeanTest):
    """Exact binomial test on wins and losses, ties dropped."""

    def procedure_of(self, grouped: bool) -> Phrase:
        """Return which test it is."""
        return said(f"the sign test on wins and losses{' of groups' if grouped else ''}, ties left out", "yeh2000")

    def exact_words(self) -> str:
        """Return what an exact p-value of it is."""
        return BINOMIAL

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


def signed_ranks(changes: Floats, weights: Ints, zeros: str) -> tuple[Floats, Ints]:
    """Return the distinct non-zero changes' signs times mid-ranks, and multiplicities.

    Zeros that are split add the same to either side, and so nothing to the difference. Changes are rounded to 1e-10 of the largest, so that ties are ties.
    """
    grain = 1e-10 * np.abs(changes).max(initial=0.0)
    rounded = np.rint(changes / grain) * grain if grain > 0 else changes
    size, place = np.unique(np.abs(rounded), return_inverse=True)
    counted = np.bincount(place, weights, len(size))
    if len(size) and size[0] == 0 and zeros == "wilcox":
        counted[0] = 0
    ranks = np.cumsum(counted) - (counted - 1) / 2
    apart = (rounded != 0) & (weights > 0)
    return np.sign(rounded[apart]) * ranks[place[apart]], weights[apart]


@test(
    "wilcoxon",
    fits="means; grouped: on group means",
    reference="Wilcoxon 1945; Pratt 1959; ties: Hothorn and Hornik 2002",
    assumes="If the systems were equally good, the differences per {unit} would be spread symmetrically around 0.",
    choices={"zeros": ZEROS},
    needs_many=True,
    takes_groups=True,
)
class Wilcoxon(MeanTest):
    """Wilcoxon's signed ranks, exact with ties up to 500 differing units, then normal with the tie variance."""

    zeros: str = "wilcox"

    def procedure_of(self, grouped: bool) -> Phrase:
        """Return which test it is."""
        zeros = ZEROS[self.zeros]
        means = " on the means of groups" if grouped else ""
        return said(f"Wilcoxon's signed-rank test{means}, {zeros.text}", *zeros.works)

    def exact_words(self) -> str:
        """Return what an exact p-value of it is."""
        return "The p-value is exact, from the law of the signed ranks with their ties"

    def cautions(self, tally: AnyTally) -> tuple[str, ...]:
        """Say that groups enter by their means."""
        note = "wilcoxon: it acts on the mean of each group, so that every group weighs the same"
        return (note,) if tally.grouped else ()

    def measure(self, tally: AnyTally, batch: Ints, alternative: str, streams: Streams) -> Evidence:
        """Return the evidence; the statistic is the rank sum of b's wins minus that of its losses."""
        sums, p, exact = map(np.array, zip(*(self._one(tally, row, alternative) for row in batch), strict=True))
        return Evidence(p=p, statistic=sums, leaning=sums, method="exact" if exact.all() else "asymptotic")

    def _ranks(self, tally: AnyTally, row: Ints) -> tuple[Floats, Ints]:
        """Return the signed ranks of the units' mean differences, and how often each occurs."""
        means = Means.of(tally)
        inside = means.weight > 0
        return signed_ranks(means.change[inside] / means.weight[inside], row[inside], self.zeros)

    def smallest(self, apart: int, alternative: str, method: str) -> float:
        """Return the chance that one side has every rank."""
        return half_power(apart, alternative) if method == "exact" else 0.0

    def luck(self, tally: AnyTally, alternative: str, streams: Streams) -> Luck | None:
        """Return the law of the signed rank sum: it is no function of the difference."""
        ranks, sizes = self._ranks(tally, tally.multiplicities)
        observed = float(ranks @ sizes)
        if sizes.sum() > EXACT:
            return curve(observed, float(np.sqrt(sizes @ ranks**2)), alternative, scale="ranks")
        if not sizes.sum():
            return None
        drawn = sign_sums(np.abs(ranks)[:, None], sizes, DRAWS, streams.child(SWAP))[:, 0]
        counted = reached(drawn, observed, 1e-9, alternative).astype(np.float64)
        return Luck(drawn, np.full(DRAWS, 1 / DRAWS), counted, observed, observed, scale="ranks", how="drawn")

    def _one(self, tally: AnyTally, row: Ints, alternative: str) -> tuple[float, float, bool]:
        """Return the rank sum, its p-value, and whether that is exact."""
        ranks, sizes = self._ranks(tally, row)
        statistic = float(ranks @ sizes)
        if sizes.sum() <= EXACT:
            magnitude, place = np.unique(np.abs(ranks), return_inverse=True)
            together = np.bincount(place, sizes, len(magnitude)).astype(np.int64)
            aim = toward(statistic, alternative) - 1e-9
            beyond = Sums(magnitude, together).upper(aim) if len(magnitude) else 1.0
            if beyond is not None and alternative == "two-sided":
                beyond = min(1.0, 2 * beyond) if statistic else 1.0
            if beyond is not None:
                return statistic, beyond, True
        error = np.sqrt(sizes @ ranks**2)
        return statistic, float(normal_p(ratio(statistic, error), error, alternative)), False
