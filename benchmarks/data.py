"""Simulated data: events of a 2-class task at any size, labels, scores, sentences."""

from typing import Any

import numpy as np

import referee

CELLS = np.array([(1, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 1, 1), (0, 0, 1), (0, 1, 0), (0, 0, 0)])
YEH = (19, 6, 28, 50, 5, 9, 43)
"""Events e1 to e7 (Yeh 2000): (truth, a, b) as in CELLS; e8, what nobody mentions, is not counted."""


def close(n: int) -> list[int]:
    """Events e1 to e8 of n examples on which b finds a little more than a: two standard errors at any n."""
    events = np.array([61, 12, 12, 21, 6, 8, 8, 872]) * n // 1000
    more = round(float(np.sqrt(events[1] + events[2])))
    return (events + np.array([0, more, -more, 0, 0, 0, 0, 0])).tolist()


def far(n: int) -> list[int]:
    """Events of n examples with a fixed difference, which is beyond all doubt at large n."""
    return (np.array([61, 14, 9, 21, 6, 11, 5, 873]) * n // 1000).tolist()


def labels(n: int) -> tuple[Any, Any, Any]:
    """Return (truth, a, b) as int64 arrays of 0 and 1 in random order, with the events of close(n)."""
    rows = np.repeat(CELLS, close(n), axis=0)
    rows = rows[np.random.default_rng(0).permutation(len(rows))]
    return tuple(np.ascontiguousarray(column) for column in rows.T)


def classes(n: int, number: int) -> tuple[Any, Any, Any]:
    """Return (truth, a, b): labels of so many classes, right in 70 and 71 of 100 examples and else any."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, number, n)
    a, b = (np.where(rng.random(n) < right, truth, rng.integers(0, number, n)) for right in (0.70, 0.71))
    return truth, a, b


def scores(n: int) -> tuple[Any, Any]:
    """Return continuous scores of two correlated systems, the second a little better."""
    rng = np.random.default_rng(0)
    shared = rng.normal(size=n)
    a, b = shared + rng.normal(size=n), shared + rng.normal(size=n) + 3 / np.sqrt(n)
    return a, b


def ranked(n: int) -> tuple[Any, Any, Any]:
    """Return (truth, a, b): 0/1 labels, and two correlated scores in [0, 1] that tell them apart a little."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, size=n)
    shared = 0.8 * truth + rng.normal(size=n)
    a, b = (1 / (1 + np.exp(-shared - noise)) for noise in rng.normal(scale=0.5, size=(2, n)))
    return truth, a, b


def labels_in_groups(groups: int) -> referee.Counts:
    """Return the counts of `sentences`."""
    truth, a, b, sentence = sentences(groups)
    return referee.count(truth=truth, a=a, b=b, group=sentence)


def scores_in_groups(groups: int) -> referee.Counts:
    """Return counts of scores, 1 to 4 of each group, no two alike."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(groups), rng.integers(1, 5, size=groups))
    a, b = rng.normal(size=(2, len(group)))
    return referee.count(a=a, b=b + 0.01, group=group)


def sentences(groups: int) -> tuple[Any, Any, Any, Any]:
    """Return (truth, a, b, sentence): 1 to 8 responses a sentence, on 12 % of which the systems differ."""
    rng = np.random.default_rng(0)
    sentence = np.repeat(np.arange(groups), rng.integers(1, 9, size=groups))
    rates = np.array([300, 35, 28, 80, 30, 32, 25, 470]) / 1000
    rows = CELLS[rng.choice(8, p=rates, size=len(sentence))]
    return (*(np.ascontiguousarray(column) for column in rows.T), sentence)
