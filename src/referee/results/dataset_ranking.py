"""DatasetRanking: systems scored on many datasets, their average ranks, and which of them can be told apart. Frozen and complete."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, ClassVar, Literal, TypeAlias

from referee.errors import unknown
from referee.results.base import Reported, Written, columns_of
from referee.results.settings import Settings, Verdict
from referee.results.test_info import MetricInfo

DatasetTest: TypeAlias = Literal["wilcoxon-holm", "nemenyi", "bayes"]
COLUMNS = (
    "a", "b", "score_a", "score_b", "difference", "rank_a", "rank_b", "wins_a", "wins_b", "ties", "p_value", "p_adjusted",
    "probability_a", "probability_equal", "probability_b", "verdict",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class DatasetSystem(Written):
    """One system over all datasets."""

    name: str
    average_rank: float
    """The mean of its ranks; 1 is the best, and systems that tie on a dataset share the mean of their ranks."""
    score: float
    """The mean over the datasets."""
    wins: int
    """On how many datasets no other scores better."""
    scores: tuple[float, ...]
    """One per dataset."""


@dataclass(frozen=True, kw_only=True)
class DatasetPair(Written):
    """Two systems compared over all datasets."""

    a: str
    b: str
    difference: float
    """score(b) - score(a), the mean over the datasets."""
    wins: tuple[int, int, int] = field(metadata={"names": ("a", "b", "ties")})
    """On how many datasets a is better, b is better, and they tie."""
    statistic: float | None
    """The sum of b's signed ranks, or the difference of the average ranks in standard errors."""
    p_value: float | None
    p_adjusted: float | None
    probabilities: dict[str, float] | None = None
    """Of the Bayesian test: that a is better, that they are practically equal, that b is better."""
    verdict: Verdict


@dataclass(frozen=True, kw_only=True)
class DatasetRanking(Reported):
    """Systems by their average rank over datasets, all pairs of them, and the groups that cannot be told apart."""

    SCHEMA: ClassVar[str] = "referee.dataset_ranking/1"
    metric: str
    higher_is_better: bool
    test: str
    alpha: float
    adjust: str | None
    """How p-values are adjusted: "holm", "nemenyi" or "bonferroni"; None if there are none."""
    p_method: Literal["exact", "asymptotic"] | None
    """Where p-values come from; None if there are none."""
    rope: float | None
    """Of the Bayesian test: differences within ± rope are practically nothing."""
    baseline: str | None
    n: int
    """How many datasets there are."""
    dropped: int
    """How many were left out because a score is missing."""
    datasets: tuple[str, ...]
    systems: tuple[DatasetSystem, ...]
    """Best average rank first."""
    friedman: dict[str, float | None]
    """Friedman's test that all rank alike: statistic, df, p_value, and the statistic not corrected for ties (uncorrected)."""
    iman_davenport: dict[str, float | None]
    """Iman and Davenport's F test of the same: statistic, df, df_error, p_value."""
    critical_difference: float | None
    """The difference of average ranks that is significant; None unless the test goes by it."""
    pairs: tuple[DatasetPair, ...]
    """In the order of the systems; against a baseline, that is a."""
    best: tuple[str, ...]
    """Those that no other is significantly better than, best average rank first; none if only a baseline was compared with."""
    together: tuple[tuple[str, ...], ...]
    """The largest groups of neighbours by average rank of which no two can be told apart."""
    warnings: tuple[str, ...] = ()
    signature: str = ""
    settings: Settings | None = field(default=None, repr=False, compare=False)
    metric_info: MetricInfo | None = field(default=None, repr=False, compare=False)

    def __getitem__(self, name: str) -> DatasetSystem:
        for system in self.systems:
            if system.name == name:
                return system
        raise unknown("system", name, [system.name for system in self.systems])

    def pair(self, a: str, b: str) -> DatasetPair:
        """Return the comparison of two systems, in the order in which it was made.

        Raises:
            NameUnknown: if there is none.
        """
        for pair in self.pairs:
            if {pair.a, pair.b} == {a, b}:
                return pair
        raise unknown("pair", f"{a} and {b}", [f"{pair.a} and {pair.b}" for pair in self.pairs[:20]], "a")

    def _columns(self) -> dict[str, list[Any]]:
        by_name = {system.name: system for system in self.systems}
        rows = []
        for pair in self.pairs:
            a, b, chances = by_name[pair.a], by_name[pair.b], pair.probabilities or {}
            wins = dict(zip(("wins_a", "wins_b", "ties"), pair.wins, strict=True))
            likely = {f"probability_{side}": chances.get(side) for side in ("a", "equal", "b")}
            ranks = {"rank_a": a.average_rank, "rank_b": b.average_rank}
            rows.append(SimpleNamespace(**{**vars(pair), **wins, **likely, **ranks, "a": a, "b": b}))
        return columns_of(rows, COLUMNS)
