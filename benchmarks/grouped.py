"""Exact randomization of whole sentences: F1 over 3,400 sentences of 1 to 8 responses each."""

from collections.abc import Iterator
from typing import Any

import referee
from benchmarks import data
from benchmarks.exact import p_alone
from benchmarks.measure import race
from benchmarks.rows import Row


def whole(y: Any, a: Any, b: Any, sentence: Any) -> Any:
    return referee.compare(truth=y, a=a, b=b, group=sentence, metric="f1", test="randomization")


TIMED = (p_alone, whole)


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
        note=f"p {result.p_method}; with bootstrap intervals over sentences",
    )
