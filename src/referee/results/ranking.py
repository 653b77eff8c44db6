"""Ranking: any number of systems on the same examples, the ranks that the data support, and who may be the best. Frozen and complete."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, ClassVar, Literal, TypeAlias

from referee.errors import unknown
from referee.results.base import Reported, Written, columns_of
from referee.results.battles import BattleRecord
from referee.results.comparison import Interval
from referee.results.settings import EXAMPLE, Settings, Verdict
from referee.results.test_info import MetricInfo, TestInfo
from referee.results.weighting import Weighting

Standing: TypeAlias = Literal["top scorer", "not ruled out", "worse", "better", "unknown"]
"""Of all pairs: the highest score (or as high), not significantly worse than any other, or significantly worse than some other;
against a baseline: better, worse or not ruled out (as its equal). Unknown if there is no score."""
COLUMNS = ("a", "b", "score_a", "score_b", "difference", "low", "high", "p_value", "p_adjusted", "verdict")


@dataclass(frozen=True, kw_only=True)
class Ranked(Written):
    """One system: its score, and the ranks that the data support."""

    name: str
    score: float | None
    interval: Interval | None
    """Of the score alone; it is not for comparing systems."""
    rank: int | None
    """By the score; systems of one score share it."""
    rank_low: int | None
    """The best rank that is not ruled out; None if only a baseline was compared with."""
    rank_high: int | None
    standing: Standing


@dataclass(frozen=True, kw_only=True)
class RankedPair(Written):
    """Two systems compared, among all pairs that were."""

    a: str
    b: str
    difference: float | None
    """score(b) - score(a)"""
    interval: Interval | None
    """Simultaneous with those of the other pairs: it leaves out 0 exactly if p_adjusted is at most alpha; None if the adjustment
    has none."""
    statistic: float | None
    p_value: float | None
    p_adjusted: float | None
    verdict: Verdict


@dataclass(frozen=True, kw_only=True)
class Ranking(Reported):
    """A leaderboard with the ranks that the data support, all pairs, and those that cannot be ruled out as best."""

    SCHEMA: ClassVar[str] = "referee.ranking/1"
    metric: str
    higher_is_better: bool
    test: str
    reason: str
    alpha: float
    adjust: str
    level: float | None
    """The p-value at which a single comparison is significant among all of them; None if the adjustment has no such level."""
    baseline: str | None
    n: int
    units: int
    weights: Weighting | None = None
    """How unequal the weights of the examples are; None if all count alike."""
    dropped: int
    systems: tuple[Ranked, ...]
    """Best score first."""
    pairs: tuple[RankedPair, ...]
    """In the order of the systems; against a baseline, that is a."""
    best: tuple[str, ...]
    """Those that no other is significantly better than, best score first; none if only a baseline was compared with."""
    together: tuple[tuple[str, ...], ...]
    """The largest runs of neighbours on the leaderboard of which no two can be told apart."""
    overall: dict[str, float] | None
    """Cochran's Q test that all systems are equally often right: statistic, df, p_value; None if it does not apply."""
    noun: str = EXAMPLE
    """What one of the examples is called."""
    battles: BattleRecord | None = None
    """Who met whom, if the data are battles: scores are then ratings."""
    slice: str | None = None
    warnings: tuple[str, ...] = ()
    signature: str = ""
    settings: Settings | None = field(default=None, repr=False, compare=False)
    test_info: TestInfo | None = field(default=None, repr=False, compare=False)
    metric_info: MetricInfo | None = field(default=None, repr=False, compare=False)

    def __getitem__(self, name: str) -> Ranked:
        for system in self.systems:
            if system.name == name:
                return system
        raise unknown("system", name, [system.name for system in self.systems])

    def pair(self, a: str, b: str) -> RankedPair:
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
        pairs = [SimpleNamespace(**{**vars(pair), "a": by_name[pair.a], "b": by_name[pair.b]}) for pair in self.pairs]
        return columns_of(pairs, COLUMNS)


@dataclass(frozen=True)
class Rankings(Reported):
    """A ranking for each slice; each is a family of comparisons of its own."""

    SCHEMA: ClassVar[str] = "referee.rankings/1"
    rankings: tuple[Ranking, ...]

    @property
    def noun(self) -> str:
        """What one of the examples is called."""
        return self.rankings[0].noun if self.rankings else EXAMPLE

    def __len__(self) -> int:
        return len(self.rankings)

    def __iter__(self) -> Iterator[Ranking]:
        return iter(self.rankings)

    def __getitem__(self, place: int | str) -> Ranking:
        if isinstance(place, int):
            return self.rankings[place]
        for ranking in self.rankings:
            if ranking.slice == place:
                return ranking
        raise unknown("slice", place, [ranking.slice for ranking in self.rankings])

    def _columns(self) -> dict[str, list[Any]]:
        parts = [ranking._columns() for ranking in self.rankings]
        slices = [ranking.slice for ranking, part in zip(self.rankings, parts, strict=True) for _ in part["a"]]
        return {"slice": slices, **{name: [one for part in parts for one in part[name]] for name in parts[0]}}
