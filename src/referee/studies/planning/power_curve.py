"""Power: how often a test would say yes in an assumed world, and at which size, or which difference, it does so often enough.

The normal law says about where; there test sets are drawn, and the probit of the power is fitted by a line in the root of the
size (or in the difference), which it follows closely.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from referee.runtime.randomness import Streams, blocks
from referee.significance.distributions import z_quantile
from referee.significance.tally import CHUNK
from referee.studies.auditing.audit_line import Asked, pace
from referee.studies.auditing.grid import alike, binomial_error
from referee.studies.planning.assumed_world import Assumed

MOST, LEAST = 2000, 200
"""How many test sets are drawn at one size."""
PATIENCE = 0.15
"""About how many seconds one size may take."""
BLOCK = 500
"""How many test sets share a stream."""
WIDEST, SLOWEST = 20_000, 0.004
"""Beyond so many kinds of units, or seconds for one test set, nothing is drawn: the normal law has to do."""
FEW, SLOWER = 8, 3
"""With more kinds of outcomes than so many, small test sets take so many times longer than their size tells."""
AROUND = (0.8, 0.9, 1.0, 1.1, 1.25)
"""At which multiples of a guess the power is looked at."""
ROUNDS = 8
NEAR, SETTLED = 1.0, 0.1
"""Within how many probits of the aim a point counts in a fit, and within what share of it a guess is settled."""
FEWEST_UNITS = 2
FARTHEST = 1e15


@dataclass(frozen=True)
class Point:
    """The power at one place: a size, or a difference."""

    at: float
    power: float
    sets: int
    """How many test sets it was measured on; 0 if it was computed."""

    @property
    def error(self) -> float | None:
        """Its Monte Carlo error; None if it was computed."""
        return binomial_error(self.power, self.sets) if self.sets else None


@dataclass
class Measure:
    """What measures power, by simulation where that can be, and remembers what it measured."""

    asked: Asked
    streams: Streams
    known: dict[tuple[int, float, int], Point] = field(default_factory=dict)

    def simulates(self, world: Assumed) -> bool:
        """Say whether test sets are drawn."""
        return world.moved is None and len(world.shares) <= WIDEST and self.pace(world) <= SLOWEST

    def sets(self, world: Assumed) -> int:
        """Return how many test sets are drawn at one size, by the size of the problem alone: no clock decides."""
        if not self.simulates(world):
            return 0
        return int(np.clip(PATIENCE / max(self.pace(world), 1e-9), LEAST, MOST)) // 100 * 100

    def pace(self, world: Assumed) -> float:
        """Return about how many seconds the test takes for one test set."""
        many = self.asked.test.name == "score" and len(world.shares) > FEW
        twice = 1 if self.asked.question == "better" else 2
        return pace(self.asked, world.tally) * twice * (SLOWER if many else 1)

    def power(self, world: Assumed, units: int, times: int = 1) -> Point:
        """Return the power at a size, measured on so many times the usual number of test sets."""
        key = (units, round(world.difference, 12), times)
        if key not in self.known:
            sets = times * self.sets(world)
            share = self._share(world, units, sets) if sets else self.expected(world, units)
            self.known[key] = Point(units, share, sets)
        return self.known[key]

    def _share(self, world: Assumed, units: int, sets: int) -> float:
        yes, own = 0, self.streams.child(units, len(self.known))
        size = max(1, min(BLOCK, CHUNK // len(world.shares)))
        for block, count in blocks(sets, size, "planning"):
            batch = world.draw(units, count, own.child(block))
            batch = batch[~world.tally.blank(batch)]
            if len(batch):
                distinct, often = alike(batch)
                yes += int(often @ self.asked.yes(world.tally, distinct, own.child(block, 1)))
        return yes / sets

    def expected(self, world: Assumed, units: float) -> float:
        """Return the power at a size by the normal law."""
        return normal_power(self.asked, world.difference, world.spread / math.sqrt(units))

    def units(self, world: Assumed, aim: float) -> int:
        """Return how many units give a power.

        Raises:
            Unreachable: if no number does.
        """
        guess = normal_units(self.asked, world.difference, world.spread, aim)
        if not self.simulates(world):
            return math.ceil(guess)
        found = _search(lambda units: self.power(world, max(FEWEST_UNITS, round(units))), guess, aim, math.sqrt)
        return max(FEWEST_UNITS, math.ceil(found - 1e-9))

    def refined(self, world: Assumed, units: int, aim: float) -> int:
        """Return how many units give a power, by all that was measured of a world since."""
        own = [point for (_, difference, _), point in self.known.items() if difference == round(world.difference, 12)]
        found = _fit([point for point in own if point.sets], aim, math.sqrt)
        return max(FEWEST_UNITS, math.ceil(found - 1e-9)) if found is not None else units

    def difference(self, world_at: Callable[[float], Assumed | None], guess: float, units: int, aim: float) -> float:
        """Return which difference so many units detect with a power.

        Args:
            world_at: makes the world of a difference; None where there is none.
            guess: about how large it is, with its sign.
            units: how many units there are.
            aim: the power.

        Raises:
            Unreachable: if none is detected so often.
        """
        sign = math.copysign(1.0, guess)

        def power(size: float) -> Point | None:
            world = world_at(sign * size)
            if world is None:
                return None
            return Point(size, (point := self.power(world, units)).power, point.sets)

        return sign * _search(power, abs(guess), aim, float)


class Unreachable(Exception):
    """No size, or no difference, gives the power that was asked for."""


def _search(power: Callable[[float], Point | None], guess: float, aim: float, line: Callable[[float], float]) -> float:
    """Return where the power reaches an aim: look around a guess, fit, and look around what the fit says."""
    points: dict[float, Point] = {}
    found: float | None = guess
    for _ in range(ROUNDS):
        looked = [power(guess * part) for part in AROUND]
        points |= {point.at: point for point in looked if point is not None}
        if not points:
            raise Unreachable
        found = _fit(list(points.values()), aim, line)
        if found is None:
            highest = max(point.power for point in points.values())
            found = guess * (2.0 if highest < aim else 0.5)
        if abs(found / guess - 1) <= SETTLED:
            return found
        if found > FARTHEST or (found > guess and len([one for one in looked if one is None]) > 1):
            raise Unreachable
        # A fit that reaches far from what was measured is not to be trusted so far.
        following = float(np.clip(found, guess / 3, guess * 3))
        if round(following, 9) == round(guess, 9):
            return found
        guess = following
    return guess


def _fit(points: Sequence[Point], aim: float, line: Callable[[float], float]) -> float | None:
    """Return where the line through the probits of some powers reaches that of an aim; None where they do not show it."""
    goal = z_quantile(aim)
    near = [(point, z_quantile(_inside(point))) for point in points]
    near = [(point, z) for point, z in near if abs(z - goal) <= NEAR and 0 < point.power < 1]
    if len({point.at for point, _ in near}) < 2:
        return None
    x, z = np.array([line(point.at) for point, _ in near]), np.array([z for _, z in near])
    density = np.exp(-(z**2) / 2)
    shares = np.array([_inside(point) for point, _ in near])
    weights = density**2 * np.array([max(point.sets, 1) for point, _ in near]) / (shares * (1 - shares))
    centre = np.average(x, weights=weights)
    middle = np.average(z, weights=weights)
    scatter = float(np.average((x - centre) ** 2, weights=weights))
    slope = float(np.average((x - centre) * (z - middle), weights=weights)) / scatter if scatter > 0 else 0.0
    if slope <= 0:
        return None
    reached = float(centre + (goal - middle) / slope)
    back = reached**2 if line is math.sqrt else reached
    return back if reached > 0 else None


def _inside(point: Point) -> float:
    """Return a power that is neither 0 nor 1: that of half a set more and less."""
    if not point.sets:
        return float(np.clip(point.power, 1e-12, 1 - 1e-12))
    return (point.power * point.sets + 0.5) / (point.sets + 1)


def normal_cdf(z: float) -> float:
    """Return how often a standard normal number is at most this."""
    return 0.5 * math.erfc(-z / math.sqrt(2))


def tails(asked: Asked) -> float:
    """Return the quantile at which the test rejects."""
    two_sided = asked.question == "better" and asked.alternative == "two-sided"
    return z_quantile(1 - asked.alpha / 2 if two_sided else 1 - asked.alpha)


def normal_power(asked: Asked, difference: float, error: float) -> float:
    """Return how often a normal test says yes to a true difference that is measured with an error."""
    z = tails(asked)
    if asked.question == "equal":
        both = [normal_cdf((asked.margin - side * difference) / error - z) for side in (1, -1)]
        return max(0.0, sum(both) - 1)
    if asked.question == "no-worse":
        return normal_cdf(abs(difference - asked.null(0.0)) / error - z)
    t = difference / error
    if asked.alternative != "two-sided":
        return normal_cdf((t if asked.alternative == "greater" else -t) - z)
    return normal_cdf(t - z) + normal_cdf(-t - z)


def normal_units(asked: Asked, difference: float, spread: float, aim: float) -> float:
    """Return how many units give a power by the normal law.

    Args:
        asked: the question.
        difference: the true difference.
        spread: its standard error times the root of the number of units.
        aim: the power.
    """
    low, high = 0.0, 1.0
    while normal_power(asked, difference, spread / math.sqrt(high)) < aim:
        low, high = high, high * 2
        if high > FARTHEST:
            raise Unreachable
    for _ in range(100):
        middle = (low + high) / 2
        reached = normal_power(asked, difference, spread / math.sqrt(middle)) >= aim
        low, high = (low, middle) if reached else (middle, high)
    return high


def nearer(asked: Asked, power: float, aim: float) -> float:
    """Return how many times more units reach an aim than had a power, as the normal law has it; at most twice as many, or half."""
    if not 0 < power < 1:
        return 2.0 if power < aim else 0.5
    z = tails(asked)
    own = max(z + z_quantile(power), 1e-9)
    return float(np.clip(((z + z_quantile(aim)) / own) ** 2, 0.5, 2.0))


def round_sizes(units: int, sizes: Sequence[float]) -> list[int]:
    """Return sizes at multiples of one, as round as they can be."""
    out = []
    for part in sizes:
        raw = units * part
        if part == 1.0 or raw < FEWEST_UNITS + 1:
            out.append(max(FEWEST_UNITS, round(raw)))
            continue
        step = 10.0 ** max(0, math.floor(math.log10(raw)) - 1)
        out.append(int(max(FEWEST_UNITS, round(raw / step) * step)))
    return sorted(set(out))
