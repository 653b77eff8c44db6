"""Comparisons with a judge: good, poor, biased, constant and noisy judges; few and many labels; several metrics, rare positives, scores."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import reduce
from itertools import product
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.evaluations import Figure
from referee.data.counts import Counts
from referee.metrics import Metric, resolve
from referee.runtime.randomness import Streams
from referee.studies.judge import law_of

TITLE = "A judge and some human labels"
ABOUT = """\
Two systems answer examples; a judge labels all of them and people a random part: 50 of 500, 50 of 5,000 or 300 of 3,000. The judge is *good* (right on 92%), *poor* (65%, of three
classes 50%), *biased* (it sides with B in 40% of cases, whatever is right), *constant* (one label for all) or *noise* (it knows nothing).
Accuracy, F1 with 30% and with 5% positives, and macro-F1 of three classes; and ratings from 1 to 5 of both systems' outputs. *Width* is that
of the 95% interval over that of the human labels alone, on average: 100% means that the judge added nothing. With rare positives the
interval of the human labels alone is wide and covers more than it must. False alarms are those of systems that are equally good."""
SEED, SETS, ALPHA = 20, 100, 0.05
COVERAGE, WIDTH, RATINGS = "coverage of the 95% interval", "width of the interval", "mean rating"
JUDGES = ("good", "poor", "biased", "constant", "noise")
SIZES = ((50, 500), (50, 5_000), (300, 3_000))
METRICS = {
    "accuracy": ("accuracy", {}),
    "F1": ("f1", {}),
    "F1, 5% positives": ("f1", {"positives": 0.05}),
    "macro-F1, 3 classes": ("f1:average=macro", {"classes": 3, "positives": 0.5}),
}
STREAMS = Streams.of(0)


@dataclass(frozen=True)
class World:
    """Probabilities of (truth, judge, a, b)."""

    cells: NDArray[Any]
    shares: NDArray[Any]

    @classmethod
    def of(cls, judge: str, *, tied: bool, classes: int = 2, positives: float = 0.3) -> World:
        """Make a world; B copies half of A's answers, and is better on the others unless they tie."""
        truths = np.array([1 - positives] + [positives / (classes - 1)] * (classes - 1))

        def right(share: float) -> NDArray[Any]:
            table = np.full((classes, classes), (1 - share) / (classes - 1))
            np.fill_diagonal(table, share)
            return table

        a_right, b_right = (right(0.82), right(0.82)) if tied else (right(0.8), right(0.86))
        says = {
            "good": right(0.92),
            "poor": right(0.65 if classes == 2 else 0.5),
            "biased": right(0.9),
            "constant": np.tile(np.eye(classes)[0], (classes, 1)),
            "noise": np.tile(truths, (classes, 1)),
        }[judge]
        cells, shares = [], []
        for t, j, a, b in product(range(classes), repeat=4):
            answers = a_right[t, a] * (0.5 * b_right[t, b] + 0.5 * (a == b))
            judged = 0.4 * (j == b) + 0.6 * says[t, j] if judge == "biased" else says[t, j]
            cells.append((t, j, a, b))
            shares.append(truths[t] * answers * judged)
        return cls(np.array(cells), np.array(shares))

    def difference(self, metric: Metric) -> float:
        """Return the true difference."""
        t, _, a, b = self.cells.T
        counts = Counts.of({"truth": t, "a": a, "b": b}, np.rint(self.shares * 1e12).astype(np.int64))
        scores = [metric.bind(counts).score(counts["truth"], counts[side], counts.multiplicities) for side in "ab"]
        return float(scores[1] or 0) - float(scores[0] or 0)

    def draw(self, labelled: int, judged: int, rng: Generator) -> Counts:
        """Draw examples, some of them labelled."""
        people, rest = rng.multinomial(labelled, self.shares), rng.multinomial(judged - labelled, self.shares)
        _t, j, a, b = np.concatenate([self.cells, self.cells]).T
        truth = [*self.cells[:, 0].tolist(), *[None] * len(self.cells)]
        return Counts.of({"truth": truth, "a": a, "b": b, "judge": j}, np.concatenate([people, rest]))


def ratings(judge: str, tied: bool, labelled: int, judged: int, rng: Generator) -> Counts:
    """Draw ratings of both systems' outputs by people and by a judge."""
    quality = rng.normal(size=judged)
    gains = (0.0, 0.0 if tied else 0.2)
    people = [np.clip(np.rint(3 + up + quality + 0.7 * rng.normal(size=judged)), 1, 5) for up in gains]
    noise = {"good": 0.5, "poor": 2.0, "biased": 0.7}.get(judge, 1.0)
    known = judge in ("good", "poor", "biased")
    machine = [np.clip(known * own + noise * rng.normal(size=judged) + 3 * (not known), 0, 6) for own in people]
    if judge == "biased":
        machine[1] = machine[1] + 0.5
    if judge == "constant":
        machine = [np.full(judged, 3.0)] * 2
    machine = [np.rint(4 * own) / 4 for own in machine]
    a, b = ([*own[:labelled].tolist(), *[None] * (judged - labelled)] for own in people)
    return Counts.of({"a": a, "b": b, "judge_a": machine[0], "judge_b": machine[1]})


@dataclass
class Rates:
    """What was counted."""

    sets: int = 0
    covered: int = 0
    width: float = 0.0
    squares: float = 0.0

    def add(self, counts: Counts, metric: Metric, true: float) -> None:
        """Count one data set."""
        law, tally, flipped = law_of(counts, metric)
        # One law: the interval holds a value exactly if its p is above alpha, and is narrower by the ratio of standard errors.
        p = law.p_at(tally, -true if flipped else true, "two-sided", STREAMS)
        if p is None:
            return
        self.sets += 1
        self.covered += p > ALPHA
        self.width += law.narrower
        self.squares += law.narrower**2

    def also(self, other: Rates) -> Rates:
        """Return both together."""
        return Rates(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))


def measure() -> list[Figure]:
    """Return the figures of each metric and judge over all sizes, and of all of them."""
    made = {scene: _rates(*scene) for scene in product([*METRICS, RATINGS], JUDGES)}
    figures = _figures("all together", list(made.values()))
    for judge in JUDGES:
        figures += _figures(f"{judge} judge, all metrics", [rates for (_, own), rates in made.items() if own == judge])
    for name in (*METRICS, RATINGS):
        figures += _figures(f"{name}, all judges", [rates for (own, _), rates in made.items() if own == name])
    return figures


def _figures(scene: str, several: list[tuple[Rates, Rates]]) -> list[Figure]:
    """Return the figures of several metrics or judges together."""
    differ, tied = (reduce(Rates.also, rates) for rates in zip(*several, strict=True))
    n, width = differ.sets, differ.width / differ.sets
    error = max(differ.squares / n - width**2, 1e-6) ** 0.5 / n**0.5
    return [
        Figure.share(differ.covered, n, scene=scene, what=COVERAGE, least=0.94),
        Figure.share(tied.sets - tied.covered, tied.sets, scene=scene, what="false alarms at α = 5%", most=0.06),
        Figure(scene=scene, what=WIDTH, value=width, error=error, sets=n, most=1.05),
    ]


def _rates(name: str, judge: str) -> tuple[Rates, Rates]:
    """Return what was counted where the systems differ, and where they tie, over all sizes."""
    differ, tied = Rates(), Rates()
    for place, size in enumerate(SIZES):
        rng = np.random.default_rng([SEED, [*METRICS, RATINGS].index(name), JUDGES.index(judge), place])
        differ = differ.also(_simulated(name, judge, size, False, rng))
        tied = tied.also(_simulated(name, judge, size, True, rng))
    return differ, tied


def _simulated(name: str, judge: str, size: tuple[int, int], tied: bool, rng: Generator) -> Rates:
    rates = Rates()
    if name == RATINGS:
        true = 0.0 if tied else _true_of_ratings()
        for _ in range(SETS):
            rates.add(ratings(judge, tied, *size, rng), resolve("mean"), true)
        return rates
    spelling, how = METRICS[name]
    world, metric = World.of(judge, tied=tied, **how), resolve(spelling)
    true = world.difference(metric)
    for _ in range(SETS):
        rates.add(world.draw(*size, rng), metric, true)
    return rates


def _true_of_ratings() -> float:
    """Return by how much the ratings of B are higher, by integrating the normal density."""
    grid = np.linspace(-9, 9, 20_001)
    density = np.exp(-(grid**2) / 2) / np.sqrt(2 * np.pi)

    def mean(up: float) -> float:
        return float((np.clip(np.rint(3 + up + np.hypot(1, 0.7) * grid), 1, 5) * density).sum() * (grid[1] - grid[0]))

    return mean(0.2) - mean(0.0)
