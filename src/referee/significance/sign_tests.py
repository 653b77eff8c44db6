"""Tests that count wins and losses: McNemar's with its clustered forms by author, the sign test, and Wilcoxon's signed ranks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from referee.data.columns import Floats, Ints
from referee.results.comparison import Interval
from referee.results.test_info import Cited, Phrase, said
from referee.runtime.randomness import Streams
from referee.significance import intervals
from referee.significance.base import Evidence, MeanTest, half_power, test
from referee.significance.distributions import half_at_least, half_equal, normal_p, ratio, toward
from referee.significance.laws.exchange import reached
from referee.significance.laws.resample import SWAP
from referee.significance.laws.signed_sums import Sums, sign_sums
from referee.significance.null_distribution import DRAWS, Luck, curve, of_halves
from referee.significance.rank_tally import AnyTally, Means


class Form(NamedTuple):
    """A form for groups: the root of its χ², whose it is, where that comes from, and what it takes for granted."""

    root: Callable[[Means, Ints], Floats]
    whose: str
    work: str
    assumes: str


def _finite(groups: Floats) -> Floats:
    """Return G/(G − 1), for one group as for two: it then has no more to say than its own size."""
    return np.maximum(groups, 2) / np.maximum(groups - 1, 1)


def obuchowski(means: Means, batch: Ints) -> Floats:
    """Return the root of Obuchowski's χ² (1998): Σd over the groups against its variance G/(G−1)·Σd²."""
    squares = batch @ means.change**2
    return ratio(batch @ means.change, np.sqrt(_finite(batch.sum(axis=1).astype(np.float64)) * squares))


def durkalski(means: Means, batch: Ints) -> Floats:
    """Return the root of Durkalski's χ² (2003): every group weighs the same, whatever its size."""
    share = means.change / np.maximum(means.weight, 1e-300)
    return ratio(batch @ share, np.sqrt(batch @ share**2))


def yang(means: Means, batch: Ints) -> Floats:
    """Return the root of Yang's χ² (2010): Obuchowski's, its Σd² averaged with that of the distances from the mean."""
    total = batch @ means.change
    mean = total / np.maximum(batch @ means.weight, 1e-300)
    apart = (batch * (means.change - mean[:, None] * means.weight) ** 2).sum(axis=1)
    squares = (batch @ means.change**2 + apart) / 2
    return ratio(total, np.sqrt(_finite(batch.sum(axis=1).astype(np.float64)) * squares))


def eliasziw(means: Means, batch: Ints) -> Floats:
    """Return the root of Eliasziw and Donner's χ² (1991): McNemar's, deflated by an intraclass correlation.

    The correlation is an analysis of variance over the four cells of a group, turned into one between discordant pairs.
    """
    weights, size = batch.astype(np.float64), means.weight
    cells = np.stack([means.both, means.a - means.both, means.b - means.both, size - means.a - means.b + means.both])
    groups, n = weights.sum(axis=1), weights @ size
    with np.errstate(divide="ignore", invalid="ignore"):
        share, mean = weights @ cells.T / n[:, None], n / groups
        apart = (cells - size * share[:, :, None]) ** 2 / size
        between = (weights[:, None, :] * apart).sum(axis=(1, 2)) / groups
        within = (weights @ (cells * (size - cells) / size).sum(axis=0)) / (groups * (mean - 1))
        typical = _typical_size(weights, size, np.ones(len(size), dtype=np.bool_))[1]
        overall = (between - within) / (between + (typical - 1) * within)
        rho = overall / (overall + (share[:, 1] + share[:, 2]) * (1 - overall))
        split = cells[1] + cells[2]
        mean_split, typical_split = _typical_size(weights, split, split > 0)
        some = weights @ (split > 0)
        factor = 1 + (typical_split + some * (mean_split - typical_split) - 1) * rho
        error = np.sqrt(weights @ split * np.where(split.max(initial=0.0) <= 1, 1.0, factor))
    return np.where(weights @ split == 0, 0.0, ratio(weights @ means.change, np.where(np.isfinite(error), error, 0.0)))


def _typical_size(weights: Floats, sizes: Floats, which: Floats) -> tuple[Floats, Floats]:
    """Return the mean size of some groups, and that mean less the spread of the sizes (ANOVA's n₀)."""
    count = weights @ which
    mean = weights @ (sizes * which) / count
    spread = (weights * which * (sizes - mean[:, None]) ** 2).sum(axis=1)
    return mean, mean - spread / (count * (count - 1) * mean)


VARIANTS = {
    "midp": said("McNemar's test in its mid-p form", "mcnemar1947", "fagerland2013"),
    "exact": said("McNemar's test in its exact form", "mcnemar1947"),
    "corrected": said("McNemar's chi-squared test with continuity correction", "mcnemar1947"),
    "uncorrected": said("McNemar's chi-squared test without continuity correction", "mcnemar1947"),
}
BINOMIAL = "The p-value is exact, from the binomial distribution"
EQUALLY_GOOD = "If the systems were equally good, they would be right on"
EQUALLY_MANY = f"{EQUALLY_GOOD} equally many examples of a group, averaged over all groups"
EQUAL_SHARES = f"{EQUALLY_GOOD} the same share of the examples of a group, averaged over all groups, each of which counts the same whatever its size."
ALIKE = f"{EQUALLY_MANY}; the examples are correlated alike in all groups."
FORMS: dict[str, Form] = {
    "obuchowski": Form(obuchowski, "Obuchowski's", "obuchowski1998", f"{EQUALLY_MANY}."),
    "durkalski": Form(durkalski, "Durkalski's", "durkalski2003", EQUAL_SHARES),
    "eliasziw": Form(eliasziw, "Eliasziw and Donner's", "eliasziw1991", ALIKE),
    "yang": Form(yang, "Yang's", "yang2010", f"{EQUALLY_MANY}."),
}


def mid_p(up: Floats, down: Floats, alternative: str) -> Floats:
    """Return the mid-p of up against down discordant units; 1 where there is none.

    >>> float(mid_p(np.array([7.0]), np.array([1.0]), "two-sided")[0])
    0.0390625
    """
    n, most = up + down, np.maximum(up, down)
    if alternative == "two-sided":
        p = np.where(up == down, 1 - half_equal(most, n) / 2, 2 * half_at_least(most + 1, n) + half_equal(most, n))
    else:
        k = up if alternative == "greater" else down
        p = half_at_least(k + 1, n) + half_equal(k, n) / 2
    return np.where(n == 0, 1.0, np.minimum(p, 1.0))


def binomial_p(up: Floats, down: Floats, alternative: str) -> Floats:
    """Return the exact binomial p of up against down; 1 where there is none."""
    n = up + down
    if alternative == "two-sided":
        return np.where(up == down, 1.0, np.minimum(1.0, 2 * half_at_least(np.maximum(up, down), n)))
    return np.where(n == 0, 1.0, half_at_least(up if alternative == "greater" else down, n))


@test(
    "mcnemar",
    fits="means of 0/1 (accuracy, error, recall, specificity); grouped in its clustered forms",
    reference="McNemar 1947; mid-p: Fagerland, Lydersen and Laake 2013; interval: Tango 1998; groups: Obuchowski 1998",
    assumes="If the systems were equally good, either would be equally likely to be the one that is right on an example that only one gets right.",
    needs_many=True,
    takes_groups=True,
    signed=False,
    binary=True,
    choices={"variant": VARIANTS, "interval": (*intervals.PAIRED, "newcombe"), "clustered": FORMS},
)
class McNemar(MeanTest):
    """Compares how often only A and only B are right."""

    variant: str = "midp"
    interval: str = "tango"
    clustered: str = "obuchowski"

    def procedure_of(self, grouped: bool) -> Phrase:
        """Return which test it is, by its variant or its form for groups."""
        form = FORMS[self.clustered]
        clustered = said(f"McNemar's test in {form.whose} form for clustered pairs", "mcnemar1947", form.work)
        return clustered if grouped else VARIANTS[self.variant]

    def premises(self, grouped: bool, task: str) -> tuple[str, ...]:
        """Return what it takes for granted; its forms for groups do so each for itself."""
        return (FORMS[self.clustered].assumes,) if grouped else super().premises(grouped, task)

    def allows_any_dependence(self, grouped: bool) -> bool:
        """Say whether the examples of a group may depend on each other in any way."""
        return not grouped or self.clustered != "eliasziw"

    def exact_words(self) -> str:
        """Return what an exact p-value of it is."""
        return "The p-value is the mid-p of the binomial distribution" if self.variant == "midp" else BINOMIAL

    def cautions(self, tally: AnyTally) -> tuple[str, ...]:
        """Return the warnings of the variant."""
        if tally.grouped or self.variant not in ("exact", "corrected"):
            return ()
        return (f"the {self.variant} form of McNemar's test has fewer false alarms than alpha; mid-p comes closer",)

    def measure(self, tally: AnyTally, batch: Ints, alternative: str, streams: Streams) -> Evidence:
        """Return the evidence."""
        means = Means.of(tally)
        if tally.grouped:
            z = FORMS[self.clustered].root(means, batch)
            return Evidence(p=normal_p(z, np.ones_like(z), alternative), statistic=z**2, leaning=z)
        up, down, _ = means.counts(batch)
        if self.variant in ("midp", "exact"):
            p = (mid_p if self.variant == "midp" else binomial_p)(up, down, alternative)
            return Evidence(p=p, method="exact", mid=self.variant == "midp")
        root = np.sqrt(up + down)
        z = ratio(up - down - self._shift(up - down, alternative) * (root > 0), root)
        return Evidence(p=normal_p(z, root, alternative), statistic=z**2)

    def _shift(self, gap: Any, alternative: str) -> Any:
        """Return by how much the gap between the discordant counts is moved towards 0: the continuity correction."""
        if self.variant != "corrected":
            return 0.0
        return {"greater": 1.0, "less": -1.0}.get(alternative, np.copysign(np.minimum(1.0, np.abs(gap)), gap))

    def smallest(self, apart: int, alternative: str, method: str) -> float:
        """Return the chance that one system alone is right on every unit, by half for the mid-p."""
        return half_power(apart, alternative) / (2 if self.variant == "midp" else 1) if method == "exact" else 0.0

    def luck(self, tally: AnyTally, alternative: str, streams: Streams) -> Luck | None:
        """Return the law of a fair coin for each unit that one system alone gets right; by a curve where p is."""
        means, own = Means.of(tally), tally.multiplicities[None, :]
        if tally.grouped:
            if self.clustered != "durkalski":
                return super().luck(tally, alternative, streams)
            # Its groups weigh the same whatever their size: the statistic is no function of the difference.
            return curve(float(durkalski(means, own)[0]), 1.0, alternative, scale="z")
        up, down, n = (float(part[0]) for part in means.counts(own))
        if self.variant in ("midp", "exact"):
            return of_halves(up, down, 1 / max(n, 1.0), alternative, mid=self.variant == "midp", scale="difference")
        gap, n = up - down, max(n, 1.0)
        edge = float(gap - self._shift(gap, alternative)) / n
        return curve(gap / n, (up + down) ** 0.5 / n, alternative, edge=edge)

    def interval_of(self, tally: AnyTally, level: float, streams: Streams) -> Interval | None:
        """Return Tango's interval; with groups, Obuchowski's variance and t on G − 1 degrees of freedom."""
        means, own = Means.of(tally), tally.multiplicities[None, :]
        if tally.grouped:
            a, b = means.scores(own)
            estimate, error, df = (float(part[0]) for part in (b - a, *means.error(own, means.change)))
            return intervals.student(estimate, error, df, level, "obuchowski-t")
        up, down, n = (float(part[0]) for part in means.counts(own))
        if self.interval == "newcombe":
            return intervals.newcombe(up, down, n, level, float((own @ ((means.a > 0) & (means.b > 0)))[0]))
        return intervals.PAIRED[self.interval](up, down, n, level)


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


def signed_rank_p(ranks: Floats, sizes: Ints, alternative: str = "two-sided") -> tuple[float, float, bool]:
    """Return the sum of signed ranks, each of which occurs so often, its p-value, and whether that is exact."""
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
        note = "Wilcoxon's test takes the mean of each group, so every group weighs the same"
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
        return signed_rank_p(*self._ranks(tally, row), alternative)
