"""Scales of means: declared, made by averaging runs, or asked about; never guessed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import referee
from referee.data.counts import Counts
from referee.data.engines.base import runs_of
from referee.metrics.possible_answers import Scale, likely_scale
from referee.studies.auditing.population import Population


def runs(ids=60, times=5, seed=0):
    """Return repeated ids and marks of two systems, right or wrong in each run."""
    rng = np.random.default_rng(seed)
    ease = np.repeat(rng.beta(2, 2, ids), times)
    marks = {name: (rng.random(ids * times) < ease).astype(int) for name in ("a", "b")}
    return {"id": np.repeat(np.arange(ids), times), **marks}


def test_means_of_runs_are_on_a_lattice():
    r = referee.compare(pd.DataFrame(runs()), a="a", b="b", id="id", repeats="mean")
    assert r.test == "score"
    assert "runs:5" in r.signature
    data = runs()
    means = {name: data[name].reshape(60, 5).mean(axis=1) for name in ("a", "b")}
    declared = referee.compare(Counts.of(means), metric="mean:low=0,high=1,step=0.2")
    assert (r.p_value, r.interval) == (declared.p_value, declared.interval)
    assert referee.compare(Counts.of(means)).test == "skew-t", "nobody said that these are means of runs"


def test_two_files_of_runs_are_on_the_lattice_of_both(tmp_path):
    one, two = runs(times=4), runs(times=6, seed=1)
    for name, data, role in (("old", one, "a"), ("new", two, "b")):
        pd.DataFrame({"id": data["id"], "score": data[role]}).to_csv(tmp_path / f"{name}.csv", index=False)
    data = referee.read(tmp_path / "old.csv", tmp_path / "new.csv", prediction="score", id="id", repeats="mean")
    counts = data.count()
    assert counts.runs == 12
    r = referee.compare(counts)
    assert r.test == "score"
    a, b = one["a"].reshape(60, 4).mean(axis=1), two["b"].reshape(60, 6).mean(axis=1)
    assert (r.a.score, r.b.score) == pytest.approx((a.mean(), b.mean()))


def test_counts_remember_their_runs(tmp_path):
    counts = referee.count(**runs(), repeats="mean")
    assert counts.runs == 5
    counts.save(tmp_path / "runs.json")
    again = Counts.load(tmp_path / "runs.json")
    assert again.runs == 5
    assert referee.compare(again).test == "score"
    assert (counts + again).runs == 5
    assert Population.of(counts).draw(40).runs == 5
    others = referee.count(**runs(times=3), repeats="mean")
    assert (counts + others).runs is None


@pytest.mark.parametrize("told", ["", "x", "1", "-4", "5.0", "10000", "٣٠٠٠٠"])
def test_what_a_file_says_of_runs_is_not_believed_blindly(told):
    made = Counts.of({"a": [0.2, 0.4], "b": [0.4, 0.4]}, about={"runs": told})
    assert made.runs is None
    off = Counts.of({"a": [0.2, 0.41], "b": [0.4, 0.4]}, about={"runs": "5"})
    assert referee.compare(off).test == "skew-t"


def test_runs_that_are_not_marks_have_no_lattice():
    data = runs()
    data["a"] = data["a"] * 0.7
    counts = referee.count(**data, repeats="mean")
    assert counts.runs is None
    assert referee.compare(counts).test == "skew-t"


def test_missing_runs_make_the_lattice_finer(tmp_path):
    one, two = runs(times=4), runs(times=4, seed=1)
    frame = pd.DataFrame({"id": one["id"], "score": one["a"]}).drop(index=3)
    frame.to_csv(tmp_path / "old.csv", index=False)
    pd.DataFrame({"id": two["id"], "score": two["b"]}).to_csv(tmp_path / "new.csv", index=False)
    data = referee.read(tmp_path / "old.csv", tmp_path / "new.csv", prediction="score", id="id", repeats="mean")
    assert data.count().runs == 12


@pytest.mark.parametrize(
    ("times", "expected"), [([5], 5), ([2, 3], 6), ([], 0), ([1], 0), ([101], 0), ([100, 50], 100)]
)
def test_runs_of(times, expected):
    assert runs_of(times) == expected


def test_a_scale_is_asked_about_and_not_guessed():
    rng = np.random.default_rng(1)
    a, b = (np.clip(np.rint(rng.normal(4, 1, 60)), 1, 5) for _ in range(2))
    r = referee.compare(a=a, b=b)
    assert r.test == "skew-t"
    hint = (
        "the scores look like whole numbers from 1 to 5; if no others are possible, metric='mean:low=1,high=5,step=1' "
        "gives a test made for such a scale"
    )
    assert hint in r.warnings
    declared = referee.compare(a=a, b=b, metric="mean:low=1,high=5,step=1")
    assert declared.test == "score"
    assert not [w for w in declared.warnings if "look like" in w]
    halves = referee.compare(a=a / 2, b=b / 2, metric="mean:better=lower")
    assert any("steps of 0.5 from 0.5 to 2.5" in w and "better=lower,low=0.5" in w for w in halves.warnings)


@pytest.mark.parametrize(
    "scores",
    [
        np.random.default_rng(0).normal(size=100),
        np.arange(30.0),
        np.array([0.0, 1.0] * 20),
        np.array([0.1, 0.25, 0.9] * 20),
        np.array([1.0, 2.0, 3.0]),
    ],
)
def test_other_scores_look_like_no_scale(scores):
    assert likely_scale(scores) is None


def test_a_scale_holds_what_is_on_it():
    scale = Scale(0.0, 1.0, 0.2)
    assert scale.holds(np.array([0.0, 0.2, 1.0 - 1e-9]))
    assert not scale.holds(np.array([0.3]))
    assert not scale.holds(np.array([1.2]))
    assert not scale.holds(np.array(["a"], dtype=object))
    assert Scale(0.0, 1.0).holds(np.array([0.123]))


@pytest.mark.parametrize("metric", ["mse", "rmse"])
def test_outliers_in_errors_get_a_warning(metric):
    rng = np.random.default_rng(2)
    truth, n = rng.normal(size=400), 400
    a = truth + rng.normal(size=n) * np.where(rng.random(n) < 0.02, 20, 1)
    b = truth + rng.normal(size=n)
    r = referee.compare(truth=truth, a=a, b=b, metric=metric)
    assert any("half of the variance" in w and "no test of a mean is reliable" in w for w in r.warnings)
    clean = referee.compare(truth=truth, a=truth + rng.normal(size=n), b=b, metric=metric)
    assert not any("half of the variance" in w for w in clean.warnings)


def test_groups_that_carry_the_variance_get_it_too():
    rng = np.random.default_rng(2)
    group = np.repeat(np.arange(100), 3)
    b = rng.normal(size=300)
    b[:3] += 60
    r = referee.compare(a=np.zeros(300), b=b, group=group)
    assert r.test == "cluster-t"
    assert any("1 of 100 groups carries half of the variance" in w for w in r.warnings)
