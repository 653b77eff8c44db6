"""The variance of a difference by where it comes from: between groups, between those that cross them, between repeats, and the rest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from referee.results.base import Written

Source: TypeAlias = Literal["group", "crossed", "cell", "rows"]
"""Between the levels of the group, and of the second one; between cells of the two beyond that; between the rows of a group or cell."""


@dataclass(frozen=True, kw_only=True)
class Part(Written):
    """What one source has in the variance of the difference."""

    source: Source
    name: str
    """What the column is called; nothing of cells and rows."""
    levels: int
    """How many of them there are: groups, cells or rows."""
    component: float
    """The variance of what a single one adds to the difference (a variance component, in squares of the metric's unit)."""
    variance: float
    """What that comes to in the difference: its part of the squared standard error."""
    share: float | None
    """That as a share of the whole; None if nothing varies."""
    negative: bool = False
    """Whether the estimate of the component was below 0, and is counted as 0."""


@dataclass(frozen=True, kw_only=True)
class VarianceSplit(Written):
    """How the variance of the difference splits, by the method of moments."""

    parts: tuple[Part, ...]
    icc: float | None
    """The intraclass correlation of the groups: the part of a single row's variance that rows of one group share."""
    repeats: bool = False
    """Whether the rows of a group are repeats of one example."""
    balanced: bool = False
    """Whether all groups have equally many rows, as a design of items and repeats has."""
    method: Literal["analysis of variance"] = "analysis of variance"

    @property
    def crossed(self) -> bool:
        """Whether two groups cross each other."""
        return self.part("crossed") is not None

    @property
    def variance(self) -> float:
        """The variance of the difference: its standard error squared."""
        return sum(part.variance for part in self.parts)

    def part(self, source: Source) -> Part | None:
        """Return the part of a source; None if the data have no such thing."""
        return next((part for part in self.parts if part.source == source), None)

    def saved(self, source: Source) -> float | None:
        """Return by what share twice as many of a source would cut the standard error; None if nothing varies."""
        # Of twice as many groups there are twice as many cells and rows too.
        halved = ("rows",) if source == "rows" else (source, "cell", "rows")
        left = sum(part.variance / (2 if part.source in halved else 1) for part in self.parts)
        return 1 - math.sqrt(left / self.variance) if self.variance > 0 else None

    @classmethod
    def from_dict(cls, content: dict[str, Any] | None) -> VarianceSplit | None:
        """Read what `to_dict` wrote."""
        if content is None:
            return None
        return cls(**{**content, "parts": tuple(Part(**part) for part in content["parts"])})
