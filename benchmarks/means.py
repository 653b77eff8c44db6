"""Paired randomization of a mean of continuous scores: N=10^5, 10,000 draws.

The peer ranx runs on two threads, after a call that compiles it; referee runs on one. With a larger `batch` scipy is faster
but takes more memory: it runs at 512, beyond which little is gained, and at 16, which stays within 300 MB; its default would
take all 10,000 draws at once, 8 GB per array. The peers run once.
"""

from collections.abc import Iterator
from typing import Any

from ranx.statistical_tests import fisher_randomization_test
from scipy import stats

import referee
from benchmarks import data
from benchmarks.measure import peak, race, scale
from benchmarks.rows import Row

DRAWS = 10_000
OURS = 'import referee; referee.compare(a=a, b=b, test="randomization:method=monte-carlo,trials=10000")'
SCIPY = """from scipy import stats; stats.permutation_test(
    (a, b), lambda a, b, axis: b.mean(axis) - a.mean(axis), permutation_type="samples", vectorized=True,
    n_resamples={0}, batch={0})"""


def referee_drawn(a: Any, b: Any) -> Any:
    return referee.compare(a=a, b=b, test="randomization:method=monte-carlo,trials=10000")


def referee_auto(a: Any, b: Any) -> Any:
    return referee.compare(a=a, b=b, test="randomization")


def ranx(a: Any, b: Any, draws: int) -> float:
    return fisher_randomization_test(a, b, draws)[0]


def mean_difference(a: Any, b: Any, axis: int = -1) -> Any:
    return b.mean(axis=axis) - a.mean(axis=axis)


def scipy_permutation(a: Any, b: Any, draws: int, batch: int) -> float:
    return stats.permutation_test(
        (a, b), mean_difference, permutation_type="samples", vectorized=True, n_resamples=draws, batch=batch, rng=0
    ).pvalue  # fmt: skip


TIMED = (referee_drawn, referee_auto, ranx, mean_difference, scipy_permutation)


def run(quick: bool) -> Iterator[Row]:
    a, b = data.scores(10**5)
    ranx(a[:100], b[:100], 10)
    peers = {
        "ranx.fisher_randomization_test": (ranx, (200 if quick else DRAWS,), 20),
        "scipy.stats.permutation_test, batch=512": (scipy_permutation, (512 if quick else DRAWS, 512), 300),
        "scipy.stats.permutation_test, batch=16": (scipy_permutation, (16 if quick else 64, 16), 300),
    }
    ours = race({"drawn": lambda: referee_drawn(a, b), "auto": lambda: referee_auto(a, b)}, 2 if quick else 5)
    drawn, auto = ours["drawn"], ours["auto"]
    for peer, (function, (some, *more), factor) in peers.items():
        theirs = race({peer: lambda f=function, more=(some, *more): f(a, b, *more)}, 1)[peer]
        yield Row(
            what="mean of N=10^5 scores, 10,000 draws",
            ours=drawn.seconds,
            peer=peer,
            theirs=theirs.seconds * (1 if some == DRAWS else scale(DRAWS, some)),
            extrapolated="" if some == DRAWS else f"{some} of 10,000 draws, {theirs.seconds:.1f} s",
            factor=factor,
            note=f"p = {drawn.answer.p_value:.5f}, {theirs.answer:.5f}",
        )
    yield Row(what="the same, method=auto", ours=auto.seconds, note=f"{auto.answer.p_method}, 9,999 draws by default")
    mine = peak(OURS, a=a, b=b)
    for batch in (512, 16):
        yield Row(
            what="its peak memory above numpy and the arrays (1.6 MB)",
            ours=mine,
            unit="MB",
            peer=f"scipy.stats.permutation_test, batch={batch}",
            theirs=peak(SCIPY.format(batch), a=a, b=b),
            note="imports included",
        )
    if not quick:
        a, b = data.scores(10**6)
        yield Row(what="the same for N=10^6 (16 MB)", ours=peak(OURS, a=a, b=b), unit="MB")
