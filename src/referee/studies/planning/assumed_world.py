"""Assumed worlds: what a plan takes for true, and the test sets that are drawn from it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from referee.data.columns import Floats, Ints
from referee.data.counts import Counts
from referee.metrics.base import Metric
from referee.runtime.randomness import Streams
from referee.significance.laws.score import ScoreLaw
from referee.significance.rank_tally import AnyTally, tally_of
from referee.significance.score_test import Score
from referee.significance.tally import AT_ONCE, Tally
from referee.studies.auditing.population import Population, World, can_tilt

LARGE = 1e6
"""So many units stand for any number of them where only shares matter."""
SETS, FEWEST_SETS = 400, 100
"""How many sets are drawn to see how a difference is spread that has no simple standard error; of large pilots fewer."""
RIGHT_OR_WRONG = ("accuracy", "error", "mean")
"""The metrics of which it matters just how often both systems are right."""
SLACK = 1e-9
"""By how much the difference of a world may miss what was asked for, relative to it."""


@dataclass(frozen=True, eq=False)
class Assumed:
    """A world with a known difference: the kinds of units that there are, and how likely each is."""

    tally: AnyTally
    shares: Floats
    size: float = 1.0
    """How many examples a unit has on average."""
    moved: float | None = None
    """The difference, if no world is known that has it: then only the spread is that of the units."""

    @cached_property
    def scores(self) -> tuple[float, float]:
        """The true scores of A and B."""
        a, b = self.tally.scores(self.shares * LARGE).tolist()
        return float(a), float(b)

    @property
    def difference(self) -> float:
        """The true difference b - a."""
        a, b = self.scores
        return b - a if self.moved is None else self.moved

    @cached_property
    def spread(self) -> float:
        """The standard error of the difference times the root of the number of units, if these are many."""
        if isinstance(self.tally, Tally):
            return float(self.tally.standard_errors(self.shares * LARGE)) * math.sqrt(LARGE)
        units = max(self.tally.units, 100)
        sets = int(np.clip(AT_ONCE // len(self.shares), FEWEST_SETS, SETS))
        drawn = [self.draw(units, 1, Streams.of(place)) for place in range(sets)]
        known = [self.tally.differences(batch) for batch in drawn if not self.tally.blank(batch).any()]
        return float(np.concatenate(known).std()) * math.sqrt(units) if known else math.nan

    @cached_property
    def agreement(self) -> float | None:
        """How often both answers are right or both wrong; None if answers are more than that."""
        of_answers = (
            isinstance(self.tally, Tally) and not self.tally.grouped and self.tally.metric.name in RIGHT_OR_WRONG
        )
        values = self.tally.means() if of_answers and isinstance(self.tally, Tally) else None
        if values is None or not set(np.unique(np.concatenate(values[:2]))) <= {0.0, 1.0}:
            return None
        return float(self.shares @ (values[0] == values[1]))

    def draw(self, units: int, sets: int, streams: Streams) -> Ints:
        """Draw test sets of so many units: [set, kind]; within strata, if there are some, each as large as its share."""
        strata = self.tally.strata if isinstance(self.tally, Tally) else np.zeros(len(self.shares), np.int64)
        out, drawn = np.zeros((sets, len(self.shares)), dtype=np.int64), 0
        kinds = np.unique(strata).tolist()
        weights = [float(self.shares[strata == kind].sum()) for kind in kinds]
        ends = np.rint(np.cumsum(weights) / sum(weights) * units).astype(np.int64).tolist()
        for place, (kind, end) in enumerate(zip(kinds, ends, strict=True)):
            inside = np.flatnonzero(strata == kind)
            share = self.shares[inside] / self.shares[inside].sum()
            out[:, inside] = streams.at(place).multinomial(end - drawn, share, size=sets)
            drawn = end
        return out


def near_pilot(counts: Counts, metric: Metric, difference: float) -> Assumed | None:
    """Return the world nearest to a pilot in which the systems differ by so much; None where none is found.

    It is the likeliest one if all possible outcomes are known, and otherwise that of the least divergence among the units that
    were seen.
    """
    tally = tally_of(counts, metric)
    if isinstance(tally, Tally) and not tally.grouped and Score().misfit(tally) is None:
        law = ScoreLaw(tally)
        found = law.worlds_at(tally.multiplicities, np.array([difference]))
        if found.found[0]:
            expected = found.expected[0]
            return _checked(Assumed(law.whole(), expected / expected.sum()), difference)
    population, moved = Population.of(counts), None
    seen: Population | None = population
    if abs(population.difference(metric) - difference) > SLACK * abs(difference):
        seen, moved = (population.tilt(metric, difference), None) if can_tilt(metric) else (population, difference)
    if seen is None:
        return None
    world = World.of(seen, metric)
    return _checked(Assumed(world.tally, seen.shares(world.tally), world.mean_size, moved), difference)


def _checked(world: Assumed, difference: float) -> Assumed | None:
    """Return a world if its difference is what was asked for."""
    return world if abs(world.difference - difference) <= 1e-4 * max(abs(difference), 1e-3) else None


def of_answers(right: tuple[float, float], agreement: float, metric: Metric) -> Assumed:
    """Return the world of answers that are right or wrong.

    Args:
        right: how often A is right, and how often B is.
        agreement: how often both are right or both wrong.
        metric: accuracy, or what is computed from right and wrong alike.
    """
    apart, ahead = 1 - agreement, right[1] - right[0]
    only_a, only_b = (apart - ahead) / 2, (apart + ahead) / 2
    both = right[0] - only_a
    cells = {(1, 1): both, (1, 0): only_a, (0, 1): only_b, (0, 0): 1 - both - apart}
    a, b = zip(*cells, strict=True)
    # Some of everything, so that no kind of answer is left out.
    counts = Counts.of({"truth": [1] * 4, "a": a, "b": b}, [1] * 4)
    tally = tally_of(counts, metric)
    order = [cells[cell] for cell in zip(counts["a"].tolist(), counts["b"].tolist(), strict=True)]
    shares = np.bincount(tally.place, np.clip(order, 0.0, 1.0), len(tally.multiplicities))
    return Assumed(tally, shares / shares.sum())


def independent(right: tuple[float, float]) -> float:
    """Return how often two systems agree that err independently of each other.

    >>> round(independent((0.8, 0.83)), 3)
    0.698
    """
    return right[0] * right[1] + (1 - right[0]) * (1 - right[1])
