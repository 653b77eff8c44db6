"""Plot data: the numbers behind the charts of a comparison that are not in the result itself."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee.results.comparison import Interval


@dataclass(frozen=True)
class Bar:
    """A bar of a histogram: where it stands, its share of the law, and how much of that makes up p."""

    low: float
    high: float
    share: float
    counted: float

    def flipped(self) -> Bar:
        """Return the bar of the opposite difference."""
        return replace(self, low=-self.high, high=-self.low)


@dataclass(frozen=True, kw_only=True)
class Histogram:
    """The law that a p-value is a tail of, or a posterior, as bars, with the value observed on it."""

    bars: tuple[Bar, ...]
    observed: float
    edge: float
    """From where on p counts: the value observed, or 0 if test sets are drawn again."""
    scale: str
    how: str
    redrawn: bool
    times: int
    corrected: bool
    null: float = 0.0
    """The difference that the law is about: none, or a margin"""

    @property
    def counted(self) -> float:
        """The share of the law that p counts."""
        return min(1.0, sum(bar.counted for bar in self.bars))

    def dots(self, extreme: int, many: int = 100) -> tuple[list[float], list[float]]:
        """Let so many dots stand for the law: return where those are that p does not count, and those that it does.

        Args:
            extreme: how many dots stand for p; they lie at the quantiles of what p counts, the others at those of the rest.
            many: how many dots there are.
        """
        low, high = (
            [bar.counted if (bar.low + bar.high < 2 * self.null) == below else 0.0 for bar in self.bars]
            for below in (True, False)
        )
        part = extreme * sum(low) / (sum(low) + sum(high) or 1.0)
        # Of an odd number, the side of what was seen has one more.
        below = math.floor(part + 0.5 + 1e-9) if self.observed < self.null else math.ceil(part - 0.5 - 1e-9)
        plain = self._quantiles([bar.share - bar.counted for bar in self.bars], many - extreme)
        return plain, [*self._quantiles(low, below), *self._quantiles(high, extreme - below)]

    def _quantiles(self, shares: Sequence[float], many: int) -> list[float]:
        """Return so many quantiles, evenly apart, of a part of the law; none if there is none of it."""
        ends, total, found = [*accumulate(shares)], sum(shares), []
        for number in range(many if total > 0 else 0):
            wanted = (number + 0.5) / many * total
            place = bisect_left(ends, wanted)
            bar, share = self.bars[place], shares[place]
            # Never on a cut, where it would be a dot of either bar.
            inside = min(max((wanted - ends[place] + share) / share, 0.001), 0.999)
            found.append(bar.low + inside * (bar.high - bar.low))
        return found

    def flipped(self) -> Histogram:
        """Return the histogram of the opposite difference."""
        turned = tuple(bar.flipped() for bar in reversed(self.bars))
        return replace(self, bars=turned, observed=-self.observed, edge=-self.edge, null=-self.null)

    def moved(self, null: float) -> Histogram:
        """Return the histogram around a null value other than 0."""
        bars = tuple(replace(bar, low=bar.low + null, high=bar.high + null) for bar in self.bars)
        return replace(self, bars=bars, observed=self.observed + null, edge=self.edge + null, null=null)


@dataclass(frozen=True, kw_only=True)
class Joint:
    """How often both systems, one alone, or neither did well on the examples of a class."""

    label: str
    both: int
    only_a: int
    only_b: int
    neither: int

    @property
    def n(self) -> int:
        """How many examples there are."""
        return self.both + self.only_a + self.only_b + self.neither


@dataclass(frozen=True, kw_only=True)
class Outcomes:
    """The joint outcomes of every class, the largest first."""

    classes: tuple[Joint, ...]
    kind: str
    """"labels" (right or wrong), "open" (response sets: what neither mentions is not counted), or "scores" (who does
    better, where `neither` is empty and `both` are equals)."""
    merged: int = 0
    """How many classes the last row stands for, if there are too many to show."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """The difference inside one group, or one stratum."""

    label: str
    difference: float
    interval: Interval | None
    n: int


@dataclass(frozen=True, kw_only=True)
class Spread:
    """Many differences, from the least to the greatest: all of them, or so many of them as lie evenly apart by rank."""

    values: tuple[float, ...]
    total: int

    @property
    def whole(self) -> bool:
        """Whether these are all."""
        return len(self.values) == self.total

    def quantile(self, share: float) -> float:
        """Return the value that has this share of the others below it."""
        return self.values[min(int(share * len(self.values)), len(self.values) - 1)]

    def flipped(self) -> Spread:
        """Return the opposite differences."""
        return replace(self, values=tuple(-value for value in reversed(self.values)))


@dataclass(frozen=True, kw_only=True)
class ClassScores:
    """Both systems' scores on one class against all others."""

    label: str
    a: float
    b: float
    n: int
    """How many examples are of the class."""


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The differences by group or stratum: each by its name where they are few, all as a spread, and how many each way."""

    rows: tuple[Part, ...]
    """From the least difference to the greatest; empty where there are too many to name."""
    spread: Spread
    by: str
    total: int
    higher: int
    lower: int
    """In how many the score of b is higher, or lower, than that of a."""
    blank: int
    """In how many there is no score."""


@dataclass(frozen=True, kw_only=True)
class PlotData:
    """What pictures of a comparison are drawn from; None if the data do not have it."""

    luck: Histogram | None = None
    posterior: Histogram | None = None
    """The draws of the difference, if the test has a posterior; what is counted is below 0."""
    outcomes: Outcomes | None = None
    parts: Parts | None = None
    classes: tuple[ClassScores, ...] = ()
    """Of an average over classes: what is averaged, the largest gain of b first."""
    spread: Spread | None = None
    """Of scores that are no marks: the differences of single examples."""
