"""Battles: how long it takes to rank many models of an arena, part by part.

python -m benchmarks.battles                 # 100,000 battles of 100 models, without groups and with 5,000 judges
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import referee
from referee.data.battles import read_battles
from referee.significance.bradley_terry import Fit, first_place

MODELS, BATTLES, JUDGES = 100, 100_000, 5000


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


def timed(what: str, task: Callable[[], Any]) -> Any:
    """Print how long a task takes, and return what it returns."""
    start, worked = time.perf_counter(), time.process_time()
    made = task()
    print(f"  {what}: {time.perf_counter() - start:.2f} s ({time.process_time() - worked:.2f} s of CPU)")
    return made


def main() -> None:
    """Print the parts."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arena.csv"
        arena(path)
        for group in (None, "judge"):
            print(f"{BATTLES:,} battles of {MODELS} models, {f'{JUDGES:,} judges' if group else 'no groups'}")
            columns = {"winner": "winner", "group": group}
            ((_, battles),) = timed("reading and counting", lambda columns=columns: list(read_battles(path, columns)))
            fit = timed("ratings", lambda battles=battles: Fit.of(battles))
            timed("errors and degrees of freedom", lambda fit=fit: (fit.covariance, fit.freedom))
            timed("fit and first place", lambda fit=fit: (fit.misfit(), first_place(fit)))
            timed(
                "all of it, with ranges of ranks", lambda group=group: referee.rank(path, winner="winner", group=group)
            )


if __name__ == "__main__":
    main()
