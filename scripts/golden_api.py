"""The calls from Python of the golden run: public names alone, each gives the texts that it ends in."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scripts.golden_inputs import folds, learning, ranks, scores, spam

import referee

FACES = ("to_json", "to_markdown", "to_latex", "to_junit", "to_html")
CALLS: dict[str, Callable[[], dict[str, str]]] = {}
"""By its name, a call that returns texts by the names of files."""


def _call(function: Callable[[], Any]) -> Callable[[], Any]:
    def run() -> dict[str, str]:
        result = function()
        return result if isinstance(result, dict) else faces(result)

    CALLS[f"python-{function.__name__.replace('_', '-')}"] = run
    return function


def faces(result: Any) -> dict[str, str]:
    """Return a result in all its forms."""
    texts = {
        f"{face}{'.json' if face == 'to_json' else ''}": getattr(result, face)()
        for face in FACES
        if hasattr(result, face)
    }
    if hasattr(result, "to_frame"):
        texts["to_frame.json"] = result.to_frame().to_json(orient="records", double_precision=15)
    return {**texts, "str": str(result), "signature": str(getattr(result, "signature", ""))}


def _systems(table: pd.DataFrame, truth: str = "label") -> dict[str, Any]:
    return {"truth": table[truth].to_numpy(), "a": table["old"].to_numpy(), "b": table["new"].to_numpy()}


@_call
def arrays() -> Any:
    """Compare arrays."""
    return referee.compare(**_systems(spam()), metric="f1", positive="spam")


@_call
def lists_in_groups() -> Any:
    """Compare lists."""
    table = spam()
    lists = {name: column.tolist() for name, column in _systems(table).items()}
    return referee.compare(**lists, group=table["sender"].tolist(), margin="2pp")


@_call
def frame() -> Any:
    """Compare columns of a frame, several metrics."""
    return referee.compare(spam(), truth="label", a="old", b="new", metric=["accuracy", "mcc"], by="kind")


@_call
def scores_alone() -> Any:
    """Compare scores."""
    table = scores()
    return referee.compare(a=table["oldx"], b=table["newx"], group=table["doc"], question="no-worse", margin=0.5)


@_call
def counts() -> Any:
    """Add counts, and compare them."""
    table = spam()
    first, second = (
        referee.count(part, truth="label", a="old", b="new", positive="spam") for part in (table[:100], table[100:])
    )
    return {"counts.json": (first + second).to_json(), **faces(referee.compare(first + second, metric="recall"))}


@_call
def own_metric() -> Any:
    """Compare by a metric that was made here."""

    @referee.metric(name="penalty", per="example", higher_is_better=False)
    def penalty(truth: Any, prediction: Any, *, miss: float = 5.0) -> Any:
        """Mean penalty: 1 for a false alarm, more for a miss."""
        return (prediction > truth) + miss * (truth > prediction)

    table = spam()
    numbers = {name: (column == "spam").astype(int) for name, column in _systems(table).items()}
    return referee.compare(**numbers, metric=penalty)


@_call
def logs() -> Any:
    """Read two logs, compare them and look at examples."""
    outcomes = referee.read("logs/lm-eval/acme__small", "logs/lm-eval/acme__large", filter="strict-match")
    result: Any = referee.compare(outcomes)
    return {**faces(result), "examples": "\n".join(map(str, result.examples()))}


@_call
def back_and_forth() -> Any:
    """Read a result back from what it is written as."""
    result = referee.compare(**_systems(ranks(), "y"), metric="auc")
    return faces(referee.Comparison.from_dict(json.loads(result.to_json())))


@_call
def audit() -> Any:
    """Audit two tests."""
    return referee.audit(**_systems(spam()), metric="error", test=["mcnemar", "sign"], sets=40, jobs=1)


@_call
def audit_algorithms() -> Any:
    """Audit the tests of algorithms."""
    return referee.audit_algorithms(n=40, sets=4, designs="5x2cv", jobs=1)


@_call
def algorithms() -> Any:
    """Compare algorithms."""
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB

    table = learning()
    models = {"bayes": GaussianNB(), "most": DummyClassifier()}
    return referee.compare_algorithms(models, table[["x", "z"]], table["label"], design="kfold:folds=4", jobs=1)


@_call
def fold_scores() -> Any:
    """Compare fold scores."""
    return referee.compare_scores(folds()[["svm", "tree", "net"]], design="kfold", n_train=90, n_test=10, margin=0.01)


@_call
def adjusted() -> Any:
    """Adjust p-values by every method."""
    p_values = [0.001, 0.02, 0.02, 0.04, 0.3, 0.9]
    methods = ("holm", "bonferroni", "hochberg", "bh", "by")
    return {
        "adjusted.json": json.dumps({name: np.asarray(referee.adjust(p_values, name)).tolist() for name in methods})
    }


@_call
def metrics() -> Any:
    """Return the values of metrics themselves."""
    pair = _systems(spam())
    names = ("accuracy", "f1", "mcc", "kappa", "dcf")
    found: dict[str, Any] = {name: referee.compare(**pair, metric=name, positive="spam", audit=False) for name in names}
    return {"scores.json": json.dumps({name: [one.a.score, one.b.score] for name, one in found.items()})}
