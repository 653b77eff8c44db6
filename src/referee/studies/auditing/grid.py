"""The grid of an audit: categories × sizes, run cell by cell, all tests of a cell on the same test sets, collected into rows."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np

from referee.data.columns import Floats, Ints, Mask
from referee.errors import Argument, OptionError, refusal
from referee.metrics import resolve as resolve_metric
from referee.metrics.base import Metric
from referee.metrics.matrices import distinct, places
from referee.runtime.progress import track
from referee.runtime.randomness import Streams
from referee.significance import Test
from referee.significance import resolve as resolve_test
from referee.significance.rank_tally import AnyTally, RankTally
from referee.studies.auditing.population import TIE, Population, World, later

SETS, TESTING = 0, 1
"""The children of a cell's streams."""
PLACES = {"true": 0, "tilt": 1, "swap": 2}
"""Where the sets of each world are drawn from."""
MANY, SEVERAL, WIDE, RANKED = 1000, 500, 200, 100
"""How many sets are drawn: for one population, for each of several, of many distinct units, and of scores that are ranked."""
KINDS = 64
"""Up to so many distinct units a set costs next to nothing."""
COVERED = 500
"""On how many sets intervals are looked at: one at a time, they cost more than decisions."""
IGNORING = " ignoring groups"


Values = Mapping[str, Any]


@dataclass(frozen=True)
class AuditPlan:
    """What an audit asks of every category: all but the category and the size."""

    metric: str | Metric
    tests: tuple[str, ...]
    alphas: tuple[float, ...]
    sets: int
    nulls: tuple[str, ...]
    alternative: str = "two-sided"
    coverage: bool = True
    rng: int = 0
    peeks: int = 1
    """In how many batches the examples of a test set arrive; the tests look after each."""

    def describe(self) -> dict[str, Any]:
        """Return what tells one plan from another, for a store."""
        told = {name: list(one) if isinstance(one, tuple) else one for name, one in vars(self).items()}
        if self.peeks == 1:  # as stores know it that are older than looking more than once
            del told["peeks"]
        return {**told, "metric": str(self.metric)}


@dataclass(frozen=True, eq=False)
class Grid:
    """A plan, the populations it is asked of, by category, and the sizes of their test sets."""

    plan: AuditPlan
    populations: Mapping[str | None, Population]
    sizes: tuple[int, ...]
    tie: float = TIE
    """Within what difference systems tie in a population; no cell depends on it."""
    name: str = ""
    """What tells the cells of this grid from those of others in one store."""

    def describe(self) -> dict[str, Any]:
        """Return what tells this grid from another, for a store."""
        prints = [f"{category}:{fingerprint(population)}" for category, population in self.populations.items()]
        digest = hashlib.sha256("\n".join(prints).encode()).hexdigest()[:16]
        own = {"population": digest, "categories": len(self.populations), "sizes": list(self.sizes)}
        return {**self.plan.describe(), **own}

    def key(self, category: str | None, n: int) -> str:
        """Return the name of a cell."""
        return "/".join(filter(None, [self.name, category or "all", str(n)]))

    def tasks(self) -> dict[str, tuple[Any, ...]]:
        """Return the arguments of each cell, the large sizes first: they last longest."""
        return {
            self.key(category, n): (self.plan, population, category, n)
            for n in sorted(self.sizes, reverse=True)
            for category, population in self.populations.items()
        }

    def rows(self, values: Values, category: str | None = None) -> list[dict[str, Any]]:
        """Return a row for each test, null, size and alpha: of one category, or over all of them."""
        only = next(iter(self.populations)) if len(self.populations) == 1 else category
        chosen = list(self.populations) if category is None else [category]
        return [
            {**self._row([values[self.key(one, n)] for one in chosen], test, null, i), "category": only, "n": n}
            for test in self.plan.tests
            for null in self.plan.nulls
            for n in self.sizes
            for i in range(len(self.plan.alphas))
        ]

    def ties(self, cell: Values) -> bool:
        """Say whether the systems tie in the population of a cell."""
        return bool(abs(cell["difference"]) <= self.tie)

    def alarms(self, cell: Values, test: str, null: str) -> list[int] | None:
        """Return the sets that a test rejected at each alpha although the null held; None where it does not hold."""
        rejected: dict[str, list[int] | None] = cell["tests"][test]["rejected"]
        if null != "observed":
            return rejected[null]
        return rejected["true"] if self.ties(cell) else None

    def _row(self, cells: Sequence[Values], test: str, null: str, i: int) -> dict[str, Any]:
        sets = self.plan.sets
        false = [alarms[i] / sets for cell in cells if (alarms := self.alarms(cell, test, null)) is not None]
        seen = [cell["tests"][test]["rejected"]["true"][i] / sets for cell in cells if not self.ties(cell)]
        measured = [cell["tests"][test] for cell in cells] if self.plan.coverage else []
        intervals = [(one["covered"][i], one["intervals"][i]) for one in measured if one["intervals"][i]]
        held, looked = sum(covered for covered, _ in intervals), sum(known for _, known in intervals)
        coverage = held / looked if looked else None
        return {
            "test": test.removesuffix(IGNORING),
            "groups": None if not self.grouped else "ignored" if test.endswith(IGNORING) else "whole",
            "null": null,
            "category": None,
            "n": None,
            "alpha": self.plan.alphas[i],
            "false_alarm": mean(false),
            "false_alarm_error": mean_error(false, sets),
            "spread": deviation(false),
            "power": mean(seen),
            "power_error": mean_error(seen, sets),
            "power_spread": deviation(seen),
            "coverage": coverage,
            "coverage_error": None if coverage is None else binomial_error(coverage, looked),
            "coverage_spread": deviation([covered / known for covered, known in intervals]),
            "sets": sets,
            "peeks": self.plan.peeks,
            "categories": {"null": len(false), "different": len(seen)},
        }

    @property
    def grouped(self) -> bool:
        """Whether examples come in groups."""
        return any("group" in population.counts for population in self.populations.values())


def run_cell(plan: AuditPlan, population: Population, category: str | None, n: int) -> dict[str, Any]:
    """Draw test sets of n examples under the null hypothesis and as the population is, and run the tests on them.

    The numbers depend on the plan's seed, the category's name, the size and the test alone: not on the other cells,
    nor on the other tests. All tests see the same sets.

    Where examples arrive in batches, a set is rejected if it is at any look, and an interval holds if it does at every look.

    Returns:
        The true difference, and for each test how many sets it rejected at each alpha as the population is ("true") and
        under each null (None where there is no such world), and how many intervals held the true difference.
    """
    metric = resolve_metric(plan.metric)
    streams = Streams.of(plan.rng).child(crc32(repr(category).encode()), n)
    kinds: dict[str, Population | None] = {"true": population}
    for null in set(plan.nulls) & set(PLACES):
        kinds[null] = population.swap() if null == "swap" else population.tilt(metric)
    true = population.difference(metric)
    found: dict[str, Any] = {name: {"rejected": dict.fromkeys(kinds)} for name in plan.tests}
    ignoring = {name: name.endswith(IGNORING) for name in plan.tests}
    scenes = [(kind, ignore) for ignore in sorted(set(ignoring.values())) for kind in kinds if kinds[kind] is not None]
    for kind, ignore in track(scenes, len(scenes), "testing"):
        world = World.of(kinds[kind] or population, metric, ignore_groups=ignore)
        tests = {name: resolve_test(name.removesuffix(IGNORING)) for name in plan.tests if ignoring[name] == ignore}
        seen = _looked(world, tests, plan, n, kind, true, streams)
        for name, (rejected, held) in seen.items():
            found[name]["rejected"][kind] = list(map(int, rejected.sum(axis=0)))
            if held is not None:
                known = np.isfinite(held)
                found[name]["covered"] = [int(one) for one in np.where(known, held, 0.0).sum(axis=0)]
                found[name]["intervals"] = list(map(int, known.sum(axis=0)))
    units = World.of(population, metric).units(n)
    return {"difference": true, "units": units, "tests": found}


def _looked(
    world: World, tests: Mapping[str, Test], plan: AuditPlan, n: int, kind: str, true: float, streams: Streams
) -> dict[str, tuple[Mask, Floats | None]]:
    """Return for each test which sets [set, alpha] it rejects at any look, and which intervals hold the true difference at all.

    The latter is NaN where there is never an interval, and None where it is not asked for.
    """
    covers = plan.coverage and kind == "true"
    found: dict[str, tuple[Mask, Floats | None]] = {}
    for look, batch in enumerate(world.looks(n, plan.sets, plan.peeks, streams.child(SETS, PLACES[kind]))):
        for name, test in tests.items():
            own = later(streams.child(TESTING, crc32(name.encode())).child(PLACES[kind]), look)
            rejected = _rejected(test, world, batch, plan, own)
            held = None
            if covers:
                # The interval's draws are not the test's own, so tests that carry the same interval share its answer.
                own = later(streams.child(TESTING), look)
                held = _covered(test, world, batch[:COVERED], true, plan.alphas, own)
            if look:
                before, kept = found[name]
                rejected |= before
                held = None if held is None or kept is None else np.fmin(held, kept)
            found[name] = rejected, held
    return found


def sets_for(tally: AnyTally, categories: int = 1) -> int:
    """Return how many sets to draw: as many as a few seconds allow."""
    if isinstance(tally, RankTally):
        return RANKED
    if len(tally.multiplicities) > KINDS:
        return WIDE
    return MANY if categories == 1 else SEVERAL


def _rejected(test: Test, world: World, batch: Ints, plan: AuditPlan, streams: Streams) -> Mask:
    """Say which sets are rejected at which alpha; one that cannot have a score, as recall without a positive, is not."""
    out, some = np.zeros((len(batch), len(plan.alphas)), dtype=np.bool_), np.flatnonzero(~world.tally.blank(batch))
    if len(some):
        known, back = told_apart(batch[some])
        out[some] = test.decide(world.tally, known, plan.alphas, plan.alternative, streams)[back]
    return out


def _covered(test: Test, world: World, batch: Ints, true: float, alphas: Sequence[float], streams: Streams) -> Floats:
    """Say which intervals hold the true difference; NaN where there is none."""
    out, some = np.full((len(batch), len(alphas)), np.nan), np.flatnonzero(~world.tally.blank(batch))
    if len(some):
        known, back = told_apart(batch[some])
        out[some] = test.covers(world.tally, known, true, [1 - alpha for alpha in alphas], streams)[back]
    return out


def told_apart(batch: Ints) -> tuple[Ints, Ints]:
    """Return the distinct sets, and which of them each is."""
    order, starts = distinct(batch)
    return batch[order[starts]], places(order, starts)


def alike(batch: Ints) -> tuple[Ints, Ints]:
    """Return the distinct sets and how often each was drawn: of a rare category many are alike, and tested once."""
    known, back = told_apart(batch)
    return known, np.bincount(back, minlength=len(known))


def fingerprint(population: Population) -> str:
    """Return a short text that tells populations apart."""
    counts = population.counts
    columns = "".join(role + repr(values.tolist()) for role, values in counts.columns.items()).encode()
    weights = counts.multiplicities.tobytes() + population.probabilities.tobytes()
    about = repr((dict(counts.names), counts.positive, counts.open)).encode()
    return hashlib.sha256(columns + weights + about).hexdigest()[:16]


def binomial_error(share: float, trials: int) -> float:
    """Return the standard error of a share; where it is 0 or 1, that of a share half a set away from it.

    >>> round(binomial_error(0.05, 500), 5), round(binomial_error(0.0, 500), 5)
    (0.00975, 0.00141)
    """
    shrunk = min(max(share, 0.5 / trials), 1 - 0.5 / trials)
    return math.sqrt(shrunk * (1 - shrunk) / trials)


def mean(shares: Sequence[float]) -> float | None:
    """Return the mean, None of nothing."""
    return math.fsum(shares) / len(shares) if shares else None


def mean_error(shares: Sequence[float], sets: int) -> float | None:
    """Return the Monte Carlo error of the mean of shares of `sets` sets each."""
    return math.sqrt(math.fsum(binomial_error(s, sets) ** 2 for s in shares)) / len(shares) if shares else None


def deviation(shares: Sequence[float]) -> float | None:
    """Return the standard deviation over categories; None of fewer than two."""
    if len(shares) < 2:
        return None
    centre = math.fsum(shares) / len(shares)
    return math.sqrt(math.fsum((share - centre) ** 2 for share in shares) / (len(shares) - 1))


def several(given: Any, what: str) -> tuple[Any, ...]:
    """Return one or several things as several, each once.

    Raises:
        OptionError: if there are none.
    """
    things = tuple(given) if isinstance(given, list | tuple) else (given,)
    if not things:
        raise OptionError(Argument(what, bare=True), " is an empty list", value=given, remedy="name at least one")
    return tuple(dict.fromkeys(things))


def is_whole(number: Any, least: int) -> bool:
    """Say whether this is a whole number, and large enough."""
    return isinstance(number, int) and not isinstance(number, bool) and number >= least


def check_sets(sets: Any) -> None:
    """Raise unless it is a number of test sets, or of data sets."""
    if not is_whole(sets, 1):
        raise refusal("sets", "must be a whole number, 1 or more", sets)


def check_peeks(peeks: Any) -> None:
    """Raise unless it is a number of looks."""
    if not is_whole(peeks, 1):
        raise refusal("peeks", "must be a whole number, 1 or more", peeks)


def advised(alphas: Sequence[float]) -> float:
    """Return the false-alarm rate that advice is for: the usual one, if it was asked for."""
    return 0.05 if 0.05 in alphas else alphas[0]
