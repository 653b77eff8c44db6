"""Metrics of sums: false alarms and coverage of the default test for BLEU and the word error rate, on made-up sentences."""

from __future__ import annotations

import numpy as np

import referee
from benchmarks.evaluations import Figure
from benchmarks.translation import made_up
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance.skew_t import SkewT
from referee.studies.auditing.population import Population, World

TITLE = "Metrics of sums"
ABOUT = (
    "Test sets are drawn from 1,500 made-up sentences and the answers of two systems: from the nearest world in which the scores tie (false "
    "alarms), and from the sentences as they are (coverage). The test is the default without groups, `skew-t`."
)
SETS, SIZES, SENTENCES = 1_000, (50, 200, 1_000), 1_500


def measure() -> list[Figure]:
    """Return the figures."""
    truth, systems = made_up(3, SENTENCES)
    counts = referee.count(truth=truth, a=systems["system 00"], b=systems["system 02"])
    figures = []
    for name in ("bleu", "wer"):
        metric = resolve(name)
        whole = Population.of(counts)
        tied, known = whole.tilt(metric, 0.0), whole.difference(metric)
        if tied is None:
            continue
        for place, n in enumerate(SIZES):
            scene, streams = f"{name}, n = {n:,}", Streams.of(place)
            null, real = World.of(tied, metric), World.of(whole, metric)
            p = SkewT().evaluate(null.tally, null.batch(n, SETS, streams.child(0)), "two-sided", streams).p
            held = SkewT().covers(real.tally, real.batch(n, SETS, streams.child(1)), known, (0.95,), streams)
            about = {"scene": scene, "sets": SETS}
            figures.append(Figure.share(int(np.sum(p <= 0.05)), what="false alarms at α = 5%", most=0.05, **about))
            figures.append(Figure.share(int(np.nansum(held)), what="coverage of the 95% interval", least=0.95, **about))
    return figures
