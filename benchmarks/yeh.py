"""Yeh's example: the exact p against 2^20 random shuffles.

The peers get only the 86 responses that just one system gave, which favours them. There are two versions in numpy: a random
bit for each response and a matrix product; and two random words whose set bits are counted, which already exploits that
there are only two kinds of responses. The batch sizes are the fastest we found.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import stats

from benchmarks import data
from benchmarks.exact import p_alone, whole
from benchmarks.measure import race, scale
from benchmarks.rows import Row
from referee.data.counts import from_events
from referee.metrics import METRICS
from referee.significance.laws.swap import Swap
from referee.significance.tally import Tally

SHUFFLES = 2**20
BOTH, ONLY_B, ONLY_A, NEITHER, WRONG_BOTH, WRONG_B, WRONG_A = data.YEH
RIGHT, WRONG = ONLY_A + ONLY_B, WRONG_A + WRONG_B
POSITIVES = BOTH + RIGHT + NEITHER


def f1_drop(right: Any, wrong: Any) -> Any:
    # F1 of B minus F1 of A where A alone gave so many right and wrong responses, and B the rest of the 86
    a = 2.0 * (BOTH + right) / (POSITIVES + BOTH + right + WRONG_BOTH + wrong)
    b = 2.0 * (BOTH + RIGHT - right) / (POSITIVES + BOTH + RIGHT - right + WRONG_BOTH + WRONG - wrong)
    return b - a


AIM = abs(f1_drop(ONLY_A, WRONG_A)) - 1e-12


def scipy_permutation(shuffles: int) -> Any:
    a = np.repeat(np.array([1, 0, 1, 0], np.int8), [ONLY_A, ONLY_B, WRONG_A, WRONG_B])

    def statistic(a: Any, b: Any, axis: int = -1) -> Any:
        return f1_drop(a[..., :RIGHT].sum(axis=axis), a[..., RIGHT:].sum(axis=axis))

    return stats.permutation_test(
        (a, 1 - a), statistic, permutation_type="samples", vectorized=True, n_resamples=shuffles, batch=2**15, rng=0
    ).pvalue  # fmt: skip


def numpy_matrix(shuffles: int, batch: int = 2**11) -> float:
    rng, hits = np.random.default_rng(0), 0
    kinds = np.zeros((88, 2), np.float32)
    kinds[:RIGHT, 0] = kinds[RIGHT : RIGHT + WRONG, 1] = 1
    for _ in range(shuffles // batch):
        bits = np.unpackbits(np.frombuffer(rng.bytes(batch * 11), np.uint8).reshape(batch, 11), axis=1)
        right, wrong = (bits.astype(np.float32) @ kinds).astype(float).T
        hits += np.count_nonzero(np.abs(f1_drop(right, wrong)) >= AIM)
    return (hits + 1) / (shuffles + 1)


def numpy_popcount(shuffles: int, batch: int = 2**16) -> float:
    rng, hits = np.random.default_rng(0), 0
    for _ in range(shuffles // batch):
        words = rng.integers(0, [[2**RIGHT], [2**WRONG]], size=(2, batch), dtype=np.uint64)
        right, wrong = np.bitwise_count(words).astype(float)
        hits += np.count_nonzero(np.abs(f1_drop(right, wrong)) >= AIM)
    return (hits + 1) / (shuffles + 1)


def law_alone(tally: Any) -> float:
    return 2 * Swap.of(tally, tally.multiplicities).upper(AIM, 0.0)


TIMED = (p_alone, law_alone, whole, f1_drop, scipy_permutation, numpy_matrix, numpy_popcount)


def run(quick: bool) -> Iterator[Row]:
    counts = from_events(data.YEH, open=True)
    some = 2**17 if quick else SHUFFLES
    tally = Tally.of(counts, METRICS["f1"])
    jobs = {"p": lambda: p_alone(counts, "f1"), "law": lambda: law_alone(tally), "whole": lambda: whole(counts, "f1")}
    ours = race(jobs, 5 if quick else 20)
    jobs = {"scipy.stats.permutation_test": lambda: scipy_permutation(some)}
    jobs["numpy, a bit for each response"] = lambda: numpy_matrix(SHUFFLES)
    jobs["numpy, counting bits of words"] = lambda: numpy_popcount(SHUFFLES)
    peers = race(jobs, 1 if quick else 3)
    for (peer, theirs), factor in zip(peers.items(), (1000, 100, None), strict=True):
        part = quick and factor == 1000
        yield Row(
            what="p of f1, Yeh's example, 2^20 shuffles",
            ours=ours["p"].seconds,
            peer=peer,
            theirs=theirs.seconds * (scale(SHUFFLES, some) if part else 1),
            extrapolated=f"2^{some.bit_length() - 1} shuffles, {theirs.seconds:.2f} s" if part else "",
            factor=factor,
            note=f"p = {ours['p'].answer.p[0]:.6f} exact, {theirs.answer:.5f}",
        )
    yield Row(what="the same, the swap law alone", ours=ours["law"].seconds, note=f"p = {ours['law'].answer:.6f}")
    yield Row(what="the same, whole compare()", ours=ours["whole"].seconds, note="with three bootstrap intervals")
