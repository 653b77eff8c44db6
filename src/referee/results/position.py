"""Preferences as a result has them: wins, ties and losses, and what being shown first does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.results.base import Written

if TYPE_CHECKING:
    from referee.results.comparison import Interval


@dataclass(frozen=True, kw_only=True)
class Preferences(Written):
    """How many judgements B won, tied and lost; on a graded scale a slight preference is a win too."""

    wins: int
    ties: int
    losses: int


@dataclass(frozen=True, kw_only=True)
class Position(Written):
    """How often the system that was shown first wins, each of the two being first as often as the other."""

    first_wins: float
    interval: Interval | None
    p_value: float | None
    """That of no position bias."""
    a_first: int
    b_first: int
    """In how many judgements A, and B, was shown first."""
    rate_a_first: float
    rate_b_first: float
    """B's win rate where A, and where B, was shown first."""
    pooled: float
    """B's win rate if every judgement counts the same; its score counts both orders the same."""
    pairs: int | None = None
    """How many items were judged once in either order."""
    consistent: int | None = None
    """On how many of them both judgements agree."""
