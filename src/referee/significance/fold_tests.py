"""Tests on fold scores: they map the differences of two algorithms, one per split, to p-values.

They work on batches: differences are [..., split], so that an audit of a thousand worlds is one call.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar, dataclass_transform

import numpy as np

from referee.data.columns import Floats, Mask
from referee.errors import Argument, Message, Misfit, OptionError, refusal
from referee.registry import Family
from referee.results.comparison import Interval
from referee.results.test_info import Phrase, said
from referee.significance import intervals
from referee.significance.description import STUDENT, Described
from referee.significance.distributions import student_p
from referee.significance.laws.binomial_grid import TINIEST

DUST = 1e-12
"""Differences that are equal on paper differ by rounding: a spread of this share of the largest is none."""


@dataclass(frozen=True)
class Layout:
    """How the splits of a design lie: what a test has to know about them."""

    design: str
    """The name of the design."""
    runs: int
    folds: int
    """Splits of each run; splits stand run by run."""
    ratio: float
    """Test examples to training examples, summed over the splits: 1/(k - 1) in k-fold cross-validation."""

    @property
    def splits(self) -> int:
        """How many splits there are."""
        return self.runs * self.folds


@dataclass(frozen=True, eq=False)
class FoldEvidence:
    """What a test says of each row of a batch; NaN where it cannot be known."""

    p: Floats
    statistic: Floats
    probabilities: Floats | None = None
    """[..., 3]: that the difference is below the region of practical equivalence, inside it, and above it."""


class FoldTest(Described):
    """The common part of all tests of fold scores."""

    of_folds: ClassVar[bool] = True
    fits: ClassVar[tuple[str, ...]] = ()
    """The designs that it fits."""
    two_sided: ClassVar[bool] = False
    """Whether it has no one-sided form."""

    def check(self, layout: Layout, alternative: str = "two-sided") -> None:
        """Raise Misfit, naming the tests that fit."""
        if layout.design not in self.fits:
            fitting = ", ".join(fitting_tests(layout.design)) or "none"
            others = f"it fits {', '.join(self.fits)}, and the tests that fit {layout.design} are: {fitting}"
            unfit = f"the test {self.name} does not fit the design {layout.design}"
            raise Misfit(unfit, argument="test", value=str(self), remedy=others)
        if self.two_sided and alternative != "two-sided":
            leave = Message("leave ", Argument("alternative", bare=True), " out, or use 5x2cv-t")
            raise Misfit(f"the test {self.name} is two-sided", argument="alternative", value=alternative, remedy=leave)

    def cautions(self, layout: Layout) -> tuple[str, ...]:
        """Return the warnings that this test carries on such splits."""
        return ()

    def measure(self, differences: Floats, layout: Layout, alternative: str) -> FoldEvidence:
        """Return the evidence on differences that are neither all zero nor beyond telling."""
        raise NotImplementedError

    def interval_of(self, differences: Floats, layout: Layout, level: float) -> Interval | None:
        """Return an interval of the difference b - a, of the differences of one pair."""
        raise NotImplementedError

    def evaluate(self, differences: Any, layout: Layout, alternative: str = "two-sided") -> FoldEvidence:
        """Run the test on each row of a batch.

        Differences that are all zero get p = 1 and the statistic 0. Where the variance cannot be estimated although the
        differences are not zero, the p-value is unknown (NaN).

        Args:
            differences: [..., split], score(b) - score(a).
            layout: how the splits lie.
            alternative: "two-sided", "greater" (b - a > 0) or "less".
        """
        d = np.asarray(differences, dtype=np.float64)
        if d.shape[-1:] != (layout.splits,):
            unequal = f"there are {layout.splits} splits, and {d.shape[-1] if d.ndim else 0} differences"
            raise OptionError(unequal, argument="differences")
        self.check(layout, alternative)
        evidence = self.measure(d, layout, alternative)
        still = (np.abs(d) <= 1e-15).all(axis=-1)
        # A probability below the smallest float is small, not impossible.
        p = np.where(still, 1.0, np.where(evidence.p == 0, TINIEST, evidence.p))
        return replace(evidence, p=p, statistic=np.where(still, 0.0, evidence.statistic))


T = TypeVar("T", bound=type[FoldTest])
FOLD_TESTS = Family("test of fold scores", FoldTest, "corrected-t")
resolve = FOLD_TESTS.resolve
"""Find a test: a FoldTest, or the spelling of one."""
REPEATED = ("resampled", "kfold", "repeated-kfold")
ALLOWS = "whose variance allows for the overlap of training sets"


@dataclass_transform(frozen_default=True, kw_only_default=True)
def fold_test(
    name: str, *, fits: tuple[str, ...], reference: str, assumes: str, law: str = "", **about: Any
) -> Callable[[T], T]:
    """Register a test of fold scores: this decorator and the class under it, which becomes a dataclass, are all that a new one needs.

    Args:
        name: what it is called in messages, on the command line and in results.
        fits: the designs that it fits.
        reference: where it comes from: authors and year, as the bibliography of reports has them.
        assumes: what it takes for granted of the splits, in full sentences.
        law: the law that its p-value comes from.
        about: anything else that is declared of such a test, by the names of the class variables of `FoldTest`:
            procedure: which test it is, as a paper names it: `said(phrase, *keys of the bibliography)`.
            two_sided: whether it has no one-sided form.
    """
    return FOLD_TESTS.define(name, fits=fits, reference=reference, assumes=assumes, law_words=law, **about)


def fitting_tests(design: str) -> list[str]:
    """Return the names of the tests that fit a design.

    >>> fitting_tests("5x2cv")
    ['5x2cv-f', '5x2cv-t']
    """
    return [name for name, cls in FOLD_TESTS.items() if design in cls.fits]


class _Resampled(FoldTest):
    """The common part of the t tests over splits that are drawn again and again."""

    interval_name: ClassVar[str] = ""
    overlap: ClassVar[bool] = True
    """Whether the variance allows for the overlap of training sets: s²·(1/J + n_test/n_train) in place of s²/J."""

    def spread(self, d: Floats, layout: Layout) -> tuple[Floats, Floats]:
        """Return the mean difference and its standard error; NaN where there is no spread."""
        mean, variance = d.mean(axis=-1), d.var(axis=-1, ddof=1)
        error: Floats = np.sqrt(_without_dust(variance, d) * (1 / layout.splits + layout.ratio * self.overlap))
        return mean, error

    def measure(self, differences: Floats, layout: Layout, alternative: str) -> FoldEvidence:
        """Return the evidence."""
        mean, error = self.spread(differences, layout)
        statistic = mean / error
        return FoldEvidence(student_p(statistic, error, layout.splits - 1, alternative), statistic)

    def interval_of(self, differences: Floats, layout: Layout, level: float) -> Interval | None:
        """Return d ± t·error."""
        mean, error = self.spread(differences, layout)
        return intervals.student(float(mean), float(error), layout.splits - 1, level, self.interval_name or self.name)


def _without_dust(squares: Floats, d: Floats) -> Floats:
    """Return squared spreads of differences; NaN where they come from rounding alone."""
    return np.where(squares <= (DUST * np.abs(d).max(axis=-1, initial=0.0)) ** 2, np.nan, squares)


@fold_test(
    "corrected-t",
    fits=REPEATED,
    reference="Nadeau and Bengio 2003; Bouckaert and Frank 2004",
    assumes="The differences of the splits are about normal, and two of them are correlated as the share of examples that a split tests: so the overlap of training sets is allowed for.",
    procedure=said(f"the corrected resampled t test, {ALLOWS}", "nadeau2003", "bouckaert2004"),
    law=STUDENT,
)
class CorrectedT(_Resampled):
    """Paired t test whose variance allows for the overlap of training sets.

    The variance of the mean is s²·(1/J + n_test/n_train) in place of s²/J.
    """


@fold_test(
    "t",
    fits=REPEATED,
    reference="Dietterich 1998; Zhu 2010",
    assumes="The differences of the splits are normal and independent of each other, which they are not where training sets overlap.",
    procedure=said("the paired t test over the splits, which treats them as independent", "dietterich1998", "zhu2010"),
    law=STUDENT,
    overlap=False,
)
class PlainT(_Resampled):
    """Paired t test that treats the splits as independent samples, which they are not."""

    def cautions(self, layout: Layout) -> tuple[str, ...]:
        """Warn of the overlap."""
        what, far = ("training", "somewhat") if layout.design == "kfold" else ("training and test", "far too")
        plain = f"{what} sets overlap, which makes the plain t test {far} optimistic"
        return (f"{plain}; the corrected t test (corrected-t) allows for it",)


def _halves(d: Floats) -> tuple[Floats, Floats]:
    """Return [..., run, fold] differences of five runs of two folds, and the sum of the variances s² of the runs."""
    pairs = d.reshape(*d.shape[:-1], 5, 2)
    squares = ((pairs - pairs.mean(axis=-1, keepdims=True)) ** 2).sum(axis=(-2, -1))
    return pairs, _without_dust(squares, d)


@fold_test(
    "5x2cv-f",
    fits=("5x2cv",),
    reference="Alpaydin 1999",
    procedure=said("the combined 5x2cv F test", "alpaydin1999"),
    law="the F distribution with 10 and 5 degrees of freedom",
    assumes="The differences of the ten folds are about normal, and their spread within the five runs shows how much they vary; that the runs share examples is left out of account.",
    two_sided=True,
)
class CombinedF(FoldTest):
    """Combined F test of five runs of two folds: all ten differences against their spread within runs.

    f = Σp²/(2Σs²) on (10, 5) degrees of freedom; unlike the t test it does not depend on which fold comes first.
    """

    def measure(self, differences: Floats, layout: Layout, alternative: str) -> FoldEvidence:
        """Return the evidence."""
        from scipy.special import fdtrc

        squares = _halves(differences)[1]
        statistic = (differences**2).sum(axis=-1) / (2 * squares)
        return FoldEvidence(fdtrc(10, 5, statistic), statistic)

    def interval_of(self, differences: Floats, layout: Layout, level: float) -> Interval | None:
        """Return the differences that the test would not reject: Σ(p − δ)² <= 2F·Σs². None where it rejects all."""
        from scipy.special import fdtri

        squares, mean = float(_halves(differences)[1]), float(differences.mean())
        room = 2 * float(fdtri(10, 5, level)) * squares - float(((differences - mean) ** 2).sum())
        if not room >= 0:
            return None
        half = float(np.sqrt(room / 10))
        return Interval(low=mean - half, high=mean + half, level=level, method="5x2cv-f")


@fold_test(
    "5x2cv-t",
    fits=("5x2cv",),
    reference="Dietterich 1998",
    procedure=said("the 5x2cv paired t test", "dietterich1998"),
    law=f"{STUDENT} with 5 degrees of freedom",
    assumes="The first of the ten differences is about normal, and the spread of all within the five runs shows how much it varies; that the runs share examples is left out of account.",
)
class HalvesT(FoldTest):
    """Dietterich's t test of five runs of two folds: the first difference against the spread within runs.

    t = p₁⁽¹⁾/sqrt(Σs²/5) on 5 degrees of freedom.
    """

    def cautions(self, layout: Layout) -> tuple[str, ...]:
        """Warn of the dependence on order."""
        return ("the 5x2cv t test depends on which fold comes first; the F test (5x2cv-f) uses all ten",)

    def measure(self, differences: Floats, layout: Layout, alternative: str) -> FoldEvidence:
        """Return the evidence."""
        pairs, squares = _halves(differences)
        error = np.sqrt(squares / 5)
        statistic = pairs[..., 0, 0] / error
        return FoldEvidence(student_p(statistic, error, 5, alternative), statistic)

    def interval_of(self, differences: Floats, layout: Layout, level: float) -> Interval | None:
        """Return the first difference ± t·error."""
        pairs, squares = _halves(differences)
        return intervals.student(float(pairs[0, 0]), float(np.sqrt(squares / 5)), 5, level, "5x2cv-t")


@fold_test(
    "correlated-bayes",
    fits=REPEATED,
    reference="Corani and Benavoli 2015; Benavoli, Corani, Demšar and Zaffalon 2017",
    assumes="The differences of the splits are jointly normal and correlated as the share of examples that a split tests; nothing was known of their mean and variance beforehand.",
    two_sided=True,
    interval_name="posterior",
)
class CorrelatedBayes(_Resampled):
    """Bayesian correlated t test: how probable it is that one is better, or that they are practically equal.

    The posterior of the difference is Student's t about the mean, with the variance s²·(1/J + ρ/(1 − ρ)) and J − 1
    degrees of freedom; ρ is the share of examples that are tested, 1/k in k folds. It gives probabilities and no p-value.
    """

    region: float = 0.01
    """Differences within ± region are practically nothing."""

    def __post_init__(self) -> None:
        """Check the region."""
        if not self.region >= 0:
            raise refusal("test", "must not be negative", self.region, "correlated-bayes:region")

    def procedure_of(self, grouped: bool) -> Phrase:
        """Return which test it is, with its region."""
        phrase = f"the Bayesian correlated t test, with differences within ±{self.region:.4g} as practically equal"
        return said(phrase, "corani2015", "benavoli2017")

    def measure(self, differences: Floats, layout: Layout, alternative: str) -> FoldEvidence:
        """Return the probabilities; the statistic is that of the posterior about 0."""
        from scipy.special import stdtr

        (mean, error), df = self.spread(differences, layout), layout.splits - 1
        # A mean without spread is taken as it is.
        known: Mask = np.isfinite(error)
        size = np.where(known, error, 1.0)
        below = np.where(known, stdtr(df, (-self.region - mean) / size), mean < -self.region)
        above = np.where(known, stdtr(df, (mean - self.region) / size), mean > self.region)
        probabilities = np.stack([below, 1 - below - above, above], axis=-1)
        return FoldEvidence(np.full(mean.shape, np.nan), mean / error, np.clip(probabilities, 0.0, 1.0))
