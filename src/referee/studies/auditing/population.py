"""Population: rows of outcomes with weights, from which test sets are drawn, as they are or under a null hypothesis."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from referee.data.columns import Floats, Ints, factorize
from referee.data.counts import Counts
from referee.errors import Argument, InputError, Message, Misfit, OptionError, unknown
from referee.metrics.base import Metric
from referee.runtime.randomness import Rng, Streams, blocks
from referee.significance.rank_tally import AnyTally, tally_of
from referee.significance.tally import Tally

NULLS = ("tilt", "swap", "observed")
"""The last needs no world of its own: it is the categories in which the systems tie as they are."""
TIE = 1e-9
"""Within what difference the systems tie in a population."""
BLOCK = 256
"""How many test sets share a stream."""
STEEPEST = 600.0
"""The largest log of a change of weight; a null beyond it would empty a cell."""
LATER = 1 << 24
"""The children of streams that later looks draw from: beyond those that rows of a batch have."""
FOLDER, ENDING = files("referee.studies.auditing.populations"), ".json.gz"
SVM = {"linear": "linear SVM", "rbf": "Gaussian SVM", "mlp": "MLP"}
CORPORA = {"wordnet": "WordNet glosses", "rcv1": "Reuters RCV1 documents"}
_FILES = (entry.name.removesuffix(ENDING) for entry in FOLDER.iterdir() if entry.name.endswith(ENDING))
SHIPPED = tuple(sorted(name for name in _FILES if not name.endswith("-documents")))
"""The populations that come with referee: counts of what models predicted on large corpora."""


@dataclass(frozen=True, eq=False)
class Population:
    """The units of counts with their probabilities: the rows, or the groups if there are groups.

    >>> from referee.data.counts import from_events
    >>> world = Population.of(from_events([61, 14, 9, 21, 6, 11, 5, 873]))
    >>> world.draw(100, rng=1).n
    100
    """

    counts: Counts
    """The rows. Multiplicities do not matter, except inside a group, which is drawn whole."""
    probabilities: Floats
    """One a unit: a row, or a group in the order of its name."""
    size: int | None = None
    """How many examples it was made of; None of one that was made up."""

    @classmethod
    def of(cls, counts: Counts) -> Population:
        """Take the shares of counts as the truth; all groups are equally likely."""
        if counts.n == 0:
            raise InputError("a population needs at least one example")
        if not counts.paired:
            raise InputError("a population needs both systems' answers to the same examples; these are two samples")
        if "group" in counts:
            groups = len(factorize(counts["group"])[0])
            return cls(counts, np.full(groups, 1.0 / groups), counts.n)
        return cls(counts, counts.multiplicities / counts.n, counts.n)

    @classmethod
    def from_weights(cls, columns: Mapping[str, Any], weights: Any, **about: Any) -> Population:
        """Build a population from columns of values and a weight for each row.

        Args:
            columns: role to values, as in Counts.of; no groups.
            weights: non-negative numbers, not all 0; they are scaled to add up to 1.
            about: names, positive, open, as in Counts.of.
        """
        given = np.asarray(weights, dtype=np.float64)
        if given.ndim != 1 or not np.isfinite(given).all() or (given < 0).any() or given.sum() <= 0:
            raise InputError("weights must be finite, not negative and not all 0")
        if "group" in columns:
            raise InputError("a population of groups is made from counts", remedy="use Population.of(counts)")
        rows = Counts.of({**columns, "group": np.arange(len(given))}, **about)
        place = rows["group"]
        merged = Counts.of({role: rows[role] for role in columns}, **about)
        index = {row: i for i, row in enumerate(zip(*(merged[role].tolist() for role in columns), strict=True))}
        total = np.zeros(len(merged))
        for row, weight in zip(zip(*(rows[role].tolist() for role in columns), strict=True), given[place], strict=True):
            total[index[row]] += weight
        return cls(merged, total / total.sum())

    @property
    def _about(self) -> dict[str, Any]:
        kept = self.counts
        return {"names": kept.names, "positive": kept.positive, "open": kept.open, "about": kept.about}

    def multiplicities(self, n: int, sets: int, rng: Rng | Streams = 0) -> Ints:
        """Draw test sets of n units: [set, unit] multiplicities; the first sets do not depend on how many follow."""
        if n < 1 or sets < 1:
            few = f"a draw needs at least one example and one set; n is {n}, sets is {sets}"
            raise OptionError(few, argument="n" if n < 1 else "sets", value=min(n, sets))
        streams = Streams.of(rng)
        parts = [
            streams.at(b).multinomial(n, self.probabilities, size=count) for b, count in blocks(sets, BLOCK, "drawing")
        ]
        return np.concatenate(parts)

    def draw(self, n: int, rng: Rng | Streams = 0) -> Counts:
        """Draw one test set of n units; a group that is drawn twice counts as two groups."""
        drawn = self.multiplicities(n, 1, rng)[0]
        if "group" not in self.counts:
            return Counts.of(dict(self.counts.columns), drawn, **self._about)
        unit = factorize(self.counts["group"])[1]
        repeat = drawn[unit]
        rows = np.repeat(np.arange(len(unit)), repeat)
        copy = np.arange(len(rows)) - np.repeat(np.cumsum(repeat) - repeat, repeat)
        columns = {role: values[rows] for role, values in self.counts.columns.items()}
        columns["group"] = unit[rows] + copy * len(drawn)
        return Counts.of(columns, self.counts.multiplicities[rows], **self._about)

    def swap(self) -> Population:
        """Return the world in which A and B are exchangeable: the average of this one and its mirror image."""
        turned = {**self.counts.columns, "a": self.counts["b"], "b": self.counts["a"]}
        columns = {role: np.concatenate([values, turned[role]]) for role, values in self.counts.columns.items()}
        if "group" not in self.counts:
            made = Population.from_weights(columns, np.tile(self.probabilities, 2), **self._about)
            return replace(made, size=self.size)
        unit = factorize(self.counts["group"])[1]
        columns["group"] = np.concatenate([unit, unit + len(self.probabilities)])
        both = Counts.of(columns, np.tile(self.counts.multiplicities, 2), **self._about)
        return Population(both, np.tile(self.probabilities, 2) / 2, self.size)

    def tilt(self, metric: Metric, value: float = 0.0) -> Population | None:
        """Return the nearest world in which A and B tie: the least KL divergence from this one at a difference of 0.

        The systems tie but otherwise stay different. None if a tie would need an empty cell.

        Args:
            metric: the metric by which they tie; a metric of totals or AUC.
            value: the difference b - a that they should have, if not 0.

        >>> from referee.data.counts import from_events
        >>> from referee.metrics import f1
        >>> tied = Population.of(from_events([61, 14, 9, 21, 6, 11, 5, 873])).tilt(f1)
        >>> abs(tied.difference(f1)) < 1e-12
        True
        """
        tally = tally_of(self.counts, metric)
        shares = self.shares(tally)
        tilted = tilted_shares(tally, shares, value)
        if tilted is None:
            return None
        change = np.divide(tilted, shares, out=np.zeros_like(shares), where=shares > 0)
        moved = self.probabilities * change[tally.place]
        return replace(self, probabilities=moved / moved.sum())

    def difference(self, metric: Metric) -> float:
        """Return the true difference b - a."""
        tally = tally_of(self.counts, metric)
        return difference(tally, self.shares(tally))

    def shares(self, tally: AnyTally) -> Floats:
        """Return the probability of each unit in a tally of these counts."""
        return np.bincount(tally.place, self.probabilities, len(tally.multiplicities)).astype(np.float64)

    def clustered(self, size: int, correlation: float, groups: int = 2000, rng: Rng | Streams = 0) -> Population:
        """Return a world of groups whose examples depend on each other, with the same shares of outcomes.

        In each group an example repeats the group's own outcome with probability √correlation, and is otherwise drawn
        like any other; so any two examples of a group have the requested correlation, in every outcome.

        Args:
            size: the number of examples per group.
            correlation: from 0 (independent) to 1 (a group is one example many times).
            groups: how many groups to make; they are the population.
            rng: the source of randomness.
        """
        needed = {"groups": groups >= 2, "size": size >= 1, "correlation": 0 <= correlation <= 1}
        wrong = next((argument for argument, right in needed.items() if not right), None)
        if wrong is not None:
            given = f"given are {groups}, {size} and {correlation:g}"
            ranges = "there must be two groups or more, of one example or more, with a correlation from 0 to 1"
            raise OptionError(f"{ranges}; {given}", argument=wrong)
        generator = Streams.of(rng).at(0)
        kinds = len(self.probabilities)
        own = generator.choice(kinds, size=(groups, 1), p=self.probabilities)
        drawn = generator.choice(kinds, size=(groups, size), p=self.probabilities)
        rows = np.where(generator.random((groups, size)) < np.sqrt(correlation), own, drawn).ravel()
        columns = {role: values[rows] for role, values in self.counts.columns.items()}
        return Population.of(Counts.of({**columns, "group": np.repeat(np.arange(groups), size)}, **self._about))


def difference(tally: AnyTally, shares: Floats) -> float:
    """Return the difference b - a where units have these shares."""
    scores = tally.scores(shares)
    return float(scores[1] - scores[0])


def tilted_shares(tally: AnyTally, shares: Floats, value: float = 0.0) -> Floats | None:
    """Return the shares q of least Σ q·ln(q/p) at which the difference has a value; None where none is found.

    At the least divergence ln(q/p) is, up to a constant, a multiple of how a little more of each unit would move the
    difference at q. So: move along that direction until the difference is there, find the direction there, and so on.
    """
    present = shares > 0
    if difference(tally, shares) == value:
        return shares
    found, direction = shares, slope(tally, shares)
    for _ in range(200):
        following = _moved_to(tally, shares, direction, value)
        if following is None:
            return None
        settled = np.abs(following - found)[present].max() <= 1e-13
        found = following
        if settled:
            break
        # Half the old direction, half the new: the steps do not swing back and forth.
        direction = (direction + slope(tally, found)) / 2
    return found


def slope(tally: AnyTally, shares: Floats) -> Floats:
    """Return how a little more of each unit would move the difference b - a."""
    if isinstance(tally, Tally):
        own = tally.bound.formula.gradient(tally.totals(shares))
        return tally.influence(own)
    if tally.metric.name != "auc":
        remedy = Message("use ", Argument("null", "swap"))
        unreached = f"a tie of {tally.metric} cannot be reached by tilting"
        raise Misfit(unreached, argument="null", value="tilt", remedy=remedy)
    return tally.auc_slope(shares)


def _moved_to(tally: AnyTally, shares: Floats, direction: Floats, value: float) -> Floats | None:
    """Return shares·exp(λ·direction), scaled to 1, with the λ that gives the difference its value."""
    size = np.abs(direction[shares > 0] - direction[shares > 0].mean()).max()
    if size == 0:
        return None
    unit = direction / size

    def at(step: float) -> Floats:
        exponent = step * unit
        # Only outcomes without a share can exceed the largest of the others, and theirs stays nothing.
        weights = shares * np.exp(np.minimum(exponent - exponent[shares > 0].max(), 0.0))
        result: Floats = weights / weights.sum()
        return result

    def gap(step: float) -> float:
        return difference(tally, at(step)) - value

    start = gap(0.0)
    sign = -np.sign(start)
    near, far = 0.0, sign * 0.01
    while gap(far) * start > 0:
        near, far = far, far * 2
        if abs(far) > STEEPEST:
            return None
    from scipy.optimize import brentq

    # The last digits of a difference are rounding, in which a search can go on for ever: it is enough to be near.
    step = float(brentq(gap, near, far, xtol=1e-15, rtol=8.9e-16, maxiter=500, disp=False))
    made = at(step)
    # A cell that has all but vanished is an emptied cell.
    kept = made[shares > 0] / shares[shares > 0]
    return made if kept.min() > 1e-9 else None


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
        return self._seen(self.population.multiplicities(self.units(n), sets, streams))

    def looks(self, n: int, sets: int, peeks: int, streams: Streams) -> Iterator[Ints]:
        """Draw test sets that arrive in batches, and yield what the test sees after each: [set, unit] multiplicities.

        Args:
            n: how many examples they have at last.
            sets: how many test sets.
            peeks: in how many batches, as equal as can be; groups arrive whole.
            streams: the source of randomness.
        """
        units = self.units(n)
        seen: Ints | None = None
        for look in range(peeks):
            arriving = units * (look + 1) // peeks - units * look // peeks
            own = later(streams, look)
            drawn = self._seen(self.population.multiplicities(arriving, sets, own))
            seen = drawn if seen is None else seen + drawn
            yield seen

    def check_peeks(self, n: int, peeks: int) -> None:
        """Raise if a test set of n examples has fewer examples, or groups, than batches to arrive in."""
        units, what = self.units(n), "groups" if "group" in self.population.counts else "examples"
        if peeks > units:
            few = f"a test set of {n:,} examples has only {units:,} {what}, too few to arrive in {peeks:,} batches"
            raise OptionError(few, argument="peeks", value=peeks, remedy=f"give {units:,} or fewer")

    def _seen(self, drawn: Ints) -> Ints:
        """Return what the test sees of units that were drawn."""
        if self.spread is not None:
            return np.rint(drawn @ self.spread).astype(np.int64)
        place, width = self.tally.place, len(self.tally.multiplicities)
        if len(place) == width and (place == np.arange(width)).all():
            return drawn
        out = np.zeros((len(drawn), width), dtype=np.int64)
        np.add.at(out.T, place, drawn.T)
        return out


def later(streams: Streams, look: int) -> Streams:
    """Return the streams of one of several looks; those of the first are the streams themselves."""
    return streams.child(LATER + look) if look else streams


def can_tilt(metric: Metric) -> bool:
    """Say whether the nearest tie can be found: for metrics of totals and AUC, whose slopes are known."""
    return metric.task != "ranking" or metric.name == "auc"


def check(population: Population, metric: Metric, name: str | None) -> None:
    """Raise where a category has nothing to measure: no positive example, or one class only."""
    told = "the population" if name is None else f"the category {name!r}"
    try:
        tally = tally_of(population.counts, metric)
    except Misfit as error:
        raise type(error)(f"{told}: ", error.message) from error
    positive = getattr(getattr(tally, "bound", None), "positive", None)
    truth = population.counts.get("truth")
    empty = positive is not None and truth is not None and not (truth == positive).any()
    if empty or bool(np.any(tally.blank(population.shares(tally)))):
        empty_truth = f"{told} has no true example of a class that {metric} needs, so there is nothing to measure"
        raise InputError(empty_truth, remedy="leave it out" if name is not None else None)


def is_shipped(data: object) -> bool:
    """Say whether data are the name of a shipped population.

    Raises:
        RefereeError: if it is nearly one, and neither a file.
    """
    if not isinstance(data, str) or Path(data).exists() or Path(data).suffix or "/" in data:
        return False
    if data not in SHIPPED and data.split("-")[0] in CORPORA:
        raise unknown("population", data, SHIPPED, "data")
    return data in SHIPPED


@cache
def content(name: str) -> str:
    """Return the text of a file that comes with referee."""
    return gzip.decompress((FOLDER / f"{name}{ENDING}").read_bytes()).decode()


def shipped(name: str) -> Counts:
    """Return a shipped population: the eight counts of each category.

    Raises:
        RefereeError: if there is none of that name.
    """
    if name not in SHIPPED:
        raise unknown("population", name, SHIPPED, "data")
    return Counts.from_json(content(name), where=name)


def summary(name: str) -> str:
    """Say in a line what a shipped population is.

    >>> summary("wordnet-linear-mlp-balanced")
    'linear SVM against MLP on WordNet glosses, unions of categories near balance'
    """
    corpus, a, b, *more = name.split("-")
    kind = "unions of categories near balance" if more else "categories as they are"
    return f"{SVM.get(a, a)} against {SVM.get(b, b)} on {CORPORA.get(corpus, corpus)}, {kind}"
