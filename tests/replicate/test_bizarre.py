"""Table 3 again, on documents that were made up; the judgement on test sets of which the truth is known."""

from __future__ import annotations

import json

import numpy as np
import pytest

from referee.data.counts import from_events
from referee.errors import RefereeError
from referee.replicate import _confidence, _documents, bizarre
from referee.replicate._documents import Plan as Drawing
from referee.studies.auditing.population import Population

TINY = bizarre.Plan(
    Drawing(size=300, replicates=400, subsets=200, others=10, other_replicates=200, tied=20), sizes=(100, 400), sets=20
)


def given():
    rng = np.random.default_rng(5)
    sets = {}
    for name, tilt in (("X", 2.0), ("Y", 1.0), ("Z", 0.5)):
        shares = np.array([4, 1.0 * tilt, 1.0, 1, 0.5, 0.5, 0.5 * tilt, 12])
        kinds = np.unique(rng.multinomial(21, shares / shares.sum(), size=40), axis=0)
        parts = {
            part: {"events": kinds.tolist(), "times": rng.integers(5, 30, len(kinds)).tolist()}
            for part in ("test", "truth")
        }
        sets[name] = {"categories": [f"c{i}" for i in range(21)], **parts}
    return {"schema": "referee.documents/1", "corpus": "made", "a": "linear", "b": "rbf", "sets": sets}


def worlds():
    return {"x": Population.of(from_events([300, 60, 60, 40, 30, 50, 50, 410]))}


@pytest.fixture(scope="module")
def made():
    return bizarre.replicate(given(), worlds(), TINY, jobs=1)


def test_contract(made):
    content = json.loads(json.dumps(made.to_dict(), allow_nan=False))
    assert all(set(row) == {"what", "paper", "ours", "agrees", "note"} for row in content["rows"])
    assert [row["set"] for row in content["tables"][0]["rows"]] == ["X", "Y", "Z"]
    assert content["tables"][0]["rows"][0]["paper_truth_documents"] == 790900
    assert sum(row["what"].startswith("detection cost") for row in content["rows"]) == 2
    assert "95.6 / 92.4" in str(made)


def test_resumed_and_parallel(made, tmp_path):
    file = tmp_path / "cells.sqlite"
    assert bizarre.replicate(given(), worlds(), TINY, jobs=2, store=file).to_dict() == made.to_dict()
    assert bizarre.replicate(given(), worlds(), TINY, jobs=1, store=file).to_dict() == made.to_dict()


def test_micro_f1():
    part = {"events": [[3, 1, 2, 4, 5, 6, 7, 8], [1, 0, 0, 0, 0, 0, 0, 0]], "times": [2, 1]}
    tally = _documents.tally_of(part)
    e = 2 * np.array([3, 1, 2, 4, 5, 6, 7, 8]) + np.array([1, 0, 0, 0, 0, 0, 0, 0])
    a = 2 * (e[0] + e[2]) / (2 * (e[0] + e[2]) + e[4] + e[6] + e[1] + e[3])
    b = 2 * (e[0] + e[1]) / (2 * (e[0] + e[1]) + e[4] + e[5] + e[2] + e[3])
    assert tally.scores(tally.multiplicities).tolist() == pytest.approx([a, b])


def test_a_model_far_ahead_is_seen_by_all():
    part = {"events": [[1, 9, 0, 2, 0, 0, 0, 9], [9, 1, 0, 2, 0, 0, 3, 6]], "times": [100, 100]}
    found = _documents.cell({"categories": ["c"] * 21, "test": part, "truth": part}, "X", TINY.documents)
    assert found["confidence"] == found["share"] == 1.0
    assert min(found["others"]) == 1.0


def value(confidence, truth, others, alarms=0.05):
    return {
        "confidence": confidence, "against": 1 - confidence, "share": truth, "share_against": 1 - truth, "others": others,
        "alarms": None if alarms is None else [alarms, 0.1], "documents": {"test": 7909, "truth": 12000},
        "difference": {"test": 0.01, "truth": 0.01}, "categories": 21,
    }  # fmt: skip


def judged(values):
    seen = [_confidence.Seen.of(name, one, 500) for name, one in values.items()]
    return [row["agrees"] for row in _confidence.of_table(seen)], _confidence.conclusion(seen)


def test_judgement():
    paper = {
        "X": value(0.956, 0.924, [0.8, 0.9]),
        "Y": value(0.542, 0.691, [0.5, 0.7]),
        "Z": value(0.035, 0.175, [0.2, 0.4]),
    }
    told, said = judged(paper)
    assert told == [True, True, None]
    assert "No intrinsic over-confidence is seen" in said
    told, _ = judged({"X": value(0.85, 0.924, [0.9]), "Y": value(0.9, 0.6, [0.5])})
    assert told[:2] == [False, False]
    told, said = judged({"X": value(1.0, 1.0, [1.0])})
    assert told == [None, None, None] and "every test set is sure" in said
    told, said = judged({"X": value(0.97, 0.95, [0.99], alarms=0.2)})
    assert told[:2] == [True, None]
    assert "some of it is intrinsic" in said and "X 20.0 ±" in said
    assert "above the share among subsets in most" in judged({"X": value(0.97, 0.95, [0.99], alarms=None)})[1]


def test_other_documents(monkeypatch):
    monkeypatch.setattr(_documents, "content", lambda name: '{"schema": "referee.documents/9"}')
    with pytest.raises(RefereeError, match="documents/9"):
        _documents.documents("rcv1")


def test_options():
    with pytest.raises(RefereeError, match="corpus"):
        bizarre.run(corpus="rcv2")
