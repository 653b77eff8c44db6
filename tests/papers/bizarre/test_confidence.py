"""The judgement on test sets of which the truth is known."""

from __future__ import annotations

from referee_papers.bizarre import confidence


def value(confidence, truth, others, alarms=0.05):
    return {
        "confidence": confidence, "against": 1 - confidence, "share": truth, "share_against": 1 - truth, "others": others,
        "alarms": None if alarms is None else [alarms, 0.1], "documents": {"test": 7909, "truth": 12000},
        "difference": {"test": 0.01, "truth": 0.01}, "categories": 21,
    }  # fmt: skip


def judged(values):
    seen = [confidence.CategorySet(name, one, 500) for name, one in values.items()]
    return [row["agrees"] for row in confidence.judge_table(seen)], confidence.conclude(seen)


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
