"""DeLong's test of two AUCs at N=10^5.

The time of referee is that of the whole compare(), with the intervals of the difference and of both areas.
"""

from collections.abc import Iterator
from typing import Any

from MLstatkit import Delong_test

import referee
from benchmarks import data
from benchmarks.measure import race
from benchmarks.rows import Row


def referee_delong(y: Any, a: Any, b: Any) -> Any:
    return referee.compare(truth=y, a=a, b=b, metric="auc", test="delong").p_value


def mlstatkit(y: Any, a: Any, b: Any) -> Any:
    return Delong_test(y, a, b)[1]


TIMED = (referee_delong, mlstatkit)


def run(quick: bool) -> Iterator[Row]:
    y, a, b = data.ranked(10**5)
    found = race({f.__name__: lambda f=f: f(y, a, b) for f in TIMED}, 2 if quick else 7)
    ours, theirs = found["referee_delong"], found["mlstatkit"]
    yield Row(
        what="DeLong's test, N=10^5",
        ours=ours.seconds,
        peer="MLstatkit.Delong_test",
        theirs=theirs.seconds,
        factor=4,
        note=f"p = {ours.answer:.8f}, {theirs.answer:.8f}",
    )
