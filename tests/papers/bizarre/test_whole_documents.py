"""Documents seen through F1, and a set of categories measured."""

from __future__ import annotations

import numpy as np
import pytest

from referee.errors import RefereeError
from referee_papers.bizarre import whole_documents
from tests.papers.bizarre.made_up import TINY


def test_micro_f1():
    part = {"events": [[3, 1, 2, 4, 5, 6, 7, 8], [1, 0, 0, 0, 0, 0, 0, 0]], "times": [2, 1]}
    tally = whole_documents.tally_of(part)
    e = 2 * np.array([3, 1, 2, 4, 5, 6, 7, 8]) + np.array([1, 0, 0, 0, 0, 0, 0, 0])
    a = 2 * (e[0] + e[2]) / (2 * (e[0] + e[2]) + e[4] + e[6] + e[1] + e[3])
    b = 2 * (e[0] + e[1]) / (2 * (e[0] + e[1]) + e[4] + e[5] + e[2] + e[3])
    assert tally.scores(tally.multiplicities).tolist() == pytest.approx([a, b])


def test_a_model_far_ahead_is_seen_by_all():
    part = {"events": [[1, 9, 0, 2, 0, 0, 0, 9], [9, 1, 0, 2, 0, 0, 3, 6]], "times": [100, 100]}
    found = whole_documents.measure_cell({"categories": ["c"] * 21, "test": part, "truth": part}, "X", TINY.documents)
    assert found["confidence"] == found["share"] == 1.0
    assert min(found["others"]) == 1.0


def test_other_documents(monkeypatch):
    monkeypatch.setattr(whole_documents, "content", lambda name: '{"schema": "referee.documents/9"}')
    with pytest.raises(RefereeError, match="documents/9"):
        whole_documents.read("rcv1")
