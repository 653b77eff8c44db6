"""The score law: p and interval of two classes and of many, of batches and of groups.

Two classes: the p-value and the interval alone, from Counts; the notes give the time of the whole compare() without the
audit line, which adds the intervals of both scores. Many classes and groups: the whole compare() without the audit line,
from Counts. Batches: 1,000 sets, decided as in an audit. The peer is the percentile bootstrap as it is usually written: draw
indices, index the arrays (for groups, their totals) and compute the score again, 9,999 times. It gives an interval but no
p-value.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import referee
from benchmarks import data
from benchmarks.measure import peak, race, scale
from benchmarks.rows import Row
from referee.data.counts import from_events
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance.base import interval_at
from referee.significance.score_test import Score
from referee.significance.tally import Tally

DRAWS = 9_999
SETS, GROUPS = 1_000, 100_000
TWO, CLASSES, BATCH, GROUPED = 0.005, {10: 0.05, 100: 1.0, 1000: 10.0}, 0.1, 0.3
"""So many seconds two classes, so many classes, a batch and groups may take."""
MEMORY = 1_000
"""So many MB a thousand classes may take."""
MACRO = (
    "import referee; "
    "referee.compare(referee.count(truth=y, a=a, b=b), metric='f1:average=macro', test='score', audit=False)"
)


def alone(counts: Any, metric: str) -> Any:
    tally, test, streams = Tally.of(counts, resolve(metric)), Score(), Streams.of(0)
    p = test.evaluate(tally, tally.multiplicities[None], "two-sided", streams).p[0]
    return p, interval_at(test, tally, 0.95, streams)


def whole(counts: Any, metric: str) -> Any:
    return referee.compare(counts, metric=metric, audit=False)


def decided(tally: Any, batch: Any) -> Any:
    return Score().decide(tally, batch, (0.05,), "two-sided", Streams.of(0))


def percentile_bootstrap(score: Any, columns: Any, draws: int) -> Any:
    rng, n = np.random.default_rng(0), len(columns[0])
    drawn = []
    for _ in range(draws):
        i = rng.integers(0, n, size=n)
        drawn.append(score(*(column[i] for column in columns)))
    return np.percentile(drawn, [2.5, 97.5])


def accuracy(y: Any, x: Any) -> Any:
    return np.mean(y == x)


def f1(y: Any, x: Any) -> Any:
    return 2 * np.sum(y & x) / (np.sum(y) + np.sum(x))


def precision(y: Any, x: Any) -> Any:
    return np.sum(y & x) / np.sum(x)


def mcc(y: Any, x: Any) -> Any:
    return np.corrcoef(y, x)[0, 1]


def macro_f1(y: Any, x: Any) -> Any:
    k = y.max() + 1
    hits = np.bincount(y[y == x], minlength=k)
    return np.mean(2 * hits / (np.bincount(y, minlength=k) + np.bincount(x, minlength=k)))


def group_f1(totals: Any) -> Any:
    positives, in_a, hits_a, in_b, hits_b = totals.sum(axis=0)
    return 2 * hits_b / (positives + in_b) - 2 * hits_a / (positives + in_a)


def group_mean(totals: Any) -> Any:
    size, a, b = totals.sum(axis=0)
    return (b - a) / size


TIMED = (alone, whole, decided, percentile_bootstrap, accuracy, f1, precision, mcc, macro_f1, group_f1, group_mean)
PEER = "percentile bootstrap, numpy"


def run(quick: bool) -> Iterator[Row]:
    yield from _two_classes(quick)
    yield from _many_classes(quick)
    yield from _batches(quick)
    yield from _groups(quick)


def _two_classes(quick: bool) -> Iterator[Row]:
    arrays = data.labels(1000)
    for score in (accuracy, f1, precision, mcc):
        metric = score.__name__
        for n in (10**3, 10**9):
            counts, some = from_events(data.close(n)), 50 if quick else 200
            jobs: dict[str, Callable[[], Any]] = {
                "ours": lambda own=counts, by=metric: alone(own, by),
                "whole": lambda own=counts, by=metric: whole(own, by),
            }
            if n == 10**3:
                jobs["theirs"] = lambda by=score, few=some: _difference(by, arrays, few)
            found = race(jobs, 3 if quick else 7)
            p, interval = found["ours"].answer
            yield Row(
                what=f"p and interval of {metric}, counts of N=10^{len(str(n)) - 1}",
                ours=found["ours"].seconds,
                limit=TWO,
                note=f"p = {p:.4g}, {_shown(interval)}; whole compare() {found['whole'].seconds * 1e3:.1f} ms",
                **(_peer(found["theirs"], some) if "theirs" in found else {}),
            )


def _many_classes(quick: bool) -> Iterator[Row]:
    for number, limit in CLASSES.items():
        y, a, b = data.classes(50_000, number)
        counts, some = referee.count(truth=y, a=a, b=b), 5 if quick else 20
        jobs = {
            "ours": lambda own=counts: whole(own, "f1:average=macro"),
            "theirs": lambda own=(y, a, b), few=some: _difference(macro_f1, own, few),
        }
        found = race(jobs, 1 if quick else 3)
        result = found["ours"].answer
        yield Row(
            what=f"macro-F1, n = 50,000, {number:,} classes, whole compare()",
            ours=found["ours"].seconds,
            limit=limit,
            note=f"{result.test}: p = {result.p_value:.4g}, {_shown(result.interval)}",
            **_peer(found["theirs"], some),
        )
    yield Row(
        what="its peak memory above numpy and the arrays, from arrays",
        ours=peak(MACRO, y=y, a=a, b=b),
        unit="MB",
        limit=MEMORY,
        note="in a process of its own, imports of referee included",
    )


def _batches(quick: bool) -> Iterator[Row]:
    arrays = data.labels(1000)
    for score in (f1, mcc):
        tally = Tally.of(from_events(data.close(1000)), resolve(score.__name__))
        drawn = np.random.default_rng(0).multinomial(1000, tally.multiplicities / 1000, size=SETS)
        some = 50 if quick else 200
        jobs = {
            "ours": lambda own=tally, batch=drawn: decided(own, batch),
            "theirs": lambda by=score, few=some: _difference(by, arrays, few),
        }
        found = race(jobs, 3 if quick else 7)
        yield Row(
            what=f"{score.__name__} of {SETS:,} sets of 1,000 examples, decided",
            ours=found["ours"].seconds,
            limit=BATCH,
            note=f"{np.mean(found['ours'].answer):.1%} rejected",
            peer=PEER,
            theirs=found["theirs"].seconds * scale(DRAWS, some) * SETS,
            extrapolated=f"{some} draws of 1 set, {found['theirs'].seconds:.2g} s",
        )


def _groups(quick: bool) -> Iterator[Row]:
    y, a, b, sentence = data.sentences(GROUPS)
    labels = np.stack([np.bincount(sentence, column) for column in (y, a, y & a, b, y & b)], axis=1)
    counts = data.scores_in_groups(GROUPS)
    group, size = counts["group"].astype(np.int64), counts.multiplicities
    scores = np.stack([np.bincount(group, size * column) for column in (1, counts["a"], counts["b"])], axis=1)
    for metric, own, totals, score in (
        ("f1", data.labels_in_groups(GROUPS), labels, group_f1),
        ("mean", counts, scores, group_mean),
    ):
        some = 5 if quick else 20
        jobs = {
            "ours": lambda given=own, by=metric: whole(given, by),
            "theirs": lambda by=score, each=totals, few=some: percentile_bootstrap(by, (each,), few),
        }
        found = race(jobs, 1 if quick else 5)
        result = found["ours"].answer
        yield Row(
            what=f"p and interval of {metric}, {GROUPS:,} groups, whole compare()",
            ours=found["ours"].seconds,
            limit=GROUPED,
            note=f"{own.n:,} examples; {result.test}, {_shown(result.interval)}",
            **_peer(found["theirs"], some),
        )


def _difference(score: Any, arrays: Any, draws: int) -> Any:
    return percentile_bootstrap(lambda y, a, b: score(y, b) - score(y, a), arrays, draws)


def _peer(timed: Any, some: int) -> dict[str, Any]:
    told = f"{some} of {DRAWS:,} draws, {timed.seconds:.2g} s"
    return {"peer": PEER, "theirs": timed.seconds * scale(DRAWS, some), "extrapolated": told}


def _shown(interval: Any) -> str:
    return f"[{interval.low:.5f}, {interval.high:.5f}]"
