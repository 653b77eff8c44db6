"""What a ranking knows of battles: who met whom and won how often, what ratings make of it, and what being shown first is worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from referee.results.base import Written

Unrated: TypeAlias = Literal["won all", "lost all", "apart", "never met"]
"""Why a model has no rating: it won or lost all its battles; the part of the models that it is in won or lost all battles with the
others; or it never met them, not even through others."""
MEAN = 1000.0
"""The mean of the ratings over battles: each model counts by the number of its battles."""
POINTS = 400.0
"""So many points more make the odds of winning ten times as high."""


@dataclass(frozen=True, kw_only=True)
class Record(Written):
    """The battles of one model."""

    name: str
    battles: int
    wins: float
    """On a graded scale a slight preference is three quarters of a win."""
    win_rate: float | None
    """The share of its battles that it won, a tie being half a win."""
    unrated: Unrated | None
    """Why it has no rating; None if it has one."""


@dataclass(frozen=True, kw_only=True)
class HeadToHead(Written):
    """Two models that met."""

    a: str
    b: str
    battles: int
    win_rate: float
    """The share of these battles that b won, a tie being half a win."""
    expected: float | None
    """What the ratings say it should be; None if one of them has none."""


@dataclass(frozen=True, kw_only=True)
class FirstPlace(Written):
    """What being shown first is worth."""

    points: float
    """It is as good as so many points of rating."""
    low: float
    high: float
    win_rate: float
    """The share of battles with an equal that the model that is shown first wins."""
    p_value: float


@dataclass(frozen=True, kw_only=True)
class Agreement(Written):
    """Whether the wins of pairs are what ratings make of them: Pearson's chi-squared over the pairs that met."""

    statistic: float
    df: float
    p_value: float
    a: str
    """The pair that is furthest off."""
    b: str


@dataclass(frozen=True, kw_only=True)
class BattleRecord(Written):
    """All battles of a ranking."""

    ties: int
    models: tuple[Record, ...]
    """In the order of the ranking."""
    head_to_head: tuple[HeadToHead, ...]
    """The pairs that met, in the order of the ranking."""
    agreement: Agreement | None
    """None if there is nothing to see it by."""
    first_place: FirstPlace | None
    """None if every two models met in one order only."""
