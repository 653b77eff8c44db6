"""The Bayesian test: how probable it is, after these data, that either system is better, from draws of the shares of outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.errors import refusal
from referee.registry import number_of
from referee.results.comparison import Interval
from referee.results.posterior import Kind, Posterior
from referee.results.test_info import Phrase, said
from referee.runtime.randomness import Streams
from referee.significance.base import Evidence, Test, of_row, row_by_row, test
from referee.significance.laws.dirichlet import POSTERIOR, Support, is_known, posterior, settle_posterior, varies
from referee.significance.laws.resample import COVERING, Resamples, allowed_hits
from referee.significance.null_distribution import Luck
from referee.significance.rank_tally import AnyTally, differing

DRAWS = 9999
PRIOR = 4.0
FEW = 20
"""The Bayesian bootstrap of fewer units says less than it should of how much scores vary."""
LEAST_PRIOR = 0.01
NOTHING = "a single unit shows nothing of how units vary, so the difference has no posterior"
ALIKE = (
    "the difference is the same however the {}s are weighted, which shows nothing of how much it varies: the Bayesian bootstrap "
    "gives no interval and no verdict"
)


class PosteriorTest(Test):
    """The common part of tests that draw the difference from a posterior.

    What takes the place of p is twice the smaller tail beyond the null, so that it is at most alpha exactly where the
    equal-tailed credible interval at 1 - alpha leaves the null out.
    """

    draws: int
    drawn_words: ClassVar[Phrase] = said(" from the posterior, as (hits + 1)/(draws + 1)")
    one_law: ClassVar[bool] = True
    posterior: ClassVar[bool] = True

    def drawn(self, tally: AnyTally, streams: Streams) -> Resamples | None:
        """Return draws of both scores; None where the data have no posterior."""
        raise NotImplementedError

    def basis(self, tally: AnyTally) -> tuple[Kind, float | None]:
        """Return what has shares that are drawn, and as how many examples its prior weighs."""
        raise NotImplementedError

    def smallest(self, apart: int, alternative: str, method: str) -> float:
        """Return the smallest tail of so many draws."""
        return (2 if alternative == "two-sided" else 1) / (self.draws + 1)

    def measure(self, tally: AnyTally, batch: Ints, alternative: str, streams: Streams) -> Evidence:
        """Return the evidence."""
        return row_by_row(batch, streams, lambda row, own: self._one(of_row(tally, row), alternative, own))

    def _one(self, tally: AnyTally, alternative: str, streams: Streams) -> Evidence:
        made = self.drawn(tally, streams)
        if made is None:
            unknown = np.array([np.nan])
            note = NOTHING if tally.units == 1 else ALIKE.format("group" if tally.grouped else "example")
            return Evidence(unknown, None, "monte-carlo", unknown, notes=(note,) if are_apart(tally) else ())
        d = made.differences
        p = tails(d, 0.0)[alternative]
        error = np.array([np.sqrt(max(p * (1 - p), 0.0) / self.draws)])
        share = float((d > 0).mean() + (d == 0).mean() / 2)
        return Evidence(np.array([p]), None, "monte-carlo", error, made.undefined, probability=share)

    def p_at(self, tally: AnyTally, null: float, alternative: str, streams: Streams) -> float | None:
        """Return the tail beyond "b - a equals null", from the same draws; None where it is unknown."""
        made = self.drawn(tally, streams)
        return None if made is None else tails(made.differences, null)[alternative]

    def interval_of(self, tally: AnyTally, level: float, streams: Streams) -> Interval | None:
        """Return the equal-tailed credible interval."""
        made = self.drawn(tally, streams)
        return None if made is None else credible(made.differences, level)

    def posterior_of(
        self, tally: AnyTally, flipped: bool, margin: float | None, up: bool, streams: Streams
    ) -> Posterior | None:
        """Return what is believed of the difference; None where the data have no posterior.

        Args:
            tally: the units.
            flipped: whether A and B were exchanged for it.
            margin: the margin, if there is one.
            up: whether a higher score is better.
            streams: the source of randomness.
        """
        made = self.drawn(tally, streams)
        if made is None:
            return None
        gain = made.differences if up != flipped else -made.differences
        kind, prior = self.basis(tally)
        return Posterior(
            probability_b_better=float((gain > 0).mean()),
            probability_a_better=float((gain < 0).mean()),
            probability_within_margin=None if margin is None else float((np.abs(gain) < margin).mean()),
            probability_no_worse=None if margin is None else float((gain > -margin).mean()),
            expected_loss_a=float(np.maximum(gain, 0.0).mean()),
            expected_loss_b=float(np.maximum(-gain, 0.0).mean()),
            prior=prior,
            kind=kind,
            draws=self.draws,
        )

    def luck(self, tally: AnyTally, alternative: str, streams: Streams) -> Luck | None:
        """Return nothing: a posterior is not what luck alone would give."""
        return None

    def density(self, tally: AnyTally, streams: Streams) -> Luck | None:
        """Return the posterior of the difference for a picture; what is counted is below 0."""
        made = self.drawn(tally, streams)
        if made is None:
            return None
        d = made.differences
        return Luck(d, np.full(len(d), 1 / len(d)), (d < 0).astype(np.float64), float(np.median(d)), 0.0, redrawn=True)


@test(
    "bayes",
    fits="every metric; grouped: the Bayesian bootstrap of whole groups",
    reference="Gelman, Carlin, Stern, Dunson, Vehtari and Rubin 2013; Rubin 1981",
    assumes="Nothing was known beforehand but the prior, in which all classes of the truth are equally frequent, and so are examples on which both systems are right, one alone, or neither.",
    takes_groups=True,
    takes_weights=True,
    takes_samples=True,
    draws=True,
)
class Bayes(PosteriorTest):
    """Dirichlet posterior of the joint outcomes: the probability that B is better, and a credible interval."""

    prior: float = PRIOR
    """As how many examples the prior weighs in all."""
    draws: int = DRAWS

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        check_prior(self.name, self.prior)

    def procedure_of(self, grouped: bool) -> Phrase:
        """Return which test it is."""
        if grouped:
            return said("the Bayesian test (the Bayesian bootstrap of whole groups)", "rubin1981")
        worth = f"a Dirichlet prior worth {self.prior:.4g} example{'' if self.prior == 1 else 's'}"
        phrase = f"the Bayesian test ({worth} if all outcomes are known, and else the Bayesian bootstrap)"
        return said(phrase, "gelman2013", "rubin1981")

    def premises(self, grouped: bool, task: str) -> tuple[str, ...]:
        """Return what it takes for granted."""
        if grouped:
            return ("Nothing can happen but what some group of examples shows, so there must be enough groups.",)
        return (self.assumes,)

    def misfit(self, tally: AnyTally) -> str | None:
        """Return None: it fits every metric."""
        return None

    def basis(self, tally: AnyTally) -> tuple[Kind, float | None]:
        """Return what has shares that are drawn, and as how many examples its prior weighs."""
        kind = Support.of(tally, self.prior).kind
        return kind, self.prior if kind == "outcomes" else None

    def drawn(self, tally: AnyTally, streams: Streams) -> Resamples | None:
        """Return draws of both scores; None without a prior where units show no spread, and where no draw has a score."""
        own = tally.multiplicities[None, :]
        if not self._tells(tally, own)[0] and (tally.units == 1 or are_apart(tally)):
            return None
        made = posterior(tally, self.prior, self.draws, streams.child(POSTERIOR))
        return made if made.undefined < 1 or tally.metric.by_class else None

    def cautions(self, tally: AnyTally) -> tuple[str, ...]:
        """Warn of a prior that weighs much, of one without effect, and of few units without one."""
        if is_known(tally):
            if self.prior < 1:
                return (f"the prior weighs as much as {self.prior:g} examples, so that a single example can decide",)
            if self.prior * 4 <= tally.units:
                return ()
            return (f"the prior weighs as much as {self.prior:g} examples, and there are only {tally.units}",)
        what = "groups" if tally.grouped else "examples"
        unused = f"bayes:prior={self.prior:g} has no effect here: the Bayesian bootstrap of {what} has no prior"
        few = f"from only {tally.units} examples the Bayesian bootstrap is too sure of itself"
        is_few = 1 < tally.units < FEW and not tally.grouped
        return (*([unused] if self.prior != PRIOR else []), *([few] if is_few else []))

    def decide(self, tally: AnyTally, batch: Ints, alphas: Sequence[float], alternative: str, streams: Streams) -> Mask:
        """Say for each row and alpha whether the interval leaves out 0, drawing no more than that needs."""
        tails = 2 if alternative == "two-sided" else 1
        allowed = [allowed_hits(alpha, self.draws, tails) for alpha in alphas]
        few = self._settled(tally, batch, 0.0, self.draws, allowed, streams)
        rejected = np.asarray(few.any(axis=1) if tails == 2 else few[:, 0 if alternative == "greater" else 1])
        apart = (batch @ differing(tally).astype(np.int64)) > 0
        return np.asarray(rejected & (apart & self._tells(tally, batch))[:, None])

    def covers(self, tally: AnyTally, batch: Ints, value: float, levels: Sequence[float], streams: Streams) -> Floats:
        """Say for each row and level whether the interval holds the value; an interval of fewer draws, which is as good on average."""
        allowed = [allowed_hits(1 - level, COVERING, 2) for level in levels]
        beyond = self._settled(tally, batch, value, COVERING, allowed, streams).any(axis=1)
        return np.where(self._tells(tally, batch)[:, None], ~beyond, np.nan)

    def _settled(
        self, tally: AnyTally, batch: Ints, value: float, total: int, allowed: Sequence[int], streams: Streams
    ) -> Mask:
        rows = [streams] if len(batch) == 1 else [streams.child(row) for row in range(len(batch))]
        own = [one.child(POSTERIOR) for one in rows]
        return settle_posterior(tally, batch, self.prior, value, total, allowed, own)

    def _tells(self, tally: AnyTally, batch: Ints) -> Mask:
        """Say which rows have a posterior."""
        return np.full(len(batch), True) if is_known(tally) else varies(tally, batch)


def are_apart(tally: AnyTally) -> bool:
    """Say whether the systems differ on any unit."""
    return bool((differing(tally) & (tally.multiplicities > 0)).any())


def check_prior(name: str, prior: float) -> None:
    """Raise unless a prior is a number that weighs at least a hundredth of an example."""
    if not number_of("test", prior, f"{name}:prior") >= LEAST_PRIOR:
        raise refusal("test", f"must be at least {LEAST_PRIOR:g}", prior, f"{name}:prior")


def tails(drawn: Floats, null: float) -> dict[str, float]:
    """Return the share of draws on the other side of a value, for each alternative; what ties counts for both sides."""
    greater, less = ((int(hits.sum()) + 1) / (len(hits) + 1) for hits in (drawn <= null, drawn >= null))
    return {"two-sided": min(1.0, 2 * min(greater, less)), "greater": greater, "less": less}


def credible(drawn: Floats, level: float) -> Interval:
    """Return the equal-tailed interval: from the k-th lowest draw to the k-th highest, k of R as (k)/(R + 1) is the tail."""
    ordered = np.sort(drawn)
    place = max(1, int(np.floor((len(ordered) + 1) * (1 - level) / 2 + 1e-7)))
    low, high = float(ordered[place - 1]), float(ordered[len(ordered) - place])
    return Interval(low=low, high=high, level=level, method="credible")
