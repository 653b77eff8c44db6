"""Metrics of sums: false alarms and coverage of the default test, on made-up sentences, numbers, probabilities and lists of labels."""

from __future__ import annotations

import json

import numpy as np

import referee
from benchmarks.evaluations import Figure
from benchmarks.translation import made_up
from referee.data.counts import Counts
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance.test_choice import choose
from referee.studies.auditing.population import Population, World

TITLE = "Metrics of sums"
ABOUT = (
    "Test sets are drawn from 1,500 made-up examples and the answers of two systems (sentences for BLEU, chrF, TER and the error rates of "
    "speech; numbers for R² and the pinball loss; probabilities for log-loss and Brier; lists of labels for multilabel F1): from the nearest "
    "world in which the scores tie (false alarms), and from the examples as they are (coverage). The test is the default without groups. "
    "With heavy tails the numbers are log-normal and errors grow with them: squares of these, as R² has, rest on a handful of examples, and "
    'coverage is far below its bar. Results warn of that ("with tails this heavy no test of a mean is reliable").'
)
SETS, SIZES, EXAMPLES = 1_000, (50, 200, 1_000), 1_500
TAILS = ", heavy tails"
"""What scenes are called in which numbers are log-normal and errors grow with them."""
TEXTS = ("bleu", "wer", "chrf", "ter", "cer")


def populations() -> dict[str, Counts]:
    """Return examples with the answers of two systems, by the metric that suits them."""
    truth, systems = made_up(3, EXAMPLES)
    texts = referee.count(truth=truth, a=systems["system 00"], b=systems["system 02"])
    draw = np.random.default_rng(3)
    size = draw.lognormal(0.0, 1.0, EXAMPLES)
    tails = referee.count(
        truth=size, a=size + draw.normal(0, 0.4, EXAMPLES) * size, b=size + draw.normal(0, 0.35, EXAMPLES) * size
    )
    height = draw.normal(0.0, 1.0, EXAMPLES)
    numbers = referee.count(
        truth=height, a=height + draw.normal(0, 0.6, EXAMPLES), b=height + draw.normal(0, 0.55, EXAMPLES)
    )
    logit = draw.normal(0, 1.5, EXAMPLES)
    label = (draw.random(EXAMPLES) < 1 / (1 + np.exp(-logit))).astype(int)
    a, b = (1 / (1 + np.exp(-(logit + draw.normal(0, noise, EXAMPLES)))) for noise in (0.9, 0.7))
    chances = referee.count(truth=label, a=a, b=b)
    has = draw.random((EXAMPLES, 8)) < np.linspace(0.05, 0.4, 8)
    lists = [has, *(has ^ (draw.random(has.shape) < wrong) for wrong in (0.12, 0.10))]
    cells = ([json.dumps([f"label {i}" for i in np.flatnonzero(row)]) for row in own] for own in lists)
    labelled = referee.count(**dict(zip(("truth", "a", "b"), cells, strict=True)))
    return {
        **dict.fromkeys(TEXTS, texts), "r2": numbers, f"r2{TAILS}": tails, "pinball": numbers, f"pinball{TAILS}": tails, "log-loss": chances, "brier": chances, "multilabel-f1": labelled,
    }  # fmt: skip


def measure() -> list[Figure]:
    """Return the figures."""
    figures = []
    for name, counts in populations().items():
        metric = resolve(name.removesuffix(TAILS))
        whole = Population.of(counts)
        tied, known = whole.tilt(metric, 0.0), whole.difference(metric)
        if tied is None:
            continue
        for place, n in enumerate(SIZES):
            scene, streams = f"{name}, n = {n:,}", Streams.of(place)
            null, real = World.of(tied, metric), World.of(whole, metric)
            test = choose(null.tally)[0]
            p = test.evaluate(null.tally, null.batch(n, SETS, streams.child(0)), "two-sided", streams).p
            held = test.covers(real.tally, real.batch(n, SETS, streams.child(1)), known, (0.95,), streams)
            about = {"scene": scene, "sets": SETS}
            figures.append(Figure.share(int(np.sum(p <= 0.05)), what="false alarms at α = 5%", most=0.05, **about))
            figures.append(Figure.share(int(np.nansum(held)), what="coverage of the 95% interval", least=0.95, **about))
    return figures
