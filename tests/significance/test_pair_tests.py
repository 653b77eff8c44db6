"""All pairs at once find what each pair does on its own."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from referee.data.counts import Counts
from referee.data.roles import MORE
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance.pair_tests import AtOnce, OneByOne, pair_tests
from referee.significance.score_test import Score


def many(classes=2, systems=4, n=90, strata=0, seed=0, truth=True):
    rng = np.random.default_rng(seed)
    right = rng.integers(0, classes, n)
    answers = [np.where(rng.random(n) < 0.6 + 0.08 * i, right, rng.integers(0, classes, n)) for i in range(systems)]
    columns = {"truth": right} if truth else {}
    columns |= {f"{MORE}{i + 1}": one for i, one in enumerate(answers)}
    return Counts.of(columns | ({"stratum": rng.integers(0, strata, n)} if strata else {}))


@pytest.mark.parametrize(
    ("metric", "data"),
    [
        ("accuracy", {}),
        ("f1", {}),
        ("mcc", {}),
        ("dcf", {}),
        ("f1:average=macro", {"classes": 3}),
        ("accuracy", {"classes": 5}),
        ("f1", {"strata": 3}),
        ("mean", {"truth": False}),
        ("mean:low=0,high=3,step=1", {"truth": False, "classes": 4}),
        ("f1", {"n": 12}),
    ],
)
def test_a_batch_finds_what_single_comparisons_find(metric, data):
    counts, own = many(**data), resolve(metric)
    pairs = list(combinations(counts.systems, 2))
    batch, single = AtOnce(counts, own, pairs, Streams.of(0)), OneByOne(counts, own, pairs, Score(), Streams.of(0))
    ours, theirs = batch.found(), single.found()
    for name in ("difference", "p", "statistic"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name), abs=1e-7), name
    for level in (0.95, 0.999):
        for one, other in zip(batch.intervals(level), single.intervals(level), strict=True):
            assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-6)


def test_only_few_kinds_of_outcomes_go_at_once():
    f1, accuracy = resolve("f1"), resolve("accuracy")
    pairs = [(f"{MORE}1", f"{MORE}2")]
    assert isinstance(pair_tests(many(), f1, pairs, Score(), Streams.of(0)), AtOnce)
    assert isinstance(pair_tests(many(classes=12, n=300), accuracy, pairs, Score(), Streams.of(0)), OneByOne)
