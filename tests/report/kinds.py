"""One result of each kind, of systems, tasks, classes and metrics with long names, quick to compute."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import referee

A = "meta-llama/Llama-3.1-8B-Instruct-dpo-v2-checkpoint-00012000-bf16"
B = "meta-llama/Llama-3.1-8B-Instruct-dpo-v3-checkpoint-00018500-bf16"
OTHERS = ("mistralai/Mixtral-8x22B-Instruct-v0.1-AWQ", "averyveryverylongnamewithoutanyplacetobreakitanywhere_v2", "nb")
CLASSES = ("complaint about a delayed delivery", "refund_requested_after_thirty_days", "praise", "order")
TASKS = (
    "mmlu_high_school_government_and_politics",
    "bigbench_logical_deduction_seven_objects_multiple_choice",
    "gsm8k",
    "leaderboard_musr_murder_mysteries_with_chain_of_thought_prompting",
    "boolq",
)


def _like(rng: np.random.Generator, truth: Any, share: float, other: Any) -> Any:
    return np.where(rng.random(len(truth)) < share, truth, other)


@cache
def _table(n: int = 480) -> dict[str, Any]:
    """Return made-up answers of two systems, with all that a table may have beside them."""
    rng = np.random.default_rng(3)
    kind = rng.choice(CLASSES, n, p=[0.3, 0.2, 0.1, 0.4])
    old = _like(rng, kind, 0.74, rng.choice(CLASSES, n))
    new = np.where(rng.random(n) < 0.7, old, _like(rng, kind, 0.93, rng.choice(CLASSES, n)))
    ease = rng.normal(60, 12, n)
    task = np.array(TASKS)[np.arange(n) % len(TASKS)]
    gain = dict(zip(TASKS, (0.02, 0.28, -0.24, 0.0, 0.03), strict=True))
    right = (rng.random(n) < 0.6).astype(float)
    moved = rng.random(n) < np.abs([gain[one] for one in task])
    then = np.where(moved, np.array([gain[one] > 0 for one in task], float), right)
    return {
        "question-id": [f"q-{place:04d}" for place in range(n)],
        "kind": kind,
        A: old,
        B: new,
        f"{A} rating": ease + rng.normal(0, 8, n),
        f"{B} rating": ease + rng.normal(1.8, 9, n),
        f"{A} right": right,
        f"{B} right": then,
        "task": task,
        "customer": [f"customer number {place % 60} of the northern region" for place in range(n)],
        "question": [f"Question {place}: what did the customer with the long name want, and why?" for place in range(n)],
    }  # fmt: skip


def _compare(**options: Any) -> Any:
    return referee.compare(_table(), truth="kind", a=A, b=B, audit=False, **options)


def _rating(**options: Any) -> Any:
    both = {"a": f"{A} rating", "b": f"{B} rating", "names": (A, B), "lower_is_better": False, "audit": False}
    return referee.compare(_table(), **both, **options)


def _right(**options: Any) -> Any:
    both = {"a": f"{A} right", "b": f"{B} right", "names": (A, B), "lower_is_better": False, "audit": False}
    return referee.compare(_table(), **both, **options)


def _preferences() -> Any:
    rng = np.random.default_rng(4)
    table = {
        "prompt": [place // 2 for place in range(240)],
        "first": ["a", "b"] * 120,
        "winner": rng.choice(["a", "b", "tie"], 240, p=[0.35, 0.45, 0.2]).tolist(),
    }
    return referee.compare(table, winner="winner", first="first", id="prompt", names=(A, B), audit=False)


def _battles() -> Any:
    rng, names = np.random.default_rng(5), (A, B, *OTHERS)
    pairs = [rng.choice(5, 2, replace=False) for _ in range(400)]
    wins = [("model_a" if rng.random() < 0.5 + 0.1 * (j - i) else "model_b") for i, j in pairs]
    table = {"model_a": [names[i] for i, _ in pairs], "model_b": [names[j] for _, j in pairs], "winner": wins}
    return referee.rank(table, winner="winner", a="model_a", b="model_b")


def _board(n: int = 300) -> dict[str, Any]:
    rng = np.random.default_rng(6)
    hard = rng.random(n)
    return {
        name: (np.where(rng.random(n) < 0.7, hard, rng.random(n)) < share).astype(float)
        for name, share in zip((A, B, *OTHERS), (0.7, 0.72, 0.6, 0.55, 0.4), strict=True)
    }


def _folds(n: int = 10) -> dict[str, Any]:
    rng = np.random.default_rng(7)
    ease = rng.normal(0.85, 0.01, n)
    return {
        name: (ease + gain + rng.normal(0, 0.006, n)).round(4).tolist()
        for name, gain in zip((A, B, *OTHERS), (0, 0.012, 0.014, -0.02, -0.05), strict=True)
    }


def _datasets(n: int = 12) -> dict[str, Any]:
    return {"dataset": [f"dataset with the long name number {place}" for place in range(n)], **_folds(n)}


def _judge(n: int = 600) -> Any:
    rng = np.random.default_rng(8)
    right = (rng.random(n) < 0.5).astype(int)
    table = {
        "human": [int(one) if row < 150 else None for row, one in enumerate(right)],
        "judge": _like(rng, right, 0.9, 1 - right),
        A: _like(rng, right, 0.7, 1 - right),
        B: _like(rng, right, 0.78, 1 - right),
    }
    return referee.compare(table, truth="human", judge="judge", a=A, b=B, metric="f1")


def _repeats() -> Any:
    rng, rows = np.random.default_rng(9), []
    for question in range(40):
        ease = rng.random()
        rows += [
            (f"question {question} of the long list", int(rng.random() < ease), int(rng.random() < ease))
            for _ in range(5)
        ]
    ids, old, new = (list(column) for column in zip(*rows, strict=True))
    return referee.compare(
        {"question": ids, A: old, B: new}, a=A, b=B, id="question", repeats="group", lower_is_better=False
    )


def _many_tasks() -> Any:
    rng, tasks = np.random.default_rng(12), [f"task_{place:02d}_of_forty" for place in range(40)]
    old, new = ((rng.random(480) < share).astype(float) for share in (0.55, 0.6))
    new[:12], old[:12] = 0.0, 1.0
    rows = {"task": np.repeat(tasks, 12), A: old, B: new}
    return referee.compare(rows, a=A, b=B, by="task", lower_is_better=False, audit=False)


MAKERS = {
    "comparison": lambda: _compare(metric="accuracy", id="question-id", text="question"),
    "classes": lambda: _compare(metric="f1:average=macro"),
    "scores": lambda: _rating(),
    "groups": lambda: _compare(metric="accuracy", group="customer"),
    "tasks": lambda: _right(by="task"),
    "many tasks": _many_tasks,
    "metrics": lambda: _compare(metric=["accuracy", "f1:average=macro", "kappa"]),
    "audit": lambda: referee.audit(_table(), truth="kind", a=A, b=B, metric="accuracy", group="customer", sizes=[100, 200, 400], sets=40),
    "audit of one size": lambda: referee.audit(_table(), truth="kind", a=A, b=B, metric="f1:average=macro", sets=40),
    "algorithms": lambda: referee.compare_scores(_folds(), design="kfold", n_train=900, n_test=100),
    "rank": lambda: referee.rank(_board(), metric="mean", lower_is_better=False),
    "baseline": lambda: referee.rank(_board(), metric="mean", baseline=A, lower_is_better=False),
    "battles": _battles,
    "preferences": _preferences,
    "plan": lambda: referee.plan(_table(), truth="kind", a=A, b=B, metric="f1:average=macro", group="customer"),
    "score": lambda: referee.score(_table(), truth="kind", prediction=B, metric="f1:average=macro", at_least="85%"),
    "score of slices": lambda: referee.score(_table(), truth="kind", prediction=B, metric="accuracy", by="task"),
    "datasets": lambda: referee.rank_datasets(_datasets(), dataset="dataset", metric="auc"),
    "repeats": _repeats,
    "judge": _judge,
}  # fmt: skip
"""What makes each kind of result."""


@cache
def made(kind: str) -> Any:
    """Make a result of this kind."""
    return MAKERS[kind]()
