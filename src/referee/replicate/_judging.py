"""The rules by which a finding of a paper is called confirmed: each is a function of points, none looks at anything else.

A point is a row of `_tables`: alpha_true with its Monte-Carlo error and its spread over categories, and power. What has
no number (no category in which H0 holds, or none in which it does not) is left out; where nothing is left, a rule
returns None: it cannot be judged.

One measure serves optimism and pessimism, and so unlike models and like ones: a rate is off alpha where it is two
Monte-Carlo errors away from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from referee.studies.auditing.grid import mean

Row = dict[str, Any]
ERRORS = 2.0
"""By how many Monte-Carlo errors a rate must differ from alpha to be called different."""
ALIKE_SIZE, ALIKE_POWER = 0.02, 0.05
"""Mean gaps up to which two lines are alike."""
NEAR = 0.3
"""Within this share of alpha a rate has reached it."""
LOW = 0.5
"""Power below it is low."""


def known(rows: Iterable[Row], key: str = "alpha_true") -> list[Row]:
    """Return the points that have a number."""
    return [row for row in rows if row[key] is not None]


def average(rows: Iterable[Row], key: str = "alpha_true") -> float | None:
    """Return the mean over the points that have a number."""
    return mean([row[key] for row in known(rows, key)])


def mean_error(rows: Iterable[Row]) -> float:
    """Return the Monte-Carlo error of the mean of alpha_true."""
    errors = [row["error"] for row in known(rows)]
    return float(sum(error**2 for error in errors) ** 0.5 / max(1, len(errors)))


def is_optimistic(row: Row) -> bool:
    """Say whether a test raises more false alarms than alpha, and not by chance."""
    return bool(row["alpha_true"] > row["alpha"] + ERRORS * row["error"])


def on_average_optimistic(rows: Sequence[Row]) -> bool | None:
    """Alpha_true is above alpha by two errors, in the mean over sizes and at more than half of the sizes."""
    points = known(rows)
    if not points:
        return None
    above = (average(points) or 0.0) > points[0]["alpha"] + ERRORS * mean_error(points)
    return bool(above and 2 * sum(map(is_optimistic, points)) > len(points))


def always_pessimistic(rows: Sequence[Row]) -> bool | None:
    """Alpha_true is below alpha by two errors in the mean over sizes, and at no size above alpha by two errors."""
    points = known(rows)
    if not points:
        return None
    below = (average(points) or 0.0) < points[0]["alpha"] - ERRORS * mean_error(points)
    return bool(below and not any(map(is_optimistic, points)))


def ever_optimistic(rows: Sequence[Row], largest: int) -> bool | None:
    """Some size up to the given one is optimistic."""
    points = [row for row in known(rows) if row["n"] <= largest]
    return any(map(is_optimistic, points)) if points else None


def approaches(rows: Sequence[Row]) -> bool | None:
    """Alpha_true is nearer to alpha at the largest size than at the smallest."""
    points = known(rows)
    if len(points) < 2:
        return None
    first, last = (abs(row["alpha_true"] - row["alpha"]) for row in (points[0], points[-1]))
    return bool(last < first)


def reaches(rows: Sequence[Row]) -> bool | None:
    """At the largest size alpha_true is within 30 % of alpha."""
    points = known(rows)
    return (
        None if not points else bool(abs(points[-1]["alpha_true"] - points[-1]["alpha"]) <= NEAR * points[-1]["alpha"])
    )


def narrows(rows: Sequence[Row]) -> bool | None:
    """The spread over categories is smaller at the largest size than at the smallest."""
    points = known(rows, "spread")
    return None if len(points) < 2 else bool(points[-1]["spread"] < points[0]["spread"])


def gap(one: Sequence[Row], other: Sequence[Row], key: str) -> float | None:
    """Return the mean absolute gap over the sizes that both have."""
    pairs = [(x[key], y[key]) for x, y in zip(one, other, strict=True) if x[key] is not None and y[key] is not None]
    return mean([abs(x - y) for x, y in pairs])


def alike(one: Sequence[Row], other: Sequence[Row], key: str = "alpha_true") -> bool | None:
    """Two lines differ by at most .02 in alpha_true (.05 in power) in the mean over sizes."""
    apart = gap(one, other, key)
    return None if apart is None else apart <= (ALIKE_POWER if key == "power" else ALIKE_SIZE)


def higher(one: Sequence[Row], other: Sequence[Row], key: str) -> bool | None:
    """The one line is above the other in the mean over the sizes that both have."""
    pairs = [(x[key], y[key]) for x, y in zip(one, other, strict=True) if x[key] is not None and y[key] is not None]
    return bool(sum(x for x, _ in pairs) > sum(y for _, y in pairs)) if pairs else None


def mostly_within_spread(rows: Sequence[Row]) -> bool | None:
    """At more than half of the points alpha_true less its spread over categories is below alpha."""
    points = [row for row in known(rows) if row["spread"] is not None]
    below = sum(row["alpha_true"] - row["spread"] < row["alpha"] for row in points)
    return 2 * below > len(points) if points else None


def low_at_largest(rows: Sequence[Row]) -> bool | None:
    """Power is below one half at the largest size."""
    points = known(rows, "power")
    return points[-1]["power"] < LOW if points else None


def everywhere(verdicts: Iterable[bool | None]) -> bool | None:
    """It holds wherever it can be judged."""
    told = [verdict for verdict in verdicts if verdict is not None]
    return all(told) if told else None


def mostly(verdicts: Iterable[bool | None]) -> bool | None:
    """It holds in more than half of where it can be judged."""
    told = [verdict for verdict in verdicts if verdict is not None]
    return 2 * sum(told) > len(told) if told else None


def somewhere(verdicts: Iterable[bool | None]) -> bool | None:
    """It holds at least once."""
    told = [verdict for verdict in verdicts if verdict is not None]
    return any(told) if told else None


Judge = Callable[[str], bool | None]
"""A null -> whether a finding holds under it."""


def agreed(judge: Judge, exact: Sequence[str] = ("tilt", "swap")) -> bool | None:
    """Return whether a finding holds under the exact nulls; None where neither tells, or they contradict each other."""
    told = {judge(null) for null in exact} - {None}
    return told.pop() if len(told) == 1 else None
