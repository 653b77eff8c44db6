"""Worlds: what a test meets when test sets are drawn from a population, as it is or under a null hypothesis."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from referee.data.columns import Floats, Ints, factorize
from referee.errors import InputError, Misfit
from referee.metrics.base import Metric
from referee.runtime.randomness import Streams
from referee.significance.rank_tally import AnyTally, tally_of
from referee.studies.auditing.population import Population

NULLS = ("tilt", "swap", "observed")
"""The last needs no world of its own: it is the categories in which the systems tie as they are."""
TIE = 1e-9
"""Within what difference the systems tie in a population."""


@dataclass(frozen=True, eq=False)
class World:
    """A population seen through a metric: the units that a test sees, and how drawn units become them."""

    population: Population
    tally: AnyTally
    spread: Floats | None
    """[drawn unit, seen unit]: how many of the one are in the other, where a test ignores groups."""
    mean_size: float
    """Examples in a drawn unit, on average."""

    @classmethod
    def of(cls, population: Population, metric: Metric, *, ignore_groups: bool = False) -> World:
        """See a population through a metric; groups are drawn whole even where the test ignores them."""
        counts = population.counts
        if "group" not in counts:
            return cls(population, tally_of(counts, metric), None, 1.0)
        groups = factorize(counts["group"])[1]
        sizes = np.bincount(groups, counts.multiplicities, len(population.probabilities))
        mean_size = float(population.probabilities @ sizes)
        if not ignore_groups:
            return cls(population, tally_of(counts, metric), None, mean_size)
        # Not counts.without("group"), which would merge rows: each must still be known by its group.
        kept = {role: values for role, values in counts.columns.items() if role != "group"}
        tally = tally_of(replace(counts, columns=kept), metric)
        spread = np.zeros((len(population.probabilities), len(tally.multiplicities)))
        np.add.at(spread, (groups, tally.place), counts.multiplicities)
        return cls(population, tally, spread, mean_size)

    def units(self, n: int) -> int:
        """Return how many units a test set of n examples has."""
        return max(1, round(n / self.mean_size))

    def batch(self, n: int, sets: int, streams: Streams) -> Ints:
        """Draw test sets of n examples: [set, unit] multiplicities of what the test sees."""
        drawn = self.population.multiplicities(self.units(n), sets, streams)
        if self.spread is not None:
            return np.rint(drawn @ self.spread).astype(np.int64)
        place, width = self.tally.place, len(self.tally.multiplicities)
        if len(place) == width and (place == np.arange(width)).all():
            return drawn
        out = np.zeros((len(drawn), width), dtype=np.int64)
        np.add.at(out.T, place, drawn.T)
        return out


def can_tilt(metric: Metric) -> bool:
    """Say whether the nearest tie can be found: for metrics of totals and AUC, whose slopes are known."""
    return metric.task != "ranking" or metric.name == "auc"


def check(population: Population, metric: Metric, name: str | None) -> None:
    """Raise where a category has nothing to measure: no positive example, or one class only."""
    told = "the population" if name is None else f"the category {name!r}"
    try:
        tally = tally_of(population.counts, metric)
    except Misfit as error:
        raise type(error)(f"{told}: {error}") from error
    positive = getattr(getattr(tally, "bound", None), "positive", None)
    truth = population.counts.get("truth")
    empty = positive is not None and truth is not None and not (truth == positive).any()
    if empty or bool(np.any(tally.blank(population.shares(tally)))):
        then = "; leave it out" if name is not None else ""
        raise InputError(
            f"{told} is empty: {metric} has nothing to measure, since the truth has no example of a class that it needs{then}"
        )
