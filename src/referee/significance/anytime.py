"""The anytime test: evidence that may be looked at after every example, and a test that may stop whenever it likes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.errors import Argument, Message, refusal
from referee.metrics.formula import Ratios
from referee.results.comparison import Interval
from referee.results.test_info import Phrase, TestInfo, said
from referee.runtime.randomness import Streams
from referee.significance.base import ENOUGH, Evidence, Test, test
from referee.significance.distributions import z_quantile
from referee.significance.laws.bets import least_mean, log_normal_winnings, log_winnings, normal_bound
from referee.significance.null_distribution import Luck
from referee.significance.rank_tally import AnyTally, Means, differing, mean_misfit
from referee.significance.score_test import Score
from referee.significance.tally import Tally
from referee.significance.test_choice import choose

FARTHEST = 40.0
"""No p-value that a computer holds is further out on the normal curve."""
OFTEN = "however often and whenever one looks"
QUARTER = 4
"""Of the burn-in, a quarter must be units that carry the difference (docs/anytime.md has the worlds that ask for it)."""
KINDS = 8192
"""More kinds of differences than so many are put on a grid of so many cells."""

ASSUMED = "; the exact evidence assumes that no others can occur"


@dataclass(frozen=True, eq=False)
class Differences:
    """The bounded differences of a mean, each kind once: what bets are made on."""

    above: Floats
    """[kind] how far each is above the least that is possible"""
    below: Floats
    """[kind] how far each is below the largest that is possible"""
    starts: Ints
    """[kind] where its units start; on a grid [cell], the kinds being the ends of the cells"""
    upper: Floats | None
    """[unit] on a grid, how much of each unit is at the upper end of its cell; the rest is at the lower"""
    units: Ints
    """The units that the metric is about, those of a kind, or of a cell, beside each other"""
    reach: float
    """How far the least and the largest possible difference are from 0"""

    @classmethod
    def of(cls, tally: AnyTally) -> Differences | None:
        """Return the differences of a tally, or None: groups, weights and strata have no single mean to bet against."""
        if "bets" not in tally.memory:
            tally.memory["bets"] = cls._found(tally)
        found: Differences | None = tally.memory["bets"]
        return found

    @classmethod
    def _found(cls, tally: AnyTally) -> Differences | None:
        if not isinstance(tally, Tally) or tally.uneven or tally.unpaired or tally.range is None:
            return None
        if mean_misfit(tally) is not None or len(np.unique(tally.strata)) > 1:
            return None
        means, reach = Means.of(tally), tally.range[1] - tally.range[0]
        some = np.flatnonzero(means.weight > 0)
        change = means.change[some] / means.weight[some]
        order = np.argsort(change, kind="stable")
        values, starts = np.unique(change[order], return_index=True)
        if len(values) > KINDS:
            return cls(*_on_a_grid(change[order], reach), some[order], reach)
        return cls(values + reach, reach - values, starts, None, some[order], reach)

    def counts(self, batch: Ints) -> Floats:
        """Return [row, kind]: how often each difference occurred."""
        if not len(self.starts):
            return np.zeros((len(batch), 0))
        own = batch[:, self.units]
        every = np.add.reduceat(own, self.starts, axis=1).astype(np.float64)
        if self.upper is None:
            return every
        upper = np.add.reduceat(own * self.upper, self.starts, axis=1)
        return np.stack([np.maximum(every - upper, 0.0), upper], axis=2).reshape(len(batch), -1)

    def log_evidence(self, batch: Ints, null: float) -> tuple[Floats, Floats]:
        """Return for each row the logarithm of the evidence that b - a is above a value, and that it is below."""
        counts, mean, most = self.counts(batch), null + self.reach, 2 * self.reach
        return self._against(counts, self.above, mean), self._against(counts, self.below, most - mean)

    def _against(self, counts: Floats, above: Floats, mean: float) -> Floats:
        """Nothing can be below the least that is possible: whatever is not there speaks against its being the mean."""
        if mean > 0:
            return log_winnings(counts, above, mean)
        return np.where(counts @ (above > 0) > 0, np.inf, 0.0)

    def ends(self, row: Ints, log_target: float) -> tuple[float, float]:
        """Return the ends of the interval: the means that bets have not won so much against."""
        counts, most = self.counts(row[None, :])[0], 2 * self.reach
        low = least_mean(counts, self.above, most, log_target) - self.reach
        return low, self.reach - least_mean(counts, self.below, most, log_target)


def _on_a_grid(change: Floats, reach: float) -> tuple[Floats, Floats, Ints, Floats]:
    """Put each of the differences, in order, partly on the lower and partly on the upper end of its cell, keeping the mean.

    The logarithm of what a bet wins is concave in the difference, so on the ends it is at most what it is inside: evidence never
    gains by it. What it loses is of second order in the width of a cell: below 0.01 for a million examples, at half at risk.
    """
    step = 2 * reach / KINDS
    cell = np.clip(np.floor((change + reach) / step), 0, KINDS - 1)
    cells, starts = np.unique(cell, return_index=True)
    upper = np.clip((change + reach) / step - cell, 0.0, 1.0)
    ends = np.stack([cells, cells + 1], axis=1).ravel() * step
    return ends, 2 * reach - ends, starts, upper


@test(
    "anytime",
    fits="whatever the default tests fit; may be looked at as often as you like while examples arrive",
    reference="Ville 1939; Robbins 1970; Cover 1991; Waudby-Smith and Ramdas 2023; Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024",
    assumes="The {unit}s arrive in an order that has nothing to do with who is better on them.",
    takes_groups=True,
    takes_weights=True,
    takes_crossed=True,
    takes_samples=True,
    draws=True,
)
class Anytime(Test):
    """Holds its false-alarm rate however often one looks: bets on each difference, whose winnings are the evidence."""

    burn_in: int = 20

    one_law: ClassVar[bool] = True
    anytime: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Check the burn-in."""
        if isinstance(self.burn_in, bool) or not isinstance(self.burn_in, int) or self.burn_in < 1:
            raise refusal("test", "must be a whole number, 1 or more", self.burn_in, "anytime:burn_in")

    def procedure_of(self, grouped: bool) -> Phrase:
        """Return which test it is."""
        unit = "group" if grouped else "example"
        bets = f"an anytime-valid test: the evidence is what bets on each {unit} would have won as it arrived"
        return said(bets, "ville1939", "robbins1970", "cover1991", "waudbysmith2023")

    def info(self, grouped: bool = False, task: str = "") -> TestInfo:
        """Return what a result tells of the test: its p-value is a bound, exact or in the limit."""
        units = "groups" if grouped else "examples"
        limit = f"The p-value is anytime-valid: a bound on how often evidence so strong is ever seen, {OFTEN}"
        many = f"{limit}, for many {units}"
        asymptotic = said(many, "waudbysmith2024")
        sources = {
            "exact": said(f"{limit}, which holds at any size"),
            "asymptotic": asymptotic,
            "monte-carlo": asymptotic,
        }
        return replace(super().info(grouped, task), p_from=sources)

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        return choose(tally)[0].misfit(tally)

    def cautions(self, tally: AnyTally) -> tuple[str, ...]:
        """Name what exact evidence takes for granted if nobody declared the range of the scores."""
        if not isinstance(tally, Tally) or tally.metric.range is not None or Differences.of(tally) is None:
            return super().cautions(tally)
        if tally.metric.task == "labels":
            return (f"all values of {tally.metric} so far lie between 0 and 1{ASSUMED}, since it declares no bounds",)
        declared = (
            "; if that is so, declare it with ",
            Argument("metric", "mean:low=0,high=1"),
            ", and if not, their range",
        )
        seen = f"all scores so far are 0 or 1, or means of such{ASSUMED}"
        return (Message(seen, *declared),) if tally.bound.guessed else super().cautions(tally)

    def measure(self, tally: AnyTally, batch: Ints, alternative: str, streams: Streams) -> Evidence:
        """Return the evidence; the statistic is the logarithm of that for B less that for A."""
        bets = Differences.of(tally)
        if bets is not None:
            up, down = bets.log_evidence(batch, 0.0)
            return Evidence(p_of(up, down, alternative), up - down, "exact")
        base, size = choose(tally)[0], Size.of(tally, batch)
        both = [base.evaluate(tally, batch, side, streams) for side in ("greater", "less")]
        up, down = (self._normal(found.p, size, tally) for found in both)
        notes = both[0].notes + self._early(tally, size) if len(batch) == 1 else ()
        p = p_of(up, down, alternative)
        return replace(both[0], p=p, statistic=up - down, error=None, mid=False, notes=notes)

    def _early(self, tally: AnyTally, size: Size) -> tuple[str, ...]:
        """Say that there is no evidence yet, where that is so."""
        if self.begun(tally, size)[0]:
            return ()
        units, start, apart = "groups" if tally.grouped else "examples", self.start(tally), int(size.apart[0])
        late = "the asymptotic confidence sequence starts"
        if apart < start:
            are = "is" if apart == 1 else "are"
            return (f"{late} at {start:,} {units} on which the systems differ; there {are} {apart:,}",)
        few = f"those that carry most of the difference count for only {size.equal[0]:.1f} equal ones"
        return (f"{late} once the difference rests on {self.burn_in / QUARTER:.3g} {units} or more; {few}",)

    def begun(self, tally: AnyTally, size: Size) -> Mask:
        """Say for each row whether there is evidence yet, where that is asymptotic."""
        return np.asarray((size.apart >= self.start(tally)) & (size.equal >= self.burn_in / QUARTER))

    def start(self, tally: AnyTally) -> int:
        """Return on how many units the systems must differ before there is evidence, where that is asymptotic.

        Twice the burn-in where the base estimates a variance from the data: the score test takes it from the world of the null.
        """
        twice = tally.unpaired or not isinstance(choose(tally)[0], Score)
        return 2 * self.burn_in if twice else self.burn_in

    def _normal(self, p: Floats, size: Size, tally: AnyTally) -> Floats:
        """Return the logarithm of the evidence in a one-sided p-value of so many units, none before there are enough of them."""
        from scipy.special import ndtri

        z = np.clip(-ndtri(np.where(np.isfinite(p), p, 0.5)), -FARTHEST, FARTHEST)
        log = log_normal_winnings(z, np.maximum(size.apart, 1.0))
        return np.where(self.begun(tally, size), np.where(np.isfinite(p), log, np.nan), 0.0)

    def p_at(self, tally: AnyTally, null: float, alternative: str, streams: Streams) -> float | None:
        """Return the p-value of "b - a equals null" against an alternative."""
        own, bets = tally.multiplicities[None, :], Differences.of(tally)
        if bets is not None:
            up, down = bets.log_evidence(own, null)
        else:
            base, size = choose(tally)[0], Size.of(tally, own)
            ps = [base.p_at(tally, null, side, streams) for side in ("greater", "less")]
            up, down = (self._normal(np.array([np.nan if p is None else p]), size, tally) for p in ps)
        p = float(p_of(up, down, alternative)[0])
        return p if np.isfinite(p) else None

    def interval_of(self, tally: AnyTally, level: float, streams: Streams) -> Interval | None:
        """Return the differences that the evidence has not ruled out: the confidence sequence, as it stands now."""
        bets, target = Differences.of(tally), -float(np.log((1 - level) / 2))
        if bets is not None:
            low, high = bets.ends(tally.multiplicities, target)
            return Interval(low=low, high=high, level=level, method="anytime")
        size = Size.of(tally, tally.multiplicities[None, :])
        if not self.begun(tally, size)[0]:
            return None
        base = choose(tally)[0].interval_of(tally, level_of(float(size.apart[0]), target), streams)
        return None if base is None else replace(base, level=level, method="anytime-asymptotic")

    def covers(self, tally: AnyTally, batch: Ints, value: float, levels: Sequence[float], streams: Streams) -> Floats:
        """Say for each row and level whether the interval holds the value."""
        bets, targets = Differences.of(tally), -np.log((1 - np.asarray(levels)) / 2)
        if bets is not None:
            most = np.maximum(*bets.log_evidence(batch, value))
            return (most[:, None] <= targets).astype(np.float64)
        out, sizes, base = np.full((len(batch), len(levels)), np.nan), Size.of(tally, batch), choose(tally)[0]
        begun = self.begun(tally, sizes)
        for size in np.unique(sizes.apart[begun]):
            rows = np.flatnonzero((sizes.apart == size) & begun)
            alike = [level_of(float(size), float(target)) for target in targets]
            out[rows] = base.covers(tally, batch[rows], value, alike, streams)
        return out

    def luck_at(self, tally: AnyTally, null: float, alternative: str, streams: Streams) -> Luck | None:
        """Return nothing: its p-value is no tail of a law, but a bound on how large the evidence ever gets."""
        return None

    def smallest(self, apart: int, alternative: str, method: str) -> float:
        """Return the smallest p that it can give where the systems differ on so many examples."""
        if method != "exact":
            return 0.0
        most = np.array([most_winnings(apart)])
        return float(p_of(most, most, alternative)[0])

    def detects(self, tally: AnyTally, error: float, tail: float, power: float, side: float) -> float | None:
        """Return how large a true difference must be to be detected at this size, by the standard error."""
        size = Size.of(tally, tally.multiplicities[None, :])
        apart, is_exact = float(size.apart[0]), Differences.of(tally) is not None
        if apart < ENOUGH if is_exact else not self.begun(tally, size)[0]:
            return None
        return (normal_bound(apart, -float(np.log(1 - tail))) + z_quantile(power)) * error


def most_winnings(apart: int) -> float:
    """Return the logarithm of what bets have won if every example so far spoke for one side as clearly as it can."""
    return float(log_winnings(np.array([[float(apart)]]), np.array([2.0]), 1.0)[0])


def p_of(up: Floats, down: Floats, alternative: str) -> Floats:
    """Return the p-value of the evidence for either side: the largest that is sure to be seen no more often (Ville 1939)."""
    log = {"two-sided": np.maximum(up, down) - np.log(2.0), "greater": up, "less": down}[alternative]
    return np.asarray(np.exp(-np.maximum(log, 0.0)))


def informative(tally: AnyTally, batch: Ints) -> Floats:
    """Return for each row how many units the systems differ on."""
    return np.asarray(batch @ differing(tally).astype(np.float64))


@dataclass(frozen=True, eq=False)
class Size:
    """How much evidence of a normal statistic rests on, row by row."""

    apart: Floats
    """How many units the systems differ on."""
    equal: Floats
    """As how many equal units those count that carry the difference: one that pulls ten times as hard as the rest is nearly all.

    Where A says yes to 20 examples and B to 400, precision hangs on the few mistakes of A, however many examples differ. A normal
    law is near only once there are some of them.
    """

    @classmethod
    def of(cls, tally: AnyTally, batch: Ints) -> Size:
        """Return the size of each row of a batch."""
        apart = informative(tally, batch)
        return cls(apart, equal_units(tally, batch) if isinstance(tally, Tally) else apart)


def equal_units(tally: Tally, batch: Ints) -> Floats:
    """Return for each row (Σ g²)²/Σ g⁴, g being how far a unit pulls the difference; of ratios, if both systems had those of all data."""
    totals, formula = tally.totals(batch), tally.bound.formula
    with np.errstate(divide="ignore", invalid="ignore"):
        if isinstance(formula, Ratios):
            over, under = (totals @ factors.T for factors in (formula.numerators, formula.denominators))
            ratio = over.sum(axis=-2, keepdims=True) / under.sum(axis=-2, keepdims=True)
            # Of several ratios, one that is 0/0 has no pull; a score that is one shows nothing yet.
            factor = np.where(
                under > 0, formula.coefficients / under, np.nan if len(formula.coefficients) == 1 else 0.0
            )
            level = np.where(under > 0, ratio * factor, factor)
            slope = factor @ formula.numerators - level @ formula.denominators
        else:
            slope = formula.gradient(totals)
        slope = np.where(np.isfinite(slope).all(axis=(-1, -2), keepdims=True), slope, 0.0)
        pull = tally.influence(slope)
        squares = (pull / np.abs(pull).max(axis=-1, keepdims=True)) ** 2
        equal = (batch * squares).sum(axis=-1) ** 2 / (batch * squares**2).sum(axis=-1)
    return np.where(np.isfinite(equal), equal, 0.0)


def level_of(size: float, log_target: float) -> float:
    """Return the level of an interval of one look that is as wide as that of all looks."""
    from scipy.special import ndtr

    return float(1 - 2 * ndtr(-normal_bound(size, log_target)))
