"""Which metrics and tests exist, and data that fit each metric. Read from the registries: nothing can opt out."""

from __future__ import annotations

import json
from importlib.util import find_spec

import numpy as np
import pytest

from referee.data.counts import Counts
from referee.metrics import METRICS, resolve
from referee.significance import TESTS
from referee.significance import resolve as resolve_test
from referee.significance.rank_tally import tally_of

VARIANTS = {
    "fbeta": ["fbeta:beta=2"],
    "f1": ["f1:average=macro", "f1:average=micro", "f1:average=weighted", "f1:average=macro,labels=all"],
    "precision": ["precision:average=macro"],
    "recall": ["recall:average=macro"],
}
NEEDS = {"bleu": "sacrebleu", "chrf": "sacrebleu", "ter": "sacrebleu", "wer": "rapidfuzz", "cer": "rapidfuzz"}
"""The package that a metric needs, which the development tools have (tests/metrics/test_texts.py tells if they have not)."""
WORDS = ["the", "cat", "sat", "on", "a", "mat", "and", "dog", "ran", "far"]
LABELS = ["art", "law", "war", "sea"]
STRAYS = ("recall:average=macro", "f1:average=macro,labels=all")
"""Their data hold an answer that is no label of the truth."""
SPELLINGS = {
    "mcnemar": ["variant=exact", "variant=corrected", "variant=uncorrected"],
    "randomization": [
        "studentized=true",
        "method=monte-carlo,trials=199",
        "studentized=true,method=monte-carlo,trials=199",
    ],
    "bootstrap": [f"replicates=199,interval={kind}" for kind in ("centered", "basic", "bca", "t", "studentized")],
    "delong": ["law=t"],
    "wilcoxon": ["zeros=pratt", "zeros=zsplit"],
}


def metric_names():
    there = [metric for metric in METRICS if metric not in NEEDS or find_spec(NEEDS[metric]) is not None]
    return [name for metric in there for name in [metric, *VARIANTS.get(metric, [])]]


def sentences(rng, n, similar):
    """Return texts, and those of two systems that get most words right."""
    truth = [[WORDS[k] for k in rng.integers(0, len(WORDS), rng.integers(3, 8))] for _ in range(n)]

    def heard(text, share):
        said = [word if rng.random() < share else WORDS[rng.integers(0, len(WORDS))] for word in text]
        return said[: len(said) - (rng.random() < 0.2)]

    shared = [heard(text, 0.8) for text in truth]
    a, b = ([heard(text, similar) for text in shared] for _ in range(2))
    return {"truth": [*map(" ".join, truth)], "a": [*map(" ".join, a)], "b": [*map(" ".join, b)]}


def label_lists(rng, n, similar):
    """Return lists of labels as JSON, some without any, and those of two systems."""
    truth = rng.random((n, len(LABELS))) < 0.4
    shared = np.where(rng.random(truth.shape) < 0.8, truth, ~truth)
    a, b = (np.where(rng.random(truth.shape) < similar, shared, ~shared) for _ in range(2))
    named = {"truth": truth, "a": a, "b": b}
    return {role: [json.dumps([LABELS[k] for k in np.flatnonzero(row)]) for row in own] for role, own in named.items()}


def test_names():
    cheap = {
        name: f"{name}:{option}=199"
        for name, option in (("bootstrap", "replicates"), ("bayes", "draws"), ("f1-posterior", "draws"))
    }
    return [s for name in TESTS for s in [cheap.get(name, name), *(f"{name}:{o}" for o in SPELLINGS.get(name, []))]]


test_names.__test__ = False


def columns(metric, n, seed=0, similar=0.7):
    """Return truth, a and b that fit the metric, a and b agreeing often."""
    rng = np.random.default_rng(seed)
    task, classes = resolve(metric).task, 3 if "average" in metric else 2
    if task in ("binary", "multiclass", "labels"):
        truth = rng.integers(0, classes, n)
        truth[:classes] = range(classes)
        shared = np.where(rng.random(n) < 0.7, truth, rng.integers(0, classes, n))
        a, b = (np.where(rng.random(n) < similar, shared, rng.integers(0, classes, n)) for _ in range(2))
        if metric in STRAYS:
            b[n // 2] = classes
        return {"truth": truth, "a": a, "b": b}
    if task == "ranking":
        truth = (rng.random(n) < 0.4).astype(int)
        truth[:2] = 0, 1
        base = truth + rng.normal(size=n)
        return {
            "truth": truth,
            "a": (base + rng.normal(size=n)).round(1) + 0.05,
            "b": (base + rng.normal(size=n)).round(1) + 0.05,
        }
    if task == "preferences":
        share = rng.choice([0.0, 0.5, 1.0], n, p=[0.3, 0.25, 0.45])
        return {"a": 1 - share, "b": share, "first": rng.choice(["a", "b"], n).astype(object)}
    if resolve(metric).reads == "text":
        made = (label_lists if metric.startswith(("multilabel", "subset")) else sentences)(rng, n, similar)
        return {role: np.array(values, dtype=object) for role, values in made.items()}
    if task == "probabilities":
        truth = (rng.random(n) < 0.4).astype(int)
        truth[:2] = 0, 1
        near = np.abs(truth[:, None] - rng.beta(2, 5, size=(n, 2))).round(2).clip(0.01, 0.99)
        return {"truth": truth, "a": near[:, 0], "b": near[:, 1]}
    values = rng.normal(size=n)
    both = {"a": (values + rng.normal(size=n) * 0.5).round(3), "b": (values + rng.normal(size=n) * 0.5).round(3)}
    return both if task == "scores" else {"truth": values.round(3), **both}


def counts(metric, n, seed=0, group=None, stratum=None, **options):
    data = columns(metric, n, seed, **options)
    if group:
        data["group"] = np.random.default_rng(seed + 1).integers(0, group, n)
    if stratum:
        data["stratum"] = np.arange(n) % stratum
    if "first" in data:
        data["first"] = data.pop("first")  # counts have it behind the sides
        return Counts.of(data, about={"noun": "judgement"})
    return Counts.of(data)


def for_oracles(data):
    """Return columns as lists; of preferences each answer is the share of the win, and whether the system was shown first."""
    lists = {role: values.tolist() for role, values in data.items()}
    if "first" in lists:
        shown = lists.pop("first")
        lists |= {role: [(share, one == role) for share, one in zip(lists[role], shown, strict=True)] for role in "ab"}
    return lists


def fits(metric, test, data):
    tally = tally_of(data, resolve(metric))
    chosen = resolve_test(test)
    return chosen.misfit(tally) is None and (chosen.takes_groups or not tally.grouped)


def fitting(grouped=False):
    found = []
    for metric in metric_names():
        data = counts(metric, 24, group=8 if grouped else None)
        found += [(metric, test) for test in test_names() if fits(metric, test, data)]
    return found


PAIRS = fitting()
GROUPED = fitting(grouped=True)
EVERY = [(m, t, None) for m, t in PAIRS] + [(m, t, 8) for m, t in GROUPED]
"""With the number of groups; None without."""


def each(cases):
    """Run a test on all cases, once per metric, since thousands of tests take longer than what they test; all that fail are told."""
    metrics = dict.fromkeys(case[0] for case in cases)

    def decorated(function):
        @pytest.mark.parametrize("metric", metrics)
        def run(metric):
            failures = []
            for case in (case for case in cases if case[0] == metric):
                try:
                    function(*case)
                except Exception as error:
                    error.add_note(f"in the case {case}")
                    failures.append(error)
            if failures:
                raise ExceptionGroup(f"{len(failures)} cases of {metric} fail", failures)

        run.__name__, run.__doc__ = function.__name__, function.__doc__
        return run

    return decorated
