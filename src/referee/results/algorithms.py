"""Standings: several algorithms on the same splits, every pair tested, and who is best. Frozen and complete."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, ClassVar

from referee.errors import unknown
from referee.results.base import Reported, Written, columns_of
from referee.results.comparison import Comparison, Interval
from referee.results.settings import Alternative, Settings, Verdict
from referee.results.test_info import MetricInfo, Phrase, TestInfo

COLUMNS = ("a", "b", "score_a", "score_b", "difference", "low", "high", "test", "p_value", "p_adjusted", "verdict")
"""What a data frame of pairs holds."""


@dataclass(frozen=True, kw_only=True)
class Algorithm(Written):
    """What one algorithm scored, and what it cost."""

    name: str
    score: float | None
    """The mean over the splits that it has a score on."""
    spread: float | None
    """The standard deviation from split to split."""
    scores: tuple[float | None, ...]
    """One per split; None if the fit failed."""
    fit_seconds: float | None = None
    """Mean seconds of a fit; None if nothing was fitted here."""
    predict_seconds: float | None = None
    """Mean seconds to predict the test examples of a split."""
    model: str = ""
    """What was fitted, as it prints itself."""
    rank_low: int | None = None
    """The best rank that the verdicts on its pairs allow; None if its pairs were not tested."""
    rank_high: int | None = None


@dataclass(frozen=True, kw_only=True)
class Pair(Written):
    """Two algorithms compared."""

    a: str
    b: str
    difference: float | None
    """score(b) - score(a), the mean over the splits."""
    interval: Interval | None
    test: str
    statistic: float | None
    p_value: float | None
    p_adjusted: float | None
    probabilities: dict[str, float] | None = None
    """Of a Bayesian test: that a is better, that they are practically equal, that b is better."""
    verdict: Verdict
    comparison: Comparison | None = None
    """The whole comparison on the one test set, if the design is a holdout."""
    test_info: TestInfo | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class Failure(Written):
    """A fit that failed."""

    name: str
    split: int
    """Which split, counted from 1."""
    error: str


@dataclass(frozen=True, kw_only=True)
class Standings(Reported):
    """Algorithms with their scores and costs, all pairs, and those that no other beats significantly."""

    SCHEMA: ClassVar[str] = "referee.algorithms/1"
    design: str
    metric: str
    higher_is_better: bool
    test: str
    reason: str
    alternative: Alternative
    alpha: float
    margin: float | None
    adjust: str
    fits: int
    """How many models were fitted: one per split and algorithm."""
    splits: int
    n: int | None
    """How many examples there are; None if it is not known."""
    n_train: float | None
    """Training examples of a split, on average."""
    n_test: float | None
    algorithms: tuple[Algorithm, ...] = field(metadata={"key": "systems"})
    """Best score first."""
    pairs: tuple[Pair, ...]
    best: tuple[str, ...]
    """Those that no other is significantly better than, best score first."""
    failures: tuple[Failure, ...] = ()
    seconds: float | None = None
    """What all fits and predictions took together."""
    warnings: tuple[str, ...] = ()
    signature: str = ""
    settings: Settings | None = field(default=None, repr=False, compare=False)
    procedure: Phrase = field(default=(), repr=False, compare=False)
    """What a paper calls the design."""
    test_info: TestInfo | None = field(default=None, repr=False, compare=False)
    """Of the test of all pairs, if there is one."""
    metric_info: MetricInfo | None = field(default=None, repr=False, compare=False)

    def pair(self, a: str, b: str) -> Pair:
        """Return the pair of two algorithms, in the order in which it was compared.

        Raises:
            NameUnknown: if there is no such pair.
        """
        for pair in self.pairs:
            if {pair.a, pair.b} == {a, b}:
                return pair
        raise unknown("pair", f"{a} and {b}", [f"{pair.a} and {pair.b}" for pair in self.pairs], "a")

    def __getitem__(self, name: str) -> Algorithm:
        for algorithm in self.algorithms:
            if algorithm.name == name:
                return algorithm
        raise unknown("algorithm", name, [algorithm.name for algorithm in self.algorithms])

    def _columns(self) -> dict[str, list[Any]]:
        pairs = [SimpleNamespace(**{**vars(pair), "a": self[pair.a], "b": self[pair.b]}) for pair in self.pairs]
        return columns_of(pairs, COLUMNS)
