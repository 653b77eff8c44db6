"""Predictions as counts and documents."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from scripts.population_predictions import Predictions

from referee.errors import NameUnknown
from referee_papers.training.train import EVENTS
from tests.papers.populations.made_up import random_predictions


@pytest.mark.parametrize("known", [False, True])
def test_counts_are_those_of_a_loop(known):
    given = random_predictions(known=known)
    counts = given.counts("linear-svm", "mlp")
    assert (dict(counts.names), counts.positive) == ({"a": "linear-svm", "b": "mlp"}, 1)
    slices = dict(counts.slices())
    for k, name in enumerate(given.categories):
        seen = np.ones(len(given), bool) if given.known is None else given.known[:, k]
        expected = Counter(
            zip(
                given.truth[seen, k].astype(int).tolist(),
                given.predicted["linear-svm"][seen, k].astype(int).tolist(),
                given.predicted["mlp"][seen, k].astype(int).tolist(),
                strict=True,
            )
        )
        one = slices[name]
        rows = zip(*(one[role].tolist() for role in ("truth", "a", "b")), strict=True)
        assert dict(zip(rows, one.multiplicities.tolist(), strict=True)) == expected
        assert one.n == seen.sum()


@pytest.mark.parametrize("known", [False, True])
def test_documents_are_those_of_a_loop(known):
    given = random_predictions(known=known)
    names = ["c03", "c01", "c07"]
    events, times = given.documents(names, "linear-svm", "rbf-svm")
    expected: Counter[tuple[int, ...]] = Counter()
    for i in range(len(given)):
        each = [0] * 8
        for name in names:
            k = given.categories.index(name)
            if given.known is None or given.known[i, k]:
                cell = (given.truth[i, k], given.predicted["linear-svm"][i, k], given.predicted["rbf-svm"][i, k])
                each[EVENTS.index(tuple(int(value) for value in cell))] += 1
        expected[tuple(each)] += 1
    assert {tuple(kind): many for kind, many in zip(events.tolist(), times.tolist(), strict=True)} == expected
    with pytest.raises(NameUnknown):
        given.documents(["c99"], "linear-svm", "rbf-svm")


def test_the_events_are_in_the_order_of_the_papers():
    cells = list(product([True, False], repeat=3))
    truth, a, b = (np.array(values)[:, None] for values in zip(*cells, strict=True))
    found = Predictions("x", ("c",), truth, {"a": a, "b": b})
    assert found.events("a", "b").tolist() == [[1] * 8]
    only = found.at(np.flatnonzero((truth & ~a & b)[:, 0]))
    assert only.events("a", "b").tolist() == [[0, 1, 0, 0, 0, 0, 0, 0]]
