"""The intervals of both systems' own scores."""

from __future__ import annotations

from referee.results.comparison import Interval
from referee.runtime.randomness import Streams
from referee.significance.distributions import z_quantile
from referee.significance.laws.score_ends import ends_of
from referee.significance.own_laws import Worlds, is_drawn, own_law
from referee.significance.rank_tally import AnyTally
from referee.significance.score_test import Score
from referee.significance.tally import Tally


def score_intervals(tally: AnyTally, level: float, streams: Streams) -> tuple[Interval | None, Interval | None]:
    """Return an interval of A's score and one of B's, each from the law of that score."""
    a, b = (own_law(tally, system, streams) for system in (0, 1))
    if isinstance(a, Worlds) and isinstance(b, Worlds):
        # Their searches go together.
        ends = ends_of([a.law, b.law], a.tally.multiplicities, z_quantile((1 + level) / 2))
        return a.made(ends[0], level), b.made(ends[1], level)
    return a.interval(level), b.interval(level)


def score_doubts(tally: AnyTally) -> tuple[str, ...]:
    """Warn if the ends of an interval, of the difference or of a score, could not be found for certain."""
    return Score().doubts(tally) if isinstance(tally, Tally) else ()


def has_closed_intervals(tally: AnyTally) -> bool:
    """Say whether the scores' intervals come from formulas and not from draws."""
    return not is_drawn(tally)
