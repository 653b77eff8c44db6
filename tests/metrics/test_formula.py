"""Gradients: what a definition brings, the complex step and differences all agree."""

from __future__ import annotations

import numpy as np
import pytest

from referee.metrics import resolve
from referee.metrics.class_averages import Classwise
from referee.metrics.formula import General, Ratios, share
from referee.significance.tally import Tally
from tests.conformance.cases import counts, metric_names

SMOOTH = [name for name in metric_names() if resolve(name).task != "ranking"]


@pytest.mark.parametrize("metric", SMOOTH)
def test_gradient_equals_differences(metric):
    tally = Tally.of(counts(metric, 200, seed=2), resolve(metric))
    formula, totals = tally.bound.formula, tally.totals(tally.multiplicities)
    by_formula = formula.gradient(totals)
    step = 1e-3
    for k in range(totals.shape[-1]):
        moved = np.zeros(totals.shape[-1])
        moved[k] = step
        slope = (formula.score(totals + moved) - formula.score(totals - moved)) / (2 * step)
        assert by_formula[:, k] == pytest.approx(slope, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("metric", [m for m in SMOOTH if m in ("mcc", "kappa")])
@pytest.mark.parametrize("classes", [2, 3])
def test_given_gradients_equal_the_complex_step(metric, classes):
    tally = Tally.of(counts("f1:average=macro" if classes == 3 else metric, 200), resolve(metric))
    formula = tally.bound.formula
    assert isinstance(formula, General)
    assert formula.slope is not None
    totals = tally.totals(tally.multiplicities)
    assert formula.gradient(totals) == pytest.approx(formula._complex(totals), rel=1e-10)


def test_shares_are_linear():
    combined = (2 * share(1, 2) + share(1, 4) - 0.5) / 2
    assert combined.value() == pytest.approx(0.375)
    assert (1 - share(1, 4)).value() == pytest.approx(0.75)
    assert (-share(1, 4) + 1).value() == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("metric", "fixed"),
    [
        ("recall", True),
        ("precision", False),
        ("f1", False),
        ("dcf", True),
        ("f1:average=micro", True),
        ("recall:average=macro", True),
    ],
)
def test_referee_sees_whether_denominators_are_fixed(metric, fixed):
    formula = Tally.of(counts(metric, 50), resolve(metric)).bound.formula
    assert isinstance(formula, Ratios | Classwise)
    assert formula.fixed is fixed
