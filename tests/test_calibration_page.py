"""docs/calibration.md says what its numbers say, and the numbers are of the tests that compare takes by itself."""

from __future__ import annotations

import importlib
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from referee.data.counts import Counts
from referee.metrics import resolve
from referee.runtime.randomness import Streams
from referee.significance.base import TESTS
from referee.significance.rank_tally import tally_of
from referee.significance.score_test import Score
from referee.significance.test_choice import choose
from referee.studies.auditing.population import SHIPPED, Population, shipped
from tests.bell_mccaffrey import degrees_of_freedom

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
METRICS = ("error", "f1", "precision", "recall", "dcf", "mcc", "kappa")
SIZES = (100, 500, 2000, 6000)
NUMBERS = json.loads((DOCS / "calibration.json").read_text(encoding="utf-8"))
ROWS = NUMBERS["rows"]
AT = NUMBERS["alphas"].index(0.05)


@pytest.fixture
def module(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    known = set(TESTS)
    yield lambda name: importlib.import_module(f"benchmarks.calibration.{name}")
    for name in [name for name in sys.modules if name.split(".")[0] == "benchmarks"]:
        del sys.modules[name]
    for name in set(TESTS) - known:
        TESTS.remove(name)


def rows(**wanted):
    return [row for row in ROWS if all(row.get(key) == value for key, value in wanted.items())]


def test_the_page_is_what_its_numbers_say(module):
    text = (DOCS / "calibration.md").read_text(encoding="utf-8")
    assert module("page").render(NUMBERS) == text
    shown = re.findall(r'(?:src|srcset)="(calibration/[^"]+)"', text)
    assert len(shown) == 20
    assert sorted(shown) == sorted(f"calibration/{file.name}" for file in (DOCS / "calibration").iterdir())
    assert (DOCS / "calibration.json").stat().st_size < 600_000
    assert sum(file.stat().st_size for file in (DOCS / "calibration").iterdir()) < 1_500_000


def test_charts_are_of_these_numbers(module):
    made = module("charts").charts(NUMBERS)
    assert all(chart.points for chart in made)
    coverage = next(chart for chart in made if chart.file == "coverage")
    assert {(point["line"], point["n"]) for point in coverage.points} == {(m, n) for m in METRICS for n in SIZES}
    lowest = min(row["coverage"][AT][0] for kind in ("rare", "balanced") for row in rows(part="categories", kind=kind))
    assert min(point["share"] for point in coverage.points) == lowest


def test_all_categories_are_measured():
    counted = {name: len(list(shipped(name).slices())) for name in SHIPPED if "rbf-mlp" not in name}
    assert NUMBERS["populations"] == counted
    for metric in METRICS:
        for n in SIZES:
            pools = {row["kind"]: row for row in rows(part="categories", metric=metric, n=n)}
            assert {"all", "rare", "balanced"} <= set(pools)
            assert pools["all"]["categories"] == sum(counted.values())
            assert pools["rare"]["categories"] + pools["balanced"]["categories"] == pools["all"]["categories"]
            for row in pools.values():
                assert all(len(row[what]) == 3 for what in ("tilt", "swap", "power", "coverage"))


@pytest.mark.parametrize("metric", METRICS)
def test_the_default_is_the_one_that_was_measured(metric):
    _, counts = next(iter(shipped(SHIPPED[0]).slices()))
    test, _ = choose(tally_of(counts, resolve(metric)))
    assert {row["test"] for row in rows(part="categories", metric=metric)} == {str(test)}, (
        "the default has changed: run `make calibration` and see whether it keeps its false alarms"
    )


def test_bars_follow_from_the_numbers(module):
    found = {bar.promise: bar for bar in module("bars").bars(NUMBERS)}
    mean = next(bar for promise, bar in found.items() if promise.startswith("Coverage, mean"))
    shares = [row["coverage"][AT] for row in rows(part="categories", kind="all")]
    assert mean.worst.share == min(share for share, _ in shares)
    assert (mean.verdict == "no") == any(0.95 - share > 3 * error for share, error in shares)
    nine = next(bar for promise, bar in found.items() if "nine times" in promise)
    assert nine.of == len(rows(part="unequal", test="score")) == 10
    text = (DOCS / "calibration.md").read_text(encoding="utf-8")
    for promise, bar in found.items():
        assert (
            f"| **{promise}** | **no** |" in text if bar.verdict == "no" else f"| {promise} | {bar.verdict} |" in text
        )


def test_a_bar_is_broken_only_beyond_its_errors(module):
    bars = module("bars")
    near, far = bars.Seen(0.02, 0.12, 0.01, "near"), bars.Seen(0.031, 0.131, 0.01, "far")
    assert bars._judged("p", [near]).verdict == "within sampling error"
    assert bars._judged("p", [bars.Seen(-0.01, 0.09, 0.01, "below")]).verdict == "yes"
    broken = bars._judged("p", [near, far])
    assert (broken.verdict, broken.worst, broken.broken, broken.of) == ("no", far, 1, 2)


def test_defaults_on_all_categories_keep_alpha():
    for metric in METRICS:
        for kind in ("all", "rare", "balanced"):
            for row in rows(part="categories", metric=metric, kind=kind):
                for null in ("tilt", "swap"):
                    for alpha, (share, error) in zip(NUMBERS["alphas"], row[null], strict=True):
                        assert share <= alpha + 0.005 + 3 * error, (metric, kind, row["n"], null, alpha)


def test_the_guide_says_what_ignoring_groups_costs():
    text = (DOCS / "guides" / "llm-evals.md").read_text(encoding="utf-8")
    ignored = [row["tilt"][AT][0] for row in rows(part="groups", kind="equal, ignored")]
    whole = [row["tilt"][AT][0] for row in rows(part="groups", kind="equal", test="cluster-t") if row["n"] >= 10]
    for shares in (ignored, whole):
        assert f"{100 * min(shares):.0f} to {100 * max(shares):.0f}%" in text


def test_categories_looked_at_together_are_as_each_by_itself(module):
    categories = module("categories")
    labels = tuple(list(categories.categories())[40::300])
    n, sets = 500, 12
    found = categories.look("f1", labels, (n,), sets, 0)["categories"]
    tally, score = tally_of(categories.EVENTS, resolve("f1")), Score()
    for label in labels:
        world = categories.worlds(label, "f1")["true"]
        streams = Streams.of(0).child(categories.crc32(f"{label} true".encode()), n)
        batch = streams.at(0).multinomial(n, world.probabilities, size=sets)[:, np.argsort(tally.place)]
        decided = score.decide(tally, batch, NUMBERS["alphas"], "two-sided", Streams.of(0))
        held = score.covers(tally, batch, world.difference(resolve("f1")), (0.99, 0.95, 0.9), Streams.of(0))
        assert found[label][str(n)]["true"] == decided.sum(axis=0).tolist()
        assert found[label][str(n)]["held"] == held.sum(axis=0).tolist()


def test_a_category_is_the_shipped_one(module):
    name = SHIPPED[0]
    value, counts = list(shipped(name).slices())[3]
    made, own = module("categories").categories()[f"{name}/{value}"], Population.of(counts)
    for metric in ("f1", "mcc", "error"):
        assert made.difference(resolve(metric)) == pytest.approx(own.difference(resolve(metric)), abs=1e-12)


def test_the_second_look_is_at_the_worst(module):
    plan = module("plan")
    cell = {"tilt": [0, 1, 2], "swap": [0, 0, 1], "held": [20, 20, 20], "known": 20}
    every = {f"c{i:02}": {str(n): dict(cell) for n in SIZES} for i in range(30)}
    every["c07"]["100"] = {**cell, "held": [18, 12, 9]}
    every["c21"]["100"] = {**cell, "swap": [5, 9, 12]}
    tasks = plan.second({"x": {"metric": "f1", "sets": 20, "categories": every}}).values()
    (labels,) = (set(told[2]) for told in tasks if told[3] == (100,))
    assert {"c07", "c21"} <= labels
    assert all(told[4] == 20 * plan.AGAIN and told[5] == 1 for told in tasks)


def test_bell_mccaffrey_is_the_full_form(module):
    module("rivals")
    rng = np.random.default_rng(3)
    sizes = np.array([1, 2, 2, 5, 9, 30])
    group = np.repeat(np.arange(len(sizes)), sizes)
    counts = Counts.of({"a": np.zeros(len(group)), "b": rng.normal(size=len(group)).round(6), "group": group})
    tally = tally_of(counts, resolve("mean"))
    test, classical = TESTS["bell-mccaffrey"](), TESTS["classical-cluster-t"]()
    batch = tally.multiplicities[None, :]
    assert test.parts(tally, batch)[2][0] == pytest.approx(float(degrees_of_freedom(sizes)), rel=1e-9)
    difference, error, df = (float(part[0]) for part in classical.parts(tally, batch))
    sums = np.bincount(group, counts["b"][np.argsort(counts["group"], kind="stable")] - difference)
    assert df == len(sizes) - 1
    assert error == pytest.approx(np.sqrt((sums**2).sum() * len(sizes) / (len(sizes) - 1)) / len(group), rel=1e-9)


@pytest.mark.parametrize("part", ["means", "groups", "strata", "classes", "ranks", "unequal"])
def test_worlds_that_should_tie_do(module, part):
    """The mean difference of many sets from a null is 0 within its error, and that of the true world is the value."""
    scenes = module(part)
    for kind, metric, size in scenes.planned()[:: 5 if part != "ranks" else 3]:
        scene = scenes.scene(kind, metric, size)
        worlds = {null: (source, 0.0) for null, source in scene.nulls.items()}
        if scene.true is not None:
            worlds["true"] = scene.true, scene.value
        ratio = not metric.startswith(("mean", "error", "auc"))
        for name, (source, value) in worlds.items():
            d = np.concatenate([np.diff(tally.scores(batch))[:, 0] for tally, batch in source(60, Streams.of(5))])
            # The score of a small set is biased where it is a ratio, which is not what is looked for here.
            slack = 4.5 * d.std(ddof=1) / np.sqrt(len(d)) + (0.06 if ratio else 1e-12)
            assert abs(d.mean() - value) <= slack, (part, kind, metric, size, name)
