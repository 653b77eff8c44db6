"""The chart of the choice of a test, and the page around it, say what `choose` does."""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import referee
from referee.metrics import METRICS
from referee.studies.algorithms.designs import DESIGNS
from tests.conformance.cases import columns, metric_names

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "which-test.md").read_text(encoding="utf-8")


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up there
    spec.loader.exec_module(module)
    return module


CHART = load("draw_choice")
RNG = np.random.default_rng(11)
N = 60
TRUTH = np.arange(N) % 2
SCORES = [np.round(RNG.random(N), 3) for _ in range(3)]
LABELS = [np.where(RNG.random(N) < right, TRUTH, 1 - TRUTH) for right in (0.7, 0.8)]
GROUP = np.arange(N) // 5


def data(metric, n):
    """Make n examples of the kind that a metric reads; a metric of scores gets numbers, or right and wrong."""
    task = METRICS[metric].task
    if task in ("sums", "probabilities"):
        if metric not in metric_names():
            pytest.skip("a package that it needs is not installed")
        return {role: values[:n] for role, values in columns(metric, N, 3).items()}
    if task == "scores":
        return {"a": SCORES[0][:n], "b": SCORES[1][:n]}
    if task == "numbers":
        return {"truth": SCORES[2][:n], "a": SCORES[0][:n], "b": SCORES[1][:n]}
    if task == "preferences":
        return {"winner": np.where(SCORES[0] < 0.4, "a", np.where(SCORES[0] < 0.6, "tie", "b"))[:n]}
    a, b = SCORES[:2] if task == "ranking" else LABELS
    return {"truth": TRUTH[:n], "a": a[:n], "b": b[:n]}


def whole(metric):
    return [data(metric, N), data(metric, 5)]


def grouped(metric):
    return [{**data(metric, N), "group": GROUP}]


def marks(metric):
    """Make scores that are right or wrong, and ratings on a scale that the metric declares."""
    if METRICS[metric].task == "preferences":
        return whole(metric)
    ratings = {side: np.rint(4 * scores) + 1 for side, scores in zip("ab", SCORES[:2], strict=True)}
    return [{"a": LABELS[0], "b": LABELS[1]}, {**ratings, "metric": f"{metric}:low=1,high=5,step=1"}]


WAYS = {
    "auc, no groups": (lambda m: m == "auc", whole),
    "auc, with groups": (lambda m: m == "auc", grouped),
    "average-precision": (lambda m: m == "average-precision", lambda m: whole(m) + grouped(m)),
    "no groups": (lambda m: True, whole),
    "with groups": (lambda m: True, grouped),
    "0/1, or a declared scale, no groups": (lambda m: m in ("mean", "win-rate"), marks),
    "no declared scale, no groups": (lambda m: m != "win-rate", whole),
}
"""For each condition of the chart: which of the metrics it is of, and data for which it holds."""


def named(step):
    return [name for name in step.metrics.split(", ") if name != "your own"]


LEAVES = [
    (branch, metric)
    for step in CHART.LADDER
    for branch in step.branches
    for metric in named(step)
    if WAYS[branch.where][0](metric)
]


@pytest.mark.parametrize(("branch", "metric"), LEAVES, ids=lambda value: getattr(value, "where", value))
def test_compare_takes_the_test_that_the_chart_says(branch, metric):
    for given in WAYS[branch.where][1](metric):
        assert referee.compare(**{"metric": metric, **given}, audit=False).test == branch.test


def test_a_metric_of_ones_own_is_one_of_labels():
    @referee.metric
    def lift(tp, fp, fn, tn):
        "How much more often an answer is right than an example is positive."
        return (tp / (tp + fp)) / ((tp + fn) / (tp + fp + fn + tn))

    step = next(step for step in CHART.LADDER if "your own" in step.metrics)
    for branch, group in zip(step.branches, (None, GROUP), strict=True):
        r = referee.compare(truth=TRUTH, a=LABELS[0], b=LABELS[1], group=group, metric=lift, audit=False)
        assert r.test == branch.test


def test_every_metric_is_on_the_ladder_once():
    assert sorted(itertools.chain.from_iterable(map(named, CHART.LADDER))) == sorted(METRICS)
    for branch in itertools.chain.from_iterable(step.branches for step in CHART.LADDER):
        assert any(leaf is branch for leaf, _ in LEAVES)


def test_the_chart_is_the_ladder():
    assert CHART.CHART.read_text(encoding="utf-8") == CHART.draw(), "run python scripts/draw_choice.py"


def test_the_story_of_the_readme_is_that_of_the_demo():
    story = importlib.import_module("scripts.draw_story")
    for look in ("light", "dark"):
        drawn = (story.ASSETS / f"story-{look}.svg").read_text(encoding="utf-8")
        assert drawn == story.picture(look), "run python -m scripts.draw_story"
    assert [r.verdict for r in story.results()] == ["b better", "too close to call"]


def test_the_curve_is_that_of_the_score_law():
    # Whole pixels: no last digit of the search decides what is drawn.
    law = importlib.import_module("scripts.draw_law")
    assert law.CHART.read_text(encoding="utf-8") == law.draw(), "run python -m scripts.draw_law"
    page = (ROOT / "docs" / "score.md").read_text(encoding="utf-8")
    assert f"seen = np.array({list(law.EVENTS)})" in page


def test_the_list_is_the_ladder():
    listed = []
    for place, step in enumerate(CHART.LADDER, 1):
        metrics = ", ".join(name if name == "your own" else f"`{name}`" for name in step.metrics.split(", "))
        listed.append(f"{place}. **{step.question}** {metrics}")
        listed += [f"    - {branch.where}: `{branch.test}`" for branch in step.branches]
    assert "\n".join(listed) in PAGE


def test_the_table_of_designs_is_what_they_take():
    table = PAGE.partition("| design | its test | why |")[2]
    rows = re.findall(r"^\| (`.*?`) \| (.*?) \|", table, re.M)
    said = {design: test for designs, test in rows for design in re.findall(r"`(.*?)`", designs)}
    taken = {name: design.test_of_scores for name, design in DESIGNS.items()}
    assert said == {name: "that of one test set" if test is None else f"`{test}`" for name, test in taken.items()}
