"""The randomization test: exchange the systems' responses unit by unit; exact whenever possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.errors import OptionError
from referee.results.comparison import Interval
from referee.results.test_info import Cited, Phrase, said
from referee.runtime.randomness import Streams
from referee.significance.base import Evidence, Test, half_power, row_by_row, test
from referee.significance.laws.binomial_grid import TINIEST
from referee.significance.laws.exchange import Exchanges, Shift, reached
from referee.significance.laws.resample import SWAP
from referee.significance.laws.swap import Law
from referee.significance.null_distribution import Luck, fewer, listed
from referee.significance.rank_tally import AnyTally, RankTally, differing
from referee.significance.tally import Tally

METHODS = ("auto", "exact", "monte-carlo", "yeh")
YEH = 2**20
EQUALLY_GOOD = "Where there are many {units}, the systems need not be alike but only equally good, since each difference is divided by its own standard error."
ONE_SCALE = "The scores of both systems are on the same scale, so that they can be exchanged."


@test(
    "randomization",
    fits="every metric; grouped: whole groups are exchanged",
    reference="Yeh 2000, section 3.3; Noreen 1989; studentized: Chung and Romano 2013, Konietschke and Pauly 2014",
    assumes="If the systems were alike, the responses to each {unit} could just as well have come from the other system.",
    choices={"method": METHODS},
    needs_many=True,
    takes_groups=True,
    draws=True,
)
class Randomization(Test):
    """Exchanges A's and B's responses on each unit with probability 1/2 and counts how often the difference is at least as large."""

    studentized: bool = False
    method: str = "auto"
    trials: int = 9999

    drawn_words: ClassVar[Phrase] = said(" as (hits + 1)/(draws + 1)", "phipson2010")

    def procedure_of(self, grouped: bool) -> Phrase:
        """Return which test it is."""
        what = "to all examples of a group together" if grouped else "to each example"
        phrase = f"the randomization test, which exchanges the responses of the two systems {what} with probability 1/2"
        plain = said(phrase, "noreen1989", "yeh2000")
        divided = Cited(", each difference divided by its own standard error", ("chung2013", "konietschke2014"))
        return (*plain, divided) if self.studentized else plain

    def premises(self, grouped: bool, task: str) -> tuple[str, ...]:
        """Return what it takes for granted: less where it is studentized, more where scores are exchanged."""
        premises = super().premises(grouped, task)
        if self.studentized:
            premises += (EQUALLY_GOOD.format(units="groups" if grouped else "examples"),)
        return (*premises, ONE_SCALE) if task == "ranking" else premises

    def exact_words(self) -> str:
        """Return what an exact p-value of it is."""
        return (
            "The p-value is exact: it sums the probabilities of all exchanges whose difference is at least as extreme"
        )

    def draw_count(self) -> int:
        """Return how many draws it takes."""
        return YEH if self.method == "yeh" else self.trials

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        reason = "a studentized form exists for metrics of totals only; use randomization without it"
        return reason if self.studentized and isinstance(tally, RankTally) else None

    def cautions(self, tally: AnyTally) -> tuple[str, ...]:
        """Warn of ratios under the plain law, of scores on different scales, and of few groups."""
        if isinstance(tally, RankTally):
            return ("exchanging scores makes sense only if both systems score on the same scale",)
        # Win rates over two orders are ratios whose parts are exchanged whole: nothing else is asked than who wins.
        if self.studentized or tally.bound.formula.fixed or tally.metric.task == "preferences":
            return ()
        plain = f"the plain randomization test of {tally.metric} also reacts to how many answers each system gives"
        return (f"{plain}; studentized=true does not",)

    def smallest(self, apart: int, alternative: str, method: str) -> float:
        """Return the smallest p of so many exchanges, and of so many draws."""
        # Each draw stands for its mirror image too, so one-sided there are twice as many.
        sides = 1 if alternative == "two-sided" or self.method == "yeh" else 2
        drawn = 1 / (sides * (self.draw_count() + 1)) if method == "monte-carlo" else 0.0
        return max(drawn, half_power(apart, alternative))

    def interval_of(self, tally: AnyTally, level: float, streams: Streams) -> Interval | None:
        """Return the differences that the exchanges do not rule out: those whose two-sided p-value exceeds 1 - level.

        For a mean the units' differences are taken less the difference in question and exchanged; for other metrics, and
        studentized ones, the law of no difference is that of d - δ, or of its t (laws.exchange.Shift). It is summed or drawn as for the
        p-value, so the interval at 1 - alpha leaves out 0 exactly where the two-sided p is at most alpha, and the one at
        1 - 2 alpha lies on one side of 0 exactly where the p of that side is. Sampled by method=yeh the two sides are drawn
        each by itself, as in the paper, and near alpha only the two-sided p is sure to agree.
        """
        law = self._law(tally, tally.multiplicities, streams)
        if law.still:
            return Interval(low=0.0, high=0.0, level=level, method="randomization")
        reach = law.reach(1 - level)
        low, high = law.shift.ends(reach)
        if reach >= abs(law.value):
            low, high = min(low, 0.0), max(high, 0.0)
        elif low <= 0.0 <= high:  # by rounding alone
            low, high = (np.nextafter(0.0, 1.0), high) if law.value > 0 else (low, np.nextafter(0.0, -1.0))
        if tally.range is None and not np.isfinite([low, high]).all():
            return None
        return Interval(low=float(low), high=float(high), level=level, method="randomization")

    def p_at(self, tally: AnyTally, null: float, alternative: str, streams: Streams) -> float | None:
        """Return the p-value of "b - a equals null" against an alternative, by the law that makes the interval."""
        law = self._law(tally, tally.multiplicities, streams)
        if law.still:
            return 1.0 if null == 0 else None
        p = law.p(law.value if null == 0 else float(law.shift.at(null)[0]), alternative)[0]
        return max(p, TINIEST)

    def measure(self, tally: AnyTally, batch: Ints, alternative: str, streams: Streams) -> Evidence:
        """Return the evidence."""
        return row_by_row(batch, streams, lambda row, own: self._one(tally, row, alternative, own))

    def decide(self, tally: AnyTally, batch: Ints, alphas: Sequence[float], alternative: str, streams: Streams) -> Mask:
        """Say for each row and alpha whether the test rejects.

        Exactly where that is quick; laws of more than two kinds of units, and very fine ones, by `trials` draws, which
        stop early.
        """
        exchanges = Exchanges(tally, batch, self.studentized)
        return self._rejected(exchanges, exchanges.value, alphas, alternative, streams)

    def covers(self, tally: AnyTally, batch: Ints, value: float, levels: Sequence[float], streams: Streams) -> Floats:
        """Say for each row and level whether the interval holds the value."""
        exchanges = Exchanges(tally, batch, self.studentized)
        shift = Shift.of(tally, batch, self.studentized)
        seen = exchanges.value if value == 0 else shift.at(value)
        out = self._rejected(exchanges, seen, [1 - level for level in levels], "two-sided", streams)
        held = np.where(exchanges.still[:, None], value == 0, ~out).astype(np.float64)
        # Units that all say the same leave an interval without a width, or rule nothing out.
        flat = shift.flat(2 * tally.tolerance(tally.scores(batch))) & ~exchanges.still
        return np.where(flat[:, None] & out, np.nan, held)

    def _rejected(
        self, exchanges: Exchanges, value: Floats, alphas: Sequence[float], alternative: str, streams: Streams
    ) -> Mask:
        """Say for each row and alpha whether a value on its law is rejected."""
        p = np.where(exchanges.still, 1.0, np.nan)
        if exchanges.law is not None and self.method != "monte-carlo":
            rows = np.flatnonzero(np.isnan(p))
            p[rows] = exchanges.exact(rows, value[rows], alternative)
        # Exact probabilities are sums of floats: one that equals alpha on paper must not miss it by rounding.
        found = p[:, None] <= np.asarray(alphas)[None, :] * (1 + 1e-9)
        rest = np.flatnonzero(np.isnan(p))
        if not len(rest):
            return found
        own = [streams.child(int(row)) for row in rest]
        if alternative == "two-sided":
            found[rest] = exchanges.settled(rest, value[rest], alphas, self.trials, own)
            return found
        # One-sided p is half of the two-sided one on its own side, and more than a half on the other.
        ahead = value[rest] * (1 if alternative == "greater" else -1) > exchanges.tie[rest]
        twice = [min(2 * alpha, 1.0) for alpha in alphas]
        found[rest] = exchanges.settled(rest, value[rest], twice, self.trials, own) & ahead[:, None]
        for place, alpha in enumerate(alphas):
            if alpha > 0.5:
                for row, source in zip(rest, own, strict=True):
                    law = self._law(exchanges.tally, exchanges.batch[row], source)
                    found[row, place] = law.p(float(value[row]), alternative)[0] <= alpha
        return found

    def luck(self, tally: AnyTally, alternative: str, streams: Streams) -> Luck | None:
        """Return the law of the exchanges, studentized ones times the observed standard error."""
        law = Law.of(tally, tally.multiplicities, self.studentized)
        if law.still or not np.isfinite(law.value):
            return None
        found, how = listed(law.law), "exact"
        if found is None:
            drawn, how = law.law.draws(fewer(self.trials, law.width), streams.child(SWAP)), "drawn"
            drawn = np.concatenate([drawn, -drawn]) if self.method != "yeh" else drawn
            found = drawn, np.full(len(drawn), 1 / len(drawn))
        counted = reached(found[0], law.value, law.tolerance, alternative).astype(np.float64)
        size, scale = 1.0, "difference"
        if isinstance(tally, Tally) and self.studentized:
            size, scale = float(tally.standard_errors(tally.multiplicities)), "studentized"
        value = law.value * size
        return Luck(found[0] * size, found[1], counted, value, value, scale=scale, how=how)

    def _law(self, tally: AnyTally, row: Ints, streams: Streams) -> Law:
        """Return the law of one row: exact, or the draws that stand for it; parts of one answer share it."""
        key = ("exchanges", str(self), streams.key)
        own = np.array_equal(row, tally.multiplicities)
        known = tally.memory.get(key) if own else None
        if isinstance(known, Law):
            return known
        law, wanted = Law.of(tally, row, self.studentized), self.method
        if wanted == "yeh":
            wanted = "exact" if int(row @ differing(tally)) <= 20 else "monte-carlo"
        if not law.still and (wanted == "monte-carlo" or law.exact(law.value, "two-sided") is None):
            if wanted == "exact":
                unreachable = "randomization:method=exact is out of reach on these data"
                remedy = "use randomization:method=auto or monte-carlo"
                raise OptionError(unreachable, argument="test", value=str(self), remedy=remedy)
            drawn = law.law.draws(self.draw_count(), streams.child(SWAP))
            law = replace(law, drawn=drawn, paired=self.method != "yeh")
        if own:
            tally.memory[key] = law
        return law

    def _one(self, tally: AnyTally, row: Ints, alternative: str, streams: Streams) -> Evidence:
        law = self._law(tally, row, streams)
        if law.still:
            return Evidence(p=np.ones(1), statistic=np.zeros(1), method="exact")
        p, error = law.p(law.value, alternative)
        method, errors = ("exact", None) if error is None else ("monte-carlo", np.array([error]))
        return Evidence(np.array([p]), np.array([law.value]), method, errors)
