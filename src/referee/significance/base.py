"""Test: a small frozen dataclass whose fields are its options; it maps a tally and a batch of counts to p-values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar, dataclass_transform

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.errors import Misfit
from referee.registry import Family
from referee.results.comparison import Interval
from referee.runtime.randomness import Streams
from referee.significance import intervals
from referee.significance.description import NORMAL, Described
from referee.significance.distributions import FLIPPED, z_quantile
from referee.significance.laws.binomial_grid import TINIEST
from referee.significance.laws.resample import BOOTSTRAP, bootstrap, percentile_covers
from referee.significance.null_distribution import Luck, curve
from referee.significance.rank_tally import AnyTally, differing, mean_misfit

REPLICATES = 9999
ENOUGH = 20
"""So many units must carry information, or in effect vary, for a standard error to be sure enough to say what would be detected."""
INDEPENDENCE = "it assumes that the two systems err independently of each other, though they share the test set"


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a test says of each row of a batch; NaN where it cannot be known."""

    p: Floats
    statistic: Floats | None = None
    method: str = "asymptotic"
    error: Floats | None = None
    undefined: float = 0.0
    mid: bool = False
    """Whether p counts what is just as extreme by half."""
    probability: float | None = None
    """The share of bootstrap draws with b - a above 0."""
    leaning: Floats | None = None
    """Above 0 where the test points to a positive difference, below for a negative; for tests of which the sign of the
    difference does not decide that, since they count wins, ranks or groups."""
    notes: tuple[str, ...] = ()
    solver: dict[str, Any] | None = None
    """How a search for nearest worlds went, where there was one."""


class Test(Described):
    """The common part of all tests."""

    fits: ClassVar[str] = ""
    caution: ClassVar[str] = ""
    takes_groups: ClassVar[bool] = False
    takes_weights: ClassVar[bool] = False
    """Whether it has a form for examples of which some count more than others."""
    takes_crossed: ClassVar[bool] = False
    """Whether it has a form for two crossed groups."""
    takes_samples: ClassVar[bool] = False
    """Whether it has a form for systems that answered different examples."""
    signed: ClassVar[bool] = True
    """Whether the statistic changes sign when the systems are exchanged."""
    calibrated: ClassVar[bool] = True
    """Whether it promises its false-alarm rate; those that assume independence are only conservative."""

    by_draws: ClassVar[bool] = True
    """Whether its p-value or its interval can come from random draws."""

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        raise NotImplementedError

    def measure(self, tally: AnyTally, batch: Ints, alternative: str, streams: Streams) -> Evidence:
        """Return the evidence; the scores are defined and the batch is not empty."""
        raise NotImplementedError

    def interval_of(self, tally: AnyTally, level: float, streams: Streams) -> Interval | None:
        """Return an interval of the difference b - a; the percentile bootstrap unless the test has its own."""
        draws = bootstrap(tally, REPLICATES, streams.child(BOOTSTRAP))
        # Of many rare classes some is missing in every draw, and counts there as its declared value.
        known = draws.undefined < 1 or tally.metric.by_class
        return intervals.percentile(draws.differences, level) if known else None

    def p_at(self, tally: AnyTally, null: float, alternative: str, streams: Streams) -> float | None:
        """Return the p-value of "b - a equals null" against an alternative, by the law that makes the interval.

        This is the level at which an end of the interval meets the value; tests with a law of their own say it at once.

        Args:
            tally: the units.
            null: the value of b - a.
            alternative: "two-sided", "greater" (b - a > null) or "less".
            streams: the source of randomness.
        """
        if alternative == "two-sided":
            sides = [self.p_at(tally, null, side, streams) for side in ("greater", "less")]
            return None if None in sides else min(1.0, 2 * min(p for p in sides if p is not None))

        def leaves_out(p: float) -> bool | None:
            interval = self.interval_of(tally, abs(1 - 2 * p), streams)
            if interval is None:
                return None
            # Beyond one half the interval has turned inside out: what one end leaves out is what the other held.
            below = interval.low if (alternative == "greater") == (p <= 0.5) else interval.high
            return below > null if alternative == "greater" else below < null

        low, high = 1e-12, 1 - 1e-12
        if leaves_out(0.025) is None:
            return None
        for _ in range(50):
            middle = (low + high) / 2 if low > 1e-3 or high < 1e-3 else float(np.sqrt(low * high))
            low, high = (low, middle) if leaves_out(middle) else (middle, high)
            if high - low <= 1e-9 * high:
                break
        return high

    def luck(self, tally: AnyTally, alternative: str, streams: Streams) -> Luck | None:
        """Return the law that the p-value is a tail of, for a picture; None where it cannot be drawn.

        Where a test knows that of any null, it is that of 0; else that of a normal statistic which is the difference over an
        error; other tests say what theirs is.
        """
        if type(self).luck_at is not Test.luck_at:
            return self.luck_at(tally, 0.0, alternative, streams)
        scores, own = tally.observed(), tally.multiplicities[None, :]
        evidence = self.evaluate(tally, own, alternative, streams)
        if evidence.statistic is None or evidence.method != "asymptotic":
            return None
        difference, z = float(scores[1] - scores[0]), float(evidence.statistic[0])
        z = z if self.signed else float(np.copysign(np.sqrt(z), difference))
        if not difference or not z or not np.isfinite(z):
            return None
        made = curve(difference, difference / z, alternative)
        return made if made is not None and np.isclose(made.p, evidence.p[0], rtol=1e-6, atol=0) else None

    def luck_at(self, tally: AnyTally, null: float, alternative: str, streams: Streams) -> Luck | None:
        """Return the law that the p-value of "b - a equals null" is a tail of, moved by -null; None where it is not known."""
        return None

    def detects(self, tally: AnyTally, error: float, tail: float, power: float, side: float) -> float | None:
        """Return how large a true difference must be to be detected with this power; None where that cannot be known.

        By the standard error; tests with a law of their own ask that.

        Args:
            tally: the units.
            error: the standard error of the difference.
            tail: the quantile at which the test rejects: 1 - alpha/2, one-sided 1 - alpha.
            power: how often it is to be detected.
            side: 1 where b - a is above 0, -1 where it is below.
        """
        return (z_quantile(tail) + z_quantile(power)) * error

    def cautions(self, tally: AnyTally) -> tuple[str, ...]:
        """Return the warnings that this test carries on these data."""
        return (f"{self.name}: {self.caution}",) if self.caution else ()

    def doubts(self, tally: AnyTally) -> tuple[str, ...]:
        """Return what should be said of the intervals that were made on this tally; nothing, unless the test says otherwise."""
        return ()

    def smallest(self, apart: int, alternative: str, method: str) -> float:
        """Return the smallest p that it can give where the systems differ on so many units; 0 where there is none.

        Args:
            apart: how many units they differ on.
            alternative: "two-sided", "greater" or "less".
            method: how p comes about: "exact", "asymptotic" or "monte-carlo".
        """
        return 0.0

    def check(self, tally: AnyTally) -> None:
        """Raise Misfit, naming the tests that fit."""
        reason = "it counts examples, and these have weights" if tally.weighted and not self.takes_weights else None
        reason = reason or self.misfit(tally)
        if reason is None and tally.grouped and not self.takes_groups:
            reason = "it has no form for groups of examples"
        if tally.crossing is not None and not self.takes_crossed:
            reason = "it has no form for two crossed groups"
        if tally.unpaired and not self.takes_samples:
            reason = "it needs both systems' answers to the same examples, and these are two samples"
        if reason is not None:
            fitting = ", ".join(fitting_tests(tally)) or "none"
            unfit = f"the test {self.name} does not fit {tally.metric} here: {reason}"
            raise Misfit(unfit, argument="test", value=str(self), remedy=f"the tests that fit: {fitting}")

    def evaluate(self, tally: AnyTally, batch: Ints, alternative: str, streams: Streams) -> Evidence:
        """Run the test on each row of a batch of multiplicities.

        Systems that do not differ on any unit get p = 1 under every alternative.

        Args:
            tally: the units, as the metric sees them.
            batch: [row, unit] multiplicities.
            alternative: "two-sided", "greater" (b - a > 0) or "less".
            streams: the source of randomness.

        Returns:
            The evidence, one entry a row.
        """
        evidence = self.measure(tally, batch, alternative, streams)
        same, statistic = (batch @ differing(tally).astype(np.int64)) == 0, evidence.statistic
        if statistic is not None:
            statistic = np.where(same & ~np.isfinite(statistic), 0.0, statistic)
        # A probability below the smallest float is small, not impossible; and 1 less rounding is 1.
        p = np.where(same | (evidence.p > 1 - 1e-13), 1.0, np.where(evidence.p == 0, TINIEST, evidence.p))
        return replace(evidence, p=p, statistic=statistic)

    def decide(self, tally: AnyTally, batch: Ints, alphas: Sequence[float], alternative: str, streams: Streams) -> Mask:
        """Say for each row of a batch and each alpha whether the test rejects: [row, alpha].

        Where draws decide, they stop early once more of them could hardly change the decision (laws.resample).
        """
        p = self.evaluate(tally, batch, alternative, streams).p
        return np.asarray(p[:, None] <= np.asarray(alphas)[None, :])

    def covers(self, tally: AnyTally, batch: Ints, value: float, levels: Sequence[float], streams: Streams) -> Floats:
        """Say for each row of a batch and each level whether the interval holds the value: [row, level], NaN unknown."""
        if type(self).interval_of is Test.interval_of:
            return percentile_covers(tally, batch, value, levels, streams)
        out = np.full((len(batch), len(levels)), np.nan)
        for place, row in enumerate(batch):
            own = tally.with_multiplicities(row)
            for i, level in enumerate(levels):
                interval = interval_at(self, own, level, streams.child(place))
                if interval is not None:
                    out[place, i] = value in interval
        return out


class MeanTest(Test):
    """The common part of the tests of means."""

    binary: ClassVar[bool] = False
    """Whether each example must be right or wrong."""

    def misfit(self, tally: AnyTally) -> str | None:
        """Return why the test does not fit, or None."""
        return mean_misfit(tally, binary=self.binary)


def of_row(tally: AnyTally, row: Ints) -> AnyTally:
    """Return the tally with the multiplicities of a row of a batch; itself, with all that it remembers, if they are its own."""
    return tally if np.array_equal(row, tally.multiplicities) else tally.with_multiplicities(row)


def row_by_row(batch: Ints, streams: Streams, measure: Callable[[Ints, Streams], Evidence]) -> Evidence:
    """Return the evidence of each row of a batch, of which each takes its own draws; that of a single row as it is."""
    if len(batch) == 1:
        return measure(batch[0], streams)
    parts = [measure(row, streams.child(place)) for place, row in enumerate(batch)]
    statistics = [part.statistic for part in parts if part.statistic is not None]
    return Evidence(
        p=np.concatenate([part.p for part in parts]),
        statistic=np.concatenate(statistics) if statistics else None,
        method="exact" if {part.method for part in parts} == {"exact"} else "monte-carlo",
        error=np.concatenate([np.zeros(1) if part.error is None else part.error for part in parts]),
        undefined=float(np.mean([part.undefined for part in parts])),
    )


def half_power(units: int, alternative: str) -> float:
    """Return the smallest p of exchanges: only the data are as extreme as the data, and two-sided their mirror image."""
    return float(min(1.0, 0.5 ** (units - (alternative == "two-sided"))))


T = TypeVar("T", bound=type[Test])
TESTS = Family("test", Test, "mcnemar")
resolve = TESTS.resolve
"""Find a test: a Test, or the spelling of one."""


@dataclass_transform(frozen_default=True, kw_only_default=True)
def test(
    name: str, *, fits: str, reference: str, assumes: str, law: str | None = None, draws: bool = False, **about: Any
) -> Callable[[T], T]:
    """Register a test: this decorator and the class under it, which becomes a dataclass, are all that a new test needs.

    Args:
        name: what it is called in messages, on the command line and in results.
        fits: in a few words, what it fits.
        reference: where it comes from: authors and year, or keys, as the bibliography of reports has them.
        assumes: what it takes for granted beyond a random sample, in full sentences; its units are called `{unit}` and `{a_unit}`
            if they may be groups of examples.
        law: the law that a p-value comes from which is neither exact nor drawn; the normal one if there is a procedure.
        draws: whether its p-value can come from random draws.
        about: anything else that is declared of a test, by the names of the class variables of `Test`:
            procedure: which test it is, as a paper names it: `said(phrase, *keys of the bibliography)`. If left out, reports
                print the first line of its docstring and its reference.
            choices: what its options can be, of those that are one of several.
            needs_many: whether an asymptotic p-value takes many examples for granted, which `assumes` does not say.
            caution: a warning that every result of it carries.
            takes_groups: whether it has a form for groups of examples.
            takes_weights: whether it has a form for examples with weights.
            takes_crossed: whether it has a form for two crossed groups.
            takes_samples: whether it has a form for systems that answered different examples.
            calibrated: whether it promises its false-alarm rate (the conformance suite then holds it to that).
            signed: whether its statistic has the sign of the difference.
    """

    def register(cls: T) -> T:
        named = "procedure" in about or cls.procedure_of is not Test.procedure_of
        declared = {"fits": fits, "reference": reference, "assumes": assumes, **about}
        declared["law_words"] = (NORMAL if named else "") if law is None else law
        return TESTS.define(name, by_draws=draws or cls.interval_of is Test.interval_of, **declared)(cls)

    return register


test.__test__ = False  # type: ignore[attr-defined]


def fitting_tests(tally: AnyTally) -> list[str]:
    """Return the names of the tests that fit."""
    return [
        name
        for name, cls in TESTS.items()
        if (cls.takes_groups or not tally.grouped)
        and (cls.takes_weights or not tally.weighted)
        and (cls.takes_crossed or tally.crossing is None)
        and (cls.takes_samples or not tally.unpaired)
        and cls().misfit(tally) is None
    ]


@dataclass(frozen=True)
class Finding:
    """What one test found on one data set."""

    evidence: Evidence
    p: float | None
    statistic: float | None
    error: float | None
    interval: Interval | None
    probability: float | None
    leaning: float | None = None

    def flipped(self, *, signed: bool) -> Finding:
        """Return the same with A and B exchanged; a statistic that is not signed stays as it is."""
        return replace(
            self,
            statistic=-self.statistic if self.statistic is not None and signed else self.statistic,
            interval=self.interval and self.interval.flipped(),
            probability=None if self.probability is None else 1.0 - self.probability,
            leaning=None if self.leaning is None else -self.leaning,
        )

    def asked(self, p: float | None, *, own: bool) -> Finding:
        """Return the same with the p-value of another question; the statistic and the error were those of a tie.

        Args:
            p: the p-value.
            own: whether the test has a law of its own for it; one that comes of an interval is not exact.
        """
        method = self.evidence.method if own or self.evidence.method == "monte-carlo" else "asymptotic"
        evidence = replace(self.evidence, method=method, mid=False)
        return replace(self, evidence=evidence, p=p, statistic=None, error=None, leaning=None)


def interval_at(test: Test, tally: AnyTally, level: float, streams: Streams) -> Interval | None:
    """Return a test's interval of b - a, cut at what the metric can differ by; None where it has no width around a difference.

    Units that all say the same show a difference, and nothing of how far it could be off.
    """
    interval = test.interval_of(tally, level, streams) if level > 0 else None
    if interval is None:
        return None
    scores = tally.observed()
    rounding = 2 * float(tally.tolerance(scores))
    if interval.high - interval.low <= rounding < abs(float(scores[1] - scores[0])):
        return None
    if tally.range is None:
        return interval
    most = tally.range[1] - tally.range[0]
    return replace(interval, low=max(-most, interval.low), high=min(most, interval.high))


def run(test: Test, tally: AnyTally, flipped: bool, alternative: str, level: float, streams: Streams) -> Finding:
    """Run a test on a tally in its canonical orientation, and turn what it finds back.

    Args:
        test: the test.
        tally: the tally in canonical orientation.
        flipped: whether A and B were exchanged for it.
        alternative: the alternative for the user's b - a.
        level: the level of the interval.
        streams: the source of randomness.
    """
    asked = FLIPPED[alternative] if flipped else alternative
    evidence = test.evaluate(tally, tally.multiplicities[None, :], asked, streams)
    interval = interval_at(test, tally, level, streams)
    evidence = replace(evidence, notes=(*evidence.notes, *test.doubts(tally)))
    p, statistic, error, leaning = (
        None if values is None else float(values[0])
        for values in (evidence.p, evidence.statistic, evidence.error, evidence.leaning)
    )
    p, statistic = (value if value is not None and np.isfinite(value) else None for value in (p, statistic))
    finding = Finding(evidence, p, statistic, error, interval, evidence.probability, leaning)
    return finding.flipped(signed=test.signed) if flipped else finding
