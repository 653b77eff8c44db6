"""Two crossed groups, questions and training seeds: how often the interval of the crossed law holds the true difference."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.evaluations import Figure
from referee.data.counts import Counts
from referee.metrics import METRICS
from referee.significance.crossed_t import CrossedT
from referee.significance.rank_tally import tally_of

TITLE = "Questions and seeds"
ABOUT = """\
Each system is trained with a few seeds, and each training answers every question: questions and seeds are crossed, and both are samples.
Measured is how often the 95% interval of `crossed-t` holds the true difference over all questions and seeds, from seeds that make no
difference at all to seeds that make nearly all of it.
In the uneven scenes 15% of the cells are missing, and the others have one to three rows. `cluster-t` over questions alone, which takes the
seeds for all there are, and Owen's pigeonhole bootstrap (questions and seeds resampled independently) are beside it: the bootstrap
falls short with few seeds that matter, and is too wide where the rest from cell to cell is large, so the crossed law is the default. With 3 seeds
there are 2 degrees of freedom to tell how seeds vary, and no law makes more of them."""
LEVEL = 0.95
SETS = 500
WORLDS = 200
RESAMPLES = 299


@dataclass(frozen=True)
class World:
    """Where the answers come from: spreads of questions, of seeds and of what is left, as a probit model has them."""

    metric: str
    questions: int
    seeds: int
    spread: float
    """Of the seeds' effects."""
    rest: float = 0.5
    uneven: bool = False
    own: float = 0.5
    """The spread of what a question means to one system alone."""
    means: tuple[float, float] = (0.4, 0.8)
    positives: float = 0.3

    @property
    def difference(self) -> float:
        """The true difference."""
        if self.metric == "mean":
            return self.means[1] - self.means[0]
        size = math.sqrt(2 + self.own**2 + self.spread**2)
        right = [0.5 * (1 + math.erf(mean / size / math.sqrt(2))) for mean in self.means]
        if self.metric == "accuracy":
            return right[1] - right[0]
        hits, misses = ([self.positives * one for one in right], [self.positives * (1 - one) for one in right])
        false = [(1 - self.positives) * (1 - one) for one in right]
        scores = [2 * h / (2 * h + m + f) for h, m, f in zip(hits, misses, false, strict=True)]
        return scores[1] - scores[0]

    def draw(self, rng: np.random.Generator) -> Counts:
        """Draw the answers of both systems to each question after each training."""
        shape = (self.questions, self.seeds)
        hard = rng.normal(0, 1, (self.questions, 1))
        values = [
            mean + hard + rng.normal(0, self.own, (self.questions, 1)) + rng.normal(0, self.spread, (1, self.seeds))
            for mean in self.means
        ]
        noise = self.rest if self.metric == "mean" else 1.0
        a, b = (value + rng.normal(0, noise, shape) for value in values)
        question, seed = np.indices(shape)
        columns = {"a": a, "b": b, "group": question, "crossed": seed}
        if self.metric != "mean":
            truth = np.broadcast_to(rng.random((self.questions, 1)) < self.positives, shape).astype(int)
            columns |= {"a": np.where(a > 0, truth, 1 - truth), "b": np.where(b > 0, truth, 1 - truth)}
            columns = {"truth": truth, **columns}
        there, times = np.ones(shape, dtype=bool), None
        if self.uneven:
            there = rng.random(shape) < 0.85
            times = rng.integers(1, 4, int(there.sum()))
        return Counts.of({role: values[there] for role, values in columns.items()}, times, positive=None)


SCENES = [
    (f"{metric}, {questions} questions, {seeds} seeds{', uneven' if uneven else ''}, {told}",
     World(metric, questions, seeds, spread, rest, uneven))
    for metric, questions, uneven, rest, spreads in (
        ("mean", 50, False, 0.5, (("no seed effect", 0.0), ("seeds matter", 0.16), ("seeds nearly all", 0.8))),
        ("accuracy", 200, False, 1.0, (("no seed effect", 0.0), ("seeds matter", 0.15), ("seeds nearly all", 0.6))),
        ("f1", 200, True, 1.0, (("no seed effect", 0.0), ("seeds matter", 0.15), ("seeds nearly all", 0.6))),
    )
    for seeds in (3, 5, 10)
    for told, spread in spreads
]  # fmt: skip


def measure() -> list[Figure]:
    """Measure the coverage of the crossed law in every scene, and of its rivals in some."""
    return [*_laws(), *_rivals()]


def _laws() -> Iterator[Figure]:
    for place, (scene, world) in enumerate(SCENES):
        hits, rng = 0, np.random.default_rng([11, place])
        for _ in range(SETS):
            tally = tally_of(world.draw(rng), METRICS[world.metric])
            interval = CrossedT().interval_of(tally, LEVEL, None)  # type: ignore[arg-type]
            hits += interval is not None and world.difference in interval
        least = 0.93 if world.seeds >= 5 else 0.9
        yield Figure.share(hits, SETS, scene=scene, what="coverage of the 95% interval", least=least)


def _rivals() -> Iterator[Figure]:
    for place, (scene, world) in enumerate(SCENES[:9]):
        alone, drawn, rng = 0, 0, np.random.default_rng([12, place])
        for _ in range(WORLDS):
            counts = world.draw(rng)
            y = np.zeros((world.questions, world.seeds))
            y[counts["group"], counts["crossed"]] = counts["b"] - counts["a"]
            alone += _covers_clustered(y, world.difference)
            drawn += _covers_pigeonhole(y, world.difference, rng)
        yield Figure.share(alone, WORLDS, scene=scene, what="the same of `cluster-t` over questions alone")
        yield Figure.share(drawn, WORLDS, scene=scene, what="the same of the pigeonhole bootstrap")


def _covers_clustered(y: np.ndarray, truth: float) -> bool:
    rows = y.mean(axis=1)
    half = 2.0096 * rows.std(ddof=1) / math.sqrt(len(rows))  # t with 49 degrees of freedom
    return bool(abs(rows.mean() - truth) <= half)


def _covers_pigeonhole(y: np.ndarray, truth: float, rng: np.random.Generator) -> bool:
    first, second = (rng.multinomial(size, np.full(size, 1 / size), RESAMPLES) for size in y.shape)
    drawn = np.sort(((first @ y) * second).sum(axis=1) / y.size)
    edge = round((RESAMPLES + 1) * (1 - LEVEL) / 2)
    return bool(drawn[edge - 1] <= truth <= drawn[-edge])
