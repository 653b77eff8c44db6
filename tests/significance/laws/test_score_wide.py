"""The score law of many classes: the numbers of few, at a cost that grows with what occurred."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import referee
from referee.data.counts import Counts
from referee.metrics import matrices, possible_answers, resolve
from referee.significance.laws import worlds
from referee.significance.laws.newton_many import factored, krylov
from referee.significance.laws.score import ScoreLaw
from referee.significance.laws.score_ends import ends_of
from referee.significance.tally import Tally

KINDS = ("even", "uneven", "once", "never", "same", "perfect")


def table(kind, classes, n, *, right=0.8, seed=0):
    """Two systems, the second a little better; of classes that are alike, unlike, seen once, never answered, or two as one."""
    rng = np.random.default_rng(seed)
    shares = 1 / np.arange(1, classes + 1) if kind == "uneven" else np.ones(classes)
    truth = rng.choice(classes, n, p=shares / shares.sum())
    if kind == "once":
        truth = np.concatenate([np.arange(classes), rng.integers(0, 3, max(n - classes, 0))])
    known = classes * 2 // 3 if kind == "never" else classes
    answers = []
    for share in (right, min(right + 0.02, 1.0)):
        said = np.where(rng.random(len(truth)) < share, truth, rng.integers(0, known, len(truth)))
        answers.append(np.where(said < known, said, 0))
    a, b = answers if kind not in ("same", "perfect") else [answers[0] if kind == "same" else truth] * 2
    return Counts.of({"truth": truth, "a": a, "b": b})


def numbers(r):
    return [r.p_value] + [end for i in (r.interval, r.a.interval, r.b.interval) for end in (i.low, i.high)]


def law_of(counts, metric, signs=(-1.0, 1.0)):
    return ScoreLaw(Tally.of(counts, resolve(metric)), signs)


@pytest.mark.parametrize(
    ("metric", "kind"),
    [("f1:average=macro", kind) for kind in KINDS]
    + [("f1:average=weighted", "uneven"), ("balanced-accuracy", "once"), ("kappa", "same"), ("mcc", "never")],
)
def test_many_classes_give_what_few_do(monkeypatch, metric, kind):
    counts = table(kind, 7, 90, right=0.6 if kind != "once" else 0.9)
    monkeypatch.setattr(matrices, "FULL", 1 << 60)
    found = []
    for wide in (10_000, 0):
        monkeypatch.setattr(worlds, "WIDE", wide)
        found.append(numbers(referee.compare(counts, metric=metric, audit=False)))
    assert found[1] == pytest.approx(found[0], rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("signs", [(-1.0, 1.0), (1.0, 0.0)])
def test_a_world_is_where_it_should_be_and_the_likeliest_there(kind, signs):
    law = law_of(table(kind, 40, 300, right=0.7), "f1:average=macro", signs)
    space, row = law.space, law.tally.multiplicities
    assert space.is_wide
    centre = float(law.centres(row[None, :])[0])
    value = centre - 0.02
    world = law.worlds_at(row, np.array([value]))
    assert world.sure[0]
    m, e = world.expected[0], space.counts(row[None, :])[0]
    totals = matrices.times(m[None, :], space.both)
    assert m.sum() == pytest.approx(e.sum(), rel=1e-6)
    assert space.values(totals, np.array([signs]))[0] == pytest.approx(value, abs=1e-8)
    # e/m is a straight line in how far an example of each kind moves the value; what was not seen lies above 0 on it.
    g = matrices.times(space.slopes(totals, np.array([signs])), space.both.T)[0]
    seen = e > 0
    line = np.polyfit(g[seen], (e / m)[seen], 1, w=np.sqrt(m[seen]))
    assert np.polyval(line, g[seen]) == pytest.approx((e / m)[seen], abs=1e-5)
    assert (np.polyval(line, g) > -1e-5).all()


@pytest.mark.parametrize(
    ("kind", "right", "classes"),
    [
        ("uneven", 0.02, 40),
        ("once", 0.02, 40),
        ("once", 0.97, 40),
        ("same", 0.02, 40),
        ("same", 0.97, 40),
        ("never", 0.97, 40),
        ("perfect", 1.0, 40),
        ("even", 0.4, 160),
        ("uneven", 0.6, 160),
    ],
)
def test_sparse_tables_of_many_classes_are_answered(kind, right, classes):
    r = referee.compare(table(kind, classes, 3 * classes, right=right), metric="f1:average=macro", audit=False)
    assert r.p_value is not None
    assert -0.3 < r.interval.low < r.difference < r.interval.high < 0.3
    assert (r.p_value <= r.alpha) == (0 not in r.interval)
    assert r.a.interval.low <= r.a.score <= r.a.interval.high < r.a.interval.low + 0.2


def test_what_no_system_ever_answers_leaves_its_share_of_an_average_open():
    r = referee.compare(table("never", 40, 200), metric="precision:average=macro", audit=False)
    assert r.p_value == pytest.approx(1.0, abs=1e-3)
    assert -0.5 < r.interval.low < -1 / 3 < 1 / 3 < r.interval.high < 0.5


def test_systems_without_a_mistake_leave_little_open():
    """No answer but the right ones was given; those that might have been are possible all the same."""
    counts = table("perfect", 300, 3_000)
    r = referee.compare(counts, metric="f1:average=macro", audit=False)
    assert r.p_value == 1.0
    assert 0.0005 < r.interval.high < 0.01
    assert r.interval.low == pytest.approx(-r.interval.high, rel=1e-3)
    assert 0.99 < r.a.interval.low < 1 == r.a.interval.high


@pytest.mark.parametrize("kind", ["even", "uneven", "same"])
def test_rare_pairs_do_for_all(monkeypatch, kind):
    counts = table(kind, 150, 500, right=0.9)
    found = []
    for pairs in (possible_answers.PAIRS, 1 << 40):
        monkeypatch.setattr(possible_answers, "PAIRS", pairs)
        law = law_of(counts, "f1:average=macro")
        low, high, certain, _ = ends_of([law], law.tally.multiplicities, 1.96)[0]
        assert certain
        found.append([low, high])
        if pairs == 1 << 40:
            assert law.space.both.shape[0] > 20_000
    assert found[0] == pytest.approx(found[1], abs=0.01 * (found[1][1] - found[1][0]))


@pytest.mark.parametrize(
    "metric",
    ["f1:average=macro", "f1:average=weighted", "f1:average=micro", "specificity:average=macro", "kappa", "mcc"],
)
def test_how_slopes_change_along_a_move(metric):
    space, rng = law_of(table("even", 5, 60), metric).space, np.random.default_rng(1)
    formula, size = space.formula, space.both.shape[1] // 2
    totals, move = rng.uniform(20, 50, size), rng.normal(size=size)
    assert formula.bend(totals, move) == pytest.approx(formula.curvature(totals) @ move, rel=1e-4, abs=1e-9)


def test_equations_that_are_known_by_what_they_do():
    rng = np.random.default_rng(0)
    left, right = np.eye(40) * 5 + rng.normal(size=(40, 40)), rng.normal(size=40)
    expected = np.linalg.solve(left, right)
    assert krylov(lambda x: left @ x, lambda y: y / 5, right, 1e-12, 40) == pytest.approx(expected, abs=1e-10)
    assert factored(left)(right) == pytest.approx(expected, abs=1e-12)
    assert (krylov(lambda x: left @ x, lambda y: y, 0 * right, 1e-12, 40) == 0).all()
    with pytest.raises(np.linalg.LinAlgError):
        factored(np.zeros((2, 2)))


def test_memory_does_not_grow_with_outcomes_times_classes():
    counts = table("even", 400, 10_000)
    tracemalloc.start()
    r = referee.compare(counts, metric="f1:average=macro", audit=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert r.solver["converged"]
    # In full the outcomes that are possible would take more than 500 MB.
    assert peak < 80e6
