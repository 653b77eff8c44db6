"""The rules by which a statement of the paper counts as confirmed: each is a function of the points and nothing else.

A point is a row of `points`: alpha_true with its Monte Carlo error and its spread over categories, and power. What has
no number (no category in which H0 holds, or none in which it does not) is left out; where too little is left, a rule
returns None: it cannot be judged.

One measure serves optimism and pessimism, and so unlike models and like ones: a rate is off alpha where it is two
Monte Carlo errors away from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from math import fsum

from referee_papers.claims import Row, Verdict

ERRORS = 2.0
"""By how many Monte Carlo errors a rate must differ from alpha to be called different."""
ALIKE = {"alpha_true": 0.02, "power": 0.05}
"""Mean gaps up to which two lines are alike."""
NEAR = 0.3
"""Within this share of alpha a rate has reached it."""
LOW = 0.5
"""Power below it is low."""
SMALL = 500
"""A set of so many examples is small."""
EXACT = ("tilt", "swap")
"""The nulls that are true by construction."""
Line = Sequence[Row]
"""The points of one test, by size."""


def rule(*keys: str, fewest: int = 1) -> Callable[[Callable[[list[Row]], bool]], Callable[[Line], Verdict]]:
    """Make a rule of a condition on the points that have a number; of fewer than so many it cannot be judged."""

    def decorate(holds: Callable[[list[Row]], bool]) -> Callable[[Line], Verdict]:
        @wraps(holds)
        def judge(rows: Line) -> Verdict:
            points = known(rows, *keys)
            return bool(holds(points)) if len(points) >= fewest else None

        return judge

    return decorate


def known(rows: Iterable[Row], *keys: str) -> list[Row]:
    """Return the points that have these numbers; alpha_true if none is named."""
    return [row for row in rows if all(row[key] is not None for key in keys or ("alpha_true",))]


def average(points: Line) -> float:
    """Return the mean of alpha_true over points that have one."""
    return fsum(row["alpha_true"] for row in points) / len(points)


def is_optimistic(row: Row) -> bool:
    """Say whether a test raises more false alarms than alpha, and not by chance."""
    return bool(row["alpha_true"] > row["alpha"] + ERRORS * row["error"])


def _margin(points: Line) -> float:
    """Return how far the mean of alpha_true must be from alpha to be called different."""
    return float(ERRORS * (sum(row["error"] ** 2 for row in points) ** 0.5 / len(points)))


@rule()
def on_average_optimistic(points: list[Row]) -> bool:
    """Alpha_true is above alpha by two errors, in the mean over sizes and at more than half of the sizes."""
    above = average(points) > points[0]["alpha"] + _margin(points)
    return above and 2 * sum(map(is_optimistic, points)) > len(points)


@rule()
def always_pessimistic(points: list[Row]) -> bool:
    """Alpha_true is below alpha by two errors in the mean over sizes, and at no size above alpha by two errors."""
    return average(points) < points[0]["alpha"] - _margin(points) and not any(map(is_optimistic, points))


def ever_optimistic(rows: Line, largest: int = SMALL) -> Verdict:
    """Some size up to the given one is optimistic."""
    points = [row for row in known(rows) if row["n"] <= largest]
    return any(map(is_optimistic, points)) if points else None


@rule(fewest=2)
def approaches(points: list[Row]) -> bool:
    """Alpha_true is nearer to alpha at the largest size than at the smallest."""
    first, last = (abs(row["alpha_true"] - row["alpha"]) for row in (points[0], points[-1]))
    return bool(last < first)


@rule()
def reaches(points: list[Row]) -> bool:
    """At the largest size alpha_true is within 30 % of alpha."""
    return bool(abs(points[-1]["alpha_true"] - points[-1]["alpha"]) <= NEAR * points[-1]["alpha"])


@rule("spread", fewest=2)
def narrows(points: list[Row]) -> bool:
    """The spread over categories is smaller at the largest size than at the smallest."""
    return bool(points[-1]["spread"] < points[0]["spread"])


@rule("alpha_true", "spread")
def mostly_within_spread(points: list[Row]) -> bool:
    """At more than half of the points alpha_true less its spread over categories is below alpha."""
    below = [row for row in points if row["alpha_true"] - row["spread"] < row["alpha"]]
    return 2 * len(below) > len(points)


@rule("power")
def low_at_largest(points: list[Row]) -> bool:
    """Power is below one half at the largest size."""
    return bool(points[-1]["power"] < LOW)


def alike(one: Line, other: Line, key: str = "alpha_true") -> Verdict:
    """Two lines differ by at most .02 in alpha_true (.05 in power) in the mean over sizes."""
    gaps = [abs(x - y) for x, y in _pairs(one, other, key)]
    return fsum(gaps) / len(gaps) <= ALIKE[key] if gaps else None


def higher(one: Line, other: Line, key: str) -> Verdict:
    """The one line is above the other in the mean over the sizes that both have."""
    pairs = _pairs(one, other, key)
    return bool(sum(x for x, _ in pairs) > sum(y for _, y in pairs)) if pairs else None


def lower(one: Line, other: Line, key: str) -> Verdict:
    """The one line is below the other in the mean over the sizes that both have."""
    return higher(other, one, key)


def _pairs(one: Line, other: Line, key: str) -> list[tuple[float, float]]:
    """Return the numbers at the sizes at which both lines have one."""
    return [(x[key], y[key]) for x, y in zip(one, other, strict=True) if x[key] is not None and y[key] is not None]


def agree(judge: Callable[[str], Verdict]) -> Verdict:
    """Return whether a statement holds under the exact nulls; None where neither tells, or they contradict each other."""
    verdicts = {judge(null) for null in EXACT} - {None}
    return verdicts.pop() if len(verdicts) == 1 else None
