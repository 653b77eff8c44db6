"""Weighting: how much weighted examples say together. Frozen and complete."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.results.base import Written

if TYPE_CHECKING:
    from referee.data.counts import Counts


@dataclass(frozen=True, kw_only=True)
class Weighting(Written):
    """How unequal the weights of examples are."""

    effective: float
    """How many examples of one weight would say as much: (Σw)²/Σw² (Kish 1965)."""
    design_effect: float
    """How many times as many examples that is: what unequal weights cost, if they have nothing to do with the answers."""
    largest: float
    """The share of the total weight that the heaviest example carries."""

    @classmethod
    def of(cls, counts: Counts) -> Weighting | None:
        """Return how unequal the weights of counts are; None if they have none."""
        own, times = counts.weights, counts.multiplicities
        if own is None:
            return None
        total = math.fsum((times * own).tolist())
        effective = total**2 / math.fsum((times * own**2).tolist())
        return cls(effective=effective, design_effect=counts.n / effective, largest=float(own.max()) / total)
