"""What every benchmark shares: best of several runs in turn, peak memory and wall time of fresh processes."""

import gc
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

SHORT = 0.02


@dataclass(frozen=True)
class Timed:
    """The best time of a function, and what it returned."""

    seconds: float
    answer: Any


def race(functions: dict[str, Callable[[], Any]], runs: int) -> dict[str, Timed]:
    """Time functions in turn, round after round, so that a busy moment of the machine meets them all; take the best.

    As in timeit, what takes less than SHORT seconds is called several times a round, and the mean is its time.
    """
    times: dict[str, list[float]] = {name: [] for name in functions}
    answers = {}
    for _ in range(runs):
        for name, function in functions.items():
            gc.collect()
            calls, start = 0, time.perf_counter()
            while calls == 0 or time.perf_counter() - start < SHORT:
                answers[name] = function()
                calls += 1
            times[name].append((time.perf_counter() - start) / calls)
    return {name: Timed(min(times[name]), answers[name]) for name in functions}


def scale(wanted: int, run: int) -> float:
    """By what to multiply a time of `run` resamples; the observed statistic, computed once, counts as one more."""
    return (wanted + 1) / (run + 1)


PEAK = """
import sys, numpy as np
def memory(field):
    return next(int(line.split()[1]) / 1024 for line in open("/proc/self/status") if line.startswith(field))
names = dict(zip(sys.argv[2::2], map(np.load, sys.argv[3::2])))
before = memory("VmRSS")
exec(sys.argv[1], names)
print(memory("VmHWM") - before)
"""


def peak(code: str, **arrays: Any) -> float:
    """Run code in a fresh process that holds numpy and the arrays; return by how many MB its peak exceeds those.

    The imports that the code needs count as memory of the code. The high-water mark is VmHWM of Linux and not
    ru_maxrss, which a child inherits from its parent.
    """
    with tempfile.TemporaryDirectory() as folder:
        words = []
        for name, array in arrays.items():
            np.save(Path(folder) / f"{name}.npy", array)
            words += [name, str(Path(folder) / f"{name}.npy")]
        return float(subprocess.run([sys.executable, "-c", PEAK, code, *words], check=True, stdout=-1).stdout)


def wall(command: list[str], runs: int) -> float:
    """Return the median wall time of a command; one run before warms the disk cache."""
    times = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])
