"""The line that an audit adds to a comparison: how the very test that was used behaves on data like these."""

from __future__ import annotations

from typing import Any

from referee.auditing.cells import Design, run_cell, sets_for
from referee.auditing.grid import binomial_error
from referee.auditing.worlds import TIE, can_tilt
from referee.counts import Counts
from referee.metrics.base import Metric
from referee.population import Population
from referee.randomness import Streams
from referee.significance import Test
from referee.units import tally_of

AUDIT = 9
"""The child of a result's streams that the audit draws from."""


def behaviour(
    counts: Counts, metric: Metric, test: Test, alternative: str, alpha: float, streams: Streams
) -> dict[str, Any]:
    """Return the false-alarm rate of a test on data like these with its error, its power, and under which null.

    The null is the nearest world in which the systems tie; where there is none, the one in which they are exchangeable.
    """
    sets, population = sets_for(tally_of(counts, metric)), Population.of(counts)
    null = "tilt" if can_tilt(metric) and population.tilt(metric) is not None else "swap"
    design = Design(
        metric=metric, tests=(str(test),), alphas=(alpha,), sets=sets, nulls=(null,), alternative=alternative,
        coverage=False, rng=int(streams.child(AUDIT).at(0).integers(2**62)),
    )  # fmt: skip
    cell = run_cell(design, population, None, counts.n)
    rejected = cell["tests"][str(test)]["rejected"]
    alarm = rejected[null][0] / sets
    return {
        "false_alarm": alarm,
        "false_alarm_error": binomial_error(alarm, sets),
        "power": rejected["true"][0] / sets if abs(cell["difference"]) > TIE else None,
        "null": null,
        "sets": sets,
    }
