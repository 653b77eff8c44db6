"""Battles of many models: false claims if all are equal, coverage of differences of ratings, and whether ranges of ranks hold."""

from __future__ import annotations

from typing import Any

import numpy as np

import referee
from benchmarks.evaluations import Figure
from referee.results.battles import POINTS

TITLE = "Battles of many models"
ABOUT = """\
`referee rank --winner`: Bradley-Terry ratings of models from battles of two, 15% of them ties. "Sparse" schedules have about three
battles of each pair; in "unbalanced" ones a model is up to twenty times as often in a battle as another. Judges have a taste of their
own for each model, with a standard deviation of 90 points of rating, and every judge decides 15 battles."""
SETS = 800
TIES = 0.15
TASTE = 90.0


def battles(
    rng: np.random.Generator, ratings: np.ndarray, times: int, *, unbalanced: bool = False, judges: int = 0
) -> dict[str, Any]:
    """Return battles of models whose differences of ratings are known."""
    size = len(ratings)
    often = np.geomspace(1, 20, size) if unbalanced else np.ones(size)
    first = rng.choice(size, times, p=often / often.sum())
    second = rng.choice(size, times, p=often / often.sum())
    again = first == second
    second[again] = (first[again] + rng.integers(1, size, int(again.sum()))) % size
    apart = ratings[second] - ratings[first]
    columns = {}
    if judges:
        judge = rng.integers(judges, size=times)
        taste = rng.normal(0, TASTE, (judges, size))
        apart = apart + taste[judge, second] - taste[judge, first]
        columns = {"group": judge}
    draw, chance = rng.random(times), 1 / (1 + 10 ** (-apart / POINTS))
    # Whether a battle is a tie does not depend on who is better, so that a win or half of a tie is as likely as chance says.
    tie = 2 * TIES * np.minimum(chance, 1 - chance)
    winner = np.where(draw < chance - tie / 2, "b", np.where(draw < chance + tie / 2, "tie", "a"))
    names = np.array([f"m{i:02}" for i in range(size)])
    return {"winner": winner, "a": names[first], "b": names[second], **columns}


def targets(ratings: np.ndarray, judges: int) -> np.ndarray:
    """Return the ratings that the wins of very many judges have: tastes pull all win rates towards one half."""
    from referee.data.battles import Battles
    from referee.significance.bradley_terry import Fit

    if not judges:
        return ratings
    places, weights = np.polynomial.hermite_e.hermegauss(40)
    first, second = np.triu_indices(len(ratings), 1)
    apart = (ratings[second] - ratings[first])[:, None] + np.sqrt(2) * TASTE * places
    share = (1 / (1 + 10 ** (-apart / POINTS))) @ weights / weights.sum()
    names = tuple(f"m{i:02}" for i in range(len(ratings)))
    every = Battles(names=names, first=first, second=second, share=share, times=np.full(len(first), 1000))
    return np.asarray(POINTS / np.log(10) * Fit.of(every).ratings)


def claims(scene: str, models: int, times: int, sets: int = SETS, **schedule: Any) -> Figure:
    """Count the sets in which some two of equal models are called different."""
    wrong = 0
    for number in range(sets):
        r = referee.rank(
            **battles(np.random.default_rng([1, models, times, number]), np.zeros(models), times, **schedule)
        )
        wrong += any(pair.verdict != "too close to call" for pair in r.pairs)
    return Figure.share(
        wrong, sets, scene=scene, what="some two of all equal models called different (α = 5%)", most=0.05
    )


def coverage(scene: str, models: int, times: int, sets: int = SETS // 2, **schedule: Any) -> list[Figure]:
    """Count the intervals of differences that hold the true one, and the sets in which all ranges hold the true ranks."""
    ratings = np.r_[np.full(models // 2, 100.0), np.linspace(60, -200, models - models // 2)]
    held, ranges, true = [], 0, targets(ratings, schedule.get("judges", 0))
    better = (ratings[:, None] < ratings).sum(axis=1), (ratings[:, None] > ratings).sum(axis=1)
    for number in range(sets):
        data = battles(np.random.default_rng([2, models, times, number]), ratings, times, **schedule)
        r = referee.rank(**data)
        ranges += all(
            one.rank_low <= 1 + better[0][i] and one.rank_high >= models - better[1][i]
            for one in r.systems
            if (i := int(one.name[1:])) >= 0 and one.rank_low is not None
        )
        single = referee.rank(**data, adjust="none")
        inside = [
            pair.interval.low <= true[int(pair.b[1:])] - true[int(pair.a[1:])] <= pair.interval.high
            for pair in single.pairs
            if pair.interval is not None
        ]
        held.append(np.mean(inside))
    rate, error = float(np.mean(held)), float(np.std(held) / np.sqrt(sets))
    return [
        Figure(scene=scene, what="coverage of the 95% interval of the difference of two ratings", value=rate, error=error, sets=sets, least=0.94),
        Figure.share(ranges, sets, scene=scene, what="all ranges of ranks hold the true ranks", least=0.95),
    ]  # fmt: skip


def measure() -> list[Figure]:
    """Measure all scenes."""
    return [
        claims("5 models, 200 battles", 5, 200),
        claims("20 models, 600 battles, sparse", 20, 600, 300),
        claims("20 models, 2,000 battles, unbalanced", 20, 2000, 300, unbalanced=True),
        claims("5 models, 300 battles, 20 judges", 5, 300, judges=20),
        claims("5 models, 150 battles, 10 judges", 5, 150, judges=10),
        claims("20 models, 1,500 battles, 100 judges, unbalanced", 20, 1500, 300, unbalanced=True, judges=100),
        *coverage("6 models, 200 battles", 6, 200),
        *coverage("20 models, 600 battles, sparse", 20, 600, 200),
        *coverage("6 models, 450 battles, 30 judges", 6, 450, judges=30),
    ]
