"""Battles: ranking many models of an arena, from a CSV file to ratings, errors and ranges of ranks."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

import referee
from benchmarks.measure import race
from benchmarks.rows import Row

MODELS, BATTLES, JUDGES = 100, 100_000, 5000
LIMIT = 10


def arena(path: Path) -> None:
    """Write a file of battles."""
    import duckdb

    rng = np.random.default_rng(0)
    rating = rng.normal(0, 80, MODELS)
    first = rng.integers(MODELS, size=BATTLES)
    second = (first + rng.integers(1, MODELS, BATTLES)) % MODELS
    won = rng.random(BATTLES) < 1 / (1 + 10 ** ((rating[first] - rating[second]) / 400))
    winner = np.where(rng.random(BATTLES) < 0.1, "tie", np.where(won, "model_b", "model_a"))
    names = np.array([f"model-{i}" for i in range(MODELS)])
    battles = {
        "model_a": names[first], "model_b": names[second], "winner": winner, "judge": rng.integers(JUDGES, size=BATTLES)
    }  # fmt: skip
    connection = duckdb.connect()
    connection.register("battles", battles)
    connection.execute(f"COPY (SELECT * FROM battles) TO '{path}' (HEADER)")


def whole(path: Path, group: str | None) -> referee.Ranking:
    return referee.rank(path, winner="winner", group=group)


TIMED = (whole,)


def run(quick: bool) -> Iterator[Row]:
    """Yield the whole of it, and its parts, without groups and with judges."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arena.csv"
        arena(path)
        for group in (None, "judge"):
            who = f"{JUDGES:,} judges" if group else "no groups"
            what = f"{BATTLES:,} battles of {MODELS} models, {who}: ratings, errors, ranges of ranks"
            timed = race({"whole": partial(whole, path, group)}, 1 if quick else 3)
            yield Row(what=what, ours=timed["whole"].seconds, limit=LIMIT)
