"""Preferences of two systems: false alarms and coverage with ties, position bias, and groups of judges."""

from __future__ import annotations

import numpy as np

import referee
from benchmarks.evaluations import Figure
from referee.data.counts import Counts
from referee.metrics import METRICS
from referee.runtime.randomness import Streams
from referee.significance.rank_tally import tally_of
from referee.significance.score_test import Score

TITLE = "Preferences of two systems"
ABOUT = """\
`referee compare --winner`: judgements of which of two systems is better. Without ties the number of wins is a whole number, so the false
alarms of the score test, whose interval is Wilson's, go up and down with the number of judgements: for 50 they are exactly 6.5%, for 20
exactly 4.1%. With position bias the system shown first wins three quarters of the decided judgements, each being first at random or half
of the time; the win rate is the mean of both orders. Judges have a taste of their own (standard deviation 0.5, and a judgement's
is 1)."""
SETS = 4000
GROUPED = 800
ALPHA = 0.05
SIZES = (20, 50, 200, 1000)


def rates(scene: str, wins: dict[str, float], ties: float, n: int, seed: int, *, fixed: bool = False) -> list[Figure]:
    """Measure the score test in a world of judgements.

    Args:
        scene: what the world is called.
        wins: B's win rate by who is shown first; "unknown" if nobody says.
        ties: the share of ties.
        n: how many judgements there are.
        seed: tells the worlds apart.
        fixed: whether each order has half of the judgements, and not each judgement an order by chance.
    """
    rng, orders = np.random.default_rng([5, seed, n]), list(wins)
    shares = np.array([[(1 - ties) * (1 - w), ties, (1 - ties) * w] for w in wins.values()])
    if fixed:
        drawn = np.concatenate([rng.multinomial(n // len(orders), p, size=SETS) for p in shares], axis=1)
    else:
        drawn = rng.multinomial(n, shares.ravel() / len(orders), size=SETS)
    answers = np.tile([0.0, 0.5, 1.0], len(orders))
    first = np.repeat(np.array(orders, dtype=object), 3)
    kept = np.flatnonzero(drawn.sum(axis=0))
    counts = Counts.of({"a": 1 - answers[kept], "b": answers[kept], "first": first[kept]})
    tally = tally_of(counts, METRICS["win-rate"])
    units = dict(
        zip(zip(counts["b"].tolist(), counts["first"].tolist(), strict=True), tally.place.tolist(), strict=True)
    )
    batch = np.zeros((SETS, len(kept)), np.int64)
    for one in kept:
        batch[:, units[answers[one], first[one]]] = drawn[:, one]
    about, test, streams = {"scene": f"{scene}, {n:,} judgements"}, Score(), Streams.of(0)
    true = 2 * float(np.mean([(1 - ties) * w + ties / 2 for w in wins.values()])) - 1
    if abs(true) < 1e-12:
        hits = int(test.decide(tally, batch, [ALPHA], "two-sided", streams).sum())
        return [Figure.share(hits, SETS, **about, what="false alarms at α = 5%", most=ALPHA)]
    held = int(test.covers(tally, batch, true, [1 - ALPHA], streams).sum())
    return [Figure.share(held, SETS, **about, what="coverage of the 95% interval of the win rate", least=1 - ALPHA)]


def judges(scene: str, many: int, each: int, better: float, seed: int) -> Figure:
    """Measure groups: each judge has a taste, and sees every second pair in the other order."""
    hits, taste, noise = 0, 0.5, 1.0
    for number in range(GROUPED):
        rng = np.random.default_rng([6, seed, number])
        judge = np.repeat(np.arange(many), each)
        first = np.tile(["a", "b"], many * each // 2)
        seen = (
            better
            + rng.normal(0, taste, many)[judge]
            + np.where(first == "b", 0.5, -0.5)
            + rng.normal(0, noise, len(judge))
        )
        winner = np.where(seen > 0.2, "b", np.where(seen < -0.2, "a", "tie"))
        r = referee.compare(winner=winner, first=first, group=judge, audit=False)
        assert r.p_value is not None
        hits += r.p_value <= ALPHA
    return Figure.share(hits, GROUPED, scene=scene, what="false alarms at α = 5%", most=ALPHA)


def measure() -> list[Figure]:
    """Measure all scenes."""
    found: list[Figure] = []
    for seed, ties in enumerate((0.0, 0.2, 0.6)):
        scene = f"{100 * ties:.0f}% ties" if ties else "no ties"
        for n in SIZES:
            found += rates(scene, {"unknown": 0.5}, ties, n, seed)
        for n in SIZES[1:3]:
            found += rates(f"{scene}, B wins 70% of the others", {"unknown": 0.7}, ties, n, 10 + seed)
    for n in SIZES:
        found += rates("position bias, orders at random, 20% ties", {"a": 0.25, "b": 0.75}, 0.2, n, 20)
    for n in SIZES[1:3]:
        found += rates("position bias, each order half, 20% ties", {"a": 0.25, "b": 0.75}, 0.2, n, 30, fixed=True)
        found += rates("position bias, B better, 20% ties", {"a": 0.45, "b": 0.9}, 0.2, n, 40)
    found += [
        judges("10 judges of 20 judgements", 10, 20, 0.0, 1),
        judges("40 judges of 10 judgements", 40, 10, 0.0, 2),
    ]
    return found
