"""Examples with weights: false alarms and coverage of the test that is chosen for them."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from benchmarks.evaluations import Figure
from referee.data.columns import Floats, Ints
from referee.data.counts import Counts
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance.rank_tally import tally_of
from referee.significance.test_choice import choose

TITLE = "Examples with weights"
ABOUT = (
    "Weights are lognormal, as in a survey: with σ = 0.5 examples carry as much information as 78% of them with equal weights, with σ = 1 "
    "as 37%. An example has the label 1 with probability 30%, and heavy examples are harder for both systems. For false alarms "
    "the systems are equally good; for coverage B is better on heavy examples only, so that weights matter."
)
SETS = 1500
METRICS = ("accuracy", "f1")
POINTS = 20_000


def rates(place: Floats, gain: float) -> tuple[Floats, Floats]:
    """Return how often A, and B, are right on an example whose weight has this quantile."""
    base = 0.88 - 0.2 * place
    return base, base + gain * (place > 0.5)


def truth_of(metric: str, sigma: float, gain: float) -> float:
    """Return the true difference of the weighted scores, summed over the quantiles of the weights."""
    place = (np.arange(POINTS) + 0.5) / POINTS
    weight = np.exp(sigma * ndtri(place))
    share, scores = weight / weight.sum(), []
    for right in rates(place, gain):
        tp, fp, fn = 0.3 * share @ right, 0.7 * share @ (1 - right), 0.3 * share @ (1 - right)
        scores.append(share @ right if metric == "accuracy" else 2 * tp / (2 * tp + fp + fn))
    return float(scores[1] - scores[0])


def drawn(n: int, sigma: float, gain: float, generator: np.random.Generator) -> Counts:
    """Return the counts of one simulated test set; both systems err on the same hard examples more often than by chance."""
    z = generator.standard_normal(n)
    place: Floats = ndtr(z)
    truth: Ints = (generator.random(n) < 0.3).astype(np.int64)
    shared, own = generator.random(n), generator.random((2, n))
    hard = generator.random(n) < 0.5
    answers = [
        np.where(np.where(hard, shared, luck) < right, truth, 1 - truth)
        for luck, right in zip(own, rates(place, gain), strict=True)
    ]
    return Counts.of({"truth": truth, "a": answers[0], "b": answers[1], "weight": np.exp(sigma * z)})


def measure() -> list[Figure]:
    """Return false alarms and coverage, by metric, size and how unequal the weights are."""
    figures = []
    for sigma in (0.5, 1.0):
        for n in (50, 200, 1000):
            figures += _of_size(n, sigma)
    return figures


def _of_size(n: int, sigma: float) -> list[Figure]:
    sets = SETS if n < 1000 else SETS * 2 // 3
    known = {name: resolve(name) for name in METRICS}
    alarms, held = dict.fromkeys(METRICS, 0), dict.fromkeys(METRICS, 0)
    true = {name: truth_of(name, sigma, 0.1) for name in METRICS}
    generator = np.random.default_rng([n, int(10 * sigma)])
    for _ in range(sets):
        tied, apart = drawn(n, sigma, 0.0, generator), drawn(n, sigma, 0.1, generator)
        for name, metric in known.items():
            tally = tally_of(tied, metric)
            batch = tally.multiplicities[None, :]
            p = choose(tally)[0].evaluate(tally, batch, "two-sided", Streams.of(0)).p[0]
            alarms[name] += bool(p <= 0.05)
            tally = tally_of(apart, metric)
            batch = tally.multiplicities[None, :]
            held[name] += bool(choose(tally)[0].covers(tally, batch, true[name], [0.95], Streams.of(0))[0, 0] == 1)
    made = []
    for name in METRICS:
        scene = f"{'F1' if name == 'f1' else name}, n = {n:,}, σ = {sigma:g}"
        made += [
            Figure.share(alarms[name], sets, scene=scene, what="false alarms at α = 5%", most=0.06),
            Figure.share(held[name], sets, scene=scene, what="coverage of the 95% interval", least=0.93),
        ]
    return made
