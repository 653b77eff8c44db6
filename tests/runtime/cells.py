"""Cells to run: functions that draw, leave marks, fail or kill their process."""

from __future__ import annotations

import time

GRID = {"seed": 0}
LONG = 60
"""Seconds after which whatever is waited for is taken to be lost."""


def made(folder=None, wait=0.0, fail=None):
    """Make a cell function; one made inside another travels to workers by value, as no module of tests does."""

    def cell(seed, size):
        import pathlib
        import time

        import numpy as np

        if folder is not None:
            (pathlib.Path(folder) / f"{seed}-{time.time_ns()}").touch()
        time.sleep(wait)
        if fail is not None and seed == fail[0]:
            raise fail[1]
        draws = np.random.default_rng(seed).normal(size=size)
        return {"mean": float(draws.mean()), "spread": (float(draws.std()), size), 1: None}

    return cell


def grid(number, size=1000):
    return {f"cell {seed}": (seed, size) for seed in range(number)}


def calls(folder):
    return [int(path.name.split("-")[0]) for path in folder.iterdir()]


def wait_until(true):
    end = time.monotonic() + LONG
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def suicidal(marker, times):
    def cell(seed, size):
        import os
        import pathlib

        marks = len(list(pathlib.Path(marker).iterdir()))
        if seed == 3 and marks < times:
            (pathlib.Path(marker) / str(marks)).touch()
            os.kill(os.getpid(), 9)
        return seed * 0.1

    return cell


def own_process():
    """Make a cell function that says which process it runs in."""

    def cell():
        import os

        return os.getpid()

    return cell
