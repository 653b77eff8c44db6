"""Which metrics and tests exist, and data that fit each metric. Read from the registries: nothing can opt out."""

from __future__ import annotations

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
    return [name for metric in list(METRICS) for name in [metric, *VARIANTS.get(metric, [])]]


def test_names():
    cheap = {"bootstrap": "bootstrap:replicates=199"}
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
    values = rng.normal(size=n)
    both = {"a": (values + rng.normal(size=n) * 0.5).round(3), "b": (values + rng.normal(size=n) * 0.5).round(3)}
    return both if task == "scores" else {"truth": values.round(3), **both}


def counts(metric, n, seed=0, group=None, stratum=None, **options):
    data = columns(metric, n, seed, **options)
    if group:
        data["group"] = np.random.default_rng(seed + 1).integers(0, group, n)
    if stratum:
        data["stratum"] = np.arange(n) % stratum
    return Counts.of(data)


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
