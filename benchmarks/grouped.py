"""Groups: exact randomization of whole sentences, and p with its interval over very many groups."""

from collections.abc import Iterator
from typing import Any

import referee
from benchmarks import data
from benchmarks.exact import p_alone
from benchmarks.measure import race
from benchmarks.rows import Row


def whole(y: Any, a: Any, b: Any, sentence: Any) -> Any:
    return referee.compare(truth=y, a=a, b=b, group=sentence, metric="f1", test="randomization")


def many(counts: referee.Counts, metric: str) -> Any:
    return referee.compare(counts, metric=metric, audit=False)


TIMED = (p_alone, whole, many)
MANY = 100_000
LIMIT = 0.3
"""So many seconds p and its interval may take over so many groups."""


def run(quick: bool) -> Iterator[Row]:
    y, a, b, sentence = data.sentences(3400)
    counts = referee.count(truth=y, a=a, b=b, group=sentence)
    found = race({"p": lambda: p_alone(counts, "f1"), "whole": lambda: whole(y, a, b, sentence)}, 1 if quick else 5)
    evidence, result = found["p"].answer, found["whole"].answer
    yield Row(
        what="p of f1, 3,400 sentences" + ("" if evidence.method == "exact" else " (NOT EXACT)"),
        ours=found["p"].seconds,
        limit=1.0,
        note=f"p = {evidence.p[0]:.4g}, {len(y)} responses, of which the systems differ on {(a != b).sum()}",
    )
    yield Row(
        what="the same from arrays, whole compare()",
        ours=found["whole"].seconds,
        note=f"p {result.p_method}; the interval is of the same exchanges",
    )
    for metric, groups in (("f1", data.labels_in_groups(MANY)), ("mean", data.scores_in_groups(MANY))):
        timed = race({"many": lambda own=groups, by=metric: many(own, by)}, 1 if quick else 5)["many"]
        yield Row(
            what=f"p and interval of {metric}, {MANY:,} groups, whole compare()",
            ours=timed.seconds,
            limit=LIMIT,
            note=f"{groups.n:,} examples; {timed.answer.test}, the interval is {timed.answer.interval.method}",
        )
